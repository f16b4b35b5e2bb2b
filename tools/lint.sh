#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lint.sh: cppcheck over src/ and cli/; exceptions, with reasons, are in tools/cppcheck.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
cppcheck --quiet --std=c11 --enable=warning,portability --inline-suppr --suppress=missingIncludeSystem \
    --suppressions-list=tools/cppcheck.txt --error-exitcode=1 --template='{file}:{line}: {id}: {message}' \
    -I include -I src -I cli -D_GNU_SOURCE -DONEFOLD_WITH_HDF5=1 -DONEFOLD_WITH_JSON=1 src cli
echo "cppcheck: nothing to say of $(find src cli -name '*.c' | wc -l) files"
