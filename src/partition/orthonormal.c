/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a base partition made orthonormal, tile by tile. */
#include "partition/orthonormal.h"

#include "base/tiles.h"
#include "linalg/blas.h"
#include "linalg/lapack.h"

#include <math.h>
#include <string.h>

typedef struct divide_task {
    of_tiles tiles;
    size_t rows;
    of_share H;
    const double *lower;
} divide_task;

static onefold_status divide(void *opaque, size_t index, int worker)
{
    (void)worker;
    divide_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index);
    if (count)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit,
                    (int)task->rows, (int)count, 1, task->lower, (int)task->rows,
                    of_share_at(task->H, first), (int)task->H.ld);
    return ONEFOLD_OK;
}

/* The first half of it: inner becomes its lower factor. */
static onefold_status orthonormalise_factor(of_context *context, size_t rows, double *inner)
{
    int failed = 0;
    OF_TRY(of_lapack_dpotrf(context, rows, inner, rows, &failed));
    if (failed)
        return of_fail(ONEFOLD_FAULT, "%zu base vectors came out dependent (code %d)", rows,
                       failed);
    return ONEFOLD_OK;
}

onefold_status of_orthonormalise(of_context *context, size_t n, size_t rows, of_share H,
                                 double *inner)
{
    OF_TRY(orthonormalise_factor(context, rows, inner));
    divide_task task = {of_tiles_make(n, rows, 256 << 10), rows, H, inner};
    return of_tiles_run(context, &task.tiles, divide, &task);
}

void of_orthonormalise_weight(const of_context *context, size_t columns, size_t rows,
                              const double *lower, double *weight)
{
    if (of_counts(context))
        return;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows,
                (int)columns, 1, lower, (int)rows, weight, (int)rows);
}

typedef struct sign_task {
    size_t n, rows, ldh;
    double *H, *sign;
    double *most; /* rows for each piece: its entry of largest modulus */
} sign_task;

enum { SIGNED = 4096 };

static onefold_status find_most(void *opaque, size_t piece, int worker)
{
    const sign_task *task = opaque;
    size_t first = piece * SIGNED, end = first + SIGNED < task->n ? first + SIGNED : task->n;
    double *most = task->most + piece * task->rows;
    (void)worker;
    for (size_t r = 0; r < task->rows; r++)
        most[r] = 0;
    for (size_t j = first; j < end; j++)
        for (size_t r = 0; r < task->rows; r++)
            if (fabs(task->H[j * task->ldh + r]) > fabs(most[r]))
                most[r] = task->H[j * task->ldh + r];
    return ONEFOLD_OK;
}

static onefold_status turn(void *opaque, size_t piece, int worker)
{
    const sign_task *task = opaque;
    size_t first = piece * SIGNED, end = first + SIGNED < task->n ? first + SIGNED : task->n;
    (void)worker;
    for (size_t j = first; j < end; j++)
        for (size_t r = 0; r < task->rows; r++)
            task->H[j * task->ldh + r] *= task->sign[r];
    return ONEFOLD_OK;
}

onefold_status of_sign_rows(of_context *context, size_t n, size_t rows, double *H, size_t ldh,
                            double *sign)
{
    OF_SCRATCH(scratch, context);
    size_t pieces = (n + SIGNED - 1) / SIGNED;
    sign_task task = {n, rows, ldh, H, sign, NULL};
    OF_TRY(OF_NEW(&scratch, &task.most, rows, pieces));
    OF_COUNTED(context);
    OF_TRY(of_team_run(context, pieces, find_most, &task));
    for (size_t r = 0; r < rows; r++) {
        double most = 0;
        for (size_t t = 0; t < pieces; t++) /* the first among equals */
            if (fabs(task.most[t * rows + r]) > fabs(most))
                most = task.most[t * rows + r];
        sign[r] = most < 0 ? -1 : 1;
    }
    return of_team_run(context, pieces, turn, &task);
}

/* Rows of a base partition on a GPU made orthonormal there, and their signs. */

/* lower^-1 (rows x rows). */
static void invert_lower(size_t rows, const double *lower, double *inverse)
{
    memset(inverse, 0, rows * rows * sizeof *inverse);
    for (size_t r = 0; r < rows; r++)
        inverse[r + r * rows] = 1;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows,
                (int)rows, 1, lower, (int)rows, inverse, (int)rows);
}

/* rows_divide, and then the largest entries of all ranks' samples. */
static onefold_status divide_there(of_context *context, const of_device_use *use,
                                   of_device_stack *there, size_t n, size_t row, size_t rows,
                                   const double *inverse, double *largest)
{
    OF_SCRATCH(scratch, context);
    double *all;
    size_t parts;
    onefold_status status =
        of_device_status(use, use->table->rows_divide(there, row, rows, inverse, largest));
    OF_TRY(of_device_total(context, n, status, 0, NULL));
    OF_TRY(
        of_comm_all(context, &scratch, n, largest, rows * sizeof *largest, (void **)&all, &parts));
    for (size_t r = 0; r < rows; r++)
        for (size_t p = 0; p < parts; p++) /* the first among equals */
            if (p == 0 || fabs(all[p * rows + r]) > fabs(largest[r]))
                largest[r] = all[p * rows + r];
    return ONEFOLD_OK;
}

onefold_status of_orthonormalise_device(of_context *context, const of_device_use *use,
                                        of_device_stack *there, size_t n, size_t row, size_t rows,
                                        double *inner, double *sign)
{
    OF_SCRATCH(scratch, context);
    double *inverse;
    OF_TRY(OF_NEW(&scratch, &inverse, rows, rows));
    OF_TRY(orthonormalise_factor(context, rows, inner));
    invert_lower(rows, inner, inverse);
    OF_TRY(divide_there(context, use, there, n, row, rows, inverse, sign));
    for (size_t r = 0; r < rows; r++)
        sign[r] = sign[r] < 0 ? -1 : 1;
    return of_device_total(
        context, n, of_device_status(use, use->table->rows_sign(there, row, rows, sign)), 0, NULL);
}
