/* SPDX-License-Identifier: Apache-2.0 */
/* New samples against the points of an rbf kernel: landmarks, or the training samples. */
#include "kernel/exp.h"
#include "linalg/blas.h"
#include "partition/projection_block.h"

#include <math.h>
#include <string.h>

/* k of sparse samples against sparse points: each sample is spread out once. */
static onefold_status sparse_kernel(of_projecting *b)
{
    const of_projection *p = b->p;
    const of_sparse *at = &p->sparse_at;
    memset(b->spread, 0, p->columns * sizeof *b->spread);
    for (size_t j = 0; j < b->count; j++) {
        const uint32_t *index;
        const double *value;
        double own = 0, *k = b->k + j * p->points;
        size_t count;
        OF_TRY(of_projecting_sparse(b, j, &index, &value, &count));
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
static onefold_status spread_features(of_projecting *b)
{
    size_t d = b->p->columns;
    for (size_t j = 0; j < b->count; j++) {
        const uint32_t *index;
        const double *value;
        size_t count;
        OF_TRY(of_projecting_sparse(b, j, &index, &value, &count));
        double *out = b->tile + j * d; /* entries of dense views are out of the tile by now */
        memset(out, 0, d * sizeof *out);
        for (size_t e = 0; e < count; e++)
            out[index[e]] = value[e];
    }
    return ONEFOLD_OK;
}

/* Dense features of the block, in the tile, whatever the view is. */
static onefold_status load_features(of_projecting *b)
{
    return b->p->sparse ? spread_features(b) : of_projecting_features(b);
}

static onefold_status dense_kernel(of_projecting *b)
{
    const of_projection *p = b->p;
    size_t d = p->columns;
    OF_TRY(load_features(b));
    for (size_t i = 0; i < d * b->count; i++)
        b->tile[i] *= p->scale;
    for (size_t j = 0; j < b->count; j++)
        b->square[j] = cblas_ddot((int)d, b->tile + j * d, 1, b->tile + j * d, 1);
    of_rbf_block(d, p->points, p->at, p->half, b->count, b->tile, b->k);
    return ONEFOLD_OK;
}

/* k in double precision, centred and weighed. */
static onefold_status from_double(of_projecting *b)
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
    of_projecting_weigh(b, l, b->k);
    return ONEFOLD_OK;
}

/* ---- single precision --------------------------------------------------------------------- */

/* As the last pass of the Nystrom route does it over many samples: the kernel, less its mean, and
 * one product with the weights and the row means, all of it in cache. */
static onefold_status from_single(of_projecting *b)
{
    const of_projection *p = b->p;
    const of_projection_single *single = p->single;
    size_t d = p->columns, l = p->points, rows = p->rank + 1, count = b->count;
    float *k = (float *)b->k, *image = k + l * count, *features = image + rows * count;
    OF_TRY(load_features(b));
    of_rbf_block_single(&single->points, p->scale, count, b->tile, features, k);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)count, (int)l, 1,
                single->weight, (int)rows, k, (int)l, 0, image, (int)rows);
    for (size_t j = 0; j < count; j++) {
        const float *h = image + j * rows;
        double own = cblas_ddot((int)d, b->tile + j * d, 1, b->tile + j * d, 1);
        b->square[j] = isfinite(own) ? 1 - p->mean_of_all - 2 * (double)h[p->rank] : own;
        for (size_t r = 0; r < p->rank; r++)
            b->h[j * b->ldh + r] = (double)h[r];
    }
    return ONEFOLD_OK;
}

size_t of_projecting_kernel_room(const of_projection *p, size_t count)
{
    return p->single ? ((p->points + p->rank + 1 + p->columns) * count + 1) / 2 : p->points * count;
}

onefold_status of_projecting_points(of_projecting *b)
{
    return b->p->single ? from_single(b) : from_double(b);
}
