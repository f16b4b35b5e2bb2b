/* SPDX-License-Identifier: Apache-2.0 */
/* A base partition of the samples that have a view, among all samples. */
#include "gpu/device.cuh"

/* ---- kernels -------------------------------------------------------------------------------- */

/* A block has 128 samples of `to`, whose first lies at a tile's start or within it. */
template <typename T>
__global__ void spread(T *to, size_t to_rows, size_t row, size_t first, size_t count, const T *from,
                       size_t rows, const unsigned long long *place, const double *scale)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x, at = first + j;
    if (j >= count)
        return;
    double times = scale[j];
    const T *own = from + (place[j] / TILE * rows) * TILE + place[j] % TILE;
    T *out = to + (at / TILE * to_rows + row) * TILE + at % TILE;
    for (size_t r = 0; r < rows; r++)
        out[r * TILE] = times == 0 ? (T)0 : (T)(times * (double)own[r * TILE]);
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* Places and scales of some samples to the GPU. */
static int send_places(of_device *device, size_t count, const size_t *place, const double *scale,
                       unsigned long long **places, double **scales)
{
    double *staging;
    GPU_TRY(room(device, ROOM_STAGING, 2 * count, &staging));
    CUDA_TRY(cudaStreamSynchronize(device->stream));
    *places = (unsigned long long *)staging;
    *scales = staging + count;
    GPU_TRY(of_gpu_send(device, *places, place, count * sizeof *place));
    return of_gpu_send(device, *scales, scale, count * sizeof *scale);
}

int of_gpu_stack_spread(of_device_stack *to, size_t row, size_t first, size_t count,
                        of_device_stack *from, const size_t *place, const double *scale)
{
    static_assert(sizeof(size_t) == sizeof(unsigned long long), "places are sent as they lie");
    of_device *device = to->device;
    GPU_CALL(device);
    if (to->doubles != from->doubles || row + from->rows > to->rows || first + count > to->samples)
        return of_gpu_fail(OF_DEVICE_FAULT, "samples %zu to %zu of %zu", first, first + count,
                           to->samples);
    size_t most = of_gpu_piece_tiles(device, 2) * TILE;
    for (size_t done = 0; done < count; done += most) {
        size_t length = count - done < most ? count - done : most;
        unsigned long long *places;
        double *scales;
        GPU_TRY(send_places(device, length, place + done, scale + done, &places, &scales));
        GPU_TRY(by_type(to->doubles, [&](auto number) {
            typedef decltype(number) T;
            OF_LAUNCH(spread<T>, (unsigned)tiles_of(length), TILE, 0, device->stream, (T *)to->data,
                      to->rows, row, first + done, length, (const T *)from->data, from->rows,
                      places, scales);
            return launched("spread");
        }));
    }
    return of_gpu_status(cudaStreamSynchronize(device->stream), "spread");
}
