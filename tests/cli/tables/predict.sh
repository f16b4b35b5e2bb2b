# SPDX-License-Identifier: Apache-2.0
# New samples: columns by name, whatever their order; files by id; a single row.
table rna.csv
table mirna.csv names=mir columns=4 order=3
onefold fit rna.csv mirna.csv --clusters 3 --model m.model --labels fitted.txt -q
labels() {
    onefold predict m.model "$@" --labels new.txt -q && cmp fitted.txt new.txt && echo the same
}
labels rna.csv mirna.csv
awk -F, -v OFS=, '{ print $1, $5, $7, $2, "7", $3, $6, $4 }' rna.csv | sed '1s/,7,/,batch,/' >moved.csv
head -n 1 moved.csv
labels moved.csv mirna.csv
cut -d, -f1-4,6- rna.csv >fewer.csv
try labels fewer.csv mirna.csv
sed '1s/g5/gene5/' rna.csv >renamed.csv
try labels renamed.csv mirna.csv
sed -n '1p;8p' rna.csv >one.csv
grep -h "^id\|^$(sed -n 2p one.csv | cut -d, -f1)" mirna.csv >other.csv
onefold predict m.model one.csv other.csv -q | diff - <(sed -n 7p fitted.txt) && echo one sample
