# SPDX-License-Identifier: Apache-2.0
# --portable: whatever kernels the BLAS would pick by itself, and whatever the C library would, it gives
# the same bits; without it the trace shows which were picked.
onefold synth made.mat --samples 400 -q
onefold fit --method os-lfmvc-cs made.mat --clusters 5 --restarts 3 --portable --json 2>errors |
    json '[v["weight"] for v in d["views"]], d["trace"], d["labels"]' >portable.txt
if grep -q "unsupported" portable.txt; then
    echo "this BLAS has no portable kernels: skipped"
    exit 77
fi
for core in Haswell Prescott Nehalem; do
    OPENBLAS_CORETYPE=$core GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 \
        onefold fit --method os-lfmvc-cs made.mat --clusters 5 --restarts 3 --portable --json |
        json '[v["weight"] for v in d["views"]], d["trace"], d["labels"]' >$core.txt
    cmp portable.txt $core.txt && echo "$core: the same bits"
done
# the kernels of an old processor, which any can run, round otherwise than those of a newer one
for core in Core2 Nehalem; do
    OPENBLAS_CORETYPE=$core onefold fit --method os-lfmvc-cs made.mat --clusters 5 --restarts 3 --json |
        json '[v["weight"] for v in d["views"]], d["trace"], d["labels"]' >$core.txt
done
cmp -s Core2.txt Nehalem.txt || echo "left to itself: other bits"
# OpenBLAS itself says which kernels it runs: first those of this processor, then, started again, others
OPENBLAS_VERBOSE=2 OPENBLAS_CORETYPE=Nehalem onefold fit --method os-lfmvc-cs made.mat --clusters 5 \
    --restarts 1 --portable -q 2>&1 >labels.txt | grep Core
# the name of the kernels is right, and another BLAS computes: its products tell
for blas in /usr/lib/*/blas/libblas.so.3; do
    [ -e "$blas" ] || continue
    LD_PRELOAD=$blas onefold fit made.mat --clusters 5 --portable -q >printed 2>said
    [ $? = 6 ] && grep -q "do not have the bits" said || cat said
done
