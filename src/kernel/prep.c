/* SPDX-License-Identifier: Apache-2.0 */
/* The features of kernels: standardised, weighted by tf-idf, of unit length, or links. */
#include "kernel/kernel.h"

#include "base/comm.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/simd.h"

#include <math.h>
#include <string.h>

/*
 * Mean and variance in one pass. One sample in 64, the first of each tile, give a first guess s of
 * each mean. The pass then sums (x - s) and (x - s)^2, tile by tile. With s the mean of a share f
 * of the samples, (mean - s)^2 is at most variance (1 - f) / f for any data, so subtracting it
 * costs two digits at worst, and none where the guess is good. Sums over a tile are added to those
 * of its group, and groups in a fixed tree, which keeps rounding errors small too.
 */

enum { GUESSED = 64 }; /* the guess takes one sample of so many */

typedef struct moment_task {
    const of_view *view;
    int guesses;         /* this pass computes the guess */
    const double *guess; /* zeros in that pass */
    of_tiles tiles;
    double *tile; /* per worker: columns x width numbers of a dense view */
    double *own;  /* per worker: the tile's own sums, 2 x columns */
} moment_task;

/* Rounding may leave a negative number. NaN stays NaN, and is refused later. */
static double at_least_zero(double x)
{
    return x < 0 ? 0 : x;
}

/* The number of samples of a tile in this pass. */
static size_t taken(const moment_task *task, size_t index)
{
    size_t length = of_tiles_length(&task->tiles, index);
    return task->guesses ? (length + GUESSED - 1) / GUESSED : length;
}

/* Adds a tile (d x count) less the guess, and the squares of that. */
OF_SIMD static void add_samples(size_t count, size_t d, const double *restrict x,
                                const double *restrict guess, double *restrict sum)
{
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < d; i++) {
            double off = x[j * d + i] - guess[i];
            sum[i] += off;
            sum[d + i] += off * off;
        }
}

/* sum (3 x columns) += samples less the guess, their squares, and the number of samples. */
static onefold_status add_dense(void *opaque, size_t index, double *sum)
{
    size_t worker = of_team_worker();
    moment_task *task = opaque;
    const of_view *view = task->view;
    size_t d = view->columns, count = taken(task, index),
           first = of_tiles_first(&task->tiles, index);
    double *tile = task->tile + worker * d * task->tiles.width;
    double *own = task->own + worker * 2 * d;
    memset(own, 0, 2 * d * sizeof *own);
    of_view_tile(view, first, count, tile, d);
    add_samples(count, d, tile, task->guess, own);
    for (size_t i = 0; i < 2 * d; i++)
        sum[i] += own[i];
    for (size_t i = 2 * d; i < 3 * d; i++)
        sum[i] += (double)count;
    return ONEFOLD_OK;
}

/* The same over stored entries. A column without entries in the first pass has many zeros, for
 * which its guess, 0, is good. */
static onefold_status add_sparse(void *opaque, size_t index, double *sum)
{
    moment_task *task = opaque;
    const of_sparse *sparse = &task->view->sparse;
    size_t d = sparse->columns, first = of_tiles_first(&task->tiles, index);
    double *squares = sum + d, *filled = squares + d;
    size_t stop = sparse->start[first + taken(task, index)];
    for (size_t e = sparse->start[first]; e < stop; e++) {
        size_t i = sparse->index[e];
        double off = sparse->value[e] - task->guess[i];
        sum[i] += off;
        squares[i] += off * off;
        filled[i] += 1;
    }
    return ONEFOLD_OK;
}

/* Every process holds all of a sparse view. */
onefold_status of_moments(of_context *context, const of_view *view, double *mean, double *variance,
                          double *square)
{
    int sparse = view->storage == OF_SPARSE;
    size_t d = view->columns, workers = sparse ? 0 : of_team_size(context);
    double *sum, n = (double)view->samples;
    moment_task task = {.view = view, .guesses = 1, .guess = mean};
    OF_SCRATCH(scratch, context);
    task.tiles = sparse ? of_tiles_make(view->samples, 1, SIZE_MAX)
                        : of_tiles_make(view->samples, d, 1 << 18);
    OF_TRY(OF_NEW_ALL(&scratch, {&sum, d, 3}, {&task.tile, workers * task.tiles.width, d}));
    OF_TRY(OF_NEW(&scratch, &task.own, workers * 2, d));
    for (size_t i = 0; i < d && !of_counts(context); i++)
        mean[i] = 0;
    for (; task.guesses >= 0; task.guesses--) {
        OF_TRY(sparse ? of_team_sum(context, task.tiles.count, add_sparse, &task, 3 * d, sum)
                      : of_tiles_sum(context, &task.tiles, add_dense, &task, 3 * d, sum));
        for (size_t i = 0; i < d && !of_counts(context); i++) {
            double filled = sum[2 * d + i], shift = filled > 0 ? sum[i] / filled : 0;
            mean[i] += shift;
            variance[i] = sparse ? at_least_zero(sum[d + i] - filled * shift * shift)
                                 : at_least_zero(sum[d + i] / n - shift * shift);
        }
    }
    for (size_t i = 0; i < d && !of_counts(context); i++) {
        double filled = sum[2 * d + i], own = mean[i];
        if (sparse) { /* adds the zeros of the column */
            variance[i] = (variance[i] + filled * ((n - filled) / n) * own * own) / n;
            mean[i] = filled / n * own;
        }
        square[i] = variance[i] + mean[i] * mean[i];
    }
    return ONEFOLD_OK;
}

/* ---- columns of mean 0 and variance 1, without constant ones -------------------------------- */

/* A column whose standard deviation is below this share of its root mean square counts as constant:
 * some twenty units of the last digit, which may be rounding errors. */
#define CONSTANT_BELOW 4e-15

/* A column of a smaller variance counts as constant too: tiny numbers have lost digits. */
#define VANISHING 1e-304

typedef struct moments {
    double *mean, *variance, *square;
} moments;

/* The standard deviation of a column that varies; 0 for a constant one. */
static double deviation(const moments *m, size_t i)
{
    double variance = m->variance[i];
    int varies = variance > CONSTANT_BELOW * CONSTANT_BELOW * m->square[i] && variance >= VANISHING;
    return varies ? sqrt(variance) : 0;
}

/* The standard deviation by which a column is divided. The columns of one category share one: their
 * variances then sum to 1, the variance of any other column, and all pairs of words have the same
 * distance. */
static double shared_deviation(const of_view *view, const moments *m, size_t i)
{
    const uint32_t *unit = view->column_unit;
    double variance = 0;
    size_t first = i, end = i + 1;
    while (first > 0 && unit[first - 1] == unit[i])
        first--;
    while (end < view->columns && unit[end] == unit[i])
        end++;
    if (end - first == 1)
        return deviation(m, i);
    for (size_t c = first; c < end; c++)
        variance += deviation(m, c) * deviation(m, c);
    return deviation(m, i) > 0 ? sqrt(variance) : 0;
}

/* Fills prep with the columns that vary, their means and scales; sets the width. */
static onefold_status keep_columns(of_arena *arena, of_kernel *kernel, const moments *m)
{
    size_t d = kernel->view->columns, kept_count = 0;
    uint32_t *kept;
    double *shift, *scale, total = 0;
    OF_TRY(OF_NEW(arena, &kept, d, 1));
    OF_TRY(OF_NEW_ALL(arena, {&shift, d, 1}, {&scale, d, 1}));
    for (size_t i = 0; i < d; i++) {
        if (!isfinite(m->variance[i]) || !isfinite(m->square[i]))
            return of_hint(of_fail(ONEFOLD_BAD_DATA,
                                   "column %zu of %s has values too large to be squared", i + 1,
                                   kernel->view->name ? kernel->view->name : "a view"),
                           "scale it down");
        double own =
            kernel->view->column_unit ? shared_deviation(kernel->view, m, i) : deviation(m, i);
        if (!(own > 0) || !isfinite(1 / own))
            continue;
        kept[kept_count] = (uint32_t)i;
        total += kernel->view->column_unit ? m->variance[i] / (own * own) : 1;
        shift[kept_count] = m->mean[i];
        scale[kept_count++] = 1 / own;
    }
    kernel->prep =
        (of_prep){OF_PREP_STANDARDISE, kept_count, kept_count < d ? kept : NULL, shift, scale};
    kernel->width = kept_count ? 2 * total : 1;
    return ONEFOLD_OK;
}

/* Copies the nonzeros of a sparse view. Where `place` is not NULL, column c becomes place[c]
 * (UINT32_MAX: left out), multiplied by that column's scale. */
static onefold_status copy_sparse(of_arena *arena, const of_sparse *raw, size_t columns,
                                  const uint32_t *place, const double *scale, of_sparse *sparse,
                                  double **value)
{
    size_t entries = 0;
    of_entries to;
    OF_TRY(of_sparse_make(arena, raw->rows, columns, of_sparse_entries(raw), sparse, &to));
    *value = to.value;
    for (size_t j = 0; j < raw->rows; j++) {
        to.start[j] = entries;
        for (size_t e = raw->start[j]; e < raw->start[j + 1]; e++) {
            uint32_t column = place ? place[raw->index[e]] : raw->index[e];
            if (column == UINT32_MAX || raw->value[e] == 0)
                continue;
            to.index[entries] = column;
            to.value[entries++] = place ? raw->value[e] * scale[column] : raw->value[e];
        }
    }
    to.start[raw->rows] = entries;
    return ONEFOLD_OK;
}

onefold_status of_prep_standardise(of_context *context, of_arena *arena, of_kernel *kernel)
{
    const of_view *view = kernel->view;
    OF_SCRATCH(scratch, context);
    size_t d = view->columns;
    double *value;
    moments m;
    OF_TRY(OF_NEW_ALL_ZERO(&scratch, {&m.mean, d, 1}, {&m.variance, d, 1}, {&m.square, d, 1}));
    OF_TRY(of_moments(context, view, m.mean, m.variance, m.square));
    OF_TRY(keep_columns(arena, kernel, &m));
    if (view->storage != OF_SPARSE)
        return ONEFOLD_OK;
    /* sparse features: kept columns are renumbered and scaled, not shifted */
    of_prep *prep = &kernel->prep;
    uint32_t *place;
    prep->shift = NULL;
    OF_TRY(OF_NEW(&scratch, &place, d, 1));
    for (size_t i = 0; i < d; i++)
        place[i] = prep->kept ? UINT32_MAX : (uint32_t)i;
    for (size_t i = 0; prep->kept && i < prep->columns; i++)
        place[prep->kept[i]] = (uint32_t)i;
    return copy_sparse(arena, &view->sparse, prep->columns, place, prep->scale, &kernel->features,
                       &value);
}

/* ---- sparse features ------------------------------------------------------------------------ */

/* The nonzeros of a dense view, tile by tile: first counted, then filled in. */
typedef struct compress_task {
    const of_view *view;
    of_tiles tiles;
    double *tile;  /* per worker */
    size_t *start; /* first pass: start[j + 1] is the count of sample j */
    uint32_t *index;
    double *value; /* NULL in the first pass */
} compress_task;

static onefold_status compress_tile(void *opaque, size_t number)
{
    compress_task *task = opaque;
    size_t d = task->view->columns, first = of_tiles_first(&task->tiles, number),
           count = of_tiles_length(&task->tiles, number);
    double *tile = task->tile + of_team_worker() * d * task->tiles.width;
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

/* The nonzeros of a view by sample. *value: their values, for the caller to change. */
static onefold_status prep_compress(of_context *context, of_arena *arena, const of_view *view,
                                    of_sparse *sparse, double **value)
{
    if (view->storage == OF_SPARSE)
        return copy_sparse(arena, &view->sparse, view->columns, NULL, NULL, sparse, value);
    OF_SCRATCH(scratch, context);
    compress_task task = {
        view, of_tiles_make(view->samples, view->columns, 1 << 18), NULL, NULL, NULL, NULL};
    OF_TRY(OF_NEW(&scratch, &task.tile, of_team_size(context) * task.tiles.width, view->columns));
    OF_TRY(OF_NEW_ZERO(arena, &task.start, view->samples + 1, 1));
    OF_TRY(of_tiles_run(context, &task.tiles, compress_tile, &task));
    OF_TRY(of_comm_gather(context, task.start + 1, sizeof *task.start, view->samples));
    for (size_t j = 0; j < view->samples; j++)
        task.start[j + 1] += task.start[j];
    OF_TRY(OF_NEW(arena, &task.index, task.start[view->samples], 1));
    OF_TRY(OF_NEW(arena, value, task.start[view->samples], 1));
    task.value = *value;
    OF_TRY(of_tiles_run(context, &task.tiles, compress_tile, &task));
    if (of_comm_splits(context, view->samples)) {
        OF_TRY(of_tiles_gather(context, &task.tiles, task.start, sizeof *task.index, task.index));
        OF_TRY(of_tiles_gather(context, &task.tiles, task.start, sizeof **value, *value));
    }
    *sparse = (of_sparse){view->samples, view->columns, task.start, task.index, *value};
    return ONEFOLD_OK;
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
    OF_TRY(prep_compress(context, arena, kernel->view, &kernel->features, &value));
    unit_rows(&kernel->features, value);
    return ONEFOLD_OK;
}

/* Scales nonnegative features to unit length. Divides by the largest first: squares may overflow.
 */
static void to_unit_length(double *feature, size_t count)
{
    double largest = 0, sum = 0;
    for (size_t e = 0; e < count; e++)
        largest = feature[e] > largest ? feature[e] : largest;
    for (size_t e = 0; largest > 0 && e < count; e++) {
        feature[e] /= largest;
        sum += feature[e] * feature[e];
    }
    for (size_t e = 0; sum > 0 && e < count; e++)
        feature[e] /= sqrt(sum);
}

onefold_status of_prep_tfidf(of_context *context, of_arena *arena, of_kernel *kernel)
{
    size_t n = kernel->view->samples, d = kernel->view->columns;
    const of_sparse *features = &kernel->features;
    double *value, *scale;
    OF_TRY(prep_compress(context, arena, kernel->view, &kernel->features, &value));
    OF_TRY(OF_NEW_ZERO(arena, &scale, d, 1));
    for (size_t e = 0; e < features->start[n]; e++)
        scale[features->index[e]] += 1;
    for (size_t i = 0; i < d; i++)
        scale[i] = scale[i] > 0 ? log((double)n / scale[i]) : 0;
    for (size_t e = 0; e < features->start[n]; e++)
        value[e] = sqrt(value[e]) * scale[features->index[e]];
    for (size_t j = 0; j < n; j++)
        to_unit_length(value + features->start[j], features->start[j + 1] - features->start[j]);
    kernel->prep = (of_prep){OF_PREP_TFIDF, d, NULL, NULL, scale};
    return ONEFOLD_OK;
}

/* The union of two rising lists and a number, written to `out` if not NULL. Returns its length. */
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
    OF_TRY(prep_compress(context, &scratch, kernel->view, &a, &value));
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
