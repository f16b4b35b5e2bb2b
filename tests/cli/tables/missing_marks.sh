# SPDX-License-Identifier: Apache-2.0
# Marks of missing values in a column that is otherwise numbers; elsewhere they are words.
table rna.csv
for mark in '' NA NaN n/a null '?' '#N/A' None '<NA>' - .; do
    awk -F, -v OFS=, -v mark="$mark" 'NR == 4 || NR == 2 { $3 = mark } { print }' rna.csv >some.csv
    echo "[$mark] $(onefold fit some.csv --clusters 3 -q 2>&1 | head -n 1)"
    onefold fit some.csv --clusters 3 --impute median -q >filled.txt
    [ -f first.txt ] || cp filled.txt first.txt
    cmp filled.txt first.txt && echo filled in alike
done
sed '5s/,[^,]*$/,unknown/' rna.csv >word.csv
try onefold fit word.csv --clusters 3
