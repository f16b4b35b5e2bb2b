# SPDX-License-Identifier: Apache-2.0
# A model says of the samples it was fitted on what the fit said, in every format, on every route.
made
for base in exact nystrom; do
    onefold fit made.npz --method os-lfmvc-cs --clusters 4 --base $base --model $base.model -q >labels.txt
    onefold predict $base.model made.npz -q >again.txt
    cmp labels.txt again.txt && echo same
    for end in npy csv tsv txt; do
        onefold fit made.npz --method os-lfmvc-cs --clusters 4 --base $base --labels fit.$end -q
        onefold predict $base.model made.npz --labels predicted.$end -q
        cmp fit.$end predicted.$end && echo $end
    done
    for end in mat npz; do # their confidence has all its digits, and the last may differ
        onefold predict $base.model made.npz --labels predicted.$end -q
        onefold score predicted.$end fit.txt --json | json 'd["scores"]["acc"]'
    done
done
for kernel in auto linear cosine; do
    onefold fit made.npz --clusters 4 --kernel $kernel --model a.model -q >labels.txt
    onefold predict a.model made.npz -q | cmp - labels.txt && echo $kernel
done

echo "-- and of new ones what they are"
onefold convert made.npz all.csv -q
for v in 1 2 3; do
    head -n 90 all.$v.csv >old.$v.csv
    tail -n 30 all.$v.csv >new.$v.csv
done
head -n 90 all.truth.csv >old.txt
tail -n 30 all.truth.csv >new.txt
onefold fit old.1.csv old.2.csv old.3.csv --truth old.txt --clusters 4 --model old.model --json |
    json 'd["scores"]["acc"], d["model"]["file"], d["model"]["holds_samples"]'
onefold predict old.model new.1.csv new.2.csv new.3.csv --truth new.txt --json >new.json
json 'list(d)' <new.json
json 'd["samples"], d["clusters"], d["training"]["samples"], d["scores"]["acc"]' <new.json
json 'len(d["labels"]) == len(d["confidence"]) == len(d["distance"]) == sum(d["sizes"]) == 30' <new.json
json 'min(d["confidence"]) > 0.1 and max(d["confidence"]) <= 1' <new.json
json '0 <= min(d["distance"]) and max(d["distance"]) <= 1' <new.json
json 'd["far"] == sum(x > d["training"]["distance_most"] for x in d["distance"])' <new.json
onefold predict old.model new.1.csv new.2.csv new.3.csv -q >new.list.txt
json '"\n".join(map(str, d["labels"]))' <new.json | cmp - new.list.txt
cat old.txt new.txt >all.classes.txt
onefold predict old.model old.1.csv old.2.csv old.3.csv -q >all.list.txt
cat new.list.txt >>all.list.txt
onefold score all.list.txt all.classes.txt --json | json 'd["scores"]["acc"]'

echo "-- a summary beside the labels"
onefold predict old.model new.1.csv new.2.csv new.3.csv --truth new.txt --labels out.npy |
    sed -E 's/(read|predict) [^ ]+ m?s/\1 T/g; s/[0-9.e+]+ samples\/s/N samples\/s/; /^far/d'
