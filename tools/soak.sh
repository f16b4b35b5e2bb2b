#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# soak.sh BUILD MINUTES: for so long, rounds of 300 fits in a row and 64 at once in a process, and of
# commands on fresh data: synth, convert, fit, predict, choose, score. Labels, models and predictions
# are the same in every round, memory stays flat, and nothing is left behind. One line at the end.
set -euo pipefail
build=$(realpath "$1")
minutes=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
grep -qw avx2 /proc/cpuinfo && export OPENBLAS_CORETYPE=Haswell # as the tests
end=$((SECONDS + minutes * 60)) rounds=0 commands=0 first="" most=0
run() {
    "$build/cli/onefold" "$@" || { echo "soak: onefold $* ended with $?" >&2; exit 1; }
    commands=$((commands + 1))
}
while [ $SECONDS -lt $end ] || [ $rounds = 0 ]; do
    ONEFOLD_FITS=300 "$build/tests/onefold_tests" model/load >log 2>&1 || { cat log >&2; exit 1; }
    held=$(sed -n 's/.* \([0-9]*\) after all$/\1/p' log)
    [ "$held" -gt $most ] && most=$held
    threads=$((rounds % 3 + 1))
    run synth a.npz --samples 400 --views 3 --clusters 4 --missing 0.1 --seed 5 -q
    run convert a.npz a.mat -q
    run fit a.mat --clusters 4 --model m --labels l.csv --threads $threads -q
    run predict m a.npz --labels p.csv --threads $threads -q
    run choose a.npz --max 5 --threads $threads -q >choice.txt
    run score l.csv p.csv >score.txt
    now=$(grep -av "^time " m l.csv p.csv choice.txt score.txt | sha256sum)
    first=${first:-$now}
    [ "$now" = "$first" ] || { echo "soak: round $rounds differs from the first" >&2; exit 1; }
    rm -f log a.npz a.mat m l.csv p.csv choice.txt score.txt
    [ -z "$(ls -A)" ] || { echo "soak: left behind: $(ls -A)" >&2; exit 1; }
    rounds=$((rounds + 1))
done
echo "$minutes minutes: $rounds rounds, $((rounds * 366)) fits in a process, $commands commands; $most bytes held at most"
