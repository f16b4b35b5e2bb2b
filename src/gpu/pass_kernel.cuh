/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of the pass (pass.cu), 128 samples at a time: what they are given, one sample's
 * scores, and the pass in one kernel, of doubles with 4 x 4 entries a thread, of floats by tensor
 * cores (tensor.cuh).
 */
#ifndef OF_GPU_PASS_KERNEL_CUH
#define OF_GPU_PASS_KERNEL_CUH

#include "gpu/tensor.cuh"

/* A pass as kernels see it. */
struct Task {
    size_t samples, pk, tiles, chunk, first; /* first: the first block's chunk */
    int m, mu, q, padded;                    /* q to a multiple of 16 */
    int nonneg, keep_labels, slices;
    int largest; /* the cluster that was largest */
};

/* ---- one sample's scores -------------------------------------------------------------------- */

/* Negative scores become 0; where none is positive and one is not 0, the largest becomes 1. */
template <typename T> __device__ void drop_negative(T *z, size_t step, int m)
{
    int top = 0, zero = 1;
    for (int i = 0; i < m; i++) {
        zero &= z[i * step] == 0;
        top = z[i * step] > z[top * step] ? i : top;
    }
    int unit = !zero && !(z[top * step] > 0);
    for (int i = 0; i < m; i++)
        z[i * step] = unit ? (T)(i == top) : z[i * step] > 0 ? z[i * step] : 0;
}

/* Scores become s and the label's 1; they lie `step` apart. Returns the label. */
template <typename T>
__device__ int settle_sample(T *z, size_t step, const Task &task, int given)
{
    int label = given, all_zero = 1;
    if (!task.keep_labels) {
        T best = z[task.m * step];
        label = 0;
#pragma unroll 4
        for (int c = 0; c < task.mu; c++) {
            T s = z[(task.m + c) * step];
            all_zero &= s == 0;
            label = s > best ? c : label;
            best = s > best ? s : best;
        }
        label = all_zero ? task.largest : label;
    }
    if (task.nonneg)
        drop_negative(z, step, task.m);
    T square = 0;
#pragma unroll 4
    for (int i = 0; i < task.m; i++)
        square += z[i * step] * z[i * step];
    T scale = square > 0 ? 1 / sqrt(square) : 0;
#pragma unroll 4
    for (int i = 0; i < task.m; i++)
        z[i * step] *= scale;
    for (int c = 0; c < task.mu; c++)
        z[(task.m + c) * step] = c == label;
    return label;
}

/* A thread's sample of a tile: its label, where it is kept and in what was found, mu sizes and then
 * how many moved. Beyond the last sample scores become zero. */
template <typename T, typename N>
__device__ inline void settle_and_count(const Task &task, T *z, size_t step, size_t j, int before,
                                        int32_t *labels, N *found)
{
    for (int r = 0; j >= task.samples && r < task.q; r++)
        z[r * step] = 0;
    if (j >= task.samples)
        return;
    int now = settle_sample(z, step, task, before);
    atomicAdd(&found[now], (N)1);
    if (now != before) {
        labels[j] = now;
        atomicAdd(&found[task.mu], (N)1);
    }
}

/* Scores (q rows, in tiles, of samples from `first` on) become [S; Y]: where the pass is three
 * kernels, this is between the product and the sum. */
__global__ void settle(Task task, size_t first, double *z, int32_t *labels,
                       unsigned long long *counts)
{
    size_t j = first + (size_t)blockIdx.x * TILE + threadIdx.x;
    double *own = z + (size_t)blockIdx.x * task.q * TILE + threadIdx.x;
    settle_and_count(task, own, TILE, j, j < task.samples ? labels[j] : 0, labels, counts);
}

/* ---- doubles -------------------------------------------------------------------------------- */

enum { THREADS = 256, PITCH = TILE + 4, MOST_SLICES = 8 };

__device__ void load_tile(const double *x, size_t tile, size_t pk, double *xs)
{
    const double *from = x + tile * pk * TILE;
    for (size_t e = 4 * threadIdx.x; e < pk * TILE; e += 4 * THREADS) {
        store_four(xs + e / TILE * PITCH + e % TILE, load_four(from + e));
    }
}

/* zs (padded x 128) = M xs: a thread has 4 x 4 of it, a warp 16 rows and 32 samples. */
__device__ void product(const double *ms, const double *xs, size_t pk, int padded, double *zs)
{
    int lane = threadIdx.x % 32;
    for (int part = threadIdx.x / 32; part < padded / 4; part += THREADS / 32) {
        int j = part % 4 * 32 + lane % 8 * 4, c = part / 4 * 16 + lane / 8 * 4;
        double sum[4][4] = {{0}};
        for (size_t i = 0; i < pk; i++) {
            Four<double> x = load_four(xs + i * PITCH + j), m = load_four(ms + i * padded + c);
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    sum[a][b] += m.v[a] * x.v[b];
        }
        for (int a = 0; a < 4; a++)
            store_four(zs + (c + a) * PITCH + j,
                       Four<double>{{sum[a][0], sum[a][1], sum[a][2], sum[a][3]}});
    }
}

/* Rows i, i + groups, ... of xs times rows c, c + columns, ... of zs over a slice of the samples.
 */
__device__ void add_products(const double *xs, const double *zs, int i, int groups, int rows, int c,
                             int columns, int begin, int end, double total[4][4])
{
    double sum[4][4] = {{0}};
    int place[4];
    for (int a = 0; a < 4; a++) /* beyond the last row: any, it is left out at the end */
        place[a] = i + a * groups < rows ? i + a * groups : i;
    for (int j = begin; j < end; j += 4) {
        Four<double> x[4], z[4];
        for (int a = 0; a < 4; a++) {
            x[a] = load_four(xs + place[a] * PITCH + j);
            z[a] = load_four(zs + (c + a * columns) * PITCH + j);
        }
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                for (int s = 0; s < 4; s++)
                    sum[a][b] += x[a].v[s] * z[b].v[s];
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            total[a][b] += (double)sum[a][b];
}

/* A block has a chunk. counts: mu sizes, then how many moved. */
__global__ void __launch_bounds__(THREADS, 2)
    fused(Task task, const double *x, const double *M, int32_t *labels, double *partial,
          unsigned long long *counts)
{
    OF_SHARED(double, shared);
    double *xs = shared, *ms = xs + task.pk * PITCH, *zs = ms + task.pk * task.padded;
    int *found = (int *)(zs + task.padded * PITCH); /* mu + 1 */
    size_t chunk = task.first + blockIdx.x, begin = chunk * task.chunk,
           end = begin + task.chunk < task.tiles ? begin + task.chunk : task.tiles;
    int groups = (int)(task.pk + 3) / 4, columns = task.padded / 4, pieces = groups * columns,
        slice = threadIdx.x / pieces, own = threadIdx.x % pieces, i = own % groups,
        c = own / groups, length = TILE / task.slices;
    double total[4][4] = {{0}};
    for (size_t e = threadIdx.x; e < task.pk * task.padded; e += THREADS)
        ms[e] = M[e];
    for (int e = threadIdx.x; e <= task.mu; e += THREADS)
        found[e] = 0;
    for (size_t tile = begin; tile < end; tile++) {
        __syncthreads();
        load_tile(x, tile, task.pk, xs);
        __syncthreads();
        product(ms, xs, task.pk, task.padded, zs);
        __syncthreads();
        if (threadIdx.x < TILE) {
            size_t j = tile * TILE + threadIdx.x;
            settle_and_count(task, zs + threadIdx.x, PITCH, j,
                             j < task.samples ? labels[j] : 0, labels, found);
        }
        __syncthreads();
        if (slice < task.slices)
            add_products(xs, zs, i, groups, (int)task.pk, c, columns, slice * length,
                         (slice + 1) * length, total);
    }
    double *out = partial + (chunk * task.slices + slice) * task.pk * task.q;
    for (int a = 0; a < 4 && slice < task.slices; a++)
        for (int b = 0; b < 4; b++)
            if (i + a * groups < (int)task.pk && c + b * columns < task.q)
                out[i + a * groups + (c + b * columns) * task.pk] = total[a][b];
    __syncthreads();
    for (int e = threadIdx.x; e <= task.mu; e += THREADS)
        atomicAdd(&counts[e], (unsigned long long)found[e]);
}

/* ---- floats, by tensor cores ---------------------------------------------------------------- */

/* Rows of 136 numbers: no two threads that load at once meet at a bank. */
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

/* zs (padded x 128) = M xs, of the warp's 32 samples, of which thread 4 g + t takes 4 g .. 4 g + 3
 * as column g of four products. */
__device__ inline void make_scores(const uint32_t *ms, const float *xs, int steps, int tiles,
                                   float *zs)
{
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, first = threadIdx.x / 32 * 32;
    for (int tile = 0; tile < tiles; tile += 2) {
        float c[2][4][4] = {{{0}}};
        for (int step = 0; step < steps; step++) {
            const float *at = xs + (step * 8 + t) * TENSOR_PITCH + first + 4 * g;
            Four<float> upper = load_four(at), lower = load_four(at + 4 * TENSOR_PITCH);
            Right b[4];
#pragma unroll
            for (int v = 0; v < 4; v++)
                b[v] = split_right(upper.v[v], lower.v[v]);
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
            for (int e = 0; e < 4; e++)
                if (tile + u < tiles)
                    store_four(zs + ((tile + u) * 16 + g + e / 2 * 8) * TENSOR_PITCH + first +
                                   8 * t + e % 2 * 4,
                               Four<float>{{c[u][0][e], c[u][1][e], c[u][2][e], c[u][3][e]}});
    }
}

/* total += xs zs' over the 128 samples: R tiles of rows and C tiles of columns of the warp's. Thread
 * 4 g + t takes samples 2 t and 2 t + 1 of eight, as t and t + 4 of a product. */
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
            const float *at = xs + ((tile < sharing.row_tiles ? tile : 0) * 16 + g) * TENSOR_PITCH +
                              step * 8 + 2 * t;
            float2 x = *(const float2 *)at, y = *(const float2 *)(at + 8 * TENSOR_PITCH);
            a[u] = split_left(x.x, y.x, x.y, y.y);
        }
#pragma unroll
        for (int v = 0; v < C; v++) {
            int tile = column + v * sharing.down;
            const float *at = zs +
                              ((tile < sharing.column_tiles ? tile : 0) * 8 + g) * TENSOR_PITCH +
                              step * 8 + 2 * t;
            float2 z = *(const float2 *)at;
            Right b = split_right(z.x, z.y);
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

/* A block has a chunk, as in `fused` (above). */
template <int R, int C>
__global__ void __launch_bounds__(TENSOR_THREADS, R *C > 4 ? 3 : 4)
    tensor(Task task, const float *x, const uint32_t *ms, int32_t *labels, double *partial,
           unsigned long long *counts)
{
    OF_SHARED(float, shared);
    Sharing sharing = share_out(task);
    int rows = sharing.row_tiles * 16;
    float *xs = shared, *zs = xs + rows * TENSOR_PITCH;
    int *found = (int *)(zs + task.padded * TENSOR_PITCH); /* mu + 1 */
    size_t chunk = task.first + blockIdx.x, begin = chunk * task.chunk,
           end = begin + task.chunk < task.tiles ? begin + task.chunk : task.tiles;
    double total[R][C][4] = {{{0}}};
    for (int e = threadIdx.x; e <= task.mu; e += TENSOR_THREADS)
        found[e] = 0;
    for (int e = (int)task.pk * TENSOR_PITCH + threadIdx.x; e < rows * TENSOR_PITCH;
         e += TENSOR_THREADS)
        xs[e] = 0;
    for (size_t tile = begin; tile < end; tile++) {
        const float *from = x + tile * task.pk * TILE;
        size_t j = tile * TILE + threadIdx.x;
        int before = j < task.samples ? labels[j] : 0;
        __syncthreads();
        for (int e = 4 * threadIdx.x; e < (int)task.pk * TILE; e += 4 * TENSOR_THREADS)
            __pipeline_memcpy_async(xs + e / TILE * TENSOR_PITCH + e % TILE, from + e, 16);
        __pipeline_commit(); /* copies that pass no registers */
        __pipeline_wait_prior(0);
        __syncthreads();
        make_scores(ms, xs, rows / 8, task.padded / 16, zs);
        __syncwarp(); /* a warp settles the samples that it made the scores of */
        settle_and_count(task, zs + threadIdx.x, TENSOR_PITCH, j, before, labels, found);
        __syncthreads();
        add_outer<R, C>(xs, zs, sharing, total);
    }
    store_total<R, C>(task, sharing, total, partial + chunk * task.pk * task.q);
    __syncthreads();
    for (int e = threadIdx.x; e <= task.mu; e += TENSOR_THREADS)
        atomicAdd(&counts[e], (unsigned long long)found[e]);
}

#endif
