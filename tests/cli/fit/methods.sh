# SPDX-License-Identifier: Apache-2.0
# Every method of the build clusters what is easy, says so in sound JSON, and has the same bits for
# any number of threads.
made
onefold --version | sed -n 's/^methods //p' | tr ' ' '\n' >methods
while read -r method; do
    onefold fit made.npz --clusters 4 --method "$method" --threads 1 --json >one.json
    onefold fit made.npz --clusters 4 --method "$method" --threads 3 --json >three.json
    json 'd["labels"], d.get("trace"), [v["weight"] for v in d["views"]]' <one.json >one
    json 'd["labels"], d.get("trace"), [v["weight"] for v in d["views"]]' <three.json >three
    cmp one three
    json 'd["method"] == "'"$method"'" and d["scores"]["acc"] == 1 and sum(d["sizes"]) == 120 and len(d.get("trace", [])) == d.get("iterations", 0)' \
        <one.json | grep -qx True || json '"'"$method"': ", d["scores"], d["sizes"]' <one.json
done <methods

# A method's own option reaches it.
iterations() { onefold fit made.npz --clusters 4 --method mkkm --mkkm-tol 0 "$@" --json | json 'd["iterations"]'; }
iterations --mkkm-iterations 2
iterations --mkkm-iterations=3
