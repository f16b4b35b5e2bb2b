/* SPDX-License-Identifier: Apache-2.0 */
/* New samples on a landmark graph: their ties, made as in training, times the weights. */
#include "linalg/blas.h"
#include "partition/projection_block.h"
#include "partition/view_graph.h"

#include <math.h>
#include <string.h>

static of_landmark_set set_of(const of_projection *p)
{
    return (of_landmark_set){.count = p->points,
                             .columns = p->columns,
                             .neighbours = p->neighbours,
                             .at = p->at,
                             .lists = p->sparse_at,
                             .square = p->half};
}

/* h = W z of one sample, and the share of its squared length, sum z^2 / degree - 1 / n, that the
 * partition keeps. */
static void weigh_ties(of_projecting *b, size_t j, size_t count, const uint32_t *index,
                       const double *weight)
{
    const of_projection *p = b->p;
    double *h = b->h + j * b->ldh, square = -1 / (double)p->samples, kept = 0;
    memset(h, 0, p->rank * sizeof *h);
    for (size_t e = 0; e < count; e++) {
        const double *column = p->weight + (size_t)index[e] * p->rank;
        if (p->degree[index[e]] > 0)
            square += weight[e] * weight[e] / p->degree[index[e]];
        for (size_t r = 0; r < p->rank; r++)
            h[r] += weight[e] * column[r];
    }
    for (size_t r = 0; r < p->rank; r++)
        kept += p->value[r] * h[r] * h[r];
    if (p->joined)
        kept = fmax(square, 0);
    else
        kept = square > 0 ? fmin(kept / square, 1) : 1;
    b->kept[j] = count == 0 ? OF_KEPT_NOTHING : kept;
}

/* Links of a sample: of the training graph, or of a new sample, whose link to itself leads to no
 * landmark. */
static void tie_links(of_projecting *b, size_t j, const uint32_t *index, size_t count)
{
    const of_projection *p = b->p;
    double all = (double)count + p->common, *weight = b->k;
    uint32_t *at = (uint32_t *)(b->k + p->points);
    for (size_t e = 0; e < count; e++) {
        at[e] = index[e];
        weight[e] = 1 / all;
    }
    at[count] = (uint32_t)(p->points - 1);
    weight[count] = p->common / all;
    weigh_ties(b, j, count + 1, at, weight);
}

/* The ties from squared distances to all landmarks. */
static void tie_nearest(of_projecting *b, size_t j, const double *distance)
{
    of_landmark_set set = set_of(b->p);
    double *weight = b->k + b->p->points * b->count;
    uint32_t *index = (uint32_t *)(weight + b->p->neighbours);
    of_landmark_tie(&set, distance, index, weight);
    weigh_ties(b, j, b->p->neighbours, index, weight);
}

static onefold_status from_sparse(of_projecting *b)
{
    of_landmark_set set = set_of(b->p);
    for (size_t j = 0; j < b->count; j++) {
        const uint32_t *index;
        const double *value;
        size_t count;
        OF_TRY(of_projecting_sparse(b, j, &index, &value, &count));
        if (b->p->kernel == OF_KERNEL_GRAPH) {
            tie_links(b, j, index, count);
            continue;
        }
        if (!count) {
            weigh_ties(b, j, 0, NULL, NULL);
            continue;
        }
        of_landmark_distances_sparse(&set, count, index, value, b->k);
        tie_nearest(b, j, b->k);
    }
    return ONEFOLD_OK;
}

static void from_columns(of_projecting *b, const double *x)
{
    of_landmark_set set = set_of(b->p);
    of_landmark_distances(&set, b->count, x, b->k);
    for (size_t j = 0; j < b->count; j++)
        tie_nearest(b, j, b->k + j * b->p->points);
}

/* The principal components of the block first, by the projection to them. */
static onefold_status from_inner(of_projecting *b)
{
    const of_projection *p = b->p, *inner = p->inner;
    double *x = b->spread, *kept = x + p->columns * b->count, *room = kept + b->count;
    OF_TRY(of_projection_apply(inner, b->fresh, b->first, b->count, room, x, p->columns, kept));
    for (size_t j = 0; j < b->count; j++)
        b->absent[j] = kept[j] == OF_KEPT_ABSENT;
    of_view_graph_place(p->columns, b->count, x, p->columns);
    from_columns(b, x);
    return ONEFOLD_OK;
}

size_t of_projecting_ties_room(const of_projection *p, size_t count)
{
    return p->points * (count + 2) + 2 * p->neighbours;
}

size_t of_projecting_inner_room(const of_projection *p, const of_view *view, size_t count)
{
    return p->inner ? (p->columns + 1) * count + of_projection_room(p->inner, view, count) : 0;
}

onefold_status of_projecting_ties(of_projecting *b)
{
    if (b->p->inner) {
        OF_TRY(from_inner(b));
    } else if (b->p->sparse) {
        OF_TRY(from_sparse(b));
    } else {
        OF_TRY(of_projecting_features(b));
        from_columns(b, b->tile);
    }
    for (size_t j = 0; j < b->count; j++)
        if (b->absent[j]) {
            memset(b->h + j * b->ldh, 0, b->p->rank * sizeof *b->h);
            b->kept[j] = OF_KEPT_ABSENT;
        }
    return ONEFOLD_OK;
}
