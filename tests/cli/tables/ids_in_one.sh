# SPDX-License-Identifier: Apache-2.0
# Ids in one file and not in the other: the order is taken, and said.
table rna.csv
table notes.csv names=f columns=4 ids=none
table truth.csv values=truth order=4
table labels.csv values=number ids=none
fitted rna.csv notes.csv --truth truth.csv
fitted rna.csv notes.csv --truth labels.csv
table short.csv names=f columns=4 ids=none some=20
fitted rna.csv short.csv
