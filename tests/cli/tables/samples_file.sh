# SPDX-License-Identifier: Apache-2.0
# A file of ids beside arrays without names.
table rna.csv
table mirna.csv names=mir columns=4 order=3
table truth.csv values=truth order=4
onefold convert rna.csv a.npy -q
ls a.*
fitted a.npy a.samples.txt mirna.csv --truth truth.csv
mv a.samples.txt barcodes.tsv
fitted a.npy barcodes.tsv mirna.csv --truth truth.csv
