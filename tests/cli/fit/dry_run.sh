# SPDX-License-Identifier: Apache-2.0
# --dry-run says what a fit would do, hold and take, and writes nothing.
made
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --dry-run --labels no.npy | sed -E 's/[0-9.]+ [kMG]B of the [0-9.]+ [kMG]B/M of the M/; s/about +[0-9.]+ s/about T s/g; s/[0-9]+ threads?/N threads/; s/  +[0-9.]+ s$/ T s/'
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --dry-run --json >plan.json
json 'sorted(d)' <plan.json
json '[(v["name"], v["columns"], v["kernel"], v["base"], v["passes"], v["seconds"] > 0) for v in d["views"]]' <plan.json
json 'd["dry_run"], d["samples"], d["clusters"], d["dims"], d["anchors"], d["restarts"], d["iterations"] > 0, d["passes"] > 0' <plan.json
json 'sorted(d["bytes"]), d["bytes"]["input"], d["bytes"]["partitions"]' <plan.json
json 'abs(sum(v for k, v in d["seconds"].items() if k != "total") - d["seconds"]["total"]) < 1e-9, sorted(d["seconds"])' <plan.json

# What the plan names is what the fit then does.
for options in "--base nystrom --landmarks 60" "--kernel linear" "--kernel rbf"; do
    onefold fit --method os-lfmvc-cs made.npz --clusters 4 $options --dry-run --json | json '[v["base"] for v in d["views"]]'
    onefold fit --method os-lfmvc-cs made.npz --clusters 4 $options --json | json '[v["base"] for v in d["views"]]'
done
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --base nystrom --landmarks 60 --dry-run --json | json '[v["landmarks"] for v in d["views"]]'

# A model that is to be kept, and how large its file then is.
for options in "--base nystrom --landmarks 60" "--kernel linear"; do
    onefold fit --method os-lfmvc-cs made.npz --clusters 4 $options --model no.model --dry-run | grep -c "^model "
    onefold fit --method os-lfmvc-cs made.npz --clusters 4 $options --model no.model --dry-run --json >plan.json
    onefold fit --method os-lfmvc-cs made.npz --clusters 4 $options --model kept -q >/dev/null
    onefold info kept --json >kept.json
    json "0 <= $(json 'd["bytes"]["model"]' <plan.json) - d['bytes'] < 1000" <kept.json
    rm kept kept.json
done

# A method without base partitions, memory, and what would be refused.
onefold fit made.npz --clusters 4 --method avg-kkm --dry-run --json | json '[v["base"] for v in d["views"]], d["seconds"]["total"] > 0'
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --kernel linear --threads 2 --max-memory 100k --dry-run
try onefold fit --method os-lfmvc-cs made.npz --clusters 400 --dry-run
ls
