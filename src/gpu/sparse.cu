/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse features that stay on the GPU, and products with their Gram matrix or with the kernel
 * matrix, in double precision: the Krylov route on the side of the columns or of the samples. */
#include "gpu/sparse_kernel.cuh"

#include <memory>

/* By sample as they come, and by column. */
struct of_device_sparse {
    of_device *device;
    Entries by_sample;
    size_t segments;
    Place *column_start, *segment; /* columns + 1: where its entries and its segments begin */
    uint32_t *segment_column, *sample;
    double *value;
    std::vector<void *> *held;
};

/* ---- making --------------------------------------------------------------------------------- */

template <typename T> static int hold(of_device_sparse *f, size_t count, T **out)
{
    void *at = NULL;
    size_t bytes = (count ? count : 1) * sizeof(T);
    f->held->reserve(f->held->size() + 1); /* where there is no room for it, before it is there */
    cudaError_t error = of_gpu_allocate(f->device, &at, bytes);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return of_gpu_fail(OF_DEVICE_NO_MEMORY, "it has no %zu MB free for a sparse view",
                           (bytes >> 20) + 1);
    }
    CUDA_TRY(error);
    f->held->push_back(at);
    *out = (T *)at;
    return OF_DEVICE_OK;
}

template <typename T>
static int hold_copy(of_device_sparse *f, size_t count, const void *from, const T **out)
{
    T *at = NULL;
    GPU_TRY(hold(f, count, &at));
    *out = at;
    return count ? of_gpu_send(f->device, at, from, count * sizeof(T)) : (int)OF_DEVICE_OK;
}

static int send_samples(of_device_sparse *f, const of_device_entries *told)
{
    static_assert(sizeof(size_t) == sizeof(Place), "starts are sent as they lie");
    Entries *to = &f->by_sample;
    size_t entries = told->start[told->rows];
    to->rows = told->rows;
    to->columns = told->columns;
    GPU_TRY(hold_copy(f, told->rows + 1, told->start, &to->start));
    GPU_TRY(hold_copy(f, entries, told->index, &to->index));
    GPU_TRY(hold_copy(f, entries, told->value, &to->value));
    return hold_copy(f, told->rows, told->scale, &to->scale);
}

/* Where columns and their segments begin, from the columns' entries. */
static int cut_columns(of_device_sparse *f, const std::vector<Place> &total)
{
    size_t d = total.size();
    std::vector<Place> start(d + 1, 0), segment(d + 1, 0);
    for (size_t c = 0; c < d; c++) {
        start[c + 1] = start[c] + total[c];
        segment[c + 1] = segment[c] + (total[c] + SEGMENT - 1) / SEGMENT;
    }
    f->segments = (size_t)segment[d];
    std::vector<uint32_t> column(f->segments);
    for (size_t c = 0; c < d; c++)
        for (Place s = segment[c]; s < segment[c + 1]; s++)
            column[s] = (uint32_t)c;
    GPU_TRY(hold_copy(f, d + 1, start.data(), (const Place **)&f->column_start));
    GPU_TRY(hold_copy(f, d + 1, segment.data(), (const Place **)&f->segment));
    return hold_copy(f, f->segments, column.data(), (const uint32_t **)&f->segment_column);
}

static int sort_columns(of_device_sparse *f, size_t entries)
{
    const size_t COUNTS = (size_t)64 << 20, MOST_BLOCKS = 2048;
    of_device *device = f->device;
    size_t n = f->by_sample.rows, d = f->by_sample.columns, chunks = COUNTS / d;
    chunks = chunks > MOST_BLOCKS ? MOST_BLOCKS : chunks < 1 ? 1 : chunks;
    size_t chunk = (n + chunks - 1) / chunks;
    chunks = (n + chunk - 1) / chunk;
    unsigned *count;
    Place *total;
    std::vector<Place> totals(d);
    GPU_TRY(room(device, ROOM_COUNTS, chunks * d, &count));
    GPU_TRY(room(device, ROOM_REDUCED, d, &total));
    GPU_TRY(hold(f, entries, &f->sample));
    GPU_TRY(hold(f, entries, &f->value));
    CUDA_TRY(cudaMemsetAsync(count, 0, chunks * d * sizeof *count, device->stream));
    OF_LAUNCH(count_columns, (unsigned)chunks, THREADS, 0, device->stream, f->by_sample, chunk,
              count);
    LAUNCHED("count_columns");
    OF_LAUNCH(place_chunks, (unsigned)((d + THREADS - 1) / THREADS), THREADS, 0, device->stream, d,
              chunks, count, total);
    LAUNCHED("place_chunks");
    GPU_TRY(of_gpu_fetch(device, totals.data(), total, d * sizeof *total));
    GPU_TRY(cut_columns(f, totals));
    OF_LAUNCH(fill_columns, (unsigned)chunks, THREADS, 0, device->stream, f->by_sample, chunk,
              count, f->column_start, f->sample, f->value);
    LAUNCHED("fill_columns");
    return of_gpu_status(cudaStreamSynchronize(device->stream), "columns");
}

static void let_go(of_device_sparse *f)
{
    if (cudaSetDevice(f->device->index) == cudaSuccess)
        cudaStreamSynchronize(f->device->stream);
    for (void *at : *f->held)
        of_gpu_release(f->device, at);
    delete f->held;
    delete f;
}

int of_gpu_sparse_make(of_device *device, const of_device_entries *told, of_device_sparse **out)
{
    GPU_CALL(device);
    if (!told->rows || !told->columns || told->rows > UINT32_MAX || told->columns > UINT32_MAX)
        return of_gpu_fail(OF_DEVICE_UNSUPPORTED, "%zu samples of %zu columns", told->rows,
                           told->columns);
    std::unique_ptr<std::vector<void *>> held(new std::vector<void *>());
    of_device_sparse *made = new of_device_sparse();
    made->device = device;
    made->held = held.release();
    int code;
    try {
        code = send_samples(made, told);
        if (code == OF_DEVICE_OK)
            code = sort_columns(made, told->start[told->rows]);
    } catch (...) {
        let_go(made);
        throw;
    }
    if (code == OF_DEVICE_OK)
        *out = made;
    else
        let_go(made);
    return code;
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
    LAUNCHED("weigh_samples");
    return OF_DEVICE_OK;
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
    CUDA_TRY(cudaStreamSynchronize(device->stream));
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
                          const double *x, const double *in, double *inner)
{
    of_device *device = f->device;
    GPU_CALL(device);
    size_t n = f->by_sample.rows, length = rows * f->by_sample.columns;
    if (X->samples != n || row + rows > X->rows)
        return of_gpu_fail(OF_DEVICE_FAULT, "%zu rows of %zu samples", rows, n);
    double *there;
    GPU_TRY(send_block(f, rows, x, in, &there));
    if (X->doubles) {
        auto kernel = project_samples<double>;
        OF_LAUNCH(kernel, grid_of(n, GROUPS, rows), THREADS, 0, device->stream, f->by_sample, rows,
                  there, there + length, (double *)X->data, X->rows, row);
    } else {
        auto kernel = project_samples<float>;
        OF_LAUNCH(kernel, grid_of(n, GROUPS, rows), THREADS, 0, device->stream, f->by_sample, rows,
                  there, there + length, (float *)X->data, X->rows, row);
    }
    LAUNCHED("project_samples");
    Blocked H = blocked(X);
    H.row = row;
    H.used = rows;
    return of_gpu_outer_sum(device, H, H, n, 1, inner);
}
