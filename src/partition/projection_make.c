/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes projections of new samples: copies arrays out of a route's scratch, applies signs, and
 * computes weights from the eigenvectors of an exact route. For rbf and precomputed kernels these
 * are W = Lambda^-1 V T C over all training samples, with their normalisation T and the centring C;
 * a new sample then only needs k - kbar.
 */
#include "base/team.h"
#include "linalg/blas.h"
#include "partition/projection.h"
#include "partition/routes.h"

#include <float.h>
#include <math.h>
#include <string.h>

onefold_status of_copy_array(of_arena *arena, const void *from, size_t size, size_t count,
                             const void **to)
{
    void *made;
    *to = NULL;
    if (!from)
        return ONEFOLD_OK;
    OF_TRY(of_arena_allocate(arena, &made, size, count, 1));
    if (count && !of_counts(arena->context))
        memcpy(made, from, size * count);
    *to = made;
    return ONEFOLD_OK;
}

static onefold_status copy_sparse(of_arena *arena, const of_sparse *from, of_sparse *to)
{
    if (!from->start)
        return ONEFOLD_OK;
    size_t entries = from->start[from->rows];
    size_t *start;
    OF_TRY(OF_NEW_THERE(arena, &start, from->rows + 1, 1));
    memcpy(start, from->start, (from->rows + 1) * sizeof *start);
    to->start = start;
    OF_TRY(OF_COPY(arena, from->index, entries, &to->index));
    return OF_COPY(arena, from->value, entries, &to->value);
}

static onefold_status copy_prep(of_arena *arena, const of_prep *from, of_prep *to)
{
    *to = *from;
    OF_TRY(OF_COPY(arena, from->kept, from->columns, &to->kept));
    OF_TRY(OF_COPY(arena, from->shift, from->columns, &to->shift));
    return OF_COPY(arena, from->scale, from->columns, &to->scale);
}

static onefold_status copy_inner(of_arena *arena, const of_projection *from, of_projection *to)
{
    of_projection *inner;
    if (!from->inner)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &inner, 1, 1));
    to->inner = inner;
    return of_projection_copy(arena, from->inner, from->inner->rank, inner);
}

onefold_status of_projection_copy(of_arena *arena, const of_projection *from, size_t rank,
                                  of_projection *to)
{
    size_t inputs = of_projection_inputs(from);
    double *weight;
    *to = *from;
    to->rank = rank < from->rank ? rank : from->rank;
    OF_TRY(OF_COPY(arena, from->value, to->rank, &to->value));
    OF_TRY(OF_NEW(arena, &weight, to->rank, inputs));
    for (size_t i = 0; i < inputs && !of_counts(arena->context); i++)
        memcpy(weight + i * to->rank, from->weight + i * from->rank, to->rank * sizeof *weight);
    to->weight = weight;
    OF_TRY(copy_prep(arena, &from->prep, &to->prep));
    OF_TRY(OF_COPY(arena, from->mean, from->columns, &to->mean));
    OF_TRY(OF_COPY(arena, from->at, from->columns * from->points, &to->at));
    OF_TRY(OF_COPY(arena, from->point_mean, inputs, &to->point_mean));
    OF_TRY(OF_COPY(arena, from->row_mean, inputs, &to->row_mean));
    OF_TRY(OF_COPY(arena, from->sample_scale, from->samples, &to->sample_scale));
    OF_TRY(OF_COPY(arena, from->degree, from->points, &to->degree));
    OF_TRY(copy_sparse(arena, &from->sparse_at, &to->sparse_at));
    OF_TRY(copy_inner(arena, from, to));
    return of_projection_prepare(arena, to);
}

onefold_status of_projection_features(const of_centred *centred, const double *weight,
                                      of_route_work *work)
{
    of_projection *p = work->projection;
    if (!p)
        return ONEFOLD_OK;
    p->form = OF_PROJECT_FEATURES;
    p->rank = work->rank;
    p->columns = centred->columns;
    p->floor = centred->floor;
    p->scale = centred->common;
    OF_TRY(OF_COPY(work->arena, centred->mean, p->columns, &p->mean));
    return OF_COPY(work->arena, weight, p->rank * p->columns, &p->weight);
}

size_t of_projection_inputs(const of_projection *projection)
{
    switch (projection->form) {
    case OF_PROJECT_FEATURES:
        return projection->columns;
    case OF_PROJECT_POINTS:
    case OF_PROJECT_TIES:
        return projection->points;
    default:
        return projection->samples;
    }
}

uint64_t of_projection_links(const of_sparse *features)
{
    uint64_t links = 0xcbf29ce484222325u; /* FNV-1a, a number at a time */
    for (size_t j = 0; j < features->rows; j++) {
        links = (links ^ features->start[j + 1]) * 0x100000001b3u;
        for (size_t e = features->start[j]; e < features->start[j + 1]; e++)
            links = (links ^ features->index[e]) * 0x100000001b3u;
    }
    return links;
}

onefold_status of_projection_finish(of_context *context, of_arena *arena, const of_kernel *kernel,
                                    of_route route, const double *value, const double *sign,
                                    of_projection *projection)
{
    projection->kernel = kernel->kind;
    projection->route = route;
    projection->samples = kernel->view->samples;
    projection->raw_columns = kernel->view->columns;
    projection->sparse = kernel->features.start != NULL;
    if (of_kernel_is_links(kernel->kind) && !of_counts(context))
        projection->links = of_projection_links(&kernel->features);
    OF_TRY(copy_prep(arena, &kernel->prep, &projection->prep));
    OF_TRY(OF_COPY(arena, value, projection->rank, &projection->value));
    double *weight = (double *)projection->weight; /* from this arena, and not shared yet */
    for (size_t i = 0; sign && i < of_projection_inputs(projection) && !of_counts(context); i++)
        for (size_t r = 0; r < projection->rank; r++)
            weight[i * projection->rank + r] *= sign[r];
    return of_projection_prepare(arena, projection);
}

/* Half the squared lengths of the points, dense or sparse. */
static onefold_status halve_squares(of_arena *arena, of_projection *p)
{
    double *half;
    size_t d = p->columns;
    const of_sparse *sparse = &p->sparse_at;
    OF_TRY(OF_NEW_ZERO(arena, &half, p->points, 1));
    p->half = half;
    OF_COUNTED(arena->context);
    for (size_t i = 0; p->at && i < p->points; i++)
        half[i] = 0.5 * cblas_ddot((int)d, p->at + i * d, 1, p->at + i * d, 1);
    for (size_t i = 0; !p->at && sparse->start && i < sparse->rows; i++)
        for (size_t e = sparse->start[i]; e < sparse->start[i + 1]; e++)
            half[i] += 0.5 * (sparse->value[e] * sparse->value[e]);
    return ONEFOLD_OK;
}

static onefold_status weigh_mean(of_arena *arena, of_projection *projection)
{
    double *offset;
    size_t rank = projection->rank;
    OF_TRY(OF_NEW_ZERO(arena, &offset, rank, 1));
    projection->offset = offset;
    OF_COUNTED(arena->context);
    for (size_t i = 0; i < projection->columns; i++)
        for (size_t r = 0; r < rank; r++)
            offset[r] += projection->weight[i * rank + r] * projection->mean[i];
    return ONEFOLD_OK;
}

/* Whether rounding k to single precision changes each row of h by at most MOST of its root mean
 * square over the training samples, 1 / sqrt(samples), and the squared length, about 1, by at most
 * MOST. Errors are large where weights are, as for eigenvalues near 0. */
static int single_is_exact_enough(const of_projection *p)
{
    static const double MOST = 1e-3, UNIT = 0x1p-24;
    double largest = 0;
    for (size_t r = 0; r < p->rank; r++)
        largest = fmax(largest, cblas_dnrm2((int)p->points, p->weight + r, (int)p->rank));
    return UNIT * largest * sqrt((double)p->samples) <= MOST &&
           UNIT * cblas_dnrm2((int)p->points, p->row_mean, 1) <= MOST;
}

onefold_status of_projection_single_make(of_arena *arena, const of_projection *p,
                                         of_projection_single *single)
{
    size_t rows = p->rank + 1;
    single->rows = rows;
    OF_TRY(of_points_single_make(arena, p->columns, p->points, p->at, p->half, p->point_mean,
                                 &single->points));
    OF_TRY(OF_NEW(arena, &single->weight, rows, p->points));
    for (size_t i = 0; i < p->points && !of_counts(arena->context); i++) {
        for (size_t r = 0; r < p->rank; r++)
            single->weight[i * rows + r] = (float)p->weight[i * p->rank + r];
        single->weight[i * rows + p->rank] = (float)p->row_mean[i];
    }
    return ONEFOLD_OK;
}

void of_projection_single_apply(const of_projection_single *single, double scale, size_t samples,
                                const double *x, float *features, float *k, float *image)
{
    int rows = (int)single->rows, l = (int)single->points.count;
    of_rbf_block_single(&single->points, scale, samples, x, features, k);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, (int)samples, l, 1, single->weight,
                rows, k, l, 0, image, rows);
}

static onefold_status make_single(of_arena *arena, of_projection *p)
{
    of_projection_single *single;
    p->single = NULL;
    if (p->precision != ONEFOLD_SINGLE || !p->at || !of_kernel_rows[p->kernel]->has_landmarks ||
        !(of_counts(arena->context) || single_is_exact_enough(p)))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &single, 1, 1));
    p->single = single;
    return of_projection_single_make(arena, p, single);
}

onefold_status of_projection_prepare(of_arena *arena, of_projection *p)
{
    if (p->form == OF_PROJECT_TIES) {
        p->set = (of_landmark_set){.count = p->points,
                                   .columns = p->columns,
                                   .neighbours = p->neighbours,
                                   .at = p->at,
                                   .lists = p->sparse_at};
        return of_landmark_set_finish(arena, &p->set);
    }
    if (p->form == OF_PROJECT_POINTS) {
        OF_TRY(halve_squares(arena, p));
        return make_single(arena, p);
    }
    return p->form == OF_PROJECT_FEATURES && p->sparse ? weigh_mean(arena, p) : ONEFOLD_OK;
}

size_t of_projection_bytes(const of_projection *p)
{
    size_t columns = p->prep.columns,
           numbers = p->rank * (of_projection_inputs(p) + 1) +
                     ((p->prep.shift != NULL) + (p->prep.scale != NULL)) * columns +
                     (p->at ? p->points * p->columns : 0),
           bytes = (p->prep.kept != NULL) * columns * sizeof(uint32_t);
    numbers += p->form == OF_PROJECT_FEATURES ? p->columns
               : p->form == OF_PROJECT_POINTS ? 2 * p->points
               : p->form == OF_PROJECT_TIES   ? p->points
                                              : 2 * p->samples;
    if (p->sparse_at.start)
        bytes += p->sparse_at.start[p->sparse_at.rows] * (sizeof(uint32_t) + sizeof(double)) +
                 (p->sparse_at.rows + 1) * sizeof(uint64_t);
    bytes += p->inner ? of_projection_bytes(p->inner) : 0;
    return bytes + numbers * sizeof(double);
}

/* ---- from the eigenvectors of an exact route: features, W = Lambda^-1 V psi ----------------- */

/* weight = V T F - (V T 1) mean' */
static onefold_status gather_sparse(of_context *context, const of_centred *centred,
                                    const of_route_work *work, double *weight)
{
    OF_SCRATCH(scratch, context);
    size_t n = centred->samples, rank = work->rank;
    double *scaled, *sum;
    of_sparse transpose;
    OF_TRY(OF_NEW(&scratch, &scaled, rank, n));
    OF_TRY(OF_NEW_ZERO(&scratch, &sum, rank, 1));
    OF_TRY(of_sparse_transpose(&scratch, &work->kernel->features, &transpose));
    OF_COUNTED(context);
    of_range own = of_comm_own(context, n);
    for (size_t j = own.first; j < own.end; j++)
        for (size_t r = 0; r < rank; r++)
            scaled[j * rank + r] = of_share_at(work->H, j)[r] * *of_share_at(centred->scale, j);
    OF_TRY(of_comm_gather(context, scaled, rank * sizeof *scaled, n));
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rank; r++)
            sum[r] += scaled[j * rank + r];
    OF_TRY(of_sparse_apply(context, &transpose, rank, scaled, weight));
    for (size_t i = 0; i < centred->columns; i++)
        for (size_t r = 0; r < rank; r++)
            weight[i * rank + r] -= sum[r] * centred->mean[i];
    return ONEFOLD_OK;
}

onefold_status of_projection_of_features(of_context *context, const of_centred *centred,
                                         of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    size_t d = centred->columns, rank = work->rank;
    double *weight;
    OF_TRY(OF_NEW(&scratch, &weight, rank, d));
    if (work->kernel->features.start)
        OF_TRY(gather_sparse(context, centred, work, weight));
    else
        OF_TRY(of_centred_gather(context, centred, NULL, rank, work->H, weight));
    for (size_t i = 0; i < d && !of_counts(context); i++)
        for (size_t r = 0; r < rank; r++)
            weight[i * rank + r] /= work->value[r];
    return of_projection_features(centred, weight, work);
}

/* ---- from the eigenvectors of an exact route: all training samples -------------------------- */

/* W = Lambda^-1 V T C: rank x n. */
static onefold_status centred_weights(of_arena *arena, const of_route_work *work,
                                      const double *scale, const double **weight)
{
    size_t n = work->kernel->view->samples, rank = work->rank;
    double *made, *mean;
    OF_TRY(OF_NEW(arena, &made, rank, n));
    OF_TRY(OF_NEW_ZERO(arena, &mean, rank, 1));
    *weight = made;
    OF_COUNTED(arena->context);
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rank; r++) {
            made[j * rank + r] = of_share_at(work->H, j)[r] * scale[j] / work->value[r];
            mean[r] += made[j * rank + r];
        }
    for (size_t j = 0; j < n; j++)
        for (size_t r = 0; r < rank; r++)
            made[j * rank + r] -= mean[r] / (double)n;
    return ONEFOLD_OK;
}

/* Copies the features of the training samples, scaled, dense or sparse. */
static onefold_status copy_points(of_arena *arena, const of_kernel *kernel, of_projection *points)
{
    size_t n = points->points, d = points->columns, rows = of_kernel_tile_rows(kernel);
    double *value, *tile;
    if (kernel->features.start) {
        points->sparse_at = kernel->features;
        OF_TRY(copy_sparse(arena, &kernel->features, &points->sparse_at));
        OF_COUNTED(arena->context);
        value = (double *)points->sparse_at.value; /* from this arena, and not shared yet */
        for (size_t e = 0; e < points->sparse_at.start[n]; e++)
            value[e] *= points->scale;
        return ONEFOLD_OK;
    }
    OF_TRY(OF_NEW(arena, &value, d, n));
    OF_TRY(OF_NEW(arena, &tile, rows, 1));
    for (size_t j = 0; j < n && !of_counts(arena->context); j++) {
        of_kernel_tile(kernel, j, 1, tile);
        for (size_t i = 0; i < d; i++)
            value[j * d + i] = points->scale * tile[i];
    }
    of_arena_release(arena, tile);
    points->at = value;
    return ONEFOLD_OK;
}

/* Distances: all training samples are points, so the mean of a kernel row is the mean of k. */
static onefold_status keep_samples(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    const of_kernel *kernel = work->kernel;
    size_t n = kernel->view->samples;
    of_projection *p = work->projection;
    of_kernel_means means;
    double *each;
    *p = (of_projection){.form = OF_PROJECT_POINTS,
                         .precision = p->precision,
                         .points = n,
                         .columns = of_kernel_columns(kernel),
                         .rank = work->rank,
                         .scale = sqrt(2 / kernel->width)};
    OF_TRY(copy_points(work->arena, kernel, p));
    OF_TRY(of_kernel_means_make(context, &scratch, kernel, &means));
    OF_TRY(OF_NEW(work->arena, &each, n, 1));
    OF_TRY(OF_COPY(work->arena, means.row, n, &p->point_mean));
    p->row_mean = each;
    if (!of_counts(context)) {
        for (size_t j = 0; j < n; j++)
            each[j] = 1 / (double)n;
        p->mean_of_all = means.all;
        p->floor = means.floor;
    }
    return centred_weights(work->arena, work, means.scale, &p->weight);
}

/* A precomputed kernel. */
static onefold_status keep_given(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_projection *p = work->projection;
    size_t n = work->kernel->view->samples;
    of_kernel_means means;
    double *mean, least, most;
    OF_TRY(of_kernel_means_make(context, &scratch, work->kernel, &means));
    OF_TRY(OF_NEW(work->arena, &mean, n, 1));
    OF_TRY(OF_COPY(work->arena, means.scale, n, &p->sample_scale));
    p->form = OF_PROJECT_ROWS;
    p->rank = work->rank;
    p->columns = n;
    p->point_mean = mean;
    if (!of_counts(context)) {
        least = most = means.diagonal[0];
        for (size_t j = 0; j < n; j++) {
            least = fmin(least, means.diagonal[j]);
            most = fmax(most, means.diagonal[j]);
            mean[j] = means.row[j] - means.all; /* removes a rounding error of the mean of all */
        }
        p->floor = means.floor;
        p->mean_of_all = means.offset + means.all;
        p->same_diagonal = most - least <= 1e-9 * means.largest;
        p->diagonal = p->same_diagonal ? means.offset + (most / 2 + least / 2) : 0;
    }
    return centred_weights(work->arena, work, means.scale, &p->weight);
}

onefold_status of_projection_exact(of_context *context, of_route_work *work)
{
    if (!work->projection || !work->rank)
        return ONEFOLD_OK;
    if (of_kernel_is_given(work->kernel->kind))
        return keep_given(context, work);
    if (of_kernel_has_distances(work->kernel->kind))
        return keep_samples(context, work);
    OF_SCRATCH(scratch, context);
    of_centred centred;
    OF_TRY(of_centred_make(context, &scratch, work->kernel, &centred));
    /* the partition was made from a matrix, so the rounding of its entries counts */
    if (!of_kernel_is_plain(work->kernel->kind))
        centred.floor = fmax(centred.floor, 4 * DBL_EPSILON);
    return of_projection_of_features(context, &centred, work);
}
