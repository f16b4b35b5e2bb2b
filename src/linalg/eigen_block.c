/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block Lanczos with full orthogonalisation. The basis V (rows x n) grows by what the operator adds
 * to its last block; T = V A V' is kept whole, from the inner products that orthogonalising needs
 * anyway, so that a restart (V becomes its best Ritz vectors) and extra rows need no special form.
 *
 * In exact arithmetic a start of b random rows sees at most b copies of an eigenvalue. So where the
 * wanted Ritz values have a run of b equal ones or more, copies may be missing: then the converged
 * vectors are locked, a fresh random block joins them, and the run goes on until the largest of
 * what is left has shown itself. This is repeated until no run is as long as the random rows were
 * many.
 */
#include "linalg/eigen_block.h"

#include "linalg/basis.h"
#include "linalg/blas.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

typedef struct lanczos {
    of_context *context;
    size_t n, count, most, depth; /* depth: rows of the newest block, the last in the basis */
    of_operator_apply apply;
    void *task;
    double aim;
    of_basis basis;
    double *block, *product;           /* block x n */
    double *t;                         /* most x most: V A V' */
    double *lower;                     /* product = T part + lower block: depth x depth */
    double *inner;                     /* most x block */
    double *ritz, *ritz_vector, *copy; /* of T */
    double norm;                       /* largest row that the operator has given: at most ||A|| */
    size_t applications, rows_applied, restarts;
    size_t random_rows; /* that have entered so far: copies of an eigenvalue that can be seen */
    size_t look;        /* rows of basis at which T is looked at next */
    size_t looked;      /* and where it was looked at last, with the residual found there */
    double looked_residual;
} lanczos;

size_t of_eigen_most(size_t n, size_t count, size_t block)
{
    size_t grown = 12 * block > 256 ? 12 * block : 256;
    size_t wanted = 2 * count + grown, least = count + 6 * block;
    size_t affordable = ((size_t)96 << 20) / (sizeof(double) * (n ? n : 1));
    if (wanted > affordable)
        wanted = affordable > least ? affordable : least;
    return wanted < n ? wanted : n;
}

size_t of_eigen_bytes(of_context *context, size_t n, size_t count, size_t block, size_t most)
{
    return of_basis_bytes(context, n, most, block) +
           sizeof(double) * (2 * (count + block) * n + 3 * most * most + most * (block + 1));
}

static onefold_status lanczos_make(lanczos *run, of_arena *arena, size_t block)
{
    size_t most = run->most;
    OF_TRY(of_basis_make(run->context, arena, run->n, most, block, &run->basis));
    OF_TRY(OF_NEW(arena, &run->block, block, run->n));
    OF_TRY(OF_NEW(arena, &run->product, block, run->n));
    OF_TRY(OF_NEW_ZERO(arena, &run->t, most, most));
    OF_TRY(OF_NEW(arena, &run->lower, block, block));
    OF_TRY(OF_NEW(arena, &run->inner, most, block));
    OF_TRY(OF_NEW(arena, &run->ritz, most, 1));
    OF_TRY(OF_NEW(arena, &run->ritz_vector, most, most));
    OF_TRY(OF_NEW(arena, &run->copy, most, most));
    return ONEFOLD_OK;
}

/* Applies the operator to the newest block, enters it into T, and leaves the next block,
 * orthonormal and orthogonal to the basis, in run->block. */
static onefold_status step(lanczos *run)
{
    size_t depth = run->depth, rows = run->basis.rows, ldt = run->most;
    OF_TRY(of_context_check(run->context));
    OF_TRY(run->apply(run->task, depth, run->block, run->product));
    run->applications++;
    run->rows_applied += depth;
    OF_TRY(of_basis_orthogonalise(&run->basis, depth, run->product, 1e-15 * run->norm, run->inner,
                                  run->lower));
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
    return ONEFOLD_OK;
}

/* The `count` largest eigenpairs of T. */
static onefold_status rayleigh_ritz(lanczos *run, size_t count)
{
    size_t rows = run->basis.rows;
    int most_of_them = 10 * count > rows; /* then LAPACK is faster at all of them */
    double *copy = most_of_them ? run->ritz_vector : run->copy;
    for (size_t j = 0; j < rows; j++)
        memcpy(copy + j * rows, run->t + j * run->most, rows * sizeof *copy);
    if (most_of_them)
        return of_eigh(run->context, rows, copy, rows, run->ritz);
    return of_eigh_top(run->context, rows, count, copy, rows, run->ritz, run->ritz_vector, rows);
}

/* The length of A v - ritz v for Ritz pair i: what T's last block has of it, times what lies
 * outside the basis. */
static double residual_of(const lanczos *run, size_t i)
{
    size_t rows = run->basis.rows, depth = run->depth;
    const double *last = run->ritz_vector + i * rows + rows - depth;
    double square = 0;
    for (size_t c = 0; c < depth && rows < run->n; c++) {
        double sum = 0;
        for (size_t r = c; r < depth; r++)
            sum += run->lower[c * depth + r] * last[r];
        square += sum * sum;
    }
    return sqrt(square);
}

/* The largest residual of the wanted pairs in units of the first Ritz value (of the operator's
 * norm, where no positive one is known). A small eigenvalue must also stand out from its own
 * residual, unless it counts as zero. */
static double largest_residual(const lanczos *run)
{
    double worst = 0, first = run->ritz[0], unit = first > 0 ? first : run->norm;
    for (size_t i = 0; i < run->count && unit > 0; i++) {
        double own = residual_of(run, i) / unit, share = run->ritz[i] / unit;
        worst = fmax(worst, share > OF_EIGEN_RANK ? fmax(own, 100 * run->aim * own / share) : own);
    }
    return worst;
}

/* The basis becomes its `keep` best Ritz vectors. */
static onefold_status restart(lanczos *run, size_t keep)
{
    OF_TRY(rayleigh_ritz(run, keep));
    OF_TRY(of_basis_rotate(&run->basis, keep, run->ritz_vector));
    memset(run->t, 0, run->most * run->most * sizeof *run->t);
    for (size_t i = 0; i < keep; i++)
        run->t[i * run->most + i] = run->ritz[i];
    return ONEFOLD_OK;
}

/* Whether the wanted Ritz values, all converged, may lack copies of an eigenvalue that counts. */
static int may_lack_copies(const lanczos *run)
{
    size_t length = 1, longest = 1;
    for (size_t i = 1; i < run->count && run->ritz[i] > OF_EIGEN_RANK * run->ritz[0]; i++) {
        int equal = run->ritz[i - 1] - run->ritz[i] <= 1e-4 * run->ritz[i - 1];
        length = equal ? length + 1 : 1;
        longest = length > longest ? length : longest;
    }
    return longest >= run->random_rows && run->random_rows < run->count && run->basis.rows < run->n;
}

/* Locks the converged vectors and starts again beside them with random rows. */
static onefold_status search_for_copies(lanczos *run, size_t block)
{
    OF_TRY(restart(run, run->count));
    size_t room = run->n - run->count;
    run->depth = block < room ? block : room;
    run->random_rows += run->depth;
    run->look = run->count + 4 * run->depth;
    OF_TRY(of_basis_random(&run->basis, 0, run->depth, run->block));
    return of_basis_orthogonalise(&run->basis, run->depth, run->block, 0, NULL, NULL);
}

/* Where the residuals at the last two looks say that a third may be worth it. Convergence quickens,
 * so no more than a part of the way is trusted. */
static void plan_look(lanczos *run, double residual)
{
    double rows = (double)run->basis.rows, more = rows / 4;
    if (run->looked && run->looked < run->basis.rows && residual < run->looked_residual) {
        double slope = log(run->looked_residual / residual) / (rows - (double)run->looked);
        more = fmin(more, 0.6 * log(residual / run->aim) / slope);
    }
    run->looked = run->basis.rows;
    run->looked_residual = residual;
    run->look = run->basis.rows + (size_t)fmax(more, (double)run->depth);
}

/* Looks at T. Done when the wanted pairs have converged; while copies are searched for, the largest
 * of the others must have shown itself too, so that it would be among them if it were one. */
static onefold_status look(lanczos *run, size_t block, int *done, int *again)
{
    size_t count = run->count;
    int searching = run->random_rows > block && run->random_rows < count;
    OF_TRY(rayleigh_ritz(run, count + (searching && run->basis.rows > count)));
    double residual = largest_residual(run);
    *done = residual <= run->aim && (!searching || run->basis.rows == count ||
                                     residual_of(run, count) <= 0.01 * run->ritz[count - 1]);
    *again = *done && may_lack_copies(run);
    if (!*done)
        plan_look(run, residual);
    return ONEFOLD_OK;
}

/* The block just made, of `depth` rows, becomes the next one, of `wanted` rows. */
static void cut_block(lanczos *run, size_t wanted)
{
    size_t depth = run->depth;
    of_range own = of_comm_own(run->context, run->n);
    for (size_t j = own.first; j < own.end && wanted < depth; j++)
        for (size_t i = 0; i < wanted; i++)
            run->block[j * wanted + i] = run->block[j * depth + i];
    run->depth = wanted;
}

static onefold_status iterate(lanczos *run, size_t block, size_t most_applications)
{
    run->depth = run->random_rows = block;
    run->look = 2 * run->count + 4 * block;
    for (;;) {
        OF_TRY(of_basis_append(&run->basis, run->depth, run->block));
        OF_TRY(step(run));
        size_t rows = run->basis.rows;
        int full = rows + run->depth > run->most, last = run->applications >= most_applications;
        if (rows >= run->count && (rows >= run->look || full || last)) {
            int done, again;
            OF_TRY(look(run, block, &done, &again));
            if ((done && !again) || last)
                return ONEFOLD_OK;
            if (again) {
                OF_TRY(search_for_copies(run, block));
                continue;
            }
        }
        if (full && run->most < run->n) {
            OF_TRY(restart(run, run->count + (run->most - run->count) / 3));
            run->restarts++;
            run->looked = run->basis.rows; /* the residuals are what they were */
            run->look = run->looked + run->looked / 4;
        }
        size_t room = run->n - run->basis.rows;
        cut_block(run, run->depth < room ? run->depth : room);
    }
}

typedef struct residual_task {
    const of_tiles *tiles;
    size_t rank;
    const double *vector, *image, *value; /* rank x n twice; rank */
} residual_task;

/* sum[i] += the squares of (A v_i - value_i v_i) in a tile. */
static onefold_status add_residuals(void *opaque, size_t index, int worker, double *sum)
{
    const residual_task *task = opaque;
    size_t rank = task->rank, end = of_tiles_first(task->tiles, index + 1);
    (void)worker;
    for (size_t j = of_tiles_first(task->tiles, index); j < end; j++)
        for (size_t i = 0; i < rank; i++) {
            double off = task->image[j * rank + i] - task->value[i] * task->vector[j * rank + i];
            sum[i] += off * off;
        }
    return ONEFOLD_OK;
}

/* Writes the pairs, and computes the residuals from what was written. */
static onefold_status finish(lanczos *run, const of_eigen_options *options, double *value,
                             of_share vector, of_eigen_result *result)
{
    size_t count = run->count, n = run->n, rank = 0;
    while (rank < count && run->ritz[rank] > OF_EIGEN_RANK * run->ritz[0])
        rank++;
    for (size_t i = 0; i < count; i++)
        value[i] = i < rank ? run->ritz[i] : 0;
    double residual = 0, *packed = NULL, *image = NULL, *square;
    OF_SCRATCH(scratch, run->context);
    if (rank) {
        OF_TRY(OF_NEW(&scratch, &packed, rank, n));
        OF_TRY(OF_NEW(&scratch, &image, rank, n));
        OF_TRY(of_basis_combine(&run->basis, rank, run->ritz_vector, of_share_whole(packed, rank)));
        OF_TRY(run->apply(run->task, rank, packed, image));
        run->applications++;
    }
    residual_task task = {&run->basis.tiles, rank, packed, image, value};
    OF_TRY(OF_NEW_ZERO(&scratch, &square, rank, 1));
    OF_TRY(of_tiles_sum(run->context, task.tiles, add_residuals, &task, rank, square));
    for (size_t i = 0; i < rank; i++)
        residual = fmax(residual, sqrt(square[i]) / value[0]);
    of_range own = of_comm_own(run->context, n);
    for (size_t j = own.first; j < own.end; j++)
        for (size_t i = 0; i < count; i++)
            of_share_at(vector, j)[i] = i < rank ? packed[j * rank + i] : 0;
    *result = (of_eigen_result){.residual = residual,
                                .rank = rank,
                                .applications = run->applications,
                                .rows = run->rows_applied,
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
    size_t block = options->block ? options->block : 8;
    if (block > n)
        block = n;
    size_t most = options->most ? options->most : of_eigen_most(n, options->count, block);
    OF_SCRATCH(scratch, context);
    lanczos run = {.context = context,
                   .n = n,
                   .count = options->count,
                   .most = most < n ? most : n,
                   .apply = apply,
                   .task = task,
                   .aim = options->aim < options->tolerance ? options->aim : options->tolerance};
    OF_TRY(lanczos_make(&run, &scratch, block));
    if (options->start)
        memcpy(run.block, options->start, block * n * sizeof *run.block);
    else
        OF_TRY(of_basis_random(&run.basis, 0, block, run.block));
    OF_TRY(of_basis_orthogonalise(&run.basis, block, run.block, 0, NULL, NULL));
    OF_TRY(iterate(&run, block, options->most_applications ? options->most_applications : 1000));
    return finish(&run, options, value, vector, result);
}
