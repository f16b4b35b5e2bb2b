/* SPDX-License-Identifier: Apache-2.0 */
/* The landmark graph of a view, its spectrum, and its projection. */
#include "partition/view_graph.h"

#include "base/team.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/* ---- leading eigenvectors, on the side of the samples or landmarks, whichever are fewer ----- */

/* The matrix of a side of up to MOST_FORMED is formed where a product with it is faster than two
 * with the ties. An entry of the ties takes as long as EACH entries of the matrix. */
enum { MOST_FORMED = 1024, EACH = 8, BLOCK = 8, AT_ONCE = 256 };

/* A smaller eigenvalue counts as zero: the largest but the constant's is near 1. */
static const double LEAST = 1e-9;

typedef struct spectrum_task {
    of_context *context;
    const of_sparse *graph;
    of_sparse scaled, transpose; /* Zs, and its transpose */
    size_t landmarks, known;     /* known: samples with ties */
    double *degree, *scale;
    const of_sparse *own, *other; /* Zs and its transpose; the rows of `own` are the side */
    double *u, share, *along;     /* share u u': the constant on this side; along: depth */
    double *between;              /* depth x the other side */
    double *whole;                /* depth x this side, where processes split it */
    double *matrix;               /* of this side, where it is formed */
} spectrum_task;

/* Computes the degrees of the landmarks, Zs and its transpose. */
static onefold_status scale_graph(of_arena *kept, of_arena *scratch, spectrum_task *task)
{
    const of_sparse *z = task->graph;
    size_t l = task->landmarks, entries = z->start[z->rows];
    double *value;
    OF_TRY(OF_NEW_ZERO(kept, &task->degree, l, 1));
    OF_TRY(OF_NEW_ALL(scratch, {&task->scale, l, 1}, {&value, entries, 1}));
    task->scaled = *z;
    task->scaled.value = value;
    for (size_t j = 0; j < z->rows; j++)
        task->known += z->start[j + 1] > z->start[j];
    if (!of_counts(scratch->context)) {
        for (size_t e = 0; e < entries; e++)
            task->degree[z->index[e]] += z->value[e];
        for (size_t i = 0; i < l; i++)
            task->scale[i] = task->degree[i] > 0 ? 1 / sqrt(task->degree[i]) : 0;
        for (size_t e = 0; e < entries; e++)
            value[e] = z->value[e] * task->scale[z->index[e]];
    }
    return of_sparse_transpose(scratch, &task->scaled, &task->transpose);
}

/* Chooses the side, and sets the constant on it. */
static onefold_status take_side(of_arena *scratch, int samples, spectrum_task *task)
{
    const of_sparse *z = task->graph;
    task->own = samples ? &task->scaled : &task->transpose;
    task->other = samples ? &task->transpose : &task->scaled;
    OF_TRY(OF_NEW(scratch, &task->u, task->own->rows, 1));
    OF_COUNTED(scratch->context);
    double known = task->known ? (double)task->known : 1;
    task->share = samples ? 1 / known : 1;
    for (size_t i = 0; i < task->own->rows; i++)
        task->u[i] = samples ? z->start[i + 1] > z->start[i] : sqrt(task->degree[i] / known);
    return ONEFOLD_OK;
}

/* Fills row i of the side's matrix, Zs Zs' or Zs'Zs, less the constant. */
static onefold_status form_row(void *opaque, size_t i)
{
    spectrum_task *task = opaque;
    size_t side = task->own->rows;
    double *row = task->matrix + i * side;
    memset(row, 0, side * sizeof *row);
    of_sparse_gram_row(task->own, task->other, i, row);
    for (size_t j = 0; j < side; j++)
        row[j] -= task->share * task->u[i] * task->u[j];
    return ONEFOLD_OK;
}

/* Gathers x over the whole side; this process has its share. */
static onefold_status gather_block(spectrum_task *task, size_t depth, const double **x)
{
    size_t side = task->own->rows;
    of_range own = of_comm_own(task->context, side);
    if (!task->whole || of_counts(task->context))
        return ONEFOLD_OK;
    memcpy(task->whole + own.first * depth, *x + own.first * depth,
           (own.end - own.first) * depth * sizeof **x);
    *x = task->whole;
    return of_comm_gather(task->context, task->whole, depth * sizeof **x, side);
}

/* y = x times the side's matrix less the constant. */
static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    spectrum_task *task = opaque;
    double *along = task->along;
    OF_TRY(gather_block(task, depth, &x));
    OF_TRY(of_sparse_apply(task->context, task->other, depth, x, task->between));
    OF_TRY(of_sparse_apply(task->context, task->own, depth, task->between, y));
    OF_COUNTED(task->context);
    memset(along, 0, depth * sizeof *along);
    for (size_t i = 0; i < task->own->rows; i++)
        for (size_t r = 0; r < depth; r++)
            along[r] += task->share * x[i * depth + r] * task->u[i];
    for (size_t i = 0; i < task->own->rows; i++)
        for (size_t r = 0; r < depth; r++)
            y[i * depth + r] -= along[r] * task->u[i];
    return ONEFOLD_OK;
}

static onefold_status solve_side(spectrum_task *task, of_arena *scratch, of_route_work *work)
{
    size_t side = task->own->rows, deepest = of_eigen_deepest(work->rows, BLOCK);
    int small = of_eigen_is_small(side, work->rows);
    if (side <= MOST_FORMED &&
        (small || side * side <= 2 * EACH * task->graph->start[task->graph->rows])) {
        OF_TRY(OF_NEW(scratch, &task->matrix, side, side));
        OF_TRY(of_team_run(task->context, side, form_row, task));
        of_matrix_operator formed = {task->context, side, task->matrix};
        OF_TRY(small ? of_eigen_matrix(task->context, side, task->matrix, work)
                     : of_eigen_work(task->context, side, of_matrix_apply, &formed, BLOCK,
                                     0.1 * work->tolerance, NULL, work));
        of_arena_release(scratch, task->matrix);
        return ONEFOLD_OK;
    }
    OF_TRY(OF_NEW_ALL(scratch, {&task->along, deepest, 1},
                      {&task->between, deepest, task->other->rows}));
    if (of_comm_splits(task->context, side))
        OF_TRY(OF_NEW(scratch, &task->whole, deepest, side));
    OF_TRY(
        of_eigen_work(task->context, side, apply, task, BLOCK, 0.1 * work->tolerance, NULL, work));
    return of_comm_gather(task->context, work->H.held, work->H.ld * sizeof(double), side);
}

/* From h on the samples' side to eigenvectors v = Zs'h / sqrt(lambda) on the landmarks' side. */
static onefold_status carry_over(const spectrum_task *task, const of_route_work *work, double *v)
{
    size_t rows = work->H.ld;
    for (size_t j = 0; j < task->graph->rows && !of_counts(task->context); j++)
        for (size_t r = work->rank; r < rows; r++)
            work->H.held[j * rows + r] = 0;
    OF_TRY(of_sparse_apply(task->context, &task->transpose, rows, work->H.held, v));
    OF_COUNTED(task->context);
    for (size_t i = 0; i < task->landmarks; i++)
        for (size_t r = 0; r < work->rank; r++)
            v[i * rows + r] /= sqrt(work->value[r]);
    return ONEFOLD_OK;
}

typedef struct project_task {
    const of_sparse *graph;
    const double *weight;
    size_t rank, ldh;
    double *H;
} project_task;

/* Fills H of a piece of the samples; sum (rank x rank) += H H'. */
static onefold_status project(void *opaque, size_t piece, double *sum)
{
    project_task *task = opaque;
    const of_sparse *z = task->graph;
    size_t first = piece * AT_ONCE, end = first + AT_ONCE < z->rows ? first + AT_ONCE : z->rows,
           rank = task->rank;
    for (size_t j = first; j < end; j++) {
        double *h = task->H + j * task->ldh;
        memset(h, 0, rank * sizeof *h);
        for (size_t e = z->start[j]; e < z->start[j + 1]; e++)
            for (size_t r = 0; r < rank; r++)
                h[r] += z->value[e] * task->weight[z->index[e] * rank + r];
    }
    if (end > first)
        of_gemm('N', 'T', rank, rank, end - first, 1, task->H + first * task->ldh, task->ldh,
                task->H + first * task->ldh, task->ldh, 1, sum, rank);
    return ONEFOLD_OK;
}

static onefold_status finish(spectrum_task *task, of_arena *arena, const double *v, size_t rows,
                             double *H, size_t ldh, of_graph_spectrum *spectrum)
{
    OF_SCRATCH(scratch, task->context);
    size_t l = task->landmarks, rank = spectrum->rank, n = task->graph->rows;
    double *weight, *inner, *sign;
    OF_TRY(OF_NEW(arena, &weight, rank, l));
    OF_TRY(OF_NEW(&scratch, &sign, rank, 1));
    OF_TRY(OF_NEW(&scratch, &inner, rank, rank));
    for (size_t i = 0; i < l && !of_counts(task->context); i++)
        for (size_t r = 0; r < rank; r++)
            weight[i * rank + r] = task->scale[i] * v[i * rows + r] / sqrt(spectrum->value[r]);
    project_task project_all = {task->graph, weight, rank, ldh, H};
    if (rank) {
        OF_TRY(of_team_sum(task->context, (n + AT_ONCE - 1) / AT_ONCE, project, &project_all,
                           rank * rank, inner));
        of_route_work made = {.rank = rank, .H = of_share_whole(H, ldh)};
        OF_TRY(of_orthonormalise(task->context, n, &made, l, inner, weight));
    }
    spectrum->weight = weight;
    spectrum->degree = task->degree;
    OF_TRY(of_sign_rows(task->context, n, rank, of_share_whole(H, ldh), sign));
    OF_TRY(of_comm_gather(task->context, H, ldh * sizeof *H, n));
    OF_COUNTED(task->context);
    for (size_t j = 0; j < n; j++)
        for (size_t r = rank; r < rows; r++)
            H[j * ldh + r] = 0;
    for (size_t i = 0; i < rank * l; i++)
        weight[i] *= sign[i % rank];
    return ONEFOLD_OK;
}

onefold_status of_graph_spectrum_make(of_context *context, of_arena *arena, const of_sparse *graph,
                                      size_t rows, double tolerance, double *H, size_t ldh,
                                      of_graph_spectrum *spectrum)
{
    OF_SCRATCH(scratch, context);
    spectrum_task task = {.context = context, .graph = graph, .landmarks = graph->columns};
    int samples = graph->rows < graph->columns;
    size_t side = samples ? graph->rows : graph->columns, found = rows < side ? rows : side;
    double *v; /* rows x landmarks: eigenvectors */
    memset(spectrum, 0, sizeof *spectrum);
    OF_TRY(OF_NEW_ZERO(arena, &spectrum->value, rows, 1));
    OF_TRY(scale_graph(arena, &scratch, &task));
    OF_TRY(OF_NEW(&scratch, &v, rows, graph->columns));
    of_route_work work = {.rows = found,
                          .tolerance = tolerance,
                          .H = of_share_whole(v, rows),
                          .value = spectrum->value};
    if (found && task.known) {
        OF_TRY(take_side(&scratch, samples, &task));
        if (samples)
            OF_TRY(OF_NEW(&scratch, &work.H.held, rows, side));
        OF_TRY(solve_side(&task, &scratch, &work));
        if (samples) {
            OF_TRY(carry_over(&task, &work, v));
            of_arena_release(&scratch, work.H.held);
        }
        while (!of_counts(context) && work.rank && !(work.value[work.rank - 1] > LEAST))
            work.value[--work.rank] = 0;
    }
    spectrum->rank = work.rank;
    spectrum->residual = work.residual;
    return finish(&task, arena, v, rows, H, ldh, spectrum);
}

onefold_status of_graph_join(of_arena *arena, size_t count, const of_sparse *graphs,
                             const double *weights, of_sparse *joint)
{
    size_t n = graphs[0].rows, columns = 0, entries = 0, at = 0;
    of_entries to;
    for (size_t i = 0; i < count; i++) {
        columns += graphs[i].columns;
        entries += graphs[i].start[n];
    }
    OF_TRY(of_sparse_make(arena, n, columns, entries, joint, &to));
    for (size_t j = 0; j <= n; j++) {
        to.start[j] = 0;
        for (size_t i = 0; i < count; i++)
            to.start[j] += graphs[i].start[j];
    }
    OF_COUNTED(arena->context);
    for (size_t j = 0; j < n; j++) {
        size_t first = 0;
        double all = 0; /* the weights of the graphs in which the sample has ties */
        for (size_t i = 0; i < count; i++)
            all += graphs[i].start[j + 1] > graphs[i].start[j] ? weights[i] : 0;
        for (size_t i = 0; i < count; first += graphs[i++].columns)
            for (size_t e = graphs[i].start[j]; e < graphs[i].start[j + 1]; e++) {
                to.index[at] = (uint32_t)(first + graphs[i].index[e]);
                to.value[at++] = graphs[i].value[e] * weights[i] / all;
            }
    }
    return ONEFOLD_OK;
}

onefold_status of_graph_matrix(of_context *context, const of_sparse *graph, double *matrix)
{
    OF_SCRATCH(scratch, context);
    spectrum_task task = {
        .context = context, .graph = graph, .landmarks = graph->columns, .matrix = matrix};
    OF_TRY(scale_graph(&scratch, &scratch, &task));
    OF_TRY(take_side(&scratch, 1, &task));
    return of_team_run(context, graph->rows, form_row, &task);
}

/* ---- links ---------------------------------------------------------------------------------- */

static onefold_status link_ties(of_arena *arena, const of_sparse *features, of_view_graph *graph)
{
    size_t n = features->rows;
    of_entries to;
    OF_TRY(of_sparse_make(arena, n, n + 1, features->start[n] + n, &graph->ties, &to));
    graph->common = n ? (double)features->start[n] / (double)n : 0;
    to.start[0] = 0;
    for (size_t j = 0; j < n; j++) {
        size_t at = to.start[j], count = features->start[j + 1] - features->start[j];
        double all = (double)count + graph->common;
        to.start[j + 1] = at + count + 1;
        if (of_counts(arena->context))
            continue;
        for (size_t e = 0; e < count; e++) {
            to.index[at + e] = features->index[features->start[j] + e];
            to.value[at + e] = 1 / all;
        }
        to.index[at + count] = (uint32_t)n;
        to.value[at + count] = graph->common / all;
    }
    graph->set = (of_landmark_set){.count = n + 1};
    return ONEFOLD_OK;
}

/* ---- principal components ------------------------------------------------------------------- */

size_t of_view_graph_directions(const of_kernel *kernel, const of_partition_options *options)
{
    size_t wanted = options->directions ? options->directions : options->dims + options->dims / 2,
           n = kernel->view->samples, d = of_kernel_columns(kernel);
    return of_size_least(of_size_least(wanted, n), d);
}

static of_partition_options component_options(const of_kernel *kernel,
                                              const of_partition_options *options)
{
    of_partition_options inner = *options;
    inner.dims = of_view_graph_directions(kernel, options);
    inner.tolerance = 1e-6; /* neighbours do not depend on more digits */
    inner.base = ONEFOLD_BASE_EXACT;
    inner.landmarks = 0;
    inner.precision = ONEFOLD_DOUBLE;
    return inner;
}

onefold_status of_view_graph_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                  const of_partition_options *options, of_view_graph *graph)
{
    OF_SCRATCH(scratch, context);
    of_landmark_points points;
    size_t wide = options->wide_neighbours;
    *graph = (of_view_graph){.kernel = kernel};
    if (of_kernel_is_links(kernel->kind))
        return link_ties(arena, &kernel->features, graph);
    if (kernel->graph == OF_KERNEL_SUBSPACE) {
        of_kernel inner = of_linear_kernel(kernel);
        of_partition_options inner_options = component_options(kernel, options);
        size_t n = kernel->view->samples, q = inner_options.dims;
        of_partition partition;
        of_range own = of_comm_own(context, n);
        of_share x;
        OF_TRY(of_share_make(&scratch, &x, q, n));
        OF_TRY(of_partition_make(context, arena, &inner, of_partition_route(&inner, &inner_options),
                                 &inner_options, x, &partition));
        graph->inner = partition.projection;
        if (!of_counts(context))
            of_view_graph_place(partition.rank, own.end - own.first, x.held, q);
        points = (of_landmark_points){n, partition.rank, NULL, x};
        wide = 0;
    } else {
        points = of_landmark_points_of(kernel);
    }
    OF_TRY(of_landmark_set_make(context, arena, &points, options->landmarks, options->neighbours,
                                options->seed, &graph->set));
    return of_landmark_graph_make(context, arena, &points, &graph->set, wide, &graph->ties,
                                  wide ? &graph->wider : NULL);
}

/* ---- new samples ---------------------------------------------------------------------------- */

onefold_status of_view_graph_projection(of_context *context, of_arena *arena,
                                        const of_view_graph *graph, size_t rank,
                                        const double *weight, const double *value,
                                        const double *degree, of_projection *projection)
{
    const of_landmark_set *set = &graph->set;
    projection->form = OF_PROJECT_TIES;
    projection->graph = graph->kernel->graph;
    projection->rank = rank;
    projection->columns = graph->inner ? set->columns : of_kernel_columns(graph->kernel);
    projection->points = set->count;
    projection->neighbours = set->neighbours;
    projection->common = graph->common;
    projection->inner = graph->inner;
    projection->at = set->at;
    projection->sparse_at = set->lists;
    OF_TRY(OF_COPY(arena, weight, rank * set->count, &projection->weight));
    OF_TRY(OF_COPY(arena, degree, set->count, &projection->degree));
    return of_projection_finish(context, arena, graph->kernel, OF_ROUTE_LANDMARKS, value, NULL,
                                projection);
}

onefold_status of_partition_matrix(of_context *context, const of_kernel *kernel,
                                   const of_partition_options *options, of_finish finish,
                                   double *matrix)
{
    if (!kernel->graph)
        return of_kernel_matrix(context, kernel, finish, matrix);
    OF_SCRATCH(scratch, context);
    of_view_graph graph;
    OF_TRY(of_view_graph_make(context, &scratch, kernel, options, &graph));
    return of_graph_matrix(context, &graph.ties, matrix);
}

/* ---- ties for comparing labels with those of neighbours ------------------------------------- */

onefold_status of_view_graph_spread(of_arena *arena, const of_dataset *dataset, size_t view,
                                    of_sparse *ties)
{
    size_t *start, row = 0;
    if (!of_present_missing(dataset, view))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_THERE(arena, &start, dataset->samples + 1, 1));
    for (size_t j = 0; j < dataset->samples; j++) {
        start[j] = ties->start[row];
        row += of_present_at(dataset, j, view) != 0;
    }
    start[dataset->samples] = ties->start[row];
    ties->rows = dataset->samples;
    ties->start = start;
    return ONEFOLD_OK;
}

onefold_status of_view_graph_links(of_arena *arena, const of_view_graph *graph, of_sparse *ties)
{
    const of_sparse *all = &graph->ties;
    size_t n = all->rows, count = 0;
    of_entries to;
    OF_TRY(of_sparse_make(arena, n, all->columns, all->start[n], ties, &to));
    OF_COUNTED(arena->context);
    for (size_t j = 0; j < n; j++) {
        to.start[j] = count;
        for (size_t e = all->start[j]; e < all->start[j + 1]; e++)
            if (all->index[e] + 1 < graph->set.count) {
                to.index[count] = all->index[e];
                to.value[count++] = all->value[e];
            }
    }
    to.start[n] = count;
    return ONEFOLD_OK;
}

typedef struct nearest_task {
    size_t n;
    const double *kernel; /* n x n */
    size_t neighbours;
    of_entries to;
    double *room; /* per worker: n */
} nearest_task;

static onefold_status tie_nearest(void *opaque, size_t j)
{
    nearest_task *task = opaque;
    size_t n = task->n, r = task->neighbours;
    double *distance = task->room + of_team_worker() * n;
    for (size_t i = 0; i < n; i++)
        distance[i] =
            task->kernel[j * n + j] + task->kernel[i * n + i] - 2 * task->kernel[j * n + i];
    of_landmark_find(n, r, distance, task->to.index + j * r, task->to.value + j * r);
    of_landmark_weigh(1, r, task->to.index + j * r, task->to.value + j * r);
    return ONEFOLD_OK;
}

onefold_status of_view_graph_given(of_context *context, of_arena *arena, const of_kernel *kernel,
                                   size_t neighbours, of_sparse *ties)
{
    OF_SCRATCH(scratch, context);
    size_t n = kernel->view->samples,
           r = of_size_least(neighbours ? neighbours : OF_NEIGHBOURS_STANDARD, n);
    double *matrix;
    nearest_task task = {.n = n, .neighbours = r};
    OF_TRY(OF_NEW_ALL(&scratch, {&matrix, n, n}, {&task.room, of_team_size(context), n}));
    OF_TRY(of_kernel_matrix(context, kernel, OF_CENTRED_NORMALISED, matrix));
    task.kernel = matrix;
    OF_TRY(of_sparse_make(arena, n, n, n * r, ties, &task.to));
    for (size_t j = 0; j <= n; j++)
        task.to.start[j] = j * r;
    return of_team_run(context, n, tie_nearest, &task);
}
