# SPDX-License-Identifier: Apache-2.0
# Samples are read once, whatever they lie in; values that are missing are filled in by what the
# model keeps of the training samples, and refused as they come up otherwise.
onefold synth made.npz --samples 3000 --views 2 --clusters 4 --columns 12,8 --separation 6 -q
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --base nystrom --landmarks 60 --precision single --model m -q >labels.txt
onefold predict m made.npz -q | cmp - labels.txt && echo container
for end in npy csv tsv; do
    onefold convert made.npz x.$end -q
    onefold predict m x.1.$end x.2.$end --no-truth -q | cmp - labels.txt && echo $end
    onefold predict m x.1.$end x.2.$end --no-truth -q --threads 1 --labels out.npy
    cksum <out.npy >>sums.txt
done
sort -u sums.txt | wc -l

echo "-- gaps"
python3 - <<'END'
with open("x.1.csv") as whole, open("holes.csv", "w") as out:
    for number, line in enumerate(whole):
        cells = line.rstrip("\n").split(",")
        if number in (700, 2500):
            cells[3] = "NA"
        out.write(",".join(cells) + "\n")
END
onefold predict m holes.csv x.2.csv --impute mean -q | wc -l
try onefold predict m holes.csv x.2.csv --no-truth --labels none.txt
try onefold predict m holes.csv x.2.csv --no-truth --impute median --labels none.txt
sed '2000s/^[^,]*,/oops,/' x.1.csv >odd.csv
try onefold predict m odd.csv x.2.csv --no-truth --labels none.txt
sed '2000s/,.*//' x.1.csv >ragged.csv
try onefold predict m ragged.csv x.2.csv --no-truth --labels none.txt
ls none.txt
onefold fit --method os-lfmvc-cs holes.csv x.2.csv --impute median --clusters 4 --model median.model --no-truth -q >labels.txt
onefold info median.model --json | json 'd["impute"]'
onefold predict median.model holes.csv x.2.csv --impute median --no-truth -q | cmp - labels.txt && echo same
