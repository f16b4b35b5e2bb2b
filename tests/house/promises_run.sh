#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every test that docs/reliability.md or docs/threats.md names beside a promise is one that ctest runs under that name,
# in this build or, of MPI, in that of its own stage. house/promises sees that each promise names one.
# usage: promises_run.sh SOURCE BUILD
set -eu
source=$1 build=$2
names() { awk '/^[|]/ { print }' "$1" | awk -F ' [|] ' '/^[|]/ { print $2 }' | grep -o '`[a-z0-9_-]*/[a-z0-9_/-]*`' | tr -d '`' | sort -u; }
run=$(ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p')
# those that are not run: prints them
unknown() {
    for name in $(names "$1"); do
        case $name in
        mpi/*) grep -qE "^foreach\((case .*\b${name#mpi/}\b|${name#mpi/} )" "$source/tests/comm/CMakeLists.txt" && continue ;;
        *) echo "$run" | grep -qxF "$name" && continue ;;
        esac
        echo "$name"
    done
}
for page in docs/reliability.md docs/threats.md; do
    count=$(names "$source/$page" | wc -l)
    [ "$count" -gt 30 ] || { echo "the tables of $page cannot be read: $count names"; exit 1; }
    bad=$(unknown "$source/$page")
    [ -z "$bad" ] || { echo "$page names what is not run:" $bad; exit 1; }
    echo "$page: $count tests hold what it says, and all of them are run"
done
made=$(mktemp "${TMPDIR:-/tmp}/onefold-promises-XXXXXX")
trap 'rm -f "$made"' EXIT INT TERM
printf '| promise | held by | what |\n| --- | --- | --- |\n| a | `io/none_of_these`, `io/write` | b |\n| c | `mpi/none` | d |\n## Not promised\n' >"$made"
[ "$(unknown "$made" | tr '\n' ' ')" = "io/none_of_these mpi/none " ] || { echo "a test that is not there is not noticed"; exit 1; }
