#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No test reads a clock: what passes on a quick machine passes on a busy one. What must be prompt is shown by what
# happened before what. Those that may are named here, each with its reason.
# usage: times.sh SOURCE
set -eu
cd "$1"
clocks='clock_gettime|gettimeofday|timedwait|of_clock_seconds|[^a-z_]time\(NULL|[^a-z_]time ?\(\)|time\.(time|monotonic|perf_counter|process_time)|Sys\.time\(\)|proc\.time|system\.time|[^a-z_](tic|toc|cputime|clock) ?\(|performance\.now|Date\.now|Process(or)?Time|EPOCH(REAL|SECONDS)|[$]{?SECONDS|SECONDS -|- SECONDS|date \+%'
may='^tests/house/times\.sh$'                                 # this list
may="$may|^tests/base/test_context\.c\$"                      # the clock itself: it goes forward
may="$may|^web/report/test/browser\.mjs\$"                    # how long a page took to open is printed
may="$may|^bindings/r/tests/testthat/test-frames\.R\$"        # a column of times, as data
may="$may|^tests/gpu/real/hold\.cu\$"                         # another process, which holds the GPU for so long
read_clocks() { # files: those that read one
    grep -lE "$clocks" "$@" | grep -vE "$may" || true
}
files=$(find tests bindings/python/tests bindings/r/tests bindings/octave/tests web/report/test web/site/test -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.sh' -o -name '*.py' -o -name '*.m' -o -name '*.R' -o -name '*.mjs' -o -name '*.cu' -o -name '*.cpp' \))
count=$(echo "$files" | wc -l)
[ "$count" -gt 300 ] || { echo "times.sh: $count files of tests were found, not all"; exit 1; }
bad=$(read_clocks $files)
[ -z "$bad" ] || { echo "these tests read a clock:" && grep -nE "$clocks" $bad; exit 1; }
made=$(mktemp "${TMPDIR:-/tmp}/onefold-times-XXXXXX")
trap 'rm -f "$made"' EXIT INT TERM
for line in 'clock_gettime(CLOCK_MONOTONIC, &time);' '  now_ = time ();' 'now <- as.numeric(Sys.time())' 'began = time.monotonic()'; do
    echo "$line" >"$made"
    [ "$(read_clocks "$made")" = "$made" ] || { echo "times.sh: a clock is not noticed: $line"; exit 1; }
done
echo "$count files of tests, and none reads a clock"
