/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The route of a kernel matrix that is given or formed: n^2 (2 d + an exponential) flops to form,
 * and for each block of b rows 2 n^2 b flops and one pass over it. LAPACK solves small ones in
 * 4/3 n^3 flops.
 */
#include "kernel/kernel.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

onefold_status of_eigen_work(of_context *context, size_t n, of_operator_apply apply, void *task,
                             size_t block, double aim, const double *start, of_route_work *work)
{
    of_eigen_options options = {.count = work->rows,
                                .block = block,
                                .tolerance = work->tolerance,
                                .aim = aim,
                                .start = start};
    of_eigen_result result;
    OF_TRY(of_eigen_block(context, n, apply, task, &options, work->value, work->H, &result));
    work->rank = result.rank;
    work->residual = result.residual;
    return ONEFOLD_OK;
}

onefold_status of_matrix_apply(void *matrix_operator, size_t depth, const double *x, double *y)
{
    const of_matrix_operator *o = matrix_operator;
    return of_team_gemm(o->context, 'N', 'N', depth, o->n, o->n, 1, x, depth, o->matrix, o->n, 0, y,
                        depth);
}

/* LAPACK reduces the whole matrix for any number of pairs. The block eigensolver needs about 4 rows
 * for each pair and 100 more, in a hundredth of the time for each. */
int of_eigen_is_small(size_t n, size_t rows)
{
    return n <= 256 || 8 * rows + 200 >= n;
}

/* The largest residual of a small problem. */
static onefold_status lapack_residual(of_context *context, size_t n, const double *matrix,
                                      const double *vector, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    double *off;
    OF_TRY(OF_NEW(&scratch, &off, n, work->rank));
    OF_COUNTED(context);
    work->residual = 0;
    for (size_t r = 0; r < work->rank; r++)
        for (size_t i = 0; i < n; i++)
            off[r * n + i] = -work->value[r] * vector[r * n + i];
    if (work->rank)
        of_gemm('N', 'N', n, work->rank, n, 1, matrix, n, vector, n, 1, off, n);
    for (size_t r = 0; r < work->rank; r++)
        work->residual = fmax(work->residual, cblas_dnrm2((int)n, off + r * n, 1) / work->value[0]);
    return ONEFOLD_OK;
}

static onefold_status by_lapack(of_context *context, size_t n, const double *matrix,
                                of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    double *copy, *vector;
    int counts = of_counts(context);
    OF_TRY(OF_NEW_ALL(&scratch, {&copy, n, n}, {&vector, n, work->rows}));
    if (!counts)
        memcpy(copy, matrix, n * n * sizeof *copy);
    OF_TRY(of_eigh_top(context, n, work->rows, copy, work->value, vector));
    work->rank = 0;
    while (work->rank < work->rows &&
           (counts || work->value[work->rank] > OF_EIGEN_RANK * work->value[0]))
        work->rank++;
    for (size_t r = work->rank; r < work->rows; r++)
        work->value[r] = 0;
    for (size_t j = 0; j < n && !counts; j++)
        for (size_t r = 0; r < work->rows; r++)
            of_share_at(work->H, j)[r] = r < work->rank ? vector[r * n + j] : 0;
    return lapack_residual(context, n, matrix, vector, work);
}

onefold_status of_eigen_matrix(of_context *context, size_t n, const double *matrix,
                               of_route_work *work)
{
    if (of_eigen_is_small(n, work->rows))
        return by_lapack(context, n, matrix, work);
    of_matrix_operator task = {context, n, matrix};
    return of_eigen_work(context, n, of_matrix_apply, &task, 8, 0.01 * work->tolerance, NULL, work);
}

onefold_status of_route_dense(of_context *context, of_route_work *work)
{
    size_t n = work->kernel->view->samples;
    OF_SCRATCH(scratch, context);
    double *matrix;
    OF_TRY(OF_NEW(&scratch, &matrix, n, n));
    OF_TRY(of_kernel_matrix(context, work->kernel, OF_CENTRED_NORMALISED, matrix));
    OF_TRY(of_eigen_matrix(context, n, matrix, work));
    of_arena_release(&scratch, matrix);
    return of_projection_exact(context, work);
}
