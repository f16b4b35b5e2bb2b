# SPDX-License-Identifier: Apache-2.0
# --explain names the columns that set each cluster apart: of tables by their headers.
python3 - <<'END'
import csv, random
random.seed(4)
own = [["goal", "match", "coach", "penalty"], ["vote", "minister", "party", "law"], ["gene", "cell", "protein", "virus"]]
words = [w for ws in own for w in ws] + ["the", "day", "new", "people", "year", "time"]
with open("text.csv", "w") as text, open("image.tsv", "w") as image, open("shape.csv", "w") as shape, open("truth.txt", "w") as truth:
    print(",".join(words), file=text)
    print("red\tgreen\tblue\tgrain", file=image)
    for j in range(90):
        c = j % 3
        print(",".join(str(random.choice([1, 2, 3]) if (w in own[c] and random.random() < .8) or random.random() < .04 else 0) for w in words), file=text)
        print("\t".join("%.3f" % (random.gauss(0, 1) + (6 if i == c else 0)) for i in range(4)), file=image)
        print(",".join("%.3f" % (random.gauss(0, 1) + (5 if i == c else 0)) for i in range(3)), file=shape)
        print(["sport", "politics", "science"][c], file=truth)
END
onefold fit --method os-lfmvc-cs text.csv image.tsv shape.csv truth.txt --clusters 3 --explain 4 --threads 2 --labels l.txt
onefold fit --method os-lfmvc-cs text.csv image.tsv shape.csv --no-truth --clusters 3 --explain 4 --json >fit.json
json '[len(d["explain"]), [[v["view"] for v in c] for c in d["explain"]]]' <fit.json
json '[[x["name"] for x in c[0]["columns"] if x["strength"] > 0] for c in d["explain"]]' <fit.json
json 'all(abs(a["strength"]) >= abs(b["strength"]) for c in d["explain"] for v in c for a, b in zip(v["columns"], v["columns"][1:]))' <fit.json
json '[[(x["name"], x["index"]) for x in c[1]["columns"]][0] for c in d["explain"]]' <fit.json
onefold fit --method os-lfmvc-cs text.csv image.tsv shape.csv --clusters 3 --json | json '"explain" in d'

# The names go where convert takes the data, and the strengths with them.
for out in all.mat all.npz; do
    onefold convert text.csv image.tsv shape.csv $out -q
    onefold fit --method os-lfmvc-cs $out --clusters 3 --explain 4 --json | json 'd["explain"]' >other
    json 'd["explain"]' <fit.json | cmp - other && echo "the same from $out"
done
for threads in 1 3; do
    onefold fit --method os-lfmvc-cs all.npz --clusters 3 --explain 4 --threads $threads --json | json 'd["explain"]' | cmp - other && echo "the same with $threads threads"
done

# Other methods too; long names are cut; no names, and nonsense.
onefold fit text.csv shape.csv --clusters 3 --threads 2 --explain 2 --method avg-kkm --labels l.txt | sed -n '/^columns/,/^time/p' | grep -v ^time
sed '1s/goal/a_name_that_is_much_longer_than_anybody_wants_to_read_in_a_terminal/' text.csv >long.csv
onefold fit --method os-lfmvc-cs long.csv --clusters 3 --threads 2 --explain 6 --labels l.txt | sed -n '/^columns/,/^time/p' | grep -v ^time
onefold fit --method os-lfmvc-cs shape.csv --clusters 3 --threads 2 --explain 2 --labels l.txt | sed -n '/^columns/,/^time/p' | grep -v ^time
onefold fit --method os-lfmvc-cs shape.csv --clusters 3 --explain 2 --json | json 'd["explain"]'
try onefold fit --method os-lfmvc-cs text.csv --clusters 3 --explain 0
try onefold fit --method os-lfmvc-cs text.csv --clusters 3 --explain
