/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a base partition on a card made orthonormal there, and their signs. */
#include "linalg/blas.h"
#include "partition/orthonormal.h"

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

onefold_status of_orthonormalise_device(of_context *context, const of_device_use *use,
                                        of_device_stack *there, size_t row, size_t rows,
                                        double *inner, double *sign)
{
    OF_SCRATCH(scratch, context);
    double *inverse;
    OF_TRY(OF_NEW(&scratch, &inverse, rows, rows));
    OF_TRY(of_orthonormalise_factor(context, rows, inner));
    invert_lower(rows, inner, inverse);
    OF_DEVICE_TRY(use, rows_divide(there, row, rows, inverse, sign));
    for (size_t r = 0; r < rows; r++)
        sign[r] = sign[r] < 0 ? -1 : 1;
    OF_DEVICE_TRY(use, rows_sign(there, row, rows, sign));
    return ONEFOLD_OK;
}
