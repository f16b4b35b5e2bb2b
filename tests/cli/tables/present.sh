# SPDX-License-Identifier: Apache-2.0
# Who has which view, by id.
table rna.csv
table mirna.csv names=mir columns=4 order=3
table who.csv values=present order=5
onefold info rna.csv mirna.csv --present who.csv | grep "dense\|who"
table few.csv values=present order=5 some=12
fitted rna.csv mirna.csv --present few.csv
