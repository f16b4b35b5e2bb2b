# SPDX-License-Identifier: Apache-2.0
try onefold fit data.mat
for wrong in 0 -3 5x x5 5.0 1e3 '5 ' ' 5' 0x5 +5 five 2147483648 99999999999999999999999; do
    try onefold fit data.mat --clusters "$wrong"
done
try onefold fit data.mat --clusters 5x --json
