# SPDX-License-Identifier: Apache-2.0
# Without labels: silhouettes and agreement, and the reason why there is no ACC.
made
quick="--methods os-lfmvc-cs,avg-kkm,sb-kkm --repeats 2 --replicates 2 --restarts 2 -q"
onefold bench made.npz $quick --no-truth --clusters 4 | sed '/^Time and memory/,$d' | sed -E 's/0\.[0-9]{3}/S/'
onefold bench made.npz $quick --no-truth --clusters 4 --json >bench.json
json 'd["scored"], [("scores" in c, c["silhouette"] > 0.5, len(c["labels"])) for c in d["cells"]]' <bench.json
json '[[round(x, 9) for x in row] for row in d["agreement"]]' <bench.json
json '[(m["default"], m["best"]) for m in d["methods"]], d["sensitivity"]' <bench.json
try onefold bench made.npz $quick --no-truth
