# SPDX-License-Identifier: Apache-2.0
# A column of words whose first cell is missing stays words; one of numbers stays numbers.
table rna.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "site" } NR == 2 { print $0, "-" } NR > 2 { print $0, "north" }' rna.csv >site.csv
onefold info site.csv | sed -n '/^data/p;/float64,/p;/site/p'
awk -F, -v OFS=, 'NR == 2 { $4 = "." } { print }' rna.csv >first.csv
onefold fit first.csv --clusters 3 --impute mean -q | cksum | cut -d' ' -f2
