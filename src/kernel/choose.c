/* SPDX-License-Identifier: Apache-2.0 */
/* The rule of `auto`: a kernel from a view's storage, shape, signs and share of entries not 0. */
#include "kernel/prep.h"

#define SPARSE_BELOW 0.3 /* of the entries are not 0 */

typedef struct signs {
    size_t nonzeros;
    int negative;
} signs;

static void look(size_t count, const double *value, signs *seen)
{
    for (size_t i = 0; i < count; i++) {
        seen->nonzeros += value[i] != 0;
        seen->negative |= value[i] < 0;
    }
}

/* Looks at a dense view in blocks that fit on the stack, until it has seen enough. */
static void look_dense(const of_view *view, double enough, signs *seen)
{
    enum { SAMPLES = 16, COLUMNS = 128 };
    double block[SAMPLES * COLUMNS];
    size_t size = of_type_size(view->type);
    for (size_t j = 0; j < view->samples; j += SAMPLES)
        for (size_t i = 0; i < view->columns; i += COLUMNS) {
            of_view part = *view;
            part.data = (const char *)view->data + i * view->column_step * size;
            part.columns = view->columns - i < COLUMNS ? view->columns - i : COLUMNS;
            size_t samples = view->samples - j < SAMPLES ? view->samples - j : SAMPLES;
            of_view_tile(&part, j, samples, block, part.columns);
            look(samples * part.columns, block, seen);
            if ((double)seen->nonzeros >= enough)
                return;
        }
}

of_kernel_kind of_kernel_choose(const of_view *view, const char **reason)
{
    of_prep_kind prep;
    return of_prep_choose(view, &prep, reason);
}

of_kernel_kind of_prep_choose(const of_view *view, of_prep_kind *prep, const char **reason)
{
    *prep = OF_PREP_NONE;
    if (view->storage == OF_KERNEL) {
        *reason = "the file gives a kernel";
        return OF_KERNEL_PRECOMPUTED;
    }
    signs seen = {0, 0};
    double enough = SPARSE_BELOW * (double)view->samples * (double)view->columns;
    if (view->storage == OF_SPARSE)
        look(view->sparse.start[view->samples], view->sparse.value, &seen);
    else
        look_dense(view, enough, &seen);
    if ((double)seen.nonzeros >= enough) {
        *prep = OF_PREP_STANDARDISE;
        *reason = "three entries in ten or more are not zero";
        return OF_KERNEL_RBF;
    }
    if (seen.negative) {
        *reason = "sparse, with negative entries";
        return OF_KERNEL_COSINE;
    }
    if (view->samples == view->columns) {
        *reason = "square, sparse and without negative entries";
        return OF_KERNEL_GRAPH;
    }
    *prep = OF_PREP_TFIDF;
    *reason = "sparse and without negative entries: tf-idf";
    return OF_KERNEL_COSINE;
}
