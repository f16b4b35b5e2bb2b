/* SPDX-License-Identifier: Apache-2.0 */
/* The Nystrom route by shapes alone: how many landmarks it takes, its operations and its bytes. */
#include "partition/route_nystrom.h"

#include <math.h>

enum { LEAST_LANDMARKS = 400 };

/* Operations that grow with the landmarks: two passes and the projection, the sum, ten steps of
 * k-means on twenty samples for each (none where every sample is one), and the eigenproblem of K_ll
 * at the slower rate of such. */
static double work_of(double n, double d, double rows, double l)
{
    return n * l * (6 * d + l + 2 * rows) + (l < n ? 24 * fmin(n, 20 * l) * l * d : 0) +
           15 * l * l * l;
}

/* Where samples are few, more landmarks cost next to nothing and come nearer to the exact route: as
 * many as a core works in about half a second, and every sample where that takes no longer. */
static size_t landmarks_of(size_t n, double d, size_t rows)
{
    enum { STEP = 16 };
    static const double HALF_A_SECOND = 2e10;
    double samples = (double)n, k = (double)rows;
    size_t count = 10 * rows > LEAST_LANDMARKS ? 10 * rows : LEAST_LANDMARKS;
    if (work_of(samples, d, k, samples) <= HALF_A_SECOND)
        return n;
    while (count < n && work_of(samples, d, k, (double)(count + STEP)) <= HALF_A_SECOND)
        count += STEP;
    return count;
}

size_t of_nystrom_landmarks(const of_kernel *kernel, size_t rows, size_t asked)
{
    size_t n = kernel->view->samples,
           count = asked ? asked : landmarks_of(n, (double)of_kernel_columns(kernel), rows);
    return count < n ? count : n;
}

double of_nystrom_work(const of_kernel *kernel, size_t rows)
{
    return work_of((double)kernel->view->samples, (double)of_kernel_columns(kernel), (double)rows,
                   (double)of_nystrom_landmarks(kernel, rows, 0));
}

int of_nystrom_fits_card(const of_kernel *kernel, size_t rows)
{
    enum { MOST_ROWS = 95 }; /* src/gpu/project.cu */
    return kernel->kind == OF_KERNEL_RBF && of_kernel_columns(kernel) > 0 &&
           (kernel->view->samples <= OF_NYSTROM_LARGE || rows <= MOST_ROWS);
}

onefold_status of_nystrom_card_bytes(const of_kernel *kernel, size_t rows, size_t landmarks,
                                     size_t *bytes)
{
    size_t n = kernel->view->samples, summed = n < OF_NYSTROM_LARGE ? n : OF_NYSTROM_LARGE,
           l = of_nystrom_landmarks(kernel, rows, landmarks);
    return of_size_multiply(bytes, sizeof(double) * summed, l + rows);
}

size_t of_route_nystrom_bytes(of_context *context, const of_kernel *kernel, size_t rows,
                              size_t landmarks)
{
    size_t l = of_nystrom_landmarks(kernel, rows, landmarks),
           workers = (size_t)of_team_size(context);
    of_tiles tiles = of_tiles_make(kernel->view->samples, l, 512 << 10);
    return of_tiles_sum_bytes(&tiles, l * l, workers) + sizeof(double) * 8 * l * l +
           of_landmarks_bytes(kernel, l) + workers * ((size_t)2 << 20);
}
