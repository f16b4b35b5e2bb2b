# SPDX-License-Identifier: Apache-2.0
# The object of the contract: its keys, and that they agree with each other and with the labels.
made
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --threads 2 --restarts 3 --seed 7 --json >fit.json 2>stderr
cat stderr
json 'list(d)' <fit.json
json '[d[k] for k in ("onefold", "method", "samples", "clusters", "clusters_used", "dims", "anchors", "seed", "threads", "restarts", "converged")]' <fit.json
json '[[v[k] for k in ("name", "columns", "storage", "kernel", "base", "rank")] for v in d["views"]]' <fit.json
json 'round(sum(v["weight"] ** 2 for v in d["views"]), 12)' <fit.json
json 'd["sizes"] == [d["labels"].count(c) for c in range(4)] and sum(d["sizes"]) == 120' <fit.json
json 'len(d["trace"]) == d["iterations"] and d["trace"][-1] == d["objective"]' <fit.json
json 'd["runs"][d["best_restart"]]["objective"] == d["objective"]' <fit.json
json 'd["objective"] >= (1 - 1e-8) * max(r["objective"] for r in d["runs"])' <fit.json # the first among equals
json '{k: round(v, 9) for k, v in d["scores"].items()}' <fit.json
json 'd["seconds"]["total"] >= d["seconds"]["read"] + d["seconds"]["base"] > 0' <fit.json
json '5e6 < d["peak_bytes"] < 1e9' <fit.json
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --threads 2 --restarts 3 --seed 7 -q >labels
json '"\n".join(map(str, d["labels"]))' <fit.json | cmp - labels
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --no-truth --json | json '"scores" in d'
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --seed 18446744073709551615 --json | json 'd["seed"]'
