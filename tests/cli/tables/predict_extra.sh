# SPDX-License-Identifier: Apache-2.0
# Columns that the model does not have are passed over with a line.
table rna.csv
onefold fit rna.csv --clusters 3 --model m.model --labels fitted.txt -q
awk -F, -v OFS=, 'NR == 1 { print $0, "batch", "age" } NR > 1 { print $0, 7, NR }' rna.csv >more.csv
onefold predict m.model more.csv --labels new.txt | sed -n '/^data/,/^sizes/p' | sed '$d'
cmp fitted.txt new.txt && echo the same
onefold predict m.model rna.csv --labels new.txt | sed -n '/^data/,/^sizes/p' | sed '$d'
