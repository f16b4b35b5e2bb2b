# SPDX-License-Identifier: Apache-2.0
# predict --portable: the same bits of labels, confidence and distance whatever kernels the BLAS would
# pick by itself; without it the labels of separated samples agree, and the rest shows what was picked.
digits=$ONEFOLD_SOURCE/data/digits/digits.mat
onefold fit --method os-lfmvc-cs "$digits" --clusters 10 --restarts 2 --portable --model digits.model -q >labels.txt 2>errors
if grep -q "needs OpenBLAS" errors; then
    echo "this BLAS has no portable kernels: skipped"
    exit 77
fi
predict() { onefold predict digits.model "$digits" --json "$@" | json 'd["labels"], d["confidence"], d["distance"]'; }
predict --portable >portable.txt
for core in Haswell Prescott Nehalem; do
    OPENBLAS_CORETYPE=$core GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2 predict --portable >$core.txt
    cmp portable.txt $core.txt && echo "$core: the same bits"
done
for core in Core2 Nehalem; do OPENBLAS_CORETYPE=$core predict >$core.txt; done
cmp -s Core2.txt Nehalem.txt || echo "left to itself: other bits"
# the labels are those of the fit, with these kernels too
onefold predict digits.model "$digits" --portable -q | cmp - labels.txt && echo "the labels of the fit"
for core in Core2 Nehalem; do
    OPENBLAS_CORETYPE=$core onefold predict digits.model "$digits" -q | cmp - labels.txt && echo "$core: the labels of the fit"
done
OPENBLAS_VERBOSE=2 OPENBLAS_CORETYPE=Nehalem onefold predict digits.model "$digits" --portable -q 2>&1 >again.txt |
    grep Core
