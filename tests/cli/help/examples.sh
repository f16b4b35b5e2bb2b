# SPDX-License-Identifier: Apache-2.0
# The examples of each verb run, in their order, with nothing but what they make themselves.
jq() { python3 -c '
import json, sys
found = json.load(sys.stdin)
for key in sys.argv[1].strip(".").split("."):
    found = found[key]
assert found is not None' "$1"; }
set -o pipefail
for verb in fit predict score choose bench experiment info convert report synth; do
    mkdir "$verb" && cd "$verb" || exit 1
    onefold "$verb" --help | sed -n '/^Examples$/,$p' | sed 1d >examples
    while IFS= read -r line; do
        eval "$line" >out 2>err || { echo "$verb: $line"; cat err; }
    done <examples
    echo "$verb: $(grep -c . examples) examples, $(grep -c "onefold $verb" examples) of $verb"
    cd ..
done
