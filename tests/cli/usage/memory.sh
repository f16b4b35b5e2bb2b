# SPDX-License-Identifier: Apache-2.0
for wrong in 0 -5M 5x M 5MM 5KB% 101% 0% 1e30T nan '5 G'; do
    try onefold fit data.mat --clusters 5 --max-memory "$wrong"
done
