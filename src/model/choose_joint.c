/* SPDX-License-Identifier: Apache-2.0 */
/* The joint partitions of all views as one stack, for the curve of `choose`, and what the spectrum
 * of their graph says of the number of clusters (docs/choose.md). */
#include "model/choose_joint.h"

#include "method/onefold_pool.h"
#include "method/peers.h"

#include <math.h>

/* Spacings of a spectrum that must be known behind a gap. */
enum { GAP_SPACINGS = 6 };

int of_joint_stack_suits(const of_problem *problem)
{
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        if (problem->kernels[i].kind != OF_KERNEL_PRECOMPUTED)
            return !problem->bounds;
    return 0;
}

/* Few columns hide nothing: rows of a view's kernel beyond its columns are bends of the first ones,
 * and directions among its components tell no more than its columns do. */
int of_pool_has_few_columns(const of_problem *problem)
{
    size_t columns = 0;
    if (problem->dataset->present)
        return 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        if (kernel->features.start || kernel->kind == OF_KERNEL_PRECOMPUTED ||
            kernel->kind == OF_KERNEL_GRAPH)
            return 0;
        columns += of_kernel_columns(kernel);
    }
    return columns <= OF_FEW_COLUMNS;
}

/* The gap of a spectrum behind its q leading values, in mean spacings of those that follow. */
static double spectrum_gap(size_t rank, const double *value, size_t q)
{
    const double least = 0.25; /* of the first value, that the last of the q must have */
    if (rank < q + 1 + GAP_SPACINGS || value[q - 1] < least * value[0])
        return 0;
    double spacing = (value[q] - value[rank - 1]) / (double)(rank - q - 1);
    return spacing > 0 ? (value[q - 1] - value[q]) / spacing : 0;
}

/* What cutting the graph once more would cost, over the last of the cuts into so many pieces. What
 * a walk leaves a piece by, 1 - value, is never quite 0 in sums of roots. */
static double graph_cut(size_t rank, const double *value, size_t pieces)
{
    const double none = 1e-5;
    if (pieces < 2 || rank < pieces)
        return 0;
    return (1 - value[pieces - 1] + none) / (1 - value[pieces - 2] + none);
}

/* Samples of the smallest of the pieces that the leading rows of a graph's partition tell: with the
 * constant they span the pieces' indicators, so that the squares of a sample's column add up to 1
 * over the size of its piece. */
static double smallest_piece(size_t rows, size_t n, const double *H, size_t ldh)
{
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        double square = 1 / (double)n;
        for (size_t r = 0; r < rows; r++)
            square += H[j * ldh + r] * H[j * ldh + r];
        most = square > most ? square : most;
    }
    return 1 / most;
}

/* Sets of clear clusters have gaps of 39 spacings and more at their number, real sets up to 3.4 at
 * any; cuts of 18 and more, real sets up to 5.4, a long thin cluster up to 4 (docs/choose.md). */
static of_joint_pieces count_pieces(const of_pool *pool, const of_joint *graph)
{
    enum { CLEAR_GAP = 20, CLEAR_CUT = 10, LEAST = 10, SHARE = 50 };
    of_joint_pieces pieces = {0, 0};
    for (size_t c = 2; c <= graph->rank; c++) {
        double least = fmax(LEAST, (double)pool->n / (double)(SHARE * c));
        if (spectrum_gap(graph->rank, graph->value, c - 1) > CLEAR_GAP)
            pieces.most = c;
        if (graph_cut(graph->rank, graph->value, c) > CLEAR_CUT &&
            smallest_piece(c - 1, pool->n, graph->H, pool->rows) >= least)
            pieces.clear = c;
    }
    return pieces;
}

static onefold_status weigh_alike(of_arena *arena, size_t views, double **weights)
{
    OF_TRY(OF_NEW(arena, weights, views, 1));
    for (size_t i = 0; i < views; i++)
        (*weights)[i] = 1 / (double)views;
    return ONEFOLD_OK;
}

static onefold_status stack_pool(of_context *context, of_arena *arena, const of_problem *problem,
                                 of_stack *X, size_t *count, size_t *rank, of_joint_pieces *pieces)
{
    of_pool pool;
    of_joint *joint;
    double *weights;
    of_labelling all = {.rows = problem->options->dims};
    OF_TRY(OF_NEW_ZERO(arena, &joint, OF_JOINT_KINDS, 1));
    OF_TRY(weigh_alike(arena, problem->dataset->view_count, &weights));
    OF_TRY(of_pool_make(context, arena, problem, OF_JOINT_ALL, 0, &pool));
    *rank = 0;
    for (unsigned kind = OF_JOINT_KERNEL; kind < OF_JOINT_KINDS; kind++) {
        OF_TRY(of_joint_make(context, arena, &pool, kind, weights, &joint[kind]));
        if (joint[kind].rank)
            all.part[all.parts++] = &joint[kind];
        *rank += joint[kind].rank;
    }
    *count = all.parts;
    *pieces = count_pieces(&pool, &joint[OF_JOINT_GRAPH]);
    return of_labelling_stack(arena, &pool, &all, X);
}

onefold_status of_joint_stack(of_context *context, of_arena *arena, const of_problem *problem,
                              of_stack *X, size_t *count, size_t *rank, of_joint_pieces *pieces)
{
    of_sample *sample;
    if (!of_sample_suits(problem))
        return stack_pool(context, arena, problem, X, count, rank, pieces);
    OF_TRY(OF_NEW(arena, &sample, 1, 1));
    OF_TRY(of_sample_make(context, arena, problem, sample));
    return stack_pool(context, arena, &sample->problem, X, count, rank, pieces);
}

onefold_status of_joint_pieces_find(of_context *context, const of_problem *problem,
                                    of_joint_pieces *pieces)
{
    OF_SCRATCH(scratch, context);
    of_sample sample;
    of_pool pool;
    of_joint graph;
    double *weights;
    *pieces = (of_joint_pieces){0, 0};
    if (!of_pool_has_few_columns(problem) || !of_joint_stack_suits(problem))
        return ONEFOLD_OK;
    if (of_sample_suits(problem)) {
        OF_TRY(of_sample_make(context, &scratch, problem, &sample));
        problem = &sample.problem;
    }
    OF_TRY(weigh_alike(&scratch, problem->dataset->view_count, &weights));
    OF_TRY(of_pool_make(context, &scratch, problem, 1u << OF_JOINT_GRAPH, 0, &pool));
    OF_TRY(of_joint_make(context, &scratch, &pool, OF_JOINT_GRAPH, weights, &graph));
    *pieces = count_pieces(&pool, &graph);
    pieces->most = 0; /* it goes with runs on the joint partitions */
    return ONEFOLD_OK;
}

onefold_status of_joint_stack_bytes(of_context *context, const of_problem *problem, size_t *bytes)
{
    return of_method_bytes(context, &of_method_onefold, problem, bytes);
}

onefold_status of_joint_pieces_bytes(of_context *context, const of_problem *problem, size_t *bytes)
{
    *bytes = 0;
    if (!of_pool_has_few_columns(problem) || !of_joint_stack_suits(problem))
        return ONEFOLD_OK;
    return of_joint_stack_bytes(context, problem, bytes);
}

size_t of_joint_stack_rows(size_t clusters, size_t most)
{
    size_t rows = clusters > 1 ? clusters : 2;
    return rows < most ? rows : most;
}

onefold_status of_joint_stack_label(of_context *context, size_t samples, size_t rows,
                                    size_t clusters, of_cs_result *result)
{
    return of_labelling_by_size(context, samples, rows, clusters, result);
}
