#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# host.sh SOURCE SHARED COMMAND CC: the library changes nothing in the program that loads it (host.c);
# the command starts itself again where OpenBLAS has picked kernels older than the processor.
set -eu
source=$1 shared=$2 command=$3 cc=$4
here=$(mktemp -d "${TMPDIR:-/tmp}/onefold-host-XXXXXX")
trap 'rm -rf "$here"' EXIT INT TERM
"$cc" -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$source/include" "$source/tests/install/host.c" -o "$here/host" -ldl -lm
cp "$shared" "$here/libcopy.so"
needed=$(ldd "$shared" | awk '/=> \// { print $3 }')
(cd "$here" && ./host "$shared" "$here/libcopy.so" $needed)

cat >"$here/old.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
char *openblas_get_corename(void)
{
    static char old[] = "Prescott";
    char *(*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "openblas_get_corename");
    return getenv("OPENBLAS_CORETYPE") && real ? real() : old;
}
END
"$cc" -shared -fPIC "$here/old.c" -o "$here/old.so" -ldl
unset OPENBLAS_CORETYPE
said=$(LD_PRELOAD=$here/old.so "$command" info --machine)
echo "$said"
case $said in
*BLAS*OpenBLAS*) ;;
*) exit 0 ;; # another BLAS
esac
case $(grep -w -o -m 1 -E 'avx512vl|avx2' /proc/cpuinfo | sort -u | tail -n 1) in
'') echo "$said" | grep -q 'without AVX2' ;;
*) ! echo "$said" | grep '^kernels' | grep -q 'without AVX2' ;;
esac
