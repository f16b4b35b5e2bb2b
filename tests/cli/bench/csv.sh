# SPDX-License-Identifier: Apache-2.0
# A row per number, as of onefold experiment, with the figures of the JSON.
made
onefold fit made.npz --clusters 4 --labels ours.txt -q
quick="--methods os-lfmvc-cs,sb-kkm --repeats 2 --replicates 2 --restarts 2 --resume cells -q"
onefold bench made.npz $quick --json >bench.json
onefold bench made.npz $quick --csv >bench.csv
head -1 bench.csv
python3 - <<'P'
import csv, json
d = json.load(open("bench.json"))
score, single = {}, {}
for row in csv.DictReader(open("bench.csv")):
    assert row["set"] == "made.npz"
    cell = row["method"], row["setting"], row["measure"]
    if row["repeat"]:
        score.setdefault(cell, {})[int(row["repeat"])] = float(row["value"])
    else:
        single[cell] = float(row["value"])
for cell in d["cells"]:
    def of(name):
        return single.get((cell["method"], cell["setting"], name))
    for measure in ("acc", "nmi", "purity", "ari"):
        assert score.pop((cell["method"], cell["setting"], measure)) == dict(enumerate(cell["scores"][measure], 1))
    assert of("objective %d" % len(cell["trace"])) == cell["objective"]
    assert of("seconds_cell") > 0 and of("peak_bytes") == cell["peak_bytes"]
    assert of("converged") == cell["converged"] and of("silhouette") == cell["silhouette"]
    print(cell["method"], cell["setting"], *(int(of(n)) for n in ("default", "grid", "sensitivity", "best", "median", "status")))
assert not score
P
onefold bench made.npz $quick --csv --labels-of ours=ours.txt | grep '^made.npz,ours,default,1,'
