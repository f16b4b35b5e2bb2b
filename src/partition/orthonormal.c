/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the rows of a base partition orthonormal, tile by tile. */
#include "partition/routes.h"

#include "base/comm.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

typedef struct divide_task {
    of_tiles tiles;
    size_t rows;
    of_share H;
    const double *lower;
} divide_task;

static onefold_status divide(void *opaque, size_t index)
{
    divide_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index);
    if (count)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit,
                    (int)task->rows, (int)count, 1, task->lower, (int)task->rows,
                    of_share_at(task->H, first), (int)task->H.ld);
    return ONEFOLD_OK;
}

/* Replaces inner by its lower Cholesky factor. */
static onefold_status orthonormalise_factor(of_context *context, size_t rows, double *inner)
{
    int failed = 0;
    OF_TRY(of_lapack_dpotrf(context, rows, inner, &failed));
    if (failed)
        return of_fail(ONEFOLD_FAULT, "%zu base vectors came out dependent (code %d)", rows,
                       failed);
    return ONEFOLD_OK;
}

/* weight (rows x columns) <- lower^-1 weight */
static void divide_weight(const of_context *context, size_t columns, size_t rows,
                          const double *lower, double *weight)
{
    if (of_counts(context))
        return;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows,
                (int)columns, 1, lower, (int)rows, weight, (int)rows);
}

/* The largest entry of each row by modulus, the first among equals, tile by tile. */
typedef struct sign_task {
    size_t rows;
    of_share H;
    double *largest;    /* rows x tiles */
    const double *sign; /* rows */
    of_tiles tiles;
} sign_task;

static onefold_status find_largest(void *opaque, size_t index)
{
    sign_task *task = opaque;
    double *largest = task->largest + index * task->rows;
    size_t end = of_tiles_first(&task->tiles, index + 1);
    for (size_t j = of_tiles_first(&task->tiles, index); j < end; j++)
        for (size_t r = 0; r < task->rows; r++) {
            double h = of_share_at(task->H, j)[r];
            largest[r] = fabs(h) > fabs(largest[r]) ? h : largest[r];
        }
    return ONEFOLD_OK;
}

static onefold_status set_signs(void *opaque, size_t index)
{
    sign_task *task = opaque;
    size_t end = of_tiles_first(&task->tiles, index + 1);
    for (size_t j = of_tiles_first(&task->tiles, index); j < end; j++)
        for (size_t r = 0; r < task->rows; r++)
            of_share_at(task->H, j)[r] *= task->sign[r];
    return ONEFOLD_OK;
}

/* largest[r] is the largest by modulus of part[t * rows + r] over t, the first among equals. */
static void first_largest(size_t rows, size_t count, const double *part, double *largest)
{
    for (size_t r = 0; r < rows; r++) {
        double most = 0;
        for (size_t t = 0; t < count; t++) {
            double h = part[t * rows + r];
            most = fabs(h) > fabs(most) ? h : most;
        }
        largest[r] = most;
    }
}

/* Turns the largest entries of this process's samples (in `sign`) into the signs of whole rows. */
static onefold_status agree_on_signs(of_context *context, size_t n, size_t rows, double *sign)
{
    OF_SCRATCH(scratch, context);
    double *all = sign;
    size_t parts = of_comm_splits(context, n) ? (size_t)context->comm.size : 1;
    if (parts > 1)
        OF_TRY(of_comm_each(context, &scratch, sign, rows * sizeof *sign, (void **)&all));
    first_largest(rows, parts, all, sign);
    for (size_t r = 0; r < rows; r++)
        sign[r] = sign[r] < 0 ? -1 : 1;
    return ONEFOLD_OK;
}

onefold_status of_sign_rows(of_context *context, size_t n, size_t rows, of_share H, double *sign)
{
    OF_SCRATCH(scratch, context);
    sign_task task = {
        .rows = rows, .H = H, .sign = sign, .tiles = of_tiles_make(n, 1, 1024 * sizeof(double))};
    OF_TRY(OF_NEW_ZERO(&scratch, &task.largest, task.tiles.count, rows));
    OF_COUNTED(context);
    OF_TRY(of_tiles_run(context, &task.tiles, find_largest, &task));
    first_largest(rows, task.tiles.count, task.largest, sign);
    OF_TRY(agree_on_signs(context, n, rows, sign));
    return of_tiles_run(context, &task.tiles, set_signs, &task);
}

/* Multiplies rows on the GPU by `lower` (rows x rows). largest: the largest entry of each result.
 */
static onefold_status multiply_there(of_context *context, size_t n, const of_route_work *work,
                                     const double *lower, double *largest)
{
    const of_partition_options *options = work->options;
    onefold_status status = OF_DEVICE(
        options->use, rows_multiply(options->there, options->row, work->rank, lower, largest));
    return of_device_total(context, n, status, 0, NULL);
}

/* Makes the rows of a base partition on the GPU orthonormal there, and sets their signs. */
static onefold_status orthonormalise_there(of_context *context, size_t n, const of_route_work *work,
                                           double *inner)
{
    OF_SCRATCH(scratch, context);
    size_t rows = work->rank;
    double *lower, *largest;
    OF_TRY(OF_NEW_ZERO(&scratch, &lower, rows, rows));
    OF_TRY(OF_NEW(&scratch, &largest, rows, 1));
    for (size_t r = 0; r < rows; r++)
        lower[r + r * rows] = 1;
    divide_weight(context, rows, rows, inner, lower);
    OF_TRY(multiply_there(context, n, work, lower, work->sign));
    OF_TRY(agree_on_signs(context, n, rows, work->sign));
    memset(lower, 0, rows * rows * sizeof *lower);
    for (size_t r = 0; r < rows; r++)
        lower[r + r * rows] = work->sign[r];
    return multiply_there(context, n, work, lower, largest);
}

onefold_status of_orthonormalise(of_context *context, size_t n, const of_route_work *work,
                                 size_t columns, double *inner, double *weight)
{
    size_t rows = work->rank;
    divide_task task = {of_tiles_make(n, rows, 256 << 10), rows, work->H, inner};
    OF_TRY(orthonormalise_factor(context, rows, inner));
    OF_TRY(work->sign ? orthonormalise_there(context, n, work, inner)
                      : of_tiles_run(context, &task.tiles, divide, &task));
    divide_weight(context, columns, rows, inner, weight);
    return ONEFOLD_OK;
}

typedef struct rows_task {
    const of_tiles *tiles;
    of_team_work make;
    void *task;
    const of_route_work *work;
} rows_task;

/* H of a tile; sum (rows x rows) += H H'. */
static onefold_status make_tile(void *opaque, size_t index, double *sum)
{
    const rows_task *task = opaque;
    size_t rows = task->work->rank, ldh = task->work->H.ld,
           count = of_tiles_length(task->tiles, index);
    double *H = of_share_at(task->work->H, of_tiles_first(task->tiles, index));
    if (!count)
        return ONEFOLD_OK;
    OF_TRY(task->make(task->task, index));
    of_gemm('N', 'T', rows, rows, count, 1, H, ldh, H, ldh, 1, sum, rows);
    return ONEFOLD_OK;
}

onefold_status of_orthonormal_rows(of_context *context, const of_tiles *tiles, of_team_work make,
                                   void *task, const of_route_work *work, size_t columns,
                                   double *weight)
{
    OF_SCRATCH(scratch, context);
    rows_task all = {tiles, make, task, work};
    double *inner;
    OF_TRY(OF_NEW(&scratch, &inner, work->rank, work->rank));
    OF_TRY(of_tiles_sum(context, tiles, make_tile, &all, work->rank * work->rank, inner));
    return of_orthonormalise(context, tiles->samples, work, columns, inner, weight);
}
