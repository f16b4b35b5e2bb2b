/* SPDX-License-Identifier: Apache-2.0 */
/* Features of a kernel that is their product, which lie in a stack of doubles: centred and brought
 * to unit length in place. A thread has a sample, whose numbers it goes through. */
#include "gpu/device.cuh"

/* The larger, or what is no number. */
__host__ __device__ inline double larger(double a, double b)
{
    return a != a || a >= b ? a : b;
}

/* largest: for each tile of |f|^2, then of |f - shift|^2. */
__global__ void centre(double *features, size_t rows, size_t count, const double *shift,
                       double floor, double *largest)
{
    OF_SHARED(double, squares);
    double *f = features + (size_t)blockIdx.x * rows * TILE + threadIdx.x, before = 0, after = 0;
    if ((size_t)blockIdx.x * TILE + threadIdx.x < count) {
        for (size_t c = 0; c < rows; c++) {
            double less = f[c * TILE] - shift[c];
            before += f[c * TILE] * f[c * TILE];
            after += less * less;
            f[c * TILE] = less;
        }
        double scale = after > floor ? 1 / sqrt(after) : 0;
        for (size_t c = 0; floor >= 0 && c < rows; c++)
            f[c * TILE] *= scale;
    }
    squares[threadIdx.x] = before;
    squares[TILE + threadIdx.x] = after;
    __syncthreads();
    if (threadIdx.x < 2) {
        double most = 0;
        for (int s = 0; s < TILE; s++)
            most = larger(squares[threadIdx.x * TILE + s], most);
        largest[2 * blockIdx.x + threadIdx.x] = most;
    }
}

int of_gpu_features_centre(of_device_stack *F, const double *shift, double floor,
                           double largest[2])
{
    of_device *device = F->device;
    GPU_CALL(device);
    size_t tiles = tiles_of(F->samples);
    std::vector<double> parts(2 * tiles);
    double *there, *found;
    if (!F->doubles || !tiles)
        return of_gpu_fail(OF_DEVICE_FAULT, "features of %zu samples", F->samples);
    GPU_TRY(of_gpu_matrix(device, shift, F->rows, &there));
    GPU_TRY(room(device, ROOM_PARTIAL, parts.size(), &found));
    OF_LAUNCH(centre, (unsigned)tiles, TILE, 2 * TILE * sizeof(double), device->stream,
              (double *)F->data, F->rows, F->samples, there, floor, found);
    LAUNCHED("centre");
    GPU_TRY(of_gpu_fetch(device, parts.data(), found, parts.size() * sizeof(double)));
    largest[0] = largest[1] = 0;
    for (size_t e = 0; e < parts.size(); e++)
        largest[e % 2] = larger(parts[e], largest[e % 2]);
    return OF_DEVICE_OK;
}
