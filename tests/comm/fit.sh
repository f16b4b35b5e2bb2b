#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: fit.sh ONEFOLD MPIEXEC CASE
# What `mpirun -n R onefold fit` gives, for 1, 2 and 4 ranks and any number of threads, against the
# command by itself: labels, weights and objectives to the last bit. Then what happens when one of the
# ranks fails. The cases keep to more than 2^17 samples, which are split, but for `small`.
set -eu
onefold=$1 mpiexec=$2 case=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "FAILED: $*"
    [ ! -s errors ] || sed 's/^/  /' errors
    exit 1
}

# Labels, weights, objective and trace of a fit's JSON, as one line.
digest() {
    python3 -c '
import json, sys
fit = json.load(open(sys.argv[1]))
print(json.dumps([fit["labels"], [v["weight"] for v in fit["views"]], [v["base"] for v in fit["views"]],
                  fit["objective"], fit["trace"], fit["best_restart"]]))' "$1" | sha256sum
}

# same ROUTE WAYS ARGUMENTS...: every way, "ranks:threads", gives what one process gives.
same() {
    local route=$1 ways=$2 way
    shift 2
    "$onefold" fit "$@" --json -q >alone.json 2>errors || fail "onefold fit $*"
    grep -q "\"base\": *\"$route\"" alone.json || fail "the route is not $route"
    for way in $ways; do
        "$mpiexec" -n "${way%:*}" "$onefold" fit "$@" --threads "${way#*:}" --json -q >ranks.json 2>errors ||
            fail "$way: onefold fit $*"
        [ "$(digest alone.json)" = "$(digest ranks.json)" ] || fail "$way: other bits: onefold fit $*"
    done
}

# refuses STATUS TEXT COUNT COMMAND...: mpirun ends with the status, and the text is said that often.
refuses() {
    local status=0 wanted=$1 text=$2 count=$3
    shift 3
    timeout 60 "$@" >output 2>errors || status=$?
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: $*"
    [ "$(grep -cF -- "$text" errors)" = "$count" ] || fail "said otherwise than '$text' $count times: $*"
    [ ! -s output ] || fail "standard output is not empty: $*"
}

case $case in
nystrom)
    "$onefold" synth d.npy --samples 135000 --views 2 --columns 4 --clusters 3 -q
    same nystrom "1:2 2:1 4:3" d.1.npy d.2.npy --clusters 3 --landmarks 50 --restarts 3
    ;;
gram)
    "$onefold" synth d.csv --samples 135000 --views 2 --columns 5 --clusters 3 -q
    same gram "2:1 4:1 2:8" d.1.csv d.2.csv --clusters 3 --kernel linear --restarts 3
    same gram "3:2" d.1.csv d.2.csv --clusters 3 --kernel linear --restarts 3 --precision single
    ;;
krylov)
    "$onefold" synth d.npz --samples 135000 --views 1 --columns 300 --density 0.03 --separation 60 --clusters 2 -q
    same krylov "2:1 4:2" d.npz --clusters 2 --dims 2 --restarts 2
    ;;
small)
    "$onefold" synth d.mat --samples 900 --views 2 --columns 9 --clusters 3 -q
    same dense "2:1 4:2" d.mat --clusters 3 --restarts 3
    "$mpiexec" -n 2 "$onefold" fit d.mat --clusters 3 -q --labels ranks.csv
    "$onefold" fit d.mat --clusters 3 -q --labels alone.csv
    cmp ranks.csv alone.csv || fail "labels differ"
    ;;
failures)
    "$onefold" synth d.npy --samples 135000 --views 2 --columns 4 --clusters 3 -q
    "$onefold" synth e.npy --samples 134000 --views 2 --columns 4 --clusters 3 -q
    head -c 100000 d.2.npy >short.npy
    # what rank 1 is given in place of the second view
    cat >odd.sh <<'TEXT'
#!/usr/bin/env bash
second=d.2.npy
[ "$OMPI_COMM_WORLD_RANK" != 1 ] || second=$ODD
exec "$ONEFOLD" fit d.1.npy "$second" --clusters 3 --kernel linear -q --labels labels.csv $ODD_OPTION
TEXT
    export ONEFOLD=$onefold ODD=d.2.npy ODD_OPTION=
    ODD=missing.npy refuses 5 "onefold: missing.npy: there is no such file" 1 "$mpiexec" -n 4 bash odd.sh
    ODD=short.npy refuses 3 "onefold: short.npy: the array is truncated: it is shorter than its header says" 1 \
        "$mpiexec" -n 4 bash odd.sh
    ODD=e.2.npy refuses 3 "rank 0 and rank 1 have different data" 1 "$mpiexec" -n 4 bash odd.sh
    sed -i 's/^exec/[ "$OMPI_COMM_WORLD_RANK" != 1 ] || ODD_OPTION=$MORE\nexec/' odd.sh
    MORE="--seed 9" refuses 3 "rank 0 and rank 1 have different options" 1 "$mpiexec" -n 2 bash odd.sh
    MORE="--max-memory 3M" refuses 4 "are allowed" 1 "$mpiexec" -n 4 bash odd.sh
    refuses 2 "onefold: there is no kernel \"odd\"" 1 "$mpiexec" -n 3 "$onefold" fit d.1.npy --clusters 3 --kernel odd
    refuses 2 "onefold: info is done by one process, and 2 were started" 1 "$mpiexec" -n 2 "$onefold" info d.1.npy
    refuses 6 "avg-kkm is not split over processes" 1 "$mpiexec" -n 2 "$onefold" fit d.1.npy --clusters 3 --method avg-kkm
    [ ! -e labels.csv ] || fail "labels were written"
    ;;
*) fail "there is no case $case" ;;
esac
