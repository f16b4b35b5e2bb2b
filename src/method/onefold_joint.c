/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The joint kernel of samples too many for its matrix: the mean of the views' finished kernels of
 * explicit features, each only applied. An rbf kernel's leading eigenvectors are close to those of
 * the linear kernel of its standardised columns, since its width is the mean squared distance; the
 * linear one stands in for it here, which keeps time and memory in proportion to the samples.
 */
#include "data/present.h"
#include "method/onefold_parts.h"
#include "partition/orthonormal.h"
#include "partition/route_krylov.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 8 };

typedef struct joint_task {
    const of_dataset *dataset;
    of_krylov_operator **view; /* NULL: a kernel that is given */
    double *scale;             /* samples: 1 / sqrt(views it has) */
    double *in, *out;          /* depth x samples */
} joint_task;

/* y = x K, K = sum over views of diag(scale) K_i diag(scale). */
static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    joint_task *task = opaque;
    const of_dataset *dataset = task->dataset;
    size_t n = dataset->samples;
    memset(y, 0, depth * n * sizeof *y);
    for (size_t i = 0; i < dataset->view_count; i++) {
        size_t count = 0;
        if (!task->view[i])
            continue;
        for (size_t j = 0; j < n; j++) {
            if (!of_present_at(dataset, j, i))
                continue;
            for (size_t r = 0; r < depth; r++)
                task->in[count * depth + r] = task->scale[j] * x[j * depth + r];
            count++;
        }
        OF_TRY(of_krylov_operator_apply(task->view[i], depth, task->in, task->out));
        count = 0;
        for (size_t j = 0; j < n; j++) {
            if (!of_present_at(dataset, j, i))
                continue;
            for (size_t r = 0; r < depth; r++)
                y[j * depth + r] += task->scale[j] * task->out[count * depth + r];
            count++;
        }
    }
    return ONEFOLD_OK;
}

static onefold_status make_views(of_context *context, of_arena *scratch, const of_problem *problem,
                                 size_t deepest, joint_task *task, size_t *used)
{
    const of_dataset *dataset = problem->dataset;
    size_t n = dataset->samples, p = dataset->view_count;
    OF_TRY(OF_NEW_ZERO(scratch, &task->view, p, 1));
    OF_TRY(OF_NEW(scratch, &task->scale, n, 1));
    OF_TRY(OF_NEW(scratch, &task->in, deepest, n));
    OF_TRY(OF_NEW(scratch, &task->out, deepest, n));
    *used = 0;
    for (size_t i = 0; i < p; i++) {
        of_kernel *kernel;
        OF_TRY(OF_NEW(scratch, &kernel, 1, 1));
        *kernel = problem->kernels[i];
        if (kernel->kind == OF_KERNEL_PRECOMPUTED)
            continue;
        if (kernel->kind == OF_KERNEL_RBF)
            kernel->kind = OF_KERNEL_LINEAR;
        OF_TRY(of_krylov_operator_make(context, scratch, kernel, deepest, &task->view[i]));
        ++*used;
    }
    for (size_t j = 0; j < n; j++) {
        size_t has = 0;
        for (size_t i = 0; i < p; i++)
            has += task->view[i] && of_present_at(dataset, j, i);
        task->scale[j] = has ? 1 / sqrt((double)has) : 0;
    }
    return ONEFOLD_OK;
}

onefold_status of_joint_kernel_applied(of_context *context, const of_problem *problem, size_t rows,
                                       double *H, double *value, size_t *rank, double *residual)
{
    OF_SCRATCH(scratch, context);
    size_t n = problem->dataset->samples, deepest = rows > BLOCK + 2 ? rows : BLOCK + 2, used;
    joint_task task = {.dataset = problem->dataset};
    double *sign;
    *rank = 0;
    *residual = 0;
    OF_TRY(make_views(context, &scratch, problem, deepest, &task, &used));
    if (!used)
        return ONEFOLD_OK;
    of_route_work work = {.rows = rows < n ? rows : n,
                          .tolerance = 1e-5,
                          .H = of_share_whole(H, rows),
                          .value = value};
    OF_TRY(of_eigen_work(context, n, apply, &task, BLOCK, 1e-6, NULL, &work));
    OF_TRY(OF_NEW(&scratch, &sign, rows, 1));
    of_sign_rows(n, work.rank, H, rows, sign);
    for (size_t j = 0; j < n; j++)
        for (size_t r = work.rank; r < rows; r++)
            H[j * rows + r] = 0;
    *rank = work.rank;
    *residual = work.residual;
    return ONEFOLD_OK;
}
