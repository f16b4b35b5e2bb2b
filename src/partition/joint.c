/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joint partitions: the leading eigenvectors of weighted sums of the views' kernels or graphs. What
 * no view shows alone is seen in the sums. A sample that lacks views takes part by those that it
 * has.
 */
#include "partition/joint.h"

#include "base/comm.h"
#include "partition/orthonormal.h"
#include "partition/route_krylov.h"
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

static onefold_status solve_kernel(of_context *context, const of_joint_views *views,
                                   of_joint_kind kind, const double *weights, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_kernel *kernels;
    double *used, *scale;
    OF_TRY(OF_NEW(&scratch, &kernels, views->dataset->view_count, 1));
    OF_TRY(OF_NEW_THERE(&scratch, &used, views->dataset->view_count, 1));
    OF_TRY(OF_NEW(&scratch, &scale, views->dataset->samples, 1));
    for (size_t i = 0; i < views->dataset->view_count; i++) {
        kernels[i] = kernel_of(views, i, kind);
        used[i] = of_joint_has(views, i, kind) ? weights[i] : 0;
    }
    for (size_t j = 0; j < views->dataset->samples && !of_counts(context); j++)
        scale[j] = scale_of(views, weights, kind, j);
    of_joint_kernel joint = {views->dataset, kernels, used, scale};
    return of_joint_kernel_solve(context, &joint, work);
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
