#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# bench.sh SOURCE SHARED BENCH STATIC CC: a program that is linked with libonefold alone has every method and
# the tests of significance; libonefold loads libonefold-bench where one of these is asked for, and not for its own methods;
# where that library is not there, it says so and fits by its own. What src/onefold.map lists under ONEFOLD_PRIVATE is
# what libonefold-bench calls, neither more nor less. The static library has all of it.
set -eu
export LC_ALL=C
source=$1 shared=$2 bench=$3 static=$4 cc=$5
here=$(mktemp -d "${TMPDIR:-/tmp}/onefold-bench-XXXXXX")
trap 'rm -rf "$here"' EXIT INT TERM
fail() {
    echo "bench.sh: $*" >&2
    exit 1
}
says() { # says WHAT TEXT...: the program's output, less what differs from build to build
    grep -qx "$2" "$here/$1" || {
        cat "$here/$1"
        fail "$1 does not say '$2'"
    }
}

mkdir "$here/lib"
cp "$shared" "$here/lib/libonefold.so.1"
cp "$bench" "$here/lib/libonefold-bench.so.1"
build() {
    "$cc" -std=c11 -O1 -Wall -Wextra -Werror -I"$source/include" "$source/tests/install/bench.c" "$@"
}
build "$here/lib/libonefold.so.1" -Wl,-rpath,"$here/lib" -o "$here/program"
! readelf -d "$here/program" "$here/lib/libonefold.so.1" | grep 'NEEDED.*bench' || fail "libonefold-bench is linked"
! readelf -d "$here/lib/libonefold-bench.so.1" | grep -E 'R(UN)?PATH' || fail "libonefold-bench has a path of the build"

"$here/program" onefold mkkm >"$here/with"
[ "$(grep -c '^method ' "$here/with")" = 9 ] || fail "there are not nine methods"
[ "$(sed -n '1s/method //p' "$here/with")" = os-lfmvc-cs ] || fail "the paper's method is not the first"
for line in 'method lsgmc' 'method onefold' 'onefold: 2 clusters' 'mkkm: 2 clusters' 'compared 2 methods'; do
    says with "$line"
done

# a fit by a method of the engine does not open it
cat >"$here/quiet.c" <<'END'
#include <onefold.h>
int main(void)
{
    double numbers[80];
    for (int i = 0; i < 80; i++)
        numbers[i] = i % 40 / 20 * 8 + i * 7 % 11 / 11.0;
    onefold_dataset *dataset;
    onefold_result *result;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 2;
    return onefold_dataset_create(&dataset, NULL, 40) ||
           onefold_dataset_add_dense(dataset, "a", numbers, 2, 1, 40) ||
           onefold_fit(&result, NULL, dataset, &options);
}
END
"$cc" -std=c11 -I"$source/include" "$here/quiet.c" "$here/lib/libonefold.so.1" -Wl,-rpath,"$here/lib" -o "$here/quiet"
LD_DEBUG=files LD_DEBUG_OUTPUT="$here/opened" "$here/quiet" || fail "the default does not fit"
! grep -q libonefold-bench "$here"/opened.* || fail "the default's fit loads libonefold-bench"

rm "$here/lib/libonefold-bench.so.1"
"$here/program" onefold mkkm >"$here/without"
[ "$(grep -c '^method ' "$here/without")" = 2 ] || fail "the engine has other methods than two"
says without 'onefold: 2 clusters'
says without "mkkm: there is no method 'mkkm'; the methods without libonefold-bench, which is not here, are os-lfmvc-cs, onefold"
says without 'compare: .*libonefold-bench.so.1: cannot open shared object file.*; install it beside libonefold'

# one of another release is refused
echo 'const char *table[32] = {"0.0.1"}; const void *of_bench_table(void) { return table; }' >"$here/other.c"
"$cc" -shared -fPIC "$here/other.c" -o "$here/lib/libonefold-bench.so.1"
"$here/program" >"$here/other"
says other 'compare: .*: it is of another version of onefold; install it beside libonefold'

# the static library has it
nm "$static" 2>/dev/null | grep -q ' T of_bench_table$' || fail "the static library lacks libonefold-bench"

nm -D --undefined-only --with-symbol-versions "$bench" | sed -n 's/.* \(of_[a-z_]*\)@ONEFOLD_PRIVATE$/\1/p' | sort >"$here/called"
sed -n '/ONEFOLD_PRIVATE {/,$p' "$source/src/onefold.map" | grep -o '\bof_[a-z_]*' | sort >"$here/listed"
[ -s "$here/called" ] || fail "libonefold-bench calls nothing"
diff "$here/called" "$here/listed" || fail "src/onefold.map lists (>) other functions than libonefold-bench calls (<): tools/private.py BUILD --update"
nm -D --defined-only "$bench" | awk '$2 == "T" { print $3 }' | grep -v '^of_bench_table@' && fail "libonefold-bench shows more than its table"
exit 0
