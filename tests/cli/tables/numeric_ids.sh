# SPDX-License-Identifier: Apache-2.0
# Numbers under the name of ids are ids, and no feature.
table rna.csv ids=number head=patient_id
table mirna.csv ids=number head=patient_id names=mir columns=4 order=3
table truth.csv ids=number head=patient_id values=truth order=4
fitted rna.csv mirna.csv --truth truth.csv
onefold info rna.csv mirna.csv | grep float64
sed "s/^50[0-9]*/7/" rna.csv >twice.csv
fitted twice.csv --truth truth.csv --match order
fitted twice.csv --ids patient_id
fitted rna.csv --ids barcode
