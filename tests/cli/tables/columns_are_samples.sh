# SPDX-License-Identifier: Apache-2.0
# Genes in rows, samples in columns: the names that files share tell.
table rna.tsv side=columns sep=tab head=gene columns=9
table mirna.tsv side=columns sep=tab head=mirna names=mir columns=5 order=3
table protein.csv names=p columns=4 order=2 head=sample
table truth.csv values=truth order=4
fitted rna.tsv mirna.tsv --truth truth.csv
fitted rna.tsv mirna.tsv protein.csv --truth truth.csv
fitted protein.csv rna.tsv --truth truth.csv
fitted rna.tsv --truth truth.csv
