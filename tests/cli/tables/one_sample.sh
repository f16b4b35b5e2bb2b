# SPDX-License-Identifier: Apache-2.0
# A single new sample: from a row with a header, without one, and from standard input.
table rna.csv
table bare.csv ids=none names=none
onefold fit rna.csv --clusters 3 --model m.model --labels fitted.csv -q
sed -n '1p;9p' rna.csv >one.csv
onefold predict m.model one.csv --names -q | cut -d, -f1,2
sed -n '9p' fitted.csv | cut -d, -f1,2
onefold predict m.model - --names -q <one.csv | cut -d, -f1,2
onefold fit bare.csv --clusters 3 --model b.model --labels bare.txt -q
sed -n 8p bare.csv >row.csv
onefold predict b.model row.csv -q | diff - <(sed -n 8p bare.txt) && echo the same
