# SPDX-License-Identifier: Apache-2.0
# DataFrame.to_csv: reset, twice, shuffled.
files=$ONEFOLD_SOURCE/tests/cli/tables/files
for f in reset twice shuffled; do
    echo "-- $f"
    onefold info $files/pandas/$f.csv | sed -n '/^data/p;/float64,/p;/names of/p'
    onefold fit $files/pandas/$f.csv --clusters 3 --names -q | head -n 3 | cut -d, -f1
done
