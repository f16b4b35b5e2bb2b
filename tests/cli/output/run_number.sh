# SPDX-License-Identifier: Apache-2.0
# A run's number is in its JSON, model and page, and is that of its labels in every format that names samples; outputs of
# two runs are told apart.
python3 - <<'END'
import csv, random
rnd = random.Random(1)
def write(path, ids):
    with open(path, "w", newline="") as out:
        csv.writer(out).writerows([["id", "x", "y"]] + [[name, 6 * (j % 3) + rnd.gauss(0, 1), rnd.gauss(0, 1) + 5 * (j % 2)] for j, name in enumerate(ids)])
write("t.csv", ["=s%d" % j if j % 5 == 0 else "s %d" % j for j in range(40)])
with open("bare.csv", "w") as out:
    out.writelines(f"{7 * (j % 3) + rnd.gauss(0, 1)},{rnd.gauss(0, 1)}\n" for j in range(40))
END
number() { json 'd["run"]' <"$1"; }
onefold fit t.csv --clusters 3 --model m3 --json >three.json
onefold fit t.csv --clusters 4 --model m4 --json >four.json
onefold fit t.csv --clusters 3 --threads 1 --json | json 'd["run"]' >again
[ "$(number three.json)" = "$(cat again)" ] && echo "the same again"
[ "$(number three.json)" != "$(number four.json)" ] && echo "another"
[ "$(onefold info m3 --json | json 'd["run"]')" = "$(number three.json)" ] && echo "of the model"
[ "$(onefold info m3 | sed -n 's/^run *//p')" = "$(number three.json)" ] && echo "shown of the model"
onefold fit t.csv --clusters 3 --report page.html -q >/dev/null
grep -q "$(number three.json)" page.html && echo "of the page"
for form in csv tsv mat npz; do
    onefold fit t.csv --clusters 3 --labels l3.$form -q
    onefold fit t.csv --clusters 4 --labels l4.$form -q
done
onefold fit t.csv --clusters 3 --labels guarded.csv --guard -q
(head -1 l3.csv; tail -n +2 l3.csv | sort -r) >sorted.csv
onefold fit bare.csv --clusters 3 --model bare --labels bare.l.csv -q
mask() { sed "s/$(number three.json)/THREE/g; s/$(number four.json)/FOUR/g; s/$(onefold info bare --json | json 'd["run"]')/BARE/g"; }
echo "-- score"
for other in l3.tsv l3.mat l3.npz sorted.csv l4.csv l4.npz bare.l.csv; do
    onefold score l3.csv $other 2>/dev/null | grep run | mask
done
onefold score bare.l.csv bare.l.csv | grep run | mask
onefold score guarded.csv guarded.csv | grep run | mask
onefold fit t.csv --clusters 3 -q >l3.txt
onefold score l3.txt l3.csv | grep -c run
echo "-- predict"
for truth in l3.csv sorted.csv l4.csv l4.npz l3.txt; do
    echo "$truth: $(onefold predict m3 t.csv --truth $truth --labels p.csv | grep 'run' | mask)"
done
onefold score p.csv l3.csv | grep run | mask
onefold predict m3 t.csv --json | json 'd["training"]["run"]' | mask
echo "-- report"
onefold report three.json four.json both.html -q && grep -c "$(number four.json)" both.html
python3 - <<'END'
import json
mixed = json.load(open("three.json"))
mixed["labels"] = [(v + 1) % 3 for v in mixed["labels"]]
json.dump(mixed, open("mixed.json", "w"))
del mixed["run"]
json.dump(mixed, open("older.json", "w"))
END
onefold report mixed.json page.html 2>&1 | mask | sed 's/run [0-9a-f]*$/run OTHER/'
onefold report older.json page.html -q && echo "without a number it is taken"
