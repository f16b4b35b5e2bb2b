# SPDX-License-Identifier: Apache-2.0
# A bare file of labels beside one with ids: by order, and that is said.
table truth.csv values=truth
table rna.csv
onefold fit rna.csv --clusters 3 --labels out.txt -q
onefold fit rna.csv --clusters 3 --labels out.csv --ids none -q
onefold score out.txt truth.csv | sed -n 2,3p
onefold score out.csv truth.csv | sed -n 2,3p
