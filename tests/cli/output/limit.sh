# SPDX-License-Identifier: Apache-2.0
# A file that cannot be written whole is not there at all.
made
onefold synth big.npz --samples 20000 --columns 2 --views 1 -q
mkdir out
ulimit -f 8
for ending in npz mat npy csv tsv mtx; do
    try onefold convert big.npz out/big.$ending
done
try onefold synth out/made.npz --samples 20000 -q
try onefold fit --method os-lfmvc-cs big.npz --clusters 2 --kernel linear --restarts 1 --labels out/labels.txt --json
try onefold fit --method os-lfmvc-cs big.npz --clusters 2 --kernel linear --restarts 1 --embedding out/e.npy --json
ls out
