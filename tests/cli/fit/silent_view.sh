# SPDX-License-Identifier: Apache-2.0
# A view of noise has no weight, and the summary says how to leave it out.
python3 - <<'END'
import random
rnd = random.Random(3)
for name, far in (("a", 9), ("b", 9), ("noise", 0)):
    with open(name + ".csv", "w") as out:
        for j in range(90):
            out.write(",".join(f"{far * (j % 3 == c) + rnd.gauss(0, 1):.4f}" for c in range(3)) + "\n")
END
shown() { onefold fit a.csv b.csv "$@" --clusters 3 --labels l.csv | grep -E '^ +(a|b|noise) |tells nothing|try without' | sed -E 's/(labellings:).*(; )/\1 ...\2/'; }
shown noise.csv
echo "-- without it"
shown | grep -c without
