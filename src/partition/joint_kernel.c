/* SPDX-License-Identifier: Apache-2.0 */
/* The leading eigenvectors of a weighted sum of kernels: by products with each, or of few dense
 * columns by their Gram matrix, which takes one reading where products take dozens. */
#include "partition/joint_kernel.h"

#include "base/comm.h"
#include "linalg/blas.h"
#include "partition/route_krylov.h"

#include <string.h>

/* Columns of all views together up to which their Gram matrix is formed; BLOCK: rows of a block of
 * the eigensolver. */
enum { MOST_COLUMNS = 1024, BLOCK = 8, COLUMNS_AT_ONCE = 64 };

typedef struct joint_task {
    of_context *context;
    const of_joint_kernel *joint;
    of_krylov_operator **view; /* NULL: it does not join, or is given: */
    double **given;            /* its finished matrix */
    double *in, *out;          /* depth x samples */
    of_range own;              /* samples of this process */
    size_t depth, count;       /* of the product with a given kernel that is under way */
    const double *matrix;
} joint_task;

static onefold_status multiply_given(void *opaque, size_t piece, int worker)
{
    (void)worker;
    const joint_task *task = opaque;
    size_t n = task->count, first = piece * COLUMNS_AT_ONCE, left = n - first, depth = task->depth;
    of_gemm('N', 'N', depth, left < COLUMNS_AT_ONCE ? left : COLUMNS_AT_ONCE, n, 1, task->in, depth,
            task->matrix + first * n, n, 0, task->out + first * depth, depth);
    return ONEFOLD_OK;
}

/* out = in K of one view, over the samples that have it. */
static onefold_status apply_view(joint_task *task, size_t view, size_t depth, size_t count)
{
    if (task->view[view])
        return of_krylov_operator_apply(task->view[view], depth, task->in, task->out);
    task->matrix = task->given[view];
    task->depth = depth;
    task->count = count;
    return of_team_run(task->context, (count + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE,
                       multiply_given, task);
}

/* y = x K */
static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    joint_task *task = opaque;
    const of_joint_kernel *joint = task->joint;
    of_range own = task->own;
    memset(y + own.first * depth, 0, (own.end - own.first) * depth * sizeof *y);
    for (size_t i = 0; i < joint->dataset->view_count; i++) {
        size_t count = own.first; /* none is missing where samples are split */
        if (!task->view[i] && !task->given[i])
            continue;
        for (size_t j = own.first; j < own.end; j++) {
            if (!of_present_at(joint->dataset, j, i))
                continue;
            for (size_t r = 0; r < depth; r++)
                task->in[count * depth + r] = joint->scale[j] * x[j * depth + r];
            count++;
        }
        OF_TRY(apply_view(task, i, depth, count));
        count = own.first;
        for (size_t j = own.first; j < own.end; j++) {
            if (!of_present_at(joint->dataset, j, i))
                continue;
            for (size_t r = 0; r < depth; r++)
                y[j * depth + r] +=
                    joint->weights[i] * joint->scale[j] * task->out[count * depth + r];
            count++;
        }
    }
    return ONEFOLD_OK;
}

static onefold_status solve_applied(of_context *context, const of_joint_kernel *joint,
                                    of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    size_t n = joint->dataset->samples, p = joint->dataset->view_count,
           deepest = work->rows > BLOCK + 2 ? work->rows : BLOCK + 2;
    joint_task task = {.context = context, .joint = joint, .own = of_comm_own(context, n)};
    OF_TRY(OF_NEW_ZERO(&scratch, &task.view, p, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &task.given, p, 1));
    OF_TRY(OF_NEW(&scratch, &task.in, deepest, n));
    OF_TRY(OF_NEW(&scratch, &task.out, deepest, n));
    for (size_t i = 0; i < p; i++) {
        const of_kernel *kernel = &joint->kernels[i];
        if (!(joint->weights[i] > 0))
            continue;
        if (kernel->kind != OF_KERNEL_PRECOMPUTED) {
            OF_TRY(of_krylov_operator_make(context, &scratch, kernel, deepest, &task.view[i]));
            continue;
        }
        size_t count = kernel->view->samples;
        OF_TRY(OF_NEW(&scratch, &task.given[i], count, count));
        OF_TRY(of_kernel_matrix(context, kernel, OF_CENTRED_NORMALISED, task.given[i], count));
    }
    return of_eigen_work(context, n, apply, &task, BLOCK, work->tolerance, NULL, work);
}

onefold_status of_joint_kernel_solve(of_context *context, const of_joint_kernel *joint,
                                     of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_kernel *kernels;
    double *used;
    size_t count = 0, columns = 0, p = joint->dataset->view_count;
    int dense = !joint->dataset->present;
    OF_TRY(OF_NEW(&scratch, &kernels, p, 1));
    OF_TRY(OF_NEW(&scratch, &used, p, 1));
    for (size_t i = 0; i < p; i++) {
        if (!(joint->weights[i] > 0))
            continue;
        kernels[count] = joint->kernels[i];
        used[count] = joint->weights[i];
        dense &= kernels[count].kind != OF_KERNEL_PRECOMPUTED && !kernels[count].features.start;
        columns += dense ? of_kernel_columns(&kernels[count]) : 0;
        count++;
    }
    of_route_nothing(context, work);
    if (!count)
        return ONEFOLD_OK;
    if (!dense || columns > MOST_COLUMNS || columns > joint->dataset->samples)
        return solve_applied(context, joint, work);
    work->kernel = kernels;
    return of_gram_make(context, count, kernels, used, work);
}
