# SPDX-License-Identifier: Apache-2.0
# Fewer samples than clusters is a matter of the data; as many is allowed, and so is one cluster.
tiny_files
try onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 7
try onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 7 --json
onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 6 -q | sort -u | wc -l
onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 1 -q | sort -u
onefold fit --method os-lfmvc-cs a.csv --clusters 2 -q
