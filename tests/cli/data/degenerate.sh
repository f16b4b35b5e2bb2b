# SPDX-License-Identifier: Apache-2.0
# A view that cannot tell samples apart is refused by name; the same view twice is not.
tiny_files
printf '0,0\n0,0\n0,0\n0,0\n0,0\n0,0\n' >zeros.csv
printf '7,7\n7,7\n7,7\n7,7\n7,7\n7,7\n' >same.csv
try onefold fit a.csv zeros.csv --clusters 2
try onefold fit a.csv same.csv --clusters 2
try onefold fit zeros.csv --clusters 2
onefold fit a.csv a.csv --clusters 2 --dims 2 --truth classes.txt --json | json 'd["scores"]["acc"]'
