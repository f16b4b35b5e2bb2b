/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse features by sample and by column, and products with them. Eight threads have eight rows of
 * a block of vectors, which lie together for each sample and each column, and go through entries
 * one after the other. A column is cut into segments of 1024 entries, whose sums are added up in
 * order: frequent columns would keep eight threads for long.
 */
#ifndef OF_GPU_SPARSE_KERNEL_CUH
#define OF_GPU_SPARSE_KERNEL_CUH

#include "gpu/device.cuh"

enum { THREADS = 128, LANES = 8, GROUPS = THREADS / LANES, SEGMENT = 1024 };

typedef unsigned long long Place;

struct Entries {
    size_t rows, columns;
    const Place *start; /* rows + 1 */
    const uint32_t *index;
    const double *value, *scale;
};

/* ---- by column ------------------------------------------------------------------------------ */

/* How many entries of a chunk of samples are of each column. */
__global__ void count_columns(Entries f, size_t chunk, unsigned *count)
{
    size_t first = blockIdx.x * chunk, end = first + chunk < f.rows ? first + chunk : f.rows;
    unsigned *own = count + blockIdx.x * f.columns;
    for (Place e = f.start[first] + threadIdx.x; e < f.start[end]; e += THREADS)
        atomicAdd(&own[f.index[e]], 1u);
}

/* These become the entries of a column in the chunks before; total: in all. */
__global__ void place_chunks(size_t columns, size_t chunks, unsigned *count, Place *total)
{
    size_t c = (size_t)blockIdx.x * THREADS + threadIdx.x;
    unsigned before = 0;
    if (c >= columns)
        return;
    for (size_t k = 0; k < chunks; k++) {
        unsigned here = count[k * columns + c];
        count[k * columns + c] = before;
        before += here;
    }
    total[c] = before;
}

/* A block has a chunk of samples, and takes them one after the other: no two of its threads have
 * the same column then, and a column's entries come to be in the order of samples. */
__global__ void fill_columns(Entries f, size_t chunk, unsigned *count, const Place *column_start,
                             uint32_t *sample, double *value)
{
    size_t first = blockIdx.x * chunk, end = first + chunk < f.rows ? first + chunk : f.rows;
    unsigned *own = count + blockIdx.x * f.columns;
    for (size_t j = first; j < end; j++) {
        for (Place e = f.start[j] + threadIdx.x; e < f.start[j + 1]; e += THREADS) {
            Place at = column_start[f.index[e]] + own[f.index[e]]++;
            sample[at] = (uint32_t)j;
            value[at] = f.value[e];
        }
        __syncthreads();
    }
}

/* ---- products ------------------------------------------------------------------------------- */

/* <x, f> - in of this thread's row and sample. */
__device__ inline double product_of(const Entries &f, size_t j, size_t depth, size_t r,
                                    const double *x, const double *in)
{
    double sum = 0;
    for (Place e = f.start[j]; e < f.start[j + 1]; e++)
        sum = fma(f.value[e], x[f.index[e] * depth + r], sum);
    return sum - in[r];
}

/* u (depth x rows) = scale (x f - in), or with its square. */
__global__ void weigh_samples(Entries f, size_t depth, const double *x, const double *in,
                              int squared, double *u)
{
    size_t j = (size_t)blockIdx.x * GROUPS + threadIdx.x / LANES,
           r = (size_t)blockIdx.y * LANES + threadIdx.x % LANES;
    if (j < f.rows && r < depth)
        u[j * depth + r] =
            f.scale[j] * (squared ? f.scale[j] : 1) * product_of(f, j, depth, r, x, in);
}

/* u (depth x rows) = scale u. */
__global__ void scale_samples(Entries f, size_t depth, double *u)
{
    size_t e = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (e < f.rows * depth)
        u[e] *= f.scale[e / depth];
}

/* Rows row .. of a stack = scale (x f - in). */
template <typename T>
__global__ void project_samples(Entries f, size_t depth, const double *x, const double *in,
                                T *stack, size_t stack_rows, size_t row)
{
    size_t j = (size_t)blockIdx.x * GROUPS + threadIdx.x / LANES,
           r = (size_t)blockIdx.y * LANES + threadIdx.x % LANES;
    if (j < f.rows && r < depth)
        stack[(j / TILE * stack_rows + row + r) * TILE + j % TILE] =
            (T)(f.scale[j] * product_of(f, j, depth, r, x, in));
}

/* What the groups of a block have of a sum, added up in order, to out[r]. */
__device__ inline void add_groups(double sum, size_t depth, size_t r, double *room, double *out)
{
    room[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < LANES && r < depth) {
        for (int g = 1; g < GROUPS; g++)
            sum += room[g * LANES + threadIdx.x];
        out[r] = sum;
    }
}

/* partial (depth x segments): the sum of value u of a segment of a column's entries. */
__global__ void add_segments(const uint32_t *segment_column, const Place *segment,
                             const Place *column_start, const uint32_t *sample, const double *value,
                             size_t depth, const double *u, double *partial)
{
    OF_SHARED(double, room);
    uint32_t c = segment_column[blockIdx.x];
    size_t r = (size_t)blockIdx.y * LANES + threadIdx.x % LANES;
    Place begin = column_start[c] + (blockIdx.x - segment[c]) * SEGMENT,
          end = begin + SEGMENT < column_start[c + 1] ? begin + SEGMENT : column_start[c + 1];
    double sum = 0;
    for (Place e = begin + threadIdx.x / LANES; r < depth && e < end; e += GROUPS)
        sum = fma(value[e], u[sample[e] * depth + r], sum);
    add_groups(sum, depth, r, room, partial + (size_t)blockIdx.x * depth);
}

/* The same of u alone, of a segment of samples. */
__global__ void add_samples(size_t rows, size_t depth, const double *u, double *partial)
{
    OF_SHARED(double, room);
    size_t r = (size_t)blockIdx.y * LANES + threadIdx.x % LANES,
           begin = (size_t)blockIdx.x * SEGMENT,
           end = begin + SEGMENT < rows ? begin + SEGMENT : rows;
    double sum = 0;
    for (size_t j = begin + threadIdx.x / LANES; r < depth && j < end; j += GROUPS)
        sum += u[j * depth + r];
    add_groups(sum, depth, r, room, partial + (size_t)blockIdx.x * depth);
}

/* A column's segments added up in order. */
__global__ void join_segments(const Place *segment, size_t columns, size_t depth,
                              const double *partial, double *out)
{
    size_t e = (size_t)blockIdx.x * THREADS + threadIdx.x, c = e / depth;
    double sum = 0;
    if (c >= columns)
        return;
    for (Place s = segment[c]; s < segment[c + 1]; s++)
        sum += partial[s * depth + e % depth];
    out[e] = sum;
}

#endif
