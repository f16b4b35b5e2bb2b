# SPDX-License-Identifier: Apache-2.0
# Ids and truth through JSON: the names stand in the order of the labels.
table rna.csv order=2
table truth.csv values=truth order=4
onefold fit rna.csv --clusters 3 --truth truth.csv --json | json 'd["scores"]["acc"], d["sample_names"][0]'
sed -n 2p rna.csv | cut -d, -f1
