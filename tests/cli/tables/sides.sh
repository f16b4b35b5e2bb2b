# SPDX-License-Identifier: Apache-2.0
# The side whose names the files share is the samples', whichever file comes first.
table rna.tsv side=columns sep=tab head=gene columns=9
table mirna.csv names=mir columns=4 order=3
table protein.tsv side=columns sep=tab head=protein names=p columns=5 order=5 some=26
table truth.csv values=truth order=4
fitted rna.tsv mirna.csv protein.tsv --truth truth.csv
fitted mirna.csv protein.tsv rna.tsv --truth truth.csv
fitted protein.tsv rna.tsv --truth truth.csv
