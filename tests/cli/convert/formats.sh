# SPDX-License-Identifier: Apache-2.0
# The same data through every format gives the same fit.
made
result='[v["weight"] for v in d["views"]], d["labels"], d["scores"]["acc"]'
onefold fit made.npz --clusters 4 --json | json "$result" >expected
onefold convert made.npz made.mat
onefold fit made.mat --clusters 4 --json | json "$result" | cmp - expected && echo mat
for ending in npy csv tsv mtx; do
    onefold convert made.npz views.$ending -q
    ls views*.$ending
    onefold fit views.[123].$ending --truth views.truth.npy --clusters 4 --json | json "$result" |
        cmp - expected && echo "$ending"
done
gzip views.*.csv
onefold fit views.[123].csv.gz --truth views.truth.csv.gz --clusters 4 --json | json "$result" |
    cmp - expected && echo csv.gz
