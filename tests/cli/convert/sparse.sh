# SPDX-License-Identifier: Apache-2.0
# Sparse views stay sparse, entry for entry.
onefold synth counts.mat --samples 200 --views 2 --columns 300 --density 0.05 --clusters 3 -q
shape='[(v["storage"], v["columns"], v["nonzeros"]) for v in d["views"]], len(d["classes"])'
onefold info counts.mat --json | json "$shape" >expected
result='[v["weight"] for v in d["views"]], d["labels"]'
onefold fit counts.mat --clusters 3 --json | json "$result" >fit
for ending in npz mtx; do
    onefold convert counts.mat copy.$ending -q
done
onefold info copy.npz --json | json "$shape" | diff expected - && echo npz
onefold fit copy.npz --clusters 3 --json | json "$result" | cmp fit - && echo npz
onefold fit copy.[12].mtx --clusters 3 --json | json "$result" | cmp fit - && echo mtx
cut -c 1-19 expected
