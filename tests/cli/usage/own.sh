# SPDX-License-Identifier: Apache-2.0
# A method's own options: known to its method, and checked before the data is read.
fit() { onefold fit data.npz --clusters 4 -q "$@" >/dev/null; }
try fit --rmsc-lambda 0.1
try fit --method avg-kkm --rmsc-lambda 0.1
try fit --method rmsc --rmsc-lamda 0.1
try fit --method rmsc --rmsc-lambda
try fit --method rmsc --rmsc-lambda ''
try fit --method rmsc --rmsc-lambda 0.1,tol=3
try fit --method rmsc --rmsc-lambda much
try fit --method rmsc --rmsc-lambda 5x
try fit --method rmsc --rmsc-lambda -1
try fit --method rmsc --rmsc-input sined
try fit --method rmsc --rmsc-input=transition --rmsc-lambda 0.01
try onefold convert data.npz x.mat --rmsc-lambda 1
