# SPDX-License-Identifier: Apache-2.0
# Files that cannot be read, each with its own sentence.
tiny_files
mkdir folder
: >empty.csv
: >empty.mat
: >empty.npz
try onefold fit missing.mat --clusters 2
try onefold fit missing/missing.mat --clusters 2
try onefold fit folder --clusters 2
try onefold fit empty.csv --clusters 2
try onefold fit empty.mat --clusters 2
try onefold fit empty.npz --clusters 2
printf 'what is this' >data.xyz
try onefold fit data.xyz --clusters 2
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' >pointer.mat
try onefold fit pointer.mat --clusters 2
onefold synth whole.mat --samples 50 -q
onefold synth whole.npz --samples 50 -q
onefold synth whole.npy --samples 50 --views 1 -q
for ending in mat npz npy; do
    head -c 900 whole.$ending >cut.$ending
    try onefold fit cut.$ending --clusters 2
done
try onefold fit missing.mat --clusters 2 --json
