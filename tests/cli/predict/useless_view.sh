# SPDX-License-Identifier: Apache-2.0
# A sample may have no view but one that tells nothing: the fit labels it, and its model does.
onefold synth gaps.npz --views 2 --missing 0.3 --samples 40 --clusters 2 --columns 3 --noise 0.5 --seed 1 -q
onefold fit gaps.npz --clusters 2 --labels fit.csv --json | json '[v["weight"] for v in d["views"]]'
onefold fit gaps.npz --clusters 2 --model fit.model --labels kept.csv -q
onefold predict fit.model gaps.npz --labels new.csv -q
for f in fit kept new; do cut -d, -f1,2 $f.csv >$f.labels; done # a confidence of predict is that of the margin
cmp fit.csv kept.csv && cmp fit.labels new.labels && echo same
