# SPDX-License-Identifier: Apache-2.0
# Methods of others: twenty labellings from a .mat file, and a command in R; both are in tables, tests and figures.
command -v Rscript >/dev/null || { echo "R is not here"; exit 77; }
python3 -c 'import scipy' 2>/dev/null || { echo "scipy is not here"; exit 77; }
mkdir study
for i in 1 2; do
    onefold synth study/made$i.npz --samples 60 --clusters 3 --separation 2 --seed $i -q
    onefold convert study/made$i.npz study/made$i.csv -q
done
python3 - <<'P'
import numpy, scipy.io
for i in (1, 2):
    truth = numpy.load(f"study/made{i}.npz")["Y"].ravel().astype(int)
    random = numpy.random.default_rng(i)
    runs = numpy.array([numpy.where(random.random(60) < 0.2, random.integers(0, 3, 60), truth) for _ in range(20)]).T
    scipy.io.savemat(f"study/ours{i}.mat", {"labels": runs})
    assert runs.shape == (60, 20)
P
cat >study/theirs.R <<'R'
files <- strsplit(Sys.getenv("ONEFOLD_FILES"), "\n")[[1]]
x <- do.call(cbind, lapply(files, function(f) as.matrix(read.csv(f, header = FALSE))))
set.seed(as.integer(Sys.getenv("ONEFOLD_SEED")))
made <- kmeans(x, as.integer(Sys.getenv("ONEFOLD_CLUSTERS")), nstart = 2)
write(made$cluster, Sys.getenv("ONEFOLD_LABELS"), ncolumns = 1)
cat("set", Sys.getenv("ONEFOLD_SET"), "repeat", Sys.getenv("ONEFOLD_REPEAT"), "\n")
R
cat >study/two.json <<'J'
{"repeats": 5, "methods": ["mkkm", "avg-kkm"], "grid": "none",
 "sets": [{"name": "one", "data": ["made1.1.csv", "made1.2.csv", "made1.3.csv"], "truth": "made1.truth.csv"},
          {"name": "two", "data": ["made2.1.csv", "made2.2.csv", "made2.3.csv"], "truth": "made2.truth.csv"}],
 "others": [{"name": "ours", "labels": {"one": "ours1.mat", "two": "ours2.mat"}, "seconds": {"one": 1.5},
             "cite": "@misc{us, title = {Ours}}"},
            {"name": "theirs", "command": "Rscript theirs.R"},
            {"name": "broken", "command": "echo no; exit 3"}]}
J
onefold experiment study/two.json -q --out results >two.txt
python3 "$ONEFOLD_SOURCE/tests/cli/experiment/recompute.py" results | tail -3
sed -n '/^Missing/,$p' two.txt
cat results/labels/theirs/two-5.log results/labels/broken/one-1.log
grep -o 'Labels of .*cite{us}' results/methods.tex
python3 - <<'P'
import csv
rows = list(csv.DictReader(open("results/results.csv")))
for name in "ours", "theirs", "broken":
    print(name, len([r for r in rows if r["method"] == name and r["measure"] == "acc"]),
          len([r for r in rows if r["method"] == name and r["measure"] == "seconds_run"]))
for figure in "scores-default", "ranks-default":
    text = open(f"results/figures/{figure}.svg").read()
    print(figure, "ours" in text, "theirs" in text)
P
# labels of the command are kept, and made again where it changes
touch -d 2001-01-01 results/labels/theirs/*.csv
onefold experiment study/two.json -q --out results >again.txt
find results/labels/theirs -name '*.csv' -newermt 2002-01-01 | wc -l
diff <(sed '/^Time/,/^Objective/d' two.txt) <(sed '/^Time/,/^Objective/d' again.txt) && echo "the same"
sed -i 's/Rscript theirs.R/Rscript --vanilla theirs.R/' study/two.json
onefold experiment study/two.json -q --out results >/dev/null
find results/labels/theirs -name '*.csv' -newermt 2002-01-01 | wc -l
# as many labellings as the file has, by score
onefold score study/ours1.mat study/made1.npz --json | json 'd["labellings"], len(d["scores"]["acc"]), d["mean"]["acc"] > 0.7'
