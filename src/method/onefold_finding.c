/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The finding (docs/choose.md): a recipe labels subsamples of the data, and of clouds that have the
 * correlations of the columns, within and between views, and their margins, and no clusters. What
 * neighbours tell of the labels is compared.
 */
#include "method/onefold_finding.h"

#include "base/random.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "method/onefold_pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* SAMPLES: of a cloud, at most. DRAWS: subsamples of the data and of each cloud. */
enum { SAMPLES = 400, MOST_COLUMNS = 200, CLOUDS = 8, DRAWS = 2, LEAST = 20 };

/* Labels are beyond chance by this many deviations of the clouds (docs/choose.md). Spreads are
 * added to the deviations, which so few clouds estimate badly; what is told nearly whole varies
 * less. What comes back counts half, and at most MOST_STABLE deviations: two subsamples estimate
 * it. */
static const double BEYOND = 2.6, TOLD_SPREAD = 0.03, STABLE_SPREAD = 0.1, MOST_STABLE = 4;

/* ---- the cloud ------------------------------------------------------------------------------- */

/* A random orthonormal basis of n samples, whose first vector is constant (n x n). With samples
 * left out (`has`, 0), the basis of the others, m of them, from the same numbers. */
static onefold_status draw_basis(of_context *context, uint64_t seed, uint64_t index, size_t n,
                                 const uint8_t *has, size_t m, double *Q)
{
    of_random random = of_random_make(seed, OF_PURPOSE_SHUFFLE, (uint64_t)1 << 40 | index);
    for (size_t c = 0; c < n && !of_counts(context); c++)
        for (size_t j = 0, at = 0; j < n; j++) {
            double x = c ? of_random_normal(&random) : 1;
            if (c < m && has[j])
                Q[c * m + at++] = x;
        }
    return of_qr(context, m, m, Q, NULL);
}

/* The rotation of samples that takes a fixed basis to a random one (m x m). */
static onefold_status draw_rotation(of_context *context, const of_table *t, uint64_t index,
                                    const uint8_t *has, size_t m, double *rotation)
{
    OF_SCRATCH(scratch, context);
    uint64_t seed = t->problem->options->seed;
    double *from, *to;
    OF_TRY(OF_NEW_ALL(&scratch, {&from, m, m}, {&to, m, m}));
    OF_TRY(draw_basis(context, seed, 0, t->n, has, m, from));
    OF_TRY(draw_basis(context, seed, index, t->n, has, m, to));
    OF_COUNTED(context);
    of_gemm('N', 'T', m, m, m, 1, to, m, from, m, 0, rotation, m);
    return ONEFOLD_OK;
}

/* Between a matrix of all samples and that of those that have the view. */
static void take_present(size_t n, const uint8_t *has, size_t m, double *all, double *own, int back)
{
    for (size_t j = 0, b = 0; j < n; b += has[j++])
        for (size_t i = 0, a = 0; has[j] && i < n; i++)
            if (has[i]) {
                double *x = &all[j * n + i], *y = &own[b * m + a++];
                *(back ? x : y) = *(back ? y : x);
            }
}

/* Mean diagonal 1 over the samples that have the view. */
static void scale_gram(size_t n, size_t m, double *G)
{
    double total = 0;
    for (size_t j = 0; j < n; j++)
        total += G[j * n + j] / (double)m;
    for (size_t e = 0; total > 0 && e < n * n; e++)
        G[e] /= total;
}

/* A view of many columns: its inner products, of rotated samples. */
static void rotate_gram(size_t n, const uint8_t *has, size_t m, const double *rotation, double *K,
                        double *half, double *G)
{
    take_present(n, has, m, G, K, 0);
    of_gemm('N', 'N', m, m, m, 1, rotation, m, K, m, 0, half, m);
    of_gemm('N', 'T', m, m, m, 1, half, m, rotation, m, 0, K, m);
    take_present(n, has, m, G, K, 1);
    scale_gram(n, m, G);
}

typedef struct place {
    double value;
    size_t at;
} place;

static int by_value(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The inverse of the normal distribution function, to three digits (Abramowitz and Stegun
 * 26.2.23). */
static double normal_quantile(double p)
{
    double tail = p < 0.5 ? p : 1 - p, t = sqrt(-2 * log(tail)),
           x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    return p < 0.5 ? -x : x;
}

/* Sorted values of the nearest distribution with one mode: the slopes of its distribution function
 * rise up to the mode and fall from there. Values at places `first` to `last` become those on the
 * convex hull, from the mode outwards. */
static void smooth_side(size_t first, size_t last, int rising, const double *sorted, size_t *hull,
                        double *smooth)
{
    size_t count = 0;
    for (size_t i = first; i <= last; i++) {
        while (count > 1) {
            size_t a = hull[count - 2], b = hull[count - 1];
            double left = (sorted[b] - sorted[a]) * (double)(i - b),
                   right = (sorted[i] - sorted[b]) * (double)(b - a);
            /* gaps shrink towards the mode */
            if (rising ? left >= right : left <= right)
                break;
            count--;
        }
        hull[count++] = i;
    }
    for (size_t h = 0; h + 1 < count; h++)
        for (size_t i = hull[h]; i <= hull[h + 1]; i++)
            smooth[i] = sorted[hull[h]] + (sorted[hull[h + 1]] - sorted[hull[h]]) *
                                              (double)(i - hull[h]) /
                                              (double)(hull[h + 1] - hull[h]);
}

/* The column's values in rising order as a distribution with one mode has them. Columns of few
 * values keep these. */
static void make_margin(size_t m, const place *ranked, size_t *hull, double *sorted, double *smooth)
{
    enum { FEW = 5 }; /* samples for each value */
    size_t distinct = 1, mode = m / 2, half = m / 2;
    double mean = 0, before = 0, after = 0, smooth_mean = 0;
    for (size_t i = 0; i < m; i++) {
        smooth[i] = sorted[i] = ranked[i].value;
        distinct += i && sorted[i] > sorted[i - 1];
        mean += sorted[i] / (double)m;
    }
    if (distinct * FEW < m)
        return;
    for (size_t first = 0, count = m; half > 2; half = count / 2) { /* the half-sample mode */
        size_t best = first;
        for (size_t i = first; i + half < first + count; i++)
            if (sorted[i + half] - sorted[i] < sorted[best + half] - sorted[best])
                best = i;
        first = best;
        count = half + 1;
        mode = first + count / 2;
    }
    smooth_side(0, mode, 1, sorted, hull, smooth);
    smooth_side(mode, m - 1, 0, sorted, hull, smooth);
    for (size_t i = 0; i < m; i++)
        smooth_mean += smooth[i] / (double)m;
    for (size_t i = 0; i < m; i++) {
        before += (sorted[i] - mean) * (sorted[i] - mean);
        after += (smooth[i] - smooth_mean) * (smooth[i] - smooth_mean);
    }
    for (size_t i = 0; i < m && after > 0; i++)
        smooth[i] = mean + (smooth[i] - smooth_mean) * sqrt(before / after);
}

/* Normal scores of the ranks; equal values have the mean of theirs. Centred, variance 1. */
static void score_ranks(size_t m, const place *ranked, double *score)
{
    double square = 0;
    for (size_t i = 0, end; i < m; i = end) {
        double sum = 0;
        for (end = i; end < m && ranked[end].value == ranked[i].value; end++)
            sum += normal_quantile(((double)end + 0.5) / (double)m);
        for (size_t e = i; e < end; e++)
            score[ranked[e].at] = sum / (double)(end - i);
        square += sum * sum / (double)(end - i);
    }
    for (size_t j = 0; j < m && square > 0; j++)
        score[j] *= sqrt((double)m / square);
}

/* The columns of a view of few columns. */
typedef struct columns {
    size_t m, d;
    double *X;          /* m x d: features */
    double *Z;          /* m x d: normal scores of their ranks */
    double *margin;     /* m x d: rising values that a cloud takes, of mean 0 */
    double *root;       /* d x d: of the features' covariance */
    double *room;       /* 3 d x d */
    const double *mean; /* d: of the features */
    int tied;           /* many samples of a column have the same value */
    int unit;           /* samples have length 1 */
} columns;

/* C^(power) for a covariance C (d x d), in place. */
static onefold_status raise_covariance(of_context *context, size_t d, double power, double *C,
                                       double *room /* d x d */, double *value /* d */)
{
    const double least = 1e-6;
    OF_TRY(of_eigh(context, d, C, value));
    for (size_t c = 0; c < d; c++) {
        double factor = pow(fmax(value[c], least * value[0]), power / 2);
        for (size_t i = 0; i < d; i++)
            room[c * d + i] = C[c * d + i] * factor;
    }
    of_gemm('N', 'T', d, d, d, 1, room, d, room, d, 0, C, d);
    return ONEFOLD_OK;
}

static int is_sparse(const of_kernel *kernel)
{
    return kernel->features.start != NULL;
}

/* Features of all samples, a sample contiguous. */
static void read_features(const of_kernel *kernel, size_t m, size_t d, double *tile)
{
    const of_sparse *features = &kernel->features;
    if (!is_sparse(kernel)) {
        of_kernel_tile(kernel, 0, m, tile);
        return;
    }
    memset(tile, 0, m * d * sizeof *tile);
    for (size_t j = 0; j < m; j++)
        for (size_t e = features->start[j]; e < features->start[j + 1]; e++)
            tile[j * d + features->index[e]] = features->value[e];
}

/* kernel: linear, of a view of that kind of kernel. */
static onefold_status read_columns(of_context *context, of_arena *arena, const of_kernel *kernel,
                                   of_kernel_kind kind, size_t m, columns *made)
{
    enum { MANY = 5 };
    OF_SCRATCH(scratch, context);
    size_t d = of_kernel_columns(kernel), *hull;
    double *tile, *sorted, *means;
    place *ranked;
    *made =
        (columns){.m = m,
                  .d = d,
                  .unit = is_sparse(kernel) && kind != OF_KERNEL_LINEAR && kind != OF_KERNEL_RBF};
    OF_TRY(OF_NEW(arena, &means, d, 1));
    made->mean = means;
    OF_TRY(OF_NEW_ALL(arena, {&made->X, m, d}, {&made->Z, m, d}, {&made->margin, m, d},
                      {&made->root, d, d}, {&made->room, d, 3 * d + 1}));
    OF_TRY(OF_NEW_ALL(&scratch, {&tile, of_kernel_tile_rows(kernel), m}, {&sorted, m, 1}));
    OF_TRY(OF_NEW(&scratch, &hull, m, 1));
    OF_TRY(OF_NEW(&scratch, &ranked, m, 1));
    OF_COUNTED(context);
    read_features(kernel, m, d, tile);
    for (size_t c = 0; c < d; c++) {
        double mean = 0, *margin = made->margin + c * m;
        size_t ties = 0;
        for (size_t j = 0; j < m; j++) {
            ranked[j] = (place){tile[j * d + c], j};
            mean += tile[j * d + c] / (double)m;
        }
        for (size_t j = 0; j < m; j++)
            made->X[c * m + j] = tile[j * d + c] - mean;
        qsort(ranked, m, sizeof *ranked, by_value);
        score_ranks(m, ranked, made->Z + c * m);
        make_margin(m, ranked, hull, sorted, margin);
        for (size_t j = 0; j < m; j++) {
            margin[j] -= mean;
            ties += j && ranked[j].value == ranked[j - 1].value;
        }
        means[c] = mean;
        made->tied |= ties * MANY > m;
    }
    of_gemm('T', 'N', d, d, m, 1, made->X, m, made->X, m, 0, made->root, d);
    return raise_covariance(context, d, 0.5, made->root, made->room, made->room + 3 * d * d);
}

/* Gives the columns of L (m x d) their margins: W. */
static void give_margins(const columns *of, const double *L, place *ranked, double *W)
{
    for (size_t c = 0; c < of->d; c++) {
        for (size_t j = 0; j < of->m; j++)
            ranked[j] = (place){L[c * of->m + j], j};
        qsort(ranked, of->m, sizeof *ranked, by_value);
        for (size_t j = 0; j < of->m; j++)
            W[c * of->m + ranked[j].at] = of->margin[c * of->m + j];
    }
}

/* Makes the samples of W (m x d, of mean 0) of length 1, and takes the means off again. */
static void scale_samples(const columns *of, double *W)
{
    size_t m = of->m;
    for (size_t j = 0; j < m; j++) {
        double square = 0;
        for (size_t c = 0; c < of->d; c++) {
            W[c * m + j] += of->mean[c];
            square += W[c * m + j] * W[c * m + j];
        }
        for (size_t c = 0; c < of->d && square > 0; c++)
            W[c * m + j] /= sqrt(square);
    }
    for (size_t c = 0; c < of->d; c++) {
        double mean = 0;
        for (size_t j = 0; j < m; j++)
            mean += W[c * m + j] / (double)m;
        for (size_t j = 0; j < m; j++)
            W[c * m + j] -= mean;
    }
}

/* A view of few columns: normal scores of the columns are rotated, and get the columns' margins.
 * Where columns have few values this weakens correlations; some steps restore them. */
static onefold_status rotate_columns(of_context *context, const of_table *t, size_t view,
                                     const uint8_t *has, const columns *of, const double *rotation,
                                     of_table *cloud)
{
    enum { STEPS = 4 };
    OF_SCRATCH(scratch, context);
    const of_kernel *kernel = &t->kernel[view], *raw = &t->raw_kernel[view];
    size_t n = t->n, m = of->m, d = of->d;
    double *L, *W, *K, *room;
    place *ranked;
    OF_TRY(OF_NEW_ALL(&scratch, {&L, m, d}, {&W, m, d}, {&K, m, m}, {&room, d, 3 * d + 1}));
    OF_TRY(OF_NEW(&scratch, &ranked, m, 1));
    OF_COUNTED(context);
    of_gemm('N', 'N', m, d, m, 1, rotation, m, of->Z, m, 0, L, m);
    give_margins(of, L, ranked, W);
    for (size_t step = 0; of->tied && step < STEPS; step++) {
        double *C = room, *A = room + d * d;
        of_gemm('T', 'N', d, d, m, 1, W, m, W, m, 0, C, d);
        OF_TRY(raise_covariance(context, d, -0.5, C, A, room + 3 * d * d));
        of_gemm('N', 'N', d, d, d, 1, C, d, of->root, d, 0, A, d);
        of_gemm('N', 'N', m, d, d, 1, L, m, A, d, 0, W, m);
        memcpy(L, W, m * d * sizeof *L);
        give_margins(of, L, ranked, W);
    }
    if (of->unit)
        scale_samples(of, W);
    of_gemm('N', 'T', m, m, d, 1, W, m, W, m, 0, K, m);
    memset(cloud->gram[view], 0, n * n * sizeof *K);
    take_present(n, has, m, cloud->gram[view], K, 1);
    scale_gram(n, m, cloud->gram[view]);
    if (!t->raw[view])
        return ONEFOLD_OK;
    for (size_t c = 0; c < d; c++)
        for (size_t j = 0; j < m && kernel->prep.scale[c] > 0; j++)
            W[c * m + j] *= raw->prep.scale[c] / kernel->prep.scale[c];
    of_gemm('N', 'T', m, m, d, 1, W, m, W, m, 0, K, m);
    memset(cloud->raw[view], 0, n * n * sizeof *K);
    take_present(n, has, m, cloud->raw[view], K, 1);
    scale_gram(n, m, cloud->raw[view]);
    return ONEFOLD_OK;
}

static onefold_status copy_matrix(of_arena *arena, size_t n, double **matrix)
{
    const double *from = *matrix;
    if (!from)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, matrix, n, n));
    OF_COUNTED(arena->context);
    memcpy(*matrix, from, n * n * sizeof **matrix);
    return ONEFOLD_OK;
}

static onefold_status rotate_view(of_context *context, of_arena *arena, const of_table *t,
                                  size_t view, const columns *of, uint64_t index, of_table *cloud)
{
    OF_SCRATCH(scratch, context);
    size_t n = t->n, m = t->problem->kernels[view].view->samples;
    const double least = 1e-10;
    double *rotation, *K, *half, *unit;
    uint8_t *has;
    OF_TRY(OF_NEW_ALL(&scratch, {&rotation, m, m}, {&K, m, m}, {&half, m, m}));
    OF_TRY(OF_NEW(&scratch, &has, n, 1));
    OF_TRY(OF_NEW(arena, &unit, n, 1));
    cloud->unit[view] = unit;
    OF_TRY(copy_matrix(arena, n, &cloud->gram[view]));
    OF_TRY(copy_matrix(arena, n, &cloud->raw[view]));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        has[j] = of_present_at(t->problem->dataset, j, view) != 0;
    OF_TRY(draw_rotation(context, t, index, has, m, rotation));
    if (of->d) {
        OF_TRY(rotate_columns(context, t, view, has, of, rotation, cloud));
    } else if (!of_counts(context)) {
        rotate_gram(n, has, m, rotation, K, half, cloud->gram[view]);
        if (cloud->raw[view])
            rotate_gram(n, has, m, rotation, K, half, cloud->raw[view]);
    }
    OF_COUNTED(context);
    for (size_t j = 0; j < n; j++) {
        double square = cloud->gram[view][j * n + j];
        unit[j] = square > least ? 1 / sqrt(square) : 0;
    }
    return ONEFOLD_OK;
}

/* A table of the same kernels, whose samples are drawn from one cloud. Links get other ends, with
 * the degrees of the data. */
static onefold_status make_cloud(of_context *context, of_arena *arena, const of_table *t,
                                 const columns *of, uint64_t index, of_sample *sample,
                                 of_table *cloud)
{
    size_t p = t->p, links = 0;
    uint64_t seed = t->problem->options->seed ^ index << 32;
    of_kernel *kernels;
    for (size_t v = 0; v < p; v++)
        links += t->linked[v] != NULL;
    *cloud = *t;
    if (links) {
        OF_TRY(OF_NEW(arena, &kernels, p, 1));
        of_sample_derive(t->problem, kernels, sample);
        sample->dataset = *t->problem->dataset;
        for (size_t v = 0; v < p; v++)
            if (t->linked[v])
                OF_TRY(of_kernel_shuffle(context, arena, seed, v, &t->problem->kernels[v],
                                         &kernels[v]));
            else
                kernels[v] = t->problem->kernels[v];
        OF_TRY(of_table_make(context, arena, &sample->problem, cloud));
    } else {
        OF_TRY(OF_NEW(arena, &cloud->gram, p, 1));
        OF_TRY(OF_NEW(arena, &cloud->raw, p, 1));
        OF_TRY(OF_NEW(arena, &cloud->unit, p, 1));
        memcpy(cloud->gram, t->gram, p * sizeof *t->gram);
        memcpy(cloud->raw, t->raw, p * sizeof *t->raw);
        memcpy(cloud->unit, t->unit, p * sizeof *t->unit);
    }
    for (size_t v = 0; v < p; v++)
        if (!t->linked[v])
            OF_TRY(rotate_view(context, arena, t, v, &of[v], index, cloud));
    return ONEFOLD_OK;
}

/* ---- the finding ----------------------------------------------------------------------------- */

typedef struct finding_task {
    of_context *context;
    of_table table; /* of the data */
    of_recipe recipe;
    const double *weights;
    columns *columns; /* p; d = 0: a view of many */
    double *told;     /* p x (1 + CLOUDS): of the data first */
    double *stable;   /* 1 + CLOUDS */
} finding_task;

/* Labels subsamples of a cloud, or, the last, of the data: a context that counts bytes runs the
 * first. */
static onefold_status label_cloud(void *opaque, size_t piece)
{
    size_t index = (piece + 1) % (1 + CLOUDS); /* 0: the data */
    finding_task *task = opaque;
    of_context *context = task->context;
    OF_SCRATCH(scratch, context);
    const of_table *t = &task->table;
    of_table table = *t;
    of_sample sample;
    of_fold fold[DRAWS];
    double *cell;
    OF_TRY(OF_NEW(&scratch, &cell, t->mu + 2, t->mu));
    of_team_share(context);
    if (index)
        OF_TRY(make_cloud(context, &scratch, t, task->columns, index, &sample, &table));
    for (size_t f = 0; f < DRAWS; f++) {
        OF_TRY(of_fold_make(context, &scratch, &table, of_fold_size(t->n, 1), f + 1,
                            1u << task->recipe, &fold[f]));
        OF_TRY(of_fold_label(context, &scratch, task->weights, &fold[f]));
        for (size_t v = 0; v < t->p && !of_counts(context); v++)
            task->told[index * t->p + v] +=
                fold[f].told[(size_t)task->recipe * t->p + v] / (double)DRAWS;
    }
    OF_COUNTED(context);
    task->stable[index] = of_fold_agree(&fold[0], &fold[1], task->recipe, cell);
    return ONEFOLD_OK;
}

/* The value of the data (value[0]) beyond those of the clouds (value[step], value[2 step] ...), in
 * their deviations. `whole`: a value near 1 has less spread. */
static double beyond(const double *value, size_t step, double spread, int whole, double *mean)
{
    double square = 0;
    *mean = 0;
    for (size_t c = 1; c <= CLOUDS; c++)
        *mean += value[c * step] / CLOUDS;
    for (size_t c = 1; c <= CLOUDS; c++)
        square += (value[c * step] - *mean) * (value[c * step] - *mean) / (CLOUDS - 1);
    return (value[0] - *mean) / (sqrt(square) + spread * (whole ? sqrt(fmax(1 - *mean, 0)) : 1));
}

/* Compares what neighbours tell, in the view where it is farthest beyond chance, and stability. */
static void compare(const finding_task *task, onefold_finding *finding)
{
    double most = -INFINITY, chance;
    for (size_t v = 0; v < task->table.p; v++) {
        double own = beyond(task->told + v, task->table.p, TOLD_SPREAD, 1, &chance);
        if (own <= most)
            continue;
        most = own;
        finding->told = task->told[v];
        finding->told_chance = chance;
    }
    double stable = beyond(task->stable, 1, STABLE_SPREAD, 0, &finding->chance);
    finding->stable = task->stable[0];
    finding->beyond = most + fmin(stable, MOST_STABLE) / 2;
    finding->found = finding->beyond > BEYOND;
    finding->verdict = finding->found ? "more than chance" : "no more than chance";
}

onefold_status of_finding_make(of_context *context, const of_problem *problem, of_recipe recipe,
                               const double *weights, onefold_finding *finding)
{
    OF_SCRATCH(scratch, context);
    size_t n = of_size_least(problem->dataset->samples, SAMPLES), p = problem->dataset->view_count;
    finding_task task = {.context = context, .recipe = recipe, .weights = weights};
    of_sample sample;
    *finding = (onefold_finding){.verdict = "not judged"};
    if (n < LEAST)
        return ONEFOLD_OK;
    if (n < problem->dataset->samples) {
        OF_TRY(of_sample_make(context, &scratch, problem, n, &sample));
        problem = &sample.problem;
    }
    OF_TRY(of_table_make(context, &scratch, problem, &task.table));
    OF_TRY(OF_NEW_ALL_ZERO(&scratch, {&task.told, p, 1 + CLOUDS}, {&task.stable, 1 + CLOUDS, 1}));
    OF_TRY(OF_NEW_ZERO(&scratch, &task.columns, p, 1));
    for (size_t v = 0; v < p; v++) {
        size_t m = problem->kernels[v].view->samples;
        of_kernel_kind kind = problem->kernels[v].kind;
        if (kind != OF_KERNEL_PRECOMPUTED && kind != OF_KERNEL_GRAPH &&
            of_kernel_columns(&task.table.kernel[v]) <= of_size_least(m, MOST_COLUMNS))
            OF_TRY(
                read_columns(context, &scratch, &task.table.kernel[v], kind, m, &task.columns[v]));
    }
    OF_TRY(of_team_each(context, 1, 1 + CLOUDS, label_cloud, &task));
    OF_COUNTED(context);
    compare(&task, finding);
    return ONEFOLD_OK;
}
