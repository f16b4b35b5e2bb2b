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
