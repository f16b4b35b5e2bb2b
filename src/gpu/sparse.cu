/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse features that stay on the GPU, and products with their Gram matrix or with the kernel
 * matrix, in double precision: the Krylov route on the side of the columns or of the samples.
 * Eight threads work eight rows of a block of vectors, which lie together for each sample and each
 * column, and go through entries one after the other. A column is cut into segments of 1024
 * entries, as frequent columns would take eight threads too long; sums of segments are added in
 * order.
 */
#include "gpu/device.cuh"

#include <memory>

enum { THREADS = 128, LANES = 8, GROUPS = THREADS / LANES, SEGMENT = 1024 };

typedef unsigned long long Place;

struct Entries {
    size_t rows, columns;
    const Place *start; /* rows + 1 */
    const uint32_t *index;
    const double *value, *scale;
};

/* ---- products ------------------------------------------------------------------------------- */

/* u (depth x rows) = scale (x f - in), or with its square. */
__global__ void weigh_samples(Entries f, size_t depth, const double *x, const double *in,
                              int squared, double *u)
{
    size_t j = (size_t)blockIdx.x * GROUPS + threadIdx.x / LANES,
           r = (size_t)blockIdx.y * LANES + threadIdx.x % LANES;
    if (j >= f.rows || r >= depth)
        return;
    double sum = 0;
    for (Place e = f.start[j]; e < f.start[j + 1]; e++)
        sum = fma(f.value[e], x[f.index[e] * depth + r], sum);
    u[j * depth + r] = f.scale[j] * (squared ? f.scale[j] : 1) * (sum - in[r]);
}

/* u (depth x rows) = scale u. */
__global__ void scale_samples(Entries f, size_t depth, double *u)
{
    size_t e = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (e < f.rows * depth)
        u[e] *= f.scale[e / depth];
}

/* out[r] = the sums of a block's groups, added in order. */
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

/* By sample, and by column. */
struct of_device_sparse {
    of_device *device;
    Entries by_sample;
    size_t segments;
    const Place *column_start, *segment; /* columns + 1: where its entries and its segments begin */
    const uint32_t *segment_column, *sample;
    const double *value;
    std::vector<void *> held;
};

/* ---- making --------------------------------------------------------------------------------- */

template <typename T>
static int hold_copy(of_device_sparse *f, size_t count, const void *from, const T **out)
{
    void *at = NULL;
    f->held.reserve(f->held.size() + 1); /* may throw: before the memory is allocated */
    GPU_TRY(of_gpu_allocate(f->device, &at, count * sizeof(T)));
    f->held.push_back(at);
    *out = (const T *)at;
    return count ? of_gpu_send(f->device, at, from, count * sizeof(T)) : (int)OF_DEVICE_OK;
}

static int send_samples(of_device_sparse *f, const of_device_entries *spec)
{
    static_assert(sizeof(size_t) == sizeof(Place), "starts are sent as they lie");
    Entries *to = &f->by_sample;
    size_t entries = spec->start[spec->rows];
    to->rows = spec->rows;
    to->columns = spec->columns;
    GPU_TRY(hold_copy(f, spec->rows + 1, spec->start, &to->start));
    GPU_TRY(hold_copy(f, entries, spec->index, &to->index));
    GPU_TRY(hold_copy(f, entries, spec->value, &to->value));
    return hold_copy(f, spec->rows, spec->scale, &to->scale);
}

static int send_columns(of_device_sparse *f, const of_device_entries *spec)
{
    size_t d = spec->columns, entries = spec->start[spec->rows];
    const size_t *start = spec->column_start;
    std::vector<Place> segment(d + 1, 0);
    std::vector<uint32_t> column;
    for (size_t c = 0; c < d; c++) {
        segment[c + 1] = segment[c] + (start[c + 1] - start[c] + SEGMENT - 1) / SEGMENT;
        column.resize(segment[c + 1], (uint32_t)c);
    }
    f->segments = column.size();
    GPU_TRY(hold_copy(f, d + 1, start, &f->column_start));
    GPU_TRY(hold_copy(f, entries, spec->sample, &f->sample));
    GPU_TRY(hold_copy(f, entries, spec->column_value, &f->value));
    GPU_TRY(hold_copy(f, d + 1, segment.data(), &f->segment));
    return hold_copy(f, f->segments, column.data(), &f->segment_column);
}

static void let_go(of_device_sparse *f)
{
    if (cudaSetDevice(f->device->index) == cudaSuccess)
        cudaStreamSynchronize(f->device->stream);
    for (void *at : f->held)
        of_gpu_release(f->device, at);
    delete f;
}

int of_gpu_sparse_make(of_device *device, const of_device_entries *spec, of_device_sparse **out)
{
    GPU_CALL(device);
    if (!spec->rows || !spec->columns || spec->rows > UINT32_MAX || spec->columns > UINT32_MAX)
        return of_gpu_fail(OF_DEVICE_UNSUPPORTED, "%zu samples of %zu columns", spec->rows,
                           spec->columns);
    std::unique_ptr<of_device_sparse, void (*)(of_device_sparse *)> made(new of_device_sparse(),
                                                                         let_go);
    made->device = device;
    GPU_TRY(send_samples(made.get(), spec));
    GPU_TRY(send_columns(made.get(), spec));
    *out = made.release();
    return OF_DEVICE_OK;
}

void of_gpu_sparse_free(of_device_sparse *sparse)
{
    std::lock_guard<std::mutex> held(of_gpu_lock);
    let_go(sparse);
}

/* ---- products ------------------------------------------------------------------------------- */

/* x (depth x columns), and behind it `in` (depth). */
static int send_block(of_device_sparse *f, size_t depth, const double *x, const double *in,
                      double **there)
{
    size_t length = depth * f->by_sample.columns;
    GPU_TRY(room(f->device, ROOM_SMALL, length + depth, there));
    GPU_TRY(of_gpu_send(f->device, *there, x, length * sizeof *x));
    return of_gpu_send(f->device, *there + length, in, depth * sizeof *in);
}

static dim3 grid_of(size_t items, size_t each, size_t depth)
{
    return dim3((unsigned)((items + each - 1) / each), (unsigned)((depth + LANES - 1) / LANES));
}

/* The sum of u f by column to the host, from u. */
static int sum_columns(of_device_sparse *f, size_t depth, const double *u, double *sum)
{
    of_device *device = f->device;
    size_t d = f->by_sample.columns;
    double *partial, *joined;
    GPU_TRY(room(device, ROOM_PARTIAL, f->segments * depth, &partial));
    GPU_TRY(room(device, ROOM_STAGING, d * depth, &joined));
    if (f->segments) {
        OF_LAUNCH(add_segments, grid_of(f->segments, 1, depth), THREADS, THREADS * sizeof(double),
                  device->stream, f->segment_column, f->segment, f->column_start, f->sample,
                  f->value, depth, u, partial);
        LAUNCHED("add_segments");
    }
    OF_LAUNCH(join_segments, (unsigned)((d * depth + THREADS - 1) / THREADS), THREADS, 0,
              device->stream, f->segment, d, depth, partial, joined);
    LAUNCHED("join_segments");
    return of_gpu_fetch(device, sum, joined, d * depth * sizeof *sum);
}

/* u (depth x rows, in ROOM_SCORES) from a block as send_block has left it. */
static int weigh(of_device_sparse *f, size_t depth, const double *there, int squared, double **u)
{
    of_device *device = f->device;
    size_t n = f->by_sample.rows;
    GPU_TRY(room(device, ROOM_SCORES, n * depth, u));
    OF_LAUNCH(weigh_samples, grid_of(n, GROUPS, depth), THREADS, 0, device->stream, f->by_sample,
              depth, there, there + depth * f->by_sample.columns, squared, *u);
    return launched("weigh_samples");
}

/* The sum of u, and behind it that of u f. */
static int sum_all(of_device_sparse *f, size_t depth, const double *u, double *sum)
{
    of_device *device = f->device;
    size_t n = f->by_sample.rows, parts = (n + SEGMENT - 1) / SEGMENT;
    double *partial;
    GPU_TRY(room(device, ROOM_PARTIAL, parts * depth, &partial));
    OF_LAUNCH(add_samples, grid_of(parts, 1, depth), THREADS, THREADS * sizeof(double),
              device->stream, n, depth, u, partial);
    LAUNCHED("add_samples");
    GPU_TRY(of_gpu_reduce(device, partial, depth, parts, sum));
    return sum_columns(f, depth, u, sum + depth);
}

int of_gpu_sparse_multiply(of_device_sparse *f, size_t depth, const double *x, const double *in,
                           double *sum)
{
    GPU_CALL(f->device);
    double *there, *u;
    GPU_TRY(send_block(f, depth, x, in, &there));
    GPU_TRY(weigh(f, depth, there, 1, &u));
    return sum_all(f, depth, u, sum);
}

int of_gpu_sparse_gather(of_device_sparse *f, size_t depth, const double *x, double *sum)
{
    of_device *device = f->device;
    GPU_CALL(device);
    size_t length = f->by_sample.rows * depth;
    double *u;
    GPU_TRY(room(device, ROOM_SCORES, length, &u));
    GPU_TRY(of_gpu_send(device, u, x, length * sizeof *x));
    OF_LAUNCH(scale_samples, (unsigned)((length + THREADS - 1) / THREADS), THREADS, 0,
              device->stream, f->by_sample, depth, u);
    LAUNCHED("scale_samples");
    return sum_all(f, depth, u, sum);
}

int of_gpu_sparse_spread(of_device_sparse *f, size_t depth, const double *z, const double *in,
                         double *y)
{
    GPU_CALL(f->device);
    double *there, *u;
    GPU_TRY(send_block(f, depth, z, in, &there));
    GPU_TRY(weigh(f, depth, there, 0, &u));
    return of_gpu_fetch(f->device, y, u, f->by_sample.rows * depth * sizeof *y);
}

int of_gpu_sparse_project(of_device_sparse *f, of_device_stack *X, size_t row, size_t rows,
                          const double *x, const double *in)
{
    of_device *device = f->device;
    GPU_CALL(device);
    size_t n = f->by_sample.rows;
    if (X->samples != n || row + rows > X->rows)
        return of_gpu_fail(OF_DEVICE_FAULT, "%zu rows of %zu samples", rows, n);
    double *there, *u;
    GPU_TRY(send_block(f, rows, x, in, &there));
    GPU_TRY(weigh(f, rows, there, 0, &u));
    return of_gpu_pack(device, u, rows, 0, n, 0, row, rows, X->data, X->rows, X->doubles);
}
