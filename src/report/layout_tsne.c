/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t-SNE: affinities of neighbours, forces by a quadtree (Barnes, Hut 1986), and the descent. Points
 * are sorted along a Z-shaped curve, so that a cell is a run of them, and the tree is walked once
 * for each group of neighbouring points: what it meets, cells and single points, acts on the whole
 * group in vector code. The descent has momentum, a gain per coordinate, and affinities that are
 * larger at first.
 */
#include "base/team.h"
#include "kernel/exp.h"
#include "linalg/wide.h"
#include "report/layout.h"

#include <math.h>
#include <string.h>

/* ---- affinities: a Gaussian per sample, as wide as its perplexity asks, made symmetric ------ */

enum { TILE = 256, HALVINGS = 100 };

typedef struct affinity_task {
    size_t n, count;
    const double *distance; /* count x n */
    double entropy;         /* log of the perplexity */
    double *value;          /* count x n: p_j|i */
} affinity_task;

/* p = exp(-beta (d - d_0)) scaled to sum 1; returns its entropy. */
static double gaussian(size_t count, const double *d, double beta, double *p)
{
    double sum = 0, moment = 0;
    for (size_t k = 0; k < count; k++)
        p[k] = -beta * (d[k] - d[0]);
    of_exp(count, p);
    for (size_t k = 0; k < count; k++) {
        sum += p[k];
        moment += p[k] * (d[k] - d[0]);
    }
    for (size_t k = 0; k < count; k++)
        p[k] /= sum;
    return log(sum) + beta * moment / sum;
}

/* Halves an interval of beta, in units of the mean distance, until the entropy is met. Samples that
 * coincide have no width that meets it: they stay with what comes nearest. */
static void calibrate(const affinity_task *task, size_t i)
{
    const double *d = task->distance + i * task->count;
    double *p = task->value + i * task->count, mean = 0;
    for (size_t k = 0; k < task->count; k++)
        mean += (d[k] - d[0]) / (double)task->count;
    double beta = mean > 0 ? 1 / mean : 0, low = 0, high = INFINITY;
    for (int step = 0; step < HALVINGS; step++) {
        double over = gaussian(task->count, d, beta, p) - task->entropy;
        if (fabs(over) < 1e-10 || mean == 0)
            break;
        if (over > 0)
            low = beta;
        else
            high = beta;
        beta = isinf(high) ? 2 * beta : (low + high) / 2;
    }
}

static onefold_status calibrate_tile(void *opaque, size_t tile, int worker)
{
    affinity_task *task = opaque;
    (void)worker;
    for (size_t i = tile * TILE; i < task->n && i < (tile + 1) * TILE; i++)
        calibrate(task, i);
    return ONEFOLD_OK;
}

/* By column: the entries (row, value) of each, rows rising. start has n + 1 entries. */
static void transpose(size_t n, size_t count, const uint32_t *index, const double *value,
                      size_t *start, uint32_t *row, double *entry)
{
    memset(start, 0, (n + 1) * sizeof *start);
    for (size_t e = 0; e < n * count; e++)
        start[index[e] + 1]++;
    for (size_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < count; k++) {
            size_t at = start[index[i * count + k]]++;
            row[at] = (uint32_t)i;
            entry[at] = value[i * count + k];
        }
    memmove(start + 1, start, n * sizeof *start);
    start[0] = 0;
}

/* A row (columns rising) of the matrix and of its transpose, added; returns how long it is. */
static size_t merge(size_t count, const uint32_t *index, const double *value, size_t others,
                    const uint32_t *other, const double *other_value, double scale,
                    uint32_t *column, double *out)
{
    size_t a = 0, b = 0, length = 0;
    while (a < count || b < others) {
        int left = b >= others || (a < count && index[a] <= other[b]);
        int right = a >= count || (b < others && other[b] <= index[a]);
        column[length] = left ? index[a] : other[b];
        out[length] = ((left ? value[a] : 0) + (right ? other_value[b] : 0)) * scale;
        a += (size_t)left;
        b += (size_t)right;
        length++;
    }
    return length;
}

onefold_status of_affinity_make(of_context *context, of_arena *arena, size_t n, size_t count,
                                const uint32_t *index, const double *distance, double perplexity,
                                of_affinity *p)
{
    OF_SCRATCH(scratch, context);
    affinity_task task = {.n = n, .count = count, .distance = distance};
    size_t *start, *back;
    uint32_t *row, *column;
    double *entry, *value;
    task.entropy = log(perplexity);
    OF_TRY(OF_NEW(&scratch, &task.value, n, count));
    OF_TRY(OF_NEW(&scratch, &start, n + 1, 1));
    OF_TRY(OF_NEW(&scratch, &back, n + 1, 1));
    OF_TRY(OF_NEW(&scratch, &row, n, count));
    OF_TRY(OF_NEW(&scratch, &column, n, count));
    OF_TRY(OF_NEW(&scratch, &entry, n, count));
    OF_TRY(OF_NEW(&scratch, &value, n, count));
    OF_TRY(OF_NEW(arena, &p->start, n + 1, 1));
    OF_TRY(OF_NEW(arena, &p->column, n, 2 * count));
    OF_TRY(OF_NEW(arena, &p->value, n, 2 * count));
    OF_TRY(of_team_run(context, (n + TILE - 1) / TILE, calibrate_tile, &task));
    /* Two transpositions: the second sorts every row of the matrix itself. */
    transpose(n, count, index, task.value, start, row, entry);
    memset(back, 0, (n + 1) * sizeof *back);
    for (size_t j = 0; j < n; j++)
        for (size_t e = start[j]; e < start[j + 1]; e++) {
            size_t at = row[e] * count + back[row[e]]++;
            column[at] = (uint32_t)j;
            value[at] = entry[e];
        }
    p->n = n;
    p->start[0] = 0;
    for (size_t i = 0; i < n; i++)
        p->start[i + 1] =
            p->start[i] + merge(count, column + i * count, value + i * count,
                                start[i + 1] - start[i], row + start[i], entry + start[i],
                                0.5 / (double)n, p->column + p->start[i], p->value + p->start[i]);
    return ONEFOLD_OK;
}

/* ---- forces --------------------------------------------------------------------------------- */

enum {
    DEPTH = 16, /* bits of a coordinate, and levels of the tree */
    LEAF = 8,   /* points of a cell that is not cut further */
    GROUP = 32, /* most points that walk the tree together */
    LANES = 8,
    GROUPS_PER_PIECE = 8,
    SAMPLES_PER_PIECE = 512,
    STRIDE = 3 /* numbers of a list entry: x, y, points */
};

typedef struct cell {
    double x, y;     /* mean of its points */
    double diagonal; /* of their box, squared */
    uint32_t first, count;
    uint32_t next; /* the first cell in order that is not inside this one */
    int leaf;
} cell;

typedef struct group {
    uint32_t first, count;
} group;

struct of_layout_tree {
    of_context *context;
    size_t n;
    double theta; /* squared */
    uint32_t *code, *other_code, *order, *other_order;
    double *x, *y; /* by order */
    cell *cells;
    size_t cell_count, cell_room;
    group *groups;
    size_t group_count, repel_pieces;
    double *list; /* per worker: (n + LANES) x STRIDE */
    double *group_z;
    const double *place; /* y of the call under way, as what follows */
    const of_affinity *p;
    double *force, *attract;
};

onefold_status of_layout_tree_make(of_context *context, of_arena *arena, size_t n, double theta,
                                   of_layout_tree **tree)
{
    of_layout_tree *made;
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    made->context = context;
    made->n = n;
    made->theta = theta * theta;
    /* Every cell that is cut holds more than LEAF points, and a chain of cells with one child each
     * is left out, so that there are fewer cells than twice the points. */
    made->cell_room = 2 * n + 1;
    OF_TRY(OF_NEW(arena, &made->code, n, 1));
    OF_TRY(OF_NEW(arena, &made->other_code, n, 1));
    OF_TRY(OF_NEW(arena, &made->order, n, 1));
    OF_TRY(OF_NEW(arena, &made->other_order, n, 1));
    OF_TRY(OF_NEW(arena, &made->x, n + LANES, 1));
    OF_TRY(OF_NEW(arena, &made->y, n + LANES, 1));
    OF_TRY(OF_NEW(arena, &made->cells, made->cell_room, 1));
    OF_TRY(OF_NEW(arena, &made->groups, n, 1));
    OF_TRY(OF_NEW(arena, &made->group_z, n, 1));
    OF_TRY(OF_NEW(arena, &made->list, (size_t)of_team_size(context), n * STRIDE));
    *tree = made;
    return ONEFOLD_OK;
}

/* ---- sorting ------------------------------------------------------------------------------ */

/* The bits of a 16-bit number, with a 0 before each. */
static uint32_t spread_bits(uint32_t v)
{
    v = (v | v << 8) & 0x00ff00ffu;
    v = (v | v << 4) & 0x0f0f0f0fu;
    v = (v | v << 2) & 0x33333333u;
    return (v | v << 1) & 0x55555555u;
}

static void set_codes(of_layout_tree *tree)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    const double *place = tree->place;
    for (size_t j = 0; j < tree->n; j++)
        for (size_t r = 0; r < 2; r++) {
            low[r] = place[2 * j + r] < low[r] ? place[2 * j + r] : low[r];
            high[r] = place[2 * j + r] > high[r] ? place[2 * j + r] : high[r];
        }
    double width = high[0] - low[0], height = high[1] - low[1],
           side = width > height ? width : height;
    double scale = side > 0 ? (1 << DEPTH) * (1 - 1e-9) / side : 0;
    for (size_t j = 0; j < tree->n; j++) {
        uint32_t a = (uint32_t)((place[2 * j] - low[0]) * scale),
                 b = (uint32_t)((place[2 * j + 1] - low[1]) * scale);
        tree->code[j] = spread_bits(a) | spread_bits(b) << 1;
        tree->order[j] = (uint32_t)j;
    }
}

/* By code, equal ones by number: a radix sort, byte by byte. */
static void sort_codes(of_layout_tree *tree)
{
    for (int shift = 0; shift < 32; shift += 8) {
        size_t place[257] = {0};
        for (size_t j = 0; j < tree->n; j++)
            place[(tree->code[j] >> shift & 255) + 1]++;
        for (size_t b = 0; b < 256; b++)
            place[b + 1] += place[b];
        for (size_t j = 0; j < tree->n; j++) {
            size_t at = place[tree->code[j] >> shift & 255]++;
            tree->other_code[at] = tree->code[j];
            tree->other_order[at] = tree->order[j];
        }
        uint32_t *code = tree->code, *order = tree->order;
        tree->code = tree->other_code;
        tree->other_code = code;
        tree->order = tree->other_order;
        tree->other_order = order;
    }
    for (size_t j = 0; j < tree->n; j++) {
        tree->x[j] = tree->place[2 * tree->order[j]];
        tree->y[j] = tree->place[2 * tree->order[j] + 1];
    }
}

/* ---- cells -------------------------------------------------------------------------------- */

static void measure_cell(const of_layout_tree *tree, cell *made)
{
    double x = 0, y = 0, low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (size_t j = made->first; j < made->first + made->count; j++) {
        x += tree->x[j];
        y += tree->y[j];
        low[0] = tree->x[j] < low[0] ? tree->x[j] : low[0];
        low[1] = tree->y[j] < low[1] ? tree->y[j] : low[1];
        high[0] = tree->x[j] > high[0] ? tree->x[j] : high[0];
        high[1] = tree->y[j] > high[1] ? tree->y[j] : high[1];
    }
    made->x = x / made->count;
    made->y = y / made->count;
    made->diagonal =
        (high[0] - low[0]) * (high[0] - low[0]) + (high[1] - low[1]) * (high[1] - low[1]);
}

/* Where the points of the run stop having `quarter` or a lower one at this level. */
static uint32_t end_of_quarter(const uint32_t *code, uint32_t first, uint32_t end, int shift,
                               uint32_t quarter)
{
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if ((code[middle] >> shift & 3) <= quarter)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* The cell of points first .. first+count-1, whose codes agree above `shift` + 2 bits. */
static void add_cell(of_layout_tree *tree, uint32_t first, uint32_t count, int shift, int grouped)
{
    const uint32_t *code = tree->code;
    while (shift >= 0 && code[first] >> shift == code[first + count - 1] >> shift)
        shift -= 2; /* all in one quarter: no cell of its own for that */
    size_t at = tree->cell_count++;
    cell *made = &tree->cells[at];
    *made = (cell){.first = first, .count = count, .leaf = count <= LEAF || shift < 0};
    measure_cell(tree, made);
    if (!grouped && (count <= GROUP || made->leaf)) {
        for (uint32_t done = 0; done < count; done += GROUP)
            tree->groups[tree->group_count++] =
                (group){first + done, count - done < GROUP ? count - done : GROUP};
        grouped = 1;
    }
    if (!made->leaf)
        for (uint32_t quarter = 0, from = first; quarter < 4; quarter++) {
            uint32_t to = end_of_quarter(code, from, first + count, shift, quarter);
            if (to > from)
                add_cell(tree, from, to - from, shift - 2, grouped);
            from = to;
        }
    tree->cells[at].next = (uint32_t)tree->cell_count;
}

/* ---- forces ------------------------------------------------------------------------------- */

/* Squared distance from a point to a box. */
static double outside(const double *low, const double *high, double x, double y)
{
    double dx = x < low[0] ? low[0] - x : x > high[0] ? x - high[0] : 0;
    double dy = y < low[1] ? low[1] - y : y > high[1] ? y - high[1] : 0;
    return dx * dx + dy * dy;
}

/* What acts on the group: entries x, y, number of points. Returns how many there are. */
static size_t collect(const of_layout_tree *tree, group who, double *list)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    size_t length = 0;
    for (size_t j = who.first; j < who.first + who.count; j++) {
        low[0] = tree->x[j] < low[0] ? tree->x[j] : low[0];
        low[1] = tree->y[j] < low[1] ? tree->y[j] : low[1];
        high[0] = tree->x[j] > high[0] ? tree->x[j] : high[0];
        high[1] = tree->y[j] > high[1] ? tree->y[j] : high[1];
    }
    for (size_t c = 0; c < tree->cell_count;) {
        const cell *one = &tree->cells[c];
        double *entry = list + length * STRIDE;
        if (one->diagonal < tree->theta * outside(low, high, one->x, one->y)) {
            entry[0] = one->x;
            entry[1] = one->y;
            entry[2] = one->count;
            length++;
            c = one->next;
            continue;
        }
        if (one->leaf)
            for (size_t j = one->first; j < one->first + one->count; j++, length++) {
                list[length * STRIDE] = tree->x[j];
                list[length * STRIDE + 1] = tree->y[j];
                list[length * STRIDE + 2] = 1;
            }
        c++;
    }
    return length;
}

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* The list's forces on LANES points: out = x, y, sum of q. Points are lanes, so that each sum is in
 * the list's order whatever the width of the machine. */
OF_WIDE static void repel(size_t length, const double *list, const double *px, const double *py,
                          double out[3][LANES])
{
    lanes x, y, fx = {0}, fy = {0}, z = {0};
    memcpy(&x, px, sizeof x);
    memcpy(&y, py, sizeof y);
    for (size_t e = 0; e < length; e++) {
        lanes dx = x - list[e * STRIDE], dy = y - list[e * STRIDE + 1];
        lanes q = 1 / (1 + dx * dx + dy * dy), w = list[e * STRIDE + 2] * q;
        z += w;
        w *= q;
        fx += w * dx;
        fy += w * dy;
    }
    memcpy(out[0], &fx, sizeof fx);
    memcpy(out[1], &fy, sizeof fy);
    memcpy(out[2], &z, sizeof z);
}

/* Attraction on samples first .. end-1, one after the other as the affinities lie in memory: these
 * are far larger than the caches, and are read from end to end. Eight neighbours at a time, each
 * lane with a sum of its own, the lanes added in their order. */
OF_WIDE static void attract_samples(size_t first, size_t end, const of_affinity *p, const double *y,
                                    double *attract)
{
    for (size_t i = first; i < end; i++) {
        lanes fx = {0}, fy = {0}, dx, dy, w;
        double x[LANES], z[LANES], value[LANES], sum[2] = {0, 0};
        for (size_t e = p->start[i], width; e < p->start[i + 1]; e += width) {
            width = p->start[i + 1] - e < LANES ? p->start[i + 1] - e : LANES;
            for (size_t k = 0; k < LANES; k++) /* lanes without a neighbour weigh nothing */
                value[k] = x[k] = z[k] = 0;
            for (size_t k = 0; k < width; k++) {
                size_t other = p->column[e + k];
                x[k] = y[2 * other];
                z[k] = y[2 * other + 1];
                value[k] = p->value[e + k];
            }
            memcpy(&dx, x, sizeof dx);
            memcpy(&dy, z, sizeof dy);
            memcpy(&w, value, sizeof w);
            dx = y[2 * i] - dx;
            dy = y[2 * i + 1] - dy;
            w /= 1 + dx * dx + dy * dy;
            fx += w * dx;
            fy += w * dy;
        }
        for (size_t k = 0; k < LANES; k++) {
            sum[0] += fx[k];
            sum[1] += fy[k];
        }
        attract[2 * i] = sum[0];
        attract[2 * i + 1] = sum[1];
    }
}

static void work_group(of_layout_tree *tree, size_t g, double *list)
{
    group who = tree->groups[g];
    size_t length = collect(tree, who, list);
    double sum = 0, out[3][LANES];
    for (size_t done = 0; done < who.count; done += LANES) {
        size_t first = who.first + done,
               width = who.count - done < LANES ? who.count - done : LANES;
        repel(length, list, tree->x + first, tree->y + first, out);
        for (size_t j = 0; j < width; j++) {
            size_t i = tree->order[first + j];
            tree->force[2 * i] = out[0][j];
            tree->force[2 * i + 1] = out[1][j];
            sum += out[2][j];
        }
    }
    tree->group_z[g] = sum;
}

/* Pieces of the repulsion, then of the attraction. */
static onefold_status work_piece(void *opaque, size_t piece, int worker)
{
    of_layout_tree *tree = opaque;
    double *list = tree->list + (size_t)worker * tree->n * STRIDE;
    if (piece >= tree->repel_pieces) {
        size_t first = (piece - tree->repel_pieces) * SAMPLES_PER_PIECE,
               end = first + SAMPLES_PER_PIECE;
        attract_samples(first, end < tree->n ? end : tree->n, tree->p, tree->place, tree->attract);
        return ONEFOLD_OK;
    }
    for (size_t g = piece * GROUPS_PER_PIECE;
         g < (piece + 1) * GROUPS_PER_PIECE && g < tree->group_count; g++)
        work_group(tree, g, list);
    return ONEFOLD_OK;
}

onefold_status of_layout_tree_forces(of_layout_tree *tree, const double *y, const of_affinity *p,
                                     double *force, double *attract, double *z)
{
    tree->place = y;
    tree->p = p;
    tree->force = force;
    tree->attract = attract;
    tree->cell_count = tree->group_count = 0;
    set_codes(tree);
    sort_codes(tree);
    for (size_t j = tree->n; j < tree->n + LANES; j++)
        tree->x[j] = tree->y[j] = 0; /* lanes that nobody looks at */
    add_cell(tree, 0, (uint32_t)tree->n, 2 * DEPTH - 2, 0);
    tree->repel_pieces = (tree->group_count + GROUPS_PER_PIECE - 1) / GROUPS_PER_PIECE;
    size_t pieces = tree->repel_pieces;
    if (attract)
        pieces += (tree->n + SAMPLES_PER_PIECE - 1) / SAMPLES_PER_PIECE;
    OF_TRY(of_team_run(tree->context, pieces, work_piece, tree));
    *z = -(double)tree->n; /* every point has met itself, at distance 0 */
    for (size_t g = 0; g < tree->group_count; g++)
        *z += tree->group_z[g];
    return ONEFOLD_OK;
}

/* ---- the descent ---------------------------------------------------------------------------- */

/* The usual ones (van der Maaten 2014; Kobak, Berens 2019 for start and rate). */
static const double exaggeration = 12, spread = 1e-4, least_rate = 50;

typedef struct descent {
    size_t n;
    double rate;
    double *y, *step, *gain, *force, *attract; /* 2 x n each */
} descent;

/* The start: principal components scaled so that the first has the deviation `spread`. */
static void scale_start(size_t n, double *y)
{
    double square = 0;
    for (size_t j = 0; j < n; j++)
        square += y[2 * j] * y[2 * j];
    double deviation = sqrt(square / (double)n), scale = deviation > 0 ? spread / deviation : 0;
    for (size_t e = 0; e < 2 * n; e++)
        y[e] *= scale;
}

/* Takes one step down the gradient 4 (exaggerated attraction - repulsion / z), and centres. */
static void move(descent *d, double factor, double momentum, double z)
{
    double mean[2] = {0, 0};
    for (size_t e = 0; e < 2 * d->n; e++) {
        double gradient = 4 * (factor * d->attract[e] - d->force[e] / z);
        double gain = (gradient > 0) == (d->step[e] > 0) ? d->gain[e] * 0.8 : d->gain[e] + 0.2;
        d->gain[e] = gain < 0.01 ? 0.01 : gain;
        d->step[e] = momentum * d->step[e] - d->rate * d->gain[e] * gradient;
        d->y[e] += d->step[e];
        mean[e % 2] += d->y[e];
    }
    for (size_t e = 0; e < 2 * d->n; e++)
        d->y[e] -= mean[e % 2] / (double)d->n;
}

static onefold_status descend(of_context *context, of_arena *scratch, const of_affinity *p,
                              const of_layout_options *options, size_t n, double *y)
{
    of_layout_tree *tree;
    double z = 0;
    descent d = {.n = n, .y = y};
    double rate = (double)n / exaggeration / 4;
    d.rate = rate > least_rate ? rate : least_rate;
    OF_TRY(of_layout_tree_make(context, scratch, n, options->theta, &tree));
    OF_TRY(OF_NEW_ZERO(scratch, &d.step, 2, n));
    OF_TRY(OF_NEW(scratch, &d.gain, 2, n));
    OF_TRY(OF_NEW(scratch, &d.force, 2, n));
    OF_TRY(OF_NEW(scratch, &d.attract, 2, n));
    for (size_t e = 0; e < 2 * n; e++)
        d.gain[e] = 1;
    size_t early = options->iterations / 3;
    for (size_t t = 0; t < options->iterations; t++) {
        OF_TRY(of_context_check(context));
        if (t % 25 == 0)
            of_context_progress(context, "layout", (double)t, (double)options->iterations, NULL);
        OF_TRY(of_layout_tree_forces(tree, y, p, d.force, d.attract, &z));
        move(&d, t < early ? exaggeration : 1, t < early ? 0.5 : 0.8, z);
    }
    of_context_progress(context, "layout", (double)options->iterations, (double)options->iterations,
                        NULL);
    return ONEFOLD_OK;
}

onefold_status of_layout_tsne(of_context *context, size_t rows, size_t n, const double *x,
                              const of_layout_options *options, double *y)
{
    OF_SCRATCH(scratch, context);
    of_affinity p;
    uint32_t *index;
    double *distance, most = (double)(n - 1) / 3,
                      perplexity = options->perplexity < most ? options->perplexity : most;
    size_t count = (size_t)(3 * perplexity);
    count = count < 1 ? 1 : count;
    OF_TRY(OF_NEW(&scratch, &index, n, count));
    OF_TRY(OF_NEW(&scratch, &distance, n, count));
    of_context_progress(context, "layout", 0, (double)options->iterations, NULL);
    OF_TRY(of_layout_neighbours(context, rows, n, x, n, x, 1, count, index, distance));
    OF_TRY(of_affinity_make(context, &scratch, n, count, index, distance, perplexity, &p));
    of_arena_release(&scratch, index);
    of_arena_release(&scratch, distance);
    scale_start(n, y);
    return descend(context, &scratch, &p, options, n, y);
}
