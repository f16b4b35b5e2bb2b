# SPDX-License-Identifier: Apache-2.0
# Tables of R and of pandas together, by id.
files=$ONEFOLD_SOURCE/tests/cli/tables/files
cd $files
for f in write_csv.csv write_csv2.csv write_table.txt write_table_tab.txt write_table_na.txt genes_by_samples.txt; do
    onefold fit pandas/shuffled.csv r/$f --clusters 3 --truth r/meta.csv --labels $OLDPWD/out.txt 2>&1 | awk '/^views/ { on = 0 } /^data/ { on = 1 } on || /^scores/'
done
