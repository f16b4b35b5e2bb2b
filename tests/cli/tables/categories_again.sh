# SPDX-License-Identifier: Apache-2.0
# Columns of 0 and 1 that convert wrote are one category again where the format keeps their names.
python3 - <<'END'
import csv, random
rnd = random.Random(7)
rows = [[f"P{j:02d}", f"{4 * (j % 3) + rnd.gauss(0, 2):.3f}", rnd.choice(["red", "green", "blue", "grey"]), rnd.choice(["a=1", "a=2", "b"]),
         f"{rnd.gauss(0, 1):.3f}"] for j in range(40)]
with open("old.csv", "w", newline="") as out:
    csv.writer(out).writerows([["id", "x", "colour", "arm", "y"]] + rows)
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
