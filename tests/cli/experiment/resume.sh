# SPDX-License-Identifier: Apache-2.0
# Stopped by a signal and gone on with: the same numbers as a run that was not.
for i in 1 2; do
    onefold synth set$i.npz --samples 120 --clusters 4 --separation 1.5 --seed $i -q
done
cat >two.json <<'J'
{"repeats": 4, "methods": {"os-lfmvc-cs": "paper", "mkkm": "none", "fmkkm": "l1=2|4,l2=8"},
 "sets": [{"data": "set1.npz"}, {"data": "set2.npz"}]}
J
onefold experiment two.json -q --out whole >/dev/null
onefold experiment two.json -q --out stopped >said 2>error &
until [ -f stopped/cells/set2.cells ] && [ "$(wc -l <stopped/cells/set2.cells)" -ge 3 ]; do sleep 0.02; done
kill -TERM $!
wait $!
echo "stopped: $?"
sed -E 's/at set[12], set [12] of 2/at a set/' error
ls stopped
onefold experiment two.json -q --out stopped >/dev/null
grep -v 'seconds_\|peak_' whole/results.csv >whole.csv
grep -v 'seconds_\|peak_' stopped/results.csv | cmp - whole.csv && echo "the same numbers"
before=$(cat stopped/cells/*.cells | wc -l)
onefold experiment two.json -q --out stopped --markdown | head -1
[ "$(cat stopped/cells/*.cells | wc -l)" = "$before" ] && echo "nothing was computed again"
onefold experiment two.json --out stopped --dry-run | sed -E 's/: .* by/: T by/'
