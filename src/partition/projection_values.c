/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of new samples, a block at a time. Who lacks the view, and what becomes of values that
 * are missing or infinite, is found out here, so that a long file need be read only once.
 */
#include "linalg/wide.h"
#include "partition/projection_block.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether a number is not finite, by its exponent: whole numbers, so that the compiler takes many
 * at a time. */
OF_WIDE static int has_unusable(size_t count, const double *x)
{
    const uint64_t exponent = (uint64_t)0x7ff << 52;
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        found |= (uint64_t)((bits & exponent) == exponent);
    }
    return found != 0;
}

/* The raw column that value e of a sample is; after the row of a kernel comes K(x, x). */
static size_t column_of(const of_projecting *b, const uint32_t *index, size_t e)
{
    if (b->p->form == OF_PROJECT_ROWS && e == b->p->samples)
        return b->p->raw_columns;
    return index ? index[e] : e;
}

static onefold_status refuse_missing(const of_projecting *b, size_t j, size_t missing,
                                     size_t column)
{
    char what[96];
    snprintf(what, sizeof what, "lacks %zu value%s (NaN), the first in column %zu", missing,
             missing == 1 ? "" : "s", column + 1);
    return of_hint(of_projecting_refuse(b, j, what),
                   b->p->form == OF_PROJECT_ROWS || b->p->kernel == OF_KERNEL_GRAPH
                       ? "links and kernels are never filled in"
                       : "fill them in with `impute`; a sample may lack a view only as a whole");
}

static onefold_status refuse_infinite(const of_projecting *b, size_t j, size_t column)
{
    char what[96];
    snprintf(what, sizeof what, "has an infinite value in column %zu", column + 1);
    return of_hint(of_projecting_refuse(b, j, what), "every value must be a finite number");
}

/* A sample's values, `index` naming their raw columns (NULL: one after the other). */
static onefold_status settle(of_projecting *b, size_t j, size_t count, const uint32_t *index,
                             double *value)
{
    size_t missing = 0, first = 0;
    if (b->absent[j] || !has_unusable(count, value))
        return ONEFOLD_OK;
    for (size_t e = 0; e < count; e++) {
        if (isinf(value[e]))
            return refuse_infinite(b, j, column_of(b, index, e));
        if (isnan(value[e]) && missing++ == 0)
            first = column_of(b, index, e);
    }
    b->absent[j] = missing == count;
    if (b->absent[j])
        return ONEFOLD_OK;
    if (!b->fresh->fill)
        return refuse_missing(b, j, missing, first);
    for (size_t e = 0; e < count; e++)
        if (isnan(value[e]))
            value[e] = b->fresh->fill[index ? index[e] : e];
    return ONEFOLD_OK;
}

/* Of the row of a kernel only the columns of training samples that had the view are kept, and
 * K(x, x). Numbers only move to the front. */
static size_t keep_columns(const of_projecting *b, double *row)
{
    const of_projection *p = b->p;
    size_t given = b->view->columns - p->raw_columns;
    for (size_t i = 0; p->prep.kept && i < p->samples; i++)
        row[i] = row[p->prep.kept[i]];
    if (given)
        row[p->samples] = row[p->raw_columns];
    return p->samples + given;
}

onefold_status of_projecting_read(of_projecting *b)
{
    int rows = b->p->form == OF_PROJECT_ROWS;
    size_t columns = b->view->columns;
    OF_TRY(of_view_read(b->view, b->first, b->count, b->tile, columns));
    for (size_t j = 0; j < b->count; j++) {
        double *x = b->tile + j * columns;
        size_t count = rows ? keep_columns(b, x) : columns;
        OF_TRY(settle(b, j, count, rows ? b->p->prep.kept : NULL, x));
        if (b->absent[j])
            memset(x, 0, count * sizeof *x);
    }
    return ONEFOLD_OK;
}

onefold_status of_projecting_entries(of_projecting *b, size_t j, size_t *count)
{
    const of_csr *sparse = &b->view->sparse;
    size_t row = b->first + j, found = 0;
    if (b->view->storage == OF_SPARSE) {
        size_t end = of_csr_start(sparse, row + 1);
        for (size_t e = of_csr_start(sparse, row); e < end; e++)
            if (of_csr_value(sparse, e) != 0) {
                b->index[found] = of_csr_index(sparse, e);
                b->value[found++] = of_csr_value(sparse, e);
            }
        OF_TRY(settle(b, j, found, b->index, b->value));
    } else {
        const double *x = b->tile + j * b->p->raw_columns;
        for (size_t i = 0; i < b->p->raw_columns; i++)
            if (x[i] != 0) {
                b->index[found] = (uint32_t)i;
                b->value[found++] = x[i];
            }
    }
    *count = b->absent[j] ? 0 : found;
    return ONEFOLD_OK;
}
