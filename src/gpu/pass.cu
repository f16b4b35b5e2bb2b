/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver's pass (docs/method.md section 3): with M = [R C]' B (q x pk, q = m + mu) made on the
 * host, the scores of a sample are M x; the first m of them at unit length are s, the largest of
 * the others is its label y; and the sums over samples are X [S; Y]', Y having a 1 for each
 * sample's label. Two products of the same shape, on samples that are read once.
 *
 * Where the result fits the registers of a block it is one kernel (pass_tensor.cuh for floats,
 * pass_fused.cuh for doubles and for what the first has no room for), whose products are in the
 * stack's precision, added up in double by tile; else three, in double (`settle` between the
 * product and the sum).
 */
#include "gpu/pass_fused.cuh"
#include "gpu/pass_slab.cuh"

#include "gpu/windows.cuh"

#include <cstring>

/* ---- three kernels --------------------------------------------------------------------------- */

/* Scores (q rows, in tiles, of samples from `first` on) become [S; Y]. */
__global__ void settle(Task task, size_t first, double *z, int largest, int32_t *labels,
                       unsigned long long *counts)
{
    size_t j = first + (size_t)blockIdx.x * TILE + threadIdx.x;
    double *own = z + (size_t)blockIdx.x * task.q * TILE + threadIdx.x;
    if (j >= task.samples) {
        for (int r = 0; r < task.q; r++)
            own[r * TILE] = 0;
        return;
    }
    int before = labels[j], now = settle_sample(own, TILE, task, before, largest);
    atomicAdd(&counts[now], 1ull);
    if (now != before) {
        labels[j] = now;
        atomicAdd(&counts[task.mu], 1ull);
    }
}

/* ---- calls ---------------------------------------------------------------------------------- */

int of_gpu_labels_slot(of_device_stack *X, size_t slot, int32_t **labels)
{
    if (X->labels->size() <= slot)
        X->labels->resize(slot + 1, NULL);
    if (!(*X->labels)[slot])
        CUDA_TRY(of_gpu_allocate(X->device, (void **)&(*X->labels)[slot],
                                 (X->samples + 1) * sizeof(int32_t)));
    *labels = (*X->labels)[slot];
    return OF_DEVICE_OK;
}

int of_gpu_labels_store(of_device_stack *X, size_t slot, const int32_t *labels)
{
    GPU_CALL(X->device);
    int32_t *there;
    GPU_TRY(of_gpu_labels_slot(X, slot, &there));
    return of_gpu_send(X->device, there, labels, X->samples * sizeof *labels);
}

int of_gpu_labels_fetch(of_device_stack *X, size_t slot, int32_t *labels)
{
    GPU_CALL(X->device);
    int32_t *there;
    GPU_TRY(of_gpu_labels_slot(X, slot, &there));
    return of_gpu_fetch(X->device, labels, there, X->samples * sizeof *labels);
}

/* M = [R C]' B of a run, q x pk. */
static void combine(const of_device_pass *pass, const of_device_run *run, size_t pk, double *M)
{
    size_t q = pass->m + pass->mu, k = pass->k;
    for (size_t i = 0; i < pk; i++)
        for (size_t c = 0; c < q; c++) {
            double sum = 0;
            for (size_t r = 0; r < k; r++)
                sum += run->R[r + c * k] * run->B[r + i * k];
            M[c + i * q] = sum;
        }
}

static void hand_counts(of_device_pass *pass, const unsigned long long *counts)
{
    for (size_t r = 0; r < pass->count; r++) {
        const unsigned long long *own = counts + r * (pass->mu + 1);
        for (size_t c = 0; c < pass->mu; c++)
            pass->runs[r].sizes[c] = (size_t)own[c];
        *pass->runs[r].moved = pass->keep_labels ? 0 : (size_t)own[pass->mu];
    }
}

static size_t shared_bytes(const Task &task, int doubles)
{
    return (task.pk * (PITCH + task.padded) + (size_t)task.padded * PITCH) *
               (doubles ? sizeof(double) : sizeof(float)) +
           ((size_t)task.mu + 1) * sizeof(int);
}

/* What the kernel is told of the runs, in one piece of memory: where labels lie, the largest
 * clusters, M by row of X, its columns padded; and behind it the counts. */
template <typename T>
static int send_runs(of_device_stack *X, const of_device_pass *pass, const Task &task, char **there,
                     size_t *at_largest, size_t *at_M, size_t *at_counts)
{
    size_t runs = pass->count, length = task.pk * task.padded;
    *at_largest = runs * sizeof(int32_t *);
    *at_M = (*at_largest + runs * sizeof(int) + 15) / 16 * 16;
    *at_counts = (*at_M + runs * length * sizeof(T) + 15) / 16 * 16;
    size_t bytes = *at_counts + runs * (pass->mu + 1) * sizeof(unsigned long long);
    std::vector<char> told(bytes, 0);
    std::vector<double> M(task.pk * task.q);
    for (size_t r = 0; r < runs; r++) {
        int32_t *labels;
        GPU_TRY(of_gpu_labels_slot(X, pass->runs[r].slot, &labels));
        ((int32_t **)told.data())[r] = labels;
        ((int *)(told.data() + *at_largest))[r] = (int)pass->runs[r].largest;
        combine(pass, &pass->runs[r], task.pk, M.data());
        T *padded = (T *)(told.data() + *at_M) + r * length;
        for (size_t i = 0; i < task.pk; i++)
            for (int c = 0; c < task.q; c++)
                padded[i * task.padded + c] = (T)M[c + i * task.q];
    }
    GPU_TRY(room(X->device, ROOM_SMALL, bytes, there));
    return of_gpu_send(X->device, *there, told.data(), bytes);
}

/* A kernel of the pass, for stacks of T and matrices of U. */
template <typename T, typename U>
using Kernel = void (*)(Task, const T *, const U *, const int *, int32_t *const *, double *,
                        unsigned long long *);

/* The matrices of all runs as a kernel wants them: as they are, or split. */
template <typename T>
static int ready_matrices(of_device *, const Task &, size_t, int, const T *M, const T **out)
{
    *out = M;
    return OF_DEVICE_OK;
}
static int ready_matrices(of_device *device, const Task &task, size_t runs, int paired,
                          const float *M, const uint32_t **out)
{
    uint32_t *there;
    GPU_TRY(room(device, ROOM_SPLIT, runs * split_words(task), &there));
    OF_LAUNCH(split_matrices, (unsigned)runs, TENSOR_THREADS, 0, device->stream, task, M, there,
              paired);
    LAUNCHED("split");
    *out = there;
    return OF_DEVICE_OK;
}

/* Where tile 0 would lie if the window were of the whole stack. */
template <typename T> static const T *first_tile(const Windows &w)
{
    return (const T *)((uintptr_t)w.data - w.tile * tile_bytes(w.X));
}

/* `kernel` by blocks of so many threads with so much shared memory, and matrices in its order. */
template <typename T, typename U>
static int pass_at_once(of_device_stack *X, of_device_pass *pass, Task task, Kernel<T, U> kernel,
                        unsigned threads, size_t shared, int paired)
{
    of_device *device = X->device;
    size_t runs = pass->count, length = task.pk * task.q, at_largest, at_M, at_counts;
    Cut cut = cut_of(X->samples, length);
    task.chunk = cut.chunk;
    char *there;
    double *partial;
    GPU_TRY(of_gpu_shared((const void *)kernel, shared));
    GPU_TRY(send_runs<T>(X, pass, task, &there, &at_largest, &at_M, &at_counts));
    GPU_TRY(room(device, ROOM_PARTIAL, cut.chunks * task.slices * runs * length, &partial));
    unsigned long long *counts = (unsigned long long *)(there + at_counts);
    const U *matrices;
    GPU_TRY(ready_matrices(device, task, runs, paired, (const T *)(there + at_M), &matrices));
    Windows w;
    GPU_TRY(of_gpu_windows(X, cut.chunk, &w));
    for (;;) {
        GPU_TRY(of_gpu_next_window(&w));
        if (!w.tiles)
            break;
        task.first = w.tile / cut.chunk;
        dim3 grid((unsigned)((w.tiles + cut.chunk - 1) / cut.chunk), (unsigned)runs);
        OF_LAUNCH(kernel, grid, threads, shared, device->stream, task, first_tile<T>(w), matrices,
                  (const int *)(there + at_largest), (int32_t *const *)there, partial, counts);
        LAUNCHED("pass");
    }
    std::vector<double> sums(runs * length);
    std::vector<unsigned long long> found(runs * (pass->mu + 1));
    GPU_TRY(of_gpu_reduce(device, partial, runs * length, cut.chunks * task.slices, sums.data()));
    GPU_TRY(of_gpu_fetch(device, found.data(), counts, found.size() * sizeof *counts));
    for (size_t r = 0; r < runs; r++)
        memcpy(pass->runs[r].sum, sums.data() + r * length, length * sizeof(double));
    hand_counts(pass, found.data());
    return OF_DEVICE_OK;
}

/* One run by three kernels, chunks at a time. */
static int pass_parts(of_device_stack *X, of_device_pass *pass, Task task, size_t r,
                      unsigned long long *counts)
{
    of_device *device = X->device;
    of_device_run *run = &pass->runs[r];
    size_t length = task.pk * task.q;
    Cut cut = cut_of(X->samples, length);
    size_t most = of_gpu_piece_tiles(device, task.q) / cut.chunk * cut.chunk;
    most = most ? most : cut.chunk;
    std::vector<double> M(length);
    double *there, *partial, *z;
    int32_t *labels;
    combine(pass, run, task.pk, M.data());
    GPU_TRY(of_gpu_labels_slot(X, run->slot, &labels));
    GPU_TRY(of_gpu_matrix(device, M.data(), length, &there));
    GPU_TRY(room(device, ROOM_PARTIAL, cut.chunks * length, &partial));
    Windows w;
    size_t done = 0; /* tiles of the window */
    GPU_TRY(of_gpu_windows(X, cut.chunk, &w));
    GPU_TRY(of_gpu_next_window(&w));
    while (w.tiles) {
        size_t tile = w.tile + done, tiles = w.tiles - done < most ? w.tiles - done : most;
        Blocked part = window_of(w);
        part.data = w.data + done * tile_bytes(X);
        GPU_TRY(room(device, ROOM_SCORES, tiles * TILE * task.q, &z));
        GPU_TRY(of_gpu_multiply(device, part, tiles, there, task.q, z));
        OF_LAUNCH(settle, (unsigned)tiles, TILE, 0, device->stream, task, tile * TILE, z,
                  (int)run->largest, labels, counts + r * (pass->mu + 1));
        LAUNCHED("settle");
        Blocked scores = {z, (size_t)task.q, 0, (size_t)task.q, 1};
        GPU_TRY(of_gpu_outer(device, part, scores, cut, tile, tiles, 0, partial));
        done += tiles;
        if (done == w.tiles) {
            GPU_TRY(of_gpu_next_window(&w));
            done = 0;
        }
    }
    return of_gpu_reduce(device, partial, length, cut.chunks, run->sum);
}

static int pass_in_parts(of_device_stack *X, of_device_pass *pass, Task task)
{
    of_device *device = X->device;
    std::vector<unsigned long long> found(pass->count * (pass->mu + 1), 0);
    unsigned long long *counts;
    GPU_TRY(room(device, ROOM_COUNTS, found.size(), &counts));
    GPU_TRY(of_gpu_send(device, counts, found.data(), found.size() * sizeof *counts));
    for (size_t r = 0; r < pass->count; r++)
        GPU_TRY(pass_parts(X, pass, task, r, counts));
    GPU_TRY(of_gpu_fetch(device, found.data(), counts, found.size() * sizeof *counts));
    hand_counts(pass, found.data());
    return OF_DEVICE_OK;
}

/* The kernel for tensor cores with room for so many tiles a warp, or NULL. */
static Kernel<float, uint32_t> tensor_kernel(int rows, int columns)
{
    switch (rows * 16 + (columns > 4 ? 8 : columns > 2 ? 4 : columns)) {
    case 16 + 1:
        return tensor<1, 1>;
    case 16 + 2:
        return tensor<1, 2>;
    case 16 + 4:
        return tensor<1, 4>;
    case 16 + 8:
        return columns > 8 ? NULL : tensor<1, 8>;
    case 32 + 1:
    case 32 + 2:
        return tensor<2, 2>;
    case 32 + 4:
        return tensor<2, 4>;
    default:
        return NULL;
    }
}

/* Floats by tensor cores; `done` is 0 where there is no kernel for the shape. */
static int pass_tensor(of_device_stack *X, of_device_pass *pass, Task task, int *done)
{
    Sharing sharing = share_out(task);
    size_t rows = 16 * (size_t)sharing.row_tiles, padded = (size_t)task.padded,
           bytes =
               (rows + padded) * TENSOR_PITCH * sizeof(float) + ((size_t)task.mu + 1) * sizeof(int);
    Kernel<float, uint32_t> kernel =
        tensor_kernel((sharing.row_tiles + sharing.across - 1) / sharing.across,
                      (sharing.column_tiles + sharing.down - 1) / sharing.down);
    *done = kernel && bytes <= (200 << 10);
    task.slices = 1;
    return *done ? pass_at_once<float, uint32_t>(X, pass, task, kernel, TENSOR_THREADS, bytes, 0)
                 : OF_DEVICE_OK;
}

/* The same with slabs, for results that fit a warp. */
template <int R, int C>
static int pass_slab(of_device_stack *X, of_device_pass *pass, Task task)
{
    return pass_at_once<float, uint32_t>(X, pass, task, slab<R, C>, TENSOR_THREADS,
                                         Slabs<R, C>::bytes((size_t)task.mu), 1);
}

static int pass_slabs(of_device_stack *X, of_device_pass *pass, Task task, int *done)
{
    *done = !task.nonneg && task.padded <= 32 && task.pk <= 64;
    if (!*done)
        return OF_DEVICE_OK;
    switch (share_out(task).row_tiles * 4 + task.padded / 16) {
    case 4 + 1:
        return pass_slab<1, 2>(X, pass, task);
    case 4 + 2:
        return pass_slab<1, 4>(X, pass, task);
    case 8 + 1:
        return pass_slab<2, 2>(X, pass, task);
    case 8 + 2:
        return pass_slab<2, 4>(X, pass, task);
    case 12 + 1:
        return pass_slab<3, 2>(X, pass, task);
    case 12 + 2:
        return pass_slab<3, 4>(X, pass, task);
    case 16 + 1:
        return pass_slab<4, 2>(X, pass, task);
    default:
        return pass_slab<4, 4>(X, pass, task);
    }
}

int of_gpu_pass(of_device_stack *X, of_device_pass *pass)
{
    GPU_CALL(X->device);
    int q = (int)(pass->m + pass->mu);
    Task task = {
        X->samples,         X->rows,      tiles_of(X->samples), 1, 0, (int)pass->m, (int)pass->mu, q,
        (q + 15) / 16 * 16, pass->nonneg, pass->keep_labels,    1};
    int done = 0;
    if (!X->doubles)
        GPU_TRY(pass_slabs(X, pass, task, &done));
    if (!X->doubles && !done)
        GPU_TRY(pass_tensor(X, pass, task, &done));
    if (done)
        return OF_DEVICE_OK;
    size_t pieces = (task.pk + 3) / 4 * (task.padded / 4);
    while (task.slices < MOST_SLICES && 2 * task.slices * pieces <= THREADS)
        task.slices *= 2;
    size_t bytes = shared_bytes(task, X->doubles);
    if (pieces > THREADS || bytes > (200 << 10))
        return pass_in_parts(X, pass, task);
    return X->doubles
               ? pass_at_once<double, double>(X, pass, task, fused<double>, THREADS, bytes, 0)
               : pass_at_once<float, float>(X, pass, task, fused<float>, THREADS, bytes, 0);
}
