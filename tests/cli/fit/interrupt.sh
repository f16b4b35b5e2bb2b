# SPDX-License-Identifier: Apache-2.0
# Ctrl-C during a long fit: exit 130, nothing written. The fit would take many minutes.
onefold synth long.npz --samples 20000 --views 3 --columns 40 --separation 0.5 -q
long() {
    timeout --preserve-status -s "$1" 3 onefold fit long.npz --clusters 40 --kernel linear \
        --restarts 200 --tol 0 --max-iter 1000000 --labels labels.npy --embedding fused.npy "${@:2}"
}
try long INT
try long TERM --json
try long INT --start paper
ls
