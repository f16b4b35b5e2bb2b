# SPDX-License-Identifier: Apache-2.0
# Samples without ids are numbered from 1.
tiny_files
onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --dims 2 --names -q | cut -d, -f1,2
onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --json | json '"sample_names" in d'
onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --dims 2 --labels out.csv -q
onefold score out.csv classes.txt | grep "^ACC"
try onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --labels out.csv --names
try onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --json --names
