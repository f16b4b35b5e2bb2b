/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver's pass (docs/method.md section 3): with M = [R C]' B (q x pk, q = m + mu) made on the
 * host, the scores of a sample are M x; the first m of them at unit length are s, the largest of
 * the others is its label y; and the sums over samples are X [S; Y]', Y having a 1 for each
 * sample's label. Two products of the same shape, on samples that are read once.
 *
 * Where the result fits the registers of a block it is one kernel (pass_fused.cuh), whose products
 * are in the stack's precision, added up in double by tile; else three, in double (`settle` between
 * the product and the sum).
 */
#include "gpu/pass_fused.cuh"

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
        CUDA_TRY(cudaMalloc((void **)&(*X->labels)[slot], (X->samples + 1) * sizeof(int32_t)));
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

template <typename T>
static int pass_fused(of_device_stack *X, of_device_pass *pass, Task task,
                      void (*kernel)(Task, const T *, const T *, const int *, int32_t *const *,
                                     double *, unsigned long long *))
{
    of_device *device = X->device;
    size_t runs = pass->count, length = task.pk * task.q, at_largest, at_M, at_counts;
    Cut cut = cut_of(X->samples, length);
    task.chunk = cut.chunk;
    char *there;
    double *partial;
    GPU_TRY(of_gpu_shared((const void *)kernel, shared_bytes(task, X->doubles)));
    GPU_TRY(send_runs<T>(X, pass, task, &there, &at_largest, &at_M, &at_counts));
    GPU_TRY(room(device, ROOM_PARTIAL, cut.chunks * task.slices * runs * length, &partial));
    unsigned long long *counts = (unsigned long long *)(there + at_counts);
    dim3 grid((unsigned)cut.chunks, (unsigned)runs);
    OF_LAUNCH(kernel, grid, THREADS, shared_bytes(task, X->doubles), device->stream, task,
              (const T *)X->data, (const T *)(there + at_M), (const int *)(there + at_largest),
              (int32_t *const *)there, partial, counts);
    LAUNCHED("fused");
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
    for (size_t tile = 0; tile < cut.tiles; tile += most) {
        size_t tiles = cut.tiles - tile < most ? cut.tiles - tile : most;
        Blocked part = blocked(X);
        part.data = (const char *)X->data +
                    tile * TILE * X->rows * (X->doubles ? sizeof(double) : sizeof(float));
        GPU_TRY(room(device, ROOM_SCORES, tiles * TILE * task.q, &z));
        GPU_TRY(of_gpu_multiply(device, part, tiles, there, task.q, z));
        OF_LAUNCH(settle, (unsigned)tiles, TILE, 0, device->stream, task, tile * TILE, z,
                  (int)run->largest, labels, counts + r * (pass->mu + 1));
        LAUNCHED("settle");
        Blocked scores = {z, (size_t)task.q, 0, (size_t)task.q, 1};
        GPU_TRY(of_gpu_outer(device, part, scores, cut, tile, tiles, 0, partial));
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

int of_gpu_pass(of_device_stack *X, of_device_pass *pass)
{
    GPU_CALL(X->device);
    int q = (int)(pass->m + pass->mu);
    Task task = {X->samples,     X->rows, tiles_of(X->samples), 1, (int)pass->m,
                 (int)pass->mu,  q,       (q + 15) / 16 * 16,   pass->nonneg,
                 pass->keep_labels, 1};
    size_t pieces = (task.pk + 3) / 4 * (task.padded / 4);
    while (task.slices < MOST_SLICES && 2 * task.slices * pieces <= THREADS)
        task.slices *= 2;
    if (pieces > THREADS || shared_bytes(task, X->doubles) > (200 << 10))
        return pass_in_parts(X, pass, task);
    return X->doubles ? pass_fused<double>(X, pass, task, fused<double>)
                      : pass_fused<float>(X, pass, task, fused<float>);
}
