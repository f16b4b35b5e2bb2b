/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver's pass (docs/method.md section 3): with M = [R C]' B (q x pk, q = m + mu) made on the
 * host, the scores of a sample are M x; the first m of them at unit length are s, the largest of
 * the others is its label y; and the sums over samples are X [S; Y]', Y having a 1 for each
 * sample's label. Two products of the same shape, on samples that are read once.
 *
 * Where the result fits the registers of a block it is one kernel (pass_kernel.cuh), whose products
 * are in the stack's precision, added up in double by tile; else three, in double.
 */
#include "gpu/pass_kernel.cuh"

#include <algorithm>

/* ---- calls ---------------------------------------------------------------------------------- */

/* Where a run's labels lie. */
static int labels_slot(of_device_stack *X, size_t slot, int32_t **labels)
{
    if (X->labels.size() <= slot)
        X->labels.resize(slot + 1, NULL);
    if (!X->labels[slot])
        GPU_TRY(of_gpu_allocate(X->device, (void **)&X->labels[slot],
                                (X->samples + 1) * sizeof(int32_t)));
    *labels = X->labels[slot];
    return OF_DEVICE_OK;
}

int of_gpu_labels_store(of_device_stack *X, size_t slot, const int32_t *labels)
{
    GPU_CALL(X->device);
    int32_t *there;
    GPU_TRY(labels_slot(X, slot, &there));
    return of_gpu_send(X->device, there, labels, X->samples * sizeof *labels);
}

int of_gpu_labels_fetch(of_device_stack *X, size_t slot, int32_t *labels)
{
    GPU_CALL(X->device);
    int32_t *there;
    GPU_TRY(labels_slot(X, slot, &there));
    return of_gpu_fetch(X->device, labels, there, X->samples * sizeof *labels);
}

/* M = [R C]' B, q x pk. */
static std::vector<double> combine(const of_device_pass *pass, size_t pk)
{
    size_t q = pass->m + pass->mu, k = pass->k;
    std::vector<double> M(q * pk);
    for (size_t i = 0; i < pk; i++)
        for (size_t c = 0; c < q; c++) {
            double sum = 0;
            for (size_t r = 0; r < k; r++)
                sum += pass->R[r + c * k] * pass->B[r + i * k];
            M[c + i * q] = sum;
        }
    return M;
}

/* counts: mu sizes, then how many moved; these go behind the sums. */
static int fetch_counts(of_device *device, const of_device_pass *pass, size_t length,
                        const unsigned long long *counts)
{
    std::vector<unsigned long long> found(pass->mu + 1);
    GPU_TRY(of_gpu_fetch(device, found.data(), counts, found.size() * sizeof *counts));
    std::copy(found.begin(), found.end(), pass->sum + length);
    if (pass->keep_labels)
        pass->sum[length + pass->mu] = 0;
    return OF_DEVICE_OK;
}

/* M (q x pk) as a kernel takes it: by row of X, its columns padded, */
static size_t matrix_length(const Task &task, const double *)
{
    return task.pk * (size_t)task.padded;
}
static void lay_out(const Task &task, const double *M, double *to)
{
    for (size_t i = 0; i < task.pk; i++)
        for (int c = 0; c < task.q; c++)
            to[i * (size_t)task.padded + c] = M[c + i * task.q];
}
/* or split, in the order of the threads of a warp. */
static size_t matrix_length(const Task &task, const uint32_t *)
{
    return (size_t)2 * 16 * (size_t)share_out(task).row_tiles * (size_t)task.padded;
}
static void lay_out(const Task &task, const double *M, uint32_t *to)
{
    int steps = share_out(task).row_tiles * 2;
    for (int e = 0; e < task.padded / 16 * steps * 128; e++) {
        int fragment = e / 128, lane = e % 128 / 4, r = e % 4,
            c = fragment / steps * 16 + lane / 4 + r % 2 * 8,
            i = fragment % steps * 8 + lane % 4 + r / 2 * 4;
        uint32_t *own = to + fragment * LEFT + lane * 4 + r;
        split(i < (int)task.pk && c < task.q ? (float)M[c + i * task.q] : 0.0f, own,
              own + LEFT / 2);
    }
}

/* Where tile 0 would lie if the piece were of the whole stack. */
template <typename T> static const T *first_tile(const of_device_stack *X, const Piece &p)
{
    return (const T *)((uintptr_t)p.part.data - p.tile * tile_bytes(X));
}

/* A kernel for stacks of T and matrices of U, by blocks of so many threads with so much shared
 * memory. The matrix and the counts, zero at first, go to the GPU in one piece. */
template <typename T, typename U>
static int pass_at_once(of_device_stack *X, const of_device_pass *pass, Task task,
                        void (*kernel)(Task, const T *, const U *, int32_t *, double *,
                                       unsigned long long *),
                        unsigned threads, size_t shared)
{
    of_device *device = X->device;
    size_t length = task.pk * task.q, matrix = matrix_length(task, (const U *)NULL) * sizeof(U);
    Cut cut = cut_of(X->samples, length);
    task.chunk = cut.chunk;
    std::vector<char> here(matrix + (pass->mu + 1) * sizeof(unsigned long long), 0);
    char *there;
    int32_t *labels;
    double *partial;
    lay_out(task, combine(pass, task.pk).data(), (U *)here.data());
    GPU_TRY(of_gpu_shared((const void *)kernel, shared));
    GPU_TRY(labels_slot(X, pass->slot, &labels));
    GPU_TRY(room(device, ROOM_SMALL, here.size(), &there));
    GPU_TRY(of_gpu_send(device, there, here.data(), here.size()));
    GPU_TRY(room(device, ROOM_PARTIAL, cut.chunks * task.slices * length, &partial));
    unsigned long long *counts = (unsigned long long *)(there + matrix);
    GPU_TRY(of_gpu_each_piece(X, cut.chunk, SIZE_MAX, [&](const Piece &p) {
        task.first = p.tile / cut.chunk;
        OF_LAUNCH(kernel, (unsigned)((p.tiles + cut.chunk - 1) / cut.chunk), threads, shared,
                  device->stream, task, first_tile<T>(X, p), (const U *)there, labels, partial,
                  counts);
        return launched("pass");
    }));
    GPU_TRY(of_gpu_reduce(device, partial, length, cut.chunks * task.slices, pass->sum));
    return fetch_counts(device, pass, length, counts);
}

/* By three kernels, chunks at a time. */
static int pass_in_parts(of_device_stack *X, const of_device_pass *pass, Task task)
{
    of_device *device = X->device;
    size_t length = task.pk * task.q;
    Cut cut;
    double *there, *partial, *z;
    int32_t *labels;
    unsigned long long *counts;
    GPU_TRY(room(device, ROOM_COUNTS, pass->mu + 1, &counts));
    CUDA_TRY(cudaMemsetAsync(counts, 0, (pass->mu + 1) * sizeof *counts, device->stream));
    GPU_TRY(labels_slot(X, pass->slot, &labels));
    GPU_TRY(of_gpu_matrix(device, combine(pass, task.pk).data(), length, &there));
    GPU_TRY(partial_sums(device, X->samples, length, &cut, &partial));
    GPU_TRY(of_gpu_each_piece(X, cut.chunk, of_gpu_piece_tiles(device, task.q), [&](const Piece &p) {
        GPU_TRY(room(device, ROOM_SCORES, p.tiles * TILE * task.q, &z));
        GPU_TRY(of_gpu_multiply(device, p.part, p.tiles, there, blocked(z, task.q)));
        OF_LAUNCH(settle, (unsigned)p.tiles, TILE, 0, device->stream, task, p.first, z, labels,
                  counts);
        LAUNCHED("settle");
        return of_gpu_outer(device, p.part, blocked(z, task.q), cut, p.tile, p.tiles, 0, partial);
    }));
    GPU_TRY(of_gpu_reduce(device, partial, length, cut.chunks, pass->sum));
    return fetch_counts(device, pass, length, counts);
}

/* The kernel for tensor cores with room for so many tiles a warp, or NULL. */
static decltype(&tensor<1, 1>) tensor_kernel(int rows, int columns)
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

int of_gpu_pass(of_device_stack *X, const of_device_pass *pass)
{
    GPU_CALL(X->device);
    const size_t most = 200 << 10; /* bytes of shared memory */
    int q = (int)(pass->m + pass->mu);
    Task task = {X->samples,
                 X->rows,
                 tiles_of(X->samples),
                 1,
                 0,
                 (int)pass->m,
                 (int)pass->mu,
                 q,
                 (q + 15) / 16 * 16,
                 pass->nonneg,
                 pass->keep_labels,
                 1,
                 (int)pass->largest};
    size_t padded = (size_t)task.padded, found = (pass->mu + 1) * sizeof(int);
    if (X->doubles) {
        size_t pieces = (task.pk + 3) / 4 * (padded / 4),
               bytes = (task.pk * (PITCH + padded) + padded * PITCH) * sizeof(double) + found;
        while (task.slices < MOST_SLICES && 2 * task.slices * pieces <= THREADS)
            task.slices *= 2;
        if (pieces <= THREADS && bytes <= most)
            return pass_at_once(X, pass, task, fused, THREADS, bytes);
        return pass_in_parts(X, pass, task);
    }
    Sharing sharing = share_out(task);
    size_t bytes = (16 * (size_t)sharing.row_tiles + padded) * TENSOR_PITCH * sizeof(float) + found;
    auto kernel = tensor_kernel((sharing.row_tiles + sharing.across - 1) / sharing.across,
                                (sharing.column_tiles + sharing.down - 1) / sharing.down);
    return kernel && bytes <= most ? pass_at_once(X, pass, task, kernel, TENSOR_THREADS, bytes)
                                   : pass_in_parts(X, pass, task);
}
