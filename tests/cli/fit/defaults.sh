# SPDX-License-Identifier: Apache-2.0
# What help says the defaults are is what happens without the options.
# data whose joint kernel does not show the clusters, so that every option counts
onefold synth made.npz --samples 150 --views 3 --clusters 4 --columns 8 --separation 5 --balance 0.05 -q
fit() { onefold fit made.npz --clusters 4 --json "$@" | json '[v["weight"] for v in d["views"]], d["trace"], d["runs"], d["labels"]'; }
fit >plain
fit --method onefold --effort normal --kernel auto --dims 8 --anchors 8 --restarts 10 --start aligned \
    --variant exact --stop relative --tol 1e-6 --max-iter 100 --seed 0 --base auto \
    --precision double >spelt
cmp plain spelt && echo same
for other in '--dims 5' '--restarts 2' '--start paper' '--seed 3' '--kernel linear' \
    '--max-iter 1' '--tol 0.5'; do
    fit $other | cmp -s plain - && echo "no effect: $other"
done
fit --variant printed --nonneg --stop paper --anchors 3 >/dev/null && echo accepted
