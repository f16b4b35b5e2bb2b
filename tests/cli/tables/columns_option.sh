# SPDX-License-Identifier: Apache-2.0
# Which columns of tables are features, and as what.
printf 'id,arm,zip,x,y\n' >t.csv
for i in 1 2 3 4 5 6 7 8; do echo "s$i,$((i % 2 + 1)),8906$i,$i.5,$((i * i))" >>t.csv; done
shown() { echo "\$ $*"; onefold convert t.csv out.csv "$@" -q && head -2 out.csv; }
shown
shown --drop zip
shown --drop zip,y
shown --drop 3
shown --columns x,y
shown --as category arm --drop zip
shown --as category arm,zip --as number x
try onefold convert t.csv out.csv --drop zap
try onefold convert t.csv out.csv --as category
try onefold convert t.csv out.csv --as word arm
printf 'id,stage,x\na,1,2\nb,2,3\nc,3a,4\nd,1,5\n' >stage.csv
try onefold fit stage.csv --clusters 2 -q
onefold convert stage.csv out.csv --as category stage -q && cat out.csv
try onefold convert stage.csv out.csv --as number stage
onefold fit t.csv --clusters 2 --drop zip --model m -q >/dev/null
onefold predict m t.csv --labels p.txt | sed -n '2,4p'
