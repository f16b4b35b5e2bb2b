#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# together.sh COMMAND LIBRARY: outputs of a run belong together. A fit that writes four files over old ones
# is killed at, or fails in, each call that brings them to the disk. None is placed before all are finished:
# what goes wrong until then leaves all old ones. Each file is always there.
set -u
command=$1 library=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
export OPENBLAS_NUM_THREADS=1 LC_ALL=C.UTF-8
"$command" synth small.npz --samples 60 --views 2 --clusters 3 --columns 4 -q || exit 2
outputs="out.csv out.npy out.ofm out.html"
words="fit small.npz --method os-lfmvc-cs --clusters 3 --threads 1 -q --labels out.csv --embedding out.npy --model out.ofm --report out.html"
runs=0 bad=0 killed=0

attempt() { # call:place:how
    local file status old=0 new=0 gone=0
    for file in $outputs; do echo old >$file; done
    ONEFOLD_FAULT=$1 LD_PRELOAD=$library timeout 300 "$command" $words >printed 2>said
    status=$?
    runs=$((runs + 1))
    for file in $outputs; do
        if [ ! -e $file ]; then
            gone=$((gone + 1))
        elif [ "$(head -c 4 $file | tr -d '\0')" = old ]; then
            old=$((old + 1))
        else
            new=$((new + 1))
        fi
    done
    if [ $status -ge 128 ]; then
        killed=$((killed + 1)) && rm -f .onefold-*
    elif compgen -G '.onefold-*' >/dev/null; then
        echo "$1: left $(echo .onefold-*)" && bad=$((bad + 1)) && rm -f .onefold-*
    fi
    if [ $gone != 0 ]; then
        echo "$1: $gone files are gone" && bad=$((bad + 1))
    elif [ $status = 0 ] && [ $new != 4 ]; then
        echo "$1: ended well, with $new files" && bad=$((bad + 1))
    elif [ $status != 0 ] && [ $old != 4 ] && [[ $1 = fsync* ]]; then
        echo "$1: status $status, and $old of the old files" && cat said && bad=$((bad + 1))
    elif [ $status != 0 ] && [ $status -lt 128 ] && [[ $1 = rename* ]] && [ $new != $((${1//[!0-9]/} - 1)) ]; then
        echo "$1: status $status, and $new files" && cat said && bad=$((bad + 1))
    fi
}

ONEFOLD_FAULT_COUNTS=counts LD_PRELOAD=$library "$command" $words || exit 2
while read -r call count; do
    case $call in
        rename | fsync)
            for ((place = 1; place <= count; place++)); do
                attempt $call:$place:kill 2>/dev/null
                attempt $call:$place:EIO
            done ;;
    esac
done <counts
"$command" $words || bad=$((bad + 1))
echo "$runs runs: $killed killed, $bad badly"
[ $bad = 0 ] && [ $killed -ge 8 ]
