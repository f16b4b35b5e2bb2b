# SPDX-License-Identifier: Apache-2.0
# Ids that hardly meet are refused, with two of each.
table rna.csv
table lab.csv names=b columns=3 ids=number head=patient_id
fitted rna.csv lab.csv
fitted rna.csv lab.csv --match order
fitted rna.csv lab.csv --ids none
