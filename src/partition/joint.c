/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joint partitions: the leading eigenvectors of weighted sums of the views' kernels or graphs. What
 * no view shows alone is seen in the sums. A sample that lacks views takes part by those that it
 * has.
 */
#include "partition/joint.h"

#include "base/comm.h"
#include "partition/orthonormal.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/* Residuals of eigenvectors, relative to the first eigenvalue. Labels do not feel more digits of a
 * graph's, which label new samples as they did these; of a kernel's K h / lambda does, which is h
 * but for the residual. */
#define GRAPH_TOLERANCE 1e-3
#define KERNEL_TOLERANCE 1e-5

int of_joint_has(const of_joint_views *views, size_t view, of_joint_kind kind)
{
    return kind == OF_JOINT_KERNEL || views->kernels[view].kind != OF_KERNEL_PRECOMPUTED;
}

static const of_view_graph **graphs_of(const of_joint_views *views, of_joint_kind kind)
{
    return kind == OF_JOINT_GRAPH ? views->knn : kind == OF_JOINT_SUBSPACE ? views->subspace : NULL;
}

/* The kernel by which a view takes part. */
static of_kernel kernel_of(const of_joint_views *views, size_t view, of_joint_kind kind)
{
    of_kernel kernel = views->kernels[view];
    kernel.graph = 0;
    kernel.keeps_lengths = kind == OF_JOINT_COLUMNS;
    /* the leading eigenvectors of an rbf kernel of this width are close to those of the linear
     * kernel, which keeps time and memory in proportion to the samples */
    if (kernel.kind == OF_KERNEL_RBF)
        kernel.kind = OF_KERNEL_LINEAR;
    return kernel;
}

/* What sample j is scaled by for the views that it lacks, w the weights of those it has that join:
 * 1 / sqrt(sum w), so that its length stays, or of joined columns 1 / sum w, so that its place
 * does (of_join_least). 0 where it has none. */
static double scale_of(const of_joint_views *views, const double *weights, of_joint_kind kind,
                       size_t j)
{
    double sum = 0;
    size_t joining = 0;
    for (size_t i = 0; i < views->dataset->view_count; i++)
        if (of_joint_has(views, i, kind) && weights[i] > 0) {
            joining++;
            sum += of_present_at(views->dataset, j, i) ? weights[i] : 0;
        }
    if (!(sum > 0))
        return 0;
    return kind == OF_JOINT_COLUMNS ? 1 / of_join_least(sum, joining) : 1 / sqrt(sum);
}

/* ---- joint kernels --------------------------------------------------------------------------- */

/* Columns of all views together up to which their Gram matrix is formed; BLOCK: rows of a block of
 * the eigensolver. */
enum { MOST_COLUMNS = 1024, BLOCK = 8 };

/* K = sum_i w_i diag(s) K_i diag(s) over the views that join, K_i 0 where a sample lacks view i. */
typedef struct joint_task {
    of_context *context;
    const of_dataset *dataset;
    size_t count;            /* views that join, */
    size_t *view;            /* which they are, */
    of_kernel *kernels;      /* their kernels, */
    double *weights, *scale; /* w, and s of samples */
    of_product *product;     /* and products with them */
    double *in, *out;        /* depth x samples */
    of_range own;            /* samples of this process */
} joint_task;

/* y = x K */
static onefold_status apply_sum(void *opaque, size_t depth, const double *x, double *y)
{
    joint_task *task = opaque;
    of_range own = task->own;
    OF_COUNTED(task->context);
    memset(y + own.first * depth, 0, (own.end - own.first) * depth * sizeof *y);
    for (size_t i = 0; i < task->count; i++) {
        size_t count = own.first; /* none is missing where samples are split */
        for (size_t j = own.first; j < own.end; j++) {
            if (!of_present_at(task->dataset, j, task->view[i]))
                continue;
            for (size_t r = 0; r < depth; r++)
                task->in[count * depth + r] = task->scale[j] * x[j * depth + r];
            count++;
        }
        OF_TRY(task->product[i].apply(task->product[i].task, depth, task->in, task->out));
        count = own.first;
        for (size_t j = own.first; j < own.end; j++) {
            if (!of_present_at(task->dataset, j, task->view[i]))
                continue;
            for (size_t r = 0; r < depth; r++)
                y[j * depth + r] +=
                    task->weights[i] * task->scale[j] * task->out[count * depth + r];
            count++;
        }
    }
    return ONEFOLD_OK;
}

static onefold_status solve_applied(joint_task *task, of_arena *scratch, of_route_work *work)
{
    of_context *context = task->context;
    size_t n = task->dataset->samples, deepest = work->rows > BLOCK + 2 ? work->rows : BLOCK + 2;
    OF_TRY(OF_NEW(scratch, &task->product, task->count, 1));
    OF_TRY(OF_NEW(scratch, &task->in, deepest, n));
    OF_TRY(OF_NEW(scratch, &task->out, deepest, n));
    for (size_t i = 0; i < task->count; i++)
        OF_TRY(of_product_make(context, scratch, &task->kernels[i], deepest, &task->product[i]));
    return of_eigen_work(context, n, apply_sum, task, BLOCK, work->tolerance, NULL, work);
}

/* H, value and rank of `work`; rank 0 where no view takes part. Where samples are split, each
 * process has its own share of H. */
static onefold_status solve_kernel(of_context *context, const of_joint_views *views,
                                   of_joint_kind kind, const double *weights, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    const of_dataset *dataset = views->dataset;
    joint_task task = {
        .context = context, .dataset = dataset, .own = of_comm_own(context, dataset->samples)};
    size_t columns = 0, p = dataset->view_count;
    int dense = !dataset->present;
    OF_TRY(OF_NEW_THERE(&scratch, &task.view, p, 1));
    OF_TRY(OF_NEW(&scratch, &task.kernels, p, 1));
    OF_TRY(OF_NEW_THERE(&scratch, &task.weights, p, 1));
    for (size_t i = 0; i < p; i++) {
        if (!(weights[i] > 0) || !of_joint_has(views, i, kind))
            continue;
        of_kernel kernel = kernel_of(views, i, kind);
        dense &= kernel.kind != OF_KERNEL_PRECOMPUTED && !kernel.features.start;
        columns += dense ? of_kernel_columns(&kernel) : 0;
        task.view[task.count] = i;
        task.kernels[task.count] = kernel;
        task.weights[task.count++] = weights[i];
    }
    of_route_nothing(context, work);
    if (!task.count)
        return ONEFOLD_OK;
    if (dense && columns <= MOST_COLUMNS && columns <= dataset->samples) {
        work->kernel = task.kernels;
        return of_gram_make(context, task.count, task.kernels, task.weights, work);
    }
    OF_TRY(OF_NEW(&scratch, &task.scale, dataset->samples, 1));
    for (size_t j = 0; j < dataset->samples && !of_counts(context); j++)
        task.scale[j] = scale_of(views, weights, kind, j);
    return solve_applied(&task, &scratch, work);
}

/* ---- joint graphs ---------------------------------------------------------------------------- */

static onefold_status solve_graph(of_context *context, of_arena *arena, const of_joint_views *views,
                                  of_joint *joint)
{
    OF_SCRATCH(scratch, context);
    const of_view_graph **graphs = graphs_of(views, joint->kind);
    size_t rows = joint->rows;
    of_sparse *ties, all;
    double *weights;
    size_t count = 0;
    OF_TRY(OF_NEW(&scratch, &ties, views->dataset->view_count, 1));
    OF_TRY(OF_NEW_THERE(&scratch, &weights, views->dataset->view_count, 1));
    for (size_t i = 0; i < views->dataset->view_count; i++)
        if (graphs[i] && joint->weights[i] > 0) {
            weights[count] = joint->weights[i];
            ties[count++] = graphs[i]->ties;
        }
    if (!count)
        return ONEFOLD_OK;
    OF_TRY(of_graph_join(&scratch, count, ties, weights, &all));
    OF_TRY(of_graph_spectrum_make(context, arena, &all, rows, GRAPH_TOLERANCE, joint->H, rows,
                                  &joint->spectrum));
    joint->rank = joint->spectrum.rank;
    OF_COUNTED(context);
    memcpy(joint->value, joint->spectrum.value, rows * sizeof *joint->value);
    return ONEFOLD_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

onefold_status of_joint_make(of_context *context, of_arena *arena, const of_joint_views *views,
                             of_joint_kind kind, const double *weights, size_t rows,
                             of_joint *joint)
{
    OF_SCRATCH(scratch, context);
    const char *spill = views->spill;
    size_t n = views->dataset->samples;
    double *sign;
    *joint = (of_joint){.kind = kind, .weights = weights, .rows = rows};
    OF_TRY(OF_NEW_ZERO(arena, &joint->value, rows, 1));
    if (spill)
        OF_TRY(
            of_arena_allocate_spilled(arena, (void **)&joint->H, spill, sizeof *joint->H, rows, n));
    else
        OF_TRY(OF_NEW(arena, &joint->H, rows, n));
    if (graphs_of(views, kind))
        return solve_graph(context, arena, views, joint);
    of_route_work work = {.rows = rows < n ? rows : n,
                          .tolerance = KERNEL_TOLERANCE,
                          .H = of_share_whole(joint->H, rows),
                          .value = joint->value};
    OF_TRY(solve_kernel(context, views, kind, weights, &work));
    OF_TRY(OF_NEW(&scratch, &sign, rows, 1));
    OF_TRY(of_sign_rows(context, n, work.rank, work.H, sign));
    OF_TRY(of_comm_gather(context, joint->H, rows * sizeof *joint->H, n));
    joint->rank = work.rank;
    OF_COUNTED(context);
    for (size_t j = 0; j < n && work.rank < rows; j++)
        for (size_t r = work.rank; r < rows; r++)
            joint->H[j * rows + r] = 0;
    return ONEFOLD_OK;
}

/* ---- new samples ----------------------------------------------------------------------------- */

static onefold_status project_kernel(of_context *context, of_arena *arena,
                                     const of_joint_views *views, const of_joint *joint,
                                     size_t rank, size_t view, of_projection *projection)
{
    OF_SCRATCH(scratch, context);
    const of_dataset *dataset = views->dataset;
    of_kernel kernel = kernel_of(views, view, joint->kind);
    size_t n = of_present_count(dataset, view), at = 0;
    double *H;
    OF_TRY(OF_NEW(&scratch, &H, rank, n));
    for (size_t j = 0; j < dataset->samples && !of_counts(context); j++) {
        if (!of_present_at(dataset, j, view))
            continue;
        double scale = scale_of(views, joint->weights, joint->kind, j);
        for (size_t r = 0; r < rank; r++)
            H[at * rank + r] = scale * joint->H[j * joint->rows + r];
        at++;
    }
    of_route_work work = {.kernel = &kernel,
                          .rows = rank,
                          .rank = rank,
                          .H = of_share_whole(H, rank),
                          .value = joint->value,
                          .projection = projection,
                          .arena = arena};
    OF_TRY(of_projection_exact(context, &work));
    return of_projection_finish(context, arena, &kernel, OF_ROUTE_KRYLOV, joint->value, NULL,
                                projection);
}

/* Landmarks of views that join follow each other. */
onefold_status of_joint_projection(of_context *context, of_arena *arena,
                                   const of_joint_views *views, const of_joint *joint, size_t rank,
                                   size_t view, of_projection *projection)
{
    OF_SCRATCH(scratch, context);
    const of_view_graph **graphs = graphs_of(views, joint->kind);
    if (!graphs)
        return project_kernel(context, arena, views, joint, rank, view, projection);
    const of_graph_spectrum *spectrum = &joint->spectrum;
    const of_view_graph *own = graphs[view];
    of_projection made = {0};
    size_t first = 0;
    double *weight, *degree;
    for (size_t i = 0; i < view; i++)
        first += graphs[i] && joint->weights[i] > 0 ? graphs[i]->set.count : 0;
    OF_TRY(OF_NEW(&scratch, &weight, rank, own->set.count));
    OF_TRY(OF_NEW_ZERO(&scratch, &degree, own->set.count, 1));
    for (size_t i = 0; i < own->set.count && !of_counts(context); i++)
        memcpy(weight + i * rank, spectrum->weight + (first + i) * spectrum->rank,
               rank * sizeof *weight);
    for (size_t e = 0; e < own->ties.start[own->ties.rows] && !of_counts(context); e++)
        degree[own->ties.index[e]] += own->ties.value[e];
    OF_TRY(of_view_graph_projection(context, &scratch, own, rank, weight, joint->value, degree,
                                    &made));
    return of_projection_copy(arena, &made, rank, projection);
}
