# SPDX-License-Identifier: Apache-2.0
# Numbers of a first column that may be ids are named, and words are found among the columns that
# --columns does not name.
python3 - <<'END'
import random
rnd = random.Random(3)
def write(path, head, rows):
    open(path, "w").write("\n".join([head] + [",".join(map(str, r)) for r in rows]) + "\n")
n = 30
xy = [(f"{5 * (j % 3) + rnd.gauss(0, 1):.3f}", f"{rnd.gauss(0, 1):.3f}") for j in range(n)]
write("mrn.csv", "MRN,x,y", [(900000 + 17 * (j * 7 % n), *xy[j]) for j in range(n)])
write("amounts.csv", "x,y,platelets,cost", [(*xy[j], 150000 + 1711 * j, 20000 + 97 * j) for j in range(n)])
write("widths.csv", "x,y,income", [(*xy[j], 5000 + 1711 * j) for j in range(n)])
write("words.csv", "zip,day,x,note,who,y", [(1000 + j, f"2020-01-{j + 1:02d}", xy[j][0], f"seen on day {j}", f"P{j:02d}", xy[j][1]) for j in range(n)])
write("other.csv", "who,z", [(f"P{j:02d}", f"{5 * (j % 3) + rnd.gauss(0, 1):.3f}") for j in reversed(range(n))])
END
for f in mrn amounts widths; do
    echo "$f: $(onefold info $f.csv | grep 'if it holds ids')"
done
echo "told: $(onefold info mrn.csv --columns x,y,MRN | grep -c 'if it holds ids') $(onefold info mrn.csv --as number MRN | grep -c 'if it holds ids')"
onefold info words.csv other.csv --columns x,y,z | grep 'ids\|matched'
onefold info words.csv other.csv --columns x,y,z --drop who 2>&1 | grep 'ids\|matched' || echo "what is dropped is dropped"
