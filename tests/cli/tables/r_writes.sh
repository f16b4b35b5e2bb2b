# SPDX-License-Identifier: Apache-2.0
# What write.csv, write.csv2 and write.table write.
files=$ONEFOLD_SOURCE/tests/cli/tables/files
cd $files/r
for f in write_csv.csv write_csv_norows.csv write_csv2.csv write_table.txt write_table_tab.txt write_table_na.txt genes_by_samples.txt write_csv_counted.csv; do
    echo "-- $f"
    onefold info $f | sed -n '/^data/p;/float64,/p;/names of/p'
    onefold fit $f --clusters 3 --names -q --samples-are $([ $f = genes_by_samples.txt ] && echo columns || echo rows) | sed -n 2p | cut -d, -f1
done
