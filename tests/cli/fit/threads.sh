# SPDX-License-Identifier: Apache-2.0
# The same bits for any number of threads: labels, weights, every objective.
onefold synth dense.npz --samples 700 --views 3 --clusters 6 --separation 2 -q
onefold synth sparse.mat --samples 700 --views 2 --clusters 6 --columns 300 --density 0.05 -q
for data in dense.npz sparse.mat; do
    for threads in 1 2 3 8; do
        onefold fit --method os-lfmvc-cs $data --clusters 6 --threads $threads --json |
            json '[v["weight"] for v in d["views"]], d["trace"], d["runs"], d["labels"]' >$threads.txt
        cmp 1.txt $threads.txt && echo "$data $threads"
    done
done
