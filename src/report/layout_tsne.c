/* SPDX-License-Identifier: Apache-2.0 */
/*
 * t-SNE: affinities of neighbours, forces by a tree of cells (Barnes, Hut 1986), and the descent. A
 * cell is split in the middle of its longer side; its points are consecutive in an array. The tree
 * is walked once for all points of a leaf, which lists the cells and points that act on them;
 * forces are vector code over the list. The descent has momentum, gains, and early exaggeration.
 */
#include "base/team.h"
#include "io/build.h"
#include "kernel/kernel.h"
#include "linalg/simd.h"
#include "report/layout.h"

#include <math.h>
#include <string.h>

/* ---- affinities: a Gaussian per sample, of given perplexity, made symmetric -------------------
 */

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

/* Bisects for the beta of the given entropy, from one over the mean distance. Where neighbours
 * coincide, no width has this entropy, and the last one is kept. */
static onefold_status calibrate_tile(void *opaque, size_t tile)
{
    affinity_task *task = opaque;
    for (size_t i = tile * TILE; i < task->n && i < (tile + 1) * TILE; i++) {
        const double *d = task->distance + i * task->count;
        double *p = task->value + i * task->count, mean = 0;
        for (size_t k = 0; k < task->count; k++)
            mean += (d[k] - d[0]) / (double)task->count;
        double beta = mean > 0 ? 1 / mean : 0, low = 0, high = INFINITY;
        for (int step = 0; step < HALVINGS; step++) {
            double over = gaussian(task->count, d, beta, p) - task->entropy;
            if (fabs(over) < 1e-10 || mean == 0)
                break;
            *(over > 0 ? &low : &high) = beta;
            beta = isinf(high) ? 2 * beta : (low + high) / 2;
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_affinity_make(of_context *context, of_arena *arena, size_t n, size_t count,
                                const uint32_t *index, const double *distance, double perplexity,
                                of_sparse *p)
{
    OF_SCRATCH(scratch, context);
    affinity_task task = {.n = n, .count = count, .distance = distance, .entropy = log(perplexity)};
    size_t entries = n * count;
    uint32_t *row, *column;
    of_matrix both;
    OF_TRY(OF_NEW(&scratch, &task.value, entries, 2));
    OF_TRY(OF_NEW(&scratch, &row, entries, 2));
    OF_TRY(OF_NEW(&scratch, &column, entries, 2));
    OF_TRY(of_team_run(context, (n + TILE - 1) / TILE, calibrate_tile, &task));
    for (size_t e = 0; e < entries; e++) { /* entries and their transpose, which are added */
        row[e] = column[entries + e] = (uint32_t)(e / count);
        column[e] = row[entries + e] = index[e];
        task.value[e] = task.value[entries + e] = 0.5 / (double)n * task.value[e];
    }
    OF_TRY(of_build_coordinates(arena, n, n, &(of_array){row, OF_U32, 2 * entries, NULL},
                                &(of_array){column, OF_U32, 2 * entries, NULL},
                                &(of_array){task.value, OF_F64, 2 * entries, NULL}, &both));
    *p = both.sparse;
    return ONEFOLD_OK;
}

/* ---- the tree ------------------------------------------------------------------------------- */

enum {
    LEAF = 16, /* most points of a leaf */
    LANES = 8,
    STRIDE = 3, /* numbers of a list entry: x, y, points */
    LEAVES_PER_PIECE = 16
};

typedef struct point {
    double at[2];
    size_t sample;
} point;

typedef struct cell {
    double mean[2], low[2], high[2]; /* of its points */
    double diagonal;                 /* of their box, squared */
    size_t first, count;
    size_t next; /* the first cell in order after those inside this one */
} cell;

typedef struct tree {
    size_t n;
    double theta; /* squared */
    point *points;
    cell *cells; /* fewer than 2n: a cell is split in two */
    size_t cell_count;
    size_t *leaves;
    size_t leaf_count;
    double *leaf_z;
    double *list;        /* per worker: n x STRIDE */
    const double *place; /* y */
    const of_sparse *p;
    double *force, *attract;
} tree;

/* Moves the points of the lower half of the box, by its longer side, to the front. Returns their
 * number. Neither half is empty. */
static size_t split(const tree *t, const cell *whole)
{
    double side[2] = {whole->high[0] - whole->low[0], whole->high[1] - whole->low[1]};
    int r = side[1] > side[0];
    size_t lower = whole->first;
    for (size_t j = whole->first; j < whole->first + whole->count; j++)
        if (t->points[j].at[r] - whole->low[r] <= side[r] / 2) {
            point swapped = t->points[j];
            t->points[j] = t->points[lower];
            t->points[lower++] = swapped;
        }
    return lower - whole->first;
}

/* Adds the cell of points first .. first+count-1, and its parts. */
static void add_cell(tree *t, size_t first, size_t count)
{
    size_t at = t->cell_count++;
    cell *made = &t->cells[at];
    *made = (cell){.first = first, .count = count};
    for (int r = 0; r < 2; r++) {
        double sum = 0, low = INFINITY, high = -INFINITY;
        for (size_t j = first; j < first + count; j++) {
            double place = t->points[j].at[r];
            sum += place;
            low = place < low ? place : low;
            high = place > high ? place : high;
        }
        made->mean[r] = sum / (double)count;
        made->low[r] = low;
        made->high[r] = high;
        made->diagonal += (high - low) * (high - low);
    }
    if (count <= LEAF || !(made->diagonal > 0)) {
        t->leaves[t->leaf_count++] = at;
    } else {
        size_t lower = split(t, made);
        add_cell(t, first, lower);
        add_cell(t, first + lower, count - lower);
    }
    made->next = t->cell_count;
}

/* ---- forces --------------------------------------------------------------------------------- */

static double *put_entry(double *entry, const double *at, size_t count)
{
    entry[0] = at[0];
    entry[1] = at[1];
    entry[2] = (double)count;
    return entry + STRIDE;
}

/* Lists what acts on the points of a leaf: entries x, y, number of points. Returns their number. */
static size_t collect(const tree *t, const cell *leaf, double *list)
{
    double *end = list;
    for (size_t c = 0; c < t->cell_count;) {
        const cell *one = &t->cells[c];
        double square = 0; /* the distance from the cell's mean to the leaf's box */
        for (int r = 0; r < 2; r++) {
            double below = leaf->low[r] - one->mean[r], above = one->mean[r] - leaf->high[r],
                   over = below > 0   ? below
                          : above > 0 ? above
                                      : 0;
            square += over * over;
        }
        int far = one->diagonal < t->theta * square;
        if (far)
            end = put_entry(end, one->mean, one->count);
        else if (one->next == c + 1)
            for (size_t j = one->first; j < one->first + one->count; j++)
                end = put_entry(end, t->points[j].at, 1);
        c = far ? one->next : c + 1;
    }
    return (size_t)(end - list) / STRIDE;
}

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* The forces of the list on LANES points: out = x, y, sum of q. Each point is a lane, so that sums
 * are in the order of the list for any vector width. */
OF_SIMD static void repel(size_t length, const double *list, const lanes at[2], lanes out[3])
{
    lanes x = at[0], y = at[1], fx = {0}, fy = {0}, z = {0};
    for (size_t e = 0; e < length; e++) {
        lanes dx = x - list[e * STRIDE], dy = y - list[e * STRIDE + 1];
        lanes q = 1 / (1 + dx * dx + dy * dy), w = list[e * STRIDE + 2] * q;
        z += w;
        w *= q;
        fx += w * dx;
        fy += w * dy;
    }
    out[0] = fx;
    out[1] = fy;
    out[2] = z;
}

static void attract(const tree *t, size_t i)
{
    const double *y = t->place;
    double sum[2] = {0, 0};
    for (size_t e = t->p->start[i]; e < t->p->start[i + 1]; e++) {
        const double *other = y + 2 * (size_t)t->p->index[e];
        double dx = y[2 * i] - other[0], dy = y[2 * i + 1] - other[1],
               w = t->p->value[e] / (1 + dx * dx + dy * dy);
        sum[0] += w * dx;
        sum[1] += w * dy;
    }
    memcpy(t->attract + 2 * i, sum, sizeof sum);
}

static onefold_status work_piece(void *opaque, size_t piece)
{
    const tree *t = opaque;
    double *list = t->list + of_team_worker() * t->n * STRIDE;
    lanes at[2] = {{0}}, out[3];
    size_t first = piece * LEAVES_PER_PIECE, end = first + LEAVES_PER_PIECE;
    for (size_t number = first; number < end && number < t->leaf_count; number++) {
        const cell *leaf = &t->cells[t->leaves[number]];
        size_t length = collect(t, leaf, list);
        t->leaf_z[number] = 0;
        for (size_t done = 0; done < leaf->count; done += LANES) {
            const point *points = t->points + leaf->first + done;
            size_t width = leaf->count - done < LANES ? leaf->count - done : LANES;
            for (size_t j = 0; j < width; j++)
                for (int r = 0; r < 2; r++)
                    at[r][j] = points[j].at[r];
            repel(length, list, at, out);
            for (size_t j = 0; j < width; j++) {
                t->force[2 * points[j].sample] = out[0][j];
                t->force[2 * points[j].sample + 1] = out[1][j];
                t->leaf_z[number] += out[2][j];
                if (t->attract)
                    attract(t, points[j].sample);
            }
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_layout_forces(of_context *context, size_t n, double theta, const double *y,
                                const of_sparse *p, double *force, double *attracted, double *z)
{
    OF_SCRATCH(scratch, context);
    tree made = {
        .n = n, .theta = theta * theta, .place = y, .p = p, .force = force, .attract = attracted};
    OF_TRY(OF_NEW(&scratch, &made.points, n, 1));
    OF_TRY(OF_NEW(&scratch, &made.cells, n, 2));
    OF_TRY(OF_NEW(&scratch, &made.leaves, n, 1));
    OF_TRY(OF_NEW(&scratch, &made.leaf_z, n, 1));
    OF_TRY(OF_NEW(&scratch, &made.list, (size_t)of_team_size(context), n * STRIDE));
    for (size_t j = 0; j < n; j++)
        made.points[j] = (point){{y[2 * j], y[2 * j + 1]}, j};
    add_cell(&made, 0, n);
    OF_TRY(of_team_run(context, (made.leaf_count + LEAVES_PER_PIECE - 1) / LEAVES_PER_PIECE,
                       work_piece, &made));
    *z = -(double)n; /* without the points themselves, at distance 0 */
    for (size_t i = 0; i < made.leaf_count; i++)
        *z += made.leaf_z[i];
    return ONEFOLD_OK;
}

/* ---- the descent ---------------------------------------------------------------------------- */

/* From van der Maaten 2014; start and rate from Kobak, Berens 2019. */
static const double exaggeration = 12, spread = 1e-4, least_rate = 50;

/* Descends the gradient 4 (exaggerated attraction - repulsion / z). Centres y after each step. */
static onefold_status descend(of_context *context, of_arena *scratch, const of_sparse *p,
                              const onefold_layout_options *options, size_t n, double *y)
{
    double z = 0, *step, *gain, *force, *pull, all = (double)options->iterations,
           rate = fmax((double)n / exaggeration / 4, least_rate);
    OF_TRY(OF_NEW_ZERO(scratch, &step, 2, n));
    OF_TRY(OF_NEW_ALL(scratch, {&gain, 2, n}, {&force, 2, n}, {&pull, 2, n}));
    for (size_t e = 0; e < 2 * n; e++)
        gain[e] = 1;
    for (size_t t = 0; t < options->iterations; t++) {
        int early = t < options->iterations / 3;
        double mean[2] = {0, 0}, factor = early ? exaggeration : 1, momentum = early ? 0.5 : 0.8;
        OF_TRY(of_context_check(context));
        if (t % 25 == 0)
            of_context_progress(context, "layout", (double)t, all, NULL);
        OF_TRY(of_layout_forces(context, n, options->theta, y, p, force, pull, &z));
        for (size_t e = 0; e < 2 * n; e++) {
            double gradient = 4 * (factor * pull[e] - force[e] / z);
            gain[e] = (gradient > 0) == (step[e] > 0) ? gain[e] * 0.8 : gain[e] + 0.2;
            gain[e] = gain[e] < 0.01 ? 0.01 : gain[e];
            step[e] = momentum * step[e] - rate * gain[e] * gradient;
            y[e] += step[e];
            mean[e % 2] += y[e];
        }
        for (size_t e = 0; e < 2 * n; e++)
            y[e] -= mean[e % 2] / (double)n;
    }
    of_context_progress(context, "layout", all, all, NULL);
    return ONEFOLD_OK;
}

onefold_status of_layout_tsne(of_context *context, size_t rows, size_t n, const double *x,
                              const onefold_layout_options *options, double *y)
{
    OF_SCRATCH(scratch, context);
    of_sparse p;
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
    /* The start: principal components scaled so that the first has the deviation `spread`. */
    double square = 0;
    for (size_t j = 0; j < n; j++)
        square += y[2 * j] * y[2 * j];
    double deviation = sqrt(square / (double)n), scale = deviation > 0 ? spread / deviation : 0;
    for (size_t e = 0; e < 2 * n; e++)
        y[e] *= scale;
    return descend(context, &scratch, &p, options, n, y);
}
