# SPDX-License-Identifier: Apache-2.0
# Rows, columns, files and views in any order, and ids in any column, give the same labels by id; words,
# percentages, categories and a table about the samples are among them.
table a.csv
table b.csv names=mir columns=4 order=3
python3 - <<'END'
import csv, itertools, random, subprocess
rnd = random.Random(7)
tables = {f: [list(r) for r in csv.reader(open(f))] for f in ("a.csv", "b.csv")}
kind = {row[0]: int(row[0][1:3]) % 3 for row in tables["a.csv"][1:]}
for row in tables["a.csv"]:
    row += ["colour", "share", "comment"] if row[0] == "id" else [
        "red green blue".split()[kind[row[0]]], f"{10 * kind[row[0]] + rnd.random():.2f}%", f"note {rnd.random()}"]
for rows in tables.values():
    rows[0][0] = "Proband"
tables["about.csv"] = [["Proband", "sex", "site"]] + [[i, rnd.choice("mf"), rnd.choice(["Ulm", "Bern"])] for i in kind]
def labels(path):
    return {row[0]: row[1] for row in list(csv.reader(open(path)))[1:]}
def same(x, y): # up to the numbers of clusters
    return x.keys() == y.keys() and len({(x[i], y[i]) for i in x}) == len(set(x.values())) == len(set(y.values()))
first, right = None, 0
for trial, order in enumerate(itertools.islice(itertools.cycle(itertools.permutations(tables)), 12)):
    for f, rows in tables.items():
        columns = rnd.sample(range(len(rows[0])), len(rows[0])) if trial else range(len(rows[0]))
        body = rnd.sample(rows[1:], len(rows) - 1) if trial else rows[1:]
        with open("t" + f, "w", newline="") as out:
            csv.writer(out).writerows([[row[c] for c in columns] for row in [rows[0]] + body])
    subprocess.run(["onefold", "fit", *("t" + f for f in order), "--clusters", "3", "--labels", "out.csv", "-q"], check=True)
    first = first or labels("out.csv")
    right += same(first, labels("out.csv"))
print(right, "of 12")
END
