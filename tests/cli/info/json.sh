# SPDX-License-Identifier: Apache-2.0
made
onefold info made.npz --json >info.json
json 'list(d)' <info.json
json 'd["files"], d["samples"], [c["samples"] for c in d["classes"]]' <info.json
json 'd["views"][0]' <info.json
json 'list(d["estimate"]), d["estimate"]["clusters"], d["estimate"]["input_bytes"] >= 3 * 120 * 8 * 8' <info.json
json 'd["estimate"]["partition_bytes"] >= 3 * 8 * 120 * 8, d["estimate"]["peak_bytes"] > d["estimate"]["partition_bytes"]' <info.json
onefold info made.npz --clusters 9 --json | json 'd["estimate"]["clusters"]'
onefold info made.npz --no-truth --json | json 'd["classes"], d["estimate"]["clusters"]'
