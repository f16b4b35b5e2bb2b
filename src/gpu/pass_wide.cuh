/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass in one kernel for stacks of floats: 256 samples at a time, 8 x 8 entries a thread, so
 * that each number from shared memory serves eight products. A warp's loads of four neighbouring
 * numbers are of rows one after the other, which lie in different banks.
 */
#ifndef OF_GPU_PASS_WIDE_CUH
#define OF_GPU_PASS_WIDE_CUH

#include "gpu/pass.cuh"

enum { WIDE_THREADS = 128, SPAN = 2 * TILE, WIDE_PITCH = SPAN + 4, WIDE_SLICES = 8 };

/* Two tiles, or one and zeros. */
__device__ inline void load_wide(const float *x, size_t tile, size_t end, size_t pk, float *xs)
{
    const float *from = x + tile * pk * TILE;
    for (size_t e = 4 * threadIdx.x; e < pk * SPAN; e += 4 * WIDE_THREADS) {
        size_t half = e / (pk * TILE), row = e / TILE - half * pk;
        Four<float> none = {{0, 0, 0, 0}};
        store_four(xs + row * WIDE_PITCH + half * TILE + e % TILE,
                   tile + half < end ? load_four(from + e) : none);
    }
}

/* zs (padded x 256) = M xs: a thread has rows c .. c + 3 and padded / 2 + c .., samples j .. j + 3
 * and 128 + j .. */
__device__ inline void product_wide(const float *ms, const float *xs, int pk, int padded, float *zs)
{
    int groups = padded / 8;
    for (int part = threadIdx.x; part < groups * 32; part += WIDE_THREADS) {
        int c = part / 8 % groups * 4, j = (part / (8 * groups) * 8 + part % 8) * 4;
        float sum[8][8] = {{0}};
#pragma unroll 2
        for (int i = 0; i < pk; i++) {
            Four<float> x[2] = {load_four(xs + i * WIDE_PITCH + j),
                                load_four(xs + i * WIDE_PITCH + TILE + j)},
                        m[2] = {load_four(ms + i * padded + c),
                                load_four(ms + i * padded + padded / 2 + c)};
#pragma unroll
            for (int a = 0; a < 8; a++)
#pragma unroll
                for (int b = 0; b < 8; b++)
                    sum[a][b] = fmaf(m[a / 4].v[a % 4], x[b / 4].v[b % 4], sum[a][b]);
        }
#pragma unroll
        for (int a = 0; a < 8; a++) {
            float *to = zs + (a < 4 ? c + a : padded / 2 + c + a - 4) * WIDE_PITCH + j;
            store_four(to, Four<float>{{sum[a][0], sum[a][1], sum[a][2], sum[a][3]}});
            store_four(to + TILE, Four<float>{{sum[a][4], sum[a][5], sum[a][6], sum[a][7]}});
        }
    }
}

/* Rows i, i + groups, ... of xs times rows c, c + columns, ... of zs over a slice of the samples. */
__device__ inline void add_wide(const float *xs, const float *zs, int i, int groups, int rows,
                                int c, int columns, int begin, int end, double total[8][8])
{
    float sum[8][8] = {{0}};
    for (int j = begin; j < end; j += 4) {
        Four<float> x[8];
#pragma unroll
        for (int a = 0; a < 8; a++) /* beyond the last row: any, it is left out at the end */
            x[a] = load_four(xs + (i + a * groups < rows ? i + a * groups : i) * WIDE_PITCH + j);
#pragma unroll
        for (int b = 0; b < 8; b++) {
            Four<float> z = load_four(zs + (c + b * columns) * WIDE_PITCH + j);
#pragma unroll
            for (int a = 0; a < 8; a++)
#pragma unroll
                for (int s = 0; s < 4; s++)
                    sum[a][b] = fmaf(x[a].v[s], z.v[s], sum[a][b]);
        }
    }
#pragma unroll
    for (int a = 0; a < 8; a++)
#pragma unroll
        for (int b = 0; b < 8; b++)
            total[a][b] += (double)sum[a][b];
}

/* Labels and scores of the samples of two tiles. */
__device__ inline void settle_wide(const Task &task, size_t tile, size_t end, int largest,
                                   int32_t *labels, float *zs, int *found)
{
    for (int s = threadIdx.x; s < SPAN; s += WIDE_THREADS) {
        size_t j = tile * TILE + s;
        if (j >= task.samples || j >= end * TILE) {
            for (int r = 0; r < task.q; r++)
                zs[r * WIDE_PITCH + s] = 0;
            continue;
        }
        int before = labels[j], now = settle_sample(zs + s, WIDE_PITCH, task, before, largest);
        atomicAdd(&found[now], 1);
        if (now != before) {
            labels[j] = now;
            atomicAdd(&found[task.mu], 1);
        }
    }
}

/* Block (chunk, run). counts: for each run mu sizes, then how many moved. */
__global__ void __launch_bounds__(WIDE_THREADS, 2)
    wide(Task task, const float *x, const float *M, const int *largest, int32_t *const *labels,
         double *partial, unsigned long long *counts)
{
    OF_SHARED(float, shared);
    float *xs = shared, *ms = xs + task.pk * WIDE_PITCH, *zs = ms + task.pk * task.padded;
    int *found = (int *)(zs + task.padded * WIDE_PITCH); /* mu + 1 */
    size_t run = blockIdx.y, begin = blockIdx.x * task.chunk,
           end = begin + task.chunk < task.tiles ? begin + task.chunk : task.tiles;
    int pk = (int)task.pk, groups = (pk + 7) / 8, columns = task.padded / 8,
        pieces = groups * columns, slice = threadIdx.x / pieces, own = threadIdx.x % pieces,
        i = own % groups, c = own / groups, length = SPAN / task.slices;
    double total[8][8] = {{0}};
    for (size_t e = threadIdx.x; e < task.pk * task.padded; e += WIDE_THREADS)
        ms[e] = M[run * task.pk * task.padded + e];
    for (int e = threadIdx.x; e <= task.mu; e += WIDE_THREADS)
        found[e] = 0;
    for (size_t tile = begin; tile < end; tile += 2) {
        __syncthreads();
        load_wide(x, tile, end, task.pk, xs);
        __syncthreads();
        product_wide(ms, xs, pk, task.padded, zs);
        __syncthreads();
        settle_wide(task, tile, end, largest[run], labels[run], zs, found);
        __syncthreads();
        if (slice < task.slices)
            add_wide(xs, zs, i, groups, pk, c, columns, slice * length, (slice + 1) * length,
                     total);
    }
    double *out = partial +
                  ((blockIdx.x * task.slices + slice) * gridDim.y + run) * task.pk * task.q;
#pragma unroll
    for (int a = 0; a < 8; a++)
#pragma unroll
        for (int b = 0; b < 8; b++)
            if (slice < task.slices && i + a * groups < pk && c + b * columns < task.q)
                out[i + a * groups + (c + b * columns) * task.pk] = total[a][b];
    __syncthreads();
    for (int e = threadIdx.x; e <= task.mu; e += WIDE_THREADS)
        atomicAdd(&counts[run * (task.mu + 1) + e], (unsigned long long)found[e]);
}

#endif
