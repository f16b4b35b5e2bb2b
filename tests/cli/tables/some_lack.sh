# SPDX-License-Identifier: Apache-2.0
# Samples that some files lack become missing views.
table rna.csv some=30
table protein.csv names=p columns=5 order=2 some=22
table mirna.csv names=mir columns=4 order=3 some=25
table truth.csv values=truth order=4
fitted rna.csv protein.csv mirna.csv --truth truth.csv
fitted protein.csv mirna.csv --truth truth.csv
