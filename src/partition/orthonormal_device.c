/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a base partition on a card made orthonormal there, and their signs. */
#include "linalg/blas.h"
#include "partition/orthonormal.h"

#include <math.h>
#include <string.h>

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
static onefold_status divide(of_context *context, const of_device_use *use, of_device_stack *there,
                             size_t n, size_t row, size_t rows, const double *inverse,
                             double *largest)
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
    OF_TRY(of_orthonormalise_factor(context, rows, inner));
    invert_lower(rows, inner, inverse);
    OF_TRY(divide(context, use, there, n, row, rows, inverse, sign));
    for (size_t r = 0; r < rows; r++)
        sign[r] = sign[r] < 0 ? -1 : 1;
    return of_device_total(
        context, n, of_device_status(use, use->table->rows_sign(there, row, rows, sign)), 0, NULL);
}
