#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program in which something was skipped must not pass: skipping.sh PROGRAM TEST, which has tests on
# real data beside others. Without the data it exits with 77 and says why; its other tests go on by themselves.
set -u
fail() { echo "$*"; exit 1; }
ONEFOLD_SHARED=/nowhere
export ONEFOLD_SHARED
"$1" "$2" --real >skipping.log 2>&1
[ $? = 77 ] || fail "skipped tests ended with another status than 77"
grep -q '^skipped: the data set data/.* is not here' skipping.log || fail "it was not said what is missing"
"$1" "$2" >skipping.log 2>&1
[ $? = 77 ] || fail "skipped tests among others ended with another status than 77"
grep -q 'OK' skipping.log || fail "the others were not run"
"$1" "$2" --made >skipping.log 2>&1 || fail "tests that need no data failed without it"
if grep -q 'SKIPPED' skipping.log; then fail "a test that needs data is among those that need none"; fi
rm -f skipping.log
