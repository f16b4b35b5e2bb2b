# SPDX-License-Identifier: Apache-2.0
# Rows in different order: matched by id, in any order of the files, and the truth too.
table rna.csv names=g
table methylation.csv names=cg columns=5 order=2
table mirna.csv names=mir columns=4 order=3
table truth.csv values=truth order=4 head=sample
fitted rna.csv methylation.csv mirna.csv --truth truth.csv
fitted mirna.csv rna.csv methylation.csv --truth truth.csv
fitted rna.csv methylation.csv mirna.csv --truth truth.csv --match order
onefold info rna.csv methylation.csv | sed -n "/^found/,/^a fit/p" | sed "\$d"
