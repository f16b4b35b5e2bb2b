# SPDX-License-Identifier: Apache-2.0
# What R writes: row names under a header that is a field shorter, or an empty corner.
table rna.txt sep=tab short=yes
table mirna.csv names=mir columns=4 order=3 head=
table truth.csv values=truth order=4 head=
fitted rna.txt mirna.csv --truth truth.csv
