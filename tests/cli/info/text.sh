# SPDX-License-Identifier: Apache-2.0
made
onefold info made.npz
echo
tiny_files
onefold info a.csv b.csv classes.txt
onefold info a.csv b.csv --clusters 3 | grep '^a fit'
onefold info a.csv | grep '^labels'
echo
onefold info a.csv b.csv classes.txt --kernel knn,auto --landmarks 4 | grep -A2 '^views'
