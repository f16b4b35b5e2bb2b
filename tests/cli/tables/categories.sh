# SPDX-License-Identifier: Apache-2.0
# Categories go into a model by the names of their columns, and weigh as one column each.
python3 - <<'END'
import csv, random
rnd = random.Random(5)
def write(path, rows, head=("id", "x", "colour", "smoker", "y")):
    with open(path, "w", newline="") as out:
        csv.writer(out).writerows([head] + rows)
def sample(j, name):
    k = j % 3
    return [name, f"{10 * k + rnd.gauss(0, 1):.3f}", ["red", "green", "blue"][k], ["yes", "no", "No"][k], f"{5 * k + rnd.gauss(0, 1):.3f}"]
old = [sample(j, f"P{j:02d}") for j in range(30)]
write("old.csv", old)
words = [[r[0], r[1], r[2], {"yes": "smokes"}.get(r[3].lower(), "does not"), r[4]] for r in old]
write("words.csv", words)
write("again.csv", [[r[3], r[4], r[0], r[1], r[2]] for r in old][::-1], ("smoker", "y", "id", "x", "colour"))
write("fewer.csv", [r for r in old if r[2] != "blue"])
write("one.csv", old[:1])
write("unseen.csv", [old[0], old[1][:2] + ["violet"] + old[1][3:]])
write("without.csv", [r[:2] + r[3:] for r in old], ("id", "x", "smoker", "y"))
END
onefold fit old.csv --clusters 3 --model m --labels all.csv | sed -n '1,5p'
onefold fit words.csv --clusters 3 --labels words.out.csv -q
onefold score words.out.csv all.csv --json | json 'd["scores"]["ari"]' # of the same clusters, in whatever order
for f in again fewer one unseen; do
    echo "$f: $(onefold predict m $f.csv --labels $f.out.csv | awk '/^sizes/ { on = 0 } /^data/ { on = 1 } on')"
    sort all.csv | cut -d, -f1,2 >a; sort $f.out.csv | cut -d, -f1,2 >b
    echo "$(comm -13 a b | wc -l) labels differ"
done
try onefold predict m without.csv
onefold info m | head -4
onefold convert old.csv back.csv -q
head -2 back.csv
