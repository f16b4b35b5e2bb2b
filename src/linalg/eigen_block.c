/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block Lanczos with full orthogonalisation. The basis V (rows x n) grows by the product of its
 * last block with the operator. T = V A V' is stored whole; its entries are the inner products of
 * the orthogonalisation. So restarts (V becomes its best Ritz vectors) and random rows need no
 * special form.
 *
 * In exact arithmetic a start of b random rows finds at most b copies of an eigenvalue. So where b
 * or more wanted Ritz values are equal, copies may be missing. Then the converged vectors are
 * locked, a new random block joins them, and the iteration continues until the largest of the other
 * eigenvalues has appeared. This repeats until fewer values are equal than random rows were used.
 */
#include "linalg/eigen_block.h"

#include "base/random.h"
#include "linalg/blas.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

/*
 * Orthogonalisation of a block: block Gram-Schmidt against the basis, then Cholesky of the block's
 * own Gram matrix, repeated until a round changes next to nothing. Two rounds are enough unless the
 * block is ill-conditioned; each further round gains about five digits.
 */

onefold_status of_basis_make(of_context *context, of_arena *arena, size_t n, size_t most,
                             size_t deepest, of_basis *basis)
{
    /* tiles of up to 768 samples: a small problem is a single tile, without waits for threads */
    *basis = (of_basis){.context = context,
                        .n = n,
                        .most = most,
                        .tiles = of_tiles_make(n, 1, 768 * sizeof(double))};
    OF_TRY(of_share_make(arena, &basis->v, most, n));
    OF_TRY(OF_NEW_ALL(arena, {&basis->tile, of_team_size(context) * most, basis->tiles.width},
                      {&basis->inner, most, deepest}, {&basis->gram, deepest, deepest},
                      {&basis->lower, deepest, 2 * deepest}));
    OF_TRY(OF_NEW(arena, &basis->replaced, deepest, 1));
    return ONEFOLD_OK;
}

typedef struct block_task {
    const of_basis *basis;
    size_t depth;
    double *block;
    const double *lower; /* block <- lower^-1 block */
    const double *inner; /* block <- block - inner' V */
    uint64_t stream;
    double scale;
    size_t columns;
    const double *rotation;
    of_share out;
} block_task;

static onefold_status random_tile(void *opaque, size_t index)
{
    block_task *task = opaque;
    const of_tiles *tiles = &task->basis->tiles;
    of_random random = of_random_make(task->stream, OF_PURPOSE_EIGEN_START, index);
    size_t start = of_tiles_first(tiles, index), end = of_tiles_first(tiles, index + 1);
    for (size_t j = start; j < end; j++)
        for (size_t i = 0; i < task->depth; i++)
            task->block[j * task->depth + i] = (of_random_uniform(&random) - 0.5) * task->scale;
    return ONEFOLD_OK;
}

onefold_status of_basis_random(of_basis *basis, size_t depth, double *block)
{
    block_task task = {.basis = basis,
                       .depth = depth,
                       .block = block,
                       .stream = basis->random++,
                       .scale = sqrt(12 / (double)basis->n)};
    return of_tiles_run(basis->context, &basis->tiles, random_tile, &task);
}

/* Adds V block' to sum. */
static onefold_status project_tile(void *opaque, size_t index, double *sum)
{
    block_task *task = opaque;
    const of_basis *basis = task->basis;
    size_t first = of_tiles_first(&basis->tiles, index),
           width = of_tiles_length(&basis->tiles, index), depth = task->depth;
    if (width)
        of_gemm('N', 'T', basis->rows, depth, width, 1, of_share_at(basis->v, first), basis->most,
                task->block + first * depth, depth, 1, sum, basis->rows);
    return ONEFOLD_OK;
}

/* Subtracts inner' V from a tile of the block, then adds block block' to sum. */
static onefold_status subtract_tile(void *opaque, size_t index, double *sum)
{
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

static onefold_status scale_tile(void *opaque, size_t index)
{
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

/* Cholesky of gram (k x k, scaled to a unit diagonal) with pivots of at least 1e-11, so that a
 * block of any condition improves. Returns the smallest ratio of a pivot's root to its row's
 * length: 1 for orthogonal rows. */
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

/* Replaces negligible rows by random ones. The next round makes them orthogonal; gram is set such
 * that this round leaves them unchanged. */
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
            OF_TRY(of_basis_random(basis, depth, fresh));
        }
        for (size_t j = own.first; j < own.end; j++)
            block[j * depth + i] = fresh[j * depth + i];
        for (size_t l = 0; l < depth; l++)
            gram[i * depth + l] = gram[l * depth + i] = 0;
        gram[i * depth + i] = 1;
    }
    return ONEFOLD_OK;
}

/* Whether this round changed next to nothing: the block is then orthonormal to rounding once it is
 * divided by its Cholesky factor. */
static int is_settled(const of_basis *basis, size_t depth, double worst)
{
    if (!(worst > 0.5))
        return 0;
    for (size_t i = 0; i < depth; i++)
        if (basis->replaced[i] || !(basis->gram[i * depth + i] > 0.25))
            return 0;
    return 1;
}

/* Updates the factors of block = inner' V + total Q after a round with Cholesky factor `step`. */
static void update_factors(const of_basis *basis, size_t depth, int round, const double *step,
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
    for (size_t i = 0; i < depth; i++) /* the block has no part along a random row */
        for (size_t r = 0; basis->replaced[i] && r < depth; r++)
            total[i * depth + r] = 0;
}

onefold_status of_basis_orthogonalise(of_basis *basis, size_t depth, double *block,
                                      double negligible, double *inner, double *lower)
{
    int most_rounds = basis->rows < basis->n ? 8 : 1; /* 1: nothing is orthogonal to a full basis */
    double *step = basis->lower, *total = basis->lower + depth * depth;
    block_task task = {.basis = basis, .depth = depth, .block = block, .inner = basis->inner};
    if (of_counts(basis->context))
        return of_tiles_sum(basis->context, &basis->tiles, project_tile, &task, basis->rows * depth,
                            basis->inner);
    for (int round = 0; round < most_rounds; round++) {
        if (round > 0)
            OF_TRY(of_tiles_run(basis->context, &basis->tiles, scale_tile, &task));
        OF_TRY(of_tiles_sum(basis->context, &basis->tiles, project_tile, &task, basis->rows * depth,
                            basis->inner));
        OF_TRY(of_tiles_sum(basis->context, &basis->tiles, subtract_tile, &task, depth * depth,
                            basis->gram));
        OF_TRY(replace_rows(basis, depth, block, round ? 1e-10 : negligible));
        double worst = cholesky(depth, basis->gram, step);
        update_factors(basis, depth, round, step, inner, total);
        task.lower = step;
        if (round > 0 && is_settled(basis, depth, worst))
            break;
    }
    if (lower)
        memcpy(lower, total, depth * depth * sizeof *lower);
    return of_tiles_run(basis->context, &basis->tiles, scale_tile, &task);
}

static onefold_status append_tile(void *opaque, size_t index)
{
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

/* Uses a buffer, so that `out` may be the basis. */
static onefold_status combine_tile(void *opaque, size_t index)
{
    block_task *task = opaque;
    const of_basis *basis = task->basis;
    size_t first = of_tiles_first(&basis->tiles, index),
           width = of_tiles_length(&basis->tiles, index), columns = task->columns;
    double *tile = basis->tile + of_team_worker() * basis->most * basis->tiles.width;
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

typedef struct lanczos {
    size_t count, depth; /* depth: rows of the newest block, the last of the basis */
    of_operator_apply apply;
    void *task;
    double aim;
    of_basis basis;
    double *block, *product;    /* block x n */
    double *t;                  /* most x most: V A V' */
    double *lower;              /* product = T part + lower block: depth x depth */
    double *inner;              /* most x block */
    double *ritz, *ritz_vector; /* of T */
    double norm;                /* longest row of a product so far: at most ||A|| */
    size_t applications, restarts;
    size_t random_rows; /* so far: the copies of an eigenvalue that can be found */
    size_t next_check;  /* rows of the basis at the next check of T */
    size_t last_check;  /* rows at the last one, with its residual */
    double last_residual;
} lanczos;

/* Rows of the basis that are held by default. */
static size_t eigen_most(size_t n, size_t count, size_t block)
{
    size_t grown = 12 * block > 256 ? 12 * block : 256;
    size_t wanted = 2 * count + grown, least = count + 6 * block;
    size_t affordable = ((size_t)96 << 20) / (sizeof(double) * (n ? n : 1));
    if (wanted > affordable)
        wanted = affordable > least ? affordable : least;
    return wanted < n ? wanted : n;
}

/* Adds the inner products of the newest block to T. The rest of the product, orthonormalised, is
 * the next block. */
static void extend_t(lanczos *run)
{
    size_t depth = run->depth, rows = run->basis.rows, ldt = run->basis.most;
    run->applications++;
    for (size_t j = 0; j < depth; j++) {
        double square = 0;
        for (size_t i = 0; i < rows; i++) {
            size_t c = rows - depth + j;
            run->t[c * ldt + i] = run->t[i * ldt + c] = run->inner[j * rows + i];
            square += run->inner[j * rows + i] * run->inner[j * rows + i];
        }
        for (size_t i = 0; i <= j; i++)
            square += run->lower[i * depth + j] * run->lower[i * depth + j];
        run->norm = fmax(run->norm, sqrt(square));
    }
    double *swap = run->block;
    run->block = run->product;
    run->product = swap;
}

/* The `count` largest eigenpairs of T. */
static onefold_status rayleigh_ritz(lanczos *run, size_t count)
{
    size_t rows = run->basis.rows;
    int all = 10 * count > rows; /* LAPACK is then faster for all pairs */
    OF_SCRATCH(scratch, run->basis.context);
    double *copy = run->ritz_vector;
    if (!all)
        OF_TRY(OF_NEW(&scratch, &copy, rows, rows));
    for (size_t j = 0; j < rows; j++)
        memcpy(copy + j * rows, run->t + j * run->basis.most, rows * sizeof *copy);
    if (all)
        return of_eigh(run->basis.context, rows, copy, run->ritz);
    return of_eigh_top(run->basis.context, rows, count, copy, run->ritz, run->ritz_vector);
}

/* The length of A v - ritz v for Ritz pair i: the last block's part of v, times `lower`. */
static double residual_of(const lanczos *run, size_t i)
{
    size_t rows = run->basis.rows, depth = run->depth;
    const double *last = run->ritz_vector + i * rows + rows - depth;
    double square = 0;
    for (size_t c = 0; c < depth && rows < run->basis.n; c++) {
        double sum = 0;
        for (size_t r = c; r < depth; r++)
            sum += run->lower[c * depth + r] * last[r];
        square += sum * sum;
    }
    return sqrt(square);
}

/* The largest residual of the wanted pairs in units of the first Ritz value, or of the operator's
 * norm where that value is not positive. A small eigenvalue that does not count as zero must also
 * be large against its own residual. */
static double largest_residual(const lanczos *run)
{
    double worst = 0, first = run->ritz[0], unit = first > 0 ? first : run->norm;
    for (size_t i = 0; i < run->count && unit > 0; i++) {
        double own = residual_of(run, i) / unit, share = run->ritz[i] / unit;
        worst = fmax(worst, share > OF_EIGEN_RANK ? fmax(own, 100 * run->aim * own / share) : own);
    }
    return worst;
}

/* Replaces the basis by its `keep` best Ritz vectors. */
static onefold_status restart(lanczos *run, size_t keep)
{
    OF_TRY(rayleigh_ritz(run, keep));
    OF_TRY(of_basis_combine(&run->basis, keep, run->ritz_vector, run->basis.v));
    run->basis.rows = keep;
    size_t ldt = run->basis.most;
    memset(run->t, 0, ldt * ldt * sizeof *run->t);
    for (size_t i = 0; i < keep; i++)
        run->t[i * ldt + i] = run->ritz[i];
    return ONEFOLD_OK;
}

/* Whether the wanted Ritz values, all converged, may lack copies of an eigenvalue above zero. */
static int may_lack_copies(const lanczos *run)
{
    size_t length = 1, longest = 1;
    for (size_t i = 1; i < run->count && run->ritz[i] > OF_EIGEN_RANK * run->ritz[0]; i++) {
        int equal = run->ritz[i - 1] - run->ritz[i] <= 1e-4 * run->ritz[i - 1];
        length = equal ? length + 1 : 1;
        longest = length > longest ? length : longest;
    }
    return longest >= run->random_rows && run->random_rows < run->count &&
           run->basis.rows < run->basis.n;
}

/* Locks the converged vectors and adds random rows. */
static onefold_status search_for_copies(lanczos *run, size_t block)
{
    OF_TRY(restart(run, run->count));
    run->depth = of_size_least(block, run->basis.n - run->count);
    run->random_rows += run->depth;
    run->next_check = run->count + 4 * run->depth;
    OF_TRY(of_basis_random(&run->basis, run->depth, run->block));
    return of_basis_orthogonalise(&run->basis, run->depth, run->block, 0, NULL, NULL);
}

/* Plans the next check of T from the last two residuals. Convergence quickens, so it is at 0.6 of
 * the extrapolated way. */
static void plan_check(lanczos *run, double residual)
{
    double rows = (double)run->basis.rows, more = rows / 4;
    if (run->last_check && run->last_check < run->basis.rows && residual < run->last_residual) {
        double slope = log(run->last_residual / residual) / (rows - (double)run->last_check);
        more = fmin(more, 0.6 * log(residual / run->aim) / slope);
    }
    run->last_check = run->basis.rows;
    run->last_residual = residual;
    run->next_check = run->basis.rows + (size_t)fmax(more, (double)run->depth);
}

/* Checks T. *done: the wanted pairs have converged. While copies are searched for, the next pair
 * must also be near convergence, as it may be a copy. *again: copies may still be missing. */
static onefold_status check(lanczos *run, size_t block, int *done, int *again)
{
    size_t count = run->count;
    int searching = run->random_rows > block && run->random_rows < count;
    OF_TRY(rayleigh_ritz(run, count + (searching && run->basis.rows > count)));
    double residual = largest_residual(run);
    *done = residual <= run->aim && (!searching || run->basis.rows == count ||
                                     residual_of(run, count) <= 0.01 * run->ritz[count - 1]);
    *again = *done && may_lack_copies(run);
    if (!*done)
        plan_check(run, residual);
    return ONEFOLD_OK;
}

/* Keeps the first `wanted` rows of the block. */
static void cut_block(lanczos *run, size_t wanted)
{
    size_t depth = run->depth;
    of_range own = of_comm_own(run->basis.context, run->basis.n);
    for (size_t j = own.first; j < own.end && wanted < depth; j++)
        for (size_t i = 0; i < wanted; i++)
            run->block[j * wanted + i] = run->block[j * depth + i];
    run->depth = wanted;
}

static onefold_status iterate(lanczos *run, size_t block, size_t most_applications)
{
    run->depth = run->random_rows = block;
    run->next_check = 2 * run->count + 4 * block;
    for (;;) {
        OF_TRY(of_basis_append(&run->basis, run->depth, run->block));
        OF_TRY(of_context_check(run->basis.context));
        OF_TRY(run->apply(run->task, run->depth, run->block, run->product));
        OF_TRY(of_basis_orthogonalise(&run->basis, run->depth, run->product, 1e-15 * run->norm,
                                      run->inner, run->lower));
        extend_t(run);
        size_t rows = run->basis.rows, most = run->basis.most;
        int full = rows + run->depth > most, last = run->applications >= most_applications;
        if (rows >= run->count && (rows >= run->next_check || full || last)) {
            int done, again;
            OF_TRY(check(run, block, &done, &again));
            if ((done && !again) || last)
                return ONEFOLD_OK;
            if (again) {
                OF_TRY(search_for_copies(run, block));
                continue;
            }
        }
        if (full && most < run->basis.n) {
            OF_TRY(restart(run, run->count + (most - run->count) / 3));
            run->restarts++;
            run->last_check = run->basis.rows; /* a restart keeps the residuals */
            run->next_check = run->last_check + run->last_check / 4;
        }
        cut_block(run, of_size_least(run->depth, run->basis.n - run->basis.rows));
    }
}

typedef struct residual_task {
    const of_tiles *tiles;
    size_t rank;
    const double *vector, *image, *value; /* rank x n twice; rank */
} residual_task;

/* sum[i] += the squares of (A v_i - value_i v_i) in a tile. */
static onefold_status add_residuals(void *opaque, size_t index, double *sum)
{
    const residual_task *task = opaque;
    size_t rank = task->rank, end = of_tiles_first(task->tiles, index + 1);
    for (size_t j = of_tiles_first(task->tiles, index); j < end; j++)
        for (size_t i = 0; i < rank; i++) {
            double off = task->image[j * rank + i] - task->value[i] * task->vector[j * rank + i];
            sum[i] += off * off;
        }
    return ONEFOLD_OK;
}

/* Writes the pairs, and computes their residuals. */
static onefold_status finish(lanczos *run, const of_eigen_options *options, double *value,
                             of_share vector, of_eigen_result *result)
{
    of_context *context = run->basis.context;
    size_t count = run->count, n = run->basis.n, rank = of_counts(context) ? count : 0;
    while (rank < count && run->ritz[rank] > OF_EIGEN_RANK * run->ritz[0])
        rank++;
    *result = (of_eigen_result){.rank = rank};
    for (size_t i = 0; i < count && !of_counts(context); i++)
        value[i] = i < rank ? run->ritz[i] : 0;
    double residual = 0, *packed = NULL, *image = NULL, *square;
    OF_SCRATCH(scratch, context);
    if (rank) {
        OF_TRY(OF_NEW_ALL(&scratch, {&packed, rank, n}, {&image, rank, n}));
        OF_TRY(of_basis_combine(&run->basis, rank, run->ritz_vector, of_share_whole(packed, rank)));
        OF_TRY(run->apply(run->task, rank, packed, image));
        run->applications++;
    }
    residual_task task = {&run->basis.tiles, rank, packed, image, value};
    OF_TRY(OF_NEW(&scratch, &square, rank, 1));
    OF_TRY(of_tiles_sum(context, task.tiles, add_residuals, &task, rank, square));
    OF_COUNTED(context);
    for (size_t i = 0; i < rank; i++)
        residual = fmax(residual, sqrt(square[i]) / value[0]);
    of_range own = of_comm_own(context, n);
    for (size_t j = own.first; j < own.end; j++)
        for (size_t i = 0; i < count; i++)
            of_share_at(vector, j)[i] = i < rank ? packed[j * rank + i] : 0;
    *result = (of_eigen_result){.residual = residual,
                                .rank = rank,
                                .applications = run->applications,
                                .restarts = run->restarts,
                                .converged = residual <= options->tolerance};
    return ONEFOLD_OK;
}

onefold_status of_eigen_block(of_context *context, size_t n, of_operator_apply apply, void *task,
                              const of_eigen_options *options, double *value, of_share vector,
                              of_eigen_result *result)
{
    if (options->count < 1 || options->count > n)
        return of_fail(ONEFOLD_FAULT, "%zu eigenvalues of %zu were asked for", options->count, n);
    size_t block = of_size_least(options->block ? options->block : 8, n);
    size_t most =
        of_size_least(options->most ? options->most : eigen_most(n, options->count, block), n);
    OF_SCRATCH(scratch, context);
    lanczos run = {.count = options->count,
                   .apply = apply,
                   .task = task,
                   .aim = options->aim < options->tolerance ? options->aim : options->tolerance};
    OF_TRY(of_basis_make(context, &scratch, n, most, block, &run.basis));
    OF_TRY(OF_NEW_ALL(&scratch, {&run.block, block, n}, {&run.product, block, n}));
    OF_TRY(OF_NEW_ZERO(&scratch, &run.t, most, most));
    OF_TRY(OF_NEW_ALL(&scratch, {&run.lower, block, block}, {&run.inner, most, block},
                      {&run.ritz, most, 1}, {&run.ritz_vector, most, most}));
    if (of_counts(context)) { /* a step with a nearly full basis, the pairs of a full one, and the
                               * last product */
        run.basis.rows = most - of_size_least(block, most);
        OF_TRY(apply(task, block, run.block, run.product));
        OF_TRY(of_basis_orthogonalise(&run.basis, block, run.block, 0, NULL, NULL));
        OF_TRY(of_eigh(context, most, run.ritz_vector, run.ritz));
        return finish(&run, options, value, vector, result);
    }
    if (options->start)
        memcpy(run.block, options->start, block * n * sizeof *run.block);
    else
        OF_TRY(of_basis_random(&run.basis, block, run.block));
    OF_TRY(of_basis_orthogonalise(&run.basis, block, run.block, 0, NULL, NULL));
    OF_TRY(iterate(&run, block, options->most_applications ? options->most_applications : 1000));
    return finish(&run, options, value, vector, result);
}
