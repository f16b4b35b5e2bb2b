# SPDX-License-Identifier: Apache-2.0
for wrong in abc '' -1 2 1e-6x nan inf -inf 0x1p-3 . e5; do
    try onefold fit data.mat --clusters 5 --tol "$wrong"
done
try onefold synth out.npz --noise 1.5
try onefold synth out.npz --density -0.1
try onefold synth out.npz --missing x
try onefold synth out.npz --separation -1
try onefold synth out.npz --balance 1.5
for wrong in -1 1.5 seven 18446744073709551616; do
    try onefold fit data.mat --clusters 5 --seed "$wrong"
done
