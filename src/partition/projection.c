/* SPDX-License-Identifier: Apache-2.0 */
/* A few new samples at a time through a view's projection: features made as in training, centred,
 * normalised, multiplied with the weights. */
#include "partition/projection.h"

#include "kernel/exp.h"
#include "kernel/landmarks.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* A block of samples on its way through the projection. */
typedef struct block {
    const of_projection *p;
    const of_fresh *fresh;
    const of_view *view;
    size_t first, count;
    double *h;
    size_t ldh;
    double *kept;
    /* room */
    double *tile;   /* tile_rows x count: what the view has, then the features of dense views */
    double *k;      /* points x count */
    double *square; /* count: centred squared lengths */
    double *value;  /* a sparse sample: values, and as many column numbers */
    uint32_t *index;
    double *spread; /* columns: a sparse sample spread out */
} block;

/* Rows of the tile: sparse samples need none but for dense points. */
static size_t tile_rows(const of_projection *p, const of_view *view)
{
    if (p->sparse && view->storage == OF_SPARSE)
        return p->form == OF_PROJECT_POINTS && p->at ? p->columns : 0;
    return p->raw_columns + (p->form == OF_PROJECT_ROWS);
}

size_t of_projection_width(const of_projection *p, const of_view *view)
{
    return tile_rows(p, view) + p->points + p->rank + 1;
}

size_t of_projection_room(const of_projection *p, const of_view *view, size_t count)
{
    size_t entries = p->sparse ? 2 * p->raw_columns + p->columns : 0;
    return (tile_rows(p, view) + p->points + 1) * count + entries;
}

static void lay_out(block *b, double *room)
{
    const of_projection *p = b->p;
    b->tile = room;
    b->k = b->tile + tile_rows(p, b->view) * b->count;
    b->square = b->k + p->points * b->count;
    b->value = b->square + b->count;
    b->index = (uint32_t *)(b->value + p->raw_columns);
    b->spread = b->value + 2 * p->raw_columns;
}

static int is_absent(const block *b, size_t j)
{
    const of_fresh *fresh = b->fresh;
    return fresh->present && !fresh->present[(b->first + j) * fresh->step];
}

static onefold_status refuse(const block *b, size_t j, const char *what)
{
    return of_fail(ONEFOLD_BAD_DATA, "sample %zu of view '%s' %s", b->first + j + 1,
                   b->view->name ? b->view->name : "", what);
}

/* ---- features ----------------------------------------------------------------------------- */

/* Dense features of the block, columns x count packed, in the tile. */
static void dense_features(block *b)
{
    const of_prep *prep = &b->p->prep;
    size_t raw = b->p->raw_columns, d = b->p->columns;
    of_view_tile(b->view, b->first, b->count, b->tile, raw);
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
}

/* A sample's entries that are not 0, and their number. */
static size_t entries_of(const block *b, size_t j)
{
    const of_view *view = b->view;
    size_t count = 0;
    if (view->storage == OF_SPARSE) {
        const of_sparse *sparse = &view->sparse;
        size_t row = b->first + j;
        for (size_t e = sparse->start[row]; e < sparse->start[row + 1]; e++)
            if (sparse->value[e] != 0) {
                b->index[count] = sparse->index[e];
                b->value[count++] = sparse->value[e];
            }
        return count;
    }
    const double *x = b->tile + j * b->p->raw_columns;
    for (size_t i = 0; i < b->p->raw_columns; i++)
        if (x[i] != 0) {
            b->index[count] = (uint32_t)i;
            b->value[count++] = x[i];
        }
    return count;
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
static onefold_status prepare_entries(const block *b, size_t j, size_t *count)
{
    const of_projection *p = b->p;
    size_t left = 0;
    for (size_t e = 0; e < *count; e++) {
        uint32_t column = feature_of(&p->prep, b->index[e]);
        double x = b->value[e];
        if (column == UINT32_MAX)
            continue;
        if (p->prep.kind == OF_PREP_TFIDF && x < 0 && !is_absent(b, j))
            return refuse(b, j, "has a negative entry, which tf-idf has no room for");
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

/* Sparse features of sample j of the block. */
static onefold_status sparse_features(const block *b, size_t j, const uint32_t **index,
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
    *count = entries_of(b, j);
    OF_TRY(prepare_entries(b, j, count));
    *index = b->index;
    *value = b->value;
    return ONEFOLD_OK;
}

/* ---- the end of every form ---------------------------------------------------------------- */

/* h, still to be normalised, by 1 / sqrt(square), and what share of the length it keeps. */
static onefold_status normalise(const block *b)
{
    const of_projection *p = b->p;
    for (size_t j = 0; j < b->count; j++) {
        double *h = b->h + j * b->ldh, kept = 0;
        if (is_absent(b, j)) { /* whatever stands there */
            memset(h, 0, p->rank * sizeof *h);
            b->kept[j] = -1;
            continue;
        }
        if (!isfinite(b->square[j]))
            return of_hint(refuse(b, j, "has values too large to be squared"), "scale it down");
        double scale = b->square[j] > p->floor ? 1 / sqrt(b->square[j]) : 0;
        for (size_t r = 0; r < p->rank; r++) {
            h[r] *= scale;
            kept += p->value[r] * h[r] * h[r];
        }
        b->kept[j] = scale > 0 ? fmin(kept, 1) : -1;
    }
    return ONEFOLD_OK;
}

static void weigh(const block *b, size_t inputs, const double *x)
{
    of_gemm('N', 'N', b->p->rank, b->count, inputs, 1, b->p->weight, b->p->rank, x, inputs, 0, b->h,
            b->ldh);
}

static onefold_status from_dense_features(block *b)
{
    size_t d = b->p->columns;
    dense_features(b);
    for (size_t j = 0; j < b->count; j++) {
        double *x = b->tile + j * d;
        for (size_t i = 0; i < d; i++)
            x[i] -= b->p->mean[i];
        b->square[j] = cblas_ddot((int)d, x, 1, x, 1);
    }
    weigh(b, d, b->tile);
    return normalise(b);
}

/* ||f - mean||^2 = ||mean||^2 + sum over the entries of f (f - 2 mean), and W f - W mean. */
static onefold_status from_sparse_features(block *b)
{
    const of_projection *p = b->p;
    size_t rank = p->rank;
    double all = cblas_ddot((int)p->columns, p->mean, 1, p->mean, 1);
    for (size_t j = 0; j < b->count; j++) {
        const uint32_t *index;
        const double *value;
        size_t count;
        double less = 0, *h = b->h + j * b->ldh;
        OF_TRY(sparse_features(b, j, &index, &value, &count));
        for (size_t r = 0; r < rank; r++)
            h[r] = -p->offset[r];
        for (size_t e = 0; e < count; e++) {
            const double *weight = p->weight + (size_t)index[e] * rank;
            less += value[e] * (value[e] - 2 * p->mean[index[e]]);
            for (size_t r = 0; r < rank; r++)
                h[r] += value[e] * weight[r];
        }
        b->square[j] = all + less;
        if (p->kernel == OF_KERNEL_GRAPH && !b->fresh->ready)
            b->square[j] += 1 / ((double)count + 1);
    }
    return normalise(b);
}

/* ---- points ------------------------------------------------------------------------------- */

/* k of sparse samples against sparse points: each sample is spread out once. */
static onefold_status sparse_kernel(block *b)
{
    const of_projection *p = b->p;
    const of_sparse *at = &p->sparse_at;
    memset(b->spread, 0, p->columns * sizeof *b->spread);
    for (size_t j = 0; j < b->count; j++) {
        const uint32_t *index;
        const double *value;
        double own = 0, *k = b->k + j * p->points;
        size_t count;
        OF_TRY(sparse_features(b, j, &index, &value, &count));
        for (size_t e = 0; e < count; e++) {
            double x = p->scale * value[e];
            b->spread[index[e]] = x;
            own += x * x / 2;
        }
        for (size_t i = 0; i < p->points; i++) {
            double product = 0;
            for (size_t e = at->start[i]; e < at->start[i + 1]; e++)
                product += at->value[e] * b->spread[at->index[e]];
            double exponent = product - p->half[i] - own;
            k[i] = exponent < 0 ? exponent : 0;
        }
        for (size_t e = 0; e < count; e++)
            b->spread[index[e]] = 0;
        b->square[j] = own;
        of_exp(p->points, k);
    }
    return ONEFOLD_OK;
}

/* Sparse samples spread out as dense features, for dense points. */
static onefold_status spread_features(block *b)
{
    size_t d = b->p->columns;
    for (size_t j = 0; j < b->count; j++) {
        const uint32_t *index;
        const double *value;
        size_t count;
        OF_TRY(sparse_features(b, j, &index, &value, &count));
        double *out = b->tile + j * d; /* entries of dense views are out of the tile by now */
        memset(out, 0, d * sizeof *out);
        for (size_t e = 0; e < count; e++)
            out[index[e]] = value[e];
    }
    return ONEFOLD_OK;
}

static onefold_status dense_kernel(block *b)
{
    const of_projection *p = b->p;
    size_t d = p->columns;
    if (p->sparse)
        OF_TRY(spread_features(b));
    else
        dense_features(b);
    for (size_t i = 0; i < d * b->count; i++)
        b->tile[i] *= p->scale;
    for (size_t j = 0; j < b->count; j++)
        b->square[j] = cblas_ddot((int)d, b->tile + j * d, 1, b->tile + j * d, 1);
    of_rbf_block(d, p->points, p->at, p->half, b->count, b->tile, b->k);
    return ONEFOLD_OK;
}

static onefold_status from_points(block *b)
{
    const of_projection *p = b->p;
    size_t l = p->points;
    OF_TRY(p->at ? dense_kernel(b) : sparse_kernel(b));
    for (size_t j = 0; j < b->count; j++) {
        double *k = b->k + j * l;
        if (!isfinite(b->square[j])) /* its exponentials are of no use */
            continue;
        b->square[j] = 1 - 2 * cblas_ddot((int)l, k, 1, p->row_mean, 1) + p->mean_of_all;
        for (size_t i = 0; i < l; i++)
            k[i] -= p->point_mean[i];
    }
    weigh(b, l, b->k);
    return normalise(b);
}

/* ---- rows of a precomputed kernel --------------------------------------------------------- */

/* The centred squared length of a sample whose K(x, x) is not known is at least the largest of its
 * squared normalised products with training samples, and just that for a training sample. */
static double least_square(const of_projection *p, const double *k, double own)
{
    double most = 0;
    for (size_t i = 0; i < p->samples; i++)
        most = fmax(most, fabs(p->sample_scale[i] * (k[i] - own)));
    return most * most;
}

static onefold_status from_rows(block *b)
{
    const of_projection *p = b->p;
    size_t n = p->samples, rows = b->view->columns;
    const uint32_t *kept = p->prep.kept;
    of_view_tile(b->view, b->first, b->count, b->tile, rows);
    for (size_t j = 0; j < b->count; j++) {
        double *k = b->tile + j * n, self = p->diagonal, own = 0;
        const double *row = b->tile + j * rows;
        int given = rows > p->raw_columns, known = p->same_diagonal || given;
        if (given)
            self = row[p->raw_columns];
        for (size_t i = 0; i < n; i++) { /* numbers only move to the front */
            k[i] = row[kept ? kept[i] : i] - p->mean_of_all;
            own += k[i] / (double)n;
            k[i] -= p->point_mean[i];
        }
        b->square[j] = known ? (self - p->mean_of_all) - 2 * own : least_square(p, k, own);
    }
    weigh(b, n, b->tile);
    return normalise(b);
}

onefold_status of_projection_apply(const of_projection *projection, const of_fresh *fresh,
                                   size_t first, size_t count, double *room, double *h, size_t ldh,
                                   double *kept)
{
    block b = {.p = projection,
               .fresh = fresh,
               .view = fresh->view,
               .first = first,
               .count = count,
               .h = h,
               .ldh = ldh,
               .kept = kept};
    lay_out(&b, room);
    if (projection->sparse && !fresh->ready && b.view->storage != OF_SPARSE)
        of_view_tile(b.view, first, count, b.tile, projection->raw_columns);
    switch (projection->form) {
    case OF_PROJECT_FEATURES:
        return projection->sparse ? from_sparse_features(&b) : from_dense_features(&b);
    case OF_PROJECT_POINTS:
        return from_points(&b);
    default:
        return from_rows(&b);
    }
}
