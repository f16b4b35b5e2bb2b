# SPDX-License-Identifier: Apache-2.0
# Ids under a heading that is not known: found by their values, or named in a line.
table rna.csv ids=number head=MRN
table mirna.csv ids=number head=MRN order=3 names=mir columns=4
table case.csv ids=number head=case_number order=4 names=p columns=5
table truth.csv values=truth
python3 - <<'END'
import csv
for name, at in (("rna", 0), ("mirna", 2)): # ids in another place
    rows = list(csv.reader(open(name + ".csv")))
    with open("moved_" + name + ".csv", "w", newline="") as out:
        csv.writer(out).writerows([r[1:1 + at] + [r[0]] + r[1 + at:] for r in rows])
END
fitted rna.csv mirna.csv
cp fitted.txt one.txt
fitted moved_rna.csv moved_mirna.csv
cmp one.txt fitted.txt && echo "the same labels"
fitted rna.csv mirna.csv case.csv
fitted rna.csv
fitted rna.csv --ids MRN
table word.csv ids=text head=Proband order=2
awk -F, -v OFS=, '{ print $2, $3, $1, $4, $5, $6, $7 }' word.csv >last.csv
fitted last.csv
awk -F, -v OFS=, 'NR == 1 { $1 = "Proband" } NR > 1 { $1 = 100 + NR } { print }' word.csv >count.csv
fitted count.csv
