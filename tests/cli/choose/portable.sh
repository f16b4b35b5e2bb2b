# SPDX-License-Identifier: Apache-2.0
# choose --portable: the same curve to the last bit, whatever kernels the BLAS would pick by itself.
made
choose() { onefold choose made.npz --min 2 --max 6 --json "$@" | json '[p for p in d["curve"]], d["suggested"]'; }
choose --portable >portable.txt 2>&1
if grep -q "needs OpenBLAS" portable.txt; then
    echo "this BLAS has no portable kernels: skipped"
    exit 77
fi
for core in Haswell Prescott Nehalem; do
    OPENBLAS_CORETYPE=$core GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 choose --portable >$core.txt
    cmp portable.txt $core.txt && echo "$core: the same bits"
done
# Labels, of which the curve is made, hide last bits; an objective shows that the kernels differ.
for core in Core2 Nehalem; do
    OPENBLAS_CORETYPE=$core onefold fit made.npz --method os-lfmvc-cs --clusters 4 --json | json 'd["trace"]' >$core.txt
done
cmp -s Core2.txt Nehalem.txt || echo "left to itself: other bits"
OPENBLAS_VERBOSE=2 OPENBLAS_CORETYPE=Nehalem onefold choose made.npz --min 2 --max 3 --portable 2>&1 >text.txt | grep Core
