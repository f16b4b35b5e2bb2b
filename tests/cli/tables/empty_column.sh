# SPDX-License-Identifier: Apache-2.0
# A column without a value is left out; a model that has it takes its samples' mean.
table rna.csv
awk -F, -v OFS=, '{ $3 = NR == 1 ? "gone" : ""; print }' rna.csv >empty.csv
fitted empty.csv
fitted empty.csv --impute mean
onefold fit rna.csv --clusters 3 --impute mean --model m --labels all.csv -q
awk -F, -v OFS=, 'NR > 1 { $3 = "" } { print }' rna.csv >hole.csv
onefold predict m hole.csv --impute mean --labels hole.out.csv | sed -n '2,3p'
cut -d, -f1,2 all.csv >a; cut -d, -f1,2 hole.out.csv >b; cmp a b && echo "the same labels"
try onefold predict m hole.csv
