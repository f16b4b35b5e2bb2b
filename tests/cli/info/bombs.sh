# SPDX-License-Identifier: Apache-2.0
# Every packed format, and every format that says how much it holds, with files that unpack to hundreds of
# times their size: refused by what they say or as they are gone through, before anything is held of it.
python3 -c 'import h5py, numpy' 2>/dev/null || { echo "h5py is missing" && exit 77; }
mkdir small large
python3 "$ONEFOLD_SOURCE/tests/cli/info/bombs.py" small 24000 || exit 1
python3 "$ONEFOLD_SOURCE/tests/cli/info/bombs.py" large 270000 || exit 1

# What the verb says of the file, and whether it ever held more than 48 MB.
python3 - <<'PYTHON'
import os, resource, subprocess, sys

def run(path, *words):
    verb = ["score", path, path] if "labels" in path else ["info", path]
    child = subprocess.Popen(["onefold", *verb, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = child.stderr.read().splitlines()
    _, status, used = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), said[0] if said else "", used.ru_maxrss << 10

for name in sorted(os.listdir("small")):
    taken, _, once = run("small/" + name)
    refused = []
    if name in ("arrays.npz", "five.mat", "seven.mat", "packed.h5ad") and once > 24.6e6 + 60e6:
        taken = "%d, but held %d MB" % (taken, once / 1e6)  # the data once, the file, and the process
    if "labels" not in name:  # score has no --max-memory
        status, said, held = run("small/" + name, "--max-memory", "20M")
        refused = ["20 MB allowed:", status, "memory" if "are allowed" in said else said]
        refused += [] if held < 48e6 else ["but held %d MB" % (held / 1e6)]
    status, said, held = run("large/" + name)
    bomb = ["large:", status, "bomb" if "more than 200 times its size" in said else said]
    bomb += [] if held < 48e6 else ["but held %d MB" % (held / 1e6)]
    print(name, "taken:", taken, *refused, *bomb)
PYTHON
