/* SPDX-License-Identifier: Apache-2.0 */
/* The pass in one kernel: 128 samples at a time, 4 x 4 entries a thread. */
#ifndef OF_GPU_PASS_FUSED_CUH
#define OF_GPU_PASS_FUSED_CUH

#include "gpu/pass.cuh"

enum { THREADS = 256, PITCH = TILE + 4, MOST_SLICES = 8 };

template <typename T> __device__ void load_tile(const T *x, size_t tile, size_t pk, T *xs)
{
    const T *from = x + tile * pk * TILE;
    for (size_t e = 4 * threadIdx.x; e < pk * TILE; e += 4 * THREADS) {
        store_four(xs + e / TILE * PITCH + e % TILE, load_four(from + e));
    }
}

/* zs (padded x 128) = M xs: a thread has 4 x 4 of it, a warp 16 rows and 32 samples. */
template <typename T>
__device__ void product(const T *ms, const T *xs, size_t pk, int padded, T *zs)
{
    int lane = threadIdx.x % 32;
    for (int part = threadIdx.x / 32; part < padded / 4; part += THREADS / 32) {
        int j = part % 4 * 32 + lane % 8 * 4, c = part / 4 * 16 + lane / 8 * 4;
        T sum[4][4] = {{0}};
        for (size_t i = 0; i < pk; i++) {
            Four<T> x = load_four(xs + i * PITCH + j), m = load_four(ms + i * padded + c);
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    sum[a][b] += m.v[a] * x.v[b];
        }
        for (int a = 0; a < 4; a++)
            store_four(zs + (c + a) * PITCH + j,
                       Four<T>{{sum[a][0], sum[a][1], sum[a][2], sum[a][3]}});
    }
}

/* Rows i, i + groups, ... of xs times rows c, c + columns, ... of zs over a slice of the samples.
 */
template <typename T>
__device__ void add_products(const T *xs, const T *zs, int i, int groups, int rows, int c,
                             int columns, int begin, int end, double total[4][4])
{
    T sum[4][4] = {{0}};
    int place[4];
    for (int a = 0; a < 4; a++) /* beyond the last row: any, it is left out at the end */
        place[a] = i + a * groups < rows ? i + a * groups : i;
    for (int j = begin; j < end; j += 4) {
        Four<T> x[4], z[4];
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

/* Block (chunk, run). counts: for each run mu sizes, then how many moved. */
template <typename T>
__global__ void __launch_bounds__(THREADS, 2)
    fused(Task task, const T *x, const T *M, const int *largest, int32_t *const *labels,
          double *partial, unsigned long long *counts)
{
    OF_SHARED(T, shared);
    T *xs = shared, *ms = xs + task.pk * PITCH, *zs = ms + task.pk * task.padded;
    int *found = (int *)(zs + task.padded * PITCH); /* mu + 1 */
    size_t run = blockIdx.y, chunk = task.first + blockIdx.x, begin = chunk * task.chunk,
           end = begin + task.chunk < task.tiles ? begin + task.chunk : task.tiles;
    int groups = (int)(task.pk + 3) / 4, columns = task.padded / 4, pieces = groups * columns,
        slice = threadIdx.x / pieces, own = threadIdx.x % pieces, i = own % groups,
        c = own / groups, length = TILE / task.slices;
    double total[4][4] = {{0}};
    for (size_t e = threadIdx.x; e < task.pk * task.padded; e += THREADS)
        ms[e] = M[run * task.pk * task.padded + e];
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
                             j < task.samples ? labels[run][j] : 0, largest[run], labels[run],
                             found);
        }
        __syncthreads();
        if (slice < task.slices)
            add_products(xs, zs, i, groups, (int)task.pk, c, columns, slice * length,
                         (slice + 1) * length, total);
    }
    size_t entry = (chunk * task.slices + slice) * gridDim.y + run;
    double *out = partial + entry * task.pk * task.q;
    for (int a = 0; a < 4 && slice < task.slices; a++)
        for (int b = 0; b < 4; b++)
            if (i + a * groups < (int)task.pk && c + b * columns < task.q)
                out[i + a * groups + (c + b * columns) * task.pk] = total[a][b];
    __syncthreads();
    for (int e = threadIdx.x; e <= task.mu; e += THREADS)
        atomicAdd(&counts[run * (task.mu + 1) + e], (unsigned long long)found[e]);
}

#endif
