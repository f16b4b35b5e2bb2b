#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fuzz.sh ONEFOLD PROGRAMS SECONDS [TARGET...]: fuzzes each target for so long, from the seeds of
# fuzz/seeds.sh, what was committed, and what earlier runs reached (build/fuzzing/corpus). A finding
# is a file in build/fuzzing/found/TARGET; the status is 1 where there is one. A line for each target, with the
# longest time and the most memory that an input took.
set -euo pipefail
cd "$(dirname "$0")/.."
onefold=$1 programs=$2 seconds=$3
shift 3
place=build/fuzzing
[ $# -gt 0 ] || set -- $(sed -n 's/^    TARGET(\([a-z0-9_]*\)).*/\1/p' fuzz/targets.h)
bash fuzz/seeds.sh "$onefold" "$place/seeds"
export ASAN_OPTIONS=allocator_may_return_null=1 OPENBLAS_NUM_THREADS=1
grep -qw avx2 /proc/cpuinfo && export OPENBLAS_CORETYPE=Haswell # as the tests
status=0 passed=0 failed=0
for target in "$@"; do
    [ -x "$programs/fuzz_$target" ] || { echo "fuzz: there is no target '$target'" >&2; exit 2; }
    mkdir -p "$place/corpus/$target" "$place/found/$target"
    rm -f "$place/found/$target"/*
    inputs=("$place/corpus/$target" "$place/seeds/$target")
    # what was found in h5ad keeps libhdf5 busy until its limit, and so would all that is made of it
    [ ! -d "tests/fuzz/inputs/$target" ] || [ $target = h5ad ] || inputs+=("tests/fuzz/inputs/$target")
    log=$place/$target.log
    "$programs/fuzz_$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=3000 -max_len=32768 \
        -malloc_limit_mb=1500 -print_final_stats=1 -artifact_prefix="$place/found/$target/" \
        "${inputs[@]}" >"$log" 2>&1 &
    own=$!
    if wait $own; then
        passed=$((passed + 1)) said=""
    else
        failed=$((failed + 1)) status=1
        said=$(grep -m1 -E 'does not hold|runtime error|ERROR: (Address|Leak|libFuzzer)' "$log" || tail -n 1 "$log")
    fi
    stat() { sed -n "s/^stat::$1: *//p" "$log"; }
    printf '%-8s %9s inputs, %6s places reached, at most %s s and %s MB%s\n' "$target" "$(stat number_of_executed_units)" \
        "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)" "$(stat slowest_unit_time_sec)" \
        "$(stat peak_rss_mb)" "${said:+: $said}"
    rm -rf /dev/shm/onefold-fuzz-$own-* # where a finding ended the process
done
echo "$passed targets without a finding, $failed with one"
exit $status
