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

# Both copies before either is built: somebody may be at work here.
mkdir -p "$place/one"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ ! -e "$file" ] || printf '%s\0' "$file"
done | xargs -0 cp --parents -t "$place/one"
cp -R "$place/one" "$place/and-another-folder"

make_one() { # folder, jobs
    local tree=$place/$1
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
