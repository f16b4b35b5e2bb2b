/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Block Lanczos with full orthogonalisation. The basis V (rows x n) grows by what the operator adds
 * to its last block; T = V A V' is kept whole, from the inner products that orthogonalising needs
 * anyway, so that a restart (V becomes its best Ritz vectors) and extra rows need no special form.
 *
 * A block of b rows sees at most b copies of an eigenvalue. Where more may be wanted, two random
 * rows join the block when the run has nearly converged: a copy that was missed grows out of them
 * within a few steps and the run goes on. This is repeated until nothing new turns up.
 */
#include "linalg/eigen_block.h"

#include "linalg/basis.h"
#include "linalg/blas.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

enum { PROBE_ROWS = 2, PROBE_STEPS = 4 };

typedef struct lanczos {
    of_context *context;
    size_t n, count, most, depth; /* depth: rows of the newest block, the last in the basis */
    of_operator_apply apply;
    void *task;
    double aim;
    of_basis basis;
    double *block, *product;           /* deepest x n */
    double *t;                         /* most x most: V A V' */
    double *lower;                     /* product = T part + lower block: deepest x deepest */
    double *inner;                     /* most x deepest */
    double *ritz, *ritz_vector, *copy; /* of T */
    double norm;                       /* largest row that the operator has given: at most ||A|| */
    size_t applications, rows_applied, restarts;
    size_t probe_step; /* applications when random rows joined last; 0: not yet */
    double probe_sum;  /* sum of the wanted Ritz values then */
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

static size_t deepest_block(size_t n, size_t block)
{
    return block + PROBE_ROWS < n ? block + PROBE_ROWS : n;
}

size_t of_eigen_bytes(of_context *context, size_t n, size_t count, size_t block, size_t most)
{
    size_t deepest = deepest_block(n, block);
    return of_basis_bytes(context, n, most, deepest) +
           sizeof(double) * (2 * (count + deepest) * n + 3 * most * most + most * (deepest + 1));
}

static onefold_status lanczos_make(lanczos *run, of_arena *arena, size_t block)
{
    size_t deepest = deepest_block(run->n, block), most = run->most;
    OF_TRY(of_basis_make(run->context, arena, run->n, most, deepest, &run->basis));
    OF_TRY(OF_NEW(arena, &run->block, deepest, run->n));
    OF_TRY(OF_NEW(arena, &run->product, deepest, run->n));
    OF_TRY(OF_NEW_ZERO(arena, &run->t, most, most));
    OF_TRY(OF_NEW(arena, &run->lower, deepest, deepest));
    OF_TRY(OF_NEW(arena, &run->inner, most, deepest));
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

/* The wanted eigenpairs of T, and the largest residual among them in units of the first. Pairs
 * whose eigenvalue counts as zero need no more than that to be known. */
static onefold_status rayleigh_ritz(lanczos *run, size_t count, double *residual)
{
    size_t rows = run->basis.rows, depth = run->depth;
    for (size_t j = 0; j < rows; j++)
        memcpy(run->copy + j * rows, run->t + j * run->most, rows * sizeof *run->copy);
    OF_TRY(
        of_eigh_top(run->context, rows, count, run->copy, rows, run->ritz, run->ritz_vector, rows));
    double first = run->ritz[0], worst = 0;
    size_t wanted = count < run->count ? count : run->count;
    for (size_t i = 0; i < wanted && first > 0; i++) {
        const double *last = run->ritz_vector + i * rows + rows - depth;
        double square = 0, value = run->ritz[i];
        for (size_t c = 0; c < depth; c++) {
            double sum = 0;
            for (size_t r = c; r < depth; r++)
                sum += run->lower[c * depth + r] * last[r];
            square += sum * sum;
        }
        double own = sqrt(square) / first;
        /* a small eigenvalue must stand out from its own residual */
        if (value > OF_EIGEN_RANK * first)
            own = fmax(own, 100 * run->aim * sqrt(square) / value);
        worst = fmax(worst, own);
    }
    *residual = rows < run->n ? worst : 0;
    return ONEFOLD_OK;
}

/* The basis becomes its best Ritz vectors: the wanted ones and as many more as leave room to grow.
 */
static onefold_status restart(lanczos *run)
{
    size_t rows = run->basis.rows, room = run->most - run->count, keep = run->count + room / 3;
    if (keep > rows)
        keep = rows;
    double residual;
    OF_TRY(rayleigh_ritz(run, keep, &residual));
    OF_TRY(of_basis_rotate(&run->basis, keep, run->ritz_vector));
    memset(run->t, 0, run->most * run->most * sizeof *run->t);
    for (size_t i = 0; i < keep; i++)
        run->t[i * run->most + i] = run->ritz[i];
    run->restarts++;
    return ONEFOLD_OK;
}

/* Cuts the next block to what the basis lacks, or widens it by random rows. */
static onefold_status resize_block(lanczos *run, size_t depth, size_t wanted)
{
    if (wanted == depth)
        return ONEFOLD_OK;
    for (size_t j = 0; j < run->n; j++)
        for (size_t i = 0; i < wanted; i++)
            run->product[j * wanted + i] = i < depth ? run->block[j * depth + i] : 0;
    double *swap = run->block;
    run->block = run->product;
    run->product = swap;
    if (wanted < depth)
        return ONEFOLD_OK;
    OF_TRY(of_basis_random(&run->basis, depth, wanted, run->block));
    return of_basis_orthogonalise(&run->basis, wanted, run->block, 0, NULL, NULL);
}

/* Whether a run with these residuals may end; asks for a probe where copies might be missing. */
static int may_end(lanczos *run, size_t block, double residual, int *probe)
{
    *probe = 0;
    if (run->basis.rows == run->n || run->ritz[0] <= 0)
        return 1;
    int done = residual <= run->aim;
    if (run->count <= block || residual > fmax(1e-5, run->aim))
        return done;
    double sum = 0;
    for (size_t i = 0; i < run->count; i++)
        sum += run->ritz[i];
    int fresh = !run->probe_step;
    int grown = fabs(sum - run->probe_sum) > 1e-6 * run->ritz[0];
    if (fresh || (done && grown)) {
        *probe = 1;
        run->probe_step = run->applications;
        run->probe_sum = sum;
        return 0;
    }
    return done && run->applications >= run->probe_step + PROBE_STEPS;
}

/* Rows at which T is looked at next: where the residuals seen so far say it may be worth it. */
static size_t next_look(const lanczos *run, double residual)
{
    size_t rows = run->basis.rows;
    double left = log(fmax(residual, run->aim) / run->aim), gone = log(1 / fmin(residual, 0.1));
    double more = 0.5 * left / gone * (double)rows;
    return rows + run->depth + (size_t)fmin(more, 0.5 * (double)rows);
}

static onefold_status iterate(lanczos *run, size_t block, size_t most_applications)
{
    size_t look = run->count + 4 * block;
    run->depth = block;
    for (;;) {
        OF_TRY(of_basis_append(&run->basis, run->depth, run->block));
        OF_TRY(step(run));
        size_t rows = run->basis.rows, depth = run->depth, next = depth;
        int full = rows + depth > run->most || rows == run->n;
        int last = run->applications >= most_applications;
        if (rows >= run->count && (rows >= look || full || last)) {
            double residual;
            int probe;
            OF_TRY(rayleigh_ritz(run, run->count, &residual));
            if (may_end(run, block, residual, &probe) || last)
                return ONEFOLD_OK;
            look = next_look(run, residual);
            if (probe)
                next = depth + PROBE_ROWS < block + PROBE_ROWS ? depth + PROBE_ROWS
                                                               : block + PROBE_ROWS;
        }
        if (rows + next > run->most && run->most < run->n)
            OF_TRY(restart(run));
        if (next > run->n - run->basis.rows)
            next = run->n - run->basis.rows;
        OF_TRY(resize_block(run, depth, next));
        run->depth = next;
    }
}

/* Writes the pairs, and computes the residuals from what was written. */
static onefold_status finish(lanczos *run, const of_eigen_options *options, double *value,
                             double *vector, size_t ldv, of_eigen_result *result)
{
    size_t count = run->count, n = run->n, rank = 0;
    while (rank < count && run->ritz[rank] > OF_EIGEN_RANK * run->ritz[0])
        rank++;
    for (size_t i = 0; i < count; i++)
        value[i] = i < rank ? run->ritz[i] : 0;
    double residual = 0, *packed = NULL, *image = NULL;
    OF_SCRATCH(scratch, run->context);
    if (rank) {
        OF_TRY(OF_NEW(&scratch, &packed, rank, n));
        OF_TRY(OF_NEW(&scratch, &image, rank, n));
        OF_TRY(of_basis_combine(&run->basis, rank, run->ritz_vector, packed, rank));
        OF_TRY(run->apply(run->task, rank, packed, image));
        run->applications++;
    }
    for (size_t i = 0; i < rank; i++) {
        double square = 0;
        for (size_t j = 0; j < n; j++) {
            double off = image[j * rank + i] - value[i] * packed[j * rank + i];
            square += off * off;
        }
        residual = fmax(residual, sqrt(square) / value[0]);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < count; i++)
            vector[j * ldv + i] = i < rank ? packed[j * rank + i] : 0;
    *result = (of_eigen_result){.residual = residual,
                                .rank = rank,
                                .applications = run->applications,
                                .rows = run->rows_applied,
                                .restarts = run->restarts,
                                .converged = residual <= options->tolerance};
    return ONEFOLD_OK;
}

onefold_status of_eigen_block(of_context *context, size_t n, of_operator_apply apply, void *task,
                              const of_eigen_options *options, double *value, double *vector,
                              size_t ldv, of_eigen_result *result)
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
    return finish(&run, options, value, vector, ldv, result);
}
