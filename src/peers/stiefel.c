/* SPDX-License-Identifier: Apache-2.0 */
/* The curvilinear step with its line search. */
#include "peers/stiefel.h"

#include "linalg/blas.h"
#include "linalg/factor.h"

#include <string.h>

enum { TRIALS = 8 };
static const double FIRST_LENGTH = 5, SHRINK = 0.2, LEAST_FALL = 1e-4;

onefold_status of_stiefel_direction(of_context *context, size_t rows, size_t columns,
                                    const double *x, const double *ax, const double *d,
                                    double *direction)
{
    OF_SCRATCH(scratch, context);
    double *along;
    OF_TRY(OF_NEW(&scratch, &along, columns, columns));
    for (size_t e = 0; e < rows * columns; e++)
        direction[e] = -2 * ax[e] - d[e];
    of_gemm('T', 'N', columns, columns, rows, 1, direction, rows, x, rows, 0, along, columns);
    of_gemm('N', 'N', rows, columns, columns, -1, x, rows, along, columns, 1, direction, rows);
    return ONEFOLD_OK;
}

/* -<X, AX> - <X, D> */
static double value_at(size_t rows, size_t columns, const double *x, const double *ax,
                       const double *d)
{
    return -of_dot(rows, columns, x, rows, ax, rows) - of_dot(rows, columns, x, rows, d, rows);
}

void of_stiefel_follow(size_t rows, size_t columns, const of_stiefel_step *step, const double *r,
                       const double *m_direction, double *mx)
{
    if (!(step->length > 0))
        return;
    of_add(rows * columns, -step->length, m_direction, mx);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, (int)rows,
                (int)columns, 1, r, (int)columns, mx, (int)rows);
}

onefold_status of_stiefel_search(of_context *context, size_t rows, size_t columns, double *x,
                                 const double *ax, const double *d, const double *direction,
                                 const double *a_direction, double *r, of_stiefel_step *step)
{
    OF_SCRATCH(scratch, context);
    double *moved, *product;
    size_t bytes = rows * columns * sizeof *x;
    OF_TRY(OF_NEW(&scratch, &moved, rows, columns));
    OF_TRY(OF_NEW(&scratch, &product, rows, columns));
    double start = value_at(rows, columns, x, ax, d);
    double slope = LEAST_FALL * of_dot(rows, columns, direction, rows, direction, rows);
    double length = FIRST_LENGTH;
    step->length = 0;
    for (step->trials = 1;; step->trials++, length *= SHRINK) {
        of_stiefel_step trial = {length, step->trials};
        memcpy(moved, x, bytes);
        of_add(rows * columns, -length, direction, moved);
        OF_TRY(of_qr(context, rows, columns, moved, rows, r, columns));
        memcpy(product, ax, bytes);
        of_stiefel_follow(rows, columns, &trial, r, a_direction, product);
        double now = value_at(rows, columns, moved, product, d);
        int enough = now <= start - length * slope;
        if (enough || (step->trials == TRIALS && now < start)) {
            step->length = length;
            memcpy(x, moved, bytes);
        }
        if (enough || step->trials == TRIALS)
            return ONEFOLD_OK;
    }
}
