# SPDX-License-Identifier: Apache-2.0
# Scores say what was compared, and how.
table truth.csv values=truth order=4
awk -F, -v OFS=, 'NR == 1 { print $0, "site" } NR > 1 { print $0, "s" NR % 2 }' truth.csv >meta.csv
table rna.csv
onefold fit rna.csv --clusters 3 --labels out.csv -q
onefold fit rna.csv --clusters 3 --labels out.txt -q
onefold score out.csv meta.csv | sed -n '2,3p'
onefold score out.csv meta.csv:site | sed -n '2,3p'
onefold score out.txt truth.csv | sed -n '2p'
try onefold score out.csv meta.csv:nothing
