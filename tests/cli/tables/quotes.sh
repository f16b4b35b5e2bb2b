# SPDX-License-Identifier: Apache-2.0
# Quoted fields, a byte-order mark, ends of lines of other systems.
table rna.csv
onefold fit rna.csv --clusters 3 --names -q >plain
awk -F, -v OFS=, '{ for (i = 1; i <= NF; i++) $i = "\"" $i "\"" } { print }' rna.csv >quoted.csv
sed 's/$/\r/' rna.csv >dos.csv
{ printf '\357\273\277'; cat rna.csv; } >bom.csv
gzip -c rna.csv >packed.csv.gz
for f in quoted.csv dos.csv bom.csv packed.csv.gz; do onefold fit $f --clusters 3 --names -q | cmp - plain && echo $f; done
