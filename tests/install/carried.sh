#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# carried.sh SOURCE CC: the sources that the packages of R and Octave carry (packaging/carry.sh) compile by their own
# Makefile without an undeclared function, and every name that they leave open is one of BLAS, LAPACK, zlib or libc.
set -eu
source=$1 cc=$2
here=$(mktemp -d "${TMPDIR:-/tmp}/onefold-carried-XXXXXX")
trap 'rm -rf "$here"' EXIT INT TERM
fail() {
    echo "carried.sh: $*" >&2
    exit 1
}
sh "$source/packaging/carry.sh" "$here/carried" >"$here/log" 2>&1 || fail "carry.sh ended with $?: $(cat "$here/log")"
[ ! -s "$here/log" ] || fail "carry.sh said: $(cat "$here/log")"
make -C "$here/carried" -j2 libonefold.a CC="$cc" CFLAGS="-O0 -Werror=implicit-function-declaration" >"$here/log" 2>&1 ||
    fail "it does not compile: $(grep -E 'error|\*\*\*' "$here/log" | head -n 20)"
printf '#include "onefold.h"\nint main(void) { return onefold_version()[0] == 0; }\n' >"$here/main.c"
"$cc" -I"$here/carried/include" "$here/main.c" -o "$here/main" -Wl,-z,defs -Wl,--whole-archive "$here/carried/libonefold.a" \
    -Wl,--no-whole-archive -lopenblas -lz -lm -lpthread -ldl >"$here/log" 2>&1 ||
    fail "it does not link: $(grep undefined "$here/log" | sort -u | head -n 20)"
"$here/main" || fail "a program with it ended with $?"
echo "$(find "$here/carried" -name '*.c' | wc -l) files compile and link"
