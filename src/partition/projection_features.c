/* SPDX-License-Identifier: Apache-2.0 */
/* Features of new samples, made as in training: dense ones a block at a time, sparse ones a sample
 * at a time. */
#include "linalg/blas.h"
#include "partition/projection_block.h"

#include <math.h>

onefold_status of_projecting_features(of_projecting *b)
{
    const of_prep *prep = &b->p->prep;
    size_t raw = b->p->raw_columns, d = b->p->columns;
    OF_TRY(of_projecting_read(b));
    for (size_t j = 0; prep->kind != OF_PREP_NONE && j < b->count; j++) {
        const double *in = b->tile + j * raw;
        double *out = b->tile + j * d; /* numbers only move to the front */
        for (size_t i = 0; i < d; i++) {
            double x = in[prep->kept ? prep->kept[i] : i];
            out[i] = (x - (prep->shift ? prep->shift[i] : 0)) * (prep->scale ? prep->scale[i] : 1);
        }
    }
    for (size_t j = 0; b->p->kernel == OF_KERNEL_COSINE && j < b->count; j++) {
        double norm = cblas_dnrm2((int)d, b->tile + j * d, 1);
        for (size_t i = 0; norm > 0 && i < d; i++)
            b->tile[j * d + i] /= norm;
    }
    return ONEFOLD_OK;
}

/* The feature that a raw column is, or UINT32_MAX where it was dropped. */
static uint32_t feature_of(const of_prep *prep, uint32_t column)
{
    if (!prep->kept)
        return column;
    size_t low = 0, high = prep->columns; /* kept columns rise */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (prep->kept[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < prep->columns && prep->kept[low] == column ? (uint32_t)low : UINT32_MAX;
}

/* Entries as the kernel sees them: kept and scaled columns, tf-idf, links, unit length. */
static onefold_status prepare_entries(const of_projecting *b, size_t j, size_t *count)
{
    const of_projection *p = b->p;
    size_t left = 0;
    for (size_t e = 0; e < *count; e++) {
        uint32_t column = feature_of(&p->prep, b->index[e]);
        double x = b->value[e];
        if (column == UINT32_MAX)
            continue;
        if (p->prep.kind == OF_PREP_TFIDF && x < 0)
            return of_projecting_refuse(b, j, "has a negative entry, which tf-idf has no room for");
        if (p->kernel == OF_KERNEL_GRAPH)
            x = 1;
        else if (p->prep.kind == OF_PREP_TFIDF)
            x = sqrt(x) * p->prep.scale[column];
        else if (p->prep.kind == OF_PREP_STANDARDISE)
            x *= p->prep.scale[column];
        b->index[left] = column;
        b->value[left++] = x;
    }
    *count = left;
    double norm = 1;
    if (p->kernel == OF_KERNEL_COSINE)
        norm = cblas_dnrm2((int)left, b->value, 1);
    else if (p->kernel == OF_KERNEL_GRAPH) /* its link to itself is in no training column */
        norm = sqrt((double)left + 1);
    for (size_t e = 0; norm > 0 && e < left; e++)
        b->value[e] /= norm;
    return ONEFOLD_OK;
}

onefold_status of_projecting_sparse(of_projecting *b, size_t j, const uint32_t **index,
                                    const double **value, size_t *count)
{
    const of_sparse *ready = b->fresh->ready;
    if (ready) {
        size_t row = b->first + j;
        *index = ready->index + ready->start[row];
        *value = ready->value + ready->start[row];
        *count = ready->start[row + 1] - ready->start[row];
        return ONEFOLD_OK;
    }
    OF_TRY(of_projecting_entries(b, j, count));
    OF_TRY(prepare_entries(b, j, count));
    *index = b->index;
    *value = b->value;
    return ONEFOLD_OK;
}
