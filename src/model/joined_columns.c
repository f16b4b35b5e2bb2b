/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models of joined columns (docs/model-format.md): x of a sample is an affine map of the columns of
 * all views side by side. One matrix product per block of samples replaces the projection of every
 * view and the join. A fit of a sample uses the same map for a step of k-means over all samples.
 */
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/simd.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Most columns with which a block of the least width fits a predictor's work space. */
enum { MOST_ROWS = 1 << 13 };

/* ---- the map --------------------------------------------------------------------------------- */

/* Whether a view's own projection is a linear map of dense columns. */
static int is_linear(const of_projection *p)
{
    return p->form == OF_PROJECT_FEATURES && p->scale > 0 && !p->sparse &&
           (p->prep.kind == OF_PREP_NONE || p->prep.kind == OF_PREP_STANDARDISE);
}

static const of_rule_source *source_of(const of_rule *rule, size_t term)
{
    return &rule->source[rule->part[0].source[term]];
}

static int has_map(const of_rule *rule, const of_dataset *dataset, size_t *rows)
{
    *rows = 0;
    if (!rule->constant || rule->parts != 1 || rule->part[0].join != OF_JOIN_COLUMNS ||
        dataset->present)
        return 0;
    for (size_t t = 0; t < rule->part[0].terms; t++) {
        const of_rule_source *source = source_of(rule, t);
        if (!is_linear(source->projection) || dataset->views[source->view].storage != OF_DENSE)
            return 0;
        *rows += source->projection->raw_columns;
    }
    return *rows > 0 && *rows <= MOST_ROWS;
}

/* The divisor of weighted sums, for a sample that has all views. */
static double divisor_of(const of_rule_part *part)
{
    double sum = 0;
    for (size_t t = 0; t < part->terms; t++)
        sum += of_rule_weight(part, t);
    return of_join_least(sum, part->terms);
}

/* The factor of the rows of a term. */
static double factor_of(const of_rule_part *part, size_t term)
{
    return of_rule_weight(part, term) / divisor_of(part);
}

/* Feature i of a view: factor (x - centre), centred and scaled as in the joint kernel, where x is
 * in `row` of the columns of all views. */
typedef struct place {
    size_t row;
    double centre, factor;
} place;

static place place_of(const of_projection *p, size_t first, size_t i)
{
    const of_prep *prep = &p->prep;
    double scale = prep->scale ? prep->scale[i] : 1, shift = prep->shift ? prep->shift[i] : 0;
    return (place){.row = first + (prep->kept ? prep->kept[i] : i),
                   .centre = scale > 0 ? shift + p->mean[i] / scale : shift,
                   .factor = p->scale * scale};
}

onefold_status of_columns_make(of_arena *arena, const onefold_model *model,
                               const of_dataset *dataset, of_columns *columns)
{
    const of_rule *rule = &model->rule;
    const of_rule_part *part = rule->part;
    size_t k = rule->dims, rows, first = 0;
    double *centre, *map, *square;
    *columns = (of_columns){.dataset = dataset, .rule = rule};
    if (!has_map(rule, dataset, &rows))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ALL_ZERO(arena, {&centre, rows, 1}, {&map, k, rows}, {&square, rows, 1}));
    for (size_t t = 0; t < part->terms; t++) {
        const of_projection *p = source_of(rule, t)->projection;
        double weight = factor_of(part, t);
        for (size_t i = 0; i < p->columns; i++) {
            place at = place_of(p, first, i);
            const double *own = p->weight + i * p->rank + part->row[t];
            centre[at.row] = at.centre;
            square[at.row] = weight / divisor_of(part) * at.factor * at.factor;
            for (size_t r = 0; r < part->rank; r++)
                map[r + 1 + at.row * k] = weight * at.factor * own[r];
        }
        first += p->raw_columns;
    }
    columns->rows = rows;
    columns->centre = centre;
    columns->map = map;
    columns->square = square;
    return ONEFOLD_OK;
}

/* ---- a block of samples ---------------------------------------------------------------------- */

/* Subtracts the centre from the columns of samples. Returns 1 where a number is missing or too
 * large to be squared. Without branches, so that the compiler vectorises it. */
#define CENTRE(name, T)                                                                            \
    OF_SIMD static unsigned centre_##name(size_t count, size_t d, size_t step, const T *x,         \
                                          const double *restrict centre, size_t ld, double *out)   \
    {                                                                                              \
        const double most = 1e150;                                                                 \
        unsigned bad = 0;                                                                          \
        for (size_t j = 0; j < count; j++)                                                         \
            for (size_t i = 0; i < d; i++) {                                                       \
                double value = (double)x[j * step + i];                                            \
                bad |= !(fabs(value) <= most);                                                     \
                out[j * ld + i] = value - centre[i];                                               \
            }                                                                                      \
        return bad;                                                                                \
    }
CENTRE(floats, float)
CENTRE(doubles, double)

/* The columns of samples less their centres. */
static onefold_status load(const of_columns *columns, size_t first, size_t count, double *y,
                           int *usable)
{
    const of_rule_part *part = columns->rule->part;
    size_t row = 0, ld = columns->rows;
    unsigned bad = 0;
    for (size_t t = 0; t < part->terms; t++) {
        const of_view *view = &columns->dataset->views[source_of(columns->rule, t)->view];
        const double *centre = columns->centre + row;
        double *to = y + row;
        size_t d = view->columns, step = view->sample_step;
        if (view->data && view->type == OF_F32 && view->column_step == 1) {
            const float *from = (const float *)view->data + first * step;
            bad |= centre_floats(count, d, step, from, centre, ld, to);
        } else {
            OF_TRY(of_view_read(view, first, count, to, ld));
            bad |= centre_doubles(count, d, ld, to, centre, ld, to);
        }
        row += d;
    }
    *usable = !bad;
    return ONEFOLD_OK;
}

onefold_status of_columns_apply(const of_columns *columns, size_t first, size_t count, double *y,
                                double *x, int *usable)
{
    size_t k = columns->rule->dims;
    double constant = 1 / sqrt((double)columns->rule->part->known);
    OF_TRY(load(columns, first, count, y, usable));
    if (!*usable)
        return ONEFOLD_OK;
    of_gemm('N', 'N', k, count, columns->rows, 1, columns->map, k, y, columns->rows, 0, x, k);
    for (size_t j = 0; j < count; j++)
        x[j * k] = constant;
    return ONEFOLD_OK;
}

/* The squared length of centred columns, in eight sums, which vectorise. */
OF_SIMD static double squared_length(size_t rows, const double *restrict square,
                                     const double *restrict y)
{
    enum { LANES = 8 };
    double sum[LANES] = {0}, all = 0;
    size_t i = 0;
    for (; i + LANES <= rows; i += LANES)
        for (size_t b = 0; b < LANES; b++)
            sum[b] += square[i + b] * (y[i + b] * y[i + b]);
    for (; i < rows; i++)
        all += square[i] * (y[i] * y[i]);
    for (size_t b = 0; b < LANES; b++)
        all += sum[b];
    return all;
}

double of_columns_distance(const of_columns *columns, const double *y, const double *x)
{
    const of_rule_part *part = columns->rule->part;
    double length = squared_length(columns->rows, columns->square, y), kept = 0;
    for (size_t r = 0; r < part->rank; r++)
        kept += part->value[r] * x[r + 1] * x[r + 1];
    return length > 0 ? sqrt(1 - fmin(kept / length, 1)) : 0;
}

/* ---- a step of k-means over all samples ------------------------------------------------------ */

typedef struct step_task {
    const of_columns *columns;
    const double *fused; /* clusters x dims: C'W beta */
    size_t clusters;
    of_tiles tiles;
    double *room; /* per worker: (rows + dims + clusters) x width of a tile */
} step_task;

/* sum: rows x clusters, then the sizes of clusters. A tile with unusable numbers is left out. */
static onefold_status add_tile(void *opaque, size_t index, double *sum)
{
    const step_task *task = opaque;
    size_t rows = task->columns->rows, k = task->columns->rule->dims, mu = task->clusters,
           width = task->tiles.width, first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index);
    double *y = task->room + of_team_worker() * (rows + k + mu) * width, *x = y + rows * width,
           *score = x + k * width;
    int usable;
    OF_TRY(of_columns_apply(task->columns, first, count, y, x, &usable));
    if (!usable)
        return ONEFOLD_OK;
    of_gemm('N', 'N', mu, count, k, 1, task->fused, mu, x, k, 0, score, mu);
    for (size_t j = 0; j < count; j++) {
        size_t c = of_first_largest(score + j * mu, mu);
        of_add(rows, 1, y + j * rows, sum + c * rows);
        sum[mu * rows + c] += 1;
    }
    return ONEFOLD_OK;
}

/* The cluster means in the features of each term (its columns x clusters, one term after the
 * other), and T, their inner products in the joint kernel. */
static void mean_clusters(const of_columns *columns, size_t mu, const double *sum, double *mean,
                          double *T)
{
    const of_rule *rule = columns->rule;
    const of_rule_part *part = rule->part;
    size_t first = 0;
    const double *size = sum + mu * columns->rows;
    memset(T, 0, mu * mu * sizeof *T);
    for (size_t t = 0; t < part->terms; t++) {
        const of_projection *p = source_of(rule, t)->projection;
        for (size_t c = 0; c < mu; c++)
            for (size_t i = 0; i < p->columns; i++) {
                place at = place_of(p, first, i);
                mean[i + c * p->columns] = at.factor * sum[at.row + c * columns->rows] / size[c];
            }
        of_gemm('T', 'N', mu, mu, p->columns, factor_of(part, t), mean, p->columns, mean,
                p->columns, 1, T, mu);
        mean += p->columns * mu;
        first += p->raw_columns;
    }
}

/* P (clusters x clusters): centres the means, times the roots of the sizes. */
static void centre_means(size_t mu, const double *size, double *P)
{
    double all = 0;
    for (size_t c = 0; c < mu; c++)
        all += size[c];
    for (size_t c = 0; c < mu; c++)
        for (size_t d = 0; d < mu; d++)
            P[c + d * mu] = sqrt(size[c]) * ((c == d) - size[d] / all);
}

/* A rule whose rows are the directions of the means (as of_joint_means makes them of a joint
 * partition), with the means as centres. */
static onefold_status move_rule(of_context *context, of_arena *arena, onefold_model *model,
                                const of_columns *columns, const double *sum)
{
    OF_SCRATCH(scratch, context);
    of_rule *rule = &model->rule;
    size_t mu = model->info.clusters, rank = rule->dims - 1;
    double *mean, *T, *P, *V, *image, *centre, *value, *C;
    of_rule_part *part;
    OF_TRY(OF_NEW_ALL(&scratch, {&mean, mu, columns->rows}, {&T, mu, mu}, {&P, mu, mu},
                      {&V, mu, mu}, {&image, mu, mu}, {&centre, mu, mu}));
    OF_TRY(OF_NEW_ZERO(arena, &part, 1, 1));
    OF_TRY(OF_NEW_ALL_ZERO(arena, {&value, mu, 1}, {&C, rule->dims, mu}));
    mean_clusters(columns, mu, sum, mean, T);
    centre_means(mu, sum + mu * columns->rows, P);
    of_gemm('N', 'N', mu, mu, mu, 1, P, mu, T, mu, 0, image, mu);
    of_gemm('N', 'T', mu, mu, mu, 1, image, mu, P, mu, 0, V, mu);
    OF_TRY(of_eigh(context, mu, V, value));
    rank = of_joint_means_rank(mu, rank < mu ? rank : mu, value, V);
    if (!rank)
        return ONEFOLD_OK;
    /* rows of P'V / value are the directions; their products with the means, the centres */
    of_gemm('T', 'N', mu, rank, mu, 1, P, mu, V, mu, 0, image, mu);
    for (size_t r = 0; r < rank; r++)
        for (size_t c = 0; c < mu; c++)
            image[c + r * mu] /= value[r];
    of_gemm('T', 'N', rank, mu, mu, 1, image, mu, T, mu, 0, centre, rank);
    for (size_t i = 0; i < rank * mu; i++)
        centre[i] *= sqrt(value[i % rank]);
    *part = rule->part[0];
    part->rank = rank;
    part->value = value;
    for (size_t t = 0; t < part->terms; t++) {
        of_rule_source *source = &rule->source[part->source[t]];
        of_projection *p;
        double *weight;
        OF_TRY(OF_NEW(arena, &p, 1, 1));
        *p = *source->projection;
        OF_TRY(OF_NEW(arena, &weight, rank, p->columns));
        of_gemm('T', 'T', rank, p->columns, mu, 1, image, mu, mean, p->columns, 0, weight, rank);
        mean += p->columns * mu;
        p->rank = rank;
        p->weight = weight;
        p->value = value;
        source->projection = p;
    }
    of_rule_centres(rank, rank, mu, part->known, value, centre, rule->dims, C);
    rule->part = part;
    rule->C = C;
    of_rule_finish(rule);
    return ONEFOLD_OK;
}

onefold_status of_model_step(of_context *context, of_arena *arena, onefold_model *model,
                             const of_dataset *dataset)
{
    OF_SCRATCH(scratch, context);
    of_columns columns;
    OF_TRY(of_columns_make(&scratch, model, dataset, &columns));
    if (!columns.rows)
        return ONEFOLD_OK;
    const of_rule *rule = &model->rule;
    size_t mu = model->info.clusters, k = rule->dims, room = columns.rows + k + mu,
           length = mu * (columns.rows + 1);
    double *sum, *fused;
    OF_TRY(OF_NEW(&scratch, &fused, mu, k));
    of_gemm('T', 'N', mu, k, k, rule->beta[0], rule->C, k, rule->W, k, 0, fused, mu);
    step_task task = {&columns, fused, mu, of_tiles_make(dataset->samples, room, 1 << 18), NULL};
    OF_TRY(OF_NEW(&scratch, &task.room, of_team_size(context), room * task.tiles.width));
    OF_TRY(OF_NEW(&scratch, &sum, length, 1));
    OF_TRY(of_tiles_sum(context, &task.tiles, add_tile, &task, length, sum));
    for (size_t c = 0; c < mu; c++)
        if (!(sum[mu * columns.rows + c] > 0)) /* an empty cluster */
            return ONEFOLD_OK;
    return move_rule(context, arena, model, &columns, sum);
}
