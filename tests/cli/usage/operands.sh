# SPDX-License-Identifier: Apache-2.0
try onefold fit
try onefold fit --clusters 3
try onefold fit '' --clusters 3
try onefold fit - --clusters 3 </dev/null
try onefold score
try onefold score a.txt
try onefold score a.txt b.txt c.txt
try onefold info
try onefold convert a.mat
try onefold synth
try onefold synth a.npz b.npz
