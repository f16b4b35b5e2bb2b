# SPDX-License-Identifier: Apache-2.0
# Tables of pandas in different order, forms and separators, with truth from a table of several columns.
files=$ONEFOLD_SOURCE/tests/cli/tables/files
cd $files/pandas
for f in ids entrez shuffled reset semicolon comma transposed; do
    [ $f = comma ] && end=tsv || end=csv
    onefold fit shuffled.csv $f.$end --clusters 3 --truth meta.csv:type --labels $OLDPWD/out.txt 2>&1 | awk '/^views/ { on = 0 } /^data/ { on = 1 } on || /^scores/'
done
