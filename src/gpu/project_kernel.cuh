/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel values against landmarks and their projection in one kernel, by tensor cores in split form
 * (tensor.cuh). A block has 8 warps of 16 W samples each; for 32 landmarks at a time a warp forms
 * <x, a> by a product, k(x) - kbar from it in registers, and multiplies that with the weights: what
 * a thread has of the first product is what it needs to have of the second's left side, if the
 * landmarks of each 8 are taken in the order 0, 2, 4, 6, 1, 3, 5, 7. Standardising, squares and the
 * scale s_j are double.
 */
#ifndef OF_GPU_PROJECT_KERNEL_CUH
#define OF_GPU_PROJECT_KERNEL_CUH

#include "gpu/tensor.cuh"

/* Landmarks at a time, features at a time, and a row of these with a bank for every thread. */
enum { THREADS = 256, MARKS = 32, COLUMNS = 64, ROW = COLUMNS + 4, STEPS = COLUMNS / 8 };
enum { MOST_TILES = 12 }; /* of 8 rows of the weights: 96 in all, one of them the row mean's */

/* Landmarks and weights lie split, as right matrices (tensor.cuh): `at` by 32 landmarks, 64
 * features, 8 features, 8 landmarks; `weight` by 8 landmarks, 8 rows. */
struct Given {
    size_t raw_columns, columns, landmarks, rows;
    const uint32_t *kept;
    const double *shift, *factor;
    const uint32_t *at, *weight;
    const float *half, *centre;
    double mean;
};

/* Features begin .. begin + 63 of the block's samples, xs (samples x 64). */
template <typename RAW>
__device__ void load_features(const Given &g, const RAW *raw, int block, size_t samples,
                              size_t begin, float *xs)
{
    int i = threadIdx.x % COLUMNS;
    size_t c = begin + i, column = c < g.columns && g.kept ? g.kept[c] : c;
    double shift = c < g.columns ? g.shift[c] : 0, factor = c < g.columns ? g.factor[c] : 0;
#pragma unroll 4
    for (int s = threadIdx.x / COLUMNS; s < block; s += THREADS / COLUMNS) {
        double x =
            c < g.columns && (size_t)s < samples ? (double)raw[s * g.raw_columns + column] : shift;
        xs[s * ROW + i] = (float)((x - shift) * factor);
    }
}

__device__ inline void copy_words(const uint32_t *from, int count, uint32_t *to)
{
    for (int e = 4 * threadIdx.x; e < count; e += 4 * THREADS)
        store_four((float *)to + e, load_four((const float *)from + e));
}

/* c[u][v] += <sample, landmark>: W tiles of 16 samples, 4 of 8 landmarks. */
template <int W> __device__ void add_products(const float *xs, const uint32_t *as, float c[W][4][4])
{
    int lane = threadIdx.x % 32;
    const float *own = xs + (threadIdx.x / 32 * 16 * W + lane / 4) * ROW + lane % 4;
#pragma unroll 1
    for (int step = 0; step < STEPS; step++) {
        Left a[W];
#pragma unroll
        for (int u = 0; u < W; u++) {
            const float *at = own + u * 16 * ROW + step * 8;
            a[u] = split_left(at[0], at[8 * ROW], at[4], at[8 * ROW + 4]);
        }
#pragma unroll
        for (int v = 0; v < 4; v++) {
            Right b = load_right(as + (step * 4 + v) * RIGHT + lane * 4);
#pragma unroll
            for (int u = 0; u < W; u++)
                multiply_split(a[u], b, c[u][v]);
        }
    }
}

/* exp(<a, x> - |a|^2/2 - |x|^2/2) - centre of four numbers of a thread: two samples, two landmarks.
 */
__device__ inline Left make_kernel(const float c[4], const float *half, const float *centre,
                                   const float own[2])
{
    float k[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
        float x = c[e] - half[e % 2] - own[e / 2];
        k[e] = (own[e / 2] > 1e30f ? 0.0f /* far from everything */
                                   : expf(x < 0 ? x : 0.0f)) -
               centre[e % 2];
    }
    return split_left(k[0], k[2], k[1], k[3]);
}

/* image += the 32 landmarks' share: T tiles of 8 rows. */
template <int W, int T>
__device__ void add_image(const Given &g, size_t first, const float c[W][4][4], const uint32_t *ws,
                          const float own[W][2], float image[W][T][4])
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int u = 0; u < W; u++) {
        float part[T][4] = {{0}};
#pragma unroll
        for (int v = 0; v < 4; v++) {
            size_t l = first + v * 8 + lane % 4 * 2;
            Left k = make_kernel(c[u][v], g.half + l, g.centre + l, own[u]);
#pragma unroll
            for (int r = 0; r < T; r++)
                multiply_split(k, load_right(ws + (v * T + r) * RIGHT + lane * 4), part[r]);
        }
#pragma unroll
        for (int r = 0; r < T; r++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                image[u][r][e] += part[r][e];
    }
}

/* H = s image of the block's samples, to rows of the stack; `means` has room for each sample. */
template <typename T, int W, int TILES>
__device__ void store_image(const Given &g, const float image[W][TILES][4], size_t samples,
                            float *means, T *stack, size_t stack_rows)
{
    int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16 * W + lane / 4;
#pragma unroll
    for (int u = 0; u < W; u++)
#pragma unroll
        for (int r = 0; r < TILES; r++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                if (r * 8 + lane % 4 * 2 + e % 2 == (int)g.rows)
                    means[first + u * 16 + e / 2 * 8] = image[u][r][e];
    __syncthreads();
#pragma unroll
    for (int u = 0; u < W; u++)
#pragma unroll
        for (int high = 0; high < 2; high++) {
            int s = first + u * 16 + high * 8;
            double diagonal = 1 - g.mean - 2 * (double)means[s],
                   scale = diagonal > 1e-12 ? 1 / sqrt(diagonal) : 0;
            T *out = stack + s / TILE * stack_rows * TILE + s % TILE;
#pragma unroll
            for (int r = 0; r < TILES; r++)
#pragma unroll
                for (int low = 0; low < 2; low++) {
                    size_t row = (size_t)(r * 8 + lane % 4 * 2 + low);
                    if (row < g.rows && (size_t)s < samples)
                        out[row * TILE] = (T)(scale * (double)image[u][r][high * 2 + low]);
                }
        }
}

/* W: tiles of 16 samples a warp; TILES: of 8 rows. */
template <typename RAW, typename T, int W, int TILES>
__global__ void __launch_bounds__(THREADS, TILES > 6 ? 1 : 2)
    project(Given g, const RAW *raw, size_t count, T *stack, size_t stack_rows)
{
    enum { BLOCK = 128 * W, AT = MARKS * COLUMNS * 2, WEIGHT = MARKS * TILES * 8 * 2 };
    OF_SHARED(float, shared);
    float *xs = shared, *halves = xs + BLOCK * ROW, *means = halves + BLOCK;
    uint32_t *as = (uint32_t *)(means + BLOCK), *ws = as + AT;
    size_t first = (size_t)blockIdx.x * BLOCK, left = count - first,
           samples = left < BLOCK ? left : (size_t)BLOCK,
           steps = (g.columns + COLUMNS - 1) / COLUMNS;
    const RAW *from = raw + first * g.raw_columns;
    float image[W][TILES][4] = {{{0}}}, own[W][2];
    double square = 0;
    for (size_t l = 0; l < g.landmarks; l += MARKS) {
        float c[W][4][4] = {{{0}}};
        for (size_t step = 0; step < steps; step++) {
            __syncthreads();
            if (l == 0 || steps > 1)
                load_features(g, from, BLOCK, samples, step * COLUMNS, xs);
            copy_words(g.at + (l / MARKS * steps + step) * AT, AT, as);
            if (step == 0)
                copy_words(g.weight + l / MARKS * WEIGHT, WEIGHT, ws);
            __syncthreads();
            for (int i = 0; l == 0 && threadIdx.x < BLOCK && i < COLUMNS; i++) {
                double x = (double)xs[threadIdx.x * ROW + i]; /* a thread to each sample */
                square += x * x;
            }
            add_products<W>(xs, as, c);
        }
        if (l == 0) {
            if (threadIdx.x < BLOCK)
                halves[threadIdx.x] = (float)(0.5 * square);
            __syncthreads();
#pragma unroll
            for (int u = 0; u < W; u++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    own[u][e] =
                        halves[threadIdx.x / 32 * 16 * W + u * 16 + threadIdx.x % 32 / 4 + e * 8];
        }
        add_image<W, TILES>(g, l, c, ws, own, image);
    }
    store_image<T, W, TILES>(g, image, samples, means, stack + first * stack_rows, stack_rows);
}

#endif
