/* SPDX-License-Identifier: Apache-2.0 */
/* The landmark route's kernel values of a part of the samples, in double precision: their mean,
 * centring and scaling. */
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
    std::vector<double> numbers(l * d + l);
    for (size_t i = 0; i < d; i++)
        for (size_t c = 0; c < l; c++)
            numbers[c + i * l] = marks->at[i + c * d];
    for (size_t c = 0; c < l; c++)
        numbers[l * d + c] = marks->half[c];
    return of_gpu_matrix(device, numbers.data(), numbers.size(), small);
}

int of_gpu_landmarks_mean(of_device_stack *K, of_device_stack *F, const of_device_landmarks *marks,
                          double *sum)
{
    of_device *device = K->device;
    GPU_CALL(device);
    size_t d = marks->columns, l = marks->count, tiles = tiles_of(K->samples);
    double *small;
    if (K->rows != l || F->rows != d || K->samples != F->samples || !tiles || !K->doubles ||
        !F->doubles)
        return of_gpu_fail(OF_DEVICE_FAULT, "kernel values of %zu samples", F->samples);
    GPU_TRY(send_marks(device, marks, &small));
    GPU_TRY(of_gpu_multiply(device, blocked(F), tiles, small, blocked(K)));
    OF_LAUNCH(finish_kernel, (unsigned)tiles, TILE, 0, device->stream, (double *)K->data, l,
              small + l * d, (const double *)F->data, d, K->samples);
    LAUNCHED("finish_kernel");
    return of_gpu_sum(K, sum);
}

int of_gpu_landmarks_centre(of_device_stack *K, const double *kbar, const double *row_mean,
                            double mean)
{
    of_device *device = K->device;
    GPU_CALL(device);
    size_t l = K->rows;
    double *small;
    std::vector<double> numbers(kbar, kbar + l);
    numbers.insert(numbers.end(), row_mean, row_mean + l);
    GPU_TRY(of_gpu_matrix(device, numbers.data(), numbers.size(), &small));
    OF_LAUNCH(centre_kernel, (unsigned)tiles_of(K->samples), TILE, 0, device->stream,
              (double *)K->data, l, small, small + l, mean, K->samples);
    return launched("centre_kernel");
}
