/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Landmarks of sparse features: a few steps of spherical k-means from drawn samples. Centres are
 * kept sparse, as lists of the landmarks that have each column, so that a sample's products with
 * all of them cost what its columns have in common with theirs.
 */
#include "base/team.h"
#include "kernel/landmark_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES_EACH = 20, STEPS = 5, AT_ONCE = 64 };

static int rising(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The samples that have entries. */
static onefold_status find_samples(of_arena *arena, const of_sparse *features, size_t **sample,
                                   size_t *count)
{
    OF_TRY(OF_NEW(arena, sample, features->rows, 1));
    *count = 0;
    for (size_t j = 0; j < features->rows; j++)
        if (features->start[j + 1] > features->start[j])
            (*sample)[(*count)++] = j;
    return ONEFOLD_OK;
}

typedef struct assign_task {
    const of_sparse *rows, *lists;
    size_t count;
    double *product; /* per worker: count */
    uint32_t *label;
} assign_task;

/* The centre of the largest product, the first among equals. */
static onefold_status assign_some(void *opaque, size_t piece, int worker)
{
    assign_task *task = opaque;
    const of_sparse *rows = task->rows, *lists = task->lists;
    double *product = task->product + (size_t)worker * task->count;
    size_t end = (piece + 1) * AT_ONCE < rows->rows ? (piece + 1) * AT_ONCE : rows->rows;
    for (size_t j = piece * AT_ONCE; j < end; j++) {
        size_t best = 0;
        memset(product, 0, task->count * sizeof *product);
        for (size_t e = rows->start[j]; e < rows->start[j + 1]; e++) {
            size_t column = rows->index[e];
            for (size_t i = lists->start[column]; i < lists->start[column + 1]; i++)
                product[lists->index[i]] += rows->value[e] * lists->value[i];
        }
        for (size_t l = 1; l < task->count; l++)
            best = product[l] > product[best] ? l : best;
        task->label[j] = (uint32_t)best;
    }
    return ONEFOLD_OK;
}

/* The members of each centre, one centre's after the other, in the order of samples. */
static void sort_members(const uint32_t *label, size_t samples, size_t count, size_t *start,
                         uint32_t *member)
{
    memset(start, 0, (count + 2) * sizeof *start);
    for (size_t j = 0; j < samples; j++)
        start[label[j] + 2]++;
    for (size_t l = 0; l < count; l++)
        start[l + 2] += start[l + 1];
    for (size_t j = 0; j < samples; j++)
        member[start[label[j] + 1]++] = (uint32_t)j;
}

/* The mean direction of some rows, of length 1: entries in rising order. */
static size_t mean_row(const of_sparse *rows, const uint32_t *member, size_t members,
                       double *spread, uint32_t *index, double *value)
{
    size_t entries = 0;
    double square = 0;
    for (size_t i = 0; i < members; i++)
        for (size_t e = rows->start[member[i]]; e < rows->start[member[i] + 1]; e++) {
            if (spread[rows->index[e]] == 0)
                index[entries++] = rows->index[e];
            spread[rows->index[e]] += rows->value[e];
        }
    qsort(index, entries, sizeof *index, rising);
    for (size_t e = 0; e < entries; e++)
        square += spread[index[e]] * spread[index[e]];
    for (size_t e = 0; e < entries; e++) {
        value[e] = square > 0 ? spread[index[e]] / sqrt(square) : 0;
        spread[index[e]] = 0;
    }
    return entries;
}

/* Centres from labels; one that has no sample stays what it was. */
static onefold_status move_centres(of_context *context, of_arena *arena, const of_sparse *rows,
                                   const uint32_t *label, const of_sparse *old, of_sparse *centres)
{
    OF_SCRATCH(scratch, context);
    size_t count = old->rows, most = rows->start[rows->rows] + old->start[count], *from, *start;
    uint32_t *member, *index;
    double *spread, *value;
    OF_TRY(OF_NEW(&scratch, &from, count + 2, 1));
    OF_TRY(OF_NEW(&scratch, &member, rows->rows, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &spread, rows->columns, 1));
    OF_TRY(OF_NEW(arena, &start, count + 1, 1));
    OF_TRY(OF_NEW(arena, &index, most, 1));
    OF_TRY(OF_NEW(arena, &value, most, 1));
    sort_members(label, rows->rows, count, from, member);
    start[0] = 0;
    for (size_t l = 0; l < count; l++) {
        size_t at = start[l], members = from[l + 1] - from[l], own;
        if (members) {
            own = mean_row(rows, member + from[l], members, spread, index + at, value + at);
        } else {
            own = old->start[l + 1] - old->start[l];
            memcpy(index + at, old->index + old->start[l], own * sizeof *index);
            memcpy(value + at, old->value + old->start[l], own * sizeof *value);
        }
        start[l + 1] = at + own;
    }
    *centres = (of_sparse){count, rows->columns, start, index, value};
    return ONEFOLD_OK;
}

/* Some steps of k-means on `rows`, from `centres`. */
static onefold_status refine(of_context *context, of_arena *arena, const of_sparse *rows,
                             of_sparse *centres)
{
    OF_SCRATCH(scratch, context);
    assign_task task = {.rows = rows, .count = centres->rows};
    OF_TRY(OF_NEW(&scratch, &task.product, (size_t)of_team_size(context), task.count));
    OF_TRY(OF_NEW(&scratch, &task.label, rows->rows, 1));
    for (int step = 0; step < STEPS; step++) {
        OF_SCRATCH(lists_room, context);
        of_sparse lists, moved;
        OF_TRY(of_sparse_transpose(&lists_room, centres, &lists));
        task.lists = &lists;
        OF_TRY(of_team_run(context, (rows->rows + AT_ONCE - 1) / AT_ONCE, assign_some, &task));
        OF_TRY(move_centres(context, arena, rows, task.label, centres, &moved));
        *centres = moved;
    }
    return ONEFOLD_OK;
}

static onefold_status keep_set(of_arena *arena, const of_sparse *centres, of_landmark_set *set)
{
    double *square;
    set->count = centres->rows;
    OF_TRY(OF_NEW_ZERO(arena, &square, set->count, 1));
    for (size_t l = 0; l < set->count; l++)
        for (size_t e = centres->start[l]; e < centres->start[l + 1]; e++)
            square[l] += centres->value[e] * centres->value[e];
    set->square = square;
    return of_sparse_transpose(arena, centres, &set->lists);
}

onefold_status of_landmark_set_sparse(of_context *context, of_arena *arena,
                                      const of_sparse *features, size_t asked, uint64_t seed,
                                      of_landmark_set *set)
{
    OF_SCRATCH(scratch, context);
    size_t *sample, *row, n;
    of_sparse rows, centres;
    OF_TRY(find_samples(&scratch, features, &sample, &n));
    size_t count = of_landmark_count(n, asked),
           drawn = count < n / SAMPLES_EACH ? SAMPLES_EACH * count : n;
    OF_TRY(OF_NEW(&scratch, &row, drawn, 1));
    for (size_t i = 0; i < count; i++)
        row[i] = sample[count == n ? i : of_landmark_draw(seed, n, count, i)];
    OF_TRY(of_sparse_take_rows(&scratch, features, row, count, &centres));
    if (count < n) {
        for (size_t i = 0; i < drawn; i++)
            row[i] = sample[drawn == n ? i : of_landmark_draw(seed, n, drawn, i)];
        OF_TRY(of_sparse_take_rows(&scratch, features, row, drawn, &rows));
        OF_TRY(refine(context, &scratch, &rows, &centres));
    }
    return keep_set(arena, &centres, set);
}
