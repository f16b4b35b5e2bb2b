/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks on the GPU: made, filled from the host or from others, read back, and gone through. */
#include "gpu/device.cuh"

#include <algorithm>
#include <memory>

/* ---- kernels -------------------------------------------------------------------------------- */

/* Thread t of a block copies numbers t, t + 128, ... of its 128 samples, in the order of the host. */
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

/* Samples place[0 ..] (NULL: first ..) as doubles, rows x count packed, scaled to unit length where
 * `unit`. One thread a sample. */
template <typename T>
__global__ void unpack(const T *from, size_t rows, size_t first, const unsigned long long *place,
                       size_t count, int unit, double *to)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (j >= count)
        return;
    size_t at = place ? (size_t)place[j] : first + j;
    const T *own = from + at / TILE * rows * TILE + at % TILE;
    double square = 0;
    for (size_t i = 0; unit && i < rows; i++)
        square += (double)own[i * TILE] * (double)own[i * TILE];
    double scale = !unit ? 1 : square > 0 ? 1 / sqrt(square) : 0;
    for (size_t i = 0; i < rows; i++)
        to[j * rows + i] = scale * (double)own[i * TILE];
}

static_assert(sizeof(size_t) == sizeof(unsigned long long), "places are sent as they lie");

/* ---- making --------------------------------------------------------------------------------- */

/* Under the lock. */
static void give_back(of_device_stack *stack)
{
    for (int32_t *labels : stack->labels)
        of_gpu_release(stack->device, labels);
    if (stack->streams)
        cudaFreeHost(stack->data);
    else
        of_gpu_release(stack->device, stack->data);
    delete stack;
}

/* Largest window (below) in bytes; a chunk that takes more is a window of its own. */
static size_t window_bytes(const of_device *device)
{
    return of_gpu_piece_bytes(device, (size_t)256 << 20);
}

/* Work on a stack needs memory beside it: up to 1.5 GB, or a quarter of what is free, and for each
 * sample its labels, the labels of single views and its confidence. */
static int find_room(of_device *device, size_t samples, size_t bytes, int *fits)
{
    const size_t most = (size_t)1536 << 20, each = 32;
    size_t left;
    GPU_TRY(of_gpu_left(device, &left));
    *fits = bytes + (left / 4 < most ? left / 4 : most) + samples * each <= left;
    return OF_DEVICE_OK;
}

int of_gpu_stack_make(of_device *device, size_t rows, size_t samples, int doubles,
                      of_device_stack **out, int *streams)
{
    GPU_CALL(device);
    std::unique_ptr<of_device_stack, void (*)(of_device_stack *)> stack(new of_device_stack(),
                                                                        give_back);
    stack->device = device;
    stack->rows = rows;
    stack->samples = samples;
    stack->doubles = doubles;
    size_t bytes = tiles_of(samples) * tile_bytes(stack.get());
    int fits = 1;
    if (streams) {
        GPU_TRY(find_room(device, samples, bytes, &fits));
        *streams = !fits;
    }
    stack->streams = !fits;
    if (fits)
        GPU_TRY(of_gpu_allocate(device, &stack->data, bytes));
    else
        GPU_TRY(of_gpu_status(cudaMallocHost(&stack->data, bytes), "memory of the host"));
    CUDA_TRY(cudaMemsetAsync(stack->data, 0, bytes, device->stream));
    *out = stack.release();
    return OF_DEVICE_OK;
}

void of_gpu_stack_free(of_device_stack *stack)
{
    std::lock_guard<std::mutex> held(of_gpu_lock);
    if (cudaSetDevice(stack->device->index) == cudaSuccess)
        cudaDeviceSynchronize();
    give_back(stack);
}

/* ---- to the GPU ----------------------------------------------------------------------------- */

int of_gpu_pack(of_device *device, const void *from, size_t ld, int floats, size_t count,
                size_t first, size_t row, size_t rows, void *to, size_t to_rows, int doubles)
{
    if (!count || !rows)
        return OF_DEVICE_OK;
    return by_type(!floats, [&](auto given) {
        return by_type(doubles, [&](auto number) {
            typedef decltype(given) S;
            typedef decltype(number) T;
            auto kernel = pack<S, T>;
            OF_LAUNCH(kernel, (unsigned)tiles_of(count), TILE, 0, device->stream, (const S *)from,
                      ld, count, first, row, rows, (T *)to, to_rows);
            return launched("pack");
        });
    });
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
        GPU_TRY(of_gpu_send(device, staging, (const char *)from + at * ld * size, bytes));
        GPU_TRY(of_gpu_pack(device, staging, ld, floats, length, first + at, row, rows, stack->data,
                            stack->rows, stack->doubles));
    }
    return of_gpu_status(cudaStreamSynchronize(device->stream), "store");
}

/* Pieces of samples from staging areas, one of which is filled and copied while another is worked:
 * raw ones to the projection that has begun, others to the rows of the stack. */
int of_gpu_piece_staging(of_device_stack *X, int which, size_t bytes, void **area)
{
    of_device *device = X->device;
    GPU_CALL(device);
    CUDA_TRY(cudaEventSynchronize(device->filled[which])); /* the last copy from it has ended */
    return of_gpu_pinned(device, which, bytes, area);
}

int of_gpu_piece(of_device_stack *X, int which, size_t first, size_t count)
{
    of_device *device = X->device;
    GPU_CALL(device);
    const of_device_projection *spec = X->projection.tiles ? &X->projection.spec : NULL;
    size_t columns = spec ? spec->raw_columns : X->rows,
           bytes = count * columns * (spec && !spec->raw_double ? sizeof(float) : sizeof(double));
    if ((spec && first % TILE) || first + count > X->samples || bytes > device->pinned_bytes[which])
        return of_gpu_fail(OF_DEVICE_FAULT, "a piece of %zu samples at %zu", count, first);
    void *raw;
    GPU_TRY(of_gpu_room(device, which ? ROOM_RAW1 : ROOM_RAW0, bytes, &raw));
    CUDA_TRY(cudaStreamWaitEvent(device->copy, device->worked[which], 0));
    CUDA_TRY(
        cudaMemcpyAsync(raw, device->pinned[which], bytes, cudaMemcpyHostToDevice, device->copy));
    CUDA_TRY(cudaEventRecord(device->filled[which], device->copy));
    CUDA_TRY(cudaStreamWaitEvent(device->stream, device->filled[which], 0));
    if (spec)
        GPU_TRY(of_gpu_project_samples(X, raw, first, count));
    else
        GPU_TRY(of_gpu_pack(device, raw, columns, 0, count, first, 0, columns, X->data, columns,
                            X->doubles));
    return of_gpu_status(cudaEventRecord(device->worked[which], device->stream), "piece");
}

/* ---- and back ------------------------------------------------------------------------------- */

int of_gpu_unpack(of_device *device, Blocked from, size_t first, const unsigned long long *place,
                  size_t count, int unit, double *to)
{
    return by_type(from.doubles, [&](auto number) {
        typedef decltype(number) T;
        OF_LAUNCH(unpack<T>, (unsigned)tiles_of(count), TILE, 0, device->stream,
                  (const T *)from.data, from.rows, first, place, count, unit, to);
        return launched("unpack");
    });
}

int of_gpu_stack_fetch(of_device_stack *stack, size_t first, const size_t *place, size_t count,
                       double *to)
{
    of_device *device = stack->device;
    GPU_CALL(device);
    size_t rows = stack->rows, most = of_gpu_piece_tiles(device, rows) * TILE;
    for (size_t done = 0; done < count; done += most) {
        size_t length = std::min(count - done, most);
        double *staging;
        unsigned long long *there = NULL;
        GPU_TRY(room(device, ROOM_STAGING, length * rows, &staging));
        if (place) {
            GPU_TRY(room(device, ROOM_SMALL, length, &there));
            GPU_TRY(of_gpu_send(device, there, place + done, length * sizeof *there));
        }
        GPU_TRY(of_gpu_unpack(device, blocked(stack), first + done, there, length, 0, staging));
        GPU_TRY(of_gpu_fetch(device, to + done * rows, staging, length * rows * sizeof *to));
    }
    return OF_DEVICE_OK;
}

/* ---- from stack to stack -------------------------------------------------------------------- */

int of_gpu_stack_rows(of_device_stack *to, size_t row, of_device_stack *from)
{
    GPU_CALL(to->device);
    if (to->samples != from->samples || to->doubles != from->doubles || row + from->rows > to->rows)
        return of_gpu_fail(OF_DEVICE_FAULT, "%zu rows of %zu samples into %zu", from->rows,
                           from->samples, to->samples);
    size_t width = tile_bytes(from), pitch = tile_bytes(to);
    CUDA_TRY(cudaMemcpy2DAsync((char *)to->data + row * (pitch / to->rows), pitch, from->data,
                               width, width, tiles_of(to->samples), cudaMemcpyDefault,
                               to->device->stream));
    return of_gpu_status(cudaStreamSynchronize(to->device->stream), "rows");
}

/* ---- windows -------------------------------------------------------------------------------- */

/*
 * A stack that does not fit the GPU's memory streams: it lies in host memory that the GPU reads and
 * writes. Work over all samples copies one window after the other to the GPU. Work on a window
 * takes a twentieth of the time of its copy, so the two need not overlap. Windows end where a chunk
 * of a sum ends, so no bit depends on them.
 */
int of_gpu_each_piece(of_device_stack *X, size_t step, size_t most,
                      const std::function<int(const Piece &)> &work)
{
    size_t all = tiles_of(X->samples), bytes = tile_bytes(X);
    char *window = NULL;
    if (X->streams)
        most = std::min(most, window_bytes(X->device) / bytes);
    most = std::min(std::max(most / step, (size_t)1) * step, std::max(all, (size_t)1));
    if (X->streams)
        GPU_TRY(room(X->device, ROOM_WINDOW, most * bytes, &window));
    for (size_t tile = 0; tile < all; tile += most) {
        Piece p = {tile, std::min(most, all - tile), tile * TILE, 0, blocked(X)};
        p.count = std::min(X->samples - p.first, p.tiles * TILE);
        p.part.data = (const char *)X->data + tile * bytes;
        if (X->streams) {
            CUDA_TRY(cudaMemcpyAsync(window, p.part.data, p.tiles * bytes, cudaMemcpyHostToDevice,
                                     X->device->stream));
            p.part.data = window;
        }
        GPU_TRY(work(p));
    }
    return OF_DEVICE_OK;
}
