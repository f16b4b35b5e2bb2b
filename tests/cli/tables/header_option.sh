# SPDX-License-Identifier: Apache-2.0
# --header yes and no, where the first line is in doubt.
printf '1,2,3\n4,5,6\n1,2,4\n9,9,9\n8,9,9\n9,8,9\n' >years.csv
for h in yes no; do onefold info years.csv --header $h | grep "^data"; done
onefold info years.csv | grep "^data"
printf '2001,2002,2003\n.1,.2,.3\n.1,.3,.3\n9,9,9\n9,8,9\n' >measured.csv
onefold info measured.csv | grep "^data"
onefold info measured.csv --header yes | grep "^data"
