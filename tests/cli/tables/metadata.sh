# SPDX-License-Identifier: Apache-2.0
# A table of words beside a table of samples is about the samples: never a view, nor a vocabulary.
table expr.csv
table shuffled.csv order=3
table turned.csv side=columns
python3 - <<'END'
import csv
ids = [row[0] for row in csv.reader(open("shuffled.csv"))][1:]
with open("metadata.csv", "w", newline="") as out:
    csv.writer(out).writerows([["id", "sex", "stage"]] + [[i, "mf"[int(i[1:3]) % 2], "I" * (int(i[1:3]) % 3 + 1)] for i in ids])
END
(head -1 metadata.csv; tail -n +4 metadata.csv) >some.csv
cut -d, -f2- metadata.csv >order.csv
sed 's/^P/Q/' metadata.csv >others.csv
fitted expr.csv metadata.csv
fitted metadata.csv expr.csv
fitted turned.csv metadata.csv
fitted expr.csv some.csv
fitted expr.csv order.csv
fitted expr.csv others.csv
fitted expr.csv metadata.csv --truth stage
fitted expr.csv metadata.csv --truth metadata.csv:stage
fitted metadata.csv --truth stage
fitted expr.csv metadata.csv --as category sex,stage
onefold fit expr.csv metadata.csv --clusters 3 --labels a.csv --report page.html -q
onefold fit expr.csv --clusters 3 --labels b.csv -q
cmp a.csv b.csv && echo "the same labels as without it"
grep -o '"about the samples","name":"[a-z]*"' page.html
onefold info expr.csv metadata.csv | sed -n '1,5p'
