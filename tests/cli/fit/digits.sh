# SPDX-License-Identifier: Apache-2.0
# The bundled digits: all views together are better than one alone, no labels used (tools/make_digits
# has the others).
data=$ONEFOLD_SOURCE/data/digits/digits.mat
onefold info "$data" --json | json 'd["samples"], len(d["views"]), len(d["classes"])'
onefold fit "$data" --clusters 10 --json | json 'd["scores"]["acc"]' >fused
for view in 1; do
    onefold fit "$data" --clusters 10 --views $view --json | json 'd["scores"]["acc"]' >alone
    paste fused alone | awk '{ print ($1 > $2 ? "better" : "not better") " than view '$view'" }'
done
awk '{ print ($1 > 0.75 ? "good" : "poor: " $1) }' fused
