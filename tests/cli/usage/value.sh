# SPDX-License-Identifier: Apache-2.0
# Values that are missing or empty; "--" is not a value.
try onefold fit data.mat --clusters
try onefold fit data.mat --clusters --json
try onefold fit data.mat --clusters -- x
try onefold fit data.mat --clusters=
try onefold fit data.mat --clusters ''
try onefold fit data.mat --labels --embedding x.npy
