# SPDX-License-Identifier: Apache-2.0
# docs/json.md has every key of every verb's JSON, and no other.
same() { python3 "$ONEFOLD_SOURCE/tests/cli/texts/json_keys.py" "$ONEFOLD_SOURCE/docs/json.md" "$@"; }
onefold synth made.npz --samples 90 --views 2 --clusters 3 --separation 9 -q
onefold synth lacking.npz --samples 90 --views 3 --clusters 3 --separation 9 --missing 0.2 -q
awk 'BEGIN { print "a,b"; for (i = 0; i < 60; i++) print i % 2 * 9 + i % 7 / 7 "," i % 5 / 5 }' >named.csv
{ echo id,a,b; sed 1d named.csv | awk '{ print "s" NR "," $0 }'; } >ids.csv
onefold fit made.npz --clusters 3 --model made.model --json >fit.json
onefold fit lacking.npz --clusters 3 --json >lacking.json
onefold fit named.csv --clusters 2 --explain 1 --method os-lfmvc-cs --parts parts.npy --json >named.json
onefold fit made.npz --clusters 3 --method sb-kkm --json >noted.json
onefold fit made.npz --clusters 3 --method onefold --json >several.json
onefold fit ids.csv --clusters 2 --method os-lfmvc-cs --model ids.model --json >ids.json
same fit fit.json ids.json lacking.json named.json noted.json several.json
onefold fit made.npz --clusters 3 --dry-run --json >dry.json
onefold fit made.npz --clusters 3 --method os-lfmvc-cs --base nystrom --dry-run --json >landmarks.json
same 'fit --dry-run' dry.json landmarks.json
onefold predict made.model made.npz --json >predict.json
onefold predict ids.model ids.csv --json >ids.predict.json
same predict predict.json ids.predict.json
seq 0 8 | sed 's/[3-8]/1/' >one.txt
seq 0 8 | sed 's/[4-8]/2/' >two.txt
onefold score one.txt two.txt --json >score.json
same score score.json
onefold choose made.npz --max 4 --json >choose.json
same choose choose.json
onefold info made.npz --json >info.json
same info info.json
onefold info made.model --json >model.json
same 'info MODEL' model.json
onefold convert made.npz made.mat --json >convert.json
onefold synth other.npz --samples 30 --json >synth.json
same 'convert and synth' convert.json synth.json
onefold bench made.npz --methods os-lfmvc-cs,sb-kkm --repeats 2 --grid sb-kkm:paper --json >bench.json 2>/dev/null
same bench bench.json
onefold fit none.npz --clusters 3 --json >error.json
onefold fit made.npz --json >usage.json
same 'any verb, on failure' error.json usage.json
true
