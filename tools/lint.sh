#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lint.sh BUILD [cppcheck|tidy|analyzer]...: what three programs have to say of src/ and cli/; all three where
# none is named. BUILD is a build folder with compile_commands.json. What they say that is not so, with
# reasons: tools/cppcheck.txt, .clang-tidy, tools/analyzer.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
[ $# -gt 0 ] || set -- cppcheck tidy analyzer
jobs=$(nproc) status=0
mapfile -t files < <(find src cli -name '*.c' | LC_ALL=C sort)

run_cppcheck() {
    cppcheck --quiet --std=c11 --enable=warning,portability --inline-suppr --suppress=missingIncludeSystem \
        --suppressions-list=tools/cppcheck.txt --error-exitcode=1 --template='{file}:{line}: {id}: {message}' -j "$jobs" \
        -I include -I src -I cli -D_GNU_SOURCE -DONEFOLD_WITH_HDF5=1 src cli
}

run_tidy() {
    printf '%s\n' "${files[@]}" | xargs -P "$jobs" -n 8 clang-tidy -p "$build" --quiet 2>/dev/null
}

# gcc's analyzer does not follow a status through a macro to what it says of a variable: FILE OPTION REASON
# in tools/analyzer.txt are left out, and named there. FILE is what was compiled: macros warn at their header.
run_analyzer() {
    local flags said
    flags=$(/usr/bin/python3 - "$build" <<'PYTHON'
import json, re, sys
for entry in json.load(open(sys.argv[1] + "/compile_commands.json")):
    if entry["file"].endswith("/src/io/file.c"):
        words = entry["command"].split()
        print(" ".join(w for w in words if re.match(r"-(D|I|isystem|std)|/usr/include", w)))
        break
PYTHON
)
    said=$(printf '%s\n' "${files[@]}" | xargs -P "$jobs" -I{} sh -c \
        "gcc $flags -Icli -O1 -fanalyzer -fdiagnostics-plain-output -c {} -o /dev/null 2>&1 | sed -n 's|.*warning:|{}: &|p'" |
        while IFS= read -r line; do
            file=${line%%:*} option=$(sed -n 's/.*\[-W\(analyzer-[a-z-]*\)\].*/\1/p' <<<"$line")
            grep -q "^$file $option " tools/analyzer.txt || printf '%s\n' "$line"
        done)
    [ -z "$said" ] || { printf '%s\n' "$said" && return 1; }
}

for part in "$@"; do
    if "run_$part"; then
        echo "$part: nothing to say of ${#files[@]} files"
    else
        echo "$part: see above" && status=1
    fi
done
exit $status
