# SPDX-License-Identifier: Apache-2.0
# What there is differs from machine to machine; with kernels that are asked for by name, what is said of them does not.
mask() { sed -E 's/^(processor +).*/\1NAME/; s/(OpenBLAS )[0-9.]+.*/\1VERSION/; /^GPU /d'; }
OPENBLAS_CORETYPE=Prescott try onefold info --machine | mask
OPENBLAS_CORETYPE=Haswell try onefold info --machine | mask | grep -v '^warning' # of processors with AVX-512
try onefold info --machine more.npy
try onefold info --machine --json
