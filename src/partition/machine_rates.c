/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each rate is that of a small piece of work, repeated for some milliseconds by every thread at
 * once, in the thread's own time; how much longer the wall clock took says what other programs take
 * from the machine at the moment. Clocks enter estimates only, never a result.
 */
#include "partition/machine_rates.h"

#include "base/clock.h"
#include "base/team.h"
#include "kernel/exp.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/sparse.h"

enum {
    WIDE = 160,
    THIN = 512,
    LOOP = 1 << 14,
    MEMORY = 1 << 22,
    EXPONENTIALS = 4096,
    EIGEN = 96,
    DEPTH = 8
};
enum { ROWS = 2000, ENTRIES = 20, FAR = 16384 }; /* of the sparse matrix; FAR: its columns */
static const double LONG_ENOUGH = 6e-3;

typedef struct rate_task {
    of_context *context;
    size_t side;
    double *numbers; /* per worker: WORKER of them */
    size_t worker_numbers;
    of_sparse sparse, far;
    double *large; /* MEMORY of them, more than most caches hold; NULL where memory is short */
} rate_task;

/* What one worker does, and how much of it that is. */
typedef onefold_status (*rate_work)(rate_task *task, double *own);

static onefold_status multiply_wide(rate_task *task, double *own)
{
    (void)task;
    const double *a = own, *b = own + WIDE * WIDE;
    of_gemm('N', 'N', WIDE, WIDE, WIDE, 1, a, WIDE, b, WIDE, 0, own + 2 * WIDE * WIDE, WIDE);
    return ONEFOLD_OK;
}

static onefold_status multiply_thin(rate_task *task, double *own)
{
    size_t k = task->side;
    const double *a = own, *b = own + k * 64;
    of_gemm('N', 'N', k, THIN, 64, 1, a, k, b, 64, 0, own + k * 64 + 64 * THIN, k);
    return ONEFOLD_OK;
}

/* As the loops of a pass do: read, shift, scale, compare, write. */
static onefold_status loop(rate_task *task, double *own)
{
    (void)task;
    double most = 0;
    for (size_t i = 0; i < LOOP; i++) {
        double x = (own[i] - own[LOOP + i]) * 0.5;
        most = x > most ? x : most;
        own[i] = x;
    }
    own[2 * LOOP] = most;
    return ONEFOLD_OK;
}

static onefold_status read_memory(rate_task *task, double *own)
{
    own[0] = cblas_ddot(MEMORY, task->large, 1, task->large, 1);
    return ONEFOLD_OK;
}

static onefold_status exponentiate(rate_task *task, double *own)
{
    (void)task;
    for (size_t i = 0; i < EXPONENTIALS; i++)
        own[i] = -0.001 * (double)i;
    of_exp(EXPONENTIALS, own);
    return ONEFOLD_OK;
}

static onefold_status multiply_sparse(rate_task *task, double *own)
{
    return of_sparse_apply(task->context, &task->sparse, DEPTH, own, own + ROWS * DEPTH);
}

/* As products on the columns' side do: gathered for a tile of samples, and scattered again. */
static onefold_status multiply_far(rate_task *task, double *own)
{
    enum { TILE = 500 };
    double *sum = own + FAR * DEPTH, *u = sum + FAR * DEPTH;
    for (size_t j = 0; j < ROWS; j += TILE) {
        of_sparse rows = task->far;
        rows.start += j;
        rows.rows = TILE;
        of_sparse_apply_rows(&rows, 0, TILE, DEPTH, own, u);
        of_sparse_scatter_rows(&rows, 0, TILE, DEPTH, u, sum);
    }
    return ONEFOLD_OK;
}

/* A symmetric matrix, away from all special ones. */
static void make_matrix(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = (double)((i * j + i + j) % 17) + (i == j ? 20 : 0);
}

static onefold_status decompose(rate_task *task, double *own)
{
    make_matrix(EIGEN, own);
    return of_eigh(task->context, EIGEN, own, EIGEN, own + EIGEN * EIGEN);
}

static onefold_status run_polar(rate_task *task, double *own)
{
    size_t k = task->side;
    make_matrix(k, own);
    return of_polar_near(task->context, k, k, own, k, own + k * k, k, own + k * k, k);
}

typedef struct round_task {
    rate_task *task;
    rate_work work;
    double *each; /* per piece: how often the work was done in a second of this thread's own time */
    double *wall, *own; /* per piece: seconds that went by, and that this thread was working */
} round_task;

/* One thread at it until it has worked long enough; the first time is not counted. */
static onefold_status work_round(void *opaque, size_t index, int worker)
{
    round_task *round = opaque;
    double *numbers = round->task->numbers + (size_t)worker * round->task->worker_numbers;
    OF_TRY(round->work(round->task, numbers));
    double began = of_clock_thread_seconds(), wall = of_clock_seconds(), took = 0;
    size_t times = 0;
    for (size_t more = 1; took < LONG_ENOUGH; more *= 2) {
        for (size_t t = 0; t < more; t++)
            OF_TRY(round->work(round->task, numbers));
        times += more;
        took = of_clock_thread_seconds() - began;
    }
    round->each[index] = (double)times / took;
    round->wall[index] += of_clock_seconds() - wall;
    round->own[index] += took;
    return ONEFOLD_OK;
}

/* How often a second the work is done by `workers` threads that are all at it. */
static onefold_status rate_of(round_task *round, rate_work work, size_t workers, double *rate)
{
    round->work = work;
    OF_TRY(of_team_run(round->task->context, workers, work_round, round));
    *rate = 0;
    for (size_t w = 0; w < workers; w++)
        *rate += round->each[w];
    return ONEFOLD_OK;
}

/* ROWS rows of ENTRIES ones each, at places that look random. */
static onefold_status make_sparse(of_arena *arena, size_t columns, of_sparse *sparse)
{
    size_t *start, between = columns / ENTRIES;
    uint32_t *index;
    double *value;
    OF_TRY(OF_NEW(arena, &start, ROWS + 1, 1));
    OF_TRY(OF_NEW(arena, &index, ROWS, ENTRIES));
    OF_TRY(OF_NEW(arena, &value, ROWS, ENTRIES));
    for (size_t j = 0; j < ROWS; j++)
        for (size_t e = 0; e < ENTRIES; e++) {
            index[j * ENTRIES + e] = (uint32_t)(e * between + (j * 7919 + e * 104729) % between);
            value[j * ENTRIES + e] = 1;
        }
    for (size_t j = 0; j <= ROWS; j++)
        start[j] = j * ENTRIES;
    *sparse = (of_sparse){ROWS, columns, start, index, value};
    return ONEFOLD_OK;
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

static onefold_status make_room(of_arena *arena, size_t workers, rate_task *task, round_task *round)
{
    OF_TRY(OF_NEW_ZERO(arena, &task->numbers, workers, task->worker_numbers));
    OF_TRY(make_sparse(arena, ROWS, &task->sparse));
    OF_TRY(make_sparse(arena, FAR, &task->far));
    OF_TRY(OF_NEW_ZERO(arena, &round->each, workers, 3));
    round->wall = round->each + workers;
    round->own = round->wall + workers;
    return ONEFOLD_OK;
}

static onefold_status measure(of_context *context, size_t side, int short_of_memory,
                              of_rates *rates)
{
    OF_SCRATCH(scratch, context);
    size_t workers = (size_t)of_team_size(context), k = side < 256 ? side : 256;
    rate_task task = {.context = context, .side = k};
    task.worker_numbers = largest(largest(2 * LOOP + 1, 3 * WIDE * WIDE),
                                  largest(k * 64 + (64 + k) * THIN, 2 * k * k));
    task.worker_numbers = largest(task.worker_numbers, (2 * FAR + 500) * DEPTH);
    round_task round = {.task = &task};
    OF_TRY(make_room(&scratch, workers, &task, &round));
    const struct {
        rate_work work;
        double amount;
        double *rate;
    } all[] = {
        {multiply_wide, 2.0 * WIDE * WIDE * WIDE, &rates->product},
        {multiply_thin, 2.0 * (double)k * THIN * 64, &rates->thin},
        {loop, LOOP, &rates->loop},
        {exponentiate, EXPONENTIALS, &rates->exponential},
        {multiply_sparse, (double)ROWS * ENTRIES * DEPTH, &rates->sparse},
        {multiply_far, 2.0 * ROWS * ENTRIES * DEPTH, &rates->sparse_far},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        OF_TRY(rate_of(&round, all[i].work, workers, all[i].rate));
        *all[i].rate *= all[i].amount;
    }
    rates->memory = rates->loop; /* what little memory there is will be in cache */
    if (!short_of_memory) {
        OF_TRY(OF_NEW_ZERO(&scratch, &task.large, MEMORY, 1));
        OF_TRY(rate_of(&round, read_memory, workers, &rates->memory));
        rates->memory *= MEMORY * sizeof(double);
    }
    OF_TRY(rate_of(&round, decompose, 1, &rates->factor));
    rates->factor *= 9.0 * EIGEN * EIGEN * EIGEN;
    for (size_t i = 0; i < k; i++) /* the isometry that polar factors start from */
        for (size_t j = 0; j < k; j++)
            task.numbers[k * k + i * k + j] = i == j;
    OF_TRY(rate_of(&round, run_polar, 1, &rates->polar));
    rates->polar = 1 / rates->polar;
    double times = (double)side / (double)k;
    rates->polar *= times * times * times;
    rates->threads = (double)workers;
    double wall = 0, own = 0;
    for (size_t w = 0; w < workers; w++) {
        wall += round.wall[w];
        own += round.own[w];
    }
    rates->slowdown = wall > own ? wall / own : 1;
    of_context_log(
        context,
        "a second here: %.3g flops of products, %.3g of thin ones, %.3g numbers in a loop, "
        "%.3g bytes, %.3g exponentials, %.3g sparse entries, %.3g of long vectors, %.3g flops of "
        "eigenproblems",
        rates->product, rates->thin, rates->loop, rates->memory, rates->exponential, rates->sparse,
        rates->sparse_far, rates->factor);
    of_context_log(context,
                   "a polar factor takes %.3g s; other programs make all %.3g times slower",
                   rates->polar, rates->slowdown);
    return ONEFOLD_OK;
}

/* A MB or two for each thread are taken whatever the limit of the fit is; what is more than a cache
 * holds only within it. */
onefold_status of_machine_rates_measure(of_context *context, size_t side, of_rates *rates)
{
    size_t limit = context->memory_limit,
           wanted = atomic_load(&context->bytes) + (MEMORY + 8192) * sizeof(double);
    context->memory_limit = 0;
    onefold_status status = measure(context, side, limit && wanted > limit, rates);
    context->memory_limit = limit;
    return status;
}
