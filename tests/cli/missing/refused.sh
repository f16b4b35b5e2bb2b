# SPDX-License-Identifier: Apache-2.0
# What cannot be worked with when samples lack views, and single values that are missing.
tiny_files
printf '1,1\n1,1\n0,1\n1,1\n1,0\n1,1\n' >p.csv
printf '1,1\n1,1\n0,0\n1,1\n1,0\n1,1\n' >none.csv
printf '1,1,1\n1,1,1\n' >shape.csv
printf '1,1\n1,1\n0,1\n1,7\n1,0\n1,1\n' >seven.csv
printf '0.0,0.1\n,0.0\n0.1,NA\n9.0,9.1\n,\n9.1,9.2\n' >gaps.csv
try onefold fit --method os-lfmvc-cs a.csv b.csv --present p.csv --clusters 2 --dims 2 --kernel linear -q
try onefold fit a.csv b.csv --present p.csv --clusters 2 --method mkkm
try onefold fit --method os-lfmvc-cs a.csv b.csv --present p.csv --clusters 3
try onefold fit --method os-lfmvc-cs a.csv b.csv --present none.csv --clusters 2
try onefold fit --method os-lfmvc-cs a.csv b.csv --present none.csv --clusters 2 --json
try onefold fit --method os-lfmvc-cs a.csv b.csv --present shape.csv --clusters 2
try onefold fit --method os-lfmvc-cs a.csv b.csv --present seven.csv --clusters 2
try onefold fit --method os-lfmvc-cs a.csv b.csv --present nowhere.csv --clusters 2
try onefold fit --method os-lfmvc-cs gaps.csv b.csv --clusters 2 --dims 2
try onefold fit --method os-lfmvc-cs gaps.csv b.csv --clusters 2 --dims 2 --impute mean -q
try onefold fit --method os-lfmvc-cs gaps.csv b.csv --clusters 2 --dims 2 --impute mode
try onefold info gaps.csv b.csv --impute median --clusters 2 --json >info.json
json 'd["notes"]' <info.json
try onefold synth out.npz --views 2 --missing 0.6
ls out.npz
