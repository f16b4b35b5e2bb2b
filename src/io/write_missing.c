/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that lack views, as files say it: rows of NaN, or a table beside sparse views. */
#include "data/gaps.h"
#include "data/present.h"
#include "io/write_parts.h"

#include <math.h>
#include <string.h>

/* Whether those that lack a view are rows of NaN already, and nobody else. */
static onefold_status is_marked(of_arena *arena, const of_dataset *dataset, size_t v, int *marked)
{
    uint8_t *keep;
    size_t missing;
    int clean;
    OF_TRY(OF_NEW(arena, &keep, dataset->samples, 1));
    OF_TRY(of_gaps_samples(arena->context, &dataset->views[v], keep, &missing, &clean));
    *marked = 1;
    for (size_t j = 0; j < dataset->samples && *marked; j++)
        *marked = keep[j] == (of_present_at(dataset, j, v) != 0);
    return ONEFOLD_OK;
}

/* A copy as floating-point numbers, single where it was, with NaN for those that lack the view. */
static onefold_status mark_dense(of_arena *arena, const of_dataset *dataset, size_t v,
                                 of_view *view)
{
    size_t n = view->samples, d = view->columns;
    int single = view->type == OF_F32, kernel = view->storage == OF_KERNEL;
    double *value, *sample;
    float *narrow = NULL;
    OF_TRY(OF_NEW(arena, &sample, d, 1));
    OF_TRY(
        of_arena_allocate(arena, (void **)&value, single ? sizeof *narrow : sizeof *value, n, d));
    narrow = (float *)value;
    for (size_t j = 0; j < n; j++) {
        int there = of_present_at(dataset, j, v);
        of_view_tile(view, j, 1, sample, d);
        for (size_t i = 0; i < d; i++) {
            double x = there && (!kernel || of_present_at(dataset, i, v)) ? sample[i] : NAN;
            if (single)
                narrow[j * d + i] = (float)x;
            else
                value[j * d + i] = x;
        }
    }
    view->data = value;
    view->type = single ? OF_F32 : OF_F64;
    view->sample_step = d;
    view->column_step = 1;
    return ONEFOLD_OK;
}

/* A copy without the entries of those that lack the view. */
static onefold_status mark_sparse(of_arena *arena, const of_dataset *dataset, size_t v,
                                  of_view *view)
{
    const of_csr *from = &dataset->views[v].sparse;
    size_t *start, kept = 0, entries = of_csr_entries(from);
    uint32_t *index;
    double *value;
    OF_TRY(OF_NEW(arena, &start, from->rows + 1, 1));
    OF_TRY(OF_NEW(arena, &index, entries, 1));
    OF_TRY(OF_NEW(arena, &value, entries, 1));
    for (size_t j = 0; j < from->rows; j++) {
        size_t end = of_present_at(dataset, j, v) ? of_csr_start(from, j + 1) : 0;
        start[j] = kept;
        for (size_t e = of_csr_start(from, j); e < end; e++) {
            index[kept] = of_csr_index(from, e);
            value[kept++] = of_csr_value(from, e);
        }
    }
    start[from->rows] = kept;
    view->sparse = of_csr_of(&(of_sparse){from->rows, from->columns, start, index, value});
    return ONEFOLD_OK;
}

onefold_status of_write_missing(of_arena *arena, const of_dataset *dataset, of_dataset *shown)
{
    int table = 0;
    *shown = *dataset;
    if (!dataset->present)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &shown->views, dataset->view_count, 1));
    for (size_t v = 0; v < dataset->view_count; v++) {
        of_view *view = &shown->views[v];
        int marked = 1;
        *view = dataset->views[v];
        if (of_present_missing(dataset, v) == 0)
            continue;
        if (view->storage == OF_SPARSE) {
            table = 1;
            OF_TRY(mark_sparse(arena, dataset, v, view));
            continue;
        }
        OF_TRY(is_marked(arena, dataset, v, &marked));
        if (!marked)
            OF_TRY(mark_dense(arena, dataset, v, view));
    }
    if (!table)
        shown->present = NULL;
    return ONEFOLD_OK;
}

of_view of_write_present(const of_dataset *dataset)
{
    return of_view_over(dataset->present, OF_U8, dataset->samples, dataset->view_count,
                        dataset->view_count);
}
