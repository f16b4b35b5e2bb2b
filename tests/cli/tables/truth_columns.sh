# SPDX-License-Identifier: Apache-2.0
# The truth by column: of a file, of one of the files, of any of them.
table rna.csv
table mirna.csv names=mir columns=4 order=3
awk -F, -v OFS=, 'NR == 1 { print $0, "stage", "age" } NR > 1 { print $0, NR % 3 + 1, NR * 1.5 }' rna.csv >both.csv
table truth.csv values=truth order=4
awk -F, -v OFS=, 'NR == 1 { print $0, "site" } NR > 1 { print $0, "s" NR % 2 }' truth.csv >meta.csv
fitted rna.csv mirna.csv --truth meta.csv:label
fitted rna.csv mirna.csv --truth meta.csv:site
fitted both.csv mirna.csv --truth stage
fitted mirna.csv both.csv --truth both.csv:stage
fitted both.csv mirna.csv --truth age
fitted rna.csv mirna.csv --truth meta.csv:nothing
fitted rna.csv mirna.csv --truth nothing
onefold info both.csv mirna.csv --truth stage | grep float64,
