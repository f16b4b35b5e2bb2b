/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joint partitions: the leading eigenvectors of weighted sums of the views' kernels or graphs. The
 * sums can show clusters that no single view shows. A sample that lacks views takes part by the
 * views that it has.
 */
#include "partition/joint.h"

#include "base/comm.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/* Residuals of eigenvectors, relative to the first eigenvalue. More digits do not change the labels
 * of graphs. Those of kernels need more: new samples get K h / lambda, which is h up to the
 * residual. */
#define GRAPH_TOLERANCE 1e-3
#define KERNEL_TOLERANCE 1e-5

int of_joint_has(const of_joint_views *views, size_t view, of_joint_kind kind)
{
    return kind == OF_JOINT_KERNEL || !of_kernel_is_given(views->kernels[view].kind);
}

static const of_view_graph **graphs_of(const of_joint_views *views, of_joint_kind kind)
{
    return kind == OF_JOINT_GRAPH ? views->knn : kind == OF_JOINT_SUBSPACE ? views->subspace : NULL;
}

/* The kernel with which a view takes part. The leading eigenvectors of an rbf kernel of this width
 * are close to those of the linear kernel, whose time and memory are in proportion to the samples.
 */
static of_kernel kernel_of(const of_kernel *kernels, size_t view, of_joint_kind kind)
{
    of_kernel kernel = of_linear_kernel(&kernels[view]);
    kernel.keeps_lengths = kind == OF_JOINT_COLUMNS;
    return kernel;
}

/* The scale of sample j that makes up for the views that it lacks; w are the weights of the views
 * that join and that it has. 1 / sqrt(sum w) keeps its length; for joined columns, 1 / sum w keeps
 * its place (of_join_least). 0 where it has no view. */
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

/* MOST_COLUMNS: the most columns of all views for which their Gram matrix is formed. BLOCK: rows of
 * a block of the eigensolver. */
enum { MOST_COLUMNS = 1024, BLOCK = 8 };

/* K = sum_i w_i diag(s) K_i diag(s) over the views that join, K_i 0 where a sample lacks view i. */
typedef struct joint_task {
    of_context *context;
    const of_dataset *dataset;
    size_t count;            /* views that join */
    size_t *view;            /* count: their numbers */
    of_kernel *kernels;      /* count */
    double *weights, *scale; /* count: w; samples: s */
    of_product *product;     /* count: products with the kernels */
    double *in, *out;        /* depth x samples */
    of_range own;            /* samples of this process */
    size_t depth, term;      /* of the current product: its rows, and its term of the sum */
    int multiplied;          /* `out` is filled */
    const double *x;
    double *y;
} joint_task;

enum { PIECE = 4096 }; /* samples */

/* For the samples of a piece that have the view of the term: scales and packs x into `in`, or once
 * multiplied adds `out` to y. */
static onefold_status move_piece(void *opaque, size_t piece)
{
    const joint_task *task = opaque;
    const of_dataset *dataset = task->dataset;
    size_t view = task->view[task->term], depth = task->depth,
           first = task->own.first + piece * PIECE,
           end = of_size_least(first + PIECE, task->own.end),
           place = first; /* samples that are split lack no views */
    for (size_t j = task->own.first; dataset->present && j < first; j++)
        place -= !of_present_at(dataset, j, view);
    for (size_t j = first; j < end; j++) {
        if (!of_present_at(dataset, j, view))
            continue;
        double *in = task->in + place * depth, *y = task->y + j * depth;
        const double *out = task->out + place++ * depth, *x = task->x + j * depth;
        for (size_t r = 0; !task->multiplied && r < depth; r++)
            in[r] = task->scale[j] * x[r];
        for (size_t r = 0; task->multiplied && r < depth; r++)
            y[r] += task->weights[task->term] * task->scale[j] * out[r];
    }
    return ONEFOLD_OK;
}

/* y = x K */
static onefold_status apply_sum(void *opaque, size_t depth, const double *x, double *y)
{
    joint_task *task = opaque;
    of_range own = task->own;
    size_t pieces = (own.end - own.first + PIECE - 1) / PIECE;
    OF_COUNTED(task->context);
    memset(y + own.first * depth, 0, (own.end - own.first) * depth * sizeof *y);
    task->depth = depth;
    task->x = x;
    task->y = y;
    for (task->term = 0; task->term < task->count; task->term++) {
        const of_product *product = &task->product[task->term];
        task->multiplied = 0;
        OF_TRY(of_team_run(task->context, pieces, move_piece, task));
        OF_TRY(product->apply(product->task, depth, task->in, task->out));
        task->multiplied = 1;
        OF_TRY(of_team_run(task->context, pieces, move_piece, task));
    }
    return ONEFOLD_OK;
}

/* Fills the task with the views that take part. */
static onefold_status take_views(of_context *context, of_arena *arena, const of_joint_views *views,
                                 of_joint_kind kind, const double *weights, joint_task *task)
{
    size_t p = views->dataset->view_count;
    *task = (joint_task){.context = context,
                         .dataset = views->dataset,
                         .own = of_comm_own(context, views->dataset->samples)};
    OF_TRY(OF_NEW_THERE(arena, &task->view, p, 1));
    OF_TRY(OF_NEW(arena, &task->kernels, p, 1));
    OF_TRY(OF_NEW_THERE(arena, &task->weights, p, 1));
    for (size_t i = 0; i < p; i++) {
        if (!(weights[i] > 0) || !of_joint_has(views, i, kind))
            continue;
        task->view[task->count] = i;
        task->kernels[task->count] = kernel_of(views->kernels, i, kind);
        task->weights[task->count++] = weights[i];
    }
    return ONEFOLD_OK;
}

/* Prepares products of at most `deepest` rows with the sum. */
static onefold_status make_products(of_arena *arena, const of_joint_views *views,
                                    of_joint_kind kind, const double *weights, size_t deepest,
                                    joint_task *task)
{
    of_context *context = task->context;
    size_t n = task->dataset->samples;
    OF_TRY(OF_NEW(arena, &task->product, task->count, 1));
    OF_TRY(OF_NEW(arena, &task->in, deepest, n));
    OF_TRY(OF_NEW(arena, &task->out, deepest, n));
    OF_TRY(OF_NEW(arena, &task->scale, n, 1));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        task->scale[j] = scale_of(views, weights, kind, j);
    for (size_t i = 0; i < task->count; i++)
        OF_TRY(of_product_make(context, arena, &task->kernels[i], deepest, &task->product[i]));
    return ONEFOLD_OK;
}

/* Fills H, value and rank of `work`; rank is 0 where no view takes part. Where samples are split,
 * each process gets its own share of H. */
static onefold_status solve_kernel(of_context *context, const of_joint_views *views,
                                   of_joint_kind kind, const double *weights, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    joint_task task;
    size_t n = views->dataset->samples, columns = 0;
    int dense = !views->dataset->present;
    OF_TRY(take_views(context, &scratch, views, kind, weights, &task));
    of_route_nothing(context, work);
    if (!task.count)
        return ONEFOLD_OK;
    for (size_t i = 0; i < task.count; i++) {
        const of_kernel *kernel = &task.kernels[i];
        dense &= !of_kernel_is_given(kernel->kind) && !kernel->features.start;
        columns += dense ? of_kernel_columns(kernel) : 0;
    }
    if (dense && columns <= MOST_COLUMNS && columns <= n) {
        work->kernel = task.kernels;
        return of_gram_make(context, task.count, task.kernels, task.weights, work);
    }
    OF_TRY(
        make_products(&scratch, views, kind, weights, of_eigen_deepest(work->rows, BLOCK), &task));
    return of_eigen_work(context, n, apply_sum, &task, BLOCK, work->tolerance, NULL, work);
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

/* ---- both ------------------------------------------------------------------------------------ */

/* Starts a joint partition; allocates its rows. */
static onefold_status begin(of_arena *arena, const of_joint_views *views, of_joint_kind kind,
                            const double *weights, size_t rows, of_joint *joint)
{
    size_t n = views->dataset->samples;
    *joint = (of_joint){.kind = kind, .weights = weights, .kernels = views->kernels, .rows = rows};
    OF_TRY(OF_NEW_ZERO(arena, &joint->value, rows, 1));
    return OF_NEW(arena, &joint->H, rows, n);
}

onefold_status of_joint_make(of_context *context, of_arena *arena, const of_joint_views *views,
                             of_joint_kind kind, const double *weights, size_t rows,
                             of_joint *joint)
{
    OF_SCRATCH(scratch, context);
    size_t n = views->dataset->samples;
    double *sign;
    OF_TRY(begin(arena, views, kind, weights, rows, joint));
    joint->dual = joint->H;
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

/* ---- means of clusters ------------------------------------------------------------------ */

/* Fills A (mu x n), whose row c computes the mean of cluster c, and the clusters' sizes. */
static void take_means(size_t mu, size_t n, const int32_t *labels, double *size, double *A)
{
    memset(size, 0, mu * sizeof *size);
    memset(A, 0, mu * n * sizeof *A);
    for (size_t j = 0; j < n; j++)
        size[labels[j]] += 1;
    for (size_t j = 0; j < n; j++)
        A[(size_t)labels[j] + j * mu] = 1 / size[labels[j]]; /* 0 rows: empty clusters */
}

/* Subtracts the mean of all samples from A and G, and multiplies them with the roots of the
 * clusters' sizes. */
static void centre_means(size_t mu, size_t n, const double *size, double *A, double *G)
{
    for (size_t j = 0; j < n; j++) {
        double *a = A + j * mu, *g = G + j * mu, mean = 0;
        for (size_t c = 0; c < mu; c++)
            mean += size[c] / (double)n * g[c];
        for (size_t c = 0; c < mu; c++) {
            a[c] = sqrt(size[c]) * (a[c] - 1 / (double)n);
            g[c] = sqrt(size[c]) * (g[c] - mean);
        }
    }
}

size_t of_joint_means_rank(size_t mu, size_t rows, const double *value, double *V)
{
    const double least = 1e-10; /* share of the first, below which means do not differ */
    while (rows && !(value[rows - 1] > fmax(least * value[0], 0)))
        rows--;
    for (size_t r = 0; r < rows; r++) {
        double *v = V + r * mu;
        cblas_dscal((int)mu, v[cblas_idamax((int)mu, v, 1)] < 0 ? -1 : 1, v, 1);
    }
    return rows;
}

/* With the joined columns Phi, the means are A Phi, and G = A K. The eigenvectors v of
 * A K A' = G A' give orthonormal directions v'A Phi / sqrt(lambda), in which the samples have the
 * coordinates v'G / sqrt(lambda). */
static void project_samples(size_t mu, size_t n, const double *A, const double *G, double *V,
                            const double *lambda, of_joint *joint)
{
    size_t rows = joint->rows, rank = of_joint_means_rank(mu, joint->rank, lambda, V);
    joint->rank = rank;
    memset(joint->H, 0, rows * n * sizeof *joint->H);
    memset(joint->dual, 0, rows * n * sizeof *joint->dual);
    memcpy(joint->value, lambda, rank * sizeof *lambda);
    if (rank)
        of_gemm('T', 'N', rank, n, mu, 1, V, mu, A, mu, 0, joint->dual, rows);
    for (size_t r = 0; r < rank; r++)
        cblas_dscal((int)mu, 1 / lambda[r], V + r * mu, 1);
    if (rank)
        of_gemm('T', 'N', rank, n, mu, 1, V, mu, G, mu, 0, joint->H, rows);
}

onefold_status of_joint_means(of_context *context, of_arena *arena, const of_joint_views *views,
                              of_joint_kind kind, const double *weights, size_t mu,
                              const int32_t *labels, of_joint *joint)
{
    OF_SCRATCH(scratch, context);
    size_t n = views->dataset->samples, rows = mu > 2 ? mu - 1 : 1;
    joint_task task;
    double *A, *G, *V, *size, *lambda;
    OF_TRY(begin(arena, views, kind, weights, rows, joint));
    OF_TRY(OF_NEW(arena, &joint->dual, rows, n));
    OF_TRY(OF_NEW_ALL(&scratch, {&A, mu, n}, {&G, mu, n}, {&V, mu, mu}, {&size, mu, 1},
                      {&lambda, mu, 1}));
    OF_TRY(take_views(context, &scratch, views, kind, weights, &task));
    OF_TRY(make_products(&scratch, views, kind, weights, mu, &task));
    if (!of_counts(context))
        take_means(mu, n, labels, size, A);
    OF_TRY(apply_sum(&task, mu, A, G));
    OF_TRY(of_comm_gather(context, G, mu * sizeof *G, n));
    if (!of_counts(context)) {
        centre_means(mu, n, size, A, G);
        of_gemm('N', 'T', mu, mu, n, 1, G, mu, A, mu, 0, V, mu);
    }
    OF_TRY(of_eigh(context, mu, V, lambda));
    joint->rank = rows;
    if (!of_counts(context))
        project_samples(mu, n, A, G, V, lambda, joint);
    return ONEFOLD_OK;
}

/* ---- new samples ----------------------------------------------------------------------------- */

static onefold_status project_kernel(of_context *context, of_arena *arena,
                                     const of_joint_views *views, const of_joint *joint,
                                     size_t rank, size_t view, of_projection *projection)
{
    OF_SCRATCH(scratch, context);
    const of_dataset *dataset = views->dataset;
    of_kernel kernel = kernel_of(joint->kernels, view, joint->kind);
    size_t n = of_present_count(dataset, view), at = 0;
    double *H;
    OF_TRY(OF_NEW(&scratch, &H, rank, n));
    for (size_t j = 0; j < dataset->samples && !of_counts(context); j++) {
        if (!of_present_at(dataset, j, view))
            continue;
        double scale = scale_of(views, joint->weights, joint->kind, j);
        for (size_t r = 0; r < rank; r++)
            H[at * rank + r] = scale * joint->dual[j * joint->rows + r];
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

/* The landmarks of the views that join follow each other in the spectrum. */
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
