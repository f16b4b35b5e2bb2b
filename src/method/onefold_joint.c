/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The joint kernel of samples too many for its matrix: the mean of the views' finished kernels of
 * explicit features, each only applied. An rbf kernel's leading eigenvectors are close to those of
 * the linear kernel of its standardised columns, since its width is the mean squared distance; the
 * linear one stands in for it here, which keeps time and memory in proportion to the samples.
 */
#include "data/present.h"
#include "method/onefold_parts.h"
#include "method/os_lfmvc_cs_parts.h"
#include "partition/orthonormal.h"
#include "partition/route_krylov.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 8, MOST_COLUMNS = 1024 };

typedef struct joint_task {
    const of_dataset *dataset;
    of_krylov_operator **view; /* NULL: a kernel that is given */
    double *scale;             /* samples: 1 / sqrt(views it has) */
    double *in, *out;          /* depth x samples */
    of_range own;              /* samples of this process */
} joint_task;

/* y = x K, K = sum over views of diag(scale) K_i diag(scale). */
static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    joint_task *task = opaque;
    const of_dataset *dataset = task->dataset;
    of_range own = task->own;
    memset(y + own.first * depth, 0, (own.end - own.first) * depth * sizeof *y);
    for (size_t i = 0; i < dataset->view_count; i++) {
        size_t count = own.first; /* none is missing where samples are split */
        if (!task->view[i])
            continue;
        for (size_t j = own.first; j < own.end; j++) {
            if (!of_present_at(dataset, j, i))
                continue;
            for (size_t r = 0; r < depth; r++)
                task->in[count * depth + r] = task->scale[j] * x[j * depth + r];
            count++;
        }
        OF_TRY(of_krylov_operator_apply(task->view[i], depth, task->in, task->out));
        count = own.first;
        for (size_t j = own.first; j < own.end; j++) {
            if (!of_present_at(dataset, j, i))
                continue;
            for (size_t r = 0; r < depth; r++)
                y[j * depth + r] += task->scale[j] * task->out[count * depth + r];
            count++;
        }
    }
    return ONEFOLD_OK;
}

/* The kernel of explicit features that stands for a view's. */
static of_kernel stand_in(const of_kernel *kernel)
{
    of_kernel linear = *kernel;
    if (linear.kind == OF_KERNEL_RBF)
        linear.kind = OF_KERNEL_LINEAR;
    return linear;
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
        *kernel = stand_in(&problem->kernels[i]);
        if (kernel->kind == OF_KERNEL_PRECOMPUTED)
            continue;
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

/* Whether the Gram matrix of all columns is formed: of many samples with few dense columns, none
 * missing. It takes one reading where products take dozens. */
static int has_few_columns(const of_problem *problem)
{
    size_t columns = 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        if (kernel->features.start || kernel->kind == OF_KERNEL_PRECOMPUTED)
            return 0;
        columns += of_kernel_columns(kernel);
    }
    return columns <= problem->dataset->samples / 8 && !problem->dataset->present &&
           columns <= MOST_COLUMNS;
}

static onefold_status solve_columns(of_context *context, const of_problem *problem,
                                    of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    size_t p = problem->dataset->view_count;
    of_kernel *kernels;
    OF_TRY(OF_NEW(&scratch, &kernels, p, 1));
    for (size_t i = 0; i < p; i++)
        kernels[i] = stand_in(&problem->kernels[i]);
    work->kernel = kernels;
    return of_gram_make(context, p, kernels, work);
}

static onefold_status solve_applied(of_context *context, const of_problem *problem,
                                    of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    size_t deepest = work->rows > BLOCK + 2 ? work->rows : BLOCK + 2, used;
    joint_task task = {.dataset = problem->dataset,
                       .own = of_comm_own(context, problem->dataset->samples)};
    OF_TRY(make_views(context, &scratch, problem, deepest, &task, &used));
    return used ? of_eigen_work(context, problem->dataset->samples, apply, &task, BLOCK, 1e-6, NULL,
                                work)
                : ONEFOLD_OK;
}

onefold_status of_joint_kernel_applied(of_context *context, const of_problem *problem, size_t rows,
                                       double *H, double *value, size_t *rank, double *residual)
{
    OF_SCRATCH(scratch, context);
    size_t n = problem->dataset->samples;
    double *sign;
    of_route_work work = {.rows = rows < n ? rows : n,
                          .tolerance = 1e-5,
                          .H = of_share_whole(H, rows),
                          .value = value};
    OF_TRY(has_few_columns(problem) ? solve_columns(context, problem, &work)
                                    : solve_applied(context, problem, &work));
    OF_TRY(of_comm_gather(context, H, rows * sizeof *H, n));
    OF_TRY(OF_NEW(&scratch, &sign, rows, 1));
    of_sign_rows(n, work.rank, H, rows, sign);
    for (size_t j = 0; j < n; j++)
        for (size_t r = work.rank; r < rows; r++)
            H[j * rows + r] = 0;
    *rank = work.rank;
    *residual = work.residual;
    return ONEFOLD_OK;
}

/* What follows the gap is kept beside the rows of the pool; products hold blocks of vectors. */
size_t of_joint_kernel_bytes(of_context *context, const of_problem *problem, size_t rows)
{
    size_t n = problem->dataset->samples, mu = problem->options->clusters,
           wide = rows > mu + OF_GAP_SPACINGS ? rows : mu + OF_GAP_SPACINGS,
           bytes = sizeof(double) * n * wide;
    if (!has_few_columns(problem))
        return bytes + sizeof(double) * n * (7 * rows + 400);
    return bytes + of_gram_bytes(context, problem->dataset->view_count, problem->kernels, wide);
}

double of_spectrum_gap(size_t rank, const double *value, size_t q)
{
    if (rank < q + 1 + OF_GAP_SPACINGS || value[q - 1] < OF_CLEAR_SHARE * value[0])
        return 0;
    double spacing = (value[q] - value[rank - 1]) / (double)(rank - q - 1);
    return spacing > 0 ? (value[q - 1] - value[q]) / spacing : 0;
}

double of_joint_kernel_gap(size_t rank, const double *value, size_t mu)
{
    double gap = mu < 2 ? 0 : of_spectrum_gap(rank, value, mu - 1);
    size_t least = 1; /* q directions that halve the samples tell 2^q clusters apart */
    while (least < 8 * sizeof mu - 1 && (size_t)1 << least < mu)
        least++;
    for (size_t q = least; q + 1 < mu; q++) {
        double fewer = of_spectrum_gap(rank, value, q) / OF_FEWER_FACTOR;
        gap = fewer > gap ? fewer : gap;
    }
    return gap;
}
