# SPDX-License-Identifier: Apache-2.0
# Data that can be read and not used: row and column are named where there are any.
tiny_files
printf '1,2,3\n4,5,6\n7,8,9\n1,2,3\n' >short.csv
printf '1,2\n3,x\n5,6\n' >word.csv
printf '1,2\n3,4,5\n5,6\n' >ragged.csv
printf '1,2\n3,nan\n5,6\n' >nan.csv
printf '1,2\n3,4\n5,inf\n' >infinite.csv
try onefold fit a.csv short.csv --clusters 2
try onefold fit word.csv --clusters 2
try onefold fit ragged.csv --clusters 2
try onefold fit nan.csv --clusters 2
try onefold fit infinite.csv --clusters 2
try onefold info word.csv
try onefold convert nan.csv out.npz
ls
