# SPDX-License-Identifier: Apache-2.0
# A folder as 10x Genomics writes it, plain and packed, with genes.tsv of two columns, and matched by barcode.
mkdir v3 v2
python3 - <<'END'
import random
rnd = random.Random(3)
cells = [f"AAAC{j:04d}-1" for j in range(60)]
entries = []
for j in range(60):
    for g in range(40):
        rate = 6 if g % 3 == j % 3 else 0.3
        count = int(rnd.expovariate(1 / rate))
        if count:
            entries.append((g + 1, j + 1, count))
for folder, names in (("v3", "features.tsv"), ("v2", "genes.tsv")):
    with open(f"{folder}/matrix.mtx", "w") as f:
        f.write("%%%%MatrixMarket matrix coordinate integer general\n%%\n40 60 %d\n" % len(entries))
        f.writelines("%d %d %d\n" % e for e in entries)
    open(f"{folder}/barcodes.tsv", "w").writelines(c + "\n" for c in cells)
    more = "\tGene Expression" if folder == "v3" else ""
    open(f"{folder}/{names}", "w").writelines(f"ENSG{g:05d}\tGENE{g}{more}\n" for g in range(40))
order = cells[:]
rnd.shuffle(order)
with open("protein.csv", "w") as f:
    f.write("barcode,CD3,CD19\n")
    for c in order[:50]:
        k = int(c[4:8]) % 3
        f.write(f"{c},{k * 5 + rnd.random():.3f},{(k == 1) * 7 + rnd.random():.3f}\n")
open("truth.csv", "w").writelines(["barcode,label\n"] + [f"{c},t{int(c[4:8]) % 3}\n" for c in order])
END
fitted v3 --truth truth.csv
onefold info v3 | sed -n '/^views/,/^labels/p'
onefold fit v3 --clusters 3 --names -q | sed -n 2p | cut -d, -f1
onefold fit v3 --clusters 3 --explain 2 --labels out.txt | sed -n '/^columns/,$p' | grep -o GENE | sort -u
fitted v2/matrix.mtx protein.csv --truth truth.csv
gzip v3/*
fitted v3/ protein.csv --truth truth.csv
mkdir empty
try onefold info empty
