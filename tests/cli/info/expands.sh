# SPDX-License-Identifier: Apache-2.0
# A packed table that unpacks to hundreds of times its size is refused before memory is full.
head -c 280000000 /dev/zero | tr '\0' '1' | gzip -6 >big.csv.gz
try onefold info big.csv.gz
seq 1 40000 | awk '{ print "0,0,0,0,0,0,0,0,0,0,0,0," $1 }' | gzip >small.csv.gz
onefold info small.csv.gz | head -n 1
