# SPDX-License-Identifier: Apache-2.0
# A square view lies as its sisters do.
python3 - <<'END'
import random
rnd = random.Random(2)
centre = [[rnd.gauss(0, 5) for _ in range(30)] for _ in range(3)]
def view(d):
    return [[rnd.gauss(centre[j % 3][i], 0.3) for i in range(d)] for j in range(30)]
for name, d in (("a", 4), ("b", 7), ("square", 30)):
    open(name + ".csv", "w").writelines(",".join(f"{v:.3f}" for v in row) + "\n" for row in zip(*view(d)))
END
onefold info a.csv b.csv square.csv | grep float64,
seq 0 29 | awk '{ print $1 % 3 }' >truth.txt
fitted a.csv b.csv square.csv --truth truth.txt
