/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw samples to centred features in tiles. A block has the 128 samples of a tile, a thread to
 * each; raw numbers are read 32 columns at a time, as they lie, and a thread then takes its own. A
 * sample is gone through several times, for its length and for what is made with that, which its
 * block finds in the cache.
 */
#ifndef OF_GPU_FEATURES_KERNEL_CUH
#define OF_GPU_FEATURES_KERNEL_CUH

#include "gpu/device.cuh"

enum { WIDTH = 32, ROOM_BYTES = TILE * (WIDTH + 1) * sizeof(double) }; /* columns at a time */

struct Shown {
    size_t raw_columns, columns;
    const uint32_t *kept;
    const double *shift, *factor, *mean;
    int unit;
    double floor;
};

/* take(c, x) for the columns of this thread's sample: the kept ones, shifted and scaled. A block
 * has the 128 samples of a tile, and all of its threads are here. */
template <typename RAW, typename F>
__device__ void visit(const Shown &g, const RAW *raw, size_t samples, double *room, F take)
{
    for (size_t begin = 0; begin < g.columns; begin += WIDTH) {
        __syncthreads();
        for (int e = threadIdx.x; e < TILE * WIDTH; e += TILE) {
            size_t s = (size_t)(e / WIDTH), c = begin + (size_t)(e % WIDTH);
            double x = 0;
            if (c < g.columns && s < samples)
                x = ((double)raw[s * g.raw_columns + (g.kept ? g.kept[c] : c)] - g.shift[c]) *
                    g.factor[c];
            room[s * (WIDTH + 1) + e % WIDTH] = x;
        }
        __syncthreads();
        for (int i = 0; i < WIDTH && begin + i < g.columns; i++)
            take(begin + i, room[threadIdx.x * (WIDTH + 1) + i]);
    }
}

/* 1 / length of this thread's sample, or what leaves it as it is. */
template <typename RAW>
__device__ double unit_of(const Shown &g, const RAW *raw, size_t samples, double *room)
{
    double most = 0, square = 0;
    if (!g.unit)
        return 1;
    visit(g, raw, samples, room, [&](size_t, double x) { most = fabs(x) > most ? fabs(x) : most; });
    visit(g, raw, samples, room, [&](size_t, double x) {
        square += most > 0 ? x / most * (x / most) : 0;
    });
    return most > 0 ? most * sqrt(square) : 1;
}

/* |f - mean|^2 and |f|^2. */
template <typename RAW>
__device__ void lengths_of(const Shown &g, const RAW *raw, size_t samples, double unit,
                           double *room, double *centred, double *whole)
{
    double c2 = 0, w2 = 0;
    visit(g, raw, samples, room, [&](size_t c, double x) {
        double f = g.unit ? x / unit : x, less = f - g.mean[c];
        c2 += less * less;
        w2 += f * f;
    });
    *centred = c2;
    *whole = w2;
}

/* f - mean, times 1 / its length where `scaled`, in tiles; 0 beyond the samples. */
template <typename RAW>
__global__ void centre(Shown g, const RAW *raw, size_t count, int scaled, double *to)
{
    OF_SHARED(double, room);
    size_t first = (size_t)blockIdx.x * TILE, left = count - first,
           samples = left < TILE ? left : (size_t)TILE;
    const RAW *from = raw + first * g.raw_columns;
    double unit = unit_of(g, from, samples, room), scale = 1, centred, whole;
    if (scaled) {
        lengths_of(g, from, samples, unit, room, &centred, &whole);
        scale = centred > g.floor ? 1 / sqrt(centred) : 0;
    }
    scale = threadIdx.x < samples ? scale : 0;
    double *own = to + (size_t)blockIdx.x * g.columns * TILE + threadIdx.x;
    visit(g, from, samples, room, [&](size_t c, double x) {
        own[c * TILE] = scale * ((g.unit ? x / unit : x) - g.mean[c]);
    });
}

/* The larger, or what is no number. */
__device__ inline double larger(double a, double b)
{
    return a != a || a >= b ? a : b;
}

/* The largest of a tile's |f - mean|^2 and |f|^2. */
template <typename RAW>
__global__ void find_lengths(Shown g, const RAW *raw, size_t count, double *largest)
{
    OF_SHARED(double, room);
    size_t first = (size_t)blockIdx.x * TILE, left = count - first,
           samples = left < TILE ? left : (size_t)TILE;
    const RAW *from = raw + first * g.raw_columns;
    double centred, whole, unit = unit_of(g, from, samples, room);
    lengths_of(g, from, samples, unit, room, &centred, &whole);
    __syncthreads();
    room[threadIdx.x] = threadIdx.x < samples ? centred : 0;
    room[TILE + threadIdx.x] = threadIdx.x < samples ? whole : 0;
    __syncthreads();
    if (threadIdx.x < 2) {
        double most = 0;
        for (int s = 0; s < TILE; s++)
            most = larger(room[threadIdx.x * TILE + s], most);
        largest[2 * blockIdx.x + threadIdx.x] = most;
    }
}

/* Sums by row and place within a tile: a thread adds up its place of a chunk's tiles first .. first
 * + count - 1, in order. partial: chunks x rows x 128. */
__global__ void add_places(const double *x, size_t rows, size_t chunk, size_t first, size_t count,
                           double *partial)
{
    size_t at = first / chunk + blockIdx.x, begin = at * chunk > first ? at * chunk : first,
           end = (at + 1) * chunk < first + count ? (at + 1) * chunk : first + count;
    double *out = partial + (at * rows + blockIdx.y) * TILE + threadIdx.x,
           sum = begin > at * chunk ? *out : 0;
    for (size_t tile = begin - first; tile < end - first; tile++)
        sum += x[(tile * rows + blockIdx.y) * TILE + threadIdx.x];
    *out = sum;
}

#endif
