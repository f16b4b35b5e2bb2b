/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of base partitions that all candidates share: of each view its kernel, its landmark
 * graph and that of its subspace, and the same three of all views together. Where kernel matrices
 * are small, each is formed once, for the view's own partition and for the sum. Where the joint
 * kernel shows the clusters clearly, there are kernels alone.
 */
#include "base/team.h"
#include "data/present.h"
#include "linalg/blas.h"
#include "method/base_stage.h"
#include "method/onefold_parts.h"
#include "method/os_lfmvc_cs_parts.h"
#include "partition/orthonormal.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

typedef struct making {
    of_context *context;
    of_arena *arena;
    of_pool *pool;
    const of_problem *problem;
    of_candidate_set set;
    of_partition_options options;
    size_t n, p;
    double *sum; /* n x n: the joint kernel, where it is formed */
} making;

/* ---- where samples lack views ---------------------------------------------------------------- */

/* How many views a sample has. */
static size_t views_of(const of_dataset *dataset, size_t j)
{
    size_t count = 0;
    for (size_t i = 0; i < dataset->view_count; i++)
        count += of_present_at(dataset, j, i) != 0;
    return count;
}

/* H over the samples present (packed) becomes H over all, in place, zero where there are none. */
static void scatter(const of_dataset *dataset, size_t view, size_t rows, double *H)
{
    size_t from = of_present_count(dataset, view);
    for (size_t j = dataset->samples; j-- > 0;) {
        if (of_present_at(dataset, j, view))
            memmove(H + j * rows, H + --from * rows, rows * sizeof *H);
        else
            memset(H + j * rows, 0, rows * sizeof *H);
    }
}

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

/* ---- kernels ----------------------------------------------------------------------------------
 */

/* The joint kernel gains the finished kernel of a view: each entry over the root of the numbers of
 * views that its two samples have. */
typedef struct add_task {
    making *m;
    size_t view, n; /* n: samples that have it */
    const double *kernel;
    const size_t *sample; /* which they are; NULL: all */
    const double *scale;  /* 1 / sqrt(views of a sample) */
} add_task;

static onefold_status add_row(void *opaque, size_t i, int worker)
{
    (void)worker;
    const add_task *task = opaque;
    size_t a = task->sample ? task->sample[i] : i;
    double *row = task->m->sum + a * task->m->n;
    for (size_t j = 0; j < task->n; j++) {
        size_t b = task->sample ? task->sample[j] : j;
        row[b] += task->kernel[i * task->n + j] * task->scale[a] * task->scale[b];
    }
    return ONEFOLD_OK;
}

static onefold_status add_kernel(making *m, size_t view, const double *kernel)
{
    OF_SCRATCH(scratch, m->context);
    const of_dataset *dataset = m->problem->dataset;
    add_task task = {m, view, of_present_count(dataset, view), kernel, NULL, NULL};
    size_t *sample, count = 0;
    double *scale;
    OF_TRY(OF_NEW(&scratch, &scale, m->n, 1));
    OF_TRY(OF_NEW(&scratch, &sample, m->n, 1));
    for (size_t j = 0; j < m->n; j++) {
        scale[j] = 1 / sqrt((double)views_of(dataset, j));
        if (of_present_at(dataset, j, view))
            sample[count++] = j;
    }
    task.sample = count == m->n ? NULL : sample;
    task.scale = scale;
    return of_team_run(m->context, count, add_row, &task);
}

/* Rows of H by LAPACK or the block eigensolver, from a matrix that is held. */
static onefold_status rows_of_matrix(making *m, size_t n, const double *matrix, size_t rows,
                                     of_pool_part *part)
{
    OF_SCRATCH(scratch, m->context);
    double *sign;
    OF_TRY(OF_NEW(&scratch, &sign, rows, 1));
    of_route_work work = {.rows = rows < n ? rows : n,
                          .tolerance = m->options.tolerance,
                          .H = of_share_whole(part->H, rows),
                          .value = part->value};
    OF_TRY(of_eigen_matrix(m->context, n, matrix, &work));
    for (size_t j = 0; j < n; j++)
        for (size_t r = work.rank; r < rows; r++)
            part->H[j * rows + r] = 0;
    of_sign_rows(n, work.rank, part->H, rows, sign);
    part->rank = work.rank;
    part->residual = work.residual;
    part->route = OF_ROUTE_DENSE;
    return ONEFOLD_OK;
}

static onefold_status kernel_part(making *m, size_t view, of_pool_part *part)
{
    OF_SCRATCH(scratch, m->context);
    const of_kernel *kernel = &m->problem->kernels[view];
    size_t n = kernel->view->samples;
    of_route route = m->problem->routes[view];
    of_partition made;
    double *matrix = NULL;
    if (m->sum) {
        OF_TRY(OF_NEW(&scratch, &matrix, n, n));
        OF_TRY(of_kernel_matrix(m->context, kernel, OF_CENTRED_NORMALISED, matrix, n));
        OF_TRY(add_kernel(m, view, matrix));
    }
    if (matrix && route == OF_ROUTE_DENSE) {
        OF_TRY(rows_of_matrix(m, n, matrix, m->pool->rows, part));
    } else {
        of_partition_options options = m->options; /* of exact routes the eigenvectors are enough */
        options.project &= route == OF_ROUTE_NYSTROM || route == OF_ROUTE_LANDMARKS;
        OF_TRY(of_partition_make(m->context, m->arena, kernel, route, &options,
                                 of_share_whole(part->H, m->pool->rows), &made));
        OF_TRY(of_comm_gather(m->context, part->H, m->pool->rows * sizeof *part->H, n));
        part->projection = made.projection;
        part->rank = made.rank;
        part->residual = made.residual;
        part->route = made.route;
        memcpy(part->value, made.values, m->pool->rows * sizeof *part->value);
    }
    if (n < m->n)
        scatter(m->problem->dataset, view, m->pool->rows, part->H);
    return ONEFOLD_OK;
}

/* More of the spectrum than the pool keeps where clusters are few, as the gap behind the clusters
 * is measured by the spacing that follows it. */
static onefold_status joint_kernel(making *m, of_pool_part *part)
{
    OF_SCRATCH(scratch, m->context);
    size_t rows = m->pool->rows, mu = m->problem->options->clusters,
           wide = rows > mu + OF_GAP_SPACINGS ? rows : mu + OF_GAP_SPACINGS;
    of_pool_part whole = {.route = OF_ROUTE_KRYLOV};
    OF_TRY(OF_NEW(&scratch, &whole.H, wide, m->n));
    OF_TRY(OF_NEW_ZERO(&scratch, &whole.value, wide, 1));
    if (m->sum)
        OF_TRY(rows_of_matrix(m, m->n, m->sum, wide, &whole));
    else
        OF_TRY(of_joint_kernel_applied(m->context, m->problem, wide, whole.H, whole.value,
                                       &whole.rank, &whole.residual));
    m->pool->gap = of_joint_kernel_gap(whole.rank, whole.value, mu);
    part->known = m->n;
    part->rank = whole.rank < rows ? whole.rank : rows;
    part->residual = whole.residual;
    part->route = whole.route;
    memcpy(part->value, whole.value, rows * sizeof *part->value);
    for (size_t j = 0; j < m->n; j++)
        memcpy(part->H + j * rows, whole.H + j * wide, rows * sizeof *part->H);
    return ONEFOLD_OK;
}

/* ---- graphs -----------------------------------------------------------------------------------
 */

static onefold_status spectrum_part(making *m, const of_sparse *ties, of_pool_part *part)
{
    OF_TRY(of_graph_spectrum_make(m->context, m->arena, ties, m->pool->rows, m->options.tolerance,
                                  part->H, m->pool->rows, &part->spectrum));
    memcpy(part->value, part->spectrum.value, m->pool->rows * sizeof *part->value);
    part->rank = part->spectrum.rank;
    part->residual = part->spectrum.residual;
    part->route = OF_ROUTE_LANDMARKS;
    return ONEFOLD_OK;
}

static onefold_status graph_part(making *m, size_t view, of_pool_part *part)
{
    of_kernel *kernel;
    OF_TRY(OF_NEW(m->arena, &kernel, 1, 1));
    OF_TRY(OF_NEW_ZERO(m->arena, &part->graph, 1, 1));
    *kernel = m->problem->kernels[view];
    kernel->graph = part->kind == OF_POOL_KNN ? OF_KERNEL_KNN : OF_KERNEL_SUBSPACE;
    OF_TRY(of_view_graph_make(m->context, m->arena, kernel, &m->options, part->graph));
    OF_TRY(spread_ties(m->arena, m->problem->dataset, view, &part->graph->ties));
    part->known = 0;
    for (size_t j = 0; j < m->n; j++)
        part->known += part->graph->ties.start[j + 1] > part->graph->ties.start[j];
    return spectrum_part(m, &part->graph->ties, part);
}

/* The graphs of a kind side by side; of a graph view there is one, for both kinds. */
static onefold_status joint_graph(making *m, of_pool_kind kind, of_pool_part *part)
{
    OF_SCRATCH(scratch, m->context);
    of_sparse *ties, joint;
    size_t count = 0;
    OF_TRY(OF_NEW(&scratch, &ties, m->p, 1));
    for (size_t b = 0; b < m->pool->count; b++) {
        const of_pool_part *one = &m->pool->part[b];
        if (of_pool_joins(m->pool, one, kind))
            ties[count++] = one->graph->ties;
    }
    part->known = m->n;
    if (!count)
        return ONEFOLD_OK;
    OF_TRY(of_graph_join(&scratch, count, ties, &joint));
    return spectrum_part(m, &joint, part);
}

/* ---- all of them ------------------------------------------------------------------------------
 */

onefold_status of_pool_allocate(of_arena *arena, const of_problem *problem, size_t rows,
                                size_t samples, double **numbers)
{
    if (!problem->spill)
        return OF_NEW(arena, numbers, rows, samples);
    return of_arena_allocate_spilled(arena, (void **)numbers, problem->spill, sizeof **numbers,
                                     rows, samples);
}

static onefold_status add_part(making *m, of_pool_kind kind, size_t view)
{
    of_pool_part *part = &m->pool->part[m->pool->count];
    *part = (of_pool_part){.kind = kind, .view = view};
    OF_TRY(of_pool_allocate(m->arena, m->problem, m->pool->rows, m->n, &part->H));
    OF_TRY(OF_NEW_ZERO(m->arena, &part->value, m->pool->rows, 1));
    if (view == OF_POOL_JOINT) {
        OF_TRY(kind == OF_POOL_KERNEL ? joint_kernel(m, part) : joint_graph(m, kind, part));
    } else {
        part->known = of_present_count(m->problem->dataset, view);
        onefold_status status =
            kind == OF_POOL_KERNEL ? kernel_part(m, view, part) : graph_part(m, view, part);
        if (status != ONEFOLD_OK)
            return of_blame(status, "view '%s'", m->problem->dataset->views[view].name);
        if (kind == OF_POOL_KERNEL && !part->rank)
            return of_kernel_zero(m->context, &m->problem->dataset->views[view]);
    }
    m->pool->count += part->rank > 0;
    return ONEFOLD_OK;
}

/* Kernels that are given have no graphs, and their one candidate has no joint partition. */
static size_t count_given(const of_problem *problem)
{
    size_t given = 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        given += problem->kernels[i].kind == OF_KERNEL_PRECOMPUTED;
    return given;
}

/* A joint kernel is formed where it and one view's fit into what a formed kernel may take; not
 * where landmarks are asked for, whose models are to hold no samples. */
int of_pool_is_formed(const of_problem *problem)
{
    size_t n = problem->dataset->samples;
    return of_pool_has_joint(problem) && problem->options->base != ONEFOLD_BASE_NYSTROM &&
           n <= OF_FORMED_BYTES / sizeof(double) / n;
}

int of_pool_has_joint(const of_problem *problem)
{
    return !problem->bounds && count_given(problem) < problem->dataset->view_count;
}

int of_pool_is_bare(const of_problem *problem)
{
    enum { MANY = 100 };
    return problem->options->clusters > MANY && count_given(problem) == 0;
}

int of_pool_is_quick(const of_problem *problem)
{
    return problem->options->effort == ONEFOLD_EFFORT_QUICK;
}

size_t of_pool_rows(const of_problem *problem)
{
    size_t k = of_pool_is_bare(problem) ? problem->options->clusters : problem->options->dims;
    return k > 1 ? k - 1 : 1;
}

int of_pool_makes(const of_problem *problem, of_pool_kind kind)
{
    if (of_pool_is_bare(problem))
        return kind == OF_POOL_KNN;
    return kind != OF_POOL_SUBSPACE || !of_pool_is_quick(problem);
}

/* A graph view's links serve for both kinds of graph; a kernel that is given has neither: on real
 * sets of such its graphs lost half of what the kernels tell. */
int of_pool_has(const of_problem *problem, size_t view, of_pool_kind kind)
{
    const of_kernel *kernel = &problem->kernels[view];
    return of_pool_makes(problem, kind) &&
           (kind == OF_POOL_KERNEL ||
            (kernel->kind != OF_KERNEL_PRECOMPUTED &&
             !(kind == OF_POOL_SUBSPACE && kernel->kind == OF_KERNEL_GRAPH)));
}

int of_pool_needs(of_candidate_set set, int formed, of_pool_kind kind, int joint)
{
    int serves = kind != OF_POOL_KERNEL || formed || set == OF_SET_CLEAR || set == OF_SET_FEW;
    return of_candidate_fuses(set, kind, joint) ||
           (serves && !joint && of_candidate_fuses(set, kind, 1));
}

/* The partitions of one kind: of every view, and of all together. */
static onefold_status add_kind(making *m, of_pool_kind kind)
{
    size_t done = kind * (m->p + 1), all = OF_POOL_KINDS * (m->p + 1);
    for (size_t i = 0; i < m->p; i++) {
        of_context_progress(m->context, "base", (double)(done + i), (double)all,
                            m->problem->dataset->views[i].name);
        if (of_pool_has(m->problem, i, kind) && of_pool_needs(m->set, m->sum != NULL, kind, 0))
            OF_TRY(add_part(m, kind, i));
    }
    of_context_progress(m->context, "base", (double)(done + m->p), (double)all, "all views");
    if (!of_pool_has_joint(m->problem) || !of_pool_needs(m->set, m->sum != NULL, kind, 1))
        return ONEFOLD_OK;
    return add_part(m, kind, OF_POOL_JOINT);
}

onefold_status of_pool_make(of_context *context, of_arena *arena, const of_problem *problem,
                            of_candidate_set set, of_pool *pool)
{
    OF_SCRATCH(scratch, context);
    size_t p = problem->dataset->view_count, n = problem->dataset->samples;
    making m = {.context = context,
                .arena = arena,
                .pool = pool,
                .problem = problem,
                .set = set,
                .options = problem->partition,
                .n = n,
                .p = p};
    *pool = (of_pool){.problem = problem, .rows = of_pool_rows(problem), .asked = set};
    m.options.dims = pool->rows;
    OF_TRY(OF_NEW_ZERO(arena, &pool->part, OF_POOL_KINDS * (p + 1), 1));
    pool->formed = of_pool_is_formed(problem) && of_pool_makes(problem, OF_POOL_KERNEL);
    if (pool->formed)
        OF_TRY(OF_NEW_ZERO(&scratch, &m.sum, n, n));
    for (of_pool_kind kind = 0; kind < OF_POOL_KINDS && !of_pool_is_clear(pool); kind++)
        if (of_pool_makes(problem, kind)) {
            OF_TRY(add_kind(&m, kind));
            of_pool_look(pool, kind);
        }
    size_t all = OF_POOL_KINDS * (p + 1);
    of_context_progress(context, "base", (double)all, (double)all, NULL);
    return ONEFOLD_OK;
}
