# SPDX-License-Identifier: Apache-2.0
# tools/paper.py on a small set in the place of Cora: every number of its text is recomputed from the
# JSON of the run, and nothing is said about what was not run.
paper() {
    python3 "$ONEFOLD_SOURCE/tools/paper.py" --onefold "$(command -v onefold)" --work work --data data "$@"
}
mkdir data
onefold synth data/Cora_2view.mat --samples 90 --views 2 --clusters 3 --columns 6 --separation 1 -q
paper --only cora,citeseer --repeats 3 --methods os-lfmvc-cs,sb-kkm,mkkm,avg-kkm --grids os-lfmvc-cs,sb-kkm 2>said
sed -E 's/^(paper: the|took ).*//; s/about .* left/about T left/' said
python3 - <<'P'
import json, re, statistics
text, bench = open("work/results.md").read(), json.load(open("work/cora.grid.json"))
start = json.load(open("work/cora.start.json"))
mean = lambda c, m="acc": statistics.mean(c["scores"][m])
show = lambda c, m="acc": f"{100 * mean(c, m):.1f}±{100 * statistics.stdev(c['scores'][m]):.1f}"
rows = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
body = [r for r in rows if len(r) == 9 and r[0] != "method" and set(r[0]) != {"-"}]
text = re.sub(r"\s*\n *", " ", text)
last, tried = None, {}
for method in ("avg-kkm", "sb-kkm", "mkkm", "os-lfmvc-cs"):
    cells = [c for c in bench["cells"] if c["method"] == method]
    tried[method] = [c for c in cells if method != "sb-kkm" or c["grid"]]
    wanted = [next(c for c in cells if c["default"])]
    if method in ("sb-kkm", "os-lfmvc-cs"):
        order = sorted(tried[method], key=mean)
        wanted = [max(tried[method], key=mean), order[(len(order) - 1) // 2], *wanted]
    for cell in wanted:
        row = body.pop(0)
        assert row[0] in (method, "") and (row[0] == method) == (cell is wanted[0]), row
        assert row[2] == show(cell) and row[4] == show(cell, "purity"), (row, show(cell))
assert not body, body
defaults = {c["method"]: round(1000 * mean(c)) for c in bench["cells"] if c["default"]}
named = re.search(r"largest mean ACC of a default has (.*?), of a best setting (.*?)\.", text)
assert set(named[1].split(" and ")) == {m for m in defaults if defaults[m] == max(defaults.values())}
for method in ("sb-kkm", "os-lfmvc-cs"):
    best = max(tried[method], key=mean)
    least = mean(best) - statistics.stdev(best["scores"]["acc"]) / 3 ** 0.5
    near = sum(mean(c) >= least for c in tried[method]) - 1
    assert f"{method} {near} of {len(tried[method]) - 1}" in text
gap = 100 * mean(max(tried["os-lfmvc-cs"], key=mean)) - 60.8
assert f"os-lfmvc-cs {gap:+.1f}" in text and "Cora" in text and "60.8±0.0" in text
assert show(next(c for c in start["cells"] if c["default"])) in text
assert "Not part of this run: rmsc, fmkkm, fmr, lsgmc." in text and "## Citeseer" not in text
for word in ("fmkkm", "lsgmc", "fmr", "rmsc"):
    assert text.count(word) == 1 + (word == "fmkkm"), word
other = {c["method"]: 100 * mean(c) for c in json.load(open("work/cora.portable.json"))["cells"]}
off = [abs(other[c["method"]] - 100 * mean(c)) for c in bench["cells"] if c["default"]]
assert f"4 mean ACC of defaults" in text and f"differ by {statistics.mean(off):.2f} on average" in text and len(off) == 4
assert "Not run: Citeseer" in text and "The file is not the one" in text
assert bench["made"]["date"] in text and ("Others used" in text) == (bench["made"]["load"] > 1.5 * bench["machine"]["cores"]) and (bench["machine"]["processor"] or "unknown") in text
import csv
rows = [r for r in csv.DictReader(open("work/study/results.csv")) if r["measure"] == "acc" and r["repeat"]]
for cell in bench["cells"]:  # the study and the text are of the same cells
    shown = sorted(float(r["value"]) for r in rows if r["method"] == cell["method"] and r["setting"] == cell["setting"])
    assert shown == sorted(cell["scores"]["acc"]), (cell["method"], cell["setting"], shown)
print("every number is that of the run")
P
paper --only cora --repeats 3 --write 2>&1 >/dev/null | sed 's/;.*//'
paper --only nothing 2>&1 | sed 's/;.*//'
# an interruption says how it goes on
cat >stopped <<'S'
#!/bin/sh
exit 130
S
chmod +x stopped
python3 "$ONEFOLD_SOURCE/tools/paper.py" --onefold stopped --work work --data data --only cora
echo "-> $?"
