# SPDX-License-Identifier: Apache-2.0
# New samples without a whole view are labelled by the others; views are known by name.
table rna.csv
table mirna.csv names=mir columns=4 order=3
mkdir new
cp rna.csv mirna.csv new
onefold fit rna.csv mirna.csv --clusters 3 --model m --labels all.csv -q
same() { sort all.csv | cut -d, -f1,2 >a; sort $1 | cut -d, -f1,2 >b; cmp a b && echo "the same labels"; }
shown() { echo "\$ onefold predict m $*"; onefold predict m "$@" --labels out.csv | sed -n '2,4p'; same out.csv; }
shown new/mirna.csv new/rna.csv
shown new/rna.csv
shown new/mirna.csv
cp mirna.csv other.csv
shown other.csv
cut -d, -f2- mirna.csv | tail -n +2 >bare.csv
try onefold predict m bare.csv
onefold convert rna.csv a.npy -q
onefold convert rna.csv b.npy -q
onefold fit a.npy b.npy --clusters 3 --model n --labels all.txt -q
onefold predict n b.npy --labels b.txt | sed -n '2,3p'
cmp all.txt b.txt && echo "the same labels"
