/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass in one kernel by tensor cores (tensor.cuh), for stacks of floats: 128 samples at a time,
 * four warps. Each warp makes the scores of 32 samples and settles them; then the warps share the
 * entries of X [S; Y]' out among themselves, whose sums over 128 samples are added up in double.
 */
#ifndef OF_GPU_PASS_TENSOR_CUH
#define OF_GPU_PASS_TENSOR_CUH

#include "gpu/pass.cuh"
#include "gpu/tensor.cuh"

/* Rows of 136 numbers: neither way of taking fragments has two threads at one bank. */
enum { TENSOR_PITCH = TILE + 8, TENSOR_THREADS = TILE, WARPS = 4 };

/* How the four warps share out entries: `across` of them by rows, in tiles of 16, the others by
 * columns, in tiles of 8. */
struct Sharing {
    int row_tiles, column_tiles, across, down;
};
__host__ __device__ inline Sharing share_out(const Task &task)
{
    int row_tiles = (int)(task.pk + 15) / 16, across = row_tiles > 2 ? 4 : row_tiles;
    return Sharing{row_tiles, task.padded / 8, across, WARPS / across};
}

/* Words of one run's M, split. */
__host__ __device__ inline size_t split_words(const Task &task)
{
    return (size_t)2 * 16 * (size_t)share_out(task).row_tiles * (size_t)task.padded;
}

/* M of each run (columns of `padded` floats by row of X) split, in the order in which threads take
 * it, for steps over rows t and t + 4 of eight or, paired, 2 t and 2 t + 1; a block for each run.
 */
__global__ void split_matrices(Task task, const float *M, uint32_t *split_M, int paired)
{
    int steps = share_out(task).row_tiles * 2;
    const float *from = M + blockIdx.x * task.pk * task.padded;
    uint32_t *ms = split_M + blockIdx.x * split_words(task);
    for (int e = threadIdx.x; e < task.padded / 16 * steps * 128; e += TENSOR_THREADS) {
        int fragment = e / 128, lane = e % 128 / 4, r = e % 4,
            c = fragment / steps * 16 + lane / 4 + r % 2 * 8,
            i = fragment % steps * 8 + (paired ? lane % 4 * 2 + r / 2 : lane % 4 + r / 2 * 4);
        uint32_t *to = ms + fragment * LEFT + lane * 4 + r;
        split(i < (int)task.pk ? from[(size_t)i * task.padded + c] : 0.0f, to, to + LEFT / 2);
    }
}

/* zs (padded x 128) = M xs, of the warp's 32 samples. */
__device__ inline void make_scores(const uint32_t *ms, const float *xs, int steps, int tiles,
                                   float *zs)
{
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, first = threadIdx.x / 32 * 32;
    for (int tile = 0; tile < tiles; tile += 2) {
        float c[2][4][4] = {{{0}}};
        for (int step = 0; step < steps; step++) {
            const float *at = xs + (step * 8 + t) * TENSOR_PITCH + first + g;
            Right b[4];
#pragma unroll
            for (int v = 0; v < 4; v++)
                b[v] = split_right(at[v * 8], at[v * 8 + 4 * TENSOR_PITCH]);
#pragma unroll
            for (int u = 0; u < 2; u++) {
                if (tile + u >= tiles)
                    break;
                Left a = load_left(ms + ((tile + u) * steps + step) * LEFT + lane * 4);
#pragma unroll
                for (int v = 0; v < 4; v++)
                    multiply_split(a, b[v], c[u][v]);
            }
        }
#pragma unroll
        for (int u = 0; u < 2; u++)
#pragma unroll
            for (int v = 0; v < 4; v++)
#pragma unroll
                for (int e = 0; e < 4; e++)
                    if (tile + u < tiles)
                        zs[((tile + u) * 16 + g + e / 2 * 8) * TENSOR_PITCH + first + v * 8 +
                           2 * t + e % 2] = c[u][v][e];
    }
}

/* total += xs zs' over the 128 samples: R tiles of rows and C tiles of columns of the warp's. */
template <int R, int C>
__device__ void add_outer(const float *xs, const float *zs, const Sharing &sharing,
                          double total[R][C][4])
{
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32,
        row = warp % sharing.across, column = warp / sharing.across;
    float c[R][C][4] = {{{0}}};
#pragma unroll 2
    for (int step = 0; step < TILE / 8; step++) {
        Left a[R];
#pragma unroll
        for (int u = 0; u < R; u++) {
            int tile = row + u * sharing.across; /* beyond the last: any, it is left out */
            const float *at =
                xs + ((tile < sharing.row_tiles ? tile : 0) * 16 + g) * TENSOR_PITCH + step * 8 + t;
            a[u] = split_left(at[0], at[8 * TENSOR_PITCH], at[4], at[8 * TENSOR_PITCH + 4]);
        }
#pragma unroll
        for (int v = 0; v < C; v++) {
            int tile = column + v * sharing.down;
            const float *at = zs +
                              ((tile < sharing.column_tiles ? tile : 0) * 8 + g) * TENSOR_PITCH +
                              step * 8 + t;
            Right b = split_right(at[0], at[4]);
#pragma unroll
            for (int u = 0; u < R; u++)
                multiply_split(a[u], b, c[u][v]);
        }
    }
#pragma unroll
    for (int u = 0; u < R; u++)
#pragma unroll
        for (int v = 0; v < C; v++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                total[u][v][e] += (double)c[u][v][e];
}

template <int R, int C>
__device__ void store_total(const Task &task, const Sharing &sharing, const double total[R][C][4],
                            double *out)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int u = 0; u < R; u++)
#pragma unroll
        for (int v = 0; v < C; v++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int row = warp % sharing.across + u * sharing.across,
                    column = warp / sharing.across + v * sharing.down,
                    i = row * 16 + lane / 4 + e / 2 * 8, c = column * 8 + lane % 4 * 2 + e % 2;
                if (i < (int)task.pk && c < task.q)
                    out[i + c * task.pk] = total[u][v][e];
            }
}

/* Block (chunk, run), as `fused` (pass_fused.cuh). */
template <int R, int C>
__global__ void __launch_bounds__(TENSOR_THREADS, R *C > 4 ? 3 : 4)
    tensor(Task task, const float *x, const uint32_t *split_M, const int *largest,
           int32_t *const *labels, double *partial, unsigned long long *counts)
{
    OF_SHARED(float, shared);
    Sharing sharing = share_out(task);
    int rows = sharing.row_tiles * 16;
    float *xs = shared, *zs = xs + rows * TENSOR_PITCH;
    int *found = (int *)(zs + task.padded * TENSOR_PITCH); /* mu + 1 */
    size_t run = blockIdx.y, chunk = task.first + blockIdx.x, begin = chunk * task.chunk,
           end = begin + task.chunk < task.tiles ? begin + task.chunk : task.tiles;
    double total[R][C][4] = {{{0}}};
    const uint32_t *ms = split_M + run * split_words(task);
    for (int e = threadIdx.x; e <= task.mu; e += TENSOR_THREADS)
        found[e] = 0;
    for (int e = (int)task.pk * TENSOR_PITCH + threadIdx.x; e < rows * TENSOR_PITCH;
         e += TENSOR_THREADS)
        xs[e] = 0;
    for (size_t tile = begin; tile < end; tile++) {
        const float *from = x + tile * task.pk * TILE;
        size_t j = tile * TILE + threadIdx.x;
        int before = j < task.samples ? labels[run][j] : 0;
        __syncthreads();
#pragma unroll 8
        for (int e = 4 * threadIdx.x; e < (int)task.pk * TILE; e += 4 * TENSOR_THREADS)
            store_four(xs + e / TILE * TENSOR_PITCH + e % TILE, stream_four(from + e));
        __syncthreads();
        make_scores(ms, xs, rows / 8, task.padded / 16, zs);
        __syncwarp(); /* a warp settles the samples that it made the scores of */
        settle_and_count(task, zs + threadIdx.x, TENSOR_PITCH, j, before, largest[run], labels[run],
                         found);
        __syncthreads();
        add_outer<R, C>(xs, zs, sharing, total);
    }
    store_total<R, C>(task, sharing, total,
                      partial + (chunk * gridDim.y + run) * task.pk * task.q);
    __syncthreads();
    for (int e = threadIdx.x; e <= task.mu; e += TENSOR_THREADS)
        atomicAdd(&counts[run * (task.mu + 1) + e], (unsigned long long)found[e]);
}

#endif
