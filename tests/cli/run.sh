#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs golden tests of the command:
#
#     run.sh [--update] ONEFOLD CASE.sh...
#
# A case is a script that runs in an empty folder with `onefold` on its path. What it writes must be
# CASE.stdout and CASE.stderr (no file: nothing), and its exit status that in CASE.status (no file:
# 0). Times, memory and the folder's name are masked. --update writes the expected files again: look
# at the difference before committing it. A case that exits with 77 is skipped.
set -u
update=0
[ "${1-}" = --update ] && update=1 && shift
onefold=$(realpath "$1")
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LC_ALL=C TERM=dumb ONEFOLD_SOURCE="$here/../.."
unset NO_COLOR COLUMNS MAKEFLAGS
# The same kernels of OpenBLAS whatever the processor is: others round otherwise, and of restarts that
# come to the same clusters another can be the best by a last digit, which numbers them otherwise.
if grep -qw avx2 /proc/cpuinfo 2>/dev/null; then export OPENBLAS_CORETYPE=Haswell; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$onefold" "$work/bin/onefold"
# Debian's, which has numpy and scipy; another that comes first may be a script that looks for it.
[ ! -x /usr/bin/python3 ] || ln -s /usr/bin/python3 "$work/bin/python3"
export PATH="$work/bin:$PATH"

mask() {
    sed -E \
        -e "s#$work/case#FOLDER#g" \
        -e 's/[0-9]+\.[0-9]+ s\b/T s/g' \
        -e 's/[0-9]+(\.[0-9]+)? [kMGT]?B (peak|are needed|of memory|or more)/M \2/g' \
        -e 's/[0-9]+(\.[0-9]+)? [kMGT]?B of the [0-9]+(\.[0-9]+)? [kMGT]?B free/M of the M free/g'
}

# One of the three things to compare: what came, what was expected, and what to call it.
same() {
    if [ "$update" = 1 ]; then
        if [ -s "$1" ] && ! { [ "$3" = status ] && [ "$(cat "$1")" = 0 ]; }; then
            cp "$1" "$2"
        else
            rm -f "$2"
        fi
        return 0
    fi
    local expected=$2
    if [ ! -f "$expected" ]; then
        expected=$work/expected
        if [ "$3" = status ]; then echo 0; else :; fi >"$expected"
    fi
    diff -u --label "expected $3" --label "$3" "$expected" "$1"
}

failed=0
for case in "$@"; do
    case=$(realpath "$case")
    rm -rf "$work/case"
    mkdir "$work/case"
    (cd "$work/case" && bash -c 'source "$0/lib.sh"; source "$1"' "$here" "$case" \
        >"$work/raw.stdout" 2>"$work/raw.stderr")
    status=$?
    if [ "$status" = 77 ]; then
        sed 's/^/skipped: /' "$work/raw.stdout"
        failed=$((failed ? failed : 77))
        continue
    fi
    echo "$status" >"$work/status"
    mask <"$work/raw.stdout" >"$work/stdout"
    mask <"$work/raw.stderr" >"$work/stderr"
    for what in stdout stderr status; do
        same "$work/$what" "${case%.sh}.$what" "$what" || failed=1
    done
done
exit "$failed"
