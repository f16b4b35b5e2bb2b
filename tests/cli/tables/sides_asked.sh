# SPDX-License-Identifier: Apache-2.0
# A side that was asked for is obeyed, or refused where ids, labels or other views say otherwise.
table rna.csv
table mirna.csv names=mir columns=4 order=3
try onefold fit rna.csv mirna.csv --clusters 3 --samples-are columns
try onefold fit rna.csv mirna.csv --clusters 3 --samples-are rows -q | sort | uniq -c | wc -l
table across.csv side=columns head=gene columns=9
table also.csv side=columns head=mirna names=mir columns=4 order=3
try onefold fit across.csv also.csv --clusters 3 --samples-are rows
try onefold fit across.csv also.csv --clusters 3 --samples-are columns -q | sort | uniq -c | wc -l
printf '1,2,3\n4,5,6\n7,8,9\n3,2,9\n' >bare.csv
printf '0\n1\n0\n1\n' >y.csv
try onefold info bare.csv --samples-are columns | grep '^data'
try onefold info bare.csv y.csv --samples-are columns
try onefold info rna.csv mirna.csv bare.csv
