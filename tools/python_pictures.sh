#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of docs/python.md by running the tutorial itself, with the Python that has the
# package: tools/python_pictures.sh [PYTHON [FOLDER]], build/python-env/bin/python where ./dev test python made it,
# and docs/python.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${2:-docs/python}
mkdir -p "$folder"
ONEFOLD_PICTURES=$folder "${1:-build/python-env/bin/python}" -m doctest \
    -o NORMALIZE_WHITESPACE -o ELLIPSIS docs/python.md
