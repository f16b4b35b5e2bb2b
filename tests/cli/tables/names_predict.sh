# SPDX-License-Identifier: Apache-2.0
# New samples keep their names: in a table, on standard output, in JSON and in containers.
table rna.csv
table mirna.csv names=mir columns=4 order=3
onefold fit --method os-lfmvc-cs rna.csv mirna.csv --clusters 3 --model m.model --labels fitted.csv -q
table new.csv order=5 some=7
table other.csv names=mir columns=4 order=6
onefold predict m.model new.csv other.csv --labels out.csv -q
head -n 4 out.csv | cut -d, -f1,2
for s in P00-A P13-A P29-A; do diff <(grep -h "^$s" fitted.csv | cut -d, -f2) <(grep -h "^$s" out.csv | cut -d, -f2) && echo $s; done
onefold predict m.model new.csv other.csv --names -q | cmp - out.csv && echo the same on standard output
onefold predict m.model new.csv other.csv --json | json 'd["sample_names"][:3], len(d["sample_names"]) == d["samples"] == 30'
table truth.csv values=truth order=4
for end in mat npz tsv; do
    onefold predict m.model new.csv other.csv --labels out.$end -q
    onefold score out.$end truth.csv | grep "^ACC"
done
