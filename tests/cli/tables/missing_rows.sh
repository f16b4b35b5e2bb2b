# SPDX-License-Identifier: Apache-2.0
# A row of empty cells, or of marks, lacks the view.
files=$ONEFOLD_SOURCE/tests/cli/tables/files
cd $files/pandas
for f in gaps gaps_marked; do onefold info $f.csv ids.csv | grep "^views\|gaps.*dense"; done
