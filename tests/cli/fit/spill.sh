# SPDX-License-Identifier: Apache-2.0
# Partitions that memory has no room for go to a nameless file in a folder; labels are the same, and
# nothing is left there, whatever happens.
onefold synth data.npz --samples 8000 --views 6 --columns 4 --clusters 5 --separation 0.5 -q
mkdir there
fit() { onefold fit --method os-lfmvc-cs data.npz --clusters 5 --dims 20 --kernel linear --restarts 2 --max-iter 2 --threads 2 "$@"; }
fit --labels memory.npy -q
try fit --max-memory 10M
try fit --max-memory 10M --spill there --labels spilled.npy -q
cmp memory.npy spilled.npy && echo same
fit --max-memory 10M --spill there --precision single --labels single.npy -q
fit --precision single --labels memory.npy -q
cmp memory.npy single.npy && echo same
ls -A there

# What will not do is said, and no labels are written.
echo >file
try fit --max-memory 10M --spill file --labels x.npy
try fit --max-memory 10M --spill absent --labels x.npy --json
try fit --max-memory 10M --spill /proc --labels x.npy
(
    ulimit -f 400
    try fit --max-memory 10M --spill there --labels x.npy
)
ls -A there
ls

# While it runs the folder looks empty, and a signal leaves it so.
python3 - <<'END'
import os, signal, subprocess, time
command = ("onefold fit --method os-lfmvc-cs data.npz --clusters 5 --dims 20 --kernel linear --threads 2 --max-memory 10M --spill there "
           "--restarts 2 --tol 0 --max-iter 20000 --progress json")
for sign in (signal.SIGINT, signal.SIGKILL):
    fit = subprocess.Popen(command.split(), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    for line in fit.stderr:
        if '"stage": "fit"' in line:
            break
    maps = open(f"/proc/{fit.pid}/maps").read()
    print("mapped" if os.path.abspath("there") in maps else "not mapped", os.listdir("there"))
    fit.send_signal(sign)
    fit.communicate()
    print(fit.returncode, os.listdir("there"))
END
