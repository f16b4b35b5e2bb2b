# SPDX-License-Identifier: Apache-2.0
# --device where the library for a GPU cannot be loaded: gpu says so, auto and cpu go on by the CPU.
export ONEFOLD_CUDA_LIBRARY=/nowhere/libonefold-cuda.so
onefold synth made.npz --samples 200 --clusters 3 -q
try onefold fit made.npz --clusters 3 --device gpu -q
onefold fit made.npz --clusters 3 --method os-lfmvc-cs -q >cpu.txt
onefold fit made.npz --clusters 3 --method os-lfmvc-cs -q --device auto >auto.txt
cmp cpu.txt auto.txt && echo "auto: the same labels"
