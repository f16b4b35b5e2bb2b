# SPDX-License-Identifier: Apache-2.0
# Graphs and kernels: new samples bring their links to the training samples, or their kernel rows.
python3 - <<'END'
import random
random.seed(3)
n, old = 80, 60
cluster = [j % 2 for j in range(n)]
linked = [[0] * n for _ in range(n)]
for j in range(n):
    for i in range(j):
        linked[j][i] = linked[i][j] = int(random.random() < (0.3 if cluster[i] == cluster[j] else 0.02))
x = [[random.gauss(4 * cluster[j], 1) for _ in range(3)] for j in range(n)]
kernel = [[sum(a * b for a, b in zip(x[i], x[j])) for i in range(n)] for j in range(n)]

def save(name, rows):
    with open(name, "w") as file:
        for row in rows:
            file.write(",".join(map(repr, row)) + "\n")

save("old.links.csv", [row[:old] for row in linked[:old]])
save("new.links.csv", [row[:old] for row in linked[old:]])
save("old.x.csv", x[:old])
save("new.x.csv", x[old:])
save("K.csv", [row[:old] for row in kernel[:old]])
save("rows.csv", [row[:old] for row in kernel[old:]])
save("own.csv", [kernel[j][:old] + [kernel[j][j]] for j in range(old, n)])
save("truth.txt", [[c] for c in cluster])
END
onefold fit --method os-lfmvc-cs old.links.csv old.x.csv --kernel graph,linear --clusters 2 --model graph.model -q >labels.txt
onefold predict graph.model old.links.csv old.x.csv -q | cmp - labels.txt && echo same
onefold predict graph.model new.links.csv new.x.csv -q >>labels.txt
onefold score labels.txt truth.txt --json | json 'd["scores"]["acc"]'
onefold fit --method os-lfmvc-cs K.csv --kernel precomputed --clusters 2 --model kernel.model -q >labels.txt
onefold predict kernel.model K.csv -q | cmp - labels.txt && echo same
for rows in rows own; do
    onefold predict kernel.model $rows.csv --samples-are rows -q >new.txt
    cat labels.txt new.txt >all.txt
    onefold score all.txt truth.txt --json | json 'd["scores"]["acc"]'
done
try onefold predict graph.model new.x.csv new.x.csv
try onefold predict kernel.model new.x.csv --samples-are rows
