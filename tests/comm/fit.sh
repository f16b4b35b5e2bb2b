#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: fit.sh ONEFOLD MPIEXEC CASE
# What `mpirun -n R onefold fit` gives, for 1, 2 and 4 ranks and any number of threads, against the
# command by itself: labels, weights, objectives and the model's bytes, to the last bit. Then what happens when one of the
# ranks fails. The cases keep to more than 2^17 samples, which are split, but for `small`.
set -eu
onefold=$1 mpiexec=$2 case=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir ompi # of this test alone: runs that start at one time fail to make the folder that they share by default
export OMPI_MCA_orte_tmpdir_base=$PWD/ompi

fail() {
    echo "FAILED: $*"
    [ ! -s errors ] || sed 's/^/  /' errors
    exit 1
}

# Labels, weights, objective, trace and what is said of why in a fit's JSON, as one line.
digest() {
    /usr/bin/python3 -c '
import json, sys
fit = json.load(open(sys.argv[1]))
print(json.dumps([fit["labels"], [v["weight"] for v in fit["views"]], [v.get("base") for v in fit["views"]],
                  fit.get("objective"), fit.get("trace"), fit.get("best_restart"), [v["agreement"] for v in fit["views"]],
                  fit["agreement"], fit["confidence"], fit.get("explain"), fit.get("candidates")]))' "$1" | sha256sum
}

# Labels, confidence and distance of a prediction's JSON, and how many there are of what.
predicted() {
    /usr/bin/python3 -c '
import json, sys
d = json.load(sys.stdin)
print(json.dumps([d["labels"], d["confidence"], d["distance"], d["sizes"], d["far"]]))'
}

# The ways, "ranks:threads", that are tried: the first of those named, unless a full run is asked for.
# What the routes do with ranks is tried in every way by tests/model, whose ranks are threads.
tried() {
    if [ -n "${ONEFOLD_TEST_ALL-}" ]; then echo "$1"; else echo "${1%% *}"; fi
}

# same ROUTE WAYS ARGUMENTS...: every way gives what one process gives, its model's bytes too. ROUTE is - where
# base partitions have none.
same() {
    local route=$1 ways=$2 way alone
    shift 2
    "$onefold" fit --method "$METHOD" "$@" --json -q --model alone.model >alone.json 2>errors || fail "onefold fit $*"
    [ "$route" = - ] || grep -q "\"base\": *\"$route\"" alone.json || fail "the route is not $route"
    alone=$(digest alone.json)
    for way in $(tried "$ways"); do
        rm -f ranks.model
        "$mpiexec" -n "${way%:*}" "$onefold" fit --method "$METHOD" "$@" --threads "${way#*:}" --json -q --model ranks.model \
            >ranks.json 2>errors || fail "$way: onefold fit $*"
        [ "$alone" = "$(digest ranks.json)" ] || fail "$way: other bits: onefold fit $*"
        cmp alone.model ranks.model || fail "$way: another model: onefold fit $*"
    done
}

# refuses STATUS TEXT COUNT COMMAND...: mpirun ends with the status, and the text is said that often.
refuses() {
    local status=0 wanted=$1 text=$2 count=$3
    shift 3
    timeout 300 "$@" >output 2>errors || status=$?
    [ "$status" = "$wanted" ] || fail "status $status, not $wanted: $*"
    [ "$(grep -cF -- "$text" errors)" = "$count" ] || fail "said otherwise than '$text' $count times: $*"
    [ ! -s output ] || fail "standard output is not empty: $*"
}

# Two kernels of 700 samples, or a graph of as many, or of 135000, in more clusters than are asked for.
make_square() {
    /usr/bin/python3 - "$1" <<'END'
import sys
import numpy as np
n, random = 700, np.random.default_rng(1)
cluster = np.arange(n) % 3
if sys.argv[1] == "kernel":
    for view in 1, 2:
        x = random.normal(size=(n, 3)) + 3 * np.eye(3)[cluster]
        np.save(f"kernel.{view}.npy", np.exp(-((x[:, None] - x[None]) ** 2).sum(2) / 6))
    sys.exit()
if sys.argv[1] == "large":
    n = 135000
with open(f"graph.{sys.argv[1]}.mtx", "w") as out:
    to = random.integers(0, n // 5, size=(n, 10)) * 5 + (np.arange(n) % 5)[:, None]
    to[:, 0] = random.integers(0, n, size=n)
    out.write(f"%%MatrixMarket matrix coordinate real general\n{n} {n} {to.size}\n")
    np.savetxt(out, np.column_stack((np.repeat(np.arange(n), 10), to.ravel())) + 1, "%d %d 1")
END
}

METHOD=os-lfmvc-cs
case $case in
default) # by the default method: kernels, and graphs of all kinds
    METHOD=onefold
    "$onefold" synth d.npy --samples 135000 --views 2 --columns 8 --clusters 3 --separation 6 -q
    same - "4:1 2:1" d.1.npy d.2.npy --clusters 3 --landmarks 40
    # the other kinds of partitions by ranks that are threads: tests/model/test_split_default.c
    [ -n "${ONEFOLD_TEST_ALL-}" ] || exit 0
    "$onefold" synth e.npy --samples 135000 --views 2 --columns 4 --clusters 2 --separation 2 --balance 0.1 -q
    same - "3:2" e.1.npy e.2.npy --clusters 2 --landmarks 40
    ;;
nystrom)
    "$onefold" synth d.npy --samples 135000 --views 2 --columns 4 --clusters 3 -q
    same nystrom "4:3 1:2 2:1" d.1.npy d.2.npy --clusters 3 --landmarks 50 --restarts 3
    same nystrom "2:2 1:8 4:1" d.1.npy d.2.npy --clusters 3 --landmarks 50 --restarts 3 --precision single
    ;;
gram)
    "$onefold" synth d.csv --samples 135000 --views 2 --columns 5 --clusters 3 -q
    sed -i 1iheight,width,depth,weight,age d.1.csv # names for --explain
    same gram "4:1 1:3 2:1 2:8" d.1.csv d.2.csv --clusters 3 --kernel linear --restarts 3 --explain 3
    grep -q '"name": "\(height\|width\|depth\|weight\|age\)"' alone.json || fail "no column is named"
    same gram "3:2" d.1.csv d.2.csv --clusters 3 --kernel linear --restarts 3 --precision single
    ;;
krylov)
    "$onefold" synth d.npz --samples 135000 --views 1 --columns 300 --density 0.03 --separation 60 --clusters 2 -q
    same krylov "4:2 1:1 2:1" d.npz --clusters 2 --dims 2 --restarts 2
    ;;
graph)
    make_square large
    same krylov "4:1 1:2 2:1" graph.large.mtx --kernel graph --clusters 3 --dims 3 --restarts 2 --max-iter 5
    ;;
gpu) # one rank, one GPU, which the CPU stands in for
    export ONEFOLD_CUDA_LIBRARY=${ONEFOLD_CUDA_LIBRARY:-$OF_TEST_EMULATED}
    "$onefold" synth d.npy --samples 135000 --views 1 --columns 4 --clusters 3 --separation 6 -q
    set -- fit --method os-lfmvc-cs d.npy --clusters 3 --landmarks 16 --restarts 1 --max-iter 2 --precision single --device gpu
    "$onefold" "$@" --labels alone.npy >alone.txt 2>errors || fail "onefold $*"
    grep -q "base partitions of 1 of 1 views, and the solver" alone.txt || fail "one process is not on the GPU"
    for ranks in 3; do # gpu/ranks has two
        "$mpiexec" -n $ranks "$onefold" "$@" --threads 1 --labels ranks.npy >ranks.txt 2>errors || fail "$ranks ranks: onefold $*"
        grep -q "GPU.*, $ranks ranks): base partitions of 1 of 1 views" ranks.txt || fail "$ranks ranks are not on GPUs"
        cmp alone.npy ranks.npy || fail "$ranks ranks: other labels"
    done
    # of two ranks one has no GPU, or a GPU that fails
    cat >odd.sh <<'TEXT'
#!/usr/bin/env bash
[ "$OMPI_COMM_WORLD_RANK" != 1 ] || export ONEFOLD_EMULATED=$WRONG
exec "$ONEFOLD" "$@"
TEXT
    export ONEFOLD=$onefold
    WRONG=none refuses 6 "onefold: there is no GPU to use: no CUDA-capable device is detected" 1 "$mpiexec" -n 2 bash odd.sh "$@" -q --labels no.npy
    WRONG=busy refuses 6 "onefold: there is no GPU to use: all CUDA-capable devices are busy" 1 "$mpiexec" -n 2 bash odd.sh "$@" -q --labels no.npy
    [ ! -e no.npy ] || fail "labels were written"
    ;;
small) # below 2^17 samples every process has all of them
    "$onefold" synth d.mat --samples 900 --views 2 --columns 9 --clusters 3 -q
    same dense "1:1 2:1 4:2" d.mat --clusters 3 --restarts 3
    same nystrom "4:2 1:1 2:1" d.mat --clusters 3 --restarts 3 --base nystrom --landmarks 50
    same gram "2:1 1:1 4:2" d.mat --clusters 3 --restarts 3 --kernel linear
    if "$onefold" fit --method os-lfmvc-cs d.mat --clusters 3 --portable -q >/dev/null 2>&1; then # the BLAS may not have it
        same dense "2:2 1:1" d.mat --clusters 3 --restarts 3 --portable
    fi
    "$mpiexec" -n 2 "$onefold" fit --method os-lfmvc-cs d.mat --clusters 3 -q --labels ranks.csv
    "$onefold" fit --method os-lfmvc-cs d.mat --clusters 3 -q --labels alone.csv
    cmp ranks.csv alone.csv || fail "labels differ"
    "$onefold" synth gaps.npz --samples 900 --views 3 --columns 9 --clusters 3 --missing 0.2 -q
    same dense "2:1 1:1 4:2" gaps.npz --clusters 3 --restarts 3
    "$onefold" synth wide.npy --samples 1500 --views 1 --columns 600 --clusters 6 -q
    same krylov "2:1 1:1 4:2" wide.npy --clusters 3 --dims 3 --restarts 3 --kernel linear
    "$onefold" synth counts.npz --samples 1500 --views 1 --columns 300 --density 0.05 --separation 60 --clusters 6 -q
    same krylov "4:2 1:1 2:1" counts.npz --clusters 3 --dims 3 --restarts 3
    make_square kernel
    same dense "4:2 1:1 2:1" kernel.1.npy kernel.2.npy --kernel precomputed --clusters 3 --restarts 3
    make_square graph
    same krylov "2:1 1:1 4:2" graph.graph.mtx --kernel graph --clusters 3 --dims 3 --restarts 3
    "$onefold" synth many.npy --samples 5900 --views 1 --columns 3 --clusters 2 -q
    same tiles "2:1 1:2 4:1" many.npy --kernel rbf --base exact --clusters 2 --dims 2 --restarts 2 --max-iter 5
    METHOD=onefold
    same - "3:1 2:2 12:1" d.mat --clusters 3
    same - "2:2 5:1" gaps.npz --clusters 3
    same - "3:1" graph.graph.mtx --kernel graph --clusters 3
    same - "4:1" counts.npz --clusters 3 --effort quick
    ;;
predict)
    # new samples of both formats whose rows are split, and so few that they are not
    "$onefold" synth old.npy --samples 900 --views 2 --columns 4 --clusters 3 -q
    "$onefold" synth new.npy --samples 135000 --views 2 --columns 4 --clusters 3 -q
    "$onefold" synth new.csv --samples 135000 --views 2 --columns 4 --clusters 3 -q
    "$onefold" synth few.npy --samples 500 --views 2 --columns 4 --clusters 3 -q
    "$onefold" fit --method os-lfmvc-cs old.1.npy old.2.npy --clusters 3 -q --labels old.csv --model old.model
    "$onefold" fit --method os-lfmvc-cs old.1.npy old.2.npy --clusters 3 -q --labels old.csv --kernel linear --model other.model
    for asked in "old.model new.1.npy new.2.npy" "other.model new.1.csv new.2.csv" "old.model few.1.npy few.2.npy"; do
        "$onefold" predict $asked -q --labels alone.npy
        "$onefold" predict $asked --json | predicted >alone.txt
        for way in $(tried "4:1 1:1 2:2"); do
            on="$mpiexec -n ${way%:*} $onefold predict $asked --threads ${way#*:}"
            $on -q --labels ranks.npy 2>errors || fail "$on"
            cmp alone.npy ranks.npy || fail "$way: other labels: $on"
            $on --json 2>errors | predicted >ranks.txt || fail "$on"
            cmp alone.txt ranks.txt || fail "$way: other bits: $on"
        done
    done
    "$mpiexec" -n 2 "$onefold" predict old.model new.1.npy new.2.npy --labels ranks.npy >summary 2>errors
    grep -q "135000 samples" summary || fail "there is no summary"
    "$mpiexec" -n 2 "$onefold" predict old.model new.1.npy new.2.npy -q >output 2>errors
    "$onefold" predict old.model new.1.npy new.2.npy -q | cmp - output || fail "other labels on standard output"
    rm ranks.npy
    # one rank has another model, or none, or other data, or none
    cat >odd.sh <<'TEXT'
#!/usr/bin/env bash
model=old.model second=new.2.npy
[ "$OMPI_COMM_WORLD_RANK" != 1 ] || { model=$MODEL second=$SECOND; }
exec "$ONEFOLD" predict "$model" new.1.npy "$second" -q --labels ranks.npy
TEXT
    "$onefold" synth seed.npy --samples 135000 --views 2 --columns 4 --clusters 3 --seed 1 -q
    head -c 100000 new.2.npy >short.npy
    /usr/bin/python3 -c '
import numpy as np
x = np.load("new.2.npy")
x[100000, 2] = np.inf
np.save("bad.npy", x)'
    export ONEFOLD=$onefold MODEL=old.model SECOND=new.2.npy
    MODEL=other.model refuses 3 "rank 0 and rank 1 have different models" 1 "$mpiexec" -n 2 bash odd.sh
    MODEL=none.model refuses 5 "onefold: none.model: there is no such file" 1 "$mpiexec" -n 4 bash odd.sh
    SECOND=seed.2.npy refuses 3 "rank 0 and rank 1 have different data" 1 "$mpiexec" -n 4 bash odd.sh
    SECOND=few.2.npy refuses 3 "different" 1 "$mpiexec" -n 2 bash odd.sh
    SECOND=none.npy refuses 5 "onefold: none.npy: there is no such file" 1 "$mpiexec" -n 4 bash odd.sh
    SECOND=short.npy refuses 3 "onefold: short.npy: the array is truncated" 1 "$mpiexec" -n 4 bash odd.sh
    SECOND=bad.npy refuses 3 "onefold: sample 100001 of view 'bad' has an infinite value in column 3" 1 "$mpiexec" -n 2 bash odd.sh
    [ ! -e ranks.npy ] || fail "labels were written"
    ;;
failures)
    "$onefold" synth d.npy --samples 135000 --views 2 --columns 4 --clusters 3 -q
    "$onefold" synth e.npy --samples 134000 --views 2 --columns 4 --clusters 3 -q
    "$onefold" synth f.npy --samples 135000 --views 2 --columns 4 --clusters 3 --seed 1 -q
    head -c 100000 d.2.npy >short.npy
    # what rank 1 is given in place of the second view
    cat >odd.sh <<'TEXT'
#!/usr/bin/env bash
second=d.2.npy
[ "$OMPI_COMM_WORLD_RANK" != 1 ] || second=$ODD
exec "$ONEFOLD" fit --method os-lfmvc-cs d.1.npy "$second" --clusters 3 --kernel linear -q --labels labels.csv $ODD_OPTION
TEXT
    export ONEFOLD=$onefold ODD=d.2.npy ODD_OPTION= MORE=
    ODD=missing.npy refuses 5 "onefold: missing.npy: there is no such file" 1 "$mpiexec" -n 4 bash odd.sh
    ODD=short.npy refuses 3 "onefold: short.npy: the array is truncated: it is shorter than its header says" 1 \
        "$mpiexec" -n 4 bash odd.sh
    ODD=e.2.npy refuses 3 "rank 0 and rank 1 have different data" 1 "$mpiexec" -n 4 bash odd.sh
    ODD=f.2.npy refuses 3 "rank 0 and rank 1 have different data" 1 "$mpiexec" -n 2 bash odd.sh
    sed -i 's/^exec/[ "$OMPI_COMM_WORLD_RANK" != 1 ] || ODD_OPTION=$MORE\nexec/' odd.sh
    MORE="--seed 9" refuses 3 "rank 0 and rank 1 have different options" 1 "$mpiexec" -n 2 bash odd.sh
    MORE="--max-memory 3M" refuses 4 "are allowed" 1 "$mpiexec" -n 4 bash odd.sh
    refuses 2 "onefold: 135001 landmarks cannot be chosen from 135000 samples" 1 \
        "$mpiexec" -n 2 "$onefold" fit --method os-lfmvc-cs d.1.npy --clusters 3 --base nystrom --landmarks 135001
    refuses 2 "onefold: there is no kernel \"odd\"" 1 "$mpiexec" -n 3 "$onefold" fit --method os-lfmvc-cs d.1.npy --clusters 3 --kernel odd
    refuses 2 "onefold: info runs in one process, and 2 were started" 1 "$mpiexec" -n 2 "$onefold" info d.1.npy
    refuses 6 "onefold: --embedding and --layout are not available with several processes" 1 \
        "$mpiexec" -n 2 "$onefold" fit --method os-lfmvc-cs d.1.npy --clusters 3 --embedding labels.csv
    refuses 6 "avg-kkm is not split over processes" 1 "$mpiexec" -n 2 "$onefold" fit d.1.npy --clusters 3 --method avg-kkm
    # a rank that is killed takes the others along, and no labels are written. Now and then mpiexec
    # itself stays when all of its processes have ended, and does not heed TERM
    cat >killed.sh <<'TEXT'
#!/usr/bin/env bash
words=(fit --method os-lfmvc-cs d.1.npy d.2.npy --clusters 3 --kernel rbf --restarts 50 -q --labels labels.csv)
[ "$OMPI_COMM_WORLD_RANK" = 1 ] || { echo $$ >>ranks; exec "$ONEFOLD" "${words[@]}"; }
"$ONEFOLD" "${words[@]}" &
sleep "$DELAY"
kill -KILL $!
wait $!
TEXT
    for DELAY in 0.1 1; do
        status=0
        : >ranks
        DELAY=$DELAY timeout -k 5 300 "$mpiexec" -n 3 bash killed.sh >/dev/null 2>errors || status=$?
        while read -r rank; do # a process that has ended may wait for somebody to ask how
            for _ in {1..3000}; do
                grep -qs ") [^Z]" "/proc/$rank/stat" || continue 2
                sleep 0.1
            done
            fail "rank 1 was killed after $DELAY s: process $rank is still there"
        done <ranks
        [ $status != 0 ] && [ $status != 124 ] || fail "rank 1 was killed after $DELAY s: exit status $status"
        [ ! -e labels.csv ] || fail "labels were written although a rank was killed after $DELAY s"
        ! ls .onefold-* >/dev/null 2>&1 || fail "a killed rank left a temporary file"
    done
    ;;
*) fail "there is no case $case" ;;
esac
