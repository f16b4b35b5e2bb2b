# SPDX-License-Identifier: Apache-2.0
# Standard input as one of the files: text, packed text, .npy.
table rna.csv
table mirna.csv names=mir columns=4 order=3
table truth.csv values=truth order=4
onefold fit rna.csv mirna.csv --clusters 3 --names -q >plain
onefold fit rna.csv - --clusters 3 --names -q <mirna.csv | cmp - plain && echo text
gzip -c mirna.csv | onefold fit rna.csv - --clusters 3 --names -q | cmp - plain && echo packed
onefold convert rna.csv rna.npy -q
onefold fit rna.npy --clusters 3 -q >plain
onefold fit - --clusters 3 -q <rna.npy | cmp - plain && echo npy
cat rna.csv | onefold info - | grep "^data"
onefold fit rna.csv --clusters 3 --truth truth.csv --model m.model -q >plain
onefold predict m.model - -q <rna.csv | cmp - plain && echo predict
cat rna.npy | onefold fit /dev/stdin --clusters 3 -q >named
onefold fit rna.npy --clusters 3 -q | cmp - named && echo by name
try onefold fit - /dev/stdin --clusters 3 <rna.csv
try onefold fit - - --clusters 3 <rna.csv
try onefold fit - --clusters 3 </dev/null
