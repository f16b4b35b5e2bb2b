#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# reproducible.sh: builds and installs the release in two folders with other names, clocks, languages and
# numbers of jobs, without a compiler cache, and compares every installed file byte for byte.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$PWD/build/reproducible
rm -rf "$place"
export CCACHE_DISABLE=1
unset CMAKE_C_COMPILER_LAUNCHER

make_one() { # folder, jobs
    local tree=$place/$1
    mkdir -p "$tree"
    git ls-files -z --cached --others --exclude-standard | xargs -0 -I{} sh -c '[ ! -e "$1" ] || cp --parents "$1" "$2"' _ {} "$tree"
    (cd "$tree" && cmake --preset release -DONEFOLD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr &&
        cmake --build --preset release -j "$2" && DESTDIR=$tree/installed cmake --install build/release) >"$place/$1.log" 2>&1 ||
        { tail -n 20 "$place/$1.log"; echo "reproducible: the build in $tree failed" >&2; exit 1; }
}
(export TZ=Asia/Tokyo LC_ALL=C && umask 022 && make_one one "$(nproc)")
(export TZ=America/Lima LC_ALL=C.UTF-8 HOME=/nonexistent && umask 022 && make_one and-another-folder 1)

sums() { (cd "$place/$1/installed" && find . -type f | LC_ALL=C sort | xargs -d '\n' sha256sum); }
sums one >"$place/one.sums"
sums and-another-folder >"$place/another.sums"
if ! diff "$place/one.sums" "$place/another.sums"; then
    echo "reproducible: the files above differ between two builds" >&2
    exit 1
fi
echo "reproducible: $(wc -l <"$place/one.sums") installed files of two builds have the same bytes"
