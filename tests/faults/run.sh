#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh COMMAND LIBRARY MAKER [long]: has one call of the system fail in each run of the command. It must end
# with its usual result, or with a sentence, its exit status and no half-written file; never by a signal.
# The short form takes a few calls of each kind, and 100 allocations of a fit with a model; the long one every
# call of every verb, or 150 of them, evenly spread, where there are more.
set -u
command=$1 library=$2 maker=$3 form=${4:-short}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
export OPENBLAS_NUM_THREADS=1 LC_ALL=C.UTF-8
# as the tests; and OpenBLAS's products for AVX-512 use their memory without a look whether they were given any
grep -qw avx2 /proc/cpuinfo 2>/dev/null && export OPENBLAS_CORETYPE=Haswell
runs=0 bad=0 stopped=0

"$command" synth small.npz --samples 60 --views 2 --clusters 3 --columns 4 -q || exit 2
"$command" convert small.npz small.mat -q || exit 2
"$command" convert small.npz table.csv -q && gzip -k table.1.csv || exit 2
"$command" fit small.npz --method os-lfmvc-cs --clusters 3 --threads 1 --labels truth.txt --model model.ofm -q || exit 2
"$command" fit small.npz --method os-lfmvc-cs --clusters 3 --threads 1 --json >fit.json || exit 2
[ "$maker" = none ] || "$maker" seven.mat || exit 2

# Name and words of each run; its output is out.
verbs=(
    "fit fit small.npz --method os-lfmvc-cs --clusters 3 --threads 1 --labels out.txt -q"
    "default fit small.mat --clusters 3 --threads 1 --labels out.txt -q"
    "model fit small.npz --method os-lfmvc-cs --clusters 3 --threads 1 --model out.ofm --labels out.txt -q"
    "report fit small.npz --method os-lfmvc-cs --clusters 3 --threads 1 --report out.html --labels out.txt -q"
    "convert_mat convert small.npz out.mat -q"
    "convert_npz convert small.mat out.npz -q"
    "table convert table.1.csv.gz table.2.csv out.npz -q"
    "predict predict model.ofm small.npz --threads 1 --labels out.txt -q"
    "score score truth.txt truth.txt --json"
    "info info small.mat"
    "choose choose small.npz --max 4 --threads 1 --json"
    "synth synth out.npz --samples 40 -q"
    "pages report fit.json out.html -q"
    "bench bench small.npz --methods avg-kkm --repeats 1 --grid none --threads 1 --csv"
)
[ "$maker" = none ] || verbs+=("child convert seven.mat out.npz -q")
[ "$form" = short ] && verbs=("${verbs[0]}" "${verbs[2]}" "${verbs[5]}" "${verbs[7]}" "${verbs[13]}" "${verbs[@]:15}")

# The same bytes, but for times in JSON and reports.
same() {
    case $1 in
        *.html) [ -s "$1" ] ;;
        *) cmp -s "$1" "whole/$(basename "$1")" ;;
    esac
}

problem() {
    bad=$((bad + 1))
    echo "FAULT $1: $2 ($3)"
    sed 's/^/    /' said | head -3
}

attempt() { # name fault words...
    local name=$1 fault=$2 status file
    shift 2
    rm -f out.*
    timeout 300 env ONEFOLD_FAULT="$fault" LD_PRELOAD="$library" "$command" "$@" >printed 2>said
    status=$?
    runs=$((runs + 1))
    case $status in
        0) ;;
        [1-7]) stopped=$((stopped + 1))
           # where the sentence itself could not be written there is none
           [ -s said ] || grep -q message printed || [[ $fault == write:* ]] || problem "$name $fault" "no sentence" "$status" ;;
        *) problem "$name $fault" "ended with $status" "$*" ;;
    esac
    for file in out.*; do
        [ -e "$file" ] || continue
        same "$file" || problem "$name $fault" "$file is not whole" "$status"
    done
    if [ $status = 0 ]; then
        for file in whole/out.*; do
            [ ! -e "$file" ] || [ -e "$(basename "$file")" ] || problem "$name $fault" "no $file" "$status"
        done
    fi
    compgen -G '.onefold-*' >/dev/null && problem "$name $fault" "left $(echo .onefold-*)" "$status" && rm -f .onefold-*
}

try_verb() { # name words...
    local name=$1 call count how place step
    shift
    rm -rf out.* whole && mkdir whole
    ONEFOLD_FAULT_COUNTS=counts LD_PRELOAD=$library "$command" "$@" >printed 2>said || {
        problem "$name" "does not work without faults" "$?"
        return
    }
    compgen -G 'out.*' >/dev/null && mv out.* whole/
    while read -r call count; do
        case $call in
            read | write) ways="EIO EINTR short" ;;
            malloc) ways=ENOMEM ;;
            fork) ways=EAGAIN ;;
            mmap | pages) ways=ENOMEM ;;
            open) ways="EIO EMFILE" ;;
            *) ways=EIO ;;
        esac
        [ "$call" = write ] && ways="ENOSPC $ways"
        [ "$form" = short ] && ways=${ways%% *}
        step=$((count / 150 + 1))
        [ "$form" = short ] && step=$((count / 3 + 1))
        # a factorisation without memory must not pass for one of numbers that have none: the model would differ
        [ "$form $name $call" = "short model malloc" ] && step=$((count / 100 + 1))
        for how in $ways; do
            for ((place = 1; place <= count; place += step)); do
                attempt "$name" "$call:$place:$how" "$@"
            done
        done
    done <counts
}

for verb in "${verbs[@]}"; do
    try_verb $verb
done
echo "$runs runs with a fault: $stopped ended with a sentence, $((runs - stopped - bad)) with the usual result, $bad badly"
[ $bad = 0 ] && [ $stopped -gt 10 ] # a library that is not heard would find nothing
