# SPDX-License-Identifier: Apache-2.0
# Any order of rows, columns and files gives every id the same cluster.
table a.csv
table b.csv names=mir columns=4 order=3
table c.csv names=p columns=5 order=5 some=27
onefold fit a.csv b.csv c.csv --clusters 3 --labels first.csv -q
python3 - <<'END'
import csv, itertools, random, subprocess
def labels(path):
    return {row[0]: row[1] for row in list(csv.reader(open(path)))[1:]}
def same(x, y): # up to the numbers of clusters
    return x.keys() == y.keys() and len({(x[i], y[i]) for i in x}) == len(set(x.values())) == len(set(y.values()))
first, tables = labels("first.csv"), {f: list(csv.reader(open(f))) for f in ("a.csv", "b.csv", "c.csv")}
rnd, right = random.Random(1), 0
for trial, order in enumerate(itertools.islice(itertools.cycle(itertools.permutations(tables)), 18)):
    for f, rows in tables.items():
        columns = [0] + rnd.sample(range(1, len(rows[0])), len(rows[0]) - 1)
        body = rnd.sample(rows[1:], len(rows) - 1)
        turned = [[row[c] for c in columns] for row in [rows[0]] + body]
        if trial % 3 == 1:
            turned = list(zip(*turned)) # genes by samples
        with open("t" + f, "w", newline="") as out:
            csv.writer(out).writerows(turned)
    subprocess.run(["onefold", "fit", *("t" + f for f in order), "--clusters", "3", "--labels", "out.csv", "-q"], check=True)
    right += same(first, labels("out.csv"))
print(right, "of 18")
END
