# SPDX-License-Identifier: Apache-2.0
# Names with commas, quotes and blanks in them.
table rna.csv
sed -i 's/^P00-A/"Doe, John"/; s/^P01-A/"the ""second"""/; s/^P02-A/two words/' rna.csv
onefold fit --method os-lfmvc-cs rna.csv --clusters 3 --labels labels.csv -q
head -n 5 labels.csv | cut -d, -f1-3
onefold fit --method os-lfmvc-cs rna.csv --clusters 3 --names -q | cmp - labels.csv && echo the same
onefold fit --method os-lfmvc-cs rna.csv --clusters 3 --json | json 'd["sample_names"][:4]'
onefold score labels.csv labels.csv | grep "^ACC"
