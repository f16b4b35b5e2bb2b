# SPDX-License-Identifier: Apache-2.0
# It judges what a fit does: a point has the figures of the labelling that a fit of that number chooses. Samples may lack views; kernels alone are
# refused, and so is another method.
made
onefold choose made.npz --min 3 --max 4 --json | json '[(p["agreement"], p["told"]) for p in d["curve"]]' >curve
for k in 3 4; do
    onefold fit made.npz --clusters $k --json --labels l.csv | json '[(c["agreement"], c["told"] / c["entropy"]) for c in d["candidates"] if c["chosen"]]'
done | tr -d '\n' | sed 's/\]\[/, /' >fits
python3 -c '
a, b = (eval(open(f).read()) for f in ("curve", "fits"))
print(len(a), all(abs(x - y) < 1e-12 for p, q in zip(a, b) for x, y in zip(p, q)))'
onefold synth gaps.npz --samples 150 --views 3 --clusters 3 --separation 6 --missing 0.2 -q
onefold choose gaps.npz --max 5 --json | json 'd["suggested"]'
onefold choose made.npz --max 4 --kernel linear --json | json 'd["method"], d["suggested"]'
try onefold choose made.npz --method avg-kkm
try onefold choose made.npz --max-memory 100K
