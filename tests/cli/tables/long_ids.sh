# SPDX-License-Identifier: Apache-2.0
# Ids of many digits stay what they are, and are no numbers that lose digits.
table rna.csv
awk -F, -v OFS=, 'NR > 1 { $1 = "90071992547409930" NR } { print }' rna.csv >long.csv
onefold fit long.csv --clusters 3 --names -q | sed -n '2p;31p' | cut -d, -f1
