# SPDX-License-Identifier: Apache-2.0
# Model, labels, confidence and distance have the same bits for any number of threads.
onefold synth made.npz --samples 2100 --views 3 --clusters 4 --columns 8 --separation 3 -q
for base in exact nystrom; do
    for threads in 1 2 3 8; do
        onefold fit --method os-lfmvc-cs made.npz --clusters 4 --base $base --landmarks 300 --restarts 2 --max-iter 5 --threads $threads --model $threads.model -q >/dev/null
        onefold predict 1.model made.npz --threads $threads --json |
            json 'd["labels"], d["confidence"], d["distance"]' | cksum
        cksum <$threads.model
    done | sort | uniq -c | sed -E 's/^ *([0-9]+) .*/\1/'
done
