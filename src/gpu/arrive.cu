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

int of_gpu_arrive_begin(of_device *device, const Arrival &a, int kept)
{
    for (int i = 0; i < 2; i++) {
        void *area;
        GPU_TRY(of_gpu_pinned(device, i, a.piece_bytes, &area));
        if (!kept)
            GPU_TRY(of_gpu_room(device, i ? ROOM_RAW1 : ROOM_RAW0, a.piece_bytes, &area));
        if (a.sparse)
            GPU_TRY(of_gpu_room(device, i ? ROOM_SPARSE1 : ROOM_SPARSE0, a.piece_bytes, &area));
    }
    return of_gpu_status(cudaDeviceSynchronize(), "begin");
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

int of_gpu_arrive(of_device *device, const Arrival &a, int which, size_t count, void **raw)
{
    size_t bytes = count * a.columns * a.number;
    if (bytes > a.piece_bytes)
        return of_gpu_fail(OF_DEVICE_FAULT, "a piece of %zu samples", count);
    *raw = *raw ? *raw : device->room[which ? ROOM_RAW1 : ROOM_RAW0];
    if (!a.sparse)
        return copy_over(device, which, bytes, *raw);
    const uint64_t *given = (const uint64_t *)device->pinned[which];
    size_t entries = (size_t)given[count];
    if (OF_DEVICE_SPARSE_BYTES(count, entries) > a.piece_bytes)
        return of_gpu_fail(OF_DEVICE_FAULT, "a piece of %zu entries", entries);
    unsigned long long *start =
        (unsigned long long *)device->room[which ? ROOM_SPARSE1 : ROOM_SPARSE0];
    double *value = (double *)(start + count + 1);
    GPU_TRY(copy_over(device, which, OF_DEVICE_SPARSE_BYTES(count, entries), start));
    CUDA_TRY(cudaMemsetAsync(*raw, 0, bytes, device->stream));
    OF_LAUNCH(expand, (unsigned)count, 64, 0, device->stream, start, value,
              (const uint32_t *)(value + entries), a.columns, (double *)*raw);
    LAUNCHED("expand");
    return OF_DEVICE_OK;
}

int of_gpu_arrive_end(of_device *device, int which)
{
    return of_gpu_status(cudaEventRecord(device->worked[which], device->stream), "piece");
}
