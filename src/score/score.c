/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agreement of two labellings. A score that is 0/0 by its formula is 1 if the two labellings
 * are equal up to names, and 0 otherwise:
 *
 *     nmi         both are one cluster: 1; only one of them is: 0
 *     ari         both are one cluster, or both have every sample alone: 1
 *     precision   the labels join no pair: 1 if the truth joins none either, else 0
 *     recall      the truth joins no pair: 1 if the labels join none either, else 0
 *
 * All scores of a single sample are 1.
 */
#include "score/score.h"

#include "base/comm.h"
#include "base/distinct.h"
#include "base/status.h"
#include "base/team.h"
#include "linalg/kmeans.h"

#include <math.h>
#include <string.h>

/* ---- the contingency table ------------------------------------------------------------------ */

onefold_status of_contingency_make(of_arena *arena, of_contingency *table, const int64_t *labels,
                                   const int64_t *truth, const size_t *times, size_t samples)
{
    OF_SCRATCH(scratch, arena->context);
    int32_t *row, *column, *cell;
    int64_t *distinct, *pair;
    size_t rows, columns, cells, all = 0, *row_sum, *column_sum, *start, *cell_column, *cell_count;
    if (samples == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no labels to compare");
    OF_TRY(OF_NEW(&scratch, &row, samples, 1));
    OF_TRY(OF_NEW(&scratch, &column, samples, 1));
    OF_TRY(OF_NEW(&scratch, &cell, samples, 1));
    OF_TRY(OF_NEW(&scratch, &pair, samples, 1));
    OF_TRY(of_distinct(&scratch, labels, samples, &distinct, &rows, row));
    OF_TRY(of_distinct(&scratch, truth, samples, &distinct, &columns, column));
    for (size_t i = 0; i < samples; i++)
        pair[i] = row[i] * (int64_t)columns + column[i];
    OF_TRY(of_distinct(&scratch, pair, samples, &distinct, &cells, cell));
    OF_TRY(OF_NEW_ZERO(arena, &row_sum, rows, 1));
    OF_TRY(OF_NEW_ZERO(arena, &column_sum, columns, 1));
    OF_TRY(OF_NEW_ZERO(arena, &start, rows + 1, 1));
    OF_TRY(OF_NEW(arena, &cell_column, cells, 1));
    OF_TRY(OF_NEW_ZERO(arena, &cell_count, cells, 1));
    for (size_t i = 0; i < samples; i++) {
        size_t more = times ? times[i] : 1;
        row_sum[row[i]] += more;
        column_sum[column[i]] += more;
        cell_count[cell[i]] += more;
        all += more;
    }
    for (size_t e = 0; e < cells; e++) {
        cell_column[e] = (size_t)distinct[e] % columns;
        start[(size_t)distinct[e] / columns + 1] = e + 1;
    }
    *table =
        (of_contingency){all, rows, columns, row_sum, column_sum, start, cell_column, cell_count};
    return ONEFOLD_OK;
}

/*
 * The assignment problem by shortest augmenting paths (Hungarian method with Dijkstra's search, as
 * in Jonker and Volgenant 1987) over the table's nonzero cells, in integers. A row may also stay
 * alone at no gain. With prices u on rows and v on columns,
 *
 *     slack(i, j) = -count(i, j) - u_i - v_j >= 0,  and 0 where i is matched to j,
 *
 * always holds, so the matching is the best one of the rows matched so far. Memory is in proportion
 * to the cells, and a search stays within a connected block of the table.
 */

typedef struct node {
    int64_t distance;
    size_t column;
} node;

typedef struct search {
    const of_contingency *table;
    int64_t *u, *v;                    /* prices */
    int64_t *row_match, *column_match; /* or OF_UNMATCHED */
    int64_t *distance;                 /* of each column in this search */
    size_t *from;                      /* the row from which a column is reached */
    size_t *seen, *settled;            /* the last search in which a column was reached, settled */
    node *heap;                        /* columns reached, nearest first, also at old distances */
    size_t heap_size;
    size_t *tree; /* settled columns of this search, in order */
    size_t tree_size;
} search;

/* Nearer first, then the lower column: the result must not depend on the order of the heap. */
static int before(node a, node b)
{
    return a.distance != b.distance ? a.distance < b.distance : a.column < b.column;
}

static node heap_pop(search *s)
{
    node top = s->heap[0], last = s->heap[--s->heap_size];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < s->heap_size; at = child) {
        if (child + 1 < s->heap_size && before(s->heap[child + 1], s->heap[child]))
            child++;
        if (!before(s->heap[child], last))
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return top;
}

/* Reaches the columns next to `row`, which is at `distance`, in search number `round`. */
static void scan_row(search *s, size_t row, int64_t distance, size_t round)
{
    const of_contingency *table = s->table;
    for (size_t e = table->start[row]; e < table->start[row + 1]; e++) {
        size_t column = table->column[e];
        int64_t slack = -(int64_t)table->count[e] - s->u[row] - s->v[column];
        if (s->settled[column] == round ||
            (s->seen[column] == round && s->distance[column] <= distance + slack))
            continue;
        s->seen[column] = round;
        s->distance[column] = distance + slack;
        s->from[column] = row;
        node reached = {distance + slack, column};
        size_t at = s->heap_size++;
        for (; at > 0 && before(reached, s->heap[(at - 1) / 2]); at = (at - 1) / 2)
            s->heap[at] = s->heap[(at - 1) / 2];
        s->heap[at] = reached;
    }
}

/* Changes prices so that every slack on the path is 0 and none is negative. */
static void reprice(search *s, size_t root, int64_t length)
{
    s->u[root] += length;
    for (size_t i = 0; i < s->tree_size; i++) {
        size_t column = s->tree[i];
        s->v[column] -= length - s->distance[column];
        s->u[s->column_match[column]] += length - s->distance[column];
    }
}

/* Augments along the path from the root to `row`: it is matched to `column`, and each row before it
 * to the next row's old column. */
static void augment(search *s, size_t root, size_t row, int64_t column)
{
    for (;;) {
        int64_t old = s->row_match[row];
        s->row_match[row] = column;
        if (column != OF_UNMATCHED)
            s->column_match[column] = (int64_t)row;
        if (row == root)
            return;
        column = old;
        row = s->from[column];
    }
}

/* Matches `root` to a free column, or to one whose row gets another column or stays alone. */
static void match_row(search *s, size_t root, size_t round)
{
    /* for row i to stay alone costs -u_i: its slack with a column of its own at price 0 */
    size_t alone = root, row = root;
    int64_t distance = 0, alone_distance = -s->u[root];
    s->heap_size = 0;
    s->tree_size = 0;
    for (;;) {
        if (distance - s->u[row] < alone_distance) {
            alone_distance = distance - s->u[row];
            alone = row;
        }
        scan_row(s, row, distance, round);
        while (s->heap_size > 0 && s->settled[s->heap[0].column] == round)
            heap_pop(s);
        if (s->heap_size == 0 || s->heap[0].distance >= alone_distance) {
            reprice(s, root, alone_distance);
            augment(s, root, alone, OF_UNMATCHED);
            return;
        }
        node nearest = heap_pop(s);
        if (s->column_match[nearest.column] == OF_UNMATCHED) {
            reprice(s, root, nearest.distance);
            augment(s, root, s->from[nearest.column], (int64_t)nearest.column);
            return;
        }
        s->settled[nearest.column] = round;
        s->tree[s->tree_size++] = nearest.column;
        distance = nearest.distance;
        row = (size_t)s->column_match[nearest.column];
    }
}

static size_t largest_count(const of_contingency *table, size_t row)
{
    size_t most = 0;
    for (size_t e = table->start[row]; e < table->start[row + 1]; e++)
        most = table->count[e] > most ? table->count[e] : most;
    return most;
}

onefold_status of_assignment(of_context *context, const of_contingency *table, size_t *total,
                             int64_t *match)
{
    OF_SCRATCH(scratch, context);
    search s = {.table = table};
    size_t sum = 0;
    OF_TRY(OF_NEW(&scratch, &s.u, table->rows, 1));
    OF_TRY(OF_NEW(&scratch, &s.row_match, table->rows, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &s.v, table->columns, 1));
    OF_TRY(OF_NEW(&scratch, &s.column_match, table->columns, 1));
    OF_TRY(OF_NEW(&scratch, &s.distance, table->columns, 1));
    OF_TRY(OF_NEW(&scratch, &s.from, table->columns, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &s.seen, table->columns, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &s.settled, table->columns, 1));
    OF_TRY(OF_NEW(&scratch, &s.heap, table->start[table->rows], 1));
    OF_TRY(OF_NEW(&scratch, &s.tree, table->columns, 1));
    for (size_t j = 0; j < table->columns; j++)
        s.column_match[j] = OF_UNMATCHED;
    for (size_t i = 0; i < table->rows; i++) {
        s.u[i] = -(int64_t)largest_count(table, i);
        s.row_match[i] = OF_UNMATCHED;
    }
    for (size_t i = 0; i < table->rows; i++) {
        OF_TRY(of_context_check(scratch.context));
        match_row(&s, i, i + 1);
    }
    for (size_t i = 0; i < table->rows; i++)
        for (size_t e = table->start[i]; e < table->start[i + 1]; e++)
            if (s.row_match[i] == (int64_t)table->column[e])
                sum += table->count[e];
    if (match)
        memcpy(match, s.row_match, table->rows * sizeof *match);
    *total = sum;
    return ONEFOLD_OK;
}

/* ---- scores --------------------------------------------------------------------------------- */

double of_pairs(size_t count)
{
    return count % 2 ? (double)count * (double)(count / 2)
                     : (double)(count / 2) * ((double)count - 1);
}

/* The four kinds of pairs keep digits that the usual formula loses. */
double of_adjusted_rand(double both, double first, double second, double all)
{
    double only_first = first - both, only_second = second - both,
           neither = all - first - only_second;
    double agree = 2 * (both * neither - only_first * only_second),
           most = first * (only_first + neither) + second * (only_second + neither);
    return most > 0 ? agree / most : 1;
}

/* Scales a column to unit length. */
static void unit(size_t rows, const double *from, double *to)
{
    double square = 0;
    for (size_t i = 0; i < rows; i++)
        square += from[i] * from[i];
    double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (size_t i = 0; i < rows; i++)
        to[i] = scale * from[i];
}

onefold_status of_silhouette(of_context *context, size_t rows, size_t samples, const double *X,
                             size_t ldx, const int32_t *labels, size_t clusters, double *margin,
                             double *silhouette)
{
    OF_SCRATCH(scratch, context);
    double *means, *column, sum = 0;
    size_t *count;
    OF_TRY(OF_NEW_ZERO(&scratch, &means, rows, clusters));
    OF_TRY(OF_NEW(&scratch, &column, rows, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &count, clusters, 1));
    OF_COUNTED(scratch.context);
    for (size_t j = 0; j < samples; j++) {
        size_t c = (size_t)labels[j];
        unit(rows, X + j * ldx, column);
        for (size_t i = 0; i < rows; i++)
            means[i + c * rows] += column[i];
        count[c]++;
    }
    for (size_t c = 0; c < clusters; c++)
        for (size_t i = 0; count[c] && i < rows; i++)
            means[i + c * rows] /= (double)count[c];
    for (size_t j = 0; j < samples; j++) {
        size_t own = (size_t)labels[j];
        unit(rows, X + j * ldx, column);
        double a = sqrt(of_squared_distance(rows, column, means + own * rows)), b = INFINITY;
        for (size_t c = 0; c < clusters; c++)
            if (c != own && count[c])
                b = fmin(b, sqrt(of_squared_distance(rows, column, means + c * rows)));
        if (margin)
            margin[j] = a < b ? 1 - a / b : 0;
        if (count[own] > 1 && !isinf(b) && fmax(a, b) > 0)
            sum += (b - a) / fmax(a, b);
    }
    if (silhouette)
        *silhouette = sum / (double)samples;
    return ONEFOLD_OK;
}

static double entropy(const size_t *sum, size_t count, double samples)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        if (sum[i])
            total -= (double)sum[i] / samples * log((double)sum[i] / samples);
    return total > 0 ? total : 0; /* one cluster gives -0 */
}

/* part / whole, at most 1 despite rounding, or 0 for an empty whole. */
static double ratio(double part, double whole)
{
    return whole > 0 ? fmin(part / whole, 1) : 0;
}

static void score_information(onefold_scores *scores, const of_contingency *table)
{
    double samples = (double)table->samples, a = entropy(table->row_sum, table->rows, samples),
           b = entropy(table->column_sum, table->columns, samples),
           shared = fmax(a + b - entropy(table->count, table->start[table->rows], samples), 0);
    int both_one = table->rows == 1 && table->columns == 1;
    scores->nmi_max = both_one ? 1 : ratio(shared, fmax(a, b));
    scores->nmi_sum = both_one ? 1 : ratio(2 * shared, a + b);
    scores->nmi_sqrt = both_one ? 1 : ratio(shared, sqrt(a * b));
    scores->nmi = scores->nmi_max;
}

static double pairs_within(const size_t *sum, size_t count)
{
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += of_pairs(sum[i]);
    return total;
}

static void score_pairs(onefold_scores *scores, const of_contingency *table)
{
    double both = pairs_within(table->count, table->start[table->rows]),
           joined = pairs_within(table->row_sum, table->rows),
           true_pairs = pairs_within(table->column_sum, table->columns);
    scores->ari = of_adjusted_rand(both, joined, true_pairs, of_pairs(table->samples));
    int no_pairs = joined == 0 && true_pairs == 0;
    scores->precision = no_pairs ? 1 : ratio(both, joined);
    scores->recall = no_pairs ? 1 : ratio(both, true_pairs);
    scores->f = no_pairs ? 1 : ratio(2 * both, joined + true_pairs);
}

/* Pairs of labels, each with the number of its samples. */
typedef struct pairs {
    int64_t *label, *truth;
    size_t *times, count;
} pairs;

static int64_t label_at(onefold_type type, const void *labels, size_t i)
{
    return type == ONEFOLD_INT64 ? ((const int64_t *)labels)[i] : ((const int32_t *)labels)[i];
}

static void add_pair(pairs *to, int64_t label, int64_t truth, size_t times)
{
    to->label[to->count] = label;
    to->truth[to->count] = truth;
    to->times[to->count++] = times;
}

/* Pairs of labels from 0 to 255 are counted in a table; each other sample is a pair by itself. */
static onefold_status find_pairs(of_arena *arena, onefold_type type, const void *labels,
                                 const void *truth, size_t samples, pairs *to)
{
    enum { USUAL = 256 };
    size_t *seen, room = 0;
    OF_TRY(OF_NEW_ZERO(arena, &seen, USUAL, USUAL));
    for (size_t i = 0; i < samples; i++) {
        uint64_t a = (uint64_t)label_at(type, labels, i), b = (uint64_t)label_at(type, truth, i);
        int other = a >= USUAL || b >= USUAL;
        room += other || !seen[a * USUAL + b];
        if (!other)
            seen[a * USUAL + b]++;
    }
    OF_TRY(OF_NEW(arena, &to->label, room, 1));
    OF_TRY(OF_NEW(arena, &to->truth, room, 1));
    OF_TRY(OF_NEW(arena, &to->times, room, 1));
    to->count = 0;
    for (size_t e = 0; e < USUAL * USUAL; e++)
        if (seen[e])
            add_pair(to, (int64_t)(e / USUAL), (int64_t)(e % USUAL), seen[e]);
    for (size_t i = 0; i < samples && to->count < room; i++) {
        int64_t a = label_at(type, labels, i), b = label_at(type, truth, i);
        if ((uint64_t)a >= USUAL || (uint64_t)b >= USUAL)
            add_pair(to, a, b, 1);
    }
    return ONEFOLD_OK;
}

onefold_status onefold_score(onefold_scores *scores, onefold_type type, const void *labels,
                             const void *truth, size_t samples)
{
    if (!scores || ((!labels || !truth) && samples > 0))
        return of_fail(ONEFOLD_USAGE, "scoring needs two labellings and a place for the scores");
    if (type != ONEFOLD_INT32 && type != ONEFOLD_INT64)
        return of_fail(ONEFOLD_USAGE, "labels are int32 or int64, and not of type %d", (int)type);
    if (samples == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no samples to score");
    OF_SCRATCH(scratch, NULL);
    of_contingency table;
    size_t matched, total = 0;
    pairs p;
    onefold_scores all = ONEFOLD_SCORES_INIT;
    OF_TRY(find_pairs(&scratch, type, labels, truth, samples, &p));
    OF_TRY(of_contingency_make(&scratch, &table, p.label, p.truth, p.times, p.count));
    OF_TRY(of_assignment(scratch.context, &table, &matched, NULL));
    all.acc = (double)matched / (double)samples;
    for (size_t i = 0; i < table.rows; i++)
        total += largest_count(&table, i);
    all.purity = (double)total / (double)samples;
    score_information(&all, &table);
    score_pairs(&all, &table);
    all.clusters = table.rows;
    all.classes = table.columns;
    return OF_STRUCT_WRITE(scores, &all, onefold_scores);
}

/* ---- recurrence of clusters in another labelling -------------------------------------------- */

/* Counts pairs of labels. */
typedef struct pair_task {
    const int32_t *first, *second;
    size_t samples, second_clusters;
} pair_task;
enum { PAIRS = 1 << 16 };

static onefold_status add_pairs(void *opaque, size_t piece, double *count)
{
    const pair_task *task = opaque;
    size_t begin = piece * PAIRS, end = of_size_least(begin + PAIRS, task->samples);
    for (size_t j = begin; j < end; j++)
        if (task->first[j] >= 0 && task->second[j] >= 0)
            count[(size_t)task->first[j] * task->second_clusters + (size_t)task->second[j]]++;
    return ONEFOLD_OK;
}

onefold_status of_recurrence(of_context *context, const int32_t *first, size_t first_clusters,
                             const int32_t *second, size_t second_clusters, size_t samples,
                             size_t all, double *nmi, double *jaccard)
{
    OF_SCRATCH(scratch, context);
    size_t *cell, *row_sum, *column_sum, cells = first_clusters * second_clusters, counted = 0;
    double *count;
    OF_TRY(OF_NEW(&scratch, &count, first_clusters, second_clusters));
    OF_TRY(OF_NEW(&scratch, &cell, first_clusters, second_clusters));
    OF_TRY(OF_NEW_ZERO(&scratch, &row_sum, first_clusters, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &column_sum, second_clusters, 1));
    pair_task task = {first, second, samples, second_clusters};
    OF_TRY(of_team_sum(scratch.context, (samples + PAIRS - 1) / PAIRS, add_pairs, &task, cells,
                       count));
    OF_TRY(of_comm_total(scratch.context, all, cells, count));
    for (size_t e = 0; e < cells; e++) {
        cell[e] = (size_t)count[e];
        row_sum[e / second_clusters] += cell[e];
        column_sum[e % second_clusters] += cell[e];
        counted += cell[e];
    }
    if (nmi) {
        double a = entropy(row_sum, first_clusters, (double)counted),
               b = entropy(column_sum, second_clusters, (double)counted),
               shared = a + b - entropy(cell, cells, (double)counted);
        /* 1: both are one cluster */
        *nmi = !counted ? 0 : fmax(a, b) > 0 ? ratio(fmax(shared, 0), fmax(a, b)) : 1;
    }
    for (size_t a = 0; jaccard && a < first_clusters; a++) {
        jaccard[a] = row_sum[a] ? 0 : NAN;
        for (size_t b = 0; b < second_clusters; b++) {
            size_t shared = cell[a * second_clusters + b],
                   either = row_sum[a] + column_sum[b] - shared;
            if (shared)
                jaccard[a] = fmax(jaccard[a], (double)shared / (double)either);
        }
    }
    return ONEFOLD_OK;
}
