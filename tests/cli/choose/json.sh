# SPDX-License-Identifier: Apache-2.0
made
onefold choose made.npz --max 5 --json >out
json 'list(d)' <out
json 'd["suggested"], d["classes"], d["samples"], d["curve_samples"], d["method"], d["restarts"]' <out
json 'list(d["curve"][0]), [p["clusters"] for p in d["curve"]]' <out
json 'list(d["views"][0])' <out
json 'len(d["reasons"]) >= 1, list(d["seconds"])' <out
# the same whatever the threads; another seed is another draw
onefold choose made.npz --max 4 --json --threads 1 | json 'd["curve"]' >one
onefold choose made.npz --max 4 --json --threads 3 | json 'd["curve"]' >three
cmp one three && echo same
onefold choose made.npz --max 4 --json --seed 1 | json 'd["curve"]' | cmp -s one - || echo other
onefold synth none.npz --samples 200 --views 2 --separation 0 -q
onefold choose none.npz --max 4 --json | json 'd["suggested"]'
