# SPDX-License-Identifier: Apache-2.0
# What is asked for is made; the same seed makes the same bytes.
onefold synth a.npz
onefold synth b.npz --seed 0 -q
onefold synth c.npz --seed 1 -q
cmp a.npz b.npz && echo same
cmp -s a.npz c.npz || echo other
onefold synth d.mat --samples 50 --views 2 --clusters 3 --columns 4,7 --json
onefold info d.mat --json | json 'd["samples"], [v["columns"] for v in d["views"]], len(d["classes"])'
onefold synth e.mat --samples 400 --views 1 --columns 500 --density 0.02 -q
onefold info e.mat --json | json 'd["views"][0]["storage"], 0.01 < d["views"][0]["density"] < 0.03'
onefold synth f.npz --samples 300 --separation 0 -q
onefold fit f.npz --clusters 5 --json | json 'd["scores"]["acc"] < 0.4'
onefold synth g.npz --samples 300 --separation 10 -q
onefold fit g.npz --clusters 5 --json | json 'd["scores"]["acc"]'
