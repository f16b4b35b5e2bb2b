# SPDX-License-Identifier: Apache-2.0
# With the labels in a file the summary has standard output.
made
onefold fit made.npz --clusters 4 --threads 2 --restarts 1 --labels labels.npy --embedding fused.csv

echo "-- the same in Unicode, with -v, and without truth"
LC_ALL=C.UTF-8 onefold fit made.npz --clusters 4 --threads 2 --restarts 1 --labels labels.npy -v \
    --no-truth

echo "-- a line per restart with -v, one of them the best"
onefold fit made.npz --method os-lfmvc-cs --clusters 4 --restarts 3 --labels labels.npy -v >summary
sed -n '/^restarts/,/^sizes/p' summary | sed 's/ *best$//'
grep -c 'best$' summary
grep -Eo 'best of 3 restarts: number [123] ' summary | sed 's/number ./number N/'

echo "-- many clusters have no bars"
onefold fit made.npz --clusters 30 --restarts 1 --labels labels.npy --no-truth |
    sed -n '/^sizes/,/^time/p' | grep -v ^time | sed -E 's/ *[0-9]+/ N/g'
