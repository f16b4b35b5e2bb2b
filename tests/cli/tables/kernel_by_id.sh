# SPDX-License-Identifier: Apache-2.0
# A kernel as a table has the ids on both sides, and is put in order by them.
table rna.csv names=p columns=4
python3 - <<'END'
import csv
rows = list(csv.reader(open("rna.csv")))[1:]
x = {r[0]: [float(v) for v in r[1:]] for r in rows}
ids = sorted(x, reverse=True)
with open("kernel.csv", "w") as f:
    f.write("," + ",".join(ids) + "\n")
    for a in ids:
        f.write(a + "," + ",".join("%.6f" % (2.718281828 ** (-sum((p - q) ** 2 for p, q in zip(x[a], x[b])) / 50)) for b in ids) + "\n")
END
table truth.csv values=truth order=4
fitted rna.csv kernel.csv --truth truth.csv
