# SPDX-License-Identifier: Apache-2.0
try onefold fit data.mat --clusters 5 --dims 4
try onefold fit data.mat --clusters 5 --dims 0
try onefold fit data.mat --clusters 5 --anchors 0
try onefold fit data.mat --clusters 5 --restarts 0
try onefold fit data.mat --clusters 5 --restarts 3x
try onefold fit data.mat --clusters 5 --max-iter 0
try onefold fit data.mat --clusters 5 --threads 0
try onefold fit data.mat --clusters 5 --threads -1
try onefold fit data.mat --clusters 5 --threads 5000
try onefold fit data.mat --clusters 5 --landmarks 0
try onefold synth out.npz --samples 0
try onefold synth out.npz --views 0
try onefold synth out.npz --clusters 0
try onefold synth out.npz --columns 0
try onefold synth out.npz --columns 3,4
try onefold synth out.npz --columns 3,x,4
try onefold synth out.npz --columns 3,,4
try onefold synth out.npz --columns 3x
ls
