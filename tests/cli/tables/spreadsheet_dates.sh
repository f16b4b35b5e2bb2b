# SPDX-License-Identifier: Apache-2.0
# Names of genes that a spreadsheet made dates of.
table rna.csv
sed -i '1s/g2/1-Mar/; 1s/g4/2-Sep/' rna.csv
fitted rna.csv
table t.tsv side=columns sep=tab head=gene
sed -i 's/^g3/Dec-01/' t.tsv
fitted t.tsv --samples-are columns
