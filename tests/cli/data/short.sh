# SPDX-License-Identifier: Apache-2.0
# Files that end before their header says, and what the options ask for that the data have not.
onefold synth long.npy --samples 1000 --views 1 --columns 8 -q
head -c 20000 long.npy >short.npy
head -c 100 long.npy >header.npy
head -c 128 long.npy >empty.npy
try onefold info short.npy
try onefold fit short.npy --clusters 3 --labels labels.npy
try onefold fit header.npy --clusters 3
try onefold fit empty.npy --clusters 3 --json
onefold synth all.npz --samples 300 --views 2 -q
head -c 30000 all.npz >cut.npz
try onefold info cut.npz
onefold synth all.mat --samples 300 --views 2 -q
head -c 30000 all.mat >cut.mat
try onefold info cut.mat

# More landmarks than samples, or too few of them.
try onefold fit all.npz --method os-lfmvc-cs --clusters 5 --base nystrom --landmarks 301
try onefold fit all.npz --method os-lfmvc-cs --clusters 5 --base nystrom --landmarks 9
try onefold fit all.npz --method os-lfmvc-cs --clusters 5 --base nystrom --landmarks 301 --dry-run --json
onefold fit all.npz --method os-lfmvc-cs --clusters 5 --base nystrom --landmarks 300 -q | wc -l

# A view too wide for the Gram matrix of its columns is worked by another route, which is said.
onefold synth wide.npy --samples 400 --views 1 --columns 3000 --clusters 4 -q
for base in auto exact nystrom; do
    onefold fit wide.npy --method os-lfmvc-cs --clusters 4 --kernel linear --base $base --json | json '[v["base"] for v in d["views"]]'
done
# The same where there are too many samples for a matrix of them, and where it is just not too wide.
onefold synth wider.npy --samples 1500 --views 1 --columns 1200 --clusters 5 -q
onefold synth narrow.npy --samples 1500 --views 1 --columns 400 --clusters 5 -q
for name in wider narrow; do
    onefold fit $name.npy --method os-lfmvc-cs --clusters 4 --kernel linear --restarts 1 --labels labels.csv | grep linear
done
rm labels.csv
ls
