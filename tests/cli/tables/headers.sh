# SPDX-License-Identifier: Apache-2.0
# A first line of numbers that are names.
table truth.csv values=truth order=4
table counted.csv ids=none names=count
table index.csv names=count head=
table entrez.csv names=entrez head=sample_id
table gene.csv names=entrez head=gene
for f in counted index entrez gene; do onefold info $f.csv | sed -n "/^data/p;/float64,/p"; done
fitted index.csv entrez.csv --truth truth.csv
onefold info counted.csv --header no | grep "^data"
table bare.csv ids=none names=none
onefold info bare.csv | grep "^data"
onefold info bare.csv --header yes | grep "^data"
