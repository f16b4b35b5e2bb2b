# SPDX-License-Identifier: Apache-2.0
try onefold fit data.mat --base exakt
try onefold fit data.mat --base fast
try onefold fit data.mat --start random
try onefold fit data.mat --variant prnted
try onefold fit data.mat --stop never
try onefold fit data.mat --precision half
try onefold fit data.mat --progress loud
try onefold fit data.mat --samples-are row
try onefold fit data.mat --samples-are Rows
