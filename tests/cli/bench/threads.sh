# SPDX-License-Identifier: Apache-2.0
# The same bytes for any number of threads, times and memory apart.
onefold synth made.npz --samples 150 --views 3 --clusters 4 --columns 8 --separation 1 -q
for threads in 1 2 3; do
    onefold bench made.npz --repeats 3 --restarts 2 --grid 'os-lfmvc-cs:paper;sb-kkm:paper' --threads $threads --json >$threads.json
    python3 "$ONEFOLD_SOURCE/tests/cli/bench/masked.py" $threads.json >$threads.masked
done
cmp 1.masked 2.masked && cmp 1.masked 3.masked && echo "the same bytes"
