/* SPDX-License-Identifier: Apache-2.0 */
/* Projects blocks of new samples: features are made as in training, centred, normalised, and
 * multiplied with the weights. */
#include "partition/projection.h"

#include "kernel/kernel.h"
#include "linalg/blas.h"
#include "linalg/simd.h"
#include "partition/raw_pieces.h"
#include "partition/view_graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A block of new samples. */
typedef struct projecting {
    const of_projection *p;
    const of_fresh *fresh;
    const of_view *view;
    size_t first, count;
    double *h;
    size_t ldh;
    double *kept;
    double *room;
    size_t taken;    /* doubles of the room that are in use */
    double *tile;    /* tile_rows x count: raw values, then the features of dense views */
    double *k;       /* points x count; or room for the search of landmarks */
    double *tie;     /* neighbours x count: ties */
    uint32_t *tied;  /* neighbours x count: their landmarks */
    double *square;  /* count: centred squared lengths */
    double *value;   /* raw_columns: values of a sparse sample */
    uint32_t *index; /* raw_columns: their columns */
    double *spread;  /* columns: a sparse sample made dense; or results of the inner projection */
    double *inner;   /* room for the inner projection */
    uint8_t *absent; /* count: non-zero where a sample lacks the view */
} projecting;

/* The sentence for sample j of the block. */
static onefold_status projecting_refuse(const projecting *b, size_t j, const char *what)
{
    return of_fail(ONEFOLD_BAD_DATA, "sample %zu of view '%s' %s", b->first + j + 1,
                   b->view->name ? b->view->name : "", what);
}

/* ---- values ------------------------------------------------------------------------------- */

/* The raw column of value e of a sample; the value after the row of a kernel is K(x, x). */
static size_t column_of(const projecting *b, const uint32_t *index, size_t e)
{
    if (b->p->form == OF_PROJECT_ROWS && e == b->p->samples)
        return b->p->raw_columns;
    return index ? index[e] : e;
}

static onefold_status refuse_missing(const projecting *b, size_t j, size_t missing, size_t column)
{
    char what[96];
    snprintf(what, sizeof what, "lacks %zu value%s (NaN), the first in column %zu", missing,
             missing == 1 ? "" : "s", column + 1);
    return of_hint(projecting_refuse(b, j, what),
                   b->p->form == OF_PROJECT_ROWS || of_kernel_is_links(b->p->kernel)
                       ? "links and kernels are never filled in"
                       : "fill them in with `impute`; a sample may lack a view only as a whole");
}

/* Checks a sample's values and fills in missing ones. index: their raw columns, or NULL for all.
 * The check is part of reading, so a long file is read only once. */
static onefold_status check_values(projecting *b, size_t j, size_t count, const uint32_t *index,
                                   double *value)
{
    size_t missing = 0, first = 0;
    char what[96];
    if (b->absent[j] || of_all_finite(0, value, 0, count, 1))
        return ONEFOLD_OK;
    for (size_t e = 0; e < count; e++) {
        if (isinf(value[e])) {
            snprintf(what, sizeof what, "has an infinite value in column %zu",
                     column_of(b, index, e) + 1);
            return of_hint(projecting_refuse(b, j, what), "every value must be a finite number");
        }
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

/* Keeps of a kernel's row the columns of training samples that had the view, and K(x, x). In place,
 * as numbers only move to the front. */
static size_t keep_columns(const projecting *b, double *row)
{
    const of_projection *p = b->p;
    size_t given = b->view->columns - p->raw_columns;
    for (size_t i = 0; p->prep.kept && i < p->samples; i++)
        row[i] = row[p->prep.kept[i]];
    if (given)
        row[p->samples] = row[p->raw_columns];
    return p->samples + given;
}

static onefold_status projecting_read(projecting *b)
{
    int rows = b->p->form == OF_PROJECT_ROWS;
    size_t columns = b->view->columns;
    OF_TRY(of_view_read(b->view, b->first, b->count, b->tile, columns));
    for (size_t j = 0; j < b->count; j++) {
        double *x = b->tile + j * columns;
        size_t count = rows ? keep_columns(b, x) : columns;
        OF_TRY(check_values(b, j, count, rows ? b->p->prep.kept : NULL, x));
        if (b->absent[j])
            memset(x, 0, count * sizeof *x);
    }
    return ONEFOLD_OK;
}

/* Reads the nonzeros of sample j. */
static onefold_status projecting_entries(projecting *b, size_t j, size_t *count)
{
    const of_sparse *sparse = &b->view->sparse;
    size_t row = b->first + j, found = 0;
    if (b->view->storage == OF_SPARSE) {
        size_t end = sparse->start[row + 1];
        for (size_t e = sparse->start[row]; e < end; e++)
            if (sparse->value[e] != 0) {
                b->index[found] = sparse->index[e];
                b->value[found++] = sparse->value[e];
            }
        OF_TRY(check_values(b, j, found, b->index, b->value));
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

/* ---- features: dense ones a block at a time, sparse ones a sample at a time ----------------- */

/* The feature of a raw column, or UINT32_MAX where it was dropped. */
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

/* Turns entries into features: kept and scaled columns, tf-idf, links, unit length. */
static onefold_status prepare_entries(const projecting *b, size_t j, size_t *count)
{
    const of_projection *p = b->p;
    size_t left = 0;
    for (size_t e = 0; e < *count; e++) {
        uint32_t column = feature_of(&p->prep, b->index[e]);
        double x = b->value[e];
        if (column == UINT32_MAX)
            continue;
        if (p->prep.kind == OF_PREP_TFIDF && x < 0)
            return projecting_refuse(b, j, "has a negative entry, which tf-idf does not allow");
        if (of_kernel_is_links(p->kernel))
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
    if (of_kernel_has_unit_length(p->kernel))
        norm = of_kernel_is_links(p->kernel) /* its link to itself is in no training column */
                   ? sqrt((double)left + 1)
                   : cblas_dnrm2((int)left, b->value, 1);
    for (size_t e = 0; norm > 0 && e < left; e++)
        b->value[e] /= norm;
    return ONEFOLD_OK;
}

/* The nonzero features of a sample. */
typedef struct entries {
    size_t count;
    const uint32_t *index;
    const double *value;
} entries;

static onefold_status projecting_sparse(projecting *b, size_t j, entries *x)
{
    const of_sparse *ready = b->fresh->ready;
    if (ready) {
        size_t first = ready->start[b->first + j], end = ready->start[b->first + j + 1];
        *x = (entries){end - first, ready->index + first, ready->value + first};
        return ONEFOLD_OK;
    }
    *x = (entries){0, b->index, b->value};
    OF_TRY(projecting_entries(b, j, &x->count));
    return prepare_entries(b, j, &x->count);
}

/* ---- points of a kernel of distances: landmarks, or the training samples
 * ---------------------------- */

/* k of sparse samples against sparse points; each sample is made dense once. */
static onefold_status sparse_kernel(projecting *b)
{
    const of_projection *p = b->p;
    const of_sparse *at = &p->sparse_at;
    memset(b->spread, 0, p->columns * sizeof *b->spread);
    for (size_t j = 0; j < b->count; j++) {
        entries x;
        double own = 0, *k = b->k + j * p->points;
        OF_TRY(projecting_sparse(b, j, &x));
        for (size_t e = 0; e < x.count; e++) {
            double value = p->scale * x.value[e];
            b->spread[x.index[e]] = value;
            own += value * value / 2;
        }
        for (size_t i = 0; i < p->points; i++) {
            double product = 0;
            for (size_t e = at->start[i]; e < at->start[i + 1]; e++)
                product += at->value[e] * b->spread[at->index[e]];
            double exponent = product - p->half[i] - own;
            k[i] = exponent < 0 ? exponent : 0;
        }
        for (size_t e = 0; e < x.count; e++)
            b->spread[x.index[e]] = 0;
        b->square[j] = own;
        of_kernel_rows[p->kernel]->values(p->points, k);
    }
    return ONEFOLD_OK;
}

/* Makes sparse samples dense, for dense points. */
static onefold_status spread_features(projecting *b)
{
    size_t d = b->p->columns;
    for (size_t j = 0; j < b->count; j++) {
        entries x;
        OF_TRY(projecting_sparse(b, j, &x));
        double *out = b->tile + j * d; /* raw values of a dense view have been read by now */
        memset(out, 0, d * sizeof *out);
        for (size_t e = 0; e < x.count; e++)
            out[x.index[e]] = x.value[e];
    }
    return ONEFOLD_OK;
}

/* Dense features of the block, columns x count packed, in the tile. */
static onefold_status read_features(projecting *b)
{
    OF_TRY(projecting_read(b));
    of_kernel_prepare(b->p->kernel, &b->p->prep, b->p->raw_columns, b->count, b->tile);
    return ONEFOLD_OK;
}

static onefold_status dense_kernel(projecting *b)
{
    const of_projection *p = b->p;
    size_t d = p->columns;
    OF_TRY(b->p->sparse ? spread_features(b) : read_features(b));
    for (size_t i = 0; i < d * b->count; i++)
        b->tile[i] *= p->scale;
    for (size_t j = 0; j < b->count; j++)
        b->square[j] = cblas_ddot((int)d, b->tile + j * d, 1, b->tile + j * d, 1);
    of_distance_block(of_kernel_rows[p->kernel]->values, d, p->points, p->at, p->half, b->count,
                      b->tile, b->k);
    return ONEFOLD_OK;
}

/* h = W x, x inputs x count. */
static void projecting_weigh(const projecting *b, size_t inputs, const double *x)
{
    of_gemm('N', 'N', b->p->rank, b->count, inputs, 1, b->p->weight, b->p->rank, x, inputs, 0, b->h,
            b->ldh);
}

/* k in double precision, centred and weighed. */
static onefold_status from_double(projecting *b)
{
    const of_projection *p = b->p;
    size_t l = p->points;
    OF_TRY(p->at ? dense_kernel(b) : sparse_kernel(b));
    for (size_t j = 0; j < b->count; j++) {
        double *k = b->k + j * l;
        if (!isfinite(b->square[j])) /* refused later */
            continue;
        b->square[j] = 1 - 2 * cblas_ddot((int)l, k, 1, p->row_mean, 1) + p->mean_of_all;
        for (size_t i = 0; i < l; i++)
            k[i] -= p->point_mean[i];
    }
    projecting_weigh(b, l, b->k);
    return ONEFOLD_OK;
}

/* ---- single precision --------------------------------------------------------------------- */

/* k in single precision, as in the last pass of the Nystrom route: the kernel less its mean, and
 * one product with the weights and the row means, in cache. */
static onefold_status from_single(projecting *b)
{
    const of_projection *p = b->p;
    size_t d = p->columns, rows = p->rank + 1, count = b->count;
    float *k = (float *)b->k, *image = k + p->points * count, *features = image + rows * count;
    OF_TRY(b->p->sparse ? spread_features(b) : read_features(b));
    of_projection_single_apply(p->single, p->scale, count, b->tile, features, k, image);
    for (size_t j = 0; j < count; j++) {
        const float *h = image + j * rows;
        double own = cblas_ddot((int)d, b->tile + j * d, 1, b->tile + j * d, 1);
        b->square[j] = isfinite(own) ? 1 - p->mean_of_all - 2 * (double)h[p->rank] : own;
        for (size_t r = 0; r < p->rank; r++)
            b->h[j * b->ldh + r] = (double)h[r];
    }
    return ONEFOLD_OK;
}

/* ---- ties to a landmark graph --------------------------------------------------------------- */

/* h (rank) = weights times columns of W, ROWS rows at a time. The last rows may be done twice. */
OF_SIMD static void add_columns(size_t rank, size_t count, const uint32_t *index,
                                const double *weight, const double *W, double *h)
{
    enum { ROWS = 8 };
    typedef double rows __attribute__((vector_size(ROWS * sizeof(double)), aligned(8), may_alias));
    for (size_t r = 0; r < rank && rank < ROWS; r++) {
        h[r] = 0;
        for (size_t e = 0; e < count; e++)
            h[r] += weight[e] * W[index[e] * rank + r];
    }
    for (size_t first = 0; first < rank && rank >= ROWS; first += ROWS) {
        size_t r = first + ROWS <= rank ? first : rank - ROWS;
        rows sum = {0};
        for (size_t e = 0; e < count; e++)
            sum += weight[e] * *(const rows *)(W + index[e] * rank + r);
        *(rows *)(h + r) = sum;
    }
}

/* h = W z of one sample, and its squared length, sum z^2 / degree - 1 / n. */
static void weigh_ties(projecting *b, size_t j, size_t count, const uint32_t *index,
                       const double *weight)
{
    const of_projection *p = b->p;
    double square = -1 / (double)p->samples;
    add_columns(p->rank, count, index, weight, p->weight, b->h + j * b->ldh);
    for (size_t e = 0; e < count; e++)
        if (p->degree[index[e]] > 0)
            square += weight[e] * weight[e] / p->degree[index[e]];
    b->kept[j] = count == 0 ? OF_KEPT_NOTHING : fmax(square, 0);
}

/* The ties of a sample from its links: in the training graph, or of a new sample, whose link to
 * itself has no landmark. */
static void tie_links(projecting *b, size_t j, const uint32_t *index, size_t count)
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

/* The ties of samples j .. j+count-1 from their nearest landmarks. */
static void tie_nearest(projecting *b, size_t j, size_t count)
{
    size_t r = b->p->set.neighbours;
    of_landmark_weigh(count, r, b->tied, b->tie);
    for (size_t i = 0; i < count; i++)
        weigh_ties(b, j + i, r, b->tied + i * r, b->tie + i * r);
}

static onefold_status from_sparse(projecting *b)
{
    const of_landmark_set *set = &b->p->set;
    for (size_t j = 0; j < b->count; j++) {
        entries x;
        OF_TRY(projecting_sparse(b, j, &x));
        if (of_kernel_is_links(b->p->kernel)) {
            tie_links(b, j, x.index, x.count);
        } else if (x.count) {
            of_landmark_distances_sparse(set, x.count, x.index, x.value, b->k);
            of_landmark_find(set->count, set->neighbours, b->k, b->tied, b->tie);
            tie_nearest(b, j, 1);
        } else {
            weigh_ties(b, j, 0, NULL, NULL);
        }
    }
    return ONEFOLD_OK;
}

static void from_columns(projecting *b, const double *x)
{
    const of_landmark_set *set = &b->p->set;
    of_landmark_nearest(set, set->neighbours, b->count, x, b->k, b->tied, b->tie);
    tie_nearest(b, 0, b->count);
}

/* Projects the block onto principal components first. */
static onefold_status from_inner(projecting *b)
{
    const of_projection *p = b->p, *inner = p->inner;
    double *x = b->spread, *kept = x + p->columns * b->count;
    OF_TRY(of_projection_apply(inner, b->fresh, b->first, b->count, b->inner, x, p->columns, kept));
    for (size_t j = 0; j < b->count; j++)
        b->absent[j] = kept[j] == OF_KEPT_ABSENT;
    of_view_graph_place(p->columns, b->count, x, p->columns);
    from_columns(b, x);
    return ONEFOLD_OK;
}

/* Fills h and kept of the block. */
static onefold_status projecting_ties(projecting *b)
{
    if (b->p->inner)
        return from_inner(b);
    if (b->p->sparse)
        return from_sparse(b);
    OF_TRY(read_features(b));
    from_columns(b, b->tile);
    return ONEFOLD_OK;
}

/* Rows of the tile. Sparse samples need none, except for dense points. */
static size_t tile_rows(const of_projection *p, const of_view *view)
{
    if (p->inner)
        return 0;
    if (p->sparse && view->storage == OF_SPARSE)
        return p->form == OF_PROJECT_POINTS && p->at ? p->columns : 0;
    return p->raw_columns + (p->form == OF_PROJECT_ROWS);
}

/* Doubles for the kernel against the points, or for the search of landmarks. */
static size_t kernel_room(const of_projection *p, size_t count)
{
    if (p->form == OF_PROJECT_TIES)
        return p->set.room;
    return p->single ? ((p->points + p->rank + 1 + p->columns) * count + 1) / 2 : p->points * count;
}

/* Takes `count` doubles of the room; without room, only counts them. */
static double *take(projecting *b, size_t count)
{
    double *at = b->room ? b->room + b->taken : NULL;
    b->taken += count;
    return at;
}

static void lay_out(projecting *b)
{
    const of_projection *p = b->p;
    b->tile = take(b, tile_rows(p, b->view) * b->count);
    b->k = take(b, kernel_room(p, b->count));
    b->tie = take(b, p->set.neighbours * b->count);
    b->tied = (uint32_t *)take(b, (p->set.neighbours * b->count + 1) / 2);
    b->square = take(b, b->count);
    b->absent = (uint8_t *)take(b, b->count / sizeof(double) + 1);
    if (p->inner) {
        b->spread = take(b, (p->columns + 1) * b->count);
        b->inner = take(b, of_projection_room(p->inner, b->view, b->count));
    } else if (p->sparse) {
        b->value = take(b, p->raw_columns);
        b->index = (uint32_t *)take(b, p->raw_columns);
        b->spread = take(b, p->columns);
    }
}

size_t of_projection_room(const of_projection *p, const of_view *view, size_t count)
{
    projecting b = {.p = p, .view = view, .count = count};
    lay_out(&b);
    return b.taken;
}

/* ---- features ----------------------------------------------------------------------------- */

static onefold_status from_dense_features(projecting *b)
{
    size_t d = b->p->columns;
    OF_TRY(read_features(b));
    for (size_t j = 0; j < b->count; j++) {
        double *x = b->tile + j * d;
        cblas_daxpy((int)d, -1, b->p->mean, 1, x, 1);
        b->square[j] = cblas_ddot((int)d, x, 1, x, 1);
    }
    projecting_weigh(b, d, b->tile);
    return ONEFOLD_OK;
}

static int keeps_lengths(const of_projection *p)
{
    return p->form == OF_PROJECT_FEATURES && p->scale > 0;
}

/* ||f - mean||^2 = ||mean||^2 + sum over the entries of f (f - 2 mean), and W f - W mean. */
static onefold_status from_sparse_features(projecting *b)
{
    const of_projection *p = b->p;
    size_t rank = p->rank;
    double all = cblas_ddot((int)p->columns, p->mean, 1, p->mean, 1);
    for (size_t j = 0; j < b->count; j++) {
        entries x;
        double less = 0, *h = b->h + j * b->ldh;
        OF_TRY(projecting_sparse(b, j, &x));
        for (size_t r = 0; r < rank; r++)
            h[r] = -p->offset[r];
        for (size_t e = 0; e < x.count; e++) {
            const double *weight = p->weight + (size_t)x.index[e] * rank;
            double value = x.value[e];
            less += value * (value - 2 * p->mean[x.index[e]]);
            for (size_t r = 0; r < rank; r++)
                h[r] += value * weight[r];
        }
        b->square[j] = all + less;
        if (keeps_lengths(p) && !x.count) /* gives scale 0, as in training */
            b->square[j] = -1;
        if (of_kernel_is_links(p->kernel) && !b->fresh->ready)
            b->square[j] += 1 / ((double)x.count + 1);
    }
    return ONEFOLD_OK;
}

/* ---- rows of a precomputed kernel --------------------------------------------------------- */

/* A lower bound of the centred squared length where K(x, x) is not known: the largest squared
 * normalised product with a training sample. It is exact for training samples. */
static double least_square(const of_projection *p, const double *k, double own)
{
    double most = 0;
    for (size_t i = 0; i < p->samples; i++)
        most = fmax(most, fabs(p->sample_scale[i] * (k[i] - own)));
    return most * most;
}

static onefold_status from_rows(projecting *b)
{
    const of_projection *p = b->p;
    size_t n = p->samples, columns = b->view->columns;
    int given = columns > p->raw_columns, known = p->same_diagonal || given;
    OF_TRY(projecting_read(b));
    for (size_t j = 0; j < b->count; j++) {
        const double *row = b->tile + j * columns;
        double *k = b->tile + j * n, self = given ? row[n] : p->diagonal, own = 0;
        for (size_t i = 0; i < n; i++) { /* numbers only move to the front */
            k[i] = row[i] - p->mean_of_all;
            own += k[i] / (double)n;
            k[i] -= p->point_mean[i];
        }
        b->square[j] = known ? (self - p->mean_of_all) - 2 * own : least_square(p, k, own);
    }
    projecting_weigh(b, n, b->tile);
    return ONEFOLD_OK;
}

/* ---- normalising -------------------------------------------------------------------------- */

/* s of a sample, from its centred squared length. */
static double scale_of(const of_projection *p, double square)
{
    if (keeps_lengths(p))
        return square < 0 ? 0 : p->scale;
    return square > p->floor ? 1 / sqrt(square) : 0;
}

/* Multiplies h by s, and fills `kept`. */
static onefold_status normalise(const projecting *b)
{
    const of_projection *p = b->p;
    for (size_t j = 0; j < b->count; j++) {
        double *h = b->h + j * b->ldh;
        if (b->absent[j])
            continue;
        if (!isfinite(b->square[j]))
            return of_hint(projecting_refuse(b, j, "has values too large to be squared"),
                           "scale it down");
        double scale = scale_of(p, b->square[j]);
        for (size_t r = 0; r < p->rank; r++)
            h[r] *= scale;
        b->kept[j] = !(scale > 0)       ? OF_KEPT_NOTHING
                     : keeps_lengths(p) ? b->square[j] * scale * scale
                                        : 1;
    }
    return ONEFOLD_OK;
}

onefold_status of_projection_apply(const of_projection *projection, const of_fresh *fresh,
                                   size_t first, size_t count, double *room, double *h, size_t ldh,
                                   double *kept)
{
    projecting b = {.p = projection,
                    .fresh = fresh,
                    .view = fresh->view,
                    .first = first,
                    .count = count,
                    .room = room,
                    .h = h,
                    .ldh = ldh,
                    .kept = kept};
    lay_out(&b);
    for (size_t j = 0; j < count; j++)
        b.absent[j] = fresh->present && !fresh->present[(first + j) * fresh->step];
    if (projection->sparse && !projection->inner && !fresh->ready && b.view->storage != OF_SPARSE)
        OF_TRY(projecting_read(&b));
    if (projection->form == OF_PROJECT_TIES)
        OF_TRY(projecting_ties(&b));
    else if (projection->form == OF_PROJECT_POINTS)
        OF_TRY(projection->single ? from_single(&b) : from_double(&b));
    else if (projection->form == OF_PROJECT_ROWS)
        OF_TRY(from_rows(&b));
    else
        OF_TRY(projection->sparse ? from_sparse_features(&b) : from_dense_features(&b));
    if (projection->form != OF_PROJECT_TIES)
        OF_TRY(normalise(&b));
    for (size_t j = 0; j < count; j++)
        if (b.absent[j]) {
            memset(h + j * ldh, 0, projection->rank * sizeof *h);
            kept[j] = OF_KEPT_ABSENT;
        }
    return ONEFOLD_OK;
}
