# SPDX-License-Identifier: Apache-2.0
# The truth changes the scores and nothing else.
tiny_files
fit() { onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --dims 2 "$@"; }
fit --truth classes.txt --json >with
fit --json >without
json 'd["labels"], d["trace"], d["views"]' <with >a
json 'd["labels"], d["trace"], d["views"]' <without >b
cmp a b
json 'd["scores"]["acc"]' <with
json '"scores" in d' <without
printf 'no\nno\nno\nyes\nyes\nyes\n' >words.txt
fit --truth words.txt --json | json 'd["scores"]["acc"]'
try fit --truth missing.txt
try fit --truth nothing
printf '1\n2\n' >short.txt
try fit --truth short.txt
