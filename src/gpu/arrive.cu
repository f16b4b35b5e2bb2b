/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of samples from staging areas to the GPU, one of which is filled and copied while another
 * is worked: raw ones to the projection that has begun, others to the rows of a stack. */
#include "gpu/device.cuh"

int of_gpu_piece_staging(of_device_stack *X, int which, size_t bytes, void **area)
{
    of_device *device = X->device;
    GPU_CALL(device);
    CUDA_TRY(cudaEventSynchronize(device->filled[which])); /* its last copy has left it */
    return of_gpu_pinned(device, which, bytes, area);
}

int of_gpu_piece(of_device_stack *X, int which, size_t first, size_t count)
{
    of_device *device = X->device;
    GPU_CALL(device);
    const of_device_projection *told = X->projection.tiles ? &X->projection.told : NULL;
    size_t columns = told ? told->raw_columns : X->rows,
           bytes = count * columns * (told && !told->raw_double ? sizeof(float) : sizeof(double));
    if ((told && first % TILE) || first + count > X->samples || bytes > device->pinned_bytes[which])
        return of_gpu_fail(OF_DEVICE_FAULT, "a piece of %zu samples at %zu", count, first);
    void *raw;
    GPU_TRY(of_gpu_room(device, which ? ROOM_RAW1 : ROOM_RAW0, bytes, &raw));
    CUDA_TRY(cudaStreamWaitEvent(device->copy, device->worked[which], 0));
    CUDA_TRY(
        cudaMemcpyAsync(raw, device->pinned[which], bytes, cudaMemcpyHostToDevice, device->copy));
    CUDA_TRY(cudaEventRecord(device->filled[which], device->copy));
    CUDA_TRY(cudaStreamWaitEvent(device->stream, device->filled[which], 0));
    if (told)
        GPU_TRY(of_gpu_project_samples(X, raw, first, count));
    else
        GPU_TRY(of_gpu_pack(device, raw, columns, 0, count, first, 0, columns, X->data, columns,
                            X->doubles));
    return of_gpu_status(cudaEventRecord(device->worked[which], device->stream), "piece");
}
