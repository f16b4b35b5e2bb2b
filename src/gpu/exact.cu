/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products with an rbf kernel matrix that is never formed, in double precision by tensor cores. A
 * block has the 128 samples of a tile and goes through all samples, 32 points at a time: <x, z> by
 * a product, k from it in registers, and at once the product with those points' rows of the factor.
 * Points are added up in order, so that neither blocks nor pieces change a bit.
 */
#include "gpu/tensor.cuh"

/* Pitches give each thread of half a warp a bank of its own, whichever way fragments are taken. */
enum {
    THREADS = 256,
    POINTS = 32,
    DEEP = 64,        /* features at a time */
    TILES = 5,        /* of 8 rows of the factor */
    ROWS = 8 * TILES, /* of it at a time */
    SAMPLE_PITCH = TILE + 4,
    POINT_PITCH = POINTS + 4,
    ROW_PITCH = ROWS + 2
};

struct Factor {
    size_t samples, columns, depth, row; /* rows row .. row + ROWS - 1 of `depth` are worked */
    const double *features, *half;       /* in tiles; samples */
    const double *x;                     /* depth x samples */
    double *y;                           /* the same of the samples asked for */
};

/* Features begin .. begin + 63 of samples sample .. sample + count - 1 of a tile. */
__device__ inline void load_features(const Factor &f, size_t tile, size_t begin, int sample,
                                     int count, int pitch, double *to)
{
    for (int e = threadIdx.x; e < DEEP * count; e += THREADS) {
        size_t i = begin + (size_t)(e / count);
        int s = e % count;
        to[e / count * pitch + s] =
            i < f.columns ? f.features[(tile * f.columns + i) * TILE + (size_t)(sample + s)] : 0;
    }
}

/* The rows of x for 32 points, 0 beyond the last; and half their squared lengths. */
__device__ inline void load_rows(const Factor &f, size_t point, double *ws, double *halves)
{
    for (int e = threadIdx.x; e < POINTS * ROWS; e += THREADS) {
        size_t j = point + (size_t)(e / ROWS), r = f.row + (size_t)(e % ROWS);
        ws[e / ROWS * ROW_PITCH + e % ROWS] =
            j < f.samples && r < f.depth ? f.x[j * f.depth + r] : 0;
    }
    if (threadIdx.x < POINTS)
        halves[threadIdx.x] = point + threadIdx.x < f.samples ? f.half[point + threadIdx.x] : 0;
}

/* c[u][v] += <sample, point>: 2 tiles of 8 samples, 4 of 8 points. */
__device__ inline void add_products(const double *xs, const double *ps, double c[2][4][2])
{
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, first = threadIdx.x / 32 * 16 + g;
#pragma unroll 2
    for (int step = 0; step < DEEP; step += 4) {
        double a[2], b[4];
#pragma unroll
        for (int u = 0; u < 2; u++)
            a[u] = xs[(step + t) * SAMPLE_PITCH + first + u * 8];
#pragma unroll
        for (int v = 0; v < 4; v++)
            b[v] = ps[(step + t) * POINT_PITCH + v * 8 + g];
#pragma unroll
        for (int v = 0; v < 4; v++)
#pragma unroll
            for (int u = 0; u < 2; u++)
                multiply_double(a[u], b[v], c[u][v]);
    }
}

/* image += k of the 32 points times their rows. */
__device__ inline void add_image(const double c[2][4][2], const double *ws, const double *halves,
                                 const double own[2], double image[2][TILES][2])
{
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int v = 0; v < 4; v++)
#pragma unroll
        for (int e = 0; e < 2; e++) {
            int point = v * 8 + 2 * t + e;
            double k[2];
#pragma unroll
            for (int u = 0; u < 2; u++) {
                double exponent = c[u][v][e] - halves[point] - own[u];
                k[u] = exp(exponent < 0 ? exponent : 0.0);
            }
#pragma unroll
            for (int r = 0; r < TILES; r++) {
                double b = ws[point * ROW_PITCH + r * 8 + g];
#pragma unroll
                for (int u = 0; u < 2; u++)
                    multiply_double(k[u], b, image[u][r]);
            }
        }
}

__global__ void __launch_bounds__(THREADS, 2) exact(Factor f, size_t first_tile)
{
    OF_SHARED(double, shared);
    double *xs = shared, *ps = xs + DEEP * SAMPLE_PITCH, *ws = ps + DEEP * POINT_PITCH,
           *halves = ws + POINTS * ROW_PITCH;
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, first = threadIdx.x / 32 * 16 + g;
    size_t tile = first_tile + blockIdx.x, steps = (f.columns + DEEP - 1) / DEEP;
    double image[2][TILES][2] = {{{0}}}, own[2];
#pragma unroll
    for (int u = 0; u < 2; u++) {
        size_t j = tile * TILE + (size_t)(first + u * 8);
        own[u] = j < f.samples ? f.half[j] : 0;
    }
    for (size_t point = 0; point < f.samples; point += POINTS) {
        double c[2][4][2] = {{{0}}};
        for (size_t step = 0; step < steps; step++) {
            __syncthreads();
            if (point == 0 || steps > 1)
                load_features(f, tile, step * DEEP, 0, TILE, SAMPLE_PITCH, xs);
            load_features(f, point / TILE, step * DEEP, (int)(point % TILE), POINTS, POINT_PITCH,
                          ps);
            if (step == 0)
                load_rows(f, point, ws, halves);
            __syncthreads();
            add_products(xs, ps, c);
        }
        add_image(c, ws, halves, own, image);
    }
#pragma unroll
    for (int u = 0; u < 2; u++)
#pragma unroll
        for (int r = 0; r < TILES; r++)
#pragma unroll
            for (int e = 0; e < 2; e++) {
                size_t j = tile * TILE + (size_t)(first + u * 8),
                       row = f.row + (size_t)(r * 8 + 2 * t + e);
                if (j < f.samples && row < f.depth)
                    f.y[(j - first_tile * TILE) * f.depth + row] = image[u][r][e];
            }
}

int of_gpu_rbf_multiply(of_device_stack *features, const of_device_rbf *task)
{
    of_device *device = features->device;
    GPU_CALL(device);
    size_t n = features->samples, depth = task->depth,
           bytes =
               (DEEP * (SAMPLE_PITCH + POINT_PITCH) + POINTS * (ROW_PITCH + 1)) * sizeof(double);
    if (!features->doubles || task->first % TILE || task->first + task->count > n)
        return of_gpu_fail(OF_DEVICE_FAULT, "a product of samples %zu to %zu", task->first,
                           task->first + task->count);
    double *half, *x, *y;
    GPU_TRY(room(device, ROOM_ONES, n, &half));
    GPU_TRY(room(device, ROOM_FACTOR, n * depth, &x));
    GPU_TRY(room(device, ROOM_IMAGE, task->count * depth, &y));
    if (task->first == 0) { /* they are there for the samples that follow */
        GPU_TRY(of_gpu_send(device, half, task->half, n * sizeof *half));
        GPU_TRY(of_gpu_send(device, x, task->x, n * depth * sizeof *x));
    }
    GPU_TRY(of_gpu_shared((const void *)exact, bytes));
    for (size_t row = 0; row < depth; row += ROWS) {
        Factor f = {n, features->rows, depth, row, (const double *)features->data, half, x, y};
        OF_LAUNCH(exact, (unsigned)tiles_of(task->count), THREADS, bytes, device->stream, f,
                  task->first / TILE);
        LAUNCHED("exact");
    }
    return of_gpu_fetch(device, task->y + task->first * depth, y, task->count * depth * sizeof *y);
}
