# SPDX-License-Identifier: Apache-2.0
# The truth in a table of its own, and what it may lack.
table rna.csv
table truth.csv values=truth order=4 some=27
fitted rna.csv --truth truth.csv
table all.csv values=number order=4
fitted rna.csv --truth all.csv
table half.csv order=2 some=24
fitted half.csv --truth all.csv
table others.csv ids=number values=truth
fitted rna.csv --truth others.csv
table inside.csv label=yes order=3
fitted inside.csv rna.csv
