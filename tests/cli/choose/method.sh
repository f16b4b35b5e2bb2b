# SPDX-License-Identifier: Apache-2.0
# The joint partitions of the default method: the same whatever the threads, samples that lack views, given kernels.
made
onefold choose made.npz --max 5 --method onefold --json >out
json 'd["method"], d["suggested"], d["classes"], [v["base"] for v in d["views"]]' <out
onefold choose made.npz --max 4 --method onefold --json --threads 1 | json 'd["curve"]' >one
onefold choose made.npz --max 4 --method onefold --json --threads 3 | json 'd["curve"]' >three
cmp one three && echo same
onefold choose made.npz --max 4 --json | json 'd["method"]'
onefold synth gaps.npz --samples 150 --views 3 --clusters 3 --separation 6 --missing 0.2 -q
onefold choose gaps.npz --max 5 --method onefold --json | json 'd["suggested"]'
onefold choose made.npz --max 4 --method onefold --kernel linear --json | json 'd["method"], d["suggested"]'
try onefold choose made.npz --method avg-kkm
try onefold choose made.npz --method onefold --max-memory 100K
