# SPDX-License-Identifier: Apache-2.0
# What is wrong in the file of a study, or with its data.
onefold synth made.npz --samples 40 --clusters 2 -q
onefold convert made.npz bare.npz --no-truth -q
printf '1\n2\n3\n' >three.txt
study() {
    printf '%s\n' "$1" >study.json
    shift
    try onefold experiment study.json "$@"
}
try onefold experiment nothing.json
study '{"sets": [{"data": "made.npz"}'
study '{"sets": [{"data": "nothing.npz"}]}'
study '{"sets": [{"data": "made.npz", "kernell": "rbf"}]}'
study '{"sets": [{"data": "made.npz", "kernel": "rfb"}]}'
study '{"sets": [{"data": "made.npz"}], "methods": ["mkmm"]}'
study '{"sets": [{"data": "made.npz"}], "methods": {"mkkm": "l1=2"}}'
study '{"sets": [{"data": "bare.npz"}], "methods": ["mkkm"]}'
study '{"sets": [{"data": "made.npz"}], "json": true}'
study '{"sets": [{"data": "made.npz"}], "methods": ["mkkm"], "repeats": 2, "others": [{"name": "x", "labels": {"made": "three.txt"}}]}'
study '{"sets": [{"data": "made.npz"}], "methods": ["mkkm"], "repeats": 2, "others": [{"name": "mkkm", "labels": {"made": "made.npz"}}]}'
study '{"sets": [{"data": "made.npz"}]}' --csv --latex
touch taken
study '{"sets": [{"data": "made.npz"}]}' --out taken
