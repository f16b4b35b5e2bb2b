/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a base partition made orthonormal, tile by tile. */
#include "partition/orthonormal.h"

#include "base/tiles.h"
#include "linalg/blas.h"
#include "linalg/lapack.h"

#include <math.h>

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

onefold_status of_orthonormalise_factor(of_context *context, size_t rows, double *inner)
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
    OF_TRY(of_orthonormalise_factor(context, rows, inner));
    divide_task task = {of_tiles_make(n, rows, 256 << 10), rows, H, inner};
    return of_tiles_run(context, &task.tiles, divide, &task);
}

void of_orthonormalise_weight(size_t columns, size_t rows, const double *lower, double *weight)
{
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows,
                (int)columns, 1, lower, (int)rows, weight, (int)rows);
}

void of_sign_rows(size_t n, size_t rows, double *H, size_t ldh, double *sign)
{
    for (size_t r = 0; r < rows; r++)
        sign[r] = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rows; r++)
            if (fabs(H[j * ldh + r]) > fabs(sign[r]))
                sign[r] = H[j * ldh + r];
    for (size_t r = 0; r < rows; r++)
        sign[r] = sign[r] < 0 ? -1 : 1;
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rows; r++)
            H[j * ldh + r] *= sign[r];
}
