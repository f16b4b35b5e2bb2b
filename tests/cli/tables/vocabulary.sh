# SPDX-License-Identifier: Apache-2.0
# A vocabulary names the side that it fits, with ids or without; a transposed bag of words clusters documents.
python3 - <<'END'
import random
rnd = random.Random(5)
topics = [[f"{t}{i}" for i in range(12)] for t in ("sport", "cell", "law")]
words = sorted(sum(topics, []) + ["class", "label", "target"])
rows = []
for j in range(40):
    rows.append([rnd.randint(1, 4) if w in topics[j % 3] and rnd.random() < 0.6 else int(rnd.random() < 0.1) for w in words])
open("docs.csv", "w").writelines(",".join(map(str, r)) + "\n" for r in rows)
open("turned.csv", "w").writelines(",".join(map(str, r)) + "\n" for r in zip(*rows))
open("vocab.txt", "w").writelines(w + "\n" for w in words)
open("numbered.txt", "w").writelines(f"{i}\t{w}\n" for i, w in enumerate(words))
open("after.txt", "w").writelines(f"{w} {i}\n" for i, w in enumerate(words))
open("headed.csv", "w").writelines([",".join(words) + "\n"] + [",".join(map(str, r)) + "\n" for r in rows])
open("truth.txt", "w").writelines(f"{j % 3}\n" for j in range(40))
END
for f in docs turned; do
    for v in vocab numbered after; do
            onefold fit $f.csv $v.txt --clusters 3 --labels $f.$v.txt --explain 2 | sed -n '/^data/p;/set apart/,$p' | grep -o "^data.*\|sport" | uniq
        onefold score $f.$v.txt truth.txt | grep "^ACC"
    done
done
onefold info headed.csv | sed -n '/^data/p;/^labels/p;/word like/p'
onefold info headed.csv --no-truth | grep float64,
onefold info headed.csv --truth label | sed -n '/float64,/p;/^labels/p'
