# SPDX-License-Identifier: Apache-2.0
# Progress as JSON lines: whole objects, stages in order; nothing of it without a terminal.
made
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --restarts 20 --progress json -q >labels 2>progress
python3 - <<'END'
import json
steps = [json.loads(line) for line in open("progress")]
stages = list(dict.fromkeys(step["stage"] for step in steps))
print([stage for stage in stages if stage in ("read", "base", "fit")])
print(all(0 <= step["done"] <= step["total"] or step["total"] == 0 for step in steps))
END
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q --progress auto 2>&1 >labels
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q --progress never 2>&1 >labels
