/* SPDX-License-Identifier: Apache-2.0 */
/* What a pool of partitions takes, from shapes alone, for the candidates of each set. */
#include "method/onefold_parts.h"
#include "partition/partition.h"
#include "partition/routes.h"

/* The partitions of a set: those that are made, and those that its candidates fuse. */
static void count_parts(const of_problem *problem, of_candidate_set set, size_t *made,
                        size_t *fused)
{
    size_t p = problem->dataset->view_count;
    int formed = of_pool_is_formed(problem) && of_pool_makes(problem, OF_POOL_KERNEL);
    *made = *fused = 0;
    for (of_pool_kind kind = 0; kind < OF_POOL_KINDS; kind++) {
        size_t own = 0;
        for (size_t i = 0; i < p; i++)
            own += of_pool_has(problem, i, kind) != 0;
        size_t joint = own && of_pool_has_joint(problem);
        *made += of_pool_needs(set, formed, kind, 0) ? own : 0;
        *made += of_pool_needs(set, formed, kind, 1) ? joint : 0;
        *fused += of_candidate_fuses(set, kind, 0) ? own : 0;
        *fused += of_candidate_fuses(set, kind, 1) ? joint : 0;
    }
}

/* H of every partition, and the stack of the candidate that fuses most of them. */
static onefold_status partition_bytes(const of_problem *problem, of_candidate_set set,
                                      size_t *bytes)
{
    size_t made, fused;
    count_parts(problem, set, &made, &fused);
    return of_size_multiply(bytes, problem->dataset->samples,
                            sizeof(double) * (made * of_pool_rows(problem) +
                                              fused * of_candidate_most_rows(problem, fused)));
}

onefold_status of_pool_partition_bytes(const of_problem *problem, size_t *bytes)
{
    return partition_bytes(problem, OF_SET_ALL, bytes);
}

/* Landmarks, entries and bytes of a view's graph of a kind. */
static void graph_size(const of_problem *problem, size_t view, of_pool_kind kind,
                       const of_partition_options *options, of_kernel *graph, size_t *landmarks,
                       size_t *entries, size_t *ties)
{
    *graph = problem->kernels[view];
    graph->graph = kind == OF_POOL_KNN ? OF_KERNEL_KNN : OF_KERNEL_SUBSPACE;
    of_view_graph_size(graph, options, landmarks, entries);
    size_t at = graph->kind == OF_KERNEL_GRAPH ? 0 : of_kernel_columns(graph);
    *ties = *entries * (sizeof(uint32_t) + sizeof(double)) +
            sizeof(double) * (*landmarks * (options->dims + at + 4) + graph->view->samples * 2);
}

/* Scratch of the graphs of one kind, the largest; and the ties that are kept. */
static void graph_cost(of_context *context, const of_problem *problem, of_candidate_set set,
                       of_pool_kind kind, const of_partition_options *options, size_t *scratch,
                       size_t *ties)
{
    size_t p = problem->dataset->view_count, n = problem->dataset->samples, all = 0, at = 0;
    *scratch = *ties = 0;
    for (size_t i = 0; i < p; i++) {
        of_kernel graph;
        size_t landmarks, entries, own, bytes;
        if (!of_pool_has(problem, i, kind))
            continue;
        graph_size(problem, i, kind, options, &graph, &landmarks, &entries, &own);
        bytes = of_partition_bytes(context, &graph, OF_ROUTE_LANDMARKS, options);
        *scratch = bytes > *scratch ? bytes : *scratch;
        *ties += own;
        all += entries;
        at += landmarks;
    }
    if (!all || !of_pool_has_joint(problem) || !of_candidate_fuses(set, kind, 1))
        return;
    /* of the joint graph a copy of the ties, as graphs lie beside each other there, and a spectrum
     */
    size_t joint = *ties + of_graph_spectrum_bytes(context, n, at, all, options->dims);
    *scratch = joint > *scratch ? joint : *scratch;
}

/* Scratch of the views' kernels, and of the joint one. */
static size_t kernel_cost(of_context *context, const of_problem *problem, of_candidate_set set,
                          const of_partition_options *options)
{
    size_t most = 0, n = problem->dataset->samples, dims = options->dims;
    for (size_t i = 0; i < problem->dataset->view_count; i++) {
        size_t bytes =
            of_partition_bytes(context, &problem->kernels[i], problem->routes[i], options);
        most = bytes > most ? bytes : most;
    }
    if (of_pool_is_formed(problem))
        return most + 2 * sizeof(double) * n * n + of_eigen_matrix_bytes(context, n, dims);
    size_t joint = of_candidate_fuses(set, OF_POOL_KERNEL, 1)
                       ? of_joint_kernel_bytes(context, problem, dims)
                       : 0;
    return joint > most ? joint : most;
}

onefold_status of_pool_cost(of_context *context, const of_problem *problem, of_candidate_set set,
                            size_t *bytes)
{
    of_partition_options options = problem->partition;
    size_t most = 0, ties = 0;
    int formed = of_pool_is_formed(problem) && of_pool_makes(problem, OF_POOL_KERNEL);
    options.dims = of_pool_rows(problem);
    if (of_pool_makes(problem, OF_POOL_KERNEL) &&
        (formed || of_pool_needs(set, formed, OF_POOL_KERNEL, 0) ||
         of_pool_needs(set, formed, OF_POOL_KERNEL, 1)))
        most = kernel_cost(context, problem, set, &options);
    for (of_pool_kind kind = OF_POOL_KNN; kind < OF_POOL_KINDS; kind++) {
        size_t scratch, own;
        if (!of_pool_needs(set, formed, kind, 0))
            continue;
        graph_cost(context, problem, set, kind, &options, &scratch, &own);
        if (formed) /* the joint kernel's matrix is held until all are made */
            scratch += sizeof(double) * problem->dataset->samples * problem->dataset->samples;
        most = scratch > most ? scratch : most;
        ties += own;
    }
    OF_TRY(of_size_add(bytes, most, ties));
    if (problem->spill)
        return ONEFOLD_OK;
    size_t partitions;
    OF_TRY(partition_bytes(problem, set, &partitions));
    return of_size_add(bytes, *bytes, partitions);
}
