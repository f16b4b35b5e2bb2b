# SPDX-License-Identifier: Apache-2.0
# Options of later work are known, and refused as such.
try onefold fit data.mat --clusters 5 --report r.html
try onefold fit data.mat --clusters 5 --report r.html --json
