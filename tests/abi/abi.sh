#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares what the shared library shows with tests/abi/onefold.abi: the symbols with their version
# node, the size of every public struct with the offset of each field, and the number of every enum
# value. Also compiles the header in four languages, and compares SONAME and symbols with those that the
# Debian package promises, debian/libonefold1.symbols.
# usage: abi.sh SOURCE LIBRARY CC CXX [--update]
set -eu
export LC_ALL=C # the order of names
source=$1 library=$2 cc=$3 cxx=$4 update=${5:-}
here=$(mktemp -d "${TMPDIR:-/tmp}/onefold-abi-XXXXXX")
trap 'rm -rf "$here"' EXIT INT TERM
header=$source/include/onefold.h
baseline=$source/tests/abi/onefold.abi
promised=$source/debian/libonefold1.symbols

# the header, and every initialiser, in every language it is meant for
{
    echo '#include <onefold.h>'
    grep -o 'ONEFOLD_[A-Z_]*_INIT' "$header" | sort -u | while read -r init; do
        type=$(echo "${init%_INIT}" | tr 'A-Z' 'a-z')
        echo "$type make_$type(void);"
        echo "$type make_$type(void) { $type made = $init; return made; }"
    done
} >"$here/all.c"
flags="-I$source/include -Wall -Wextra -Wpedantic -Werror -fsyntax-only"
for standard in c99 c11; do
    "$cc" -std=$standard $flags -x c "$here/all.c"
done
for standard in c++11 c++20; do
    "$cxx" -std=$standard $flags -x c++ "$here/all.c"
done

# layouts, from the header itself: a program prints them
python3 - "$header" >"$here/layout.c" <<'END'
import re, sys
text = re.sub(r'/\*.*?\*/', '', open(sys.argv[1]).read(), flags=re.S)
print('#include <onefold.h>\n#include <stdio.h>\nint main(void)\n{')
for body, name in re.findall(r'typedef struct onefold_\w+ \{(.*?)\} (onefold_\w+);', text, re.S):
    print(f'    printf("struct {name} %zu\\n", sizeof({name}));')
    for line in body.split(';'):
        pointer = re.search(r'\(\*(\w+)\)', line)
        names = [pointer.group(1)] if pointer else re.findall(r'(\w+)(?:\[\w+\])?\s*(?=,|$)', line.strip())
        for field in names:
            print(f'    printf("    {field} %zu\\n", offsetof({name}, {field}));')
for body in re.findall(r'enum(?: onefold_\w+)? \{(.*?)\}', text, re.S):
    for value in re.findall(r'(ONEFOLD_\w+)', body):
        print(f'    printf("value {value} %d\\n", (int){value});')
print('    return 0;\n}')
END
"$cc" -std=c11 -I"$source/include" "$here/layout.c" -o "$here/layout"
{
    nm -D --defined-only --with-symbol-versions "$library" | awk '$2 == "T" && !/@@ONEFOLD_PRIVATE$/ { print "symbol " $3 }' | sort
    "$here/layout"
} >"$here/now"
[ "$(grep -c '^symbol onefold_.*@@ONEFOLD_[1-9]' "$here/now")" -ge 60 ] || {
    echo "abi.sh: the symbols carry no version node" >&2
    exit 1
}
# the same for Debian: a symbol is there since the release of its node, or since the first that there is
version=$(sed -n 's/^project(onefold VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]$/\1/p')
[ "$soname" = libonefold.so.1 ] || {
    echo "abi.sh: the SONAME is '$soname' and not libonefold.so.1, which the packages are named by" >&2
    exit 1
}
{
    echo "$soname libonefold1 #MINVER#"
    echo "* Build-Depends-Package: libonefold-dev"
    {
        sed -n 's/^symbol \(.*\)@@ONEFOLD_\(.*\)/\1@ONEFOLD_\2 \2.0/p' "$here/now"
        sed -n 's/^ONEFOLD_\([0-9.][0-9.]*\) {.*/ONEFOLD_\1@ONEFOLD_\1 \1.0/p' "$source/src/onefold.map"
    } | sort | while read -r name since; do
        echo " $name $(printf '%s\n' "$since" "$version" | sort -V | head -n 1)"
    done
    # what libonefold-bench of the same package calls, and is called by
    echo " (symver)ONEFOLD_PRIVATE 1.0.0"
    echo "libonefold-bench.so.1 libonefold1 #MINVER#"
    echo "* Build-Depends-Package: libonefold-dev"
    echo " (symver)ONEFOLD_PRIVATE 1.0.0"
} >"$here/symbols"
if [ "$update" = --update ]; then
    cp "$here/now" "$baseline"
    cp "$here/symbols" "$promised"
    exit 0
fi
diff "$promised" "$here/symbols" || {
    echo "abi.sh: the symbols are not those of debian/libonefold1.symbols; see VERSIONING.md," >&2
    echo "and where it was meant: tests/abi/abi.sh SOURCE LIBRARY CC CXX --update" >&2
    exit 1
}
# what was there is there still; what is new may be added to the baseline
diff "$baseline" "$here/now" >"$here/difference" || {
    cat "$here/difference"
    echo "abi.sh: the public interface is not that of tests/abi/onefold.abi; see VERSIONING.md," >&2
    echo "and where it was meant: tests/abi/abi.sh SOURCE LIBRARY CC CXX --update" >&2
    exit 1
}
