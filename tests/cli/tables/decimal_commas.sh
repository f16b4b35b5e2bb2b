# SPDX-License-Identifier: Apache-2.0
# Decimal commas between tabs and semicolons.
table rna.tsv sep=tab point=,
table rna.csv
table semi.csv 'sep=;' point=,
onefold fit rna.csv --clusters 3 --labels a.txt -q
for f in rna.tsv semi.csv; do onefold fit $f --clusters 3 --labels b.txt | awk '/^views/ { exit } { print }'; cmp a.txt b.txt && echo the same; done
