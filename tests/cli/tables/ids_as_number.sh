# SPDX-License-Identifier: Apache-2.0
# A column that is asked for as a feature is one, though it is called as ids are; it is not both.
printf 'id,x,y\n3,1,2\n5,2,4\n8,3,1\n9,5,5\n' >t.csv
try onefold info t.csv | sed -n '/^data/p;/^found/p'
try onefold info t.csv --as number id | sed -n '/^data/p;/^found/p'
try onefold info t.csv --columns id,x | sed -n '/^data/p;/^found/p'
try onefold info t.csv --ids id --as number id
