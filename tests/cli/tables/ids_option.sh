# SPDX-License-Identifier: Apache-2.0
# --ids names the column, or says that there is none.
table rna.csv
awk -F, -v OFS=, 'NR == 1 { print "row", "code", $0 } NR > 1 { print NR, "K" 100 - NR, $0 }' rna.csv >two.csv
for ids in id code 2 3; do onefold fit two.csv --ids $ids --clusters 3 --names -q 2>&1 | sed -n 2p | cut -d, -f1; done
try onefold fit two.csv --ids nothing --clusters 3
onefold fit rna.csv --ids none --clusters 3 --names -q | sed -n 2p | cut -d, -f1
