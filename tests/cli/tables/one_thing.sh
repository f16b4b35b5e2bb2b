# SPDX-License-Identifier: Apache-2.0
# What is wrong with a table is one sentence: the first cell that is not a number.
{ seq -s, 27 | sed 's/[0-9]*/c&/g'; for i in 1 2 3; do seq -s, 27 | sed 's/[0-9]*/w&/g'; done; } >words.csv
try onefold fit words.csv --clusters 2
table rna.csv
sed '7s/,[^,]*$/,x7/' rna.csv >cell.csv
try onefold fit cell.csv --clusters 3
sed '7s/,[^,]*$//' rna.csv >short.csv
try onefold fit short.csv --clusters 3
