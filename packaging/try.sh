#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# try.sh FILES [WORLD,...]: each file of a release in an empty system of its own, made of the packages that
# apt has here. Neither our sources nor a compiler are in it, except where a package is built from its own
# sources (r-source, r-check, octave-source, source) or the test compiles a program (library). The table of what
# was installed where, what ran and how long it took from the empty system to the first labels is printed and
# kept beside FILES, and its rows in build/release-work/rows. Packages of the system are downloaded once, and are not
# part of the time. It enters other systems: root is needed.
set -euo pipefail
cd "$(dirname "$0")/.."
files=$(realpath "$1") only=${2-}
work=$PWD/build/release-work cache=$PWD/build/release-work/apt table=$files.txt
rows=$work/rows
# The longest first, which ends sooner where several are tried at a time.
worlds="r-check autopkgtest octave-source r-source source wheel octave r library python documents python-source command"
[ -z "$only" ] || worlds=${only//,/ }
[ "$(id -u)" = 0 ] || { echo "try.sh: to enter an empty system, be root" >&2 && exit 1; }
mkdir -p "$cache/partial" "$rows"

# The empty system: what is essential, and apt.
if [ ! -e "$work/base.tar" ]; then
    . /etc/os-release
    apt-get indextargets 'Created-By: Packages' "Origin: ${ID^}" --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' |
        sort -u >"$work/sources"
    mmdebstrap --quiet --variant=minbase --skip=cleanup/apt/lists "$VERSION_CODENAME" "$work/base-new.tar" "$work/sources"
    mv "$work/base-new.tar" "$work/base.tar"
fi

# inside SYSTEM SCRIPT: runs it there, with the files of the release in /files and the tests in /tests.
inside() {
    local system=$1
    unshare --mount --pid --fork bash -euc '
        system=$1 script=$2 files=$3 cache=$4 tests=$5
        mkdir -p "$system/files" "$system/tests" "$system/var/cache/apt/archives"
        mount -t proc proc "$system/proc"
        mount --bind /dev "$system/dev"
        mount --bind "$cache" "$system/var/cache/apt/archives"
        mount --bind "$files" "$system/files" && mount -o remount,ro,bind "$system/files"
        mount --bind "$tests" "$system/tests" && mount -o remount,ro,bind "$system/tests"
        exec chroot "$system" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive AUTOPKGTEST_TMP=/tmp bash -euc "$script"' \
        inside "$system" "$2" "$files" "$cache" "$work/tests"
}

# What a world installs, how it comes to its first labels, and what is run then; and whether a compiler may be
# there. The names of deb worlds are those of debian/tests.
apt="apt-get install -y -qq --no-install-recommends"
debs_of() { # the packages of a test of debian/tests; ours as files
    sed -n "/^Tests: $1\$/,/^\$/s/^Depends: //p" debian/tests/control | tr -d ',' | tr ' ' '\n' | while read -r name; do
        case $name in
        *onefold*) ls "$files/${name}"_*.deb | sed 's|.*/|/files/|' ;;
        *) echo "$name" ;;
        esac
    done
    ls "$files"/libonefold1_*.deb | sed 's|.*/|/files/|'
}
first_command="onefold synth /tmp/made.npz --samples 300 --clusters 3 -q && onefold fit /tmp/made.npz --clusters 3 -q --labels - | head -n 3"
first_python="-c 'import numpy, onefold; print(onefold.OneFold(n_clusters=2).fit_predict([numpy.random.rand(60, 4), numpy.random.rand(60, 3)])[:3])'"
first_r="Rscript --vanilla -e 'library(onefold); print(onefold(list(a = iris[1:2], b = iris[3:4]), 3)\$cluster[1:3])'"
first_octave="octave-cli -q --no-history --eval 'pkg load onefold; disp (onefold ({rand(60, 4), rand(60, 3)}, 2)(1:3))'"
settle() {
    compiler=no packages=$(debs_of "$1" | tr '\n' ' ') build=true first= then="/tests/$1"
    case $1 in
    command) first=$first_command ;;
    library)
        compiler=yes
        first="gcc /usr/share/doc/onefold/examples/fit.c \$(pkg-config --cflags --libs onefold) -o /tmp/first-fit && /tmp/first-fit" ;;
    documents) ;;
    python) first="python3 $first_python" ;;
    r) first=$first_r ;;
    octave) first=$first_octave ;;
    wheel) # NumPy is Debian's, with an OpenBLAS of its own
        packages="python3-venv python3-numpy libopenblas0-pthread"
        build="python3 -m venv --system-site-packages /env && /env/bin/pip install --quiet --no-index --no-deps /files/onefold-*.whl"
        first="/env/bin/python $first_python" then="/env/bin/python /tests/wheel.py" ;;
    python-source) # without what the build needs: one sentence that names the packages
        packages="python3-pip python3-setuptools python3-wheel"
        then='cd /tmp && tar -xzf /files/onefold-[0-9]*.tar.gz && cd onefold-* &&
            ! pip install --break-system-packages --no-index --no-build-isolation . >/tmp/said 2>&1 && cat /tmp/said &&
            grep -q "apt-get install cmake pkg-config gcc zlib1g-dev libopenblas-dev" /tmp/said &&
            ! grep Traceback /tmp/said && [ "$(wc -l </tmp/said)" -le 20 ]' ;;
    r-source) # with the reference BLAS, which is what R's own package depends on
        packages="r-base-dev r-cran-matrix" build="MAKEFLAGS=-j$(nproc) R CMD INSTALL /files/onefold_[0-9]*.tar.gz"
        first=$first_r then="/tests/r && ! ls /usr/lib/*/libopenblas* 2>/dev/null" compiler=yes ;;
    r-check)
        packages="r-base-dev r-cran-matrix r-cran-survival r-cran-testthat r-cran-knitr r-cran-rmarkdown r-bioc-multiassayexperiment
            r-cran-seuratobject pandoc devscripts qpdf"
        packages=$(echo $packages) compiler=yes
        then="cd /tmp && MAKEFLAGS=-j$(nproc) _R_CHECK_CRAN_INCOMING_REMOTE_=false R CMD check --as-cran --no-manual /files/onefold_[0-9]*.tar.gz &&
            /tests/clean-check onefold.Rcheck/00check.log" ;;
    octave-source)
        packages="octave octave-dev make"
        build="octave-cli -q --no-history --eval 'pkg install /files/$(cd "$files" && ls onefold-octave-*)'"
        first=$first_octave then=/tests/octave compiler=yes ;;
    source)
        packages=$(./dev packages | sed -n 's/^build: //p')
        build="cd /tmp && tar -xzf /files/onefold-[0-9]*.tar.gz && cd onefold-* &&
            cmake --preset release -DONEFOLD_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr >/dev/null &&
            cmake --build --preset release >/dev/null && cmake --install build/release >/dev/null"
        first=$first_command then="gzip -k /usr/share/man/man1/onefold.1 && /tests/command" compiler=yes ;;
    autopkgtest) ;;
    *) echo "try.sh: there is no world '$1'" >&2 && exit 2 ;;
    esac
}

# The tests of debian/tests as Debian runs them: autopkgtest installs the packages from an archive that it makes of them.
as_debian() {
    unshare --mount --pid --fork bash -euc '
        mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && mount --bind "$2" "$1/var/cache/apt/archives"
        shift 2
        exec autopkgtest "$@"' as_debian "$system" "$cache" --no-built-binaries --output-dir="$work/autopkgtest" \
        "$files"/*.deb "$files"/onefold_*.dsc -- chroot "$system"
}

rm -rf "$work/tests" && mkdir -p "$work/tests"
cp debian/tests/* packaging/tests/* "$work/tests/"
head="$(printf '%-14s %8s %9s %7s %9s %6s' world result 'first (s)' 'all (s)' packages MB)"

try_world() {
    local world=$1 system=$work/system-$1 log=$work/try-$1.log result=passed row
    settle "$world"
    rm -rf "$system" && mkdir -p "$system"
    tar -C "$system" -xpf "$work/base.tar"
    cp /etc/resolv.conf "$system/etc/"
    echo 'Debug::NoLocking "true";' >"$system/etc/apt/apt.conf.d/99shared" # the folder of downloads is that of other worlds too
    echo force-unsafe-io >"$system/etc/dpkg/dpkg.cfg.d/99thrown-away"
    if [ "$world" = autopkgtest ]; then
        local began
        began=$(date +%s.%N)
        rm -rf "$work/autopkgtest"
        as_debian >"$log" 2>&1 || { result=FAILED && tail -n 15 "$log" >&2; }
        # as many tests as there are, and each of them passed
        [ "$(grep -c 'PASS$' "$work/autopkgtest/summary")" = "$(grep -c ^Tests: debian/tests/control)" ] || result=FAILED
        echo "$(date +%s.%N) - $began" >"$system/tmp/all"
        dpkg-query --admindir="$system/var/lib/dpkg" -W -f 'x\n' | wc -l >"$system/tmp/count"
    else
        inside "$system" "
        flock /var/cache/apt/archives/one-at-a-time $apt --download-only $packages
        began=\$(date +%s.%N)
        $apt $packages
        ( $build )
        if [ -n '${first:+yes}' ]; then
            ( ${first:-true} )
            echo \"\$(date +%s.%N) - \$began\" >/tmp/first
        fi
        [ $compiler = yes ] || ! command -v gcc cc clang c99 || { echo 'there is a compiler'; exit 1; }
        [ ! -e /usr/include/onefold.h ] || [ $compiler = yes ]
        ( $then )
        echo \"\$(date +%s.%N) - \$began\" >/tmp/all
        dpkg-query -W -f 'x\n' | wc -l >/tmp/count
        " >"$log" 2>&1 || { result=FAILED && tail -n 15 "$log" >&2; }
    fi
    seconds() { awk '{ printf "%.1f", $1 - $3 }' "$system/tmp/$1" 2>/dev/null || echo -; }
    row=("$world" "$result" "$(seconds first)" "$(seconds all)" "$(cat "$system/tmp/count" 2>/dev/null || echo -)"
        "$(du -sm --exclude=./proc --exclude=./dev "$system" | cut -f 1)")
    printf '%-14s %8s %9s %7s %9s %6s\n' "${row[@]}" | tee -a "$table"
    (IFS=$'\t' && echo "${row[*]}") >"$rows/$world"
    rm -rf "$system"
}

# Several worlds at a time where ONEFOLD_WORLDS says how many; the times of each are longer then.
echo "$head" | tee "$table"
for world in $worlds; do
    settle "$world" # ends here where there is no such world
    rm -f "$rows/$world"
done
for world in $worlds; do
    while [ "$(jobs -rp | wc -l)" -ge "${ONEFOLD_WORLDS:-1}" ]; do wait -n || true; done
    try_world "$world" &
done
wait
for world in $worlds; do
    [ "$(cut -f 2 "$rows/$world" 2>/dev/null)" = passed ] || { echo "try.sh: $world did not pass" >&2 && failed=1; }
done
exit ${failed:-0}
