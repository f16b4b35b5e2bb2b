# SPDX-License-Identifier: Apache-2.0
# A fit without a number points to choose.
table rna.csv
table mirna.csv names=mir columns=4 order=3
try onefold fit rna.csv mirna.csv
try onefold fit rna.csv
