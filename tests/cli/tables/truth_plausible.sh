# SPDX-License-Identifier: Apache-2.0
# A column called as labels are is the truth where it has few classes, and that is said.
table rna.csv label=yes
fitted rna.csv
table plain.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "class" } NR > 1 { print $0, NR }' plain.csv >many.csv
onefold info many.csv | sed -n '/^labels/p;/float64,/p'
awk -F, -v OFS=, 'NR == 1 { print $0, "class" } NR > 1 { print $0, NR % 3 }' plain.csv >few.csv
fitted few.csv
onefold info few.csv --no-truth | sed -n '/^labels/p;/float64,/p'
