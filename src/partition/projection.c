/* SPDX-License-Identifier: Apache-2.0 */
/* A few new samples at a time through a view's projection: features made as in training, centred,
 * normalised, multiplied with the weights. */
#include "linalg/blas.h"
#include "partition/projection_block.h"

#include <math.h>
#include <string.h>

/* Rows of the tile: sparse samples need none but for dense points. */
static size_t tile_rows(const of_projection *p, const of_view *view)
{
    if (p->inner)
        return 0;
    if (p->sparse && view->storage == OF_SPARSE)
        return p->form == OF_PROJECT_POINTS && p->at ? p->columns : 0;
    return p->raw_columns + (p->form == OF_PROJECT_ROWS);
}

static size_t kernel_room(const of_projection *p, size_t count)
{
    return p->form == OF_PROJECT_TIES ? of_projecting_ties_room(p, count)
                                      : of_projecting_kernel_room(p, count);
}

size_t of_projection_width(const of_projection *p, const of_view *view)
{
    size_t inner = p->inner ? of_projection_width(p->inner, view) + p->columns : 0;
    return tile_rows(p, view) + of_projecting_kernel_room(p, 1) + p->rank + 1 + inner;
}

size_t of_projection_room(const of_projection *p, const of_view *view, size_t count)
{
    size_t entries = p->sparse ? 2 * p->raw_columns + p->columns : 0;
    if (p->inner)
        entries = of_projecting_inner_room(p, view, count);
    return (tile_rows(p, view) + 1) * count + kernel_room(p, count) + entries +
           count / sizeof(double) + 1;
}

static void lay_out(of_projecting *b, double *room)
{
    const of_projection *p = b->p;
    b->tile = room;
    b->k = b->tile + tile_rows(p, b->view) * b->count;
    b->square = b->k + kernel_room(p, b->count);
    b->value = b->square + b->count;
    if (p->inner) {
        b->spread = b->value;
        b->absent = (uint8_t *)(b->spread + of_projecting_inner_room(p, b->view, b->count));
        return;
    }
    b->index = (uint32_t *)(b->value + p->raw_columns);
    b->spread = b->value + 2 * p->raw_columns;
    b->absent = (uint8_t *)(p->sparse ? b->spread + p->columns : b->value);
}

onefold_status of_projecting_refuse(const of_projecting *b, size_t j, const char *what)
{
    return of_fail(ONEFOLD_BAD_DATA, "sample %zu of view '%s' %s", b->first + j + 1,
                   b->view->name ? b->view->name : "", what);
}

/* ---- features ----------------------------------------------------------------------------- */

static onefold_status from_dense_features(of_projecting *b)
{
    size_t d = b->p->columns;
    OF_TRY(of_projecting_features(b));
    for (size_t j = 0; j < b->count; j++) {
        double *x = b->tile + j * d;
        for (size_t i = 0; i < d; i++)
            x[i] -= b->p->mean[i];
        b->square[j] = cblas_ddot((int)d, x, 1, x, 1);
    }
    of_projecting_weigh(b, d, b->tile);
    return ONEFOLD_OK;
}

static int keeps_lengths(const of_projection *p)
{
    return p->form == OF_PROJECT_FEATURES && p->scale > 0;
}

/* ||f - mean||^2 = ||mean||^2 + sum over the entries of f (f - 2 mean), and W f - W mean. */
static onefold_status from_sparse_features(of_projecting *b)
{
    const of_projection *p = b->p;
    size_t rank = p->rank;
    double all = cblas_ddot((int)p->columns, p->mean, 1, p->mean, 1);
    for (size_t j = 0; j < b->count; j++) {
        const uint32_t *index;
        const double *value;
        size_t count;
        double less = 0, *h = b->h + j * b->ldh;
        OF_TRY(of_projecting_sparse(b, j, &index, &value, &count));
        for (size_t r = 0; r < rank; r++)
            h[r] = -p->offset[r];
        for (size_t e = 0; e < count; e++) {
            const double *weight = p->weight + (size_t)index[e] * rank;
            less += value[e] * (value[e] - 2 * p->mean[index[e]]);
            for (size_t r = 0; r < rank; r++)
                h[r] += value[e] * weight[r];
        }
        b->square[j] = all + less;
        b->absent[j] |= keeps_lengths(p) && !count;
        if (p->kernel == OF_KERNEL_GRAPH && !b->fresh->ready)
            b->square[j] += 1 / ((double)count + 1);
    }
    return ONEFOLD_OK;
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

static onefold_status from_rows(of_projecting *b)
{
    const of_projection *p = b->p;
    size_t n = p->samples, columns = b->view->columns;
    int given = columns > p->raw_columns, known = p->same_diagonal || given;
    OF_TRY(of_projecting_read(b));
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
    of_projecting_weigh(b, n, b->tile);
    return ONEFOLD_OK;
}

/* ---- the end of every form ---------------------------------------------------------------- */

/* s of a sample whose centred squared length this is. */
static double scale_of(const of_projection *p, double square)
{
    if (keeps_lengths(p))
        return p->scale;
    return square > p->floor ? 1 / sqrt(square) : 0;
}

/* h, still to be normalised, by s, and what share of the length it keeps. */
static onefold_status normalise(const of_projecting *b)
{
    const of_projection *p = b->p;
    for (size_t j = 0; j < b->count; j++) {
        double *h = b->h + j * b->ldh, kept = 0;
        if (b->absent[j]) { /* whatever stands there */
            memset(h, 0, p->rank * sizeof *h);
            b->kept[j] = OF_KEPT_ABSENT;
            continue;
        }
        if (!isfinite(b->square[j]))
            return of_hint(of_projecting_refuse(b, j, "has values too large to be squared"),
                           "scale it down");
        double scale = scale_of(p, b->square[j]);
        for (size_t r = 0; r < p->rank; r++) {
            h[r] *= scale;
            kept += p->value[r] * h[r] * h[r];
        }
        double length = keeps_lengths(p) ? b->square[j] * scale * scale : 1;
        b->kept[j] = !(scale > 0)  ? OF_KEPT_NOTHING
                     : p->joined   ? length
                     : length <= 0 ? 1
                                   : fmin(kept / length, 1);
    }
    return ONEFOLD_OK;
}

void of_projecting_weigh(const of_projecting *b, size_t inputs, const double *x)
{
    of_gemm('N', 'N', b->p->rank, b->count, inputs, 1, b->p->weight, b->p->rank, x, inputs, 0, b->h,
            b->ldh);
}

onefold_status of_projection_apply(const of_projection *projection, const of_fresh *fresh,
                                   size_t first, size_t count, double *room, double *h, size_t ldh,
                                   double *kept)
{
    of_projecting b = {.p = projection,
                       .fresh = fresh,
                       .view = fresh->view,
                       .first = first,
                       .count = count,
                       .h = h,
                       .ldh = ldh,
                       .kept = kept};
    lay_out(&b, room);
    for (size_t j = 0; j < count; j++)
        b.absent[j] = fresh->present && !fresh->present[(first + j) * fresh->step];
    if (projection->inner)
        return of_projecting_ties(&b);
    if (projection->sparse && !fresh->ready && b.view->storage != OF_SPARSE)
        OF_TRY(of_projecting_read(&b));
    if (projection->form == OF_PROJECT_TIES)
        return of_projecting_ties(&b);
    if (projection->form == OF_PROJECT_POINTS)
        OF_TRY(of_projecting_points(&b));
    else if (projection->form == OF_PROJECT_ROWS)
        OF_TRY(from_rows(&b));
    else
        OF_TRY(projection->sparse ? from_sparse_features(&b) : from_dense_features(&b));
    return normalise(&b);
}
