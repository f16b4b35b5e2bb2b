#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# engine.sh SOURCE CMAKE CC FULL: the engine alone builds (ONEFOLD_ENGINE_ONLY) and needs no other library than BLAS, LAPACK
# and those of C; examples/engine.c fits and predicts with it, and says what it says with the whole library FULL, whose models
# the engine reads: the checksum of both is the same.
set -eu
source=$1 cmake=$2 cc=$3 full=$4
here=$(mktemp -d "${TMPDIR:-/tmp}/onefold-engine-XXXXXX")
trap 'rm -rf "$here"' EXIT INT TERM
fail() {
    echo "engine.sh: $*" >&2
    exit 1
}
{
    # a zlib or HDF5 that CMake would look for is not found
    "$cmake" -S "$source" -B "$here/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$cc" -DONEFOLD_ENGINE_ONLY=ON \
        -DONEFOLD_WERROR=ON -DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON &&
        "$cmake" --build "$here/build" -j2 && "$cmake" --install "$here/build" --prefix "$here/prefix"
} >"$here/log" 2>&1 || {
    tail -n 30 "$here/log"
    fail "the engine does not build alone"
}
shared=$(find "$here/prefix" -name libonefold.so)
[ -n "$shared" ] || fail "the engine is not installed"
! readelf -d "$shared" | grep -E 'NEEDED.*(libz|hdf5|json|bench)' || fail "the engine needs a library of files"
[ ! -e "$here/prefix/bin" ] || fail "the engine has a command"
! nm -D "$shared" | grep -E 'T onefold_(dataset_read|report|labels_writer)' || fail "the engine reads or writes files"

build() { # build NAME LIBRARY FILE: with the installed header
    "$cc" -std=c11 -O1 -Wall -Wextra -Werror -I"$here/prefix/include" "$3" "$2" -Wl,-rpath,"$(dirname "$2")" -o "$here/$1"
}
build alone "$shared" "$source/examples/engine.c"
build whole "$full" "$source/examples/engine.c"
"$here/alone" >"$here/alone.txt" || fail "the example fails with the engine"
"$here/whole" >"$here/whole.txt" || fail "the example fails with the whole library"
diff "$here/alone.txt" "$here/whole.txt" || fail "the engine says other things than the whole library"
grep -q '^240 samples in 4 clusters by onefold$' "$here/alone.txt" && grep -q '^60 of 60 new rows' "$here/alone.txt" || {
    cat "$here/alone.txt"
    fail "the example clusters badly"
}

# the bytes of a model: each reads the other's
cat >"$here/model.c" <<'END'
#include <onefold.h>
#include <stdio.h>
#include <string.h>
int main(int count, char **file)
{
    static char held[1 << 20];
    double numbers[80];
    void *bytes = held;
    size_t size = 0;
    onefold_dataset *dataset;
    onefold_result *result;
    onefold_model *model;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    FILE *at = fopen(file[1], count > 2 ? "wb" : "rb");
    if (count == 2) {
        size = fread(held, 1, sizeof held, at);
        if (onefold_model_decode(&model, NULL, held, size) == ONEFOLD_OK)
            return 0;
        printf("%s\n", onefold_last_error());
        return 1;
    }
    for (int i = 0; i < 80; i++)
        numbers[i] = i % 40 / 20 * 8 + i * 7 % 11 / 11.0;
    options.clusters = 2;
    options.keep_model = 1;
    return onefold_dataset_create(&dataset, NULL, 40) ||
           onefold_dataset_add_dense(dataset, "a", numbers, 2, 1, 40) ||
           onefold_fit(&result, NULL, dataset, &options) ||
           onefold_model_encode(&bytes, &size, NULL, onefold_result_describe(result)->model) ||
           fwrite(bytes, 1, size, at) != size || fclose(at);
}
END
build model-alone "$shared" "$here/model.c"
build model-whole "$full" "$here/model.c"
"$here/model-alone" "$here/by-alone" write && "$here/model-whole" "$here/by-whole" write || fail "no model was made"
cmp "$here/by-alone" "$here/by-whole" || fail "the models differ"
"$here/model-alone" "$here/by-whole" && "$here/model-whole" "$here/by-alone" || fail "a model is not read"

# what is of libonefold-bench is refused in words
echo '#include <onefold.h>
#include <stdio.h>
int main(void) { return onefold_compare(0, 0, 0, 0, 0) == ONEFOLD_UNSUPPORTED ? (puts(onefold_last_error()), 0) : 1; }' >"$here/refused.c"
build refused "$shared" "$here/refused.c"
"$here/refused" | grep -q 'libonefold-bench, which cannot be loaded: this is the engine alone' || fail "nothing says what is not there"
