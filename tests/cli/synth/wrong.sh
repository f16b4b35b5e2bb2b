# SPDX-License-Identifier: Apache-2.0
try onefold synth out.npz --samples 3 --clusters 5
try onefold synth out.xyz
try onefold synth out
try onefold synth out.npz --density 0
try onefold synth out.npz --missing 1
try onefold synth out.npz --balance 0
try onefold synth out.npz --samples 2000000000 --columns 100000 --max-memory 1G
ls
