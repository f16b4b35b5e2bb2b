# SPDX-License-Identifier: Apache-2.0
# Ids in JSON, in containers, and among the least sure samples.
table rna.csv
table mirna.csv names=mir columns=4 order=3
onefold fit rna.csv mirna.csv --clusters 3 --json | json 'd["sample_names"][:3], len(d["sample_names"]) == d["samples"]'
onefold fit rna.csv mirna.csv --clusters 3 --labels labels.txt | grep "^sure" | grep -o "least sure: P.*-A"
table truth.csv values=truth order=4
for end in mat npz csv tsv; do
    onefold fit rna.csv mirna.csv --clusters 3 --labels out.$end -q
    onefold score out.$end truth.csv | grep "^ACC"
done
