#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# release.sh [--once] [--no-tests] [--only WORLD,...] [--site FOLDER]: every file of a release into build/release-files,
# with SHA256SUMS. The site is made first (--site: it is there already), for onefold-doc. Everything else is made twice, in
# two folders with other names, and must have the same bytes (--once: not). Then each file is tried in an empty system of
# its own (packaging/try.sh). The table of that is build/release-files.txt, and a run of all writes it and the sizes into
# docs/release.md (packaging/figures.py). `./dev release` installs what this needs.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD work=$PWD/build/release-work out=$PWD/build/release-files
once=0 tests=1 only= site=
while [ $# -gt 0 ]; do
    case $1 in
    --once) once=1 ;;
    --no-tests) tests=0 ;;
    --only) only=$2 && shift ;;
    --site) site=$(realpath "$2") && shift ;;
    *) sed -n '3,7p' "$0" && exit 2 ;;
    esac
    shift
done
version=$(packaging/version.py)
packaging/version.py --check
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -S Timestamp)
jobs=$(nproc)
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_ARGS PKG_CONFIG_PATH
unset CCACHE_BASEDIR CCACHE_NOHASHDIR # with them debug information, and so the build ID, has other names of files
umask 022
say() { printf '\033[1m%s\033[0m\n' "$*" >&2; }

# pack FOLDER FILE: FOLDER, in the folder where we are, as FILE.tar.gz: names in order, one time, no owner.
pack() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw \
        --format=ustar -cf - "$1" | gzip -9n >"$2"
}

# Runs a step quietly; its last lines are shown where it fails.
step() {
    local name=$1 log=$work/$step_in-$1.log began=$SECONDS status=0
    shift
    set +e
    (set -e && "$@") >"$log" 2>&1 # as a condition it would go on after a command that fails
    status=$?
    set -e
    if [ $status != 0 ]; then
        tail -n 25 "$log" >&2
        say "release: $name failed; all of it is in $log"
        exit 1
    fi
    say "  $step_in, $name: $((SECONDS - began)) s"
}

make_debs() { # in TREE, to FILES
    export DEB_BUILD_OPTIONS="parallel=$jobs noautodbgsym nocheck" DEB_BUILD_PROFILES=
    if command -v nvcc || [ -e /usr/local/cuda/bin/nvcc ]; then DEB_BUILD_PROFILES=pkg.onefold.cuda; fi
    (cd "$tree" && dpkg-buildpackage -us -uc -F)
    cp "$work/$step_in"/*.deb "$work/$step_in"/onefold_"$version".dsc "$work/$step_in"/onefold_"$version".tar.xz "$files/"
    lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$work/$step_in"/onefold_*.changes
    (cd "$tree" && rm -rf build && debian/rules clean)
}

make_wheel() {
    local place=$work/$step_in/wheel
    rm -rf "$place" && mkdir -p "$place"
    cp -R "$tree" "$place/tree"
    (cd "$place/tree" && CMAKE_ARGS="-DONEFOLD_PYTHON_WHOLE=ON -DCMAKE_C_FLAGS=-ffile-prefix-map=$place/tree=." \
        /usr/bin/python3 setup.py -q bdist_wheel)
    /usr/bin/python3 "$tree/packaging/wheel.py" "$place"/tree/dist/*.whl "$files"
    /usr/bin/python3 "$tree/packaging/wheel.py" --check "$files"/onefold-*.whl
}

# The vignette is made with a libonefold of ours; what is packed has its sources.
make_r() {
    local place=$work/$step_in/r
    rm -rf "$place" && mkdir -p "$place/prefix"
    dpkg-deb -x "$files"/libonefold1_*.deb "$place/prefix"
    dpkg-deb -x "$files"/libonefold-dev_*.deb "$place/prefix"
    cp -R "$tree/bindings/r" "$place/onefold"
    rm -f "$place"/onefold/src/*.o "$place"/onefold/src/*.so "$place"/onefold/src/Makevars
    "$tree/packaging/carry.sh" "$place/onefold/src/carried"
    local library
    library=$(dirname "$(find "$place/prefix" -name libonefold.so)")
    find "$place/onefold" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
    (cd "$place" && ONEFOLD_CFLAGS=-I$place/prefix/usr/include ONEFOLD_LIBS="-L$library -lonefold" \
        LD_LIBRARY_PATH=$library R CMD build onefold)
    rm -rf "$place/onefold"
    tar -C "$place" -xzf "$place/onefold_$version.tar.gz"
    sed -i "s/^Packaged:.*/Packaged: $(date -u -d "@$SOURCE_DATE_EPOCH" '+%Y-%m-%d %H:%M:%S') UTC; onefold/" "$place/onefold/DESCRIPTION"
    (cd "$place" && pack onefold "$files/onefold_$version.tar.gz")
}

make_octave() {
    local place=$work/$step_in/octave
    rm -rf "$place" && mkdir -p "$place"
    cp -R "$tree/bindings/octave" "$place/onefold-$version"
    rm -rf "$place/onefold-$version/tests" "$place/onefold-$version/.gitignore" "$place/onefold-$version"/src/*.mex \
        "$place/onefold-$version"/src/*.o
    "$tree/packaging/carry.sh" "$place/onefold-$version/src/carried"
    (cd "$place" && pack "onefold-$version" "$files/onefold-octave-$version.tar.gz")
}

make_source() {
    (cd "$work/$step_in" && pack "onefold-$version" "$files/onefold-$version.tar.gz")
}

wait_for_site() {
    while [ ! -e "$work/site.status" ]; do sleep 1; done
    [ "$(cat "$work/site.status")" = 0 ] || { tail -n 20 "$work/site.log" && false; }
}

make_all() { # NAME: everything into build/release-work/NAME/files, from a copy of the sources
    step_in=$1 tree=$work/$1/onefold-$version files=$work/$1/files
    rm -rf "${work:?}/$1" && mkdir -p "$tree" "$files"
    git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
        [ ! -e "$file" ] || printf '%s\0' "$file"
    done | xargs -0 cp --parents -t "$tree"
    say "Building in build/release-work/$1"
    step source make_source
    step octave make_octave
    step wheel make_wheel
    step site wait_for_site
    step debian make_debs
    step r make_r
    (cd "$files" && find . -type f | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >"$work/$1.sums")
}

mkdir -p "$work"
rm -f "$work/site.status"
if [ -z "$site" ]; then # beside the builds, of which the Debian packages wait for it
    site=$root/build/site
    (
        unset SOURCE_DATE_EPOCH
        status=0
        ./dev docs >"$work/site.log" 2>&1 || status=$?
        echo $status >"$work/site.status"
    ) &
else
    echo 0 >"$work/site.status"
fi
export ONEFOLD_SITE=$site
if command -v ccache >/dev/null; then # the first build may use what was compiled before; the second does not
    export PATH=/usr/lib/ccache:$PATH CCACHE_DIR=${CCACHE_DIR:-$root/build/cache} CMAKE_CUDA_COMPILER_LAUNCHER=ccache
fi
if [ $once = 1 ]; then
    make_all one
else
    (CCACHE_DISABLE=1 make_all and-another-folder) &
    second=$!
    make_all one
    wait $second
    if ! diff "$work/one.sums" "$work/and-another-folder.sums" >&2; then
        say "release: the files above differ between two builds"
        exit 1
    fi
    say "Two builds have the same bytes"
fi
rm -rf "$out" && cp -R "$work/one/files" "$out"
cp "$work/one.sums" "$out/SHA256SUMS"
(cd "$out" && sha256sum --quiet -c SHA256SUMS && ls -l | awk 'NF > 8 { printf "%10d  %s\n", $5, $9 }')
[ $tests = 1 ] || exit 0
[ -n "$only" ] || rm -rf "$work/rows"
bash packaging/try.sh "$out" $only
if [ $once = 0 ] && [ -z "$only" ]; then
    packaging/figures.py "$work/rows" docs/release.md
fi
