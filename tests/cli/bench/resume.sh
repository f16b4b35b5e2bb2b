# SPDX-License-Identifier: Apache-2.0
# Stopped by a signal after some cells, and gone on with: the same bytes as a run that was not.
onefold synth made.npz --samples 200 --views 3 --clusters 5 --columns 10 --separation 1.5 -q
command="onefold bench made.npz --methods os-lfmvc-cs,avg-kkm,mkkm --repeats 4 -q --json"
bench() { $command "$@"; }
bench >whole.json
$command --resume cells >stopped.json &
until [ -f cells ] && [ "$(wc -l <cells)" -ge 4 ]; do sleep 0.02; done
kill -TERM $! # a shell's background job ignores INT
wait $!
echo "stopped: $?"
sed -E "s/after [0-9]+ of/after some of/" stopped.json
before=$(wc -l <cells)
[ "$before" -lt 11 ] && echo "some cells are missing"
printf '{"key": "a line that was cut' >>cells
bench --resume cells >resumed.json
python3 - <<'P'
import json
keys = [json.loads(line)["key"] for line in list(open("cells"))[1:]]
cells = [c["key"] for c in json.load(open("resumed.json"))["cells"]]
assert len(set(keys)) == len(keys) and set(cells) <= set(keys), "a cell was kept twice, or not"
assert len(cells) == len(keys) == 11, "a cell was computed again"
P
for run in whole resumed; do
    python3 "$ONEFOLD_SOURCE/tests/cli/bench/masked.py" $run.json >$run.masked
done
cmp whole.masked resumed.masked && echo "the same bytes"
# A third run works nothing out: its times are those that were kept.
bench --resume cells >third.json
python3 - <<'P'
import json
a, b = json.load(open("resumed.json")), json.load(open("third.json"))
assert [c["seconds"] for c in a["cells"]] == [c["seconds"] for c in b["cells"]]
P
# Other data, another seed: nothing of the file is taken.
lines=$(wc -l <cells)
onefold synth made.npz --samples 200 --views 3 --clusters 5 --columns 10 --separation 1.6 -q
bench --grid none --resume cells --methods avg-kkm >/dev/null
bench --grid none --resume cells --methods avg-kkm --seed 1 >/dev/null
echo "$(($(wc -l <cells) - lines)) more cells"
