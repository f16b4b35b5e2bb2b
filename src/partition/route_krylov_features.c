/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse features of fewer columns than samples: K = psi psi' has the eigenvalues of the columns x
 * columns matrix G = psi' psi, which is only applied, and G w = lambda w makes v = psi w /
 * sqrt(lambda). Basis vectors are as long as there are columns, not samples, so that many more of
 * them are held; and a product needs one reading of the features, in which a sample's
 *
 *     u = scale^2 (x f - x mean),   y += u f - u mean
 *
 * is worked while its entries are in cache: 4 b flops per entry for a block of b rows.
 */
#include "linalg/blas.h"
#include "partition/orthonormal.h"
#include "partition/route_krylov.h"

#include <math.h>
#include <string.h>

/* Not for so many columns that processes would split them like samples. */
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
    const of_device_use *use; /* a card that does the products, and the features there; or NULL */
    of_device_sparse *there;
} features_task;

/* x f - x mean of a tile's samples, depth x length, in the worker's room. */
static double *multiply_tile(const features_task *task, size_t index, int worker, of_sparse *rows)
{
    const of_sparse *features = &task->centred->kernel->features;
    size_t depth = task->depth, count = of_tiles_length(&task->tiles, index);
    double *u = task->room + (size_t)worker * task->deepest * task->tiles.width;
    *rows =
        (of_sparse){count, features->columns, features->start + of_tiles_first(&task->tiles, index),
                    features->index, features->value};
    of_sparse_apply_rows(rows, 0, count, depth, task->x, u);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < depth; i++)
            u[j * depth + i] -= task->in[i];
    return u;
}

static onefold_status add_tile(void *opaque, size_t index, int worker, double *sum)
{
    features_task *task = opaque;
    size_t depth = task->depth, first = of_tiles_first(&task->tiles, index);
    of_sparse rows;
    double *u = multiply_tile(task, index, worker, &rows);
    const double *scale = of_share_at(task->centred->scale, first);
    for (size_t j = 0; j < rows.rows; j++) {
        double square = scale[j] * scale[j];
        for (size_t i = 0; i < depth; i++) {
            u[j * depth + i] *= square;
            sum[i] += u[j * depth + i];
        }
    }
    of_sparse_scatter_rows(&rows, 0, rows.rows, depth, u, sum + depth);
    return ONEFOLD_OK;
}

static void apply_start_block(features_task *task, size_t depth, const double *x)
{
    task->depth = depth;
    task->x = x;
    memset(task->in, 0, depth * sizeof *task->in);
    for (size_t c = 0; c < task->centred->columns; c++)
        for (size_t i = 0; i < depth; i++)
            task->in[i] += x[c * depth + i] * task->centred->mean[c];
}

/* The sum of u, and that of u f. */
static onefold_status sum_samples(features_task *task)
{
    size_t length = task->depth * (task->centred->columns + 1);
    if (task->use) {
        OF_TRY(of_context_check(task->context));
        OF_DEVICE_TRY(task->use,
                      sparse_multiply(task->there, task->depth, task->x, task->in, task->sum));
        return ONEFOLD_OK;
    }
    memset(task->sum, 0, length * sizeof *task->sum);
    return of_tiles_sum(task->context, &task->tiles, add_tile, task, length, task->sum);
}

/* y = x G */
static onefold_status apply(void *opaque, size_t depth, const double *x, double *y)
{
    features_task *task = opaque;
    size_t d = task->centred->columns;
    apply_start_block(task, depth, x);
    OF_TRY(sum_samples(task));
    for (size_t c = 0; c < d; c++)
        for (size_t i = 0; i < depth; i++)
            y[c * depth + i] =
                task->sum[(c + 1) * depth + i] - task->sum[i] * task->centred->mean[c];
    return ONEFOLD_OK;
}

/* H of a tile; sum (depth x depth) += H H'. */
static onefold_status project_tile(void *opaque, size_t index, int worker, double *sum)
{
    features_task *task = opaque;
    size_t depth = task->depth, first = of_tiles_first(&task->tiles, index);
    of_sparse rows;
    const double *u = multiply_tile(task, index, worker, &rows),
                 *scale = of_share_at(task->centred->scale, first);
    double *H = of_share_at(task->H, first);
    size_t ldh = task->H.ld;
    for (size_t j = 0; j < rows.rows; j++)
        for (size_t i = 0; i < depth; i++)
            H[j * ldh + i] = scale[j] * u[j * depth + i];
    if (rows.rows)
        of_gemm('N', 'T', depth, depth, rows.rows, 1, H, ldh, H, ldh, 1, sum, depth);
    return ONEFOLD_OK;
}

/* K v - lambda v = psi (G w - lambda w) / sqrt(lambda), whose length takes two products with G. */
static onefold_status residual_of(features_task *task, const double *w, of_route_work *work)
{
    OF_SCRATCH(scratch, task->context);
    size_t d = task->centred->columns, rank = work->rank;
    double *off, *image;
    OF_TRY(OF_NEW(&scratch, &off, rank, d));
    OF_TRY(OF_NEW(&scratch, &image, rank, d));
    OF_TRY(apply(task, rank, w, off));
    for (size_t i = 0; i < rank * d; i++)
        off[i] -= work->value[i % rank] * w[i];
    OF_TRY(apply(task, rank, off, image));
    for (size_t r = 0; r < rank; r++) {
        double square = cblas_ddot((int)d, off + r, (int)rank, image + r, (int)rank);
        work->residual =
            fmax(work->residual, sqrt(fmax(square, 0) / work->value[r]) / work->value[0]);
    }
    return ONEFOLD_OK;
}

/* H of all samples, orthonormal; `inner` is left with what made it so. */
static onefold_status make_rows(features_task *task, double *inner, of_route_work *work)
{
    size_t rank = work->rank;
    if (task->use) {
        const of_partition_options *options = work->options;
        OF_DEVICE_TRY(task->use, sparse_project(task->there, options->there, options->row, rank,
                                                task->x, task->in, inner));
        return of_orthonormalise_device(task->context, task->use, options->there,
                                        work->kernel->view->samples, options->row, rank, inner,
                                        work->sign);
    }
    OF_TRY(of_tiles_sum(task->context, &task->tiles, project_tile, task, rank * rank, inner));
    return of_orthonormalise(task->context, task->centred->samples, rank, work->H, inner);
}

/* H from the eigenvectors of G, which become the weights that make it. */
static onefold_status project(features_task *task, double *w, of_route_work *work)
{
    OF_SCRATCH(scratch, task->context);
    size_t d = task->centred->columns, rank = work->rank;
    double *inner;
    for (size_t i = 0; i < rank * d; i++)
        w[i] /= sqrt(work->value[i % rank]);
    OF_TRY(OF_NEW_ZERO(&scratch, &inner, rank, rank));
    apply_start_block(task, rank, w);
    OF_TRY(make_rows(task, inner, work));
    if (!work->projection)
        return ONEFOLD_OK;
    of_orthonormalise_weight(d, rank, inner, w);
    return of_projection_features(work->arena, task->centred, rank, w, work->projection);
}

int of_krylov_uses_features(const of_kernel *kernel)
{
    size_t n = kernel->view->samples, d = of_kernel_columns(kernel);
    return kernel->features.start && d <= n / 2 && d < MOST_COLUMNS;
}

static onefold_status run(features_task *task, of_route_work *work)
{
    of_context *context = task->context;
    OF_SCRATCH(scratch, context);
    size_t d = task->centred->columns, rows = work->rows < d ? work->rows : d,
           deepest = task->deepest;
    double *found, *w;
    OF_TRY(OF_NEW(&scratch, &task->in, deepest, 1));
    OF_TRY(OF_NEW(&scratch, &task->sum, deepest, d + 1));
    OF_TRY(
        OF_NEW(&scratch, &task->room, (size_t)of_team_size(context) * deepest, task->tiles.width));
    OF_TRY(OF_NEW(&scratch, &found, rows, d));
    OF_TRY(OF_NEW(&scratch, &w, rows, d));
    of_eigen_options options = {.count = rows,
                                .block = BLOCK,
                                .tolerance = work->tolerance,
                                .aim = 0.01 * work->tolerance,
                                .most_applications = work->most_products};
    of_eigen_result result = {0};
    if (d)
        OF_TRY(of_eigen_block(context, d, apply, task, &options, work->value,
                              of_share_whole(found, rows), &result));
    work->rank = result.rank;
    work->basis_rows = result.rows;
    if (work->most_products) {
        work->residual = result.residual;
        return ONEFOLD_OK;
    }
    for (size_t c = 0; c < d; c++)
        memcpy(w + c * work->rank, found + c * rows, work->rank * sizeof *w);
    if (work->rank) {
        OF_TRY(residual_of(task, w, work));
        OF_TRY(project(task, w, work));
    }
    return ONEFOLD_OK;
}

onefold_status of_krylov_send(const of_device_use *use, const of_centred *centred,
                              of_device_sparse **there)
{
    const of_sparse *features = &centred->kernel->features;
    of_device_entries told = {features->rows,  features->columns, features->start,
                              features->index, features->value,   centred->scale.held};
    OF_DEVICE_TRY(use, sparse_make(use->device, &told, there));
    return ONEFOLD_OK;
}

onefold_status of_krylov_features(of_context *context, const of_centred *centred,
                                  of_route_work *work)
{
    size_t d = centred->columns, rows = work->rows < d ? work->rows : d;
    features_task task = {.context = context,
                          .centred = centred,
                          .tiles = of_tiles_make(centred->samples, 1, TILE * sizeof(double)),
                          .deepest = rows > BLOCK ? rows : BLOCK,
                          .H = work->H};
    of_route_nothing(work);
    if (!work->sign) {
        OF_TRY(run(&task, work));
        if (!work->most_products)
            of_route_clear(context, work);
        return ONEFOLD_OK;
    }
    for (size_t r = 0; r < work->rows; r++)
        work->sign[r] = 1;
    task.use = work->options->use;
    OF_TRY(of_krylov_send(task.use, centred, &task.there));
    onefold_status status = run(&task, work);
    task.use->table->sparse_free(task.there);
    return status;
}

int of_krylov_fits_card(const of_kernel *kernel)
{
    return of_krylov_uses_features(kernel) && of_kernel_columns(kernel) > 0 &&
           kernel->view->samples <= UINT32_MAX;
}

onefold_status of_krylov_card_bytes(const of_kernel *kernel, size_t rows, size_t *bytes)
{
    static const size_t COUNTS = (size_t)256 << 20, SEGMENT = 1024; /* src/gpu/sparse.cu */
    size_t n = kernel->view->samples, d = of_kernel_columns(kernel),
           entries = kernel->features.start[n], deepest = rows > BLOCK ? rows : BLOCK, all, u;
    OF_TRY(of_size_multiply(&all, entries, 2 * (sizeof(uint32_t) + sizeof(double))));
    OF_TRY(of_size_multiply(&u, n, sizeof(double) * (deepest + 2)));
    OF_TRY(of_size_add(&all, all, u));
    return of_size_add(bytes, all,
                       COUNTS + sizeof(double) * (deepest * (entries / SEGMENT + 3 * d) + 3 * d));
}

size_t of_krylov_features_bytes(of_context *context, const of_kernel *kernel, size_t rows)
{
    size_t n = kernel->view->samples, d = of_kernel_columns(kernel),
           workers = (size_t)of_team_size(context), deepest;
    rows = rows < d ? rows : d;
    deepest = rows > BLOCK ? rows : BLOCK;
    of_tiles tiles = of_tiles_make(n, 1, TILE * sizeof(double));
    return sizeof(double) *
               (2 * n + d + deepest * (d + 2) + workers * deepest * tiles.width + 4 * rows * d) +
           of_tiles_sum_bytes(&tiles, deepest * (d + 1), workers) +
           of_eigen_bytes(context, d, rows, BLOCK, of_eigen_most(d, rows, BLOCK));
}
