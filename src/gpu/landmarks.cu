/* SPDX-License-Identifier: Apache-2.0 */
/* The landmark route's sums over a part of the samples, in double precision: the mean of k(x), and
 * the l x l sum of what is centred and scaled. */
#include "gpu/device.cuh"

/* ---- kernels -------------------------------------------------------------------------------- */

/* <a, x> to exp(<a, x> - |a|^2/2 - |x|^2/2), in place; 0 beyond the samples. x has `rows` rows. */
__global__ void finish_kernel(double *k, size_t landmarks, const double *half, const double *x,
                              size_t rows, size_t count)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    double *own = k + (size_t)blockIdx.x * landmarks * TILE + threadIdx.x, square = 0;
    const double *features = x + (size_t)blockIdx.x * rows * TILE + threadIdx.x;
    for (size_t i = 0; i < rows; i++)
        square += features[i * TILE] * features[i * TILE];
    for (size_t l = 0; l < landmarks; l++) {
        double exponent = own[l * TILE] - half[l] - 0.5 * square;
        own[l * TILE] = j < count ? exp(exponent < 0 ? exponent : 0.0) : 0.0;
    }
}

/* k to s (k - kbar), in place. */
__global__ void centre_kernel(double *k, size_t landmarks, const double *kbar,
                              const double *row_mean, double mean, size_t count)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    double *own = k + (size_t)blockIdx.x * landmarks * TILE + threadIdx.x, row = 0;
    if (j >= count)
        return;
    for (size_t l = 0; l < landmarks; l++)
        row += own[l * TILE] * row_mean[l];
    double diagonal = 1 - 2 * row + mean, scale = diagonal > 1e-12 ? 1 / sqrt(diagonal) : 0;
    for (size_t l = 0; l < landmarks; l++)
        own[l * TILE] = scale * (own[l * TILE] - kbar[l]);
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* The landmarks (count x columns) and half their squared lengths. */
static int send_marks(of_device *device, const of_device_landmarks *marks, double **small)
{
    size_t d = marks->columns, l = marks->count;
    std::vector<double> told(l * d + l);
    for (size_t i = 0; i < d; i++)
        for (size_t c = 0; c < l; c++)
            told[c + i * l] = marks->at[i + c * d];
    for (size_t c = 0; c < l; c++)
        told[l * d + c] = marks->half[c];
    return of_gpu_matrix(device, told.data(), told.size(), small);
}

/* k(x) of some samples. */
static int make_kernel(of_device *device, const of_device_landmarks *marks, const double *small,
                       size_t count, const double *features, double *k)
{
    size_t d = marks->columns, l = marks->count, tiles = tiles_of(count);
    double *raw, *x;
    GPU_TRY(room(device, ROOM_STAGING, count * d, &raw));
    GPU_TRY(room(device, ROOM_FEATURES, tiles * TILE * d, &x));
    CUDA_TRY(cudaStreamSynchronize(device->stream));
    GPU_TRY(of_gpu_send(device, raw, features, count * d * sizeof *raw));
    CUDA_TRY(cudaMemsetAsync(x, 0, tiles * TILE * d * sizeof *x, device->stream));
    GPU_TRY(of_gpu_pack(device, raw, d, 0, count, 0, 0, d, x, d, 1));
    Blocked X = {x, d, 0, d, 1};
    GPU_TRY(of_gpu_multiply(device, X, tiles, small, l, k));
    OF_LAUNCH(finish_kernel, (unsigned)tiles, TILE, 0, device->stream, k, l, small + l * d, x, d,
              count);
    return launched("finish_kernel");
}

int of_gpu_landmarks_mean(of_device *device, const of_device_landmarks *marks, size_t samples,
                          size_t first, size_t count, const double *features, double *sum)
{
    GPU_CALL(device);
    size_t l = marks->count;
    double *k, *ones, *small;
    if (first % TILE || first + count > samples)
        return of_gpu_fail(OF_DEVICE_FAULT, "kernel values of %zu samples at %zu", count, first);
    GPU_TRY(room(device, ROOM_KERNEL, tiles_of(samples) * TILE * l, &k));
    if (first == 0) /* they are there for the samples that follow */
        GPU_TRY(send_marks(device, marks, &small));
    GPU_TRY(room(device, ROOM_SMALL, l * (marks->columns + 1), &small));
    GPU_TRY(make_kernel(device, marks, small, count, features, k + first * l));
    if (first + count < samples)
        return OF_DEVICE_OK;
    GPU_TRY(of_gpu_ones(device, tiles_of(samples), &ones));
    Blocked K = {k, l, 0, l, 1}, one = {ones, 1, 0, 1, 1};
    return of_gpu_outer_sum(device, K, one, samples, 0, sum);
}

int of_gpu_landmarks_gram(of_device *device, const of_device_landmarks *marks, size_t samples,
                          const double *kbar, const double *row_mean, double mean, double *gram)
{
    GPU_CALL(device);
    size_t l = marks->count;
    double *k, *small;
    std::vector<double> told(kbar, kbar + l);
    told.insert(told.end(), row_mean, row_mean + l);
    GPU_TRY(room(device, ROOM_KERNEL, tiles_of(samples) * TILE * l, &k)); /* as it was left */
    GPU_TRY(of_gpu_matrix(device, told.data(), told.size(), &small));
    OF_LAUNCH(centre_kernel, (unsigned)tiles_of(samples), TILE, 0, device->stream, k, l, small,
              small + l, mean, samples);
    LAUNCHED("centre_kernel");
    Blocked K = {k, l, 0, l, 1};
    return of_gpu_outer_sum(device, K, K, samples, 1, gram);
}

int of_gpu_landmarks_rows(of_device_stack *X, size_t count, size_t row, size_t rows,
                          const double *weight, double *inner)
{
    of_device *device = X->device;
    GPU_CALL(device);
    size_t tiles = tiles_of(X->samples);
    double *k, *small;
    if (device->bytes[ROOM_KERNEL] < tiles * TILE * count * sizeof *k || row + rows > X->rows)
        return of_gpu_fail(OF_DEVICE_FAULT, "%zu rows of kernel values that are not there", rows);
    GPU_TRY(room(device, ROOM_KERNEL, tiles * TILE * count, &k)); /* as it was left */
    GPU_TRY(of_gpu_matrix(device, weight, rows * count, &small));
    Blocked K = {k, count, 0, count, 1};
    GPU_TRY(of_gpu_make_rows(X, K, 0, tiles, small, rows, row));
    return of_gpu_inner(X, row, rows, inner);
}
