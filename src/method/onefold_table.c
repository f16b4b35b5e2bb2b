/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of samples as Gram matrices of their views, with shuffled columns too, and subsamples with
 * their neighbours and graphs (docs/method.md section 11).
 */
#include "method/onefold_table.h"

#include "base/random.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "partition/routes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t of_table_size(const of_problem *problem)
{
    size_t n = problem->dataset->samples, most = OF_TABLE_EACH * problem->options->clusters;
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        if (problem->kernels[i].kind == OF_KERNEL_PRECOMPUTED)
            return n; /* a given kernel is of all samples */
    most = most > OF_TABLE_LEAST ? most : OF_TABLE_LEAST;
    return of_size_least(n, of_size_least(most, OF_TABLE_MOST));
}

/* ---- categories ------------------------------------------------------------------------------ */

static int is_standardised(const of_kernel *kernel)
{
    return kernel->kind != OF_KERNEL_PRECOMPUTED && !kernel->features.start &&
           kernel->prep.kind == OF_PREP_STANDARDISE;
}

static size_t raw_column(const of_kernel *kernel, size_t c)
{
    return kernel->prep.kept ? kernel->prep.kept[c] : c;
}

/* The number of columns from c on that code one category: of 0 and 1, with a single 1 in each
 * sample. 1 for any other column. */
static size_t category_at(const of_kernel *kernel, const double *rows, size_t c, double *sum)
{
    size_t n = kernel->view->samples, raw = kernel->view->columns;
    memset(sum, 0, n * sizeof *sum);
    for (size_t end = c; end < kernel->prep.columns; end++) {
        size_t full = 0;
        for (size_t j = 0; j < n; j++) {
            double x = rows[j * raw + raw_column(kernel, end)];
            sum[j] += x;
            if ((x != 0 && x != 1) || sum[j] > 1)
                return 1;
            full += sum[j] == 1;
        }
        if (full == n)
            return end + 1 - c;
    }
    return 1;
}

/* The rows of a dense view as doubles. */
static onefold_status read_rows(of_arena *arena, const of_view *view, double **rows)
{
    OF_TRY(OF_NEW(arena, rows, view->columns, view->samples));
    OF_COUNTED(arena->context);
    return of_view_read(view, 0, view->samples, *rows, view->columns);
}

onefold_status of_table_kernel(of_context *context, of_arena *arena, const of_kernel *kernel,
                               int raw, of_kernel *made)
{
    OF_SCRATCH(scratch, context);
    double *rows, *sum, *scale;
    size_t d = kernel->prep.columns;
    *made = of_linear_kernel(kernel);
    made->keeps_lengths = 1;
    if (!is_standardised(kernel))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &scale, d, 1));
    made->prep.scale = scale;
    if (!raw)
        OF_TRY(read_rows(&scratch, kernel->view, &rows));
    OF_TRY(OF_NEW(&scratch, &sum, kernel->view->samples, 1));
    OF_COUNTED(context);
    for (size_t c = 0, end; c < d; c = end) {
        size_t levels = raw ? 1 : category_at(kernel, rows, c, sum);
        for (end = c; end < c + levels; end++)
            scale[end] = raw ? 1 : kernel->prep.scale[end] / sqrt((double)levels);
    }
    return ONEFOLD_OK;
}

/* ---- shuffled columns ------------------------------------------------------------------------ */

/* The first view whose columns a dense view repeats, in all samples that have both; or itself. What
 * copies have in common is no evidence, so that they are shuffled alike. */
static onefold_status find_copied(of_context *context, const of_problem *problem, size_t view,
                                  size_t *first)
{
    OF_SCRATCH(scratch, context);
    const of_dataset *dataset = problem->dataset;
    const of_view *own = problem->kernels[view].view;
    size_t d = own->columns;
    double *a, *b;
    *first = view;
    OF_TRY(OF_NEW_ALL(&scratch, {&a, d, 1}, {&b, d, 1}));
    OF_COUNTED(context);
    for (size_t u = 0; u < *first; u++) {
        const of_view *other = problem->kernels[u].view;
        size_t i = 0, k = 0, both = 0, same = of_pool_dense(problem, u) && other->columns == d;
        for (size_t j = 0; j < dataset->samples && same; j++) {
            int has = of_present_at(dataset, j, view), had = of_present_at(dataset, j, u);
            if (has && had) {
                OF_TRY(of_view_read(own, i, 1, a, d));
                OF_TRY(of_view_read(other, k, 1, b, d));
                same = memcmp(a, b, d * sizeof *a) == 0;
                both++;
            }
            i += has != 0;
            k += had != 0;
        }
        if (same && both)
            *first = u;
    }
    return ONEFOLD_OK;
}

/* Columns by permutations of all samples; those that lack the view are passed over. */
static onefold_status shuffle_columns(of_context *context, of_arena *arena,
                                      const of_problem *problem, size_t index, of_kernel *shuffled)
{
    OF_SCRATCH(scratch, context);
    const of_kernel *kernel = &problem->kernels[index];
    size_t all = problem->dataset->samples, n = kernel->view->samples, raw = kernel->view->columns,
           *order, *row, number, own = 0;
    double *from, *to, *sum;
    of_view *view;
    OF_TRY(find_copied(context, problem, index, &number));
    of_random random = of_random_make(problem->options->seed, OF_PURPOSE_SHUFFLE, number);
    OF_TRY(OF_NEW(arena, &view, 1, 1));
    OF_TRY(read_rows(&scratch, kernel->view, &from));
    OF_TRY(OF_NEW(arena, &to, raw, n));
    OF_TRY(OF_NEW(&scratch, &order, all, 1));
    OF_TRY(OF_NEW(&scratch, &row, all, 1));
    OF_TRY(OF_NEW(&scratch, &sum, n, 1));
    *shuffled = *kernel;
    *view = (of_view){.name = kernel->view->name,
                      .samples = n,
                      .columns = raw,
                      .storage = OF_DENSE,
                      .data = to,
                      .type = OF_F64,
                      .sample_step = raw,
                      .column_step = 1};
    shuffled->view = view;
    OF_COUNTED(context);
    memcpy(to, from, n * raw * sizeof *to);
    for (size_t j = 0; j < all; j++) {
        order[j] = j;
        row[j] = of_present_at(problem->dataset, j, index) ? own++ : SIZE_MAX;
    }
    for (size_t c = 0, end; c < kernel->prep.columns; c = end) {
        end = c + (is_standardised(kernel) ? category_at(kernel, from, c, sum) : 1);
        for (size_t j = 0; j + 1 < all; j++) {
            size_t other = j + of_random_below(&random, all - j), kept = order[j];
            order[j] = order[other];
            order[other] = kept;
        }
        for (size_t j = 0; j < all; j++) {
            size_t taken = order[j];
            if (row[j] == SIZE_MAX)
                continue;
            while (row[taken] == SIZE_MAX)
                taken = order[taken];
            for (size_t e = c; e < end; e++) {
                size_t at = raw_column(kernel, e);
                to[row[j] * raw + at] = from[row[taken] * raw + at];
            }
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_table_shuffle(of_context *context, of_arena *arena, const of_problem *problem,
                                of_sample *shuffled)
{
    size_t p = problem->dataset->view_count;
    uint64_t seed = problem->options->seed;
    of_kernel *kernels;
    OF_TRY(OF_NEW(arena, &kernels, p, 1));
    of_sample_derive(problem, kernels, shuffled);
    shuffled->dataset = *problem->dataset;
    for (size_t i = 0; i < p; i++)
        if (of_pool_dense(problem, i))
            OF_TRY(shuffle_columns(context, arena, problem, i, &kernels[i]));
        else
            OF_TRY(of_kernel_shuffle(context, arena, seed, i, &problem->kernels[i], &kernels[i]));
    return ONEFOLD_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Subtracts the means over the samples that have the view, which others do not enter. */
static void centre(size_t n, const double *has, double *G, double *mean)
{
    double count = 0, all = 0;
    for (size_t j = 0; j < n; j++) {
        mean[j] = 0;
        for (size_t i = 0; i < n; i++)
            mean[j] += G[j * n + i];
        count += has[j];
        all += mean[j];
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            G[j * n + i] = has[i] * has[j] *
                           (G[j * n + i] - mean[i] / count - mean[j] / count + all / count / count);
}

/* The inner products of a view's samples, rows of zeros where they lack it; centred, mean diagonal
 * 1. Fills the mean diagonal before. `linked` (or NULL) gets them before they are centred. */
static onefold_status fill_gram(of_context *context, const of_table *table, size_t view,
                                const of_kernel *kernel, double *G, double *linked, double *size)
{
    OF_SCRATCH(scratch, context);
    const of_dataset *dataset = table->problem->dataset;
    size_t n = table->n, m = kernel->view->samples, row = 0;
    double *inner, *has, *mean, total = 0;
    OF_TRY(OF_NEW_ALL(&scratch, {&inner, m, m}, {&has, n, 1}, {&mean, n, 1}));
    OF_TRY(of_kernel_matrix(context, kernel, OF_RAW, inner));
    OF_COUNTED(context);
    memset(G, 0, n * n * sizeof *G);
    for (size_t j = 0; j < n; j++)
        has[j] = of_present_at(dataset, j, view) != 0;
    for (size_t j = 0; j<n; row += has[j++]> 0)
        for (size_t i = 0, from = 0; has[j] > 0 && i < n; i++)
            if (has[i] > 0)
                G[j * n + i] = inner[row * m + from++];
    if (linked)
        memcpy(linked, G, n * n * sizeof *G);
    centre(n, has, G, mean);
    for (size_t j = 0; j < n; j++)
        total += G[j * n + j] / (double)m;
    for (size_t e = 0; total > 0 && e < n * n; e++)
        G[e] /= total;
    *size = total;
    return ONEFOLD_OK;
}

typedef struct table_task {
    of_context *context;
    of_arena *arenas; /* of each view */
    of_table *table;
} table_task;

static onefold_status fill_view(void *opaque, size_t v)
{
    const table_task *task = opaque;
    of_table *t = task->table;
    of_context *context = task->context;
    of_arena *arena = &task->arenas[v];
    const of_kernel *kernel = &t->problem->kernels[v];
    of_kernel *own = (of_kernel *)(uintptr_t)&t->kernel[v],
              *raw = (of_kernel *)(uintptr_t)&t->raw_kernel[v];
    size_t n = t->n;
    double *unit;
    of_team_share(context);
    OF_TRY(of_table_kernel(context, arena, kernel, 0, own));
    OF_TRY(OF_NEW(arena, &t->gram[v], n, n));
    OF_TRY(OF_NEW(arena, &unit, n, 1));
    t->unit[v] = unit;
    if (kernel->kind == OF_KERNEL_GRAPH)
        OF_TRY(OF_NEW(arena, &t->linked[v], n, n));
    OF_TRY(fill_gram(context, t, v, own, t->gram[v], t->linked[v], &t->size[v]));
    if (is_standardised(kernel)) {
        OF_TRY(of_table_kernel(context, arena, kernel, 1, raw));
        OF_TRY(OF_NEW(arena, &t->raw[v], n, n));
        OF_TRY(fill_gram(context, t, v, raw, t->raw[v], NULL, &t->raw_size[v]));
    }
    OF_COUNTED(context);
    const double least = 1e-10;
    for (size_t j = 0; j < n; j++) {
        double square = t->gram[v][j * n + j];
        unit[j] = square > least ? 1 / sqrt(square) : 0;
    }
    if (of_kernel_has_distances(kernel->kind))
        t->width[v] = t->size[v] > 0 ? kernel->width / t->size[v] : 1;
    return ONEFOLD_OK;
}

onefold_status of_table_make(of_context *context, of_arena *arena, const of_problem *problem,
                             of_table *table)
{
    OF_SCRATCH(scratch, context);
    size_t n = problem->dataset->samples, p = problem->dataset->view_count;
    of_kernel *kernel;
    table_task task = {.context = context, .table = table};
    *table = (of_table){.problem = problem, .n = n, .p = p, .mu = problem->options->clusters};
    OF_TRY(OF_NEW_ZERO(arena, &table->gram, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &table->raw, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &table->linked, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &table->unit, p, 1));
    OF_TRY(OF_NEW_THERE(arena, &table->size, p, 3));
    memset(table->size, 0, 3 * p * sizeof *table->size);
    table->raw_size = table->size + p;
    table->width = table->size + 2 * p;
    OF_TRY(OF_NEW_ZERO(arena, &kernel, p, 2));
    table->kernel = kernel;
    table->raw_kernel = kernel + p;
    OF_TRY(OF_NEW(&scratch, &task.arenas, p, 1));
    for (size_t v = 0; v < p; v++)
        task.arenas[v] = of_arena_make(context);
    onefold_status status = of_team_each(context, p > 1, p, fill_view, &task);
    for (size_t v = 0; v < p; v++)
        of_arena_adopt(arena, &task.arenas[v]);
    return status;
}

/* ---- a subsample ----------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

static void draw_places(const of_table *table, size_t count, size_t index, size_t *order)
{
    of_random random = of_random_make(table->problem->options->seed, OF_PURPOSE_SUBSAMPLE, index);
    for (size_t i = 0; i < table->n; i++)
        order[i] = i;
    for (size_t i = 0; i < count && count < table->n; i++) {
        size_t other = i + of_random_below(&random, table->n - i), taken = order[other];
        order[other] = order[i];
        order[i] = taken;
    }
    qsort(order, count, sizeof *order, by_place);
}

static size_t ties_each(const of_problem *problem)
{
    return problem->options->neighbours ? problem->options->neighbours : OF_NEIGHBOURS_STANDARD;
}

/* The `wanted` nearest of the samples `who` (count) to sample j, itself left out unless `self`. */
static size_t find_nearest(size_t n, const double *D, size_t j, size_t count, const uint32_t *who,
                           size_t wanted, int self, double *distance, uint32_t *index,
                           double *nearest)
{
    size_t found = of_size_least(wanted, count - (self || !count ? 0 : 1));
    for (size_t i = 0; i < count; i++) {
        distance[i] = who[i] == j ? (self ? 0 : INFINITY) : fmax(D[j * n + who[i]], 0);
    }
    of_landmark_find(count, found, distance, index, nearest);
    return found;
}

/* Ties of every sample with the view (`on`) to its nearest, as a landmark graph has them where all
 * samples are landmarks. D: squared distances, n x n. */
static onefold_status tie_nearest(of_arena *arena, size_t n, const uint8_t *on, const double *D,
                                  size_t neighbours, of_sparse *ties)
{
    OF_SCRATCH(scratch, arena->context);
    of_entries to;
    uint32_t *who, *index;
    double *distance;
    size_t count = 0;
    OF_TRY(of_sparse_make(arena, n, n, n * neighbours, ties, &to));
    OF_TRY(OF_NEW(&scratch, &who, n, 1));
    OF_TRY(OF_NEW(&scratch, &distance, n, 1));
    for (size_t j = 0; j <= n; j++) /* at most */
        to.start[j] = j * neighbours;
    OF_COUNTED(arena->context);
    for (size_t i = 0; i < n; i++)
        if (on[i])
            who[count++] = (uint32_t)i;
    for (size_t j = 0; j < n; j++) {
        size_t at = to.start[j], found = 0;
        if (on[j]) {
            index = to.index + at;
            found =
                find_nearest(n, D, j, count, who, neighbours, 1, distance, index, to.value + at);
            of_landmark_weigh(1, found, index, to.value + at);
            for (size_t e = 0; e < found; e++)
                index[e] = who[index[e]];
        }
        to.start[j + 1] = at + found;
    }
    return ONEFOLD_OK;
}

/* The rows of a view of links that belong to the subsample: ties to all samples of the data, and to
 * one more that all share (partition/view_graph.h). */
static onefold_status tie_links(of_arena *arena, const of_fold *fold, size_t view, of_sparse *ties)
{
    const of_sparse *links = &fold->table->problem->kernels[view].features;
    const of_dataset *dataset = fold->table->problem->dataset;
    size_t *row, own = 0, m = links->rows, n = fold->n, at = 0;
    double common = m ? (double)links->start[m] / (double)m : 0;
    of_entries to;
    OF_TRY(of_sparse_make(arena, n, links->columns + 1, links->start[m] + n, ties, &to));
    OF_TRY(OF_NEW(arena, &row, fold->table->n, 1));
    for (size_t j = 0; j <= n; j++) /* at most */
        to.start[j] = of_part_start(links->start[m] + n, n, j);
    OF_COUNTED(arena->context);
    to.start[0] = 0;
    for (size_t j = 0; j < fold->table->n; j++)
        row[j] = of_present_at(dataset, j, view) ? own++ : SIZE_MAX;
    for (size_t j = 0; j < n; j++) {
        size_t r = row[fold->at[j]],
               count = r == SIZE_MAX ? 0 : links->start[r + 1] - links->start[r];
        for (size_t e = 0; e < count; e++) {
            to.index[at] = links->index[links->start[r] + e];
            to.value[at++] = 1 / ((double)count + common);
        }
        if (r != SIZE_MAX) {
            to.index[at] = (uint32_t)links->columns;
            to.value[at++] = common / ((double)count + common);
        }
        to.start[j + 1] = at;
    }
    return ONEFOLD_OK;
}

onefold_status of_fold_lead(of_context *context, size_t n, const double *matrix, size_t rows,
                            double *H)
{
    enum { SMALL = 256, BLOCK = 8 };
    const double tolerance = 1e-2, aim = 1e-3; /* labels do not depend on more digits */
    OF_SCRATCH(scratch, context);
    of_route_work work = {
        .rows = of_size_least(rows, n), .tolerance = tolerance, .H = of_share_whole(H, rows)};
    OF_TRY(OF_NEW(&scratch, &work.value, rows, 1));
    OF_TRY(OF_NEW(&scratch, &work.sign, rows, 1));
    of_matrix_operator task = {context, n, matrix};
    OF_TRY(n <= SMALL ? of_eigen_matrix(context, n, matrix, &work)
                      : of_eigen_work(context, n, of_matrix_apply, &task, BLOCK, aim, NULL, &work));
    OF_TRY(of_sign_rows(context, n, work.rank, work.H, work.sign));
    OF_COUNTED(context);
    for (size_t j = 0; j < n; j++)
        for (size_t r = work.rank; r < rows; r++)
            H[j * rows + r] = 0;
    return ONEFOLD_OK;
}

/* The part of a table's matrix that belongs to the subsample; with `unit`, of samples of length 1,
 * and centred. */
static void take_part(const of_fold *fold, const double *G, const double *unit, double *part)
{
    size_t n = fold->n, all = fold->table->n;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            size_t a = fold->at[i], b = fold->at[j];
            part[j * n + i] = G[b * all + a] * (unit ? unit[a] * unit[b] : 1);
        }
}

void of_fold_centre(size_t n, double *K, double *mean)
{
    double all = 0;
    for (size_t j = 0; j < n; j++) {
        mean[j] = 0;
        for (size_t i = 0; i < n; i++)
            mean[j] += K[j * n + i] / (double)n;
        all += mean[j] / (double)n;
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            K[j * n + i] += all - mean[i] - mean[j];
}

/* Squared distances from inner products, in place. */
static void to_distances(size_t n, double *G, double *square)
{
    for (size_t j = 0; j < n; j++)
        square[j] = G[j * n + j];
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            G[j * n + i] = square[i] + square[j] - 2 * G[j * n + i];
}

/* The base partition of os-lfmvc-cs: from the view's own kernel. */
static onefold_status make_base(of_context *context, of_fold *fold, size_t view, size_t dims,
                                double *K, double *room)
{
    const of_table *t = fold->table;
    size_t n = fold->n;
    if (!of_counts(context)) {
        take_part(fold, t->gram[view], NULL, K);
        if (t->width[view] > 0) {
            to_distances(n, K, room);
            for (size_t e = 0; e < n * n; e++)
                K[e] = -fmax(K[e], 0) / t->width[view];
            of_kernel_rows[t->problem->kernels[view].kind]->values(n * n, K);
        }
    }
    OF_TRY(of_centre_normalise(context, n, K));
    return of_fold_lead(context, n, K, dims, fold->H[view]);
}

/* The ties over the directions of samples among the leading principal components. */
static onefold_status tie_directions(of_context *context, of_arena *arena, of_fold *fold,
                                     size_t view, const uint8_t *on, double *K, double *room)
{
    OF_SCRATCH(scratch, context);
    const of_table *t = fold->table;
    const of_problem *problem = t->problem;
    size_t n = fold->n, q = of_size_least(problem->partition.directions, n);
    double *H;
    OF_TRY(OF_NEW(&scratch, &H, q, n));
    if (!of_counts(context)) {
        take_part(fold, t->gram[view], t->unit[view], K);
        of_fold_centre(n, K, room);
    }
    OF_TRY(of_fold_lead(context, n, K, q, H));
    if (!of_counts(context)) {
        of_view_graph_place(q, n, H, q);
        of_gemm('T', 'N', n, n, q, 1, H, q, H, q, 0, K, n);
        to_distances(n, K, room);
    }
    return tie_nearest(arena, n, on, K, ties_each(problem), &fold->subspace[view]);
}

/* The neighbours that vote on labels. */
static onefold_status find_voters(of_context *context, of_arena *arena, of_fold *fold, size_t view,
                                  const uint8_t *on, const double *D)
{
    enum { R = OF_TABLE_VOTES, LEAST = 2 };
    OF_SCRATCH(scratch, context);
    size_t n = fold->n, count = 0;
    uint32_t *who, *near;
    double *distance, nearest[R];
    OF_TRY(OF_NEW(arena, &near, R, n));
    OF_TRY(OF_NEW(&scratch, &who, n, 1));
    OF_TRY(OF_NEW(&scratch, &distance, n, 1));
    fold->near[view] = near;
    OF_COUNTED(context);
    for (size_t i = 0; i < n; i++)
        if (on[i])
            who[count++] = (uint32_t)i;
    /* no more than a cluster of mean size has: others would vote against small clusters */
    size_t each = count / fold->table->mu,
           voters = of_size_least(R, each > LEAST + 1 ? each - 1 : LEAST);
    for (size_t j = 0; j < n; j++) {
        uint32_t *own = near + j * R;
        size_t found =
            on[j] ? find_nearest(n, D, j, count, who, voters, 0, distance, own, nearest) : 0;
        for (size_t e = 0; e < R; e++)
            own[e] = e < found ? who[own[e]] : UINT32_MAX;
    }
    return ONEFOLD_OK;
}

static onefold_status look_at_view(of_context *context, of_arena *arena, of_fold *fold, size_t view,
                                   double *K, double *room, uint8_t *on)
{
    const of_table *t = fold->table;
    const of_problem *problem = t->problem;
    size_t n = fold->n, dims = of_size_least(problem->options->dims, n);
    for (size_t j = 0; j < n && !of_counts(context); j++)
        on[j] = t->unit[view][fold->at[j]] > 0;
    if (fold->recipes & 1u << OF_RECIPE_PAPER) {
        OF_TRY(OF_NEW(arena, &fold->H[view], dims, n));
        OF_TRY(make_base(context, fold, view, dims, K, room));
    }
    if (t->linked[view]) {
        OF_TRY(tie_links(arena, fold, view, &fold->knn[view]));
        fold->subspace[view] = fold->knn[view];
        return ONEFOLD_OK;
    }
    if (!of_counts(context)) {
        take_part(fold, t->gram[view], NULL, K);
        to_distances(n, K, room);
    }
    if (fold->recipes & (1u << OF_RECIPE_GRAPH | 1u << OF_RECIPE_ALL))
        OF_TRY(tie_nearest(arena, n, on, K, ties_each(problem), &fold->knn[view]));
    OF_TRY(find_voters(context, arena, fold, view, on, K));
    if (!(fold->recipes & 1u << OF_RECIPE_ALL))
        return ONEFOLD_OK;
    return tie_directions(context, arena, fold, view, on, K, room);
}

size_t of_fold_size(size_t n, size_t index)
{
    return index ? n - n / 5 : n;
}

onefold_status of_fold_make(of_context *context, of_arena *arena, const of_table *table,
                            size_t count, size_t index, unsigned recipes, of_fold *fold)
{
    OF_SCRATCH(scratch, context);
    size_t *at, p = table->p;
    double *K, *room;
    uint8_t *on;
    *fold = (of_fold){.table = table, .n = count, .index = index, .recipes = recipes};
    OF_TRY(OF_NEW_THERE(arena, &at, table->n, 1));
    draw_places(table, count, index, at);
    fold->at = at;
    OF_TRY(OF_NEW_ZERO(arena, &fold->near, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &fold->knn, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &fold->subspace, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &fold->H, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, &fold->labels, OF_RECIPES, 1));
    OF_TRY(OF_NEW(arena, &fold->told, p, OF_RECIPES));
    OF_TRY(OF_NEW_ALL(&scratch, {&K, count, count}, {&room, count, 1}));
    OF_TRY(OF_NEW(&scratch, &on, count, 1));
    for (size_t v = 0; v < p; v++)
        OF_TRY(look_at_view(context, arena, fold, v, K, room, on));
    return ONEFOLD_OK;
}
