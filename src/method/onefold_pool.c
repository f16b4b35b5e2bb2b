/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the views bring to the method `onefold`, and its joint partitions: the leading eigenvectors
 * of weighted sums of the views' kernels or graphs. What no view shows alone is seen in the sums. A
 * sample that lacks views takes part by those that it has.
 */
#include "method/onefold_pool.h"

#include "base/comm.h"
#include "data/dataset.h"
#include "linalg/blas.h"
#include "partition/orthonormal.h"
#include "partition/route_krylov.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/* Columns of all views together up to which their Gram matrix is formed; BLOCK: rows of a block of
 * the eigensolver. */
enum { MOST_COLUMNS = 1024, BLOCK = 8, COLUMNS_AT_ONCE = 64 };

/* Of eigenvectors, relative to the first eigenvalue: labels do not feel more digits. */
#define TOLERANCE 1e-5

int of_pool_joins(const of_problem *problem, size_t view, of_joint_kind kind)
{
    return kind == OF_JOINT_KERNEL || problem->kernels[view].kind != OF_KERNEL_PRECOMPUTED;
}

of_kernel of_pool_kernel(const of_pool *pool, size_t view, of_joint_kind kind)
{
    of_kernel kernel = pool->problem->kernels[view];
    kernel.graph = 0;
    kernel.keeps_lengths = kind == OF_JOINT_COLUMNS;
    /* the leading eigenvectors of an rbf kernel of this width are close to those of the linear
     * kernel, which keeps time and memory in proportion to the samples */
    if (kernel.kind == OF_KERNEL_RBF)
        kernel.kind = OF_KERNEL_LINEAR;
    return kernel;
}

double of_pool_scale(const of_pool *pool, const double *weights, of_joint_kind kind, size_t j)
{
    double sum = 0;
    for (size_t i = 0; i < pool->p; i++)
        if (of_pool_joins(pool->problem, i, kind) &&
            (kind == OF_JOINT_COLUMNS ? pool->has[i * pool->n + j]
                                      : of_present_at(pool->problem->dataset, j, i)))
            sum += weights[i];
    return !(sum > 0) ? 0 : kind == OF_JOINT_COLUMNS ? 1 / sum : 1 / sqrt(sum);
}

/* Which samples have something in a view's columns: text without a word counts as missing. */
static void find_columns(const of_pool *pool, size_t view)
{
    const of_sparse *features = &pool->problem->kernels[view].features;
    size_t row = 0;
    for (size_t j = 0; j < pool->n; j++) {
        int has = of_present_at(pool->problem->dataset, j, view) != 0;
        pool->has[view * pool->n + j] =
            has && (!features->start || features->start[row + 1] > features->start[row]);
        row += (size_t)has;
    }
}

/* ---- graphs of views ------------------------------------------------------------------------- */

/* The ties of the samples present, as rows of all samples. */
static onefold_status spread_ties(of_arena *arena, const of_dataset *dataset, size_t view,
                                  of_sparse *ties)
{
    size_t *start, row = 0;
    if (!of_present_missing(dataset, view))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &start, dataset->samples + 1, 1));
    for (size_t j = 0; j < dataset->samples; j++) {
        start[j] = ties->start[row];
        row += of_present_at(dataset, j, view) != 0;
    }
    start[dataset->samples] = ties->start[row];
    ties->rows = dataset->samples;
    ties->start = start;
    return ONEFOLD_OK;
}

static onefold_status make_graph(of_context *context, of_arena *arena, const of_problem *problem,
                                 size_t view, of_kernel_kind kind, const of_view_graph **graph)
{
    of_partition_options options = problem->partition;
    of_view_graph *made;
    of_kernel *kernel;
    OF_TRY(OF_NEW(arena, &kernel, 1, 1));
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    *kernel = problem->kernels[view];
    kernel->graph = kind;
    options.dims = problem->options->dims;
    options.project = problem->options->keep_model || problem->options->view_parts ||
                      problem->options->picture; /* parts are those of the model */
    onefold_status status = of_view_graph_make(context, arena, kernel, &options, made);
    if (status != ONEFOLD_OK)
        return of_blame(status, "view '%s'", problem->dataset->views[view].name);
    *graph = made;
    return spread_ties(arena, problem->dataset, view, &made->ties);
}

/* The ties of a view of links without those to the landmark that all samples share, of which
 * neighbours tell nothing. */
static onefold_status tie_links(of_arena *arena, const of_view_graph *graph, of_sparse *ties)
{
    const of_sparse *all = &graph->ties;
    size_t n = all->rows, count = 0, *start;
    uint32_t *index;
    double *value;
    OF_TRY(OF_NEW(arena, &start, n + 1, 1));
    OF_TRY(OF_NEW(arena, &index, all->start[n], 1));
    OF_TRY(OF_NEW(arena, &value, all->start[n], 1));
    for (size_t j = 0; j < n; j++) {
        start[j] = count;
        for (size_t e = all->start[j]; e < all->start[j + 1]; e++)
            if (all->index[e] + 1 < graph->set.count) {
                index[count] = all->index[e];
                value[count++] = all->value[e];
            }
    }
    start[n] = count;
    *ties = (of_sparse){n, all->columns, start, index, value};
    return ONEFOLD_OK;
}

typedef struct nearest_task {
    size_t n;
    const double *kernel; /* n x n */
    of_landmark_set set;
    size_t *start;
    uint32_t *index;
    double *weight;
    double *room; /* per worker: n */
} nearest_task;

static onefold_status tie_nearest(void *opaque, size_t j, int worker)
{
    nearest_task *task = opaque;
    size_t n = task->n, r = task->set.neighbours;
    double *distance = task->room + (size_t)worker * n;
    for (size_t i = 0; i < n; i++)
        distance[i] =
            task->kernel[j * n + j] + task->kernel[i * n + i] - 2 * task->kernel[j * n + i];
    of_landmark_tie(&task->set, distance, task->index + j * r, task->weight + j * r);
    task->start[j + 1] = (j + 1) * r;
    return ONEFOLD_OK;
}

/* The ties of a kernel that is given: every sample to those that it is nearest to. */
static onefold_status tie_given(of_context *context, of_arena *arena, const of_problem *problem,
                                size_t view, of_sparse *ties)
{
    OF_SCRATCH(scratch, context);
    const of_kernel *kernel = &problem->kernels[view];
    size_t n = kernel->view->samples, wanted = problem->partition.neighbours;
    double *matrix;
    nearest_task task = {.n = n, .set = {.count = n}};
    task.set.neighbours = wanted ? wanted : OF_NEIGHBOURS_STANDARD;
    if (task.set.neighbours > n)
        task.set.neighbours = n;
    OF_TRY(OF_NEW(&scratch, &matrix, n, n));
    OF_TRY(OF_NEW(&scratch, &task.room, (size_t)of_team_size(context), n));
    OF_TRY(of_kernel_matrix(context, kernel, OF_CENTRED_NORMALISED, matrix, n));
    task.kernel = matrix;
    OF_TRY(OF_NEW_ZERO(arena, &task.start, n + 1, 1));
    OF_TRY(OF_NEW(arena, &task.index, n, task.set.neighbours));
    OF_TRY(OF_NEW(arena, &task.weight, n, task.set.neighbours));
    OF_TRY(of_team_run(context, n, tie_nearest, &task));
    *ties = (of_sparse){n, n, task.start, task.index, task.weight};
    return spread_ties(arena, problem->dataset, view, ties);
}

onefold_status of_pool_make(of_context *context, of_arena *arena, const of_problem *problem,
                            unsigned kinds, int ties, of_pool *pool)
{
    size_t p = problem->dataset->view_count, dims = problem->options->dims;
    of_sparse *made;
    *pool = (of_pool){.problem = problem,
                      .n = problem->dataset->samples,
                      .p = p,
                      .mu = problem->options->clusters,
                      .rows = dims > 1 ? dims - 1 : 1};
    OF_TRY(OF_NEW_ZERO(arena, &pool->knn, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &pool->subspace, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &made, p + 1, 1));
    OF_TRY(OF_NEW(arena, &pool->voice, p + 1, 1));
    OF_TRY(OF_NEW(arena, &pool->has, p, pool->n));
    pool->ties = made;
    pool->tellers = p;
    for (size_t i = 0; i < p; i++) {
        pool->voice[i] = 1;
        find_columns(pool, i);
        int links = problem->kernels[i].kind == OF_KERNEL_GRAPH,
            given = problem->kernels[i].kind == OF_KERNEL_PRECOMPUTED;
        of_context_progress(context, "base", (double)i, (double)p, problem->dataset->views[i].name);
        if (given && ties)
            OF_TRY(tie_given(context, arena, problem, i, &made[i]));
        if (given)
            continue;
        if (ties || kinds & 1u << OF_JOINT_GRAPH || (links && kinds & 1u << OF_JOINT_SUBSPACE))
            OF_TRY(make_graph(context, arena, problem, i, OF_KERNEL_KNN, &pool->knn[i]));
        if (links)
            pool->subspace[i] = pool->knn[i];
        else if (kinds & 1u << OF_JOINT_SUBSPACE)
            OF_TRY(make_graph(context, arena, problem, i, OF_KERNEL_SUBSPACE, &pool->subspace[i]));
        if (ties && links)
            OF_TRY(tie_links(arena, pool->knn[i], &made[i]));
        else if (ties)
            made[i] = pool->knn[i]->ties;
    }
    of_context_progress(context, "base", (double)p, (double)p, NULL);
    return ONEFOLD_OK;
}

onefold_status of_pool_tell_by(of_context *context, of_arena *arena, of_pool *pool,
                               const double *weights)
{
    OF_SCRATCH(scratch, context);
    const of_partition_options *options = &pool->problem->partition;
    size_t p = pool->p;
    of_joint columns;
    of_landmark_set set;
    OF_TRY(of_joint_make(context, &scratch, pool, OF_JOINT_COLUMNS, weights, &columns));
    for (size_t i = 0; i < p; i++)
        pool->voice[i] = (double)p * weights[i];
    if (!columns.rank)
        return ONEFOLD_OK;
    for (size_t j = 0; j < pool->n; j++)
        for (size_t r = 0; r < columns.rank; r++)
            columns.H[j * pool->rows + r] *= sqrt(columns.value[r]);
    of_landmark_points points = {pool->n, columns.rank, NULL,
                                 of_share_whole(columns.H, pool->rows)};
    OF_TRY(of_landmark_set_make(context, &scratch, &points, options->landmarks, options->neighbours,
                                options->seed, &set));
    pool->voice[p] = 1;
    pool->tellers = p + 1;
    return of_landmark_graph_make(context, arena, &points, &set, &pool->ties[p]);
}

/* ---- joint kernels --------------------------------------------------------------------------- */

typedef struct joint_task {
    of_context *context;
    const of_pool *pool;
    const double *weights;
    of_krylov_operator **view; /* p; NULL: it does not join, or is given: */
    double **given;            /* p: its finished matrix */
    double *scale;             /* samples: of_pool_scale */
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

/* y = x K, K = sum over views of weight diag(scale) K_i diag(scale). */
static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    joint_task *task = opaque;
    const of_dataset *dataset = task->pool->problem->dataset;
    of_range own = task->own;
    memset(y + own.first * depth, 0, (own.end - own.first) * depth * sizeof *y);
    for (size_t i = 0; i < dataset->view_count; i++) {
        size_t count = own.first; /* none is missing where samples are split */
        if (!task->view[i] && !task->given[i])
            continue;
        for (size_t j = own.first; j < own.end; j++) {
            if (!of_present_at(dataset, j, i))
                continue;
            for (size_t r = 0; r < depth; r++)
                task->in[count * depth + r] = task->scale[j] * x[j * depth + r];
            count++;
        }
        OF_TRY(apply_view(task, i, depth, count));
        count = own.first;
        for (size_t j = own.first; j < own.end; j++) {
            if (!of_present_at(dataset, j, i))
                continue;
            for (size_t r = 0; r < depth; r++)
                y[j * depth + r] +=
                    task->weights[i] * task->scale[j] * task->out[count * depth + r];
            count++;
        }
    }
    return ONEFOLD_OK;
}

static onefold_status solve_applied(of_context *context, const of_pool *pool, of_joint_kind kind,
                                    const double *weights, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    size_t deepest = work->rows > BLOCK + 2 ? work->rows : BLOCK + 2, n = pool->n;
    joint_task task = {
        .context = context, .pool = pool, .weights = weights, .own = of_comm_own(context, n)};
    OF_TRY(OF_NEW_ZERO(&scratch, &task.view, pool->p, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &task.given, pool->p, 1));
    OF_TRY(OF_NEW(&scratch, &task.scale, n, 1));
    OF_TRY(OF_NEW(&scratch, &task.in, deepest, n));
    OF_TRY(OF_NEW(&scratch, &task.out, deepest, n));
    for (size_t i = 0; i < pool->p; i++) {
        of_kernel *kernel;
        if (!(weights[i] > 0) || !of_pool_joins(pool->problem, i, kind))
            continue;
        OF_TRY(OF_NEW(&scratch, &kernel, 1, 1));
        *kernel = of_pool_kernel(pool, i, kind);
        if (kernel->kind != OF_KERNEL_PRECOMPUTED) {
            OF_TRY(of_krylov_operator_make(context, &scratch, kernel, deepest, &task.view[i]));
            continue;
        }
        size_t count = kernel->view->samples;
        OF_TRY(OF_NEW(&scratch, &task.given[i], count, count));
        OF_TRY(of_kernel_matrix(context, kernel, OF_CENTRED_NORMALISED, task.given[i], count));
    }
    for (size_t j = 0; j < n; j++)
        task.scale[j] = of_pool_scale(pool, weights, kind, j);
    return of_eigen_work(context, n, apply, &task, BLOCK, work->tolerance, NULL, work);
}

/* Of few dense columns, none missing, the Gram matrix is formed: it takes one reading where
 * products take dozens. */
static onefold_status solve_kernel(of_context *context, const of_pool *pool, of_joint_kind kind,
                                   const double *weights, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_kernel *kernels;
    double *used;
    size_t count = 0, columns = 0;
    int dense = !pool->problem->dataset->present;
    OF_TRY(OF_NEW(&scratch, &kernels, pool->p, 1));
    OF_TRY(OF_NEW(&scratch, &used, pool->p, 1));
    for (size_t i = 0; i < pool->p; i++) {
        if (!(weights[i] > 0) || !of_pool_joins(pool->problem, i, kind))
            continue;
        kernels[count] = of_pool_kernel(pool, i, kind);
        used[count] = weights[i];
        dense &= kernels[count].kind != OF_KERNEL_PRECOMPUTED && !kernels[count].features.start;
        columns += dense ? of_kernel_columns(&kernels[count]) : 0;
        count++;
    }
    of_route_nothing(context, work);
    if (!count)
        return ONEFOLD_OK;
    if (!dense || columns > MOST_COLUMNS || columns > pool->n)
        return solve_applied(context, pool, kind, weights, work);
    work->kernel = kernels;
    return of_gram_make(context, count, kernels, used, work);
}

/* ---- joint graphs ---------------------------------------------------------------------------- */

static onefold_status solve_graph(of_context *context, of_arena *arena, const of_pool *pool,
                                  of_joint *joint)
{
    OF_SCRATCH(scratch, context);
    const of_view_graph **graphs = joint->kind == OF_JOINT_GRAPH ? pool->knn : pool->subspace;
    of_sparse *ties, all;
    double *weights;
    size_t count = 0;
    OF_TRY(OF_NEW(&scratch, &ties, pool->p, 1));
    OF_TRY(OF_NEW(&scratch, &weights, pool->p, 1));
    for (size_t i = 0; i < pool->p; i++)
        if (graphs[i] && joint->weights[i] > 0) {
            weights[count] = joint->weights[i];
            ties[count++] = graphs[i]->ties;
        }
    if (!count)
        return ONEFOLD_OK;
    OF_TRY(of_graph_join(&scratch, count, ties, weights, &all));
    OF_TRY(of_graph_spectrum_make(context, arena, &all, pool->rows, TOLERANCE, joint->H, pool->rows,
                                  &joint->spectrum));
    memcpy(joint->value, joint->spectrum.value, pool->rows * sizeof *joint->value);
    joint->rank = joint->spectrum.rank;
    return ONEFOLD_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

onefold_status of_joint_make(of_context *context, of_arena *arena, const of_pool *pool,
                             of_joint_kind kind, const double *weights, of_joint *joint)
{
    OF_SCRATCH(scratch, context);
    const char *spill = pool->problem->spill;
    size_t rows = pool->rows, n = pool->n;
    double *sign;
    *joint = (of_joint){.kind = kind, .weights = weights};
    OF_TRY(OF_NEW_ZERO(arena, &joint->value, rows, 1));
    if (spill)
        OF_TRY(
            of_arena_allocate_spilled(arena, (void **)&joint->H, spill, sizeof *joint->H, rows, n));
    else
        OF_TRY(OF_NEW(arena, &joint->H, rows, n));
    if (kind == OF_JOINT_GRAPH || kind == OF_JOINT_SUBSPACE)
        return solve_graph(context, arena, pool, joint);
    of_route_work work = {.rows = rows < n ? rows : n,
                          .tolerance = TOLERANCE,
                          .H = of_share_whole(joint->H, rows),
                          .value = joint->value};
    OF_TRY(solve_kernel(context, pool, kind, weights, &work));
    OF_TRY(of_comm_gather(context, joint->H, rows * sizeof *joint->H, n));
    OF_TRY(OF_NEW(&scratch, &sign, rows, 1));
    of_sign_rows(context, n, work.rank, joint->H, rows, sign);
    for (size_t j = 0; j < n; j++)
        for (size_t r = work.rank; r < rows; r++)
            joint->H[j * rows + r] = 0;
    joint->rank = work.rank;
    return ONEFOLD_OK;
}
