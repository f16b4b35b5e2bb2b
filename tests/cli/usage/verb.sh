# SPDX-License-Identifier: Apache-2.0
try onefold
try onefold fitt data.mat
try onefold frobnicate
try onefold --clusters 3 fit data.mat
try onefold ''
try onefold --json fitt
