# SPDX-License-Identifier: Apache-2.0
# Sizes fall in geometric progression to the share asked for; a balance of 1 is what there was before.
onefold synth a.npz -q
onefold synth b.npz --balance 1 -q
cmp a.npz b.npz && echo same
onefold synth c.npz --samples 20000 --views 1 --columns 2 --balance 0.01 -q
onefold info c.npz --json | json '[round(c["samples"] / 20000, 2) for c in d["classes"]]'
