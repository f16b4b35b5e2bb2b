/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k-means: Lloyd's iteration on tiles of samples with distances from one matrix product per tile,
 * and the repair of empty clusters. All sums over samples are in a fixed order. A sample's
 * distances are computed again only when bounds of them (how far the centres went) leave its label
 * open; labels are those of every distance.
 */
#include "linalg/kmeans.h"

#include "base/comm.h"
#include "linalg/blas.h"
#include "linalg/simd.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/* Scores of some samples against all clusters, which stay in the cache; sums of more clusters than
 * FEW are made cluster by cluster. */
enum { TILE_BYTES = 128 << 10, FEW = 64, SCORES = 1 << 16, PIECE = 64 };

/* Numbers of clusters are floats in single precision. */
enum { MOST_NARROW = 1 << 24 };

typedef struct kmeans {
    of_context *context;
    size_t rows, samples, ldx, clusters;
    const double *X; /* rows x samples, ldx apart */
    of_tiles tiles;
    double *mean;         /* rows: the mean of all samples */
    double *centres;      /* rows x clusters */
    double *offset;       /* rows x clusters: centres less the mean */
    float *narrow;        /* the same in single precision, where it is asked for, and behind them */
                          /* clusters: their squared lengths */
    double *constant;     /* clusters: ||centre||^2 - ||mean||^2 */
    double *distance;     /* samples: squared, to the sample's own centre */
    double *tile_sum;     /* tiles: of the distances in each tile */
    const double *newest; /* the centre that a start has chosen last */
    double *sums;         /* rows x clusters, then clusters: sums of columns by label, and counts */
    double *before;       /* rows x clusters: the centres of the iteration before */
    double *score;        /* per worker */
    size_t score_size;    /* of one worker */
    int32_t *labels;      /* samples */
    int32_t *previous;    /* samples: of the iteration before */
    size_t *count;        /* clusters: samples in each */
    size_t piece;         /* samples whose scores are made at once */
    /* Of each sample: its centre is not farther than `above`, and no other one
     * nearer than `below`. A sample for which above < below keeps its label. */
    double *above, *below;
    double *moved;     /* clusters: how far each centre went last */
    double most, next; /* the farthest of them, and the one behind it */
    size_t farthest;   /* which went farthest */
    int bounded;       /* the bounds are there */
    uint32_t *member;  /* with many clusters, samples: by cluster, in their order */
} kmeans;

static const double *point(const kmeans *km, size_t j)
{
    return km->X + j * km->ldx;
}

/* The squared distance of sample j to the centre it has. */
static double own_distance(const kmeans *km, size_t j)
{
    return of_squared_distance(km->rows, point(km, j),
                               km->centres + (size_t)km->labels[j] * km->rows);
}

/* ---- starts, from one stream of random numbers --------------------------------------------- */

OF_SIMD static onefold_status nearest_tile(void *task, size_t tile)
{
    kmeans *km = task;
    size_t first = of_tiles_first(&km->tiles, tile), end = of_tiles_first(&km->tiles, tile + 1);
    double sum = 0;
    for (size_t j = first; j < end; j++) {
        double d = of_squared_distance(km->rows, point(km, j), km->newest);
        if (d < km->distance[j])
            km->distance[j] = d;
        sum += km->distance[j];
    }
    km->tile_sum[tile] = sum;
    return ONEFOLD_OK;
}

/* A sample drawn with probability in proportion to its distance; any sample when all are 0. */
static size_t draw_by_distance(const kmeans *km, of_random *random)
{
    double total = 0;
    for (size_t t = 0; t < km->tiles.count; t++)
        total += km->tile_sum[t];
    if (!(total > 0))
        return of_random_below(random, km->samples);
    double target = of_random_uniform(random) * total;
    size_t tile = 0;
    while (tile + 1 < km->tiles.count && target >= km->tile_sum[tile])
        target -= km->tile_sum[tile++];
    for (size_t j = of_tiles_first(&km->tiles, tile); j < km->samples; j++) {
        if (target < km->distance[j])
            return j;
        target -= km->distance[j];
    }
    size_t last = km->samples - 1; /* rounding carried the target past the end */
    while (last > 0 && !(km->distance[last] > 0))
        last--;
    return last;
}

/* k-means++: each centre is a sample drawn in proportion to its squared distance from those before
 * it. */
static onefold_status start_plusplus(kmeans *km, of_random *random)
{
    for (size_t j = 0; j < km->samples; j++)
        km->distance[j] = INFINITY;
    size_t chosen = of_random_below(random, km->samples);
    for (size_t c = 0;; c++) {
        double *centre = km->centres + c * km->rows;
        memcpy(centre, point(km, chosen), km->rows * sizeof *centre);
        if (c + 1 == km->clusters)
            return ONEFOLD_OK;
        km->newest = centre;
        OF_TRY(of_team_run(km->context, km->tiles.count, nearest_tile, km));
        chosen = draw_by_distance(km, random);
    }
}

/* Distinct samples, each set as likely: Floyd's draw without replacement. */
static void start_samples(kmeans *km, of_random *random)
{
    size_t *chosen = km->count;
    for (size_t c = 0; c < km->clusters; c++) {
        size_t newest = km->samples - km->clusters + c, pick = of_random_below(random, newest + 1);
        for (size_t b = 0; b < c; b++)
            if (chosen[b] == pick)
                pick = newest;
        chosen[c] = pick;
        memcpy(km->centres + c * km->rows, point(km, pick), km->rows * sizeof *km->centres);
    }
}

/* ---- Lloyd -------------------------------------------------------------------------------- */

static void narrow_centre(kmeans *km, size_t c)
{
    const double *offset = km->offset + c * km->rows;
    double square = 0;
    for (size_t i = 0; i < km->rows; i++) {
        km->narrow[c * km->rows + i] = (float)offset[i];
        square += offset[i] * offset[i];
    }
    km->narrow[km->clusters * km->rows + c] = (float)square;
}

/* Offsets from the mean keep the digits that large common parts of all samples would take. */
static void prepare_centres(kmeans *km)
{
    km->most = km->next = 0;
    km->farthest = 0;
    for (size_t c = 0; c < km->clusters; c++) {
        const double *centre = km->centres + c * km->rows;
        double *offset = km->offset + c * km->rows, constant = 0;
        for (size_t i = 0; i < km->rows; i++) {
            offset[i] = centre[i] - km->mean[i];
            constant += offset[i] * (centre[i] + km->mean[i]);
        }
        km->constant[c] = constant;
        if (km->narrow)
            narrow_centre(km, c);
        if (!km->bounded)
            continue;
        double way = sqrt(of_squared_distance(km->rows, centre, km->before + c * km->rows));
        km->moved[c] = way;
        if (way > km->most) {
            km->next = km->most;
            km->most = way;
            km->farthest = c;
        } else if (way > km->next) {
            km->next = way;
        }
    }
    memcpy(km->before, km->centres, km->rows * km->clusters * sizeof *km->before);
}

/* The least two scores (width x clusters) of each sample, the first among equals, and whose is the
 * least. */
OF_SIMD static void find_best(size_t width, size_t clusters, const double *score,
                              const double *constants, double *best, double *second, double *who)
{
    for (size_t j = 0; j < width; j++) {
        best[j] = second[j] = INFINITY;
        who[j] = 0;
    }
    for (size_t c = 0; c < clusters; c++) {
        const double name = (double)c, constant = constants[c];
        for (size_t j = 0; j < width; j++) {
            double value = score[j + c * width] + constant,
                   behind = value < second[j] ? value : second[j];
            second[j] = value < best[j] ? best[j] : behind;
            who[j] = value < best[j] ? name : who[j];
            best[j] = value < best[j] ? value : best[j];
        }
    }
}

/* Labels and bounds of some samples, by what find_best has found. */
OF_SIMD static void set_labels(kmeans *km, size_t width, const size_t *place, const double *best,
                               const double *second, const double *who)
{
    for (size_t j = 0; j < width; j++) {
        size_t c = (size_t)who[j], at = place[j];
        double square = of_squared_distance(km->rows, point(km, at), km->centres + c * km->rows);
        km->labels[at] = (int32_t)c;
        km->above[at] = sqrt(square);
        km->below[at] = sqrt(square + (second[j] - best[j]));
    }
}

/* The least score (width x clusters) of each sample, the first among equals. */
OF_SIMD static void find_least(size_t width, size_t clusters, const float *score,
                               const float *constants, float *best, float *who)
{
    for (size_t j = 0; j < width; j++) {
        best[j] = INFINITY;
        who[j] = 0;
    }
    for (size_t c = 0; c < clusters; c++) {
        const float name = (float)c, constant = constants[c];
        for (size_t j = 0; j < width; j++) {
            float value = score[j + c * width] + constant;
            who[j] = value < best[j] ? name : who[j];
            best[j] = value < best[j] ? value : best[j];
        }
    }
}

/* Labels of some samples, by distances in single precision. There are no bounds then: few steps
 * are taken, in which all centres move. */
static void assign_narrow(kmeans *km, size_t width, const size_t *place, float *room)
{
    size_t rows = km->rows;
    float *best = room, *who = best + width, *x = who + width, *score = x + rows * width;
    for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < rows; i++)
            x[j * rows + i] = (float)(point(km, place[j])[i] - km->mean[i]);
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)width, (int)km->clusters, (int)rows,
                -2, x, (int)rows, km->narrow, (int)rows, 0, score, (int)width);
    find_least(width, km->clusters, score, km->narrow + km->clusters * rows, best, who);
    for (size_t j = 0; j < width; j++)
        km->labels[place[j]] = (int32_t)who[j];
}

/* Those of a tile whose label may change, in `place`. Rounding is below 1e-9 of a distance. */
OF_SIMD static size_t find_open(kmeans *km, size_t first, size_t width, size_t *place)
{
    const double sure = 1 + 1e-9;
    size_t open = 0;
    for (size_t j = first; j < first + width; j++) {
        size_t c = (size_t)km->labels[j];
        double above = km->above[j] + km->moved[c],
               below = km->below[j] - (c == km->farthest ? km->next : km->most);
        if (km->bounded && !(above * sure < below))
            above = sqrt(own_distance(km, j));
        if (km->bounded && above * sure < below) {
            km->above[j] = above;
            km->below[j] = below;
        } else {
            place[open++] = j;
        }
    }
    return open;
}

OF_SIMD static void add_to(size_t count, const double *from, double *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

/* The columns of a tile by label, and how many there are. */
OF_SIMD static onefold_status add_by_label(void *task, size_t tile, double *sum)
{
    kmeans *km = task;
    size_t first = of_tiles_first(&km->tiles, tile), width = of_tiles_length(&km->tiles, tile);
    for (size_t j = first; j < first + width; j++) {
        const double *x = point(km, j);
        double *column = sum + (size_t)km->labels[j] * km->rows;
        for (size_t i = 0; i < km->rows; i++)
            column[i] += x[i];
        sum[km->rows * km->clusters + (size_t)km->labels[j]] += 1;
    }
    return ONEFOLD_OK;
}

/* The nearest centre of each sample of a tile, the first among equals; and its columns by label,
 * if they are wanted, while they are in the cache. */
static onefold_status assign_tile(void *task, size_t tile, double *sum)
{
    kmeans *km = task;
    size_t first = of_tiles_first(&km->tiles, tile), width = of_tiles_length(&km->tiles, tile);
    double *room = km->score + of_team_worker() * km->score_size;
    size_t *place = (size_t *)(void *)room, open = find_open(km, first, width, place);
    room += km->tiles.width;
    for (size_t done = 0; done < open; done += km->piece, place += km->piece) {
        size_t rows = km->rows, count = open - done < km->piece ? open - done : km->piece;
        double *best = room, *second = best + count, *who = second + count, *x = who + count,
               *score = x + rows * count;
        if (km->narrow) {
            assign_narrow(km, count, place, (float *)(void *)room);
            continue;
        }
        for (size_t j = 0; j < count; j++)
            memcpy(x + j * rows, point(km, place[j]), rows * sizeof *x);
        of_gemm('T', 'N', count, km->clusters, rows, -2, x, rows, km->offset, rows, 0, score,
                count);
        find_best(count, km->clusters, score, km->constant, best, second, who);
        set_labels(km, count, place, best, second, who);
    }
    return sum ? add_by_label(km, tile, sum) : ONEFOLD_OK;
}

static onefold_status assign_only(void *task, size_t index)
{
    kmeans *km = task;
    return assign_tile(km, index, NULL);
}

/* Squared distances to the centres that samples have, and their sum. */
OF_SIMD static onefold_status measure_tile(void *task, size_t tile, double *sum)
{
    kmeans *km = task;
    size_t first = of_tiles_first(&km->tiles, tile), width = of_tiles_length(&km->tiles, tile);
    for (size_t j = first; j < first + width; j++) {
        km->distance[j] = own_distance(km, j);
        *sum += km->distance[j];
    }
    return ONEFOLD_OK;
}

static onefold_status add_cluster(void *task, size_t c)
{
    kmeans *km = task;
    double *sum = km->sums + c * km->rows;
    for (size_t i = km->count[c]; i < km->count[c + 1]; i++)
        add_to(km->rows, point(km, km->member[i]), sum);
    km->sums[km->rows * km->clusters + c] = (double)(km->count[c + 1] - km->count[c]);
    return ONEFOLD_OK;
}

/* Sums of columns by label, and counts. Of many clusters, each has few samples: these are sorted,
 * and a cluster is added up by itself, as sums over tiles would be zeros for the most part. */
static onefold_status add_up(kmeans *km)
{
    size_t length = (km->rows + 1) * km->clusters;
    if (!km->member || of_counts(km->context))
        return of_team_sum(km->context, km->tiles.count, add_by_label, km, length, km->sums);
    memset(km->sums, 0, length * sizeof *km->sums);
    size_t *next = km->count;
    memset(next, 0, (km->clusters + 2) * sizeof *next);
    for (size_t j = 0; j < km->samples; j++)
        next[km->labels[j] + 2]++;
    for (size_t c = 1; c < km->clusters + 2; c++)
        next[c] += next[c - 1];
    for (size_t j = 0; j < km->samples; j++)
        km->member[next[km->labels[j] + 1]++] = (uint32_t)j;
    return of_team_run(km->context, km->clusters, add_cluster, km);
}

/* Gives each empty cluster the sample that is farthest from its centre, of a cluster that keeps
 * another one; the first such sample among equals. */
static onefold_status repair_empty(kmeans *km)
{
    size_t empty = 0;
    for (size_t c = 0; c < km->clusters; c++) {
        km->count[c] = (size_t)km->sums[km->rows * km->clusters + c];
        empty += km->count[c] == 0;
    }
    if (!empty)
        return ONEFOLD_OK;
    double cost = 0;
    OF_TRY(of_team_sum(km->context, km->tiles.count, measure_tile, km, 1, &cost));
    for (size_t c = 0; c < km->clusters; c++) {
        if (km->count[c])
            continue;
        size_t farthest = km->samples;
        for (size_t j = 0; j < km->samples; j++)
            if (km->count[km->labels[j]] > 1 &&
                (farthest == km->samples || km->distance[j] > km->distance[farthest]))
                farthest = j;
        km->count[km->labels[farthest]]--;
        km->count[c] = 1;
        km->labels[farthest] = (int32_t)c;
        km->distance[farthest] = 0;
        km->above[farthest] = INFINITY; /* it is looked at again */
    }
    return add_up(km);
}

/* Centres become the means of their samples. */
static void move_centres(kmeans *km)
{
    for (size_t c = 0; c < km->clusters; c++)
        for (size_t i = 0; i < km->rows; i++)
            km->centres[i + c * km->rows] =
                km->sums[i + c * km->rows] / km->sums[km->rows * km->clusters + c];
}

/* ---- the whole ---------------------------------------------------------------------------- */

static onefold_status add_all(void *task, size_t tile, double *sum)
{
    kmeans *km = task;
    size_t first = of_tiles_first(&km->tiles, tile), width = of_tiles_length(&km->tiles, tile);
    for (size_t j = first; j < first + width; j++)
        for (size_t i = 0; i < km->rows; i++)
            sum[i] += point(km, j)[i];
    return ONEFOLD_OK;
}

/* What one start works in. */
static onefold_status prepare(kmeans *km, int single, of_arena *scratch)
{
    size_t workers = of_team_size(km->context);
    km->piece = SCORES / km->clusters > PIECE ? SCORES / km->clusters : PIECE;
    if (km->piece > km->tiles.width)
        km->piece = km->tiles.width;
    km->score_size = km->tiles.width + (km->clusters + 3 + km->rows) * km->piece;
    OF_TRY(OF_NEW_ALL(scratch, {&km->centres, km->rows, km->clusters},
                      {&km->offset, km->rows, km->clusters}));
    if (single)
        OF_TRY(OF_NEW(scratch, &km->narrow, km->rows + 1, km->clusters));
    OF_TRY(OF_NEW_ALL(scratch, {&km->constant, km->clusters, 1}, {&km->distance, km->samples, 1},
                      {&km->tile_sum, km->tiles.count, 1}, {&km->sums, km->rows + 1, km->clusters},
                      {&km->score, workers, km->score_size},
                      {&km->before, km->rows, km->clusters}));
    OF_TRY(OF_NEW_ZERO(scratch, &km->labels, km->samples, 1));
    OF_TRY(OF_NEW(scratch, &km->previous, km->samples, 1));
    OF_TRY(OF_NEW_ALL_ZERO(scratch, {&km->above, km->samples, 1}, {&km->below, km->samples, 1},
                           {&km->moved, km->clusters, 1}));
    if (km->clusters > FEW && km->samples <= UINT32_MAX)
        OF_TRY(OF_NEW(scratch, &km->member, km->samples, 1));
    return OF_NEW(scratch, &km->count, km->clusters + 2, 1);
}

static of_random stream_of(const of_kmeans_options *options, size_t replicate)
{
    return of_random_make(options->seed, OF_PURPOSE_KMEANS,
                          options->index * (1u << 20) + replicate);
}

/* ---- replicates ----------------------------------------------------------------------------- */

typedef struct replicate {
    size_t number; /* SIZE_MAX: there was none */
    of_kmeans_result result;
} replicate;

typedef struct starts {
    const of_kmeans_options *options;
    kmeans km;            /* what all of them share */
    int single, beside;   /* beside: they are worked side by side */
    pthread_mutex_t lock; /* of what follows: the best so far */
    replicate best;
    int32_t *labels;
    double *centres;
} starts;

/* The best is the first of the least cost, whichever ends first. */
static void keep_if_best(starts *all, const kmeans *km, size_t number, of_kmeans_result now)
{
    pthread_mutex_lock(&all->lock);
    if (all->best.number == SIZE_MAX || now.cost < all->best.result.cost ||
        (now.cost == all->best.result.cost && number < all->best.number)) {
        all->best = (replicate){number, now};
        memcpy(all->labels, km->labels, km->samples * sizeof *km->labels);
        if (all->centres)
            memcpy(all->centres, km->centres, km->rows * km->clusters * sizeof *km->centres);
    }
    pthread_mutex_unlock(&all->lock);
}

/* One replicate: Lloyd's iteration from its start. At the end the centres are the means of the
 * labels. */
static onefold_status run_start(void *opaque, size_t number)
{
    starts *all = opaque;
    const of_kmeans_options *options = all->options;
    OF_SCRATCH(scratch, all->km.context);
    kmeans km = all->km;
    of_random random = stream_of(options, number);
    of_kmeans_result now = {0, 0, 0};
    if (all->beside)
        of_team_share(km.context);
    OF_TRY(prepare(&km, all->single, &scratch));
    if (of_counts(km.context))
        return add_up(&km);
    if (number == 0 && options->from)
        memcpy(km.centres, options->from, km.rows * km.clusters * sizeof *km.centres);
    else if (options->start == OF_KMEANS_PLUSPLUS)
        OF_TRY(start_plusplus(&km, &random));
    else
        start_samples(&km, &random);
    for (int more = 1; more && !now.converged;) {
        size_t length = (km.rows + 1) * km.clusters;
        prepare_centres(&km);
        memcpy(km.previous, km.labels, km.samples * sizeof *km.previous);
        if (km.member) {
            OF_TRY(of_team_run(km.context, km.tiles.count, assign_only, &km));
            OF_TRY(add_up(&km));
        } else { /* in one go */
            OF_TRY(of_team_sum(km.context, km.tiles.count, assign_tile, &km, length, km.sums));
        }
        OF_TRY(repair_empty(&km));
        now.converged =
            now.iterations > 0 && !memcmp(km.previous, km.labels, km.samples * sizeof *km.labels);
        if (!now.converged)
            move_centres(&km);
        km.bounded = !km.narrow;
        more = ++now.iterations < options->max_iterations;
    }
    OF_TRY(of_team_sum(km.context, km.tiles.count, measure_tile, &km, 1, &now.cost));
    keep_if_best(all, &km, number, now);
    return ONEFOLD_OK;
}

onefold_status of_kmeans(of_context *context, const of_kmeans_options *options, size_t rows,
                         size_t samples, const double *X, size_t ldx, int32_t *labels,
                         double *centres, of_kmeans_result *result)
{
    if (options->clusters < 1 || options->clusters > samples)
        return of_fail(ONEFOLD_USAGE, "k-means cannot make %zu clusters of %zu samples",
                       options->clusters, samples);
    context = of_context_or_default(context);
    OF_SCRATCH(scratch, context);
    enum { FEW_SAMPLES = 1 << 16 };
    size_t replicates = options->replicates > 1 ? options->replicates : 1;
    starts all = {.options = options,
                  .km = {.context = context, .rows = rows, .samples = samples, .ldx = ldx, .X = X},
                  .single = options->single && rows <= INT_MAX && options->clusters < MOST_NARROW,
                  .lock = PTHREAD_MUTEX_INITIALIZER,
                  .best = {SIZE_MAX, {INFINITY, 0, 0}},
                  .labels = labels,
                  .centres = centres};
    kmeans *km = &all.km;
    km->clusters = options->clusters;
    km->tiles = of_tiles_make(samples, rows, TILE_BYTES);
    OF_TRY(OF_NEW(&scratch, &km->mean, rows, 1));
    OF_TRY(of_team_sum(context, km->tiles.count, add_all, km, rows, km->mean));
    for (size_t i = 0; i < rows && !of_counts(context); i++)
        km->mean[i] /= (double)samples;
    /* side by side where samples are few, as there is little in each to share out */
    all.beside = replicates > 1 && samples <= FEW_SAMPLES && of_team_size(context) > 1;
    OF_TRY(of_team_each(context, all.beside, replicates, run_start, &all));
    if (result)
        *result = all.best.result;
    return ONEFOLD_OK;
}
