/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of raw samples from staging areas to the GPU, one of which is copied while another is
 * worked. Sparse ones are spread out there: what follows sees dense samples alone. */
#include "gpu/device.cuh"

/* A block to each sample, of which `raw` is 0 yet. */
__global__ void expand(const unsigned long long *start, const double *value, const uint32_t *column,
                       size_t columns, double *raw)
{
    double *own = raw + (size_t)blockIdx.x * columns;
    for (size_t e = start[blockIdx.x] + threadIdx.x; e < start[blockIdx.x + 1]; e += blockDim.x)
        own[column[e]] = value[e];
}

int of_gpu_arrive_begin(of_device_stack *X, Arrival arrival, int passes, int kept)
{
    of_device *device = X->device;
    X->arrival = arrival;
    X->passes = passes;
    for (int i = 0; i < 2; i++) {
        void *area;
        GPU_TRY(of_gpu_pinned(device, i, arrival.piece_bytes, &area));
        if (!kept)
            GPU_TRY(of_gpu_room(device, i ? ROOM_RAW1 : ROOM_RAW0, arrival.piece_bytes, &area));
        if (arrival.sparse)
            GPU_TRY(
                of_gpu_room(device, i ? ROOM_SPARSE1 : ROOM_SPARSE0, arrival.piece_bytes, &area));
    }
    return of_gpu_status(cudaDeviceSynchronize(), "begin");
}

int of_gpu_piece_staging(of_device_stack *X, int which, void **area)
{
    of_device *device = X->device;
    GPU_CALL(device);
    CUDA_TRY(cudaEventSynchronize(device->filled[which])); /* its last copy has left it */
    return of_gpu_pinned(device, which, X->arrival.piece_bytes, area);
}

/* From the staging area, which is free again after that. */
static int copy_over(of_device *device, int which, size_t bytes, void *to)
{
    CUDA_TRY(cudaStreamWaitEvent(device->copy, device->worked[which], 0));
    CUDA_TRY(
        cudaMemcpyAsync(to, device->pinned[which], bytes, cudaMemcpyHostToDevice, device->copy));
    CUDA_TRY(cudaEventRecord(device->filled[which], device->copy));
    return of_gpu_status(cudaStreamWaitEvent(device->stream, device->filled[which], 0), "copy");
}

/* `count` samples from staging area `which` to `raw`. */
static int arrive(of_device *device, const Arrival &a, int which, size_t count, void *raw)
{
    size_t bytes = count * a.sample;
    if (bytes > a.piece_bytes)
        return of_gpu_fail(OF_DEVICE_FAULT, "a piece of %zu samples", count);
    if (!a.sparse)
        return copy_over(device, which, bytes, raw);
    const uint64_t *given = (const uint64_t *)device->pinned[which];
    size_t entries = (size_t)given[count];
    if (OF_DEVICE_SPARSE_BYTES(count, entries) > a.piece_bytes)
        return of_gpu_fail(OF_DEVICE_FAULT, "a piece of %zu entries", entries);
    unsigned long long *start =
        (unsigned long long *)device->room[which ? ROOM_SPARSE1 : ROOM_SPARSE0];
    double *value = (double *)(start + count + 1);
    GPU_TRY(copy_over(device, which, OF_DEVICE_SPARSE_BYTES(count, entries), start));
    CUDA_TRY(cudaMemsetAsync(raw, 0, bytes, device->stream));
    OF_LAUNCH(expand, (unsigned)count, 64, 0, device->stream, start, value,
              (const uint32_t *)(value + entries), a.columns, (double *)raw);
    return launched("expand");
}

/* Of a pass over features that samples are kept for, to where they stay; or (-1) from there. */
int of_gpu_piece(of_device_stack *X, int which, size_t first, size_t count)
{
    of_device *device = X->device;
    GPU_CALL(device);
    char *all = X->passes ? (char *)X->features.all : NULL;
    auto work = X->passes ? of_gpu_pass_features : of_gpu_project_samples;
    if (first % TILE || first + count > X->samples || (which < 0 && !all))
        return of_gpu_fail(OF_DEVICE_FAULT, "a piece of %zu samples at %zu", count, first);
    void *raw = all         ? all + first * X->arrival.sample
                : which > 0 ? device->room[ROOM_RAW1]
                            : device->room[ROOM_RAW0];
    if (which < 0) {
        GPU_TRY(work(X, raw, first, count));
        return of_gpu_status(cudaStreamSynchronize(device->stream), "again");
    }
    GPU_TRY(arrive(device, X->arrival, which, count, raw));
    GPU_TRY(work(X, raw, first, count));
    return of_gpu_status(cudaEventRecord(device->worked[which], device->stream), "piece");
}
