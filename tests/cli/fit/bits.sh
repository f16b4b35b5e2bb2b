# SPDX-License-Identifier: Apache-2.0
# The bits of twelve fits, by both methods: hashes of labels, of the model and of the JSON without times,
# memory and version. A change that is to keep bits keeps this output; one that changes them on purpose says so
# in CHANGELOG.md. With --portable they are the same on any x86-64, for one version of the libraries.
if ! grep -qs bookworm /etc/os-release || [ "$(uname -m)" != x86_64 ]; then
    echo "these are the bits of Debian 12's libraries on x86-64: skipped"
    exit 77
fi
hashed() {
    sha256sum | cut -c1-16
}
# bits NAME METHOD FILE... OPTION...
bits() {
    local name=$1 method=$2
    shift 2
    onefold fit "$@" --method "$method" --portable --json -q --model fit.model --labels labels.txt >fit.json || return
    echo "$name $method labels $(hashed <labels.txt) model $(hashed <fit.model) json $(python3 -c '
import json
fit = json.load(open("fit.json"))
for key in "onefold", "threads", "seconds", "peak_bytes", "peak_device_bytes":
    fit.pop(key, None)
print(json.dumps(fit, sort_keys=True))' | hashed)"
}
# 300 samples in three clusters: links between them, and two kernels 1 / (1 + squared distance)
python3 - <<'END'
state = 1
def uniform():
    global state
    state = state * 1103515245 + 12345 & 0x7FFFFFFF
    return (state >> 16) / 0x8000
n = 300
links = [(i + 1, j + 1) for i in range(n) for j in range(i) if uniform() < (0.12 if i % 3 == j % 3 else 0.02)]
with open("links.mtx", "w") as file:
    print("%%MatrixMarket matrix coordinate pattern symmetric", f"{n} {n} {len(links)}", sep="\n", file=file)
    for link in links:
        print(*link, file=file)
for view in "ab":
    x = [[3 * (i % 3 == c) + uniform() for c in range(3)] for i in range(n)]
    with open(f"kernel_{view}.csv", "w") as file:
        for p in x:
            print(*(repr(1 / (1 + sum((s - t) * (s - t) for s, t in zip(p, q)))) for q in x), sep=",", file=file)
END
onefold synth text.npz --samples 400 --views 2 --columns 150 --density 0.05 --separation 20 --clusters 4 -q
onefold synth gaps.npz --samples 400 --views 3 --columns 6 --clusters 4 --missing 0.2 -q
onefold synth many.npz --samples 100000 --views 2 --columns 4 --clusters 4 -q
onefold synth some.npz --samples 9000 --views 2 --columns 5 --clusters 4 -q
digits=$ONEFOLD_SOURCE/data/digits/digits.mat
bits dense onefold "$digits" --clusters 10
bits dense os-lfmvc-cs "$digits" --clusters 10 --threads 1
bits dense os-lfmvc-cs "$digits" --clusters 10 --threads 4
bits many onefold many.npz --clusters 4
bits many os-lfmvc-cs many.npz --clusters 4 --kernel linear
bits landmarks os-lfmvc-cs some.npz --clusters 4 --base nystrom
bits text onefold text.npz --clusters 4 --threads 1
bits text onefold text.npz --clusters 4 --threads 4
bits text os-lfmvc-cs text.npz --clusters 4
bits links onefold links.mtx --clusters 3
bits links os-lfmvc-cs links.mtx --clusters 3
bits given os-lfmvc-cs kernel_a.csv kernel_b.csv --kernel precomputed --clusters 3
bits missing onefold gaps.npz --clusters 4
bits missing os-lfmvc-cs gaps.npz --clusters 4
