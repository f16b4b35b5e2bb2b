/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse features: entries that are not 0, rows of unit length, the neighbourhoods of a graph. */
#include "kernel/prep.h"

#include "base/tiles.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* Entries of a dense view that are not 0, tile by tile: first counted, then filled in. */
typedef struct compress_task {
    const of_view *view;
    of_tiles tiles;
    double *tile;  /* per worker */
    size_t *start; /* first pass: start[j + 1] is the count of sample j */
    uint32_t *index;
    double *value; /* NULL in the first pass */
} compress_task;

static onefold_status compress_tile(void *opaque, size_t number, int worker)
{
    compress_task *task = opaque;
    size_t d = task->view->columns, first = of_tiles_first(&task->tiles, number),
           count = of_tiles_length(&task->tiles, number);
    double *tile = task->tile + (size_t)worker * d * task->tiles.width;
    of_view_tile(task->view, first, count, tile, d);
    for (size_t j = 0; j < count; j++) {
        size_t e = task->value ? task->start[first + j] : 0;
        for (size_t i = 0; i < d; i++) {
            if (tile[j * d + i] == 0)
                continue;
            if (task->value) {
                task->index[e] = (uint32_t)i;
                task->value[e] = tile[j * d + i];
            }
            e++;
        }
        if (!task->value)
            task->start[first + j + 1] = e;
    }
    return ONEFOLD_OK;
}

onefold_status of_prep_gather(of_context *context, size_t n, const size_t *start, uint32_t *index,
                              double *value)
{
    if (!of_comm_splits(context, n))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    size_t ranks = (size_t)context->comm.size, *entry, *byte;
    OF_TRY(OF_NEW(&scratch, &entry, ranks + 1, 1));
    OF_TRY(OF_NEW(&scratch, &byte, ranks + 1, 1));
    for (size_t r = 0; r < ranks; r++)
        entry[r] = start[of_comm_share(context, n, (int)r).first];
    entry[ranks] = start[n];
    for (size_t r = 0; r <= ranks; r++)
        byte[r] = entry[r] * sizeof *index;
    OF_TRY(of_comm_gather_parts(context, index, byte));
    for (size_t r = 0; r <= ranks; r++)
        byte[r] = entry[r] * sizeof *value;
    return of_comm_gather_parts(context, value, byte);
}

static onefold_status compress_dense(of_context *context, of_arena *arena, const of_view *view,
                                     of_sparse *sparse, double **value)
{
    OF_SCRATCH(scratch, context);
    compress_task task = {
        view, of_tiles_make(view->samples, view->columns, 1 << 18), NULL, NULL, NULL, NULL};
    OF_TRY(OF_NEW(&scratch, &task.tile, (size_t)of_team_size(context) * task.tiles.width,
                  view->columns));
    OF_TRY(OF_NEW_ZERO(arena, &task.start, view->samples + 1, 1));
    OF_TRY(of_tiles_run(context, &task.tiles, compress_tile, &task));
    OF_TRY(of_comm_gather(context, task.start + 1, sizeof *task.start, view->samples));
    for (size_t j = 0; j < view->samples; j++)
        task.start[j + 1] += task.start[j];
    OF_TRY(OF_NEW(arena, &task.index, task.start[view->samples], 1));
    OF_TRY(OF_NEW(arena, value, task.start[view->samples], 1));
    task.value = *value;
    OF_TRY(of_tiles_run(context, &task.tiles, compress_tile, &task));
    OF_TRY(of_prep_gather(context, view->samples, task.start, task.index, *value));
    *sparse = (of_sparse){view->samples, view->columns, task.start, task.index, *value};
    return ONEFOLD_OK;
}

static onefold_status copy_sparse(of_arena *arena, const of_csr *raw, of_sparse *sparse,
                                  double **value)
{
    size_t *start, entries = 0;
    uint32_t *index;
    OF_TRY(OF_NEW(arena, &start, raw->rows + 1, 1));
    OF_TRY(OF_NEW(arena, &index, of_csr_entries(raw), 1));
    OF_TRY(OF_NEW(arena, value, of_csr_entries(raw), 1));
    for (size_t j = 0; j < raw->rows; j++) {
        start[j] = entries;
        size_t end = of_csr_start(raw, j + 1);
        for (size_t e = of_csr_start(raw, j); e < end; e++)
            if (of_csr_value(raw, e) != 0) {
                index[entries] = of_csr_index(raw, e);
                (*value)[entries++] = of_csr_value(raw, e);
            }
    }
    start[raw->rows] = entries;
    *sparse = (of_sparse){raw->rows, raw->columns, start, index, *value};
    return ONEFOLD_OK;
}

onefold_status of_prep_compress(of_context *context, of_arena *arena, const of_view *view,
                                of_sparse *sparse, double **value)
{
    if (view->columns > UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "a view has %zu columns, more than %u", view->columns,
                       UINT32_MAX);
    if (view->storage == OF_SPARSE)
        return copy_sparse(arena, &view->sparse, sparse, value);
    return compress_dense(context, arena, view, sparse, value);
}

static void unit_rows(const of_sparse *rows, double *value)
{
    for (size_t j = 0; j < rows->rows; j++) {
        size_t count = rows->start[j + 1] - rows->start[j];
        double *row = value + rows->start[j], norm = cblas_dnrm2((int)count, row, 1);
        for (size_t e = 0; norm > 0 && e < count; e++)
            row[e] /= norm;
    }
}

onefold_status of_prep_unit_rows(of_context *context, of_arena *arena, of_kernel *kernel)
{
    double *value;
    OF_TRY(of_prep_compress(context, arena, kernel->view, &kernel->features, &value));
    unit_rows(&kernel->features, value);
    return ONEFOLD_OK;
}

/* The union of two rising lists and one number. Returns its length; writes it where out is given.
 */
static size_t merge(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count,
                    uint32_t self, uint32_t *out)
{
    size_t i = 0, j = 0, length = 0;
    int self_done = 0;
    while (i < a_count || j < b_count || !self_done) {
        uint32_t next = UINT32_MAX;
        if (i < a_count)
            next = a[i];
        if (j < b_count && b[j] < next)
            next = b[j];
        if (!self_done && self <= next)
            next = self;
        i += i < a_count && a[i] == next;
        j += j < b_count && b[j] == next;
        self_done |= next == self;
        if (out)
            out[length] = next;
        length++;
    }
    return length;
}

onefold_status of_prep_graph(of_context *context, of_arena *arena, of_kernel *kernel)
{
    OF_SCRATCH(scratch, context);
    of_sparse a, b;
    size_t n = kernel->view->samples, *start;
    double *value;
    OF_TRY(of_prep_compress(context, &scratch, kernel->view, &a, &value));
    OF_TRY(of_sparse_transpose(&scratch, &a, &b));
    OF_TRY(OF_NEW_ZERO(arena, &start, n + 1, 1));
    uint32_t *index = NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < n; j++) {
            size_t length =
                merge(a.index + a.start[j], a.start[j + 1] - a.start[j], b.index + b.start[j],
                      b.start[j + 1] - b.start[j], (uint32_t)j, pass ? index + start[j] : NULL);
            start[j + 1] = start[j] + length;
        }
        if (pass == 0)
            OF_TRY(OF_NEW(arena, &index, start[n], 1));
    }
    OF_TRY(OF_NEW(arena, &value, start[n], 1));
    for (size_t e = 0; e < start[n]; e++)
        value[e] = 1;
    kernel->features = (of_sparse){n, n, start, index, value};
    unit_rows(&kernel->features, value);
    return ONEFOLD_OK;
}
