# SPDX-License-Identifier: Apache-2.0
# A row per cell, readable by any reader of CSV, with the figures of the JSON.
made
quick="--methods os-lfmvc-cs,sb-kkm --repeats 2 --replicates 2 --restarts 2 --resume cells -q"
onefold bench made.npz $quick --json >bench.json
onefold bench made.npz $quick --csv >bench.csv
head -1 bench.csv
python3 - <<'P'
import csv, json, statistics
d = json.load(open("bench.json"))
rows = list(csv.DictReader(open("bench.csv")))
assert len(rows) == len(d["cells"])
for row, cell in zip(rows, d["cells"]):
    assert row["method"] == cell["method"] and row["setting"] == cell["setting"]
    assert abs(float(row["acc"]) - statistics.mean(cell["scores"]["acc"])) < 1e-14
    assert abs(float(row["objective"]) - cell["objective"]) <= 1e-14 * abs(cell["objective"])
    assert float(row["seconds_cell"]) > 0 and int(row["peak_bytes"]) == cell["peak_bytes"]
    print(row["method"], row["setting"], row["default"], row["grid"], row["sensitivity"], row["best"], row["status"])
P
