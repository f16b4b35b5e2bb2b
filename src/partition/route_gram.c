/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The route for few columns: with psi the features of the finished kernel K = psi psi' (samples x
 * samples), the eigenvectors of G = psi' psi (columns x columns) give those of K: from
 * G w = lambda w follows v = psi w / sqrt(lambda). One pass over the samples forms G, another
 * projects: n d^2 + 2 n d k flops, the view is read twice and H written once. For a weighted sum of
 * kernels, psi has the columns of all, times the roots of their weights. For sparse features with
 * more columns, G is only applied (of_gram_applied, below).
 */
#include "base/team.h"
#include "linalg/blas.h"
#include "partition/centred.h"
#include "partition/raw_pieces.h"
#include "partition/routes.h"

#include <math.h>
#include <string.h>

/*
 * The gram route on a GPU, in double precision: features are copied there once, then centred and
 * normalised in place, and the GPU computes their Gram matrix and projection. The CPU solves the
 * eigenproblem.
 */

typedef struct gpu_task {
    of_context *context;
    const of_device_use *use;
    const of_kernel *kernel;
    size_t n, columns;         /* columns: of the features */
    of_device_stack *features; /* of this rank's samples */
} gpu_task;

/* Refuses values that cannot be squared. of_centred_make names the first. */
static onefold_status refuse(const gpu_task *task)
{
    OF_SCRATCH(scratch, task->context);
    of_centred centred;
    OF_TRY(of_centred_make(task->context, &scratch, task->kernel, &centred));
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "values are too large to be squared"),
                   "scale the view down");
}

/* Subtracts means, computed as in of_kernel_mean: the second pass corrects rounding errors of the
 * first. Then computes the floor as in of_centred_make, and scales features to unit length. */
static onefold_status centre(of_arena *arena, const gpu_task *task, of_centred *centred)
{
    size_t d = task->columns, n = task->n;
    double *sum, largest[2], most[2] = {0, 0}; /* of the lengths centred, and raw */
    onefold_status status;
    *centred = (of_centred){.kernel = task->kernel, .samples = n, .columns = d};
    OF_TRY(OF_NEW_ZERO(arena, &centred->mean, d, 1));
    OF_TRY(OF_NEW(arena, &sum, d, 1));
    for (int pass = 0; pass < 2; pass++) {
        OF_TRY(of_context_check(task->context));
        status = OF_DEVICE(task->use, stack_sum(task->features, sum));
        OF_TRY(of_device_total(task->context, n, status, d, sum));
        for (size_t i = 0; i < d; i++) {
            double before = centred->mean[i];
            centred->mean[i] += sum[i] / (double)n;
            sum[i] = centred->mean[i] - before; /* with the rounding of centred->mean */
        }
        status = OF_DEVICE(task->use, features_centre(task->features, sum, -1, largest));
        OF_TRY(of_device_total(task->context, n, status, 0, NULL));
        most[0] = largest[1];
        most[1] = pass == 0 ? largest[0] : most[1];
    }
    OF_TRY(of_comm_largest(task->context, n, 2, most));
    if (!isfinite(most[0]) || !isfinite(most[1]))
        return refuse(task);
    centred->floor = of_centred_floor(task->kernel, most[0], most[1]);
    memset(sum, 0, d * sizeof *sum);
    status = OF_DEVICE(task->use, features_centre(task->features, sum, centred->floor, largest));
    return of_device_total(task->context, n, status, 0, NULL);
}

/* Turns eigenvectors of G (rows x d; the first work->rank rows count) into the weights (rank x d)
 * that map features to H. Raises work->residual to that of K = psi psi':
 * K v - lambda v = psi (G w - lambda w) / sqrt(lambda), whose length takes two products with G.
 * `apply` multiplies with G. */
static onefold_status take_vectors(of_context *context, of_arena *arena, size_t d,
                                   of_operator_apply apply, void *task, size_t rows,
                                   const double *found, of_route_work *work, double **weight)
{
    OF_SCRATCH(scratch, context);
    size_t rank = work->rank;
    double *w, *off, *image;
    OF_TRY(OF_NEW(arena, &w, rank, d));
    OF_TRY(OF_NEW_ALL(&scratch, {&off, rank, d}, {&image, rank, d}));
    *weight = w;
    for (size_t i = 0; i < d && !of_counts(context); i++)
        memcpy(w + i * rank, found + i * rows, rank * sizeof *w);
    OF_TRY(apply(task, rank, w, off));
    OF_COUNTED(context);
    for (size_t i = 0; i < rank * d; i++)
        off[i] -= work->value[i % rank] * w[i];
    OF_TRY(apply(task, rank, off, image));
    for (size_t r = 0; r < rank; r++) {
        double square = cblas_ddot((int)d, off + r, (int)rank, image + r, (int)rank);
        work->residual =
            fmax(work->residual, sqrt(fmax(square, 0) / work->value[r]) / work->value[0]);
    }
    for (size_t i = 0; i < rank * d; i++)
        w[i] /= sqrt(work->value[i % rank]);
    return ONEFOLD_OK;
}

/* Leading eigenpairs of the Gram matrix of d features, given by its lower triangle: values, rank
 * and residual of `work`, and the weights. */
static onefold_status gram_solve(of_context *context, of_arena *arena, size_t d, double *gram,
                                 of_route_work *work, double **weight)
{
    OF_SCRATCH(scratch, context);
    size_t rows = of_size_least(work->rows, d);
    of_matrix_operator task = {context, d, gram};
    double *w;
    OF_TRY(OF_NEW(&scratch, &w, d, rows));
    for (size_t j = 0; j < d && !of_counts(context); j++)
        for (size_t i = j + 1; i < d; i++)
            gram[i * d + j] = gram[j * d + i];
    /* a residual of G counts sqrt(lambda_1 / lambda) times as much in K */
    of_route_work small = {.rows = rows,
                           .tolerance = 0.01 * work->tolerance,
                           .H = of_share_whole(w, rows),
                           .value = work->value};
    OF_TRY(of_eigen_matrix(context, d, gram, &small));
    work->rank = small.rank;
    return take_vectors(context, arena, d, of_matrix_apply, &task, rows, w, work, weight);
}

/* Computes rows options->row .. of the stack of work->options from the features. */
static onefold_status gram_of_stack(const gpu_task *task, of_route_work *work)
{
    of_context *context = task->context;
    OF_SCRATCH(scratch, context);
    const of_partition_options *options = work->options;
    size_t n = task->n, d = task->columns;
    of_centred centred;
    double *gram, *inner, *weight;
    OF_TRY(centre(&scratch, task, &centred));
    OF_TRY(OF_NEW(&scratch, &gram, d, d));
    OF_TRY(of_context_check(context));
    onefold_status status = OF_DEVICE(task->use, stack_gram(task->features, 0, d, gram));
    OF_TRY(of_device_total(context, n, status, d * d, gram));
    OF_TRY(gram_solve(context, &scratch, d, gram, work, &weight));
    if (!work->rank)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &inner, work->rank, work->rank));
    status = OF_DEVICE(task->use, stack_multiply(options->there, options->row, work->rank,
                                                 task->features, weight));
    if (status == ONEFOLD_OK)
        status = OF_DEVICE(task->use, stack_gram(options->there, options->row, work->rank, inner));
    OF_TRY(of_device_total(context, n, status, work->rank * work->rank, inner));
    OF_TRY(of_orthonormalise(context, n, work, d, inner, weight));
    return of_projection_features(&centred, weight, work);
}

static onefold_status gram_on_device(of_context *context, of_route_work *work)
{
    size_t n = work->kernel->view->samples, samples;
    of_tiles tiles = of_tiles_make(n, of_kernel_tile_rows(work->kernel), OF_CENTRED_TILE);
    gpu_task task = {.context = context,
                     .use = work->options->use,
                     .kernel = work->kernel,
                     .n = n,
                     .columns = of_kernel_columns(work->kernel)};
    of_route_nothing(context, work);
    onefold_status status = of_features_send(context, task.use, work->kernel, 1, &tiles,
                                             tiles.count, 1, &task.features, &samples);
    status = of_device_total(context, n, status, 0, NULL);
    if (status == ONEFOLD_OK)
        status = gram_of_stack(&task, work);
    if (task.features)
        task.use->table->stack_free(task.features);
    return status;
}

typedef struct gram_task {
    size_t views, columns, tile_rows; /* columns: of all views */
    const double *weights;            /* views */
    of_centred *centred;              /* views */
    of_tiles tiles;
    double *tile;         /* per worker: tile_rows x width, and columns x width where views join */
    const double *weight; /* rows x columns: w / sqrt(lambda) */
    size_t rows;
    of_share H;
} gram_task;

static size_t room_of(const gram_task *task)
{
    return (task->tile_rows + (task->views > 1 ? task->columns : 0)) * task->tiles.width;
}

static double *load_tile(gram_task *task, size_t index)
{
    double *tile = task->tile + of_team_worker() * room_of(task);
    size_t count = of_tiles_length(&task->tiles, index), row = 0;
    if (task->views == 1) {
        of_centred_tile(task->centred, index, tile);
        return tile;
    }
    double *all = tile + task->tile_rows * task->tiles.width;
    for (size_t i = 0; i < task->views; row += task->centred[i++].columns) {
        size_t d = task->centred[i].columns;
        double share = sqrt(task->weights[i]);
        of_centred_tile(&task->centred[i], index, tile);
        for (size_t j = 0; j < count; j++)
            for (size_t c = 0; c < d; c++)
                all[j * task->columns + row + c] = share * tile[j * d + c];
    }
    return all;
}

/* sum (columns x columns, lower triangle) += psi psi' of a tile. */
static onefold_status add_gram(void *opaque, size_t index, double *sum)
{
    gram_task *task = opaque;
    size_t count = of_tiles_length(&task->tiles, index), d = task->columns;
    const double *tile = load_tile(task, index);
    if (count)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)d, (int)count, 1, tile, (int)d, 1,
                    sum, (int)d);
    return ONEFOLD_OK;
}

/* H of a tile. */
static onefold_status project(void *opaque, size_t index)
{
    gram_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index), d = task->columns, rows = task->rows;
    of_gemm('N', 'N', rows, count, d, 1, task->weight, rows, load_tile(task, index), d, 0,
            of_share_at(task->H, first), task->H.ld);
    return ONEFOLD_OK;
}

/* Prepares reading all views by tiles, whose size suits their columns together. */
static onefold_status make_task(of_context *context, of_arena *scratch, size_t views,
                                const of_kernel *kernels, gram_task *task)
{
    size_t rows = 0;
    task->views = views;
    OF_TRY(OF_NEW(scratch, &task->centred, views, 1));
    for (size_t i = 0; i < views; i++) {
        OF_TRY(of_centred_make(context, scratch, &kernels[i], &task->centred[i]));
        task->columns += task->centred[i].columns;
        rows += task->centred[i].tile_rows;
        if (task->centred[i].tile_rows > task->tile_rows)
            task->tile_rows = task->centred[i].tile_rows;
    }
    task->tiles = of_tiles_make(task->centred->samples, rows, OF_CENTRED_TILE);
    for (size_t i = 0; i < views; i++)
        task->centred[i].tiles = task->tiles;
    return OF_NEW(scratch, &task->tile, of_team_size(context), room_of(task));
}

onefold_status of_gram_make(of_context *context, size_t views, const of_kernel *kernels,
                            const double *weights, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    gram_task task = {.H = work->H, .weights = weights};
    double *gram, *weight;
    OF_TRY(make_task(context, &scratch, views, kernels, &task));
    size_t d = task.columns;
    OF_TRY(OF_NEW(&scratch, &gram, d, d));
    OF_TRY(of_tiles_sum(context, &task.tiles, add_gram, &task, d * d, gram));
    of_route_nothing(context, work);
    if (d)
        OF_TRY(gram_solve(context, &scratch, d, gram, work, &weight));
    if (work->rank) {
        task.rows = work->rank;
        task.weight = weight;
        OF_TRY(of_orthonormal_rows(context, &task.tiles, project, &task, work, d, weight));
        OF_TRY(of_projection_features(task.centred, weight, work));
    }
    of_route_clear(context, work);
    return ONEFOLD_OK;
}

onefold_status of_route_gram(of_context *context, of_route_work *work)
{
    return work->sign ? gram_on_device(context, work)
                      : of_gram_make(context, 1, work->kernel, NULL, work);
}

/*
 * Sparse features of fewer columns than samples, for the krylov route: G is only applied. The
 * length of basis vectors is the number of columns, not of samples, so many more of them are held.
 * A product reads the features once. For each sample
 *
 *     u = scale^2 (x f - x mean),   y += u f - u mean
 *
 * is computed while its entries are in cache: 4 b flops per entry for a block of b rows.
 */

/* With more columns, processes would split them like samples. */
enum { BLOCK = 8, MOST_COLUMNS = 1 << 16, TILE = 512 };

typedef struct features_task {
    of_context *context;
    const of_centred *centred;
    of_tiles tiles;
    size_t depth;
    const double *x; /* depth x columns */
    double *in;      /* depth: x mean */
    double *sum;     /* depth: sum of u; then depth x columns: sum of u f */
    double *room;    /* per worker: deepest x tile width */
    size_t deepest;
    of_share H;
    const of_device_use *use; /* the GPU that does the products; or NULL */
    of_device_sparse *there;  /* the features on it */
} features_task;

/* x f - x mean of a tile's samples, depth x length, in the worker's room. */
static double *multiply_tile(const features_task *task, size_t index, of_sparse *rows)
{
    const of_sparse *features = &task->centred->kernel->features;
    size_t depth = task->depth, count = of_tiles_length(&task->tiles, index);
    double *u = task->room + of_team_worker() * task->deepest * task->tiles.width;
    *rows =
        (of_sparse){count, features->columns, features->start + of_tiles_first(&task->tiles, index),
                    features->index, features->value};
    of_sparse_apply_rows(rows, 0, count, depth, task->x, u);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < depth; i++)
            u[j * depth + i] -= task->in[i];
    return u;
}

static onefold_status add_tile(void *opaque, size_t index, double *sum)
{
    features_task *task = opaque;
    size_t depth = task->depth, first = of_tiles_first(&task->tiles, index);
    of_sparse rows;
    double *u = multiply_tile(task, index, &rows);
    const double *scale = of_share_at(task->centred->scale, first);
    for (size_t j = 0; j < rows.rows; j++) {
        double square = scale[j] * scale[j];
        for (size_t i = 0; i < depth; i++) {
            u[j * depth + i] *= square;
            sum[i] += u[j * depth + i];
        }
    }
    of_sparse_scatter(&rows, depth, u, sum + depth);
    return ONEFOLD_OK;
}

static void apply_start_block(features_task *task, size_t depth, const double *x)
{
    task->depth = depth;
    task->x = x;
    if (of_counts(task->context))
        return;
    memset(task->in, 0, depth * sizeof *task->in);
    for (size_t c = 0; c < task->centred->columns; c++)
        for (size_t i = 0; i < depth; i++)
            task->in[i] += x[c * depth + i] * task->centred->mean[c];
}

/* Fills task->sum. */
static onefold_status sum_samples(features_task *task)
{
    size_t length = task->depth * (task->centred->columns + 1);
    if (task->use) {
        OF_TRY(of_context_check(task->context));
        return OF_DEVICE(task->use,
                         sparse_multiply(task->there, task->depth, task->x, task->in, task->sum));
    }
    return of_tiles_sum(task->context, &task->tiles, add_tile, task, length, task->sum);
}

/* y = x G */
static onefold_status apply_features(void *opaque, size_t depth, const double *x, double *y)
{
    features_task *task = opaque;
    size_t d = task->centred->columns;
    apply_start_block(task, depth, x);
    OF_TRY(sum_samples(task));
    OF_COUNTED(task->context);
    for (size_t c = 0; c < d; c++)
        for (size_t i = 0; i < depth; i++)
            y[c * depth + i] =
                task->sum[(c + 1) * depth + i] - task->sum[i] * task->centred->mean[c];
    return ONEFOLD_OK;
}

/* H of a tile. */
static onefold_status project_tile(void *opaque, size_t index)
{
    features_task *task = opaque;
    size_t depth = task->depth, first = of_tiles_first(&task->tiles, index);
    of_sparse rows;
    const double *u = multiply_tile(task, index, &rows),
                 *scale = of_share_at(task->centred->scale, first);
    double *H = of_share_at(task->H, first);
    size_t ldh = task->H.ld;
    for (size_t j = 0; j < rows.rows; j++)
        for (size_t i = 0; i < depth; i++)
            H[j * ldh + i] = scale[j] * u[j * depth + i];
    return ONEFOLD_OK;
}

int of_krylov_uses_features(const of_kernel *kernel)
{
    size_t n = kernel->view->samples, d = of_kernel_columns(kernel);
    return kernel->features.start && d <= n / 2 && d < MOST_COLUMNS;
}

static onefold_status solve_applied(features_task *task, of_route_work *work)
{
    of_context *context = task->context;
    OF_SCRATCH(scratch, context);
    size_t d = task->centred->columns, rows = of_size_least(work->rows, d), deepest = task->deepest;
    double *found, *w, *inner;
    OF_TRY(OF_NEW_ALL(&scratch, {&task->in, deepest, 1}, {&task->sum, deepest, d + 1}));
    OF_TRY(OF_NEW(&scratch, &task->room, of_team_size(context) * deepest, task->tiles.width));
    OF_TRY(OF_NEW(&scratch, &found, rows, d));
    of_eigen_options options = {
        .count = rows, .block = BLOCK, .tolerance = work->tolerance, .aim = 0.01 * work->tolerance};
    of_eigen_result result = {0};
    if (d)
        OF_TRY(of_eigen_block(context, d, apply_features, task, &options, work->value,
                              of_share_whole(found, rows), &result));
    work->rank = result.rank;
    if (!work->rank)
        return ONEFOLD_OK;
    OF_TRY(take_vectors(context, &scratch, d, apply_features, task, rows, found, work, &w));
    apply_start_block(task, work->rank, w);
    if (task->use) {
        OF_TRY(OF_NEW(&scratch, &inner, work->rank, work->rank));
        const of_partition_options *to = work->options;
        OF_DEVICE_TRY(task->use,
                      sparse_project(task->there, to->there, to->row, work->rank, w, task->in));
        OF_DEVICE_TRY(task->use, stack_gram(to->there, to->row, work->rank, inner));
        OF_TRY(of_orthonormalise(context, task->centred->samples, work, d, inner, w));
    } else {
        OF_TRY(of_orthonormal_rows(context, &task->tiles, project_tile, task, work, d, w));
    }
    return of_projection_features(task->centred, w, work);
}

onefold_status of_gram_applied(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    of_centred centred;
    OF_TRY(of_centred_make(context, &scratch, work->kernel, &centred));
    size_t rows = of_size_least(work->rows, centred.columns);
    features_task task = {.context = context,
                          .centred = &centred,
                          .tiles = of_tiles_make(centred.samples, 1, TILE * sizeof(double)),
                          .deepest = rows > BLOCK ? rows : BLOCK,
                          .H = work->H};
    of_route_nothing(context, work);
    task.use = work->sign ? work->options->use : NULL;
    if (task.use || (of_counts(context) && of_device_for(context->counted_for, centred.samples)))
        OF_TRY(of_centred_send(context, task.use, &centred, &task.there));
    onefold_status status = solve_applied(&task, work);
    if (task.use)
        task.use->table->sparse_free(task.there);
    of_route_clear(context, work);
    return status;
}
