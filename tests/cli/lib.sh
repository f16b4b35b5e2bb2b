# SPDX-License-Identifier: Apache-2.0
# What the cases share; run.sh reads it before each.
set -u

# Runs a command, with the command before and its exit status after it on standard error.
try() {
    echo "\$ $*" >&2
    "$@"
    echo "-> $?" >&2
}

# Reads a JSON object and prints an expression of it, d: json 'd["samples"]' < file.
json() {
    python3 -c "
import json, sys
text = sys.stdin.read()
d = json.loads(text, parse_constant=lambda word: sys.exit('not JSON: ' + word))
assert text.count('\n') == 1, 'not one line'
print(d) if 'error' in d else print($1)"
}

# Runs a command, and sends it signals once it is in a stage: press SIGNALS STAGE COMMAND..., see press.py.
press() {
    python3 "$ONEFOLD_SOURCE/tests/cli/press.py" "$@"
}

# Two views of six samples and their classes, small enough to read.
tiny_files() {
    printf '0.0,0.1\n0.2,0.0\n0.1,0.2\n9.0,9.1\n9.2,9.0\n9.1,9.2\n' >a.csv
    printf '5,0,0\n4,0,1\n5,1,0\n0,5,4\n1,4,5\n0,5,5\n' >b.csv
    printf '1\n1\n1\n2\n2\n2\n' >classes.txt
}

# 120 samples in 4 clusters far apart, 3 views.
made() {
    onefold synth made.npz --samples 120 --views 3 --clusters 4 --columns 8 --separation 12 -q
}

# A table of 30 samples in three clusters: table FILE [NAME=VALUE...], see tables/make.py.
table() {
    python3 "$ONEFOLD_SOURCE/tests/cli/tables/make.py" "$@"
}

# Fits, and shows what was made of the files and how well it went: fitted FILE... [OPTION...].
fitted() {
    echo "\$ onefold fit $*"
    onefold fit "$@" --clusters 3 --labels fitted.txt >fitted.out 2>&1
    local status=$?
    if [ $status = 0 ]; then
        awk '/^views/ { on = 0 } /^data/ { on = 1 } on || /^scores/' fitted.out
    else
        cat fitted.out
        echo "-> $status"
    fi
}
