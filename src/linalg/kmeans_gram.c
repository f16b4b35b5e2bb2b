/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k-means on a Gram matrix G: Lloyd's iteration until it stands, then Hartigan's moves, and of few
 * samples exchanges of two. With
 * S = G Y, where Y are the indicators of clusters, and T_c the sum of all entries of G between
 * samples of cluster c, the squared distance of sample i to the centre of c is
 * g_ii - 2 S_ic / n_c + T_c / n_c^2.
 *
 * An iteration of Lloyd takes n clusters steps, and n^2 additions, or 2 n for each label that
 * changes where few do. So does a sweep of moves: n clusters steps, and 2 n additions a move.
 */
#include "linalg/kmeans_gram.h"

#include "linalg/simd.h"

#include <math.h>
#include <string.h>

enum { TILE_BYTES = 128 << 10 };

typedef struct gram {
    of_context *context;
    size_t n, ldg, clusters;
    const double *G;        /* n x n */
    const double *diagonal; /* n */
    of_tiles tiles;
    double least_gain; /* a change of labels that lowers the cost by less is rounding */
    double *sum;       /* S: n x clusters */
    double *within;    /* T: clusters */
    double *count;     /* clusters: samples in each */
    /* clusters: the distance of sample i to centre c is g_ii + offset_c - slope_c S_ic. It counts
     * `join` times where i would move to c. */
    double *offset, *slope, *join;
    double *distance; /* n: squared, to the nearest centre */
    double *tile_sum; /* tiles: the sum of distances */
    size_t newest;    /* the last sample that a start has chosen */
    int32_t *labels;  /* n */
    int32_t *before;  /* n: the labels of which `sum` is made, unless `fresh` */
    int fresh;        /* `sum` is to be made from the labels alone */
} gram;

static const double *column(const gram *g, size_t j)
{
    return g->G + j * g->ldg;
}

/* What of the diagonal is not in column j of G. */
static double rest(const gram *g, size_t j)
{
    return g->diagonal[j] - column(g, j)[j];
}

/* ---- sums ----------------------------------------------------------------------------------- */

OF_SIMD static void add(size_t length, const double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < length; i++)
        y[i] += x[i];
}

OF_SIMD static void subtract(size_t length, const double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < length; i++)
        y[i] -= x[i];
}

/* Rows of S that belong to a tile. */
static onefold_status sum_tile(void *task, size_t tile)
{
    gram *g = task;
    size_t first = of_tiles_first(&g->tiles, tile), width = of_tiles_length(&g->tiles, tile);
    for (size_t c = 0; c < g->clusters && g->fresh; c++)
        memset(g->sum + c * g->n + first, 0, width * sizeof *g->sum);
    for (size_t j = 0; j < g->n; j++) {
        const double *entries = column(g, j) + first;
        double *to = g->sum + (size_t)g->labels[j] * g->n + first;
        double own = j >= first && j < first + width ? rest(g, j) : 0;
        if (!g->fresh && g->labels[j] == g->before[j])
            continue;
        add(width, entries, to);
        if (own != 0)
            to[j - first] += own;
        if (g->fresh)
            continue;
        double *from = g->sum + (size_t)g->before[j] * g->n + first;
        subtract(width, entries, from);
        if (own != 0)
            from[j - first] -= own;
    }
    return ONEFOLD_OK;
}

static void set_cluster(gram *g, size_t c)
{
    double count = g->count[c];
    g->offset[c] = g->within[c] / (count * count);
    g->slope[c] = 2 / count;
    g->join[c] = count / (count + 1);
}

/* S, T and the counts of the labels. The cost, but for the sum of the diagonal, is minus the sum of
 * T_c / n_c. An empty cluster has its centre at the origin; then the labels are not those of any
 * k-means, and stay `fresh`. */
static onefold_status sum_clusters(gram *g, double *cost)
{
    size_t changed = 0;
    for (size_t j = 0; j < g->n && !g->fresh; j++)
        changed += g->labels[j] != g->before[j];
    if (2 * changed >= g->n)
        g->fresh = 1;
    OF_TRY(of_team_run(g->context, g->tiles.count, sum_tile, g));
    g->fresh = 0;
    memset(g->within, 0, g->clusters * sizeof *g->within);
    memset(g->count, 0, g->clusters * sizeof *g->count);
    for (size_t j = 0; j < g->n; j++) {
        size_t c = (size_t)g->labels[j];
        g->within[c] += g->sum[j + c * g->n];
        g->count[c]++;
    }
    *cost = 0;
    for (size_t c = 0; c < g->clusters; c++) {
        if (!(g->count[c] > 0)) {
            g->count[c] = 1;
            g->fresh = 1;
        }
        set_cluster(g, c);
        *cost -= g->within[c] / g->count[c];
    }
    return ONEFOLD_OK;
}

/* ---- starts --------------------------------------------------------------------------------- */

OF_SIMD static onefold_status nearest_tile(void *task, size_t tile)
{
    gram *g = task;
    size_t first = of_tiles_first(&g->tiles, tile), end = of_tiles_first(&g->tiles, tile + 1);
    const double *products = column(g, g->newest);
    double own = g->diagonal[g->newest], sum = 0;
    for (size_t j = first; j < end; j++) {
        double d = g->diagonal[j] + own - 2 * products[j];
        d = j == g->newest || !(d > 0) ? 0 : d;
        g->distance[j] = d < g->distance[j] ? d : g->distance[j];
        sum += g->distance[j];
    }
    g->tile_sum[tile] = sum;
    return ONEFOLD_OK;
}

/* Centre c becomes a sample. */
static void set_sample(gram *g, size_t c, size_t sample)
{
    memcpy(g->sum + c * g->n, column(g, sample), g->n * sizeof *g->sum);
    g->sum[sample + c * g->n] = g->within[c] = g->diagonal[sample];
    g->count[c] = 1;
    set_cluster(g, c);
}

static onefold_status start_plusplus(gram *g, of_random *random)
{
    for (size_t j = 0; j < g->n; j++)
        g->distance[j] = INFINITY;
    g->newest = of_random_below(random, g->n);
    for (size_t c = 0;; c++) {
        set_sample(g, c, g->newest);
        if (c + 1 == g->clusters)
            return ONEFOLD_OK;
        OF_TRY(of_team_run(g->context, g->tiles.count, nearest_tile, g));
        g->newest = of_kmeans_draw(random, &g->tiles, g->distance, g->tile_sum);
    }
}

static onefold_status start(gram *g, const of_kmeans_options *options, size_t number, double *cost)
{
    of_random random =
        of_random_make(options->seed, OF_PURPOSE_KMEANS, options->index * (1u << 20) + number);
    g->fresh = 1; /* there are no labels yet */
    *cost = INFINITY;
    if (number == 0 && options->from_labels) {
        memcpy(g->labels, options->from_labels, g->n * sizeof *g->labels);
        memcpy(g->before, g->labels, g->n * sizeof *g->labels);
        return sum_clusters(g, cost);
    }
    if (number == 0 && options->from) {
        for (size_t c = 0; c < g->clusters; c++) {
            const double *products = options->from + c * (g->n + 1);
            memcpy(g->sum + c * g->n, products, g->n * sizeof *products);
            g->within[c] = products[g->n];
            g->count[c] = 1;
            set_cluster(g, c);
        }
        return ONEFOLD_OK;
    }
    if (options->start == OF_KMEANS_PLUSPLUS)
        return start_plusplus(g, &random);
    OF_SCRATCH(scratch, g->context);
    size_t *chosen;
    OF_TRY(OF_NEW(&scratch, &chosen, g->clusters, 1));
    of_kmeans_draw_distinct(&random, g->n, g->clusters, chosen);
    for (size_t c = 0; c < g->clusters; c++)
        set_sample(g, c, chosen[c]);
    return ONEFOLD_OK;
}

/* ---- Lloyd ---------------------------------------------------------------------------------- */

OF_SIMD static void find_nearest(size_t width, const double *restrict sum, double offset,
                                 double slope, double cluster, double *restrict best,
                                 double *restrict nearest)
{
    for (size_t i = 0; i < width; i++) {
        double value = offset - slope * sum[i];
        nearest[i] = value < best[i] ? cluster : nearest[i];
        best[i] = value < best[i] ? value : best[i];
    }
}

/* Assigns the samples of a tile to their nearest centres, the first among equals; one that has a
 * label keeps it where another gains no more than rounding. */
static onefold_status assign_tile(void *task, size_t tile)
{
    enum { PIECE = 256 };
    gram *g = task;
    size_t end = of_tiles_first(&g->tiles, tile + 1);
    double nearest[PIECE];
    for (size_t first = of_tiles_first(&g->tiles, tile); first < end; first += PIECE) {
        size_t width = of_size_least(end - first, PIECE);
        double *best = g->distance + first;
        for (size_t i = 0; i < width; i++) {
            best[i] = INFINITY;
            nearest[i] = 0;
        }
        for (size_t c = 0; c < g->clusters; c++)
            find_nearest(width, g->sum + c * g->n + first, g->offset[c], g->slope[c], (double)c,
                         best, nearest);
        for (size_t i = 0; i < width; i++) {
            size_t j = first + i, own = (size_t)g->before[j];
            double now =
                g->fresh ? INFINITY : g->offset[own] - g->slope[own] * g->sum[j + own * g->n];
            g->labels[j] = best[i] < now - g->least_gain ? (int32_t)nearest[i] : g->before[j];
            best[i] += g->diagonal[j];
        }
    }
    return ONEFOLD_OK;
}

/* Moves to each empty cluster the sample farthest from its centre, the first among equals, from a
 * cluster with other samples. */
static void repair_empty(gram *g)
{
    memset(g->count, 0, g->clusters * sizeof *g->count);
    for (size_t j = 0; j < g->n; j++)
        g->count[g->labels[j]]++;
    for (size_t c = 0; c < g->clusters; c++) {
        size_t farthest = g->n;
        for (size_t j = 0; j < g->n && !(g->count[c] > 0); j++)
            if (g->count[g->labels[j]] > 1 &&
                (farthest == g->n || g->distance[j] > g->distance[farthest]))
                farthest = j;
        if (farthest == g->n)
            continue;
        g->count[g->labels[farthest]]--;
        g->count[c] = 1;
        g->labels[farthest] = (int32_t)c;
        g->distance[farthest] = 0;
    }
}

/* Lloyd's iteration until labels stand, from labels of this cost or from centres. Where G is not
 * positive definite it can raise the cost: then the labels before are kept. */
static onefold_status run_lloyd(gram *g, size_t most, double cost, of_kmeans_result *now)
{
    double next;
    size_t bytes = g->n * sizeof *g->labels;
    if (g->fresh)
        cost = INFINITY;
    for (int more = 1; more && !now->converged; more = now->iterations < most) {
        OF_TRY(of_team_run(g->context, g->tiles.count, assign_tile, g));
        repair_empty(g);
        now->iterations++;
        now->converged = !g->fresh && !memcmp(g->before, g->labels, bytes);
        OF_TRY(sum_clusters(g, &next));
        if (next > cost + g->least_gain) {
            memcpy(g->labels, g->before, bytes);
            g->fresh = 1;
            OF_TRY(sum_clusters(g, &next));
            now->converged = 1;
        }
        memcpy(g->before, g->labels, bytes);
        cost = next;
    }
    return ONEFOLD_OK;
}

/* ---- Hartigan ------------------------------------------------------------------------------- */

/* The cluster whose cost grows least by sample i, where that is less than its own cluster's cost
 * falls without it; its own: none. */
static size_t find_move(const gram *g, size_t i)
{
    size_t own = (size_t)g->labels[i], to = own;
    double square = g->diagonal[i], count = g->count[own];
    if (!(count > 1))
        return own;
    double least =
        count / (count - 1) * (square + g->offset[own] - g->slope[own] * g->sum[i + own * g->n]) -
        g->least_gain;
    for (size_t c = 0; c < g->clusters; c++) {
        double value = g->join[c] * (square + g->offset[c] - g->slope[c] * g->sum[i + c * g->n]);
        if (value < least && c != own) {
            least = value;
            to = c;
        }
    }
    return to;
}

static void move(gram *g, size_t i, size_t to)
{
    size_t from = (size_t)g->labels[i];
    double *leave = g->sum + from * g->n, *enter = g->sum + to * g->n;
    g->within[from] += g->diagonal[i] - 2 * leave[i];
    g->within[to] += g->diagonal[i] + 2 * enter[i];
    subtract(g->n, column(g, i), leave);
    add(g->n, column(g, i), enter);
    leave[i] -= rest(g, i);
    enter[i] += rest(g, i);
    g->count[from]--;
    g->count[to]++;
    set_cluster(g, from);
    set_cluster(g, to);
    g->labels[i] = (int32_t)to;
}

/* Two samples change places where that lowers the cost: for each pair in order, where no move of
 * one sample helps. Returns the moves. It takes n^2 / 2 steps, and gains something where clusters
 * are so small that a sample more or less counts. */
static size_t exchange(gram *g)
{
    enum { SMALL = 64 };
    size_t moves = 0;
    if (g->n > SMALL * g->clusters)
        return 0;
    for (size_t i = 0; i < g->n; i++)
        for (size_t j = i + 1; j < g->n; j++) {
            size_t a = (size_t)g->labels[i], b = (size_t)g->labels[j];
            const double *in_a = g->sum + a * g->n, *in_b = g->sum + b * g->n;
            double apart = g->diagonal[i] + g->diagonal[j] - 2 * column(g, i)[j],
                   gain = (2 * (in_a[j] - in_a[i]) + apart) / g->count[a] +
                          (2 * (in_b[i] - in_b[j]) + apart) / g->count[b];
            if (a == b || !(gain > g->least_gain))
                continue;
            move(g, i, b);
            move(g, j, a);
            moves += 2;
        }
    return moves;
}

/* Sweeps of moves in the order of samples, until one makes none. Moves leave rounding errors in the
 * sums: after as many as there are samples, and before the last sweep, sums are made again. */
static onefold_status run_hartigan(gram *g, size_t most, of_kmeans_result *now)
{
    double cost;
    size_t moves = 1; /* since the sums were made */
    for (now->converged = 0; !now->converged && now->iterations < most;) {
        size_t before = moves;
        OF_TRY(of_context_check(g->context));
        for (size_t i = 0; i < g->n; i++) {
            size_t to = find_move(g, i);
            if (to == (size_t)g->labels[i])
                continue;
            move(g, i, to);
            moves++;
        }
        if (moves == before)
            moves += exchange(g);
        now->converged = moves == 0;
        now->iterations += moves > before || now->converged;
        if (moves > g->n || (moves > 0 && moves == before)) {
            g->fresh = 1;
            OF_TRY(sum_clusters(g, &cost));
            moves = 0;
        }
    }
    return ONEFOLD_OK;
}

/* ---- replicates ----------------------------------------------------------------------------- */

typedef struct replicates {
    const of_kmeans_options *options;
    gram shared;
    int beside;
    int32_t *labels; /* n x replicates */
    of_kmeans_result *result;
} replicates;

static onefold_status run_replicate(void *opaque, size_t number)
{
    replicates *all = opaque;
    gram own = all->shared, *g = &own;
    of_kmeans_result now = {0, 0, 0};
    double cost;
    OF_SCRATCH(scratch, g->context);
    if (all->beside)
        of_team_share(g->context);
    OF_TRY(OF_NEW_ALL(&scratch, {&g->sum, g->n, g->clusters}, {&g->within, g->clusters, 1},
                      {&g->count, g->clusters, 1}, {&g->offset, g->clusters, 1},
                      {&g->slope, g->clusters, 1}, {&g->join, g->clusters, 1},
                      {&g->distance, g->n, 1}, {&g->tile_sum, g->tiles.count, 1}));
    OF_TRY(OF_NEW_ZERO(&scratch, &g->before, g->n, 1));
    g->labels = all->labels + number * g->n;
    OF_COUNTED(g->context);
    OF_TRY(start(g, all->options, number, &cost));
    OF_TRY(run_lloyd(g, all->options->max_iterations, cost, &now));
    if (now.converged && !all->options->lloyd)
        OF_TRY(run_hartigan(g, all->options->max_iterations, &now));
    for (size_t j = 0; j < g->n; j++) {
        size_t c = (size_t)g->labels[j];
        now.cost += g->diagonal[j] + g->offset[c] - g->slope[c] * g->sum[j + c * g->n];
    }
    all->result[number] = now;
    return ONEFOLD_OK;
}

onefold_status of_kmeans_gram(of_context *context, const of_kmeans_options *options, size_t n,
                              const double *G, size_t ldg, const double *diagonal, int32_t *labels,
                              of_kmeans_result *result)
{
    OF_TRY(of_kmeans_check(options, n));
    context = of_context_or_default(context);
    OF_SCRATCH(scratch, context);
    size_t count = options->replicates > 1 ? options->replicates : 1, best = 0;
    replicates all = {.options = options,
                      .shared = {.context = context,
                                 .n = n,
                                 .ldg = ldg,
                                 .clusters = options->clusters,
                                 .G = G,
                                 .tiles = of_tiles_make(n, options->clusters, TILE_BYTES)},
                      .beside = count > 1 && of_team_size(context) > 1};
    double *lengths, total = 0;
    OF_TRY(OF_NEW(&scratch, &lengths, n, 1));
    OF_TRY(OF_NEW(&scratch, &all.labels, n, count));
    OF_TRY(OF_NEW_THERE(&scratch, &all.result, count, 1));
    for (size_t j = 0; j < n && !of_counts(context); j++) {
        lengths[j] = diagonal ? diagonal[j] : G[j + j * ldg];
        total += fabs(lengths[j]);
    }
    all.shared.diagonal = lengths;
    all.shared.least_gain = OF_KMEANS_LEAST_GAIN * total;
    OF_TRY(of_team_each(context, all.beside, count, run_replicate, &all));
    OF_COUNTED(context);
    for (size_t r = 1; r < count; r++)
        if (all.result[r].cost < all.result[best].cost)
            best = r;
    memcpy(labels, all.labels + best * n, n * sizeof *labels);
    if (result)
        *result = all.result[best];
    return ONEFOLD_OK;
}
