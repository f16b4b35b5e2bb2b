# SPDX-License-Identifier: Apache-2.0
# Names in .npz and in cells of texts in .mat are ids, matched across files.
table rna.csv
table mirna.csv names=mir columns=4 order=3
table other.csv names=p columns=5 order=8 some=25
table truth.csv values=truth order=4
for end in npz mat; do
    onefold convert mirna.csv c.$end -q
    fitted rna.csv c.$end other.csv --truth truth.csv
    onefold convert mirna.csv t.$end -q --truth truth.csv
    fitted other.csv t.$end
done
