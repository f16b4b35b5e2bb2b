# SPDX-License-Identifier: Apache-2.0
# Columns of 0 and 1 that convert wrote are one category again where the format keeps their names.
python3 - <<'END'
import csv, random
rnd = random.Random(7)
rows = [[f"P{j:02d}", f"{4 * (j % 3) + rnd.gauss(0, 2):.3f}", rnd.choice(["red", "green", "blue", "grey"]), rnd.choice(["a=1", "a=2", "b"]),
         f"{rnd.gauss(0, 1):.3f}"] for j in range(40)]
with open("old.csv", "w", newline="") as out:
    csv.writer(out).writerows([["id", "x", "colour", "arm", "y"]] + rows)
head = ["id", "x", "BRAF=a", "BRAF=b", "site=x", "site=y", "dose=1", "dose=2"]
with open("other.csv", "w", newline="") as out:  # 0, 1 or 2 of them are 1; once none is; amounts
    csv.writer(out).writerows([head] + [[f"P{j:02d}", j * j % 7, j % 2, j % 3 % 2, int(j % 2 and j != 5), int(j % 2 == 0), j % 4 / 3, j % 5]
                                        for j in range(40)])
END
objective() { onefold fit "$@" --clusters 3 --method os-lfmvc-cs --json | python3 -c 'import json, sys; print("%.12f" % json.load(sys.stdin)["objective"])'; }
objective old.csv
for form in csv tsv npz mat npy; do
    echo "-- $form"
    onefold convert old.csv back.$form --views 1 | sed -n '2,$p'
    objective back.$form --kernel rbf
    onefold info back.$form | grep 'category each'
done
echo "-- as numbers"
objective back.csv --kernel rbf --as number colour=red,arm=b
onefold info back.csv --as number colour=red | grep 'category each'
onefold info other.csv | grep -c 'category each'
