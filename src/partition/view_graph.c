/* SPDX-License-Identifier: Apache-2.0 */
/* Where a view's samples lie when their nearest landmarks are looked for, and the graph of it. */
#include "partition/view_graph.h"

#include "linalg/blas.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/* ---- links ---------------------------------------------------------------------------------- */

static onefold_status link_ties(of_arena *arena, const of_sparse *features, of_view_graph *graph)
{
    size_t n = features->rows, entries = features->start[n] + n, *start;
    uint32_t *index;
    double *weight;
    OF_TRY(OF_NEW(arena, &start, n + 1, 1));
    OF_TRY(OF_NEW(arena, &index, entries, 1));
    OF_TRY(OF_NEW(arena, &weight, entries, 1));
    graph->common = n ? (double)features->start[n] / (double)n : 0;
    start[0] = 0;
    for (size_t j = 0; j < n; j++) {
        size_t at = start[j], count = features->start[j + 1] - features->start[j];
        double all = (double)count + graph->common;
        for (size_t e = 0; e < count; e++) {
            index[at + e] = features->index[features->start[j] + e];
            weight[at + e] = 1 / all;
        }
        index[at + count] = (uint32_t)n;
        weight[at + count] = graph->common / all;
        start[j + 1] = at + count + 1;
    }
    graph->set = (of_landmark_set){.count = n + 1};
    graph->ties = (of_sparse){n, n + 1, start, index, weight};
    return ONEFOLD_OK;
}

/* ---- principal components ------------------------------------------------------------------- */

static int has_components(const of_kernel *kernel)
{
    return kernel->graph == OF_KERNEL_SUBSPACE && kernel->kind != OF_KERNEL_GRAPH;
}

/* The kernel whose partition they are: of the standardised columns themselves, not their rbf. */
static of_kernel component_kernel(const of_kernel *kernel)
{
    of_kernel inner = *kernel;
    inner.graph = 0;
    if (inner.kind == OF_KERNEL_RBF)
        inner.kind = OF_KERNEL_LINEAR;
    return inner;
}

size_t of_view_graph_directions(const of_kernel *kernel, const of_partition_options *options)
{
    size_t wanted = options->directions ? options->directions : options->dims + options->dims / 2,
           n = kernel->view->samples, d = of_kernel_columns(kernel);
    wanted = wanted < n ? wanted : n;
    return d < wanted ? d : wanted;
}

static of_partition_options component_options(const of_kernel *kernel,
                                              const of_partition_options *options)
{
    of_partition_options inner = *options;
    inner.dims = of_view_graph_directions(kernel, options);
    inner.tolerance = 1e-6; /* directions, and not their last digits, are compared */
    inner.base = ONEFOLD_BASE_EXACT;
    inner.landmarks = 0;
    inner.precision = ONEFOLD_DOUBLE;
    return inner;
}

void of_view_graph_place(size_t rank, size_t count, double *x, size_t ld)
{
    for (size_t j = 0; j < count; j++) {
        double length = cblas_dnrm2((int)rank, x + j * ld, 1);
        for (size_t r = 0; length > 0 && r < rank; r++)
            x[j * ld + r] /= length;
    }
}

static onefold_status component_ties(of_context *context, of_arena *arena, const of_kernel *kernel,
                                     const of_partition_options *options, of_view_graph *graph)
{
    OF_SCRATCH(scratch, context);
    of_kernel inner = component_kernel(kernel);
    of_partition_options inner_options = component_options(kernel, options);
    size_t n = kernel->view->samples, q = inner_options.dims;
    of_partition partition;
    of_range own = of_comm_own(context, n);
    of_share x;
    OF_TRY(of_share_make(&scratch, &x, q, n));
    OF_TRY(of_partition_make(context, arena, &inner, of_partition_route(&inner, &inner_options),
                             &inner_options, x, &partition));
    graph->inner = partition.projection;
    of_view_graph_place(partition.rank, own.end - own.first, x.held, q);
    of_landmark_points points = {n, partition.rank, NULL, x};
    OF_TRY(of_landmark_set_make(context, arena, &points, options->landmarks, options->neighbours,
                                options->seed, &graph->set));
    return of_landmark_graph_make(context, arena, &points, &graph->set, &graph->ties);
}

onefold_status of_view_graph_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                  const of_partition_options *options, of_view_graph *graph)
{
    *graph = (of_view_graph){.kernel = kernel};
    if (kernel->kind == OF_KERNEL_GRAPH)
        return link_ties(arena, &kernel->features, graph);
    if (has_components(kernel))
        return component_ties(context, arena, kernel, options, graph);
    of_landmark_points points = of_landmark_points_of(kernel);
    OF_TRY(of_landmark_set_make(context, arena, &points, options->landmarks, options->neighbours,
                                options->seed, &graph->set));
    return of_landmark_graph_make(context, arena, &points, &graph->set, &graph->ties);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

void of_view_graph_size(const of_kernel *kernel, const of_partition_options *options,
                        size_t *landmarks, size_t *entries)
{
    size_t n = kernel->view->samples,
           r = options->neighbours ? options->neighbours : OF_NEIGHBOURS_STANDARD;
    if (kernel->kind == OF_KERNEL_GRAPH) {
        *landmarks = n + 1;
        *entries = kernel->features.start[n] + n;
        return;
    }
    *landmarks = of_landmark_count(n, options->landmarks);
    *entries = n * (r < *landmarks ? r : *landmarks);
}

size_t of_view_graph_bytes(of_context *context, const of_kernel *kernel,
                           const of_partition_options *options)
{
    size_t landmarks, entries, n = kernel->view->samples, workers = (size_t)of_team_size(context);
    of_landmark_points points = of_landmark_points_of(kernel);
    of_view_graph_size(kernel, options, &landmarks, &entries);
    size_t bytes = entries * (sizeof(uint32_t) + sizeof(double)) + (n + 1) * sizeof(size_t);
    if (kernel->kind == OF_KERNEL_GRAPH)
        return bytes;
    if (has_components(kernel)) {
        of_kernel inner = component_kernel(kernel);
        of_partition_options inner_options = component_options(kernel, options);
        of_route route = of_partition_route(&inner, &inner_options);
        size_t q = inner_options.dims;
        points = (of_landmark_points){n, q, NULL, of_share_whole(NULL, q)};
        bytes += of_partition_bytes(context, &inner, route, &inner_options);
        bytes += sizeof(double) * q * n;
    }
    return bytes + of_landmark_set_bytes(&points, options->landmarks) +
           workers * ((size_t)1 << 20) + workers * landmarks * sizeof(double);
}

/* ---- new samples ---------------------------------------------------------------------------- */

static onefold_status copy(of_arena *arena, const double **to, const double *from, size_t count)
{
    double *made;
    OF_TRY(OF_NEW(arena, &made, count, 1));
    if (count)
        memcpy(made, from, count * sizeof *made);
    *to = made;
    return ONEFOLD_OK;
}

onefold_status of_view_graph_projection(of_context *context, of_arena *arena,
                                        const of_view_graph *graph, size_t rank,
                                        const double *weight, const double *value,
                                        const double *degree, of_projection *projection)
{
    const of_landmark_set *set = &graph->set;
    double *sign;
    OF_SCRATCH(scratch, context);
    OF_TRY(OF_NEW(&scratch, &sign, rank, 1));
    for (size_t r = 0; r < rank; r++)
        sign[r] = 1;
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
    OF_TRY(copy(arena, &projection->weight, weight, rank * set->count));
    OF_TRY(copy(arena, &projection->degree, degree, set->count));
    return of_projection_finish(context, arena, graph->kernel, OF_ROUTE_LANDMARKS, value, sign,
                                projection);
}

onefold_status of_partition_matrix(of_context *context, const of_kernel *kernel,
                                   const of_partition_options *options, of_finish finish,
                                   double *matrix, size_t ldm)
{
    if (!kernel->graph)
        return of_kernel_matrix(context, kernel, finish, matrix, ldm);
    OF_SCRATCH(scratch, context);
    of_view_graph graph;
    OF_TRY(of_view_graph_make(context, &scratch, kernel, options, &graph));
    return of_graph_matrix(context, &graph.ties, matrix, ldm);
}
