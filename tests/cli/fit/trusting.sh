# SPDX-License-Identifier: Apache-2.0
# A view of random booleans beside a clean one: os-lfmvc-cs trusts both alike, and the summary says so; the default leaves it out.
python3 - <<'END'
import random
rnd = random.Random(4)
centre = [[rnd.gauss(0, 6) for _ in range(5)] for _ in range(3)]
def write(path, rows):
    open(path, "w").write("\n".join(",".join(map(str, row)) for row in rows) + "\n")
write("a.csv", [[f"{c + rnd.gauss(0, 1):.3f}" for c in centre[j % 3]] for j in range(120)])
write("c.csv", [[f"{c + rnd.gauss(0, 1):.3f}" for c in centre[j % 3]] for j in range(120)])
write("b.csv", [[rnd.randrange(2) for _ in range(8)] for j in range(120)])
write("t.csv", [[j % 3] for j in range(120)])
END
nmi() { sed -n 's/^scores.*NMI \([0-9]*\).*/NMI \1/p'; }
onefold fit a.csv b.csv --clusters 3 --method os-lfmvc-cs --truth t.csv --labels l.txt >s
nmi <s; grep "hardly agree" s
onefold fit a.csv b.csv --clusters 3 --truth t.csv --labels l.txt >s
nmi <s; grep -c "hardly agree" s; grep -o "b tells nothing.*" s
onefold fit a.csv c.csv --clusters 3 --method os-lfmvc-cs --truth t.csv --labels l.txt >s
nmi <s; grep -c "hardly agree" s
true
