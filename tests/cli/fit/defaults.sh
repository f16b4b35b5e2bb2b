# SPDX-License-Identifier: Apache-2.0
# What help says the defaults are is what happens without the options.
# A fit labels all samples of these: k-means has no restarts.
onefold synth made.npz --samples 150 --views 3 --clusters 4 --columns 8 --separation 4 --balance 0.05 --seed 10 -q
fit() { onefold fit made.npz --clusters 4 --json "$@" | json '[v["weight"] for v in d["views"]], d.get("trace"), d.get("runs"), d.get("candidates"), d["labels"]'; }
fit >plain
fit --method onefold --effort normal --kernel auto --restarts 2 --seed 0 >spelt
cmp plain spelt && echo same
for other in '--effort quick' '--effort thorough' '--restarts 10' '--seed 3' '--kernel linear'; do
    fit $other >other
    cmp -s plain other && echo "no effect: $other"
done
# Options of os-lfmvc-cs as they are by default are no options of another method.
fit --start aligned --variant exact --stop relative --tol 1e-6 --max-iter 100 --base auto \
    --precision double >spelt
cmp plain spelt && echo same
for other in '--anchors 8' '--start paper' '--variant printed' --nonneg '--stop paper' '--tol 0.5' \
    '--max-iter 1' '--base exact' '--precision single'; do
    try onefold fit made.npz --clusters 4 $other
done

fit --method os-lfmvc-cs >plain
fit --method os-lfmvc-cs --kernel auto --dims 8 --anchors 8 --restarts 10 --start aligned \
    --variant exact --stop relative --tol 1e-6 --max-iter 100 --seed 0 --base auto \
    --precision double >spelt
cmp plain spelt && echo same
for other in '--dims 5' '--restarts 2' '--start paper' '--seed 3' '--kernel linear' \
    '--max-iter 1' '--tol 0.5'; do
    fit --method os-lfmvc-cs $other >other
    cmp -s plain other && echo "no effect: $other"
done
fit --method os-lfmvc-cs --variant printed --nonneg --stop paper --anchors 3 >/dev/null && echo accepted
