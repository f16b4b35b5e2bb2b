# SPDX-License-Identifier: Apache-2.0
# Progress is one stage after the base partitions, and the work can be interrupted.
made
onefold choose made.npz --max 4 --json --progress json 2>&1 >/dev/null | python3 -c '
import json, sys
steps = [json.loads(line) for line in sys.stdin]
print(sorted({s["stage"] for s in steps}))
done = [s["done"] / s["total"] for s in steps if s["stage"] == "choose"]
print(done == sorted(done), done[0], done[-1])'
onefold synth large.npz --samples 3000 --views 4 --clusters 8 -q
try press INT choose onefold choose large.npz --max 300 >out
wc -c <out
