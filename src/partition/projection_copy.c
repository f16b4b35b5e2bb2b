/* SPDX-License-Identifier: Apache-2.0 */
/* A projection with arrays of its own: what made it may then be released. */
#include "partition/projection.h"

#include <string.h>

/* `count` elements of `size` bytes, or NULL as it was. */
static onefold_status copy(of_arena *arena, const void *from, size_t size, size_t count,
                           const void **to)
{
    void *made;
    *to = NULL;
    if (!from)
        return ONEFOLD_OK;
    OF_TRY(of_arena_allocate(arena, &made, size, count, 1));
    if (count)
        memcpy(made, from, size * count);
    *to = made;
    return ONEFOLD_OK;
}
#define COPY(arena, from, count, to)                                                               \
    copy((arena), (from), sizeof *(from), (count), (const void **)(to))

static onefold_status copy_sparse(of_arena *arena, const of_sparse *from, of_sparse *to)
{
    if (!from->start)
        return ONEFOLD_OK;
    size_t entries = from->start[from->rows];
    OF_TRY(COPY(arena, from->start, from->rows + 1, &to->start));
    OF_TRY(COPY(arena, from->index, entries, &to->index));
    return COPY(arena, from->value, entries, &to->value);
}

static onefold_status copy_inner(of_arena *arena, const of_projection *from, of_projection *to)
{
    of_projection *inner;
    if (!from->inner)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &inner, 1, 1));
    to->inner = inner;
    return of_projection_copy(arena, from->inner, from->inner->rank, inner);
}

onefold_status of_projection_copy(of_arena *arena, const of_projection *from, size_t rank,
                                  of_projection *to)
{
    size_t inputs = of_projection_inputs(from);
    double *weight;
    *to = *from;
    to->rank = rank < from->rank ? rank : from->rank;
    OF_TRY(COPY(arena, from->value, to->rank, &to->value));
    OF_TRY(OF_NEW(arena, &weight, to->rank, inputs));
    for (size_t i = 0; i < inputs; i++)
        memcpy(weight + i * to->rank, from->weight + i * from->rank, to->rank * sizeof *weight);
    to->weight = weight;
    OF_TRY(COPY(arena, from->prep.kept, from->prep.columns, &to->prep.kept));
    OF_TRY(COPY(arena, from->prep.shift, from->prep.columns, &to->prep.shift));
    OF_TRY(COPY(arena, from->prep.scale, from->prep.columns, &to->prep.scale));
    OF_TRY(COPY(arena, from->mean, from->columns, &to->mean));
    OF_TRY(COPY(arena, from->at, from->columns * from->points, &to->at));
    OF_TRY(COPY(arena, from->point_mean, inputs, &to->point_mean));
    OF_TRY(COPY(arena, from->row_mean, inputs, &to->row_mean));
    OF_TRY(COPY(arena, from->sample_scale, from->samples, &to->sample_scale));
    OF_TRY(COPY(arena, from->degree, from->points, &to->degree));
    OF_TRY(copy_sparse(arena, &from->sparse_at, &to->sparse_at));
    OF_TRY(copy_inner(arena, from, to));
    return of_projection_prepare(arena, to);
}
