/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k-means: Lloyd's iteration on tiles of samples with distances from one matrix product per tile,
 * the repair of empty clusters, and Hartigan's moves once labels stand. All sums over samples are
 * in a fixed order. A sample's distances are computed again only where bounds on them, from the
 * moves of the centres, do not decide its label. The labels are the same as without bounds. Fewer
 * samples than rows are clustered by their Gram matrix.
 */
#include "linalg/kmeans.h"

#include "base/comm.h"
#include "linalg/blas.h"
#include "linalg/kmeans_gram.h"
#include "linalg/simd.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

/* A piece of samples has about SCORES scores against all clusters, which fit the cache. Above FEW
 * clusters, sums are computed cluster by cluster. */
enum { TILE_BYTES = 128 << 10, FEW = 64, SCORES = 1 << 16, PIECE = 64 };

/* Floats hold the numbers of up to this many clusters. */
enum { MOST_SINGLE = 1 << 24 };

typedef struct kmeans {
    of_context *context;
    size_t rows, samples, ldx, clusters;
    const double *X; /* rows x samples, ldx apart */
    of_tiles tiles;
    double *mean;         /* rows: the mean of all samples */
    double *centres;      /* rows x clusters */
    double *offset;       /* rows x clusters: centres less the mean */
    float *single;        /* offsets and their squared lengths (clusters) as floats; or NULL */
    double *constant;     /* clusters: ||centre||^2 - ||mean||^2 */
    double *distance;     /* samples: squared, to the sample's own centre */
    double *tile_sum;     /* tiles: the sum of distances */
    const double *newest; /* the last centre that a start has chosen */
    double *sums;         /* rows x clusters, then clusters: sums of columns by label, and counts */
    double *before;       /* rows x clusters: the centres of the iteration before */
    double *score;        /* per worker */
    size_t score_size;    /* of one worker */
    int32_t *labels;      /* samples */
    int32_t *previous;    /* samples: of the iteration before */
    size_t *count;        /* clusters: samples in each */
    size_t piece;         /* samples whose scores are computed at once */
    /* samples: bounds on the distance to its own centre from above, and to all others from below. A
     * sample keeps its label where upper leave < lower join. */
    double *upper, *lower;
    double *moved;                    /* clusters: the last move of each centre */
    double largest_move, second_move; /* of these */
    size_t farthest;                  /* the cluster with the largest move */
    int bounded;                      /* the bounds are valid */
    /* Lloyd: 1. Hartigan: of a cluster of c samples (clusters), and the least of all clusters. A
     * sample keeps its label where upper sqrt(c / (c - 1)) < lower sqrt(c / (c + 1)). */
    double *leave, join;
    int stands;        /* labels stand: only bounds are computed */
    double slack;      /* how far centres may yet move until bounds are computed again */
    double least_gain; /* what a move has to gain, more than rounding errors */
    uint32_t *member;  /* with many clusters: samples sorted by cluster */
} kmeans;

static const double *point(const kmeans *km, size_t j)
{
    return km->X + j * km->ldx;
}

/* The squared distance of sample j to its own centre. */
static double own_distance(const kmeans *km, size_t j)
{
    return of_squared_distance(km->rows, point(km, j),
                               km->centres + (size_t)km->labels[j] * km->rows);
}

/* ---- starts --------------------------------------------------------------------------------- */

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

size_t of_kmeans_draw(of_random *random, const of_tiles *tiles, const double *distance,
                      const double *tile_sum)
{
    double total = 0;
    for (size_t t = 0; t < tiles->count; t++)
        total += tile_sum[t];
    if (!(total > 0))
        return of_random_below(random, tiles->samples);
    double target = of_random_uniform(random) * total;
    size_t tile = 0;
    while (tile + 1 < tiles->count && target >= tile_sum[tile])
        target -= tile_sum[tile++];
    for (size_t j = of_tiles_first(tiles, tile); j < tiles->samples; j++) {
        if (target < distance[j])
            return j;
        target -= distance[j];
    }
    size_t last = tiles->samples - 1; /* rounding carried the target past the end */
    while (last > 0 && !(distance[last] > 0))
        last--;
    return last;
}

/* k-means++: each centre is a sample, drawn in proportion to its squared distance from the centres
 * before it. */
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
        chosen = of_kmeans_draw(random, &km->tiles, km->distance, km->tile_sum);
    }
}

void of_kmeans_draw_distinct(of_random *random, size_t samples, size_t count, size_t *chosen)
{
    for (size_t c = 0; c < count; c++) {
        size_t newest = samples - count + c, pick = of_random_below(random, newest + 1);
        for (size_t b = 0; b < c; b++)
            if (chosen[b] == pick)
                pick = newest;
        chosen[c] = pick;
    }
}

static void start_samples(kmeans *km, of_random *random)
{
    of_kmeans_draw_distinct(random, km->samples, km->clusters, km->count);
    for (size_t c = 0; c < km->clusters; c++)
        memcpy(km->centres + c * km->rows, point(km, km->count[c]), km->rows * sizeof *km->centres);
}

static onefold_status sum_clusters(kmeans *km);
static void move_centres(kmeans *km);

/* The means of given labels. */
static onefold_status start_labels(kmeans *km, const int32_t *labels)
{
    memcpy(km->labels, labels, km->samples * sizeof *labels);
    OF_TRY(sum_clusters(km));
    for (size_t c = 0; c < km->clusters; c++) {
        double *count = km->sums + km->rows * km->clusters + c;
        if (*count > 0)
            continue;
        memcpy(km->sums + c * km->rows, km->mean, km->rows * sizeof *km->mean);
        *count = 1;
    }
    move_centres(km);
    return ONEFOLD_OK;
}

/* ---- Lloyd -------------------------------------------------------------------------------- */

static void round_centre(kmeans *km, size_t c)
{
    const double *offset = km->offset + c * km->rows;
    double square = 0;
    for (size_t i = 0; i < km->rows; i++) {
        km->single[c * km->rows + i] = (float)offset[i];
        square += offset[i] * offset[i];
    }
    km->single[km->clusters * km->rows + c] = (float)square;
}

/* Computes what assignments need of the centres. Scores use offsets from the mean of all samples: a
 * large mean would cost digits. */
static void prepare_centres(kmeans *km)
{
    km->largest_move = km->second_move = 0;
    km->farthest = 0;
    for (size_t c = 0; c < km->clusters; c++) {
        const double *centre = km->centres + c * km->rows;
        double *offset = km->offset + c * km->rows, constant = 0;
        for (size_t i = 0; i < km->rows; i++) {
            offset[i] = centre[i] - km->mean[i];
            constant += offset[i] * (centre[i] + km->mean[i]);
        }
        km->constant[c] = constant;
        if (km->single)
            round_centre(km, c);
        if (!km->bounded)
            continue;
        double move = sqrt(of_squared_distance(km->rows, centre, km->before + c * km->rows));
        km->moved[c] = move;
        if (move > km->largest_move) {
            km->second_move = km->largest_move;
            km->largest_move = move;
            km->farthest = c;
        } else if (move > km->second_move) {
            km->second_move = move;
        }
    }
    memcpy(km->before, km->centres, km->rows * km->clusters * sizeof *km->before);
}

/* The two least scores (width x clusters) of each sample, and the cluster of the least, the first
 * among equals. */
OF_SIMD static void find_best(size_t width, size_t clusters, const double *score,
                              const double *constants, double *best, double *second,
                              double *nearest)
{
    for (size_t j = 0; j < width; j++) {
        best[j] = second[j] = INFINITY;
        nearest[j] = 0;
    }
    for (size_t c = 0; c < clusters; c++) {
        const double cluster = (double)c, constant = constants[c];
        for (size_t j = 0; j < width; j++) {
            double value = score[j + c * width] + constant,
                   next = value < second[j] ? value : second[j];
            second[j] = value < best[j] ? best[j] : next;
            nearest[j] = value < best[j] ? cluster : nearest[j];
            best[j] = value < best[j] ? value : best[j];
        }
    }
}

/* Sets labels and bounds of samples from the results of find_best. Where labels stand, a sample
 * that is nearer to another centre has no bounds. */
OF_SIMD static void set_labels(kmeans *km, size_t width, const size_t *place, const double *best,
                               const double *second, const double *nearest)
{
    for (size_t j = 0; j < width; j++) {
        size_t c = (size_t)nearest[j], at = place[j];
        double square = of_squared_distance(km->rows, point(km, at), km->centres + c * km->rows);
        int stays = !km->stands || km->labels[at] == (int32_t)c;
        km->labels[at] = stays ? (int32_t)c : km->labels[at];
        km->upper[at] = stays ? sqrt(square) : INFINITY;
        km->lower[at] = stays ? sqrt(square + (second[j] - best[j])) : 0;
    }
}

/* The least score (width x clusters) of each sample and its cluster, the first among equals. */
OF_SIMD static void find_least(size_t width, size_t clusters, const float *score,
                               const float *constants, float *best, float *nearest)
{
    for (size_t j = 0; j < width; j++) {
        best[j] = INFINITY;
        nearest[j] = 0;
    }
    for (size_t c = 0; c < clusters; c++) {
        const float cluster = (float)c, constant = constants[c];
        for (size_t j = 0; j < width; j++) {
            float value = score[j + c * width] + constant;
            nearest[j] = value < best[j] ? cluster : nearest[j];
            best[j] = value < best[j] ? value : best[j];
        }
    }
}

/* Sets labels of samples by distances in single precision. There are no bounds: they save nothing
 * in the first iterations, in which all centres move. */
static void assign_single(kmeans *km, size_t width, const size_t *place, float *room)
{
    size_t rows = km->rows;
    float *best = room, *nearest = best + width, *x = nearest + width, *score = x + rows * width;
    for (size_t j = 0; j < width; j++)
        for (size_t i = 0; i < rows; i++)
            x[j * rows + i] = (float)(point(km, place[j])[i] - km->mean[i]);
    cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int)width, (int)km->clusters, (int)rows,
                -2, x, (int)rows, km->single, (int)rows, 0, score, (int)width);
    find_least(width, km->clusters, score, km->single + km->clusters * rows, best, nearest);
    for (size_t j = 0; j < width; j++)
        km->labels[place[j]] = (int32_t)nearest[j];
}

/* The samples of a tile whose labels may change, in `place`. Returns their number. Rounding errors
 * are below 1e-9 of a distance. */
OF_SIMD static size_t find_open(kmeans *km, size_t first, size_t width, size_t *place)
{
    const double margin = 1 + 1e-9;
    size_t open = 0;
    for (size_t j = first; j < first + width; j++) {
        size_t c = (size_t)km->labels[j];
        double upper = km->upper[j] + km->moved[c],
               lower = km->lower[j] - (c == km->farthest ? km->second_move : km->largest_move);
        double factor = km->leave[c] * margin;
        if (km->bounded && !(upper * factor + km->slack < lower * km->join))
            upper = sqrt(own_distance(km, j));
        if (km->bounded && upper * factor + km->slack < lower * km->join) {
            km->upper[j] = upper;
            km->lower[j] = lower;
        } else {
            place[open++] = j;
        }
    }
    return open;
}

/* Adds the columns of a tile by label, and their counts. */
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

/* Assigns the samples of a tile to their nearest centres, the first among equals. Adds the columns
 * by label to `sum`, if not NULL, while they are in the cache. */
static onefold_status assign_tile(void *task, size_t tile, double *sum)
{
    kmeans *km = task;
    size_t first = of_tiles_first(&km->tiles, tile), width = of_tiles_length(&km->tiles, tile);
    double *room = km->score + of_team_worker() * km->score_size;
    size_t *place = (size_t *)(void *)room, open = find_open(km, first, width, place);
    room += km->tiles.width;
    for (size_t done = 0; done < open; done += km->piece, place += km->piece) {
        size_t rows = km->rows, count = of_size_least(open - done, km->piece);
        double *best = room, *second = best + count, *nearest = second + count,
               *x = nearest + count, *score = x + rows * count;
        if (km->single) {
            assign_single(km, count, place, (float *)(void *)room);
            continue;
        }
        for (size_t j = 0; j < count; j++)
            memcpy(x + j * rows, point(km, place[j]), rows * sizeof *x);
        of_gemm('T', 'N', count, km->clusters, rows, -2, x, rows, km->offset, rows, 0, score,
                count);
        find_best(count, km->clusters, score, km->constant, best, second, nearest);
        set_labels(km, count, place, best, second, nearest);
    }
    return sum ? add_by_label(km, tile, sum) : ONEFOLD_OK;
}

static onefold_status assign_only(void *task, size_t tile)
{
    return assign_tile(task, tile, NULL);
}

/* Squared distances of samples to their own centres, and their sum. */
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

OF_SIMD static onefold_status add_cluster(void *task, size_t c)
{
    kmeans *km = task;
    double *sum = km->sums + c * km->rows;
    for (size_t j = km->count[c]; j < km->count[c + 1]; j++) {
        const double *x = point(km, km->member[j]);
        for (size_t i = 0; i < km->rows; i++)
            sum[i] += x[i];
    }
    km->sums[km->rows * km->clusters + c] = (double)(km->count[c + 1] - km->count[c]);
    return ONEFOLD_OK;
}

/* Sums of columns by label, and counts. With many clusters, sums over tiles would be mostly zeros:
 * then samples are sorted by cluster, and each cluster is summed by itself. */
static onefold_status sum_clusters(kmeans *km)
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

/* Moves to each empty cluster the sample farthest from its centre, the first among equals, from a
 * cluster with other samples. */
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
        km->upper[farthest] = INFINITY; /* so that the next iteration assigns it again */
        km->lower[farthest] = 0;
    }
    return sum_clusters(km);
}

/* Moves centres to the means of their samples. */
static void move_centres(kmeans *km)
{
    for (size_t c = 0; c < km->clusters; c++)
        for (size_t i = 0; i < km->rows; i++)
            km->centres[i + c * km->rows] =
                km->sums[i + c * km->rows] / km->sums[km->rows * km->clusters + c];
}

/* ---- Hartigan ----------------------------------------------------------------------------------
 *
 * A sample pulls its own centre towards itself. Lloyd's iteration stops where that alone keeps
 * samples, after a few steps where columns outnumber samples. The cost falls by c / (c - 1) times
 * the squared distance when a sample leaves its cluster of c samples, and grows by c / (c + 1)
 * times that distance where it enters another. A sweep takes the samples in order and makes each
 * move that lowers the cost; sweeps end when one makes none. Where bounds show that a sample stays,
 * nothing is computed. A sweep takes a step of Lloyd in parallel, and for each other sample, on one
 * thread, its distances to all centres; of many samples these are few.
 */

static void count_cluster(kmeans *km, size_t c)
{
    double count = (double)km->count[c], join = sqrt(count / (count + 1));
    km->leave[c] = count > 1 ? sqrt(count / (count - 1)) : 1;
    km->join = join < km->join ? join : km->join;
}

/* Moves centre c to the mean after a sample has entered (1) or left (-1) its cluster. */
OF_SIMD static void shift_centre(kmeans *km, size_t c, const double *x, int sign)
{
    double *centre = km->centres + c * km->rows;
    km->count[c] = sign > 0 ? km->count[c] + 1 : km->count[c] - 1;
    double share = sign / (double)km->count[c];
    for (size_t i = 0; i < km->rows; i++)
        centre[i] += (x[i] - centre[i]) * share;
    km->moved[c] = sqrt(of_squared_distance(km->rows, centre, km->before + c * km->rows));
    km->largest_move = 0;
    for (size_t b = 0; b < km->clusters; b++)
        km->largest_move = km->moved[b] > km->largest_move ? km->moved[b] : km->largest_move;
    count_cluster(km, c);
}

/* Moves sample j to the cluster whose cost grows least by it, where that is less than its own
 * cluster's cost falls without it. Returns whether it moved. */
OF_SIMD static int move_sample(kmeans *km, size_t j)
{
    const double *x = point(km, j);
    size_t own = (size_t)km->labels[j], to = own;
    double square = own_distance(km, j), other = INFINITY, count = (double)km->count[own],
           least = count / (count - 1) * square - km->least_gain;
    for (size_t c = 0; c < km->clusters; c++) {
        if (c == own)
            continue;
        double d = of_squared_distance(km->rows, x, km->centres + c * km->rows);
        count = (double)km->count[c];
        other = d < other ? d : other;
        if (count / (count + 1) * d < least) {
            least = count / (count + 1) * d;
            to = c;
        }
    }
    int moves = to != own;
    if (moves) {
        shift_centre(km, own, x, -1);
        shift_centre(km, to, x, 1);
        km->labels[j] = (int32_t)to;
    }
    /* from the centres before the moves so far; a sample that moves has no bounds */
    km->upper[j] = moves ? INFINITY : sqrt(square) + km->moved[own];
    km->lower[j] = moves ? 0 : sqrt(other) - km->largest_move;
    return moves;
}

/* Returns the moves of a sweep. Adds the samples that were not known to stay to *tried. */
static onefold_status sweep(kmeans *km, size_t *moves, size_t *tried)
{
    enum { BETWEEN = 256 }; /* samples between looks at the cancel hook */
    const double margin = 1 + 1e-9;
    *moves = 0;
    for (size_t j = 0; j < km->samples; j++) {
        size_t c = (size_t)km->labels[j];
        double upper = km->upper[j] + km->moved[c], lower = km->lower[j] - km->largest_move;
        if (km->count[c] == 1 || upper * km->leave[c] * margin < lower * km->join)
            continue;
        if (++*tried % BETWEEN == 0)
            OF_TRY(of_context_check(km->context));
        *moves += (size_t)move_sample(km, j);
    }
    return ONEFOLD_OK;
}

/* The means and bounds of the labels, from which sweeps start. */
static onefold_status prepare_sweeps(kmeans *km)
{
    km->slack = 2 * km->largest_move; /* as far as in the sweeps before, of two centres */
    prepare_centres(km);
    km->join = 1;
    for (size_t c = 0; c < km->clusters; c++) {
        km->count[c] = (size_t)km->sums[km->rows * km->clusters + c];
        count_cluster(km, c);
    }
    OF_TRY(of_team_run(km->context, km->tiles.count, assign_only, km));
    km->bounded = 1;
    memset(km->moved, 0, km->clusters * sizeof *km->moved);
    km->largest_move = 0;
    return ONEFOLD_OK;
}

/* Sweeps until none moves a sample. Means and bounds are made again before the last one, so that no
 * rounding error is left, and where that takes less than what loose bounds cost. */
static onefold_status run_hartigan(kmeans *km, size_t most, of_kmeans_result *now)
{
    km->bounded = 0;
    km->single = NULL;
    km->stands = 1;
    for (now->converged = 0; !now->converged && now->iterations < most;) {
        size_t all = 0, moves = 1, tried = 0;
        OF_TRY(prepare_sweeps(km));
        while (moves && now->iterations < most && tried <= km->samples / km->clusters) {
            OF_TRY(sweep(km, &moves, &tried));
            all += moves;
            now->iterations += moves || !all;
        }
        now->converged = !all;
        if (all)
            OF_TRY(sum_clusters(km));
        if (all)
            move_centres(km);
    }
    return ONEFOLD_OK;
}

/* ---- replicates ----------------------------------------------------------------------------- */

static onefold_status add_samples(void *task, size_t tile, double *sum)
{
    kmeans *km = task;
    size_t first = of_tiles_first(&km->tiles, tile), width = of_tiles_length(&km->tiles, tile);
    for (size_t j = first; j < first + width; j++)
        for (size_t i = 0; i < km->rows; i++)
            sum[i] += point(km, j)[i];
    return ONEFOLD_OK;
}

static onefold_status add_squares(void *task, size_t tile, double *sum)
{
    kmeans *km = task;
    size_t first = of_tiles_first(&km->tiles, tile), width = of_tiles_length(&km->tiles, tile);
    for (size_t j = first; j < first + width; j++)
        *sum += of_squared_distance(km->rows, point(km, j), km->mean);
    return ONEFOLD_OK;
}

/* Allocates the arrays of one replicate. */
static onefold_status prepare(kmeans *km, int single, of_arena *scratch)
{
    size_t workers = of_team_size(km->context);
    km->piece = SCORES / km->clusters > PIECE ? SCORES / km->clusters : PIECE;
    km->piece = of_size_least(km->piece, km->tiles.width);
    km->score_size = km->tiles.width + (km->clusters + 3 + km->rows) * km->piece;
    OF_TRY(OF_NEW_ALL(scratch, {&km->centres, km->rows, km->clusters},
                      {&km->offset, km->rows, km->clusters}));
    if (single)
        OF_TRY(OF_NEW(scratch, &km->single, km->rows + 1, km->clusters));
    OF_TRY(OF_NEW_ALL(scratch, {&km->constant, km->clusters, 1}, {&km->distance, km->samples, 1},
                      {&km->tile_sum, km->tiles.count, 1}, {&km->sums, km->rows + 1, km->clusters},
                      {&km->score, workers, km->score_size},
                      {&km->before, km->rows, km->clusters}));
    OF_TRY(OF_NEW_ZERO(scratch, &km->labels, km->samples, 1));
    OF_TRY(OF_NEW(scratch, &km->previous, km->samples, 1));
    OF_TRY(OF_NEW_ALL_ZERO(scratch, {&km->upper, km->samples, 1}, {&km->lower, km->samples, 1},
                           {&km->moved, km->clusters, 1}));
    OF_TRY(OF_NEW(scratch, &km->leave, km->clusters, 1));
    if (km->clusters > FEW && km->samples <= UINT32_MAX)
        OF_TRY(OF_NEW(scratch, &km->member, km->samples, 1));
    return OF_NEW(scratch, &km->count, km->clusters + 2, 1);
}

typedef struct starts {
    const of_kmeans_options *options;
    kmeans km;            /* the fields that all replicates share */
    int single, beside;   /* beside: replicates run beside each other */
    pthread_mutex_t lock; /* of what follows: the best replicate so far */
    size_t best;          /* its number; SIZE_MAX: none yet */
    of_kmeans_result result;
    int32_t *labels;
    double *centres;
} starts;

/* Keeps the first replicate of least cost, whichever ends first. */
static void keep_if_best(starts *all, const kmeans *km, size_t number, of_kmeans_result now)
{
    pthread_mutex_lock(&all->lock);
    if (all->best == SIZE_MAX || now.cost < all->result.cost ||
        (now.cost == all->result.cost && number < all->best)) {
        all->best = number;
        all->result = now;
        memcpy(all->labels, km->labels, km->samples * sizeof *km->labels);
        if (all->centres)
            memcpy(all->centres, km->centres, km->rows * km->clusters * sizeof *km->centres);
    }
    pthread_mutex_unlock(&all->lock);
}

/* One replicate: Lloyd's iteration from its start, then moves. Few steps of Lloyd, whose labels do
 * not stand, are all there is. The last centres are the means of clusters. */
static onefold_status run_start(void *opaque, size_t number)
{
    starts *all = opaque;
    const of_kmeans_options *options = all->options;
    OF_SCRATCH(scratch, all->km.context);
    kmeans km = all->km;
    of_random random =
        of_random_make(options->seed, OF_PURPOSE_KMEANS, options->index * (1u << 20) + number);
    of_kmeans_result now = {0, 0, 0};
    if (all->beside)
        of_team_share(km.context);
    OF_TRY(prepare(&km, all->single, &scratch));
    if (of_counts(km.context))
        return sum_clusters(&km);
    if (number == 0 && options->from_labels)
        OF_TRY(start_labels(&km, options->from_labels));
    else if (number == 0 && options->from)
        memcpy(km.centres, options->from, km.rows * km.clusters * sizeof *km.centres);
    else if (options->start == OF_KMEANS_PLUSPLUS)
        OF_TRY(start_plusplus(&km, &random));
    else
        start_samples(&km, &random);
    for (size_t c = 0; c < km.clusters; c++)
        km.leave[c] = 1;
    km.join = 1;
    for (int more = 1; more && !now.converged;) {
        size_t length = (km.rows + 1) * km.clusters;
        prepare_centres(&km);
        memcpy(km.previous, km.labels, km.samples * sizeof *km.previous);
        if (km.member) {
            OF_TRY(of_team_run(km.context, km.tiles.count, assign_only, &km));
            OF_TRY(sum_clusters(&km));
        } else {
            OF_TRY(of_team_sum(km.context, km.tiles.count, assign_tile, &km, length, km.sums));
        }
        OF_TRY(repair_empty(&km));
        now.converged =
            now.iterations > 0 && !memcmp(km.previous, km.labels, km.samples * sizeof *km.labels);
        if (!now.converged)
            move_centres(&km);
        km.bounded = !km.single;
        more = ++now.iterations < options->max_iterations;
    }
    if (now.converged && !options->lloyd)
        OF_TRY(run_hartigan(&km, options->max_iterations, &now));
    OF_TRY(of_team_sum(km.context, km.tiles.count, measure_tile, &km, 1, &now.cost));
    keep_if_best(all, &km, number, now);
    return ONEFOLD_OK;
}

/* On the Gram matrix of samples about their mean, made from so many rows of X at once. Its n^2 rows
 * products take as long as n / clusters steps of Lloyd, once for all replicates. */
static onefold_status run_gram(const starts *all, int32_t *labels, double *centres,
                               of_kmeans_result *result)
{
    enum { AT_ONCE = 2048 };
    kmeans km = all->km;
    of_kmeans_options options = *all->options;
    OF_SCRATCH(scratch, km.context);
    size_t n = km.samples, k = km.clusters, room = of_size_least(km.rows, AT_ONCE);
    double *G, *x, *y, *products = NULL;
    OF_TRY(OF_NEW_ALL(&scratch, {&G, n, n}, {&x, room, n}, {&y, room, k}));
    if (options.from)
        OF_TRY(OF_NEW_ZERO(&scratch, &products, n + 1, k));
    for (size_t first = 0; first < km.rows && !of_counts(km.context); first += AT_ONCE) {
        size_t height = of_size_least(km.rows - first, AT_ONCE);
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < height; i++)
                x[i + j * height] = point(&km, j)[first + i] - km.mean[first + i];
        OF_TRY(of_team_syrk(km.context, 'T', n, height, 1, x, height, first > 0, G, n));
        for (size_t c = 0; c < k && products; c++)
            for (size_t i = 0; i < height; i++) {
                double offset = options.from[first + i + c * km.rows] - km.mean[first + i];
                y[i + c * height] = offset;
                products[n + c * (n + 1)] += offset * offset;
            }
        if (products)
            OF_TRY(of_team_gemm(km.context, 'T', 'N', n, k, height, 1, x, height, y, height, 1,
                                products, n + 1));
    }
    options.from = products;
    of_arena_release(&scratch, x);
    OF_TRY(of_kmeans_gram(km.context, &options, n, G, n, NULL, labels, result));
    OF_TRY(OF_NEW_ALL(&scratch, {&km.centres, km.rows, k}, {&km.sums, km.rows + 1, k},
                      {&km.distance, n, 1}));
    km.labels = labels;
    OF_TRY(sum_clusters(&km));
    OF_COUNTED(km.context);
    move_centres(&km);
    if (centres)
        memcpy(centres, km.centres, km.rows * k * sizeof *centres);
    return of_team_sum(km.context, km.tiles.count, measure_tile, &km, 1, &result->cost);
}

onefold_status of_kmeans_check(const of_kmeans_options *options, size_t samples)
{
    if (options->clusters < 1 || options->clusters > samples)
        return of_fail(ONEFOLD_USAGE, "k-means cannot make %zu clusters of %zu samples",
                       options->clusters, samples);
    return ONEFOLD_OK;
}

onefold_status of_kmeans(of_context *context, const of_kmeans_options *options, size_t rows,
                         size_t samples, const double *X, size_t ldx, int32_t *labels,
                         double *centres, of_kmeans_result *result)
{
    OF_TRY(of_kmeans_check(options, samples));
    context = of_context_or_default(context);
    OF_SCRATCH(scratch, context);
    enum { FEW_SAMPLES = 1 << 16 };
    size_t replicates = options->replicates > 1 ? options->replicates : 1;
    starts all = {.options = options,
                  .km = {.context = context, .rows = rows, .samples = samples, .ldx = ldx, .X = X},
                  .single = options->single && rows <= INT_MAX && options->clusters < MOST_SINGLE,
                  .lock = PTHREAD_MUTEX_INITIALIZER,
                  .best = SIZE_MAX,
                  .result = {.cost = INFINITY},
                  .labels = labels,
                  .centres = centres};
    kmeans *km = &all.km;
    km->clusters = options->clusters;
    km->tiles = of_tiles_make(samples, rows, TILE_BYTES);
    OF_TRY(OF_NEW(&scratch, &km->mean, rows, 1));
    OF_TRY(of_team_sum(context, km->tiles.count, add_samples, km, rows, km->mean));
    for (size_t i = 0; i < rows && !of_counts(context); i++)
        km->mean[i] /= (double)samples;
    if (of_kmeans_on_gram(rows, samples))
        return run_gram(&all, labels, centres, result ? result : &all.result);
    OF_TRY(of_team_sum(context, km->tiles.count, add_squares, km, 1, &km->least_gain));
    km->least_gain *= OF_KMEANS_LEAST_GAIN;
    /* replicates of few samples run beside each other: one alone would not occupy all threads */
    all.beside = replicates > 1 && samples <= FEW_SAMPLES && of_team_size(context) > 1;
    OF_TRY(of_team_each(context, all.beside, replicates, run_start, &all));
    if (result)
        *result = all.result;
    return ONEFOLD_OK;
}
