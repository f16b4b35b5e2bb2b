# SPDX-License-Identifier: Apache-2.0
# How far it has come, and what is left, as JSON lines on standard error.
made
onefold bench made.npz --methods os-lfmvc-cs,avg-kkm --repeats 2 --restarts 100 --progress json --csv >/dev/null 2>steps
python3 - <<'P'
import json
steps = [json.loads(line) for line in open("steps")]
# Reports are 0.05 s apart at least: a hundred restarts keep the cells at work for long enough.
# On a busy machine the stage may be told before its first cell is.
bench = [s for s in steps if s["stage"] == "bench" and s.get("detail")]
assert len(bench) >= 2 and all(0 <= s["done"] <= s["total"] for s in bench), bench
assert "cell 1 of 10: os-lfmvc-cs" in bench[0]["detail"], bench[0]
assert any("left, cell " in s["detail"] for s in bench), bench
assert bench[-1]["done"] == bench[-1]["total"] == 10, bench[-1]
P
# A run of minutes says first how long it will take, where no bar is shown too; -q does not.
onefold synth large.npz --samples 1200 --views 3 --clusters 4 --columns 50 -q
command="onefold bench large.npz --methods lsgmc --repeats 1"
: >told # grep looks for it at once
$command >/dev/null 2>told &
until grep -q left told; do sleep 0.05; done
kill -TERM $! # a shell's background job ignores INT
wait $!
head -1 told | sed -E 's/about [0-9]+ (min|h) left/about so long left/'
timeout -s TERM 5 $command -q 2>&1 >/dev/null | grep -c left
