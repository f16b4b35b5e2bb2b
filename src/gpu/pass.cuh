/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of the pass share (pass.cu): what they are told, and one sample's scores. */
#ifndef OF_GPU_PASS_CUH
#define OF_GPU_PASS_CUH

#include "gpu/four.cuh"

/* A pass as kernels see it. */
struct Task {
    size_t samples, pk, tiles, chunk, first; /* first: the first block's chunk */
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

/* A sample's label, where it is kept and in what the block has found: mu sizes, then how many
 * moved.
 */
__device__ inline void count_label(const Task &task, int now, int before, int32_t *label,
                                   int *found)
{
    atomicAdd(&found[now], 1);
    if (now != before) {
        *label = now;
        atomicAdd(&found[task.mu], 1);
    }
}

/* A thread's sample of a tile; beyond the last, scores become zero. */
template <typename T>
__device__ inline void settle_and_count(const Task &task, T *z, size_t step, size_t j, int before,
                                        int largest, int32_t *labels, int *found)
{
    if (j < task.samples) {
        count_label(task, settle_sample(z, step, task, before, largest), before, &labels[j], found);
        return;
    }
    for (int r = 0; r < task.q; r++)
        z[r * step] = 0;
}

#endif
