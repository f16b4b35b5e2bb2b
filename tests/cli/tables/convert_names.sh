# SPDX-License-Identifier: Apache-2.0
# Names of samples go where the data goes, and are matched when it is read again.
table rna.csv
table mirna.csv names=mir columns=4 order=3
table truth.csv values=truth order=4
table more.csv names=p columns=5 order=7
for end in mat npz csv tsv npy mtx; do
    onefold convert rna.csv mirna.csv c.$end --truth truth.csv
    files=$(ls c.*$end c.samples.txt 2>/dev/null | grep -v truth)
    fitted $files more.csv --truth truth.csv
    rm -f c.*
done
onefold convert rna.csv mirna.csv c.csv --json
head -n 2 c.2.csv
try onefold convert c.1.csv c.2.csv c.csv
table bare.csv names=none
onefold convert bare.csv b.csv -q --truth truth.csv
head -qn 2 b.csv b.truth.csv
