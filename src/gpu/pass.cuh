/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of the pass share (pass.cu): what they are told, and one sample's scores. */
#ifndef OF_GPU_PASS_CUH
#define OF_GPU_PASS_CUH

#include "gpu/four.cuh"

/* A pass as kernels see it. */
struct Task {
    size_t samples, pk, tiles, chunk;
    int m, mu, q, padded; /* q to a multiple of 16 */
    int nonneg, keep_labels, slices;
};

/* ---- one sample's scores -------------------------------------------------------------------- */

/* Scores become s and the label's 1; they lie `step` apart. Returns the label. */
template <typename T>
__device__ int settle_sample(T *z, size_t step, const Task &task, int given, int largest)
{
    int label = given, all_zero = 1;
    if (!task.keep_labels) {
        T best = z[task.m * step];
        label = 0;
        for (int c = 0; c < task.mu; c++) {
            T s = z[(task.m + c) * step];
            all_zero &= s == 0;
            label = s > best ? c : label;
            best = s > best ? s : best;
        }
        label = all_zero ? largest : label;
    }
    int top = 0, zero = 1;
    for (int i = 0; task.nonneg && i < task.m; i++) {
        zero &= z[i * step] == 0;
        top = z[i * step] > z[top * step] ? i : top;
    }
    int unit = task.nonneg && !zero && !(z[top * step] > 0);
    T square = 0;
    for (int i = 0; i < task.m; i++) {
        T s = z[i * step];
        if (task.nonneg)
            s = unit ? (T)(i == top) : s > 0 ? s : 0;
        z[i * step] = s;
        square += s * s;
    }
    T scale = square > 0 ? 1 / sqrt(square) : 0;
    for (int i = 0; i < task.m; i++)
        z[i * step] *= scale;
    for (int c = 0; c < task.mu; c++)
        z[(task.m + c) * step] = c == label;
    return label;
}

#endif
