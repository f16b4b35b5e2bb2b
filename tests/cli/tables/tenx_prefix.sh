# SPDX-License-Identifier: Apache-2.0
# A prefix before the three names; symbols that are there twice give way to ids.
printf '%%%%MatrixMarket matrix coordinate integer general\n3 6 8\n1 1 5\n1 2 4\n1 3 5\n2 4 6\n2 5 5\n3 6 4\n3 4 1\n2 6 2\n' >GSM1_matrix.mtx
printf 'c%s\n' 1 2 3 4 5 6 >GSM1_barcodes.tsv
printf 'E1\tA\nE2\tB\nE3\tA\n' >GSM1_features.tsv
onefold fit GSM1_matrix.mtx --clusters 2 --names -q | cut -d, -f1
onefold convert GSM1_matrix.mtx out.csv -q
head -n 2 out.csv
