# SPDX-License-Identifier: Apache-2.0
# Labels come with the names of their samples; what pandas and R read of that file is beside this.
table rna.csv
table mirna.csv names=mir columns=4 order=3
onefold fit --method os-lfmvc-cs rna.csv mirna.csv --clusters 3 --labels labels.csv | tail -n 1
cmp labels.csv "$ONEFOLD_SOURCE/tests/cli/tables/files/labels.csv" && echo as pandas and R read it
head -n 3 labels.csv
onefold fit --method os-lfmvc-cs rna.csv mirna.csv --clusters 3 --labels labels.tsv -q
tr '\t' , <labels.tsv | cmp - labels.csv && echo the same with tabs
onefold fit --method os-lfmvc-cs rna.csv mirna.csv --clusters 3 --names -q | cmp - labels.csv && echo the same on standard output
onefold fit --method os-lfmvc-cs rna.csv mirna.csv --clusters 3 --labels labels.txt -q
onefold fit --method os-lfmvc-cs rna.csv mirna.csv --clusters 3 -q | cmp - labels.txt && echo bare
sed 1d labels.csv | cut -d, -f2 | cmp - labels.txt
cat "$ONEFOLD_SOURCE"/tests/cli/tables/files/read_back.*.txt
