/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orthogonalising a block: block Gram-Schmidt against the basis, then Cholesky of the block's own
 * Gram matrix, and both again until the second has nothing left to do. Twice is enough unless the
 * block is ill-conditioned; each further round gains about five digits.
 */
#include "linalg/basis.h"

#include "base/random.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* Tiles of at most 768 samples: a small problem has a single one, and no time goes into
 * waiting for other threads. */
static of_tiles basis_tiles(size_t n)
{
    return of_tiles_make(n, 1, 768 * sizeof(double));
}

size_t of_basis_bytes(of_context *context, size_t n, size_t most, size_t deepest)
{
    of_tiles tiles = basis_tiles(n);
    size_t doubles = most * n + (size_t)of_team_size(context) * most * tiles.width +
                     2 * most * deepest + 4 * deepest * deepest;
    return doubles * sizeof(double);
}

onefold_status of_basis_make(of_context *context, of_arena *arena, size_t n, size_t most,
                             size_t deepest, of_basis *basis)
{
    *basis = (of_basis){
        .context = context, .n = n, .most = most, .deepest = deepest, .tiles = basis_tiles(n)};
    OF_TRY(of_share_make(arena, &basis->v, most, n));
    OF_TRY(OF_NEW(arena, &basis->tile, (size_t)of_team_size(context) * most, basis->tiles.width));
    OF_TRY(OF_NEW(arena, &basis->inner, most, deepest));
    OF_TRY(OF_NEW(arena, &basis->gram, deepest, deepest));
    OF_TRY(OF_NEW(arena, &basis->lower, deepest, 2 * deepest));
    OF_TRY(OF_NEW(arena, &basis->replaced, deepest, 1));
    return ONEFOLD_OK;
}

typedef struct block_task {
    const of_basis *basis;
    size_t first, depth;
    double *block;
    const double *lower; /* block <- lower^-1 block */
    const double *inner; /* block <- block - inner' V */
    uint64_t stream;
    double scale;
    size_t columns;
    const double *rotation;
    of_share out;
} block_task;

static onefold_status random_tile(void *opaque, size_t index, int worker)
{
    (void)worker;
    block_task *task = opaque;
    const of_tiles *tiles = &task->basis->tiles;
    of_random random = of_random_make(task->stream, OF_PURPOSE_EIGEN_START, index);
    size_t start = of_tiles_first(tiles, index), end = of_tiles_first(tiles, index + 1);
    for (size_t j = start; j < end; j++)
        for (size_t i = task->first; i < task->depth; i++)
            task->block[j * task->depth + i] = (of_random_uniform(&random) - 0.5) * task->scale;
    return ONEFOLD_OK;
}

onefold_status of_basis_random(of_basis *basis, size_t first, size_t depth, double *block)
{
    block_task task = {.basis = basis,
                       .first = first,
                       .depth = depth,
                       .block = block,
                       .stream = basis->random++,
                       .scale = sqrt(12 / (double)basis->n)};
    return of_tiles_run(basis->context, &basis->tiles, random_tile, &task);
}

/* Adds V block' to sum. */
static onefold_status project_tile(void *opaque, size_t index, int worker, double *sum)
{
    (void)worker;
    block_task *task = opaque;
    const of_basis *basis = task->basis;
    size_t first = of_tiles_first(&basis->tiles, index),
           width = of_tiles_length(&basis->tiles, index), depth = task->depth;
    if (width)
        of_gemm('N', 'T', basis->rows, depth, width, 1, of_share_at(basis->v, first), basis->most,
                task->block + first * depth, depth, 1, sum, basis->rows);
    return ONEFOLD_OK;
}

/* Takes inner' V out of a tile of the block, then adds block block' to sum. */
static onefold_status subtract_tile(void *opaque, size_t index, int worker, double *sum)
{
    (void)worker;
    block_task *task = opaque;
    const of_basis *basis = task->basis;
    size_t first = of_tiles_first(&basis->tiles, index),
           width = of_tiles_length(&basis->tiles, index), depth = task->depth;
    double *block = task->block + first * depth;
    if (width && basis->rows)
        of_gemm('T', 'N', depth, width, basis->rows, -1, task->inner, basis->rows,
                of_share_at(basis->v, first), basis->most, 1, block, depth);
    if (width)
        of_gemm('N', 'T', depth, depth, width, 1, block, depth, block, depth, 1, sum, depth);
    return ONEFOLD_OK;
}

static onefold_status scale_tile(void *opaque, size_t index, int worker)
{
    (void)worker;
    block_task *task = opaque;
    const of_basis *basis = task->basis;
    size_t first = of_tiles_first(&basis->tiles, index),
           width = of_tiles_length(&basis->tiles, index), depth = task->depth;
    if (width)
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)depth,
                    (int)width, 1, task->lower, (int)depth, task->block + first * depth,
                    (int)depth);
    return ONEFOLD_OK;
}

/* Cholesky of gram (k x k, scaled to a unit diagonal) with pivots held above 1e-11, so that a block
 * of any condition comes out better than it went in. Returns the smallest ratio of a pivot's root
 * to its row's length: 1 for orthogonal rows. */
static double cholesky(size_t k, const double *gram, double *lower)
{
    double worst = 1;
    memset(lower, 0, k * k * sizeof *lower);
    for (size_t j = 0; j < k; j++)
        for (size_t i = j; i < k; i++) {
            double length_i = sqrt(gram[i * k + i]), length_j = sqrt(gram[j * k + j]);
            double sum = gram[j * k + i] / (length_i * length_j);
            for (size_t l = 0; l < j; l++)
                sum -= lower[l * k + i] * lower[l * k + j];
            if (i == j) {
                worst = fmin(worst, sum > 0 ? sqrt(sum) : 0);
                lower[j * k + j] = sqrt(fmax(sum, 1e-11));
            } else {
                lower[j * k + i] = sum / lower[j * k + j];
            }
        }
    for (size_t j = 0; j < k; j++)
        for (size_t i = j; i < k; i++)
            lower[j * k + i] *= sqrt(gram[i * k + i]);
    return worst;
}

/* Replaces rows that have come to nothing by random ones, which the next round deals with; this one
 * must only leave them alone. */
static onefold_status replace_rows(of_basis *basis, size_t depth, double *block, double negligible)
{
    OF_SCRATCH(scratch, basis->context);
    double *gram = basis->gram, *fresh = NULL;
    of_range own = of_comm_own(basis->context, basis->n);
    for (size_t i = 0; i < depth; i++) {
        basis->replaced[i] = !(gram[i * depth + i] > negligible * negligible);
        if (!basis->replaced[i])
            continue;
        if (!fresh) {
            OF_TRY(OF_NEW(&scratch, &fresh, basis->n, depth));
            OF_TRY(of_basis_random(basis, 0, depth, fresh));
        }
        for (size_t j = own.first; j < own.end; j++)
            block[j * depth + i] = fresh[j * depth + i];
        for (size_t l = 0; l < depth; l++)
            gram[i * depth + l] = gram[l * depth + i] = 0;
        gram[i * depth + i] = 1;
    }
    return ONEFOLD_OK;
}

/* Whether the round that ends here changed next to nothing, so that the block is orthonormal to
 * rounding once it is divided by `step`. */
static int is_settled(const of_basis *basis, size_t depth, double worst)
{
    if (!(worst > 0.5))
        return 0;
    for (size_t i = 0; i < depth; i++)
        if (basis->replaced[i] || !(basis->gram[i * depth + i] > 0.25))
            return 0;
    return 1;
}

/* After each round block = inner' V + total Q, with what is known of it so far. */
static void account(const of_basis *basis, size_t depth, int round, const double *step,
                    double *inner, double *total)
{
    if (inner && round == 0)
        memcpy(inner, basis->inner, basis->rows * depth * sizeof *inner);
    else if (inner && basis->rows)
        of_gemm('N', 'T', basis->rows, depth, depth, 1, basis->inner, basis->rows, total, depth, 1,
                inner, basis->rows);
    if (round == 0)
        memcpy(total, step, depth * depth * sizeof *total);
    else
        cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)depth,
                    (int)depth, 1, step, (int)depth, total, (int)depth);
    for (size_t i = 0; i < depth; i++) /* nothing of the block lies along a random row */
        for (size_t r = 0; basis->replaced[i] && r < depth; r++)
            total[i * depth + r] = 0;
}

onefold_status of_basis_orthogonalise(of_basis *basis, size_t depth, double *block,
                                      double negligible, double *inner, double *lower)
{
    /* a full basis leaves nothing to find */
    int most_rounds = basis->rows < basis->n ? 8 : 1;
    double *step = basis->lower, *total = basis->lower + depth * depth;
    block_task task = {.basis = basis, .depth = depth, .block = block, .inner = basis->inner};
    for (int round = 0; round < most_rounds; round++) {
        if (round > 0)
            OF_TRY(of_tiles_run(basis->context, &basis->tiles, scale_tile, &task));
        memset(basis->inner, 0, basis->rows * depth * sizeof *basis->inner);
        memset(basis->gram, 0, depth * depth * sizeof *basis->gram);
        OF_TRY(of_tiles_sum(basis->context, &basis->tiles, project_tile, &task, basis->rows * depth,
                            basis->inner));
        OF_TRY(of_tiles_sum(basis->context, &basis->tiles, subtract_tile, &task, depth * depth,
                            basis->gram));
        OF_TRY(replace_rows(basis, depth, block, round ? 1e-10 : negligible));
        double worst = cholesky(depth, basis->gram, step);
        account(basis, depth, round, step, inner, total);
        task.lower = step;
        if (round > 0 && is_settled(basis, depth, worst))
            break;
    }
    if (lower)
        memcpy(lower, total, depth * depth * sizeof *lower);
    return of_tiles_run(basis->context, &basis->tiles, scale_tile, &task);
}

static onefold_status append_tile(void *opaque, size_t index, int worker)
{
    (void)worker;
    block_task *task = opaque;
    const of_basis *basis = task->basis;
    size_t end = of_tiles_first(&basis->tiles, index + 1);
    for (size_t j = of_tiles_first(&basis->tiles, index); j < end; j++)
        memcpy(of_share_at(basis->v, j) + basis->rows, task->block + j * task->depth,
               task->depth * sizeof *task->block);
    return ONEFOLD_OK;
}

onefold_status of_basis_append(of_basis *basis, size_t depth, double *block)
{
    block_task task = {.basis = basis, .depth = depth, .block = block};
    OF_TRY(of_tiles_run(basis->context, &basis->tiles, append_tile, &task));
    basis->rows += depth;
    return ONEFOLD_OK;
}

/* Through a buffer, so that the result may lie where the basis lies. */
static onefold_status combine_tile(void *opaque, size_t index, int worker)
{
    block_task *task = opaque;
    const of_basis *basis = task->basis;
    size_t first = of_tiles_first(&basis->tiles, index),
           width = of_tiles_length(&basis->tiles, index), columns = task->columns;
    double *tile = basis->tile + (size_t)worker * basis->most * basis->tiles.width;
    if (!width || !columns)
        return ONEFOLD_OK;
    of_gemm('T', 'N', columns, width, basis->rows, 1, task->rotation, basis->rows,
            of_share_at(basis->v, first), basis->most, 0, tile, columns);
    for (size_t j = 0; j < width; j++)
        memcpy(of_share_at(task->out, first + j), tile + j * columns, columns * sizeof *tile);
    return ONEFOLD_OK;
}

onefold_status of_basis_combine(const of_basis *basis, size_t columns, const double *rotation,
                                of_share out)
{
    block_task task = {.basis = basis, .columns = columns, .rotation = rotation, .out = out};
    return of_tiles_run(basis->context, &basis->tiles, combine_tile, &task);
}

onefold_status of_basis_rotate(of_basis *basis, size_t columns, const double *rotation)
{
    OF_TRY(of_basis_combine(basis, columns, rotation, basis->v));
    basis->rows = columns;
    return ONEFOLD_OK;
}
