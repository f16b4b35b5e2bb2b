#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the build into a folder of its own, compiles examples/fit.c against it in three ways, and
# runs each; the other examples are compiled and run too. Also: the shared library shows names that
# start with onefold_, and those that src/onefold.map lists for libonefold-bench.
# usage: example.sh SOURCE BUILD CMAKE CC LIBDIR
set -eu
source=$1 build=$2 cmake=$3 cc=$4 libdir=$5
here=$(mktemp -d "${TMPDIR:-/tmp}/onefold-install-XXXXXX")
trap 'rm -rf "$here"' EXIT INT TERM
fail() {
    echo "example.sh: $*" >&2
    exit 1
}

"$cmake" --install "$build" --prefix "$here/prefix" >"$here/install.log" || {
    cat "$here/install.log"
    fail "the build cannot be installed"
}
for file in include/onefold.h bin/onefold "$libdir/libonefold.a" "$libdir/libonefold.so" \
    "$libdir/libonefold-bench.so.1" "$libdir/pkgconfig/onefold.pc" "$libdir/cmake/onefold/onefold-config.cmake"; do
    [ -e "$here/prefix/$file" ] || fail "$file is not installed"
done

shown=$(nm -D --defined-only "$here/prefix/$libdir/libonefold.so" |
    awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }')
[ -n "$shown" ] || fail "the shared library shows no names"
sed -n '/ONEFOLD_PRIVATE/,$p' "$source/src/onefold.map" | grep -o '\bof_[a-z_]*' >"$here/private"
others=$(echo "$shown" | grep -v '^onefold_\|^ONEFOLD_' | grep -vxF -f "$here/private" || true)
[ -z "$others" ] || fail "the shared library shows" $others
# every function of the header is there
sed -n 's/^[a-z].*[ *]\(onefold_[a-z_]*\)(.*/\1/p' "$source/include/onefold.h" | sort >"$here/declared"
echo "$shown" | sort >"$here/shown"
[ "$(wc -l <"$here/declared")" -ge 30 ] || fail "the header's functions were not found"
missing=$(comm -23 "$here/declared" "$here/shown")
[ -z "$missing" ] || fail "declared, and not in the library:" $missing

export PKG_CONFIG_PATH="$here/prefix/$libdir/pkgconfig"
flags="-std=c11 -O1 -Wall -Wextra -Werror"
"$cc" $flags "$source/examples/fit.c" $(pkg-config --cflags --libs onefold) \
    -Wl,-rpath,"$here/prefix/$libdir" -o "$here/fit-shared"
"$cc" $flags "$source/examples/fit.c" "$here/prefix/$libdir/libonefold.a" \
    $(pkg-config --static --cflags --libs onefold | sed 's/-lonefold//') -o "$here/fit-static"

# every other example, each of which says what it did
for example in "$source"/examples/*.c; do
    name=$(basename "$example" .c)
    [ "$name" != fit ] || continue
    "$cc" $flags "$example" $(pkg-config --cflags --libs onefold) \
        -Wl,-rpath,"$here/prefix/$libdir" -o "$here/$name" || fail "$name.c cannot be compiled"
done

mkdir "$here/project"
cp "$source/examples/fit.c" "$here/project/"
cat >"$here/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(example LANGUAGES C)
find_package(onefold VERSION REQUIRED)
add_executable(fit fit.c)
target_link_libraries(fit PRIVATE onefold::onefold)
END
version=$(sed -n 's/^project(onefold VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
sed -i "s/VERSION REQUIRED/$version REQUIRED/" "$here/project/CMakeLists.txt"
{
    "$cmake" -S "$here/project" -B "$here/project/build" -DCMAKE_C_COMPILER="$cc" \
        -DCMAKE_PREFIX_PATH="$here/prefix" && "$cmake" --build "$here/project/build"
} >"$here/cmake.log" 2>&1 || {
    cat "$here/cmake.log"
    fail "find_package(onefold) does not give what it takes"
}

readelf -d "$here/fit-shared" | grep -q 'NEEDED.*libonefold' || fail "fit-shared is not shared"
! readelf -d "$here/fit-static" | grep -q 'NEEDED.*libonefold' || fail "fit-static is not static"
"$here/fit-shared" >"$here/out" || fail "fit-shared failed on synthetic data"
grep -q '^1000 samples$' "$here/out" || fail "fit-shared made no synthetic data"
"$here/prefix/bin/onefold" synth "$here/small.npz" --samples 120 --views 2 -q || fail "the command made no data"
for program in fit-shared fit-static project/build/fit; do
    "$here/$program" "$here/small.npz" >"$here/out" || fail "$program failed on a small file"
    grep -q '^120 samples$' "$here/out" || fail "$program did not read a small file"
    [ "$program" = fit-shared ] || cmp -s "$here/out" "$here/first" || fail "$program says other things"
    [ "$program" != fit-shared ] || cp "$here/out" "$here/first"
done
"$here/fit-shared" "$source/data/digits/digits.mat" >"$here/out" || fail "fit-shared failed on the digits"
grep -q '^1797 samples$' "$here/out" || fail "fit-shared did not read the digits"
grep -q '^10 clusters by onefold' "$here/out" || fail "fit-shared did not cluster"
awk '/^against the truth: ACC/ { good = $5 + 0 > 0.75 } END { exit !good }' "$here/out" || {
    cat "$here/out"
    fail "fit-shared clustered badly"
}
"$here/predict" "$here/made.model" >"$here/out" || fail "predict failed"
grep -q '2 views, 4 clusters, without training samples' "$here/out" || fail "predict did not read its model"
grep -q '^200 new samples labelled: all where they belong$' "$here/out" || {
    cat "$here/out"
    fail "predict labelled badly"
}
"$here/missing" >"$here/out" || fail "missing failed"
grep -q '^the new sample is in the last group: yes$' "$here/out" || fail "missing clustered badly"
grep -q '75 of 300 samples lack it' "$here/out" || fail "missing lost count"
"$here/choose" >"$here/out" || fail "choose failed"
grep -q '^suggested: 6 clusters$' "$here/out" || {
    cat "$here/out"
    fail "choose suggested another number"
}
"$here/explain" >"$here/out" || fail "explain failed"
# the colours see sport, which is green, and nothing else; the noise agrees with nothing
awk '/^cluster.*seen best by colours/ { sport = 1 } /^cluster.*seen best by words/ { sport = 0; words++ }
    sport && /^  words: (goal|match|coach) \+/ { green++ } sport && /^  colours: green \+0\.9/ { green++ }
    /^noise .*labels to 0\.0/ { noise = 1 } /^confidence: 0\.[5-9]/ { sure = 1 }
    END { exit !(green == 2 && words == 2 && noise && sure) }' "$here/out" || {
    cat "$here/out"
    fail "explain explained badly"
}
"$here/short" "$source/data/digits/digits.mat" >"$here/out" || fail "short failed"
[ "$(sort -nu "$here/out" | wc -l)" = 10 ] && [ "$(wc -l <"$here/out")" = 1797 ] || fail "short gave other labels"
if "$here/fit-shared" "$here/none.mat" >"$here/out" 2>"$here/errors"; then
    fail "a file that is not there did no harm"
fi
grep -q 'none.mat' "$here/errors" || fail "the file that is not there is not named"
