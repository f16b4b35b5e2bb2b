# SPDX-License-Identifier: Apache-2.0
# Weights that are fixed or bounded, and the views' parts.
made
weights='[round(v["weight"], 6) for v in d["views"]]'
onefold fit made.npz --clusters 4 --method os-lfmvc-cs --weights 0.6,auto,0.2..0.3 --json | json "d['views'][0]['weight'], 0.2 <= d['views'][2]['weight'] <= 0.3"
onefold fit made.npz --clusters 4 --method os-lfmvc-cs --weights 3,4,0 --json | json "$weights"
onefold fit made.npz --clusters 4 --method os-lfmvc-cs --weights auto,auto,auto --json | json 'd["labels"]' >auto
onefold fit made.npz --clusters 4 --method os-lfmvc-cs --json | json 'd["labels"]' | cmp - auto && echo the same
onefold fit made.npz --clusters 4 --method os-lfmvc-cs --parts parts.csv --labels labels.txt --quiet
head -1 parts.csv | tr -dc , | wc -c
wc -l <parts.csv
onefold fit made.npz --clusters 4 --method os-lfmvc-cs --parts parts.npy --json | json 'len(d["view_parts"]), len(d["view_parts"][0]), min(map(sum, d["view_parts"])) > 0'
onefold fit made.npz --clusters 4 --weights 0.6,auto,0.2..0.3 --json | json "round(d['views'][0]['weight'], 12), 0.2 - 1e-12 <= d['views'][2]['weight'] <= 0.3 + 1e-12"
onefold fit made.npz --clusters 4 --weights 3,4,0 --json | json "$weights"
onefold fit made.npz --clusters 4 --weights auto,auto,auto --json | json 'd["labels"]' >auto
onefold fit made.npz --clusters 4 --json | json 'd["labels"]' | cmp - auto && echo the same
onefold fit made.npz --clusters 4 --parts parts.npy --json | json 'len(d["view_parts"]), len(d["view_parts"][0]), min(map(sum, d["view_parts"])) > 0'
onefold fit made.npz --clusters 4 --weights 0,1,1 --parts parts.npy --json | json '{row[0] for row in d["view_parts"]}'
onefold fit made.npz --clusters 4 --method mkkm --weights 0.6,auto,0.05..0.1 --json | json "round(d['views'][0]['weight'], 12), 0.05 <= d['views'][2]['weight'] <= 0.1, round(sum(v['weight'] for v in d['views']), 12)"
onefold fit made.npz --clusters 4 --method avg-kkm --weights 0.6,auto,auto --json | json "$weights"
onefold fit made.npz --clusters 4 --method avg-kkm --weights 3,4,1 --json | json "$weights"
onefold fit made.npz --clusters 4 --method mkkm --weights auto,auto,auto --json | json 'd["labels"], d["objective"]' >auto
onefold fit made.npz --clusters 4 --method mkkm --json | json 'd["labels"], d["objective"]' | cmp - auto && echo the same
try onefold fit made.npz --clusters 4 --method mkkm --weights 0.6,0.6,auto
try onefold fit made.npz --clusters 4 --weights 0.6,auto
try onefold fit made.npz --clusters 4 --method os-lfmvc-cs --weights 0.6,auto
try onefold fit made.npz --clusters 4 --method os-lfmvc-cs --weights 0.9,0.9,auto
try onefold fit made.npz --clusters 4 --method os-lfmvc-cs --weights 0.6,much,auto
for method in sb-kkm rmsc fmkkm fmr lsgmc; do
    try onefold fit made.npz --clusters 4 --method $method --weights 1,1,1
done
try onefold fit made.npz --clusters 4 --method sb-kkm --parts parts.csv
try onefold fit made.npz --clusters 4 --method os-lfmvc-cs --parts parts.what
