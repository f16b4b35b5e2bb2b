#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# carry.sh PLACE: the sources of libonefold with a Makefile, into the folder PLACE, for packages that build
# the library themselves: with the Fortran BLAS and LAPACK of R or Octave, zlib and a C compiler. It reads
# everything but HDF5 (.mat 7.3, .h5ad, .h5mu).
set -eu
cd "$(dirname "$0")/.."
place=$1
rm -rf "$place"
mkdir -p "$place/include" "$place/other"
cp include/onefold.h "$place/include/"
cp packaging/carried/*.[ch] "$place/other/"
find src -type f | LC_ALL=C sort | while read -r file; do
    case $file in
    src/gpu/* | src/io/fence* | *CMakeLists.txt | *.map | *.o) continue ;;
    esac
    mkdir -p "$place/$(dirname "$file")"
    cp "$file" "$place/$file"
done
objects=$(cd "$place" && find src other -name '*.c' | LC_ALL=C sort | sed 's/\.c$/.o/')
{
    echo "# SPDX-License-Identifier: Apache-2.0"
    echo "# libonefold.a; made by packaging/carry.sh. No contraction: a fused multiply-add where the compiler sees"
    echo "# one would give other bits elsewhere. No debug information: R's check notes what is above 5 MB."
    echo "ONEFOLD_FLAGS = -std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc -Iother -fPIC -fvisibility=hidden -DOF_PRIVATE= \\"
    echo "    -ffp-contract=off -fno-math-errno -fno-trapping-math -g0"
    printf 'ONEFOLD_OBJECTS ='
    for object in $objects; do printf ' \\\n    %s' "$object"; done
    printf '\n\nlibonefold.a: $(ONEFOLD_OBJECTS)\n\t@rm -f $@\n\t@$(AR) crs $@ $(ONEFOLD_OBJECTS)\n'
    printf '\n.SUFFIXES: .c .o\n.c.o:\n\t@$(CC) $(CFLAGS) $(ONEFOLD_FLAGS) -c $< -o $@\n'
} >"$place/Makefile"
