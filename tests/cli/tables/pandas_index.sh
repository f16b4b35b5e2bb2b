# SPDX-License-Identifier: Apache-2.0
# The index that pandas writes counts rows, unless a file has it in another order.
table rna.csv ids=index head=
table mirna.csv ids=index head= names=mir columns=4
table labels.csv values=number ids=none
fitted rna.csv mirna.csv --truth labels.csv
head -n 1 mirna.csv >moved.csv
sed 1d mirna.csv | sort -r >>moved.csv
fitted rna.csv moved.csv --truth labels.csv
table short.csv ids=index head= names=mir columns=4 some=20
fitted rna.csv short.csv
