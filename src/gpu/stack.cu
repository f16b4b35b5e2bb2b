/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks on the card: made, filled from the host, and read back. */
#include "gpu/device.cuh"

#include <cstdlib>

/* ---- kernels -------------------------------------------------------------------------------- */

/* Thread t of a block has numbers t, t + 128, ... of its 128 samples as they lie on the host. */
template <typename S, typename T>
__global__ void pack(const S *from, size_t ld, size_t count, size_t first, size_t row, size_t rows,
                     T *to, size_t to_rows)
{
    size_t begin = (size_t)blockIdx.x * TILE;
    for (size_t e = threadIdx.x; e < rows * TILE; e += blockDim.x) {
        size_t j = begin + e / rows, i = e % rows, at = first + j;
        if (j < count)
            to[((at / TILE) * to_rows + row + i) * TILE + at % TILE] = (T)from[j * ld + i];
    }
}

/* Samples place[0 ..] (NULL: first ..) as doubles, rows x count packed. */
template <typename T>
__global__ void unpack(const T *from, size_t rows, size_t first, const unsigned long long *place,
                       size_t count, double *to)
{
    size_t begin = (size_t)blockIdx.x * TILE;
    for (size_t e = threadIdx.x; e < rows * TILE; e += blockDim.x) {
        size_t j = begin + e / rows, i = e % rows;
        if (j < count) {
            size_t at = place ? (size_t)place[j] : first + j;
            to[j * rows + i] = (double)from[((at / TILE) * rows + i) * TILE + at % TILE];
        }
    }
}

/* ---- making --------------------------------------------------------------------------------- */

static size_t size_of(const of_device_stack *stack)
{
    return stack->doubles ? sizeof(double) : sizeof(float);
}

int of_gpu_stack_make(of_device *device, size_t rows, size_t samples, int doubles,
                      of_device_stack **out)
{
    GPU_CALL(device);
    of_device_stack *stack = new of_device_stack();
    *stack = of_device_stack{device, rows, samples, doubles, NULL, new std::vector<int32_t *>(),
                             Projection(), FeaturePasses()};
    size_t bytes = tiles_of(samples) * TILE * rows * size_of(stack);
    cudaError_t error = cudaMalloc(&stack->data, bytes ? bytes : 1);
    if (error == cudaSuccess)
        error = cudaMemsetAsync(stack->data, 0, bytes, device->stream);
    if (error != cudaSuccess) {
        int code = of_gpu_status(error, "memory for a stack");
        cudaFree(stack->data);
        delete stack->labels;
        delete stack;
        return code == OF_DEVICE_NO_MEMORY
                   ? of_gpu_fail(code, "the base partitions take %zu MB, and it has not so much free",
                                 (bytes >> 20) + 1)
                   : code;
    }
    *out = stack;
    return OF_DEVICE_OK;
}

void of_gpu_stack_free(of_device_stack *stack)
{
    std::lock_guard<std::mutex> held(of_gpu_lock);
    if (cudaSetDevice(stack->device->index) == cudaSuccess) {
        cudaStreamSynchronize(stack->device->stream);
        for (int32_t *labels : *stack->labels)
            cudaFree(labels);
        cudaFree(stack->data);
        cudaFree(stack->features.all);
    }
    delete stack->labels;
    delete stack;
}

/* ---- to the card ---------------------------------------------------------------------------- */

int of_gpu_pack(of_device *device, const void *from, size_t ld, int floats, size_t count,
                size_t first, size_t row, size_t rows, void *to, size_t to_rows, int doubles)
{
    unsigned blocks = (unsigned)tiles_of(count);
    if (!blocks || !rows)
        return OF_DEVICE_OK;
    if (floats && doubles) {
        auto kernel = pack<float, double>;
        OF_LAUNCH(kernel, blocks, TILE, 0, device->stream, (const float *)from, ld, count, first,
                  row, rows, (double *)to, to_rows);
    } else if (floats) {
        auto kernel = pack<float, float>;
        OF_LAUNCH(kernel, blocks, TILE, 0, device->stream, (const float *)from, ld, count, first,
                  row, rows, (float *)to, to_rows);
    } else if (doubles) {
        auto kernel = pack<double, double>;
        OF_LAUNCH(kernel, blocks, TILE, 0, device->stream, (const double *)from, ld, count, first,
                  row, rows, (double *)to, to_rows);
    } else {
        auto kernel = pack<double, float>;
        OF_LAUNCH(kernel, blocks, TILE, 0, device->stream, (const double *)from, ld, count, first,
                  row, rows, (float *)to, to_rows);
    }
    LAUNCHED("pack");
    return OF_DEVICE_OK;
}

int of_gpu_stack_store(of_device_stack *stack, size_t row, size_t rows, size_t first, size_t count,
                       const void *from, size_t ld, int floats)
{
    of_device *device = stack->device;
    GPU_CALL(device);
    size_t size = floats ? sizeof(float) : sizeof(double),
           most = of_gpu_piece_tiles(device, ld) * TILE;
    for (size_t at = 0; at < count; at += most) {
        size_t length = count - at < most ? count - at : most,
               bytes = ((length - 1) * ld + rows) * size;
        char *staging;
        GPU_TRY(room(device, ROOM_STAGING, bytes, &staging));
        CUDA_TRY(cudaStreamSynchronize(device->stream));
        GPU_TRY(of_gpu_send(device, staging, (const char *)from + at * ld * size, bytes));
        GPU_TRY(of_gpu_pack(device, staging, ld, floats, length, first + at, row, rows,
                            stack->data, stack->rows, stack->doubles));
    }
    return of_gpu_status(cudaStreamSynchronize(device->stream), "store");
}

/* ---- and back ------------------------------------------------------------------------------- */

static int unpack_some(of_device_stack *stack, size_t first, const unsigned long long *place,
                       size_t count, double *to)
{
    cudaStream_t stream = stack->device->stream;
    (void)stream;
    unsigned blocks = (unsigned)tiles_of(count);
    if (stack->doubles) {
        auto kernel = unpack<double>;
        OF_LAUNCH(kernel, blocks, TILE, 0, stream, (const double *)stack->data, stack->rows,
                  first, place, count, to);
    } else {
        auto kernel = unpack<float>;
        OF_LAUNCH(kernel, blocks, TILE, 0, stream, (const float *)stack->data, stack->rows,
                  first, place, count, to);
    }
    LAUNCHED("unpack");
    return OF_DEVICE_OK;
}

int of_gpu_stack_fetch(of_device_stack *stack, size_t first, size_t count, double *to, size_t ld)
{
    of_device *device = stack->device;
    GPU_CALL(device);
    double *staging;
    GPU_TRY(room(device, ROOM_STAGING, count * stack->rows, &staging));
    GPU_TRY(unpack_some(stack, first, NULL, count, staging));
    if (ld == stack->rows)
        return of_gpu_fetch(device, to, staging, count * stack->rows * sizeof *to);
    CUDA_TRY(cudaStreamSynchronize(device->stream));
    CUDA_TRY(cudaMemcpy2D(to, ld * sizeof *to, staging, stack->rows * sizeof *to,
                          stack->rows * sizeof *to, count, cudaMemcpyDeviceToHost));
    return OF_DEVICE_OK;
}

int of_gpu_stack_sample(of_device_stack *stack, const size_t *place, size_t count, double *to)
{
    of_device *device = stack->device;
    GPU_CALL(device);
    double *staging;
    unsigned long long *there;
    std::vector<unsigned long long> wide(place, place + count);
    GPU_TRY(room(device, ROOM_STAGING, count * stack->rows, &staging));
    GPU_TRY(room(device, ROOM_SMALL, count, &there));
    GPU_TRY(of_gpu_send(device, there, wide.data(), count * sizeof *there));
    GPU_TRY(unpack_some(stack, 0, there, count, staging));
    return of_gpu_fetch(device, to, staging, count * stack->rows * sizeof *to);
}
