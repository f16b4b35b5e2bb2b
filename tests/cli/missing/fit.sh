# SPDX-License-Identifier: Apache-2.0
# Samples that lack views: made, shown, clustered, written and read back.
onefold synth made.npz --samples 150 --views 3 --clusters 4 --columns 8 --separation 12 --missing 0.3 -q
onefold info made.npz | grep -v '^a fit'
onefold fit --method os-lfmvc-cs made.npz --clusters 4 2>&1 >labels.txt | grep -E 'views|X|scores'
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --json | json '[v.get("missing") for v in d["views"]], d["scores"]["acc"]'
onefold info made.npz --json | json '[v["missing"] for v in d["views"]]'
for threads in 2 3 8; do
    onefold fit --method os-lfmvc-cs made.npz --clusters 4 --threads $threads -q | cmp - labels.txt
done
onefold convert made.npz made.csv -q
onefold fit --method os-lfmvc-cs made.1.csv made.2.csv made.3.csv --clusters 4 -q | cmp - labels.txt
onefold convert made.npz made.mat -q
onefold fit --method os-lfmvc-cs made.mat --clusters 4 -q | cmp - labels.txt
# counts: a table says who lacks what
onefold synth counts.npz --samples 150 --clusters 4 --columns 60 --density 0.2 --separation 30 --missing 0.3 -q
onefold fit --method os-lfmvc-cs counts.npz --clusters 4 -q >labels.txt
onefold convert counts.npz counts.mtx -q
onefold fit --method os-lfmvc-cs counts.1.mtx counts.2.mtx counts.3.mtx counts.present.txt --samples-are rows --clusters 4 -q | cmp - labels.txt
onefold fit --method os-lfmvc-cs counts.1.mtx counts.2.mtx counts.3.mtx --present counts.present.txt --samples-are rows --clusters 4 -q | cmp - labels.txt
onefold info counts.npz | grep MissingStatus
