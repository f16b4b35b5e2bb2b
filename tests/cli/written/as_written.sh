# SPDX-License-Identifier: Apache-2.0
# Tables as spreadsheets, instruments and other programs write them, each with what must come out.
python3 "$ONEFOLD_SOURCE/tests/cli/written/check.py"
