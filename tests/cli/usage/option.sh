# SPDX-License-Identifier: Apache-2.0
# Unknown options: the nearest, the verbs that have it, or where to look.
try onefold fit data.mat --cluster 5
try onefold fit data.mat --max-mem 5
try onefold fit data.mat --wholly-unknown
try onefold fit data.mat --samples 5
try onefold score a b --restarts 5
try onefold fit data.mat -x
try onefold fit data.mat -qx
try onefold fit data.mat --json=yes
try onefold fit data.mat --no-truth=1
try onefold fit data.mat --os-lfmvc-cs-nothing 3
