# SPDX-License-Identifier: Apache-2.0
# Where not all clusters are used, the summary says how many, why, and what to do.
for i in $(seq 1 24); do echo "$((i % 3 * 9)),$((i % 3 * i % 3)),$((i % 3))"; done >three.csv
for method in os-lfmvc-cs onefold; do
    onefold fit three.csv --clusters 6 --method $method --labels l.txt | grep -A 1 "in use"
    onefold fit three.csv --clusters 6 --method $method --json | json 'd["clusters_used"]'
done
