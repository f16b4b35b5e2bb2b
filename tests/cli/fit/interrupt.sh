# SPDX-License-Identifier: Apache-2.0
# Ctrl-C during a long fit: exit 130, nothing written. The fit would take many minutes.
onefold synth long.npz --samples 20000 --views 3 --columns 40 --separation 0.5 -q
long() { # signals options...
    press "$1" fit onefold fit --method os-lfmvc-cs long.npz --clusters 40 --kernel linear \
        --restarts 200 --tol 0 --max-iter 1000000 --labels labels.npy --embedding fused.npy "${@:2}"
}
try long INT
try long TERM --json
try long INT --start paper

# A pipe that nobody writes to is refused, not waited for.
mkfifo slow.csv
try onefold info slow.csv

# Two signals of one press are one.
try long INT,INT
ls
