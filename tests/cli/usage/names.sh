# SPDX-License-Identifier: Apache-2.0
# Kernels and methods are checked before any data is read.
try onefold fit data.mat --clusters 5 --kernel rbg
try onefold fit data.mat --clusters 5 --kernel gaussian
try onefold fit data.mat --clusters 5 --kernel rbf,cosin
try onefold fit data.mat --clusters 5 --kernel rbf,
try onefold fit data.mat --clusters 5 --method os-lfmvc
try onefold fit data.mat --clusters 5 --method k-means
try onefold fit data.mat --clusters 5 --truth y --no-truth
