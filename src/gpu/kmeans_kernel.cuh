/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of k-means. Samples are in tiles, with a row of ones below them. */
#ifndef OF_GPU_KMEANS_KERNEL_CUH
#define OF_GPU_KMEANS_KERNEL_CUH

#include "gpu/device.cuh"

/* x has rows + 1 rows. */
__device__ inline double distance_to(const double *x, size_t rows, const double *centre)
{
    const double *own = x + (size_t)blockIdx.x * (rows + 1) * TILE + threadIdx.x;
    double sum = 0;
    for (size_t i = 0; i < rows; i++) {
        double d = own[i * TILE] - centre[i];
        sum = fma(d, d, sum);
    }
    return sum;
}

/* The sum over a block, in order. */
__device__ inline void sum_tile(double value, double *out)
{
    OF_SHARED(double, all);
    all[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0;
        for (int t = 0; t < TILE; t++)
            sum += all[t];
        *out = sum;
    }
}

/* Distances to the nearest of the centres so far, of which `newest` is the last. */
__global__ void come_nearer(const double *x, size_t rows, size_t count, const double *newest,
                            int first, double *distance, double *tile_sum)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    double d = j < count ? distance_to(x, rows, newest) : 0;
    if (j < count && !first && distance[j] < d)
        d = distance[j];
    distance[j] = d;
    sum_tile(d, &tile_sum[blockIdx.x]);
}

/* The next centre: a sample in proportion to its distance; `draw` is in [0, 1). One block. */
__global__ void draw_centre(const double *x, size_t rows, size_t count, size_t tiles, double draw,
                            const double *distance, const double *tile_sum, double *centre)
{
    OF_SHARED(double, shared);
    double *sums = shared, *chosen = shared + TILE;
    double total = 0, target = 0;
    size_t tile = 0;
    int found = 0;
    for (int round = 0; round < 2; round++) { /* the total, then the tile */
        target = draw * total;
        for (size_t begin = 0; begin < tiles; begin += TILE) {
            size_t part = tiles - begin < TILE ? tiles - begin : (size_t)TILE;
            __syncthreads();
            if (threadIdx.x < part)
                sums[threadIdx.x] = tile_sum[begin + threadIdx.x];
            __syncthreads();
            for (size_t t = 0; t < part; t++)
                if (round == 0)
                    total += sums[t];
                else if (!found) {
                    tile = begin + t;
                    if (target < sums[t] || tile + 1 == tiles)
                        found = 1;
                    else
                        target -= sums[t];
                }
        }
    }
    __syncthreads(); /* one number after the other is looked at: from near by */
    sums[threadIdx.x] = distance[tile * TILE + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        size_t at = total > 0 ? tile * TILE : (size_t)(draw * (double)count), last = count - 1,
               end = (tile + 1) * TILE;
        for (; total > 0 && at < count; at++) {
            double d = at < end ? sums[at - tile * TILE] : distance[at];
            if (target < d)
                break;
            target -= d;
        }
        for (; total > 0 && at >= count && last > 0 && !(distance[last] > 0); last--)
            ;
        chosen[0] = (double)(at < count ? at : last);
    }
    __syncthreads();
    size_t at = (size_t)chosen[0];
    for (size_t i = threadIdx.x; i < rows; i += TILE)
        centre[i] = x[(at / TILE * (rows + 1) + i) * TILE + at % TILE];
}

/* Labels from the scores (clusters rows, in tiles), the distance to the own centre, and how many
 * labels changed. */
__global__ void assign(const double *x, size_t rows, size_t count, const double *score,
                       size_t clusters, const double *centres, const int *halted, int32_t *labels,
                       double *distance, int *changed)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x, best = 0;
    const double *own = score + (size_t)blockIdx.x * clusters * TILE + threadIdx.x;
    if (j >= count || *halted)
        return;
    double least = own[0];
    for (size_t c = 1; c < clusters; c++) {
        double value = own[c * TILE];
        best = value < least ? c : best;
        least = value < least ? value : least;
    }
    if (labels[j] != (int32_t)best)
        atomicAdd(changed, 1);
    labels[j] = (int32_t)best;
    distance[j] = distance_to(x, rows, centres + best * rows);
}

/* 1 in the last row of x for each sample. */
__global__ void fill_last(double *x, size_t rows, size_t count)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    x[((size_t)blockIdx.x * (rows + 1) + rows) * TILE + threadIdx.x] = j < count;
}

/* The mean from the sum of all samples, whose number is behind it. */
__global__ void take_mean(const double *sum, size_t rows, double *mean)
{
    for (size_t i = threadIdx.x; i < rows; i += blockDim.x)
        mean[i] = sum[i] / sum[rows];
}

/* Centres from sums by label (clusters x (rows + 1), the last column counts; NULL: they stay), and
 * M = [-2 (centre - mean), |centre|^2 - |mean|^2] of each, so that M [x; 1] orders them by
 * distance; offsets from the mean keep the digits that large common parts would take. Where a
 * cluster is empty nothing moves, and *halted is `iteration`, from when on labels stay. A block is
 * one cluster's. */
__global__ void move_centres(const double *sums, size_t rows, size_t clusters, const double *mean,
                             int iteration, int *halted, double *centres, double *M)
{
    OF_SHARED(int, empty);
    size_t c = blockIdx.x;
    double *own = centres + c * rows;
    if (threadIdx.x == 0) {
        empty[0] = *halted;
        for (size_t e = 0; sums && e < clusters; e++)
            empty[0] |= sums[e + rows * clusters] == 0;
        if (empty[0] && !*halted && c == 0)
            *halted = iteration;
    }
    __syncthreads();
    if (empty[0])
        return;
    for (size_t i = threadIdx.x; i < rows; i += blockDim.x) {
        double centre = sums ? sums[c + i * clusters] / sums[c + rows * clusters] : own[i];
        own[i] = centre;
        M[c + i * clusters] = -2 * (centre - mean[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double constant = 0;
        for (size_t i = 0; i < rows; i++)
            constant = fma(own[i] - mean[i], own[i] + mean[i], constant);
        M[c + rows * clusters] = constant;
    }
}

/* A 1 for each sample's label. */
__global__ void mark_labels(const int32_t *labels, size_t count, size_t clusters, const int *halted,
                            double *marks)
{
    if (*halted)
        return;
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    double *own = marks + (size_t)blockIdx.x * clusters * TILE + threadIdx.x;
    for (size_t c = 0; c < clusters; c++)
        own[c * TILE] = j < count && labels[j] == (int32_t)c;
}

/* Squared distances to the own centres, by tile. */
__global__ void add_cost(const double *x, size_t rows, size_t count, const double *centres,
                         const int32_t *labels, double *tile_sum)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    double d = j < count ? distance_to(x, rows, centres + (size_t)labels[j] * rows) : 0;
    sum_tile(d, &tile_sum[blockIdx.x]);
}

#endif
