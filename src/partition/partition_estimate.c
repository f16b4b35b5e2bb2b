/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of each route (partition/routes.h has them too) over the rates of this machine. How
 * many rows the block eigensolver goes through depends on the data: of rbf kernels 4 k + 64 are
 * typical, of implicit products a trial says it (partition/eigen_trial.c). The weights below are
 * what is left between such a count and the clock: one for each route, set by comparing the two on
 * real data (./dev bench --only dry_run).
 */
#include "partition/partition_estimate.h"

#include "base/clock.h"
#include "base/team.h"
#include "kernel/exp.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/sparse.h"
#include "partition/route_krylov.h"
#include "partition/routes.h"
#include "partition/view_graph.h"

#include <math.h>

/*
 * Each rate is that of a small piece of work, repeated for some milliseconds by every thread at
 * once, in the thread's own time; how much longer the wall clock took says what other programs take
 * from the machine at the moment. Clocks enter estimates only, never a result.
 */

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

/* since some fixed moment */
static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One thread at it until it has worked long enough; the first time is not counted. */
static onefold_status work_round(void *opaque, size_t index, int worker)
{
    round_task *round = opaque;
    double *numbers = round->task->numbers + (size_t)worker * round->task->worker_numbers;
    OF_TRY(round->work(round->task, numbers));
    double began = thread_seconds(), wall = of_clock_seconds(), took = 0;
    size_t times = 0;
    for (size_t more = 1; took < LONG_ENOUGH; more *= 2) {
        for (size_t t = 0; t < more; t++)
            OF_TRY(round->work(round->task, numbers));
        times += more;
        took = thread_seconds() - began;
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

/*
 * The rows of basis that the block eigensolver will need, from a trial of its first ones. Once it
 * has found the space that it looks for, the residual falls by about as many digits with every row;
 * how fast depends on how the spectrum falls off, which is what nobody knows before. Flat spectra
 * can take a hundred times as many rows as those of data with clusters.
 */

/* Rows of the trial: three for each wanted one, and no fewer than this. */
enum { FEWEST = 192, BLOCK = 8 };

/* Rows at which the residual is at `aim`, when it is `residual` after `tried` of them. At the edge
 * of a flat spectrum eigenvalues lie the closer together the longer the vectors are, and what tells
 * them apart shows after more rows than are tried: the last factor is what is left of that, from
 * synthetic data of 1200 to 20000 columns. */
static double extrapolate(double dims, double tried, double residual, double aim, double length)
{
    double digits = -log10(fmax(fmin(residual, 0.5), aim)),
           rows = dims + (tried - dims) * -log10(aim) / digits;
    return fmax(tried, rows * pow(length / 10000, 1.0 / 6));
}

onefold_status of_eigen_trial_rows(of_context *context, const of_kernel *kernel,
                                   const of_partition_options *options, size_t scratch_bytes,
                                   double *rows)
{
    size_t n = kernel->view->samples, dims = options->dims < n ? options->dims : n, bytes;
    OF_TRY(of_size_multiply(&bytes, n, dims * sizeof(double)));
    OF_TRY(of_size_add(&bytes, bytes, scratch_bytes));
    OF_TRY(of_size_add(&bytes, bytes, atomic_load(&context->bytes)));
    if (context->memory_limit && bytes > context->memory_limit)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    of_route_work work = {.kernel = kernel,
                          .rows = dims,
                          .tolerance = options->tolerance,
                          .most_products = (3 * dims > FEWEST ? 3 * dims : FEWEST) / BLOCK};
    OF_TRY(of_share_make(&scratch, &work.H, dims, n));
    OF_TRY(OF_NEW(&scratch, &work.value, dims, 1));
    OF_TRY(of_krylov_way.run(context, &work));
    size_t length = of_krylov_uses_features(kernel) ? of_kernel_columns(kernel) : n;
    double aim = 0.01 * options->tolerance;
    *rows = work.residual <= aim ? (double)work.basis_rows
                                 : extrapolate((double)dims, (double)work.basis_rows, work.residual,
                                               aim, (double)length);
    return ONEFOLD_OK;
}

static const double WEIGHT[] = {
    [OF_ROUTE_GRAM] = 2.3,  [OF_ROUTE_KRYLOV] = 2,    [OF_ROUTE_DENSE] = 1.4,
    [OF_ROUTE_TILES] = 1.2, [OF_ROUTE_NYSTROM] = 1.3, [OF_ROUTE_LANDMARKS] = 1.3,
};

typedef struct shape {
    double n, d, k;
    double rows;      /* of basis that an eigensolver goes through */
    double entries;   /* numbers of the features, once */
    double steps;     /* of a loop, for one number of dense features */
    double landmarks; /* of the routes that have some, */
    double ties;      /* and how many of them a sample is tied to */
    int sparse;
    int features_side; /* the Krylov route works on vectors of d numbers, not n */
} shape;

/* Landmarks of a route, and how many each sample is tied to. */
static void count_landmarks(const of_kernel *kernel, of_route route,
                            const of_partition_options *options, shape *of, size_t *landmarks)
{
    size_t n = kernel->view->samples,
           r = options->neighbours ? options->neighbours : OF_NEIGHBOURS_STANDARD;
    *landmarks = 0;
    if (route == OF_ROUTE_NYSTROM)
        *landmarks = of_nystrom_landmarks(kernel, options->dims, options->landmarks);
    else if (route == OF_ROUTE_LANDMARKS)
        *landmarks =
            kernel->kind == OF_KERNEL_GRAPH ? n + 1 : of_landmark_count(n, options->landmarks);
    of->landmarks = (double)*landmarks;
    of->ties = kernel->kind == OF_KERNEL_GRAPH ? of->entries / fmax(of->n, 1) + 1
                                               : fmin((double)r, of->landmarks);
}

static shape shape_of(const of_kernel *kernel, of_route route, const of_partition_options *options,
                      size_t *landmarks)
{
    shape of = {.n = (double)kernel->view->samples,
                .d = (double)of_kernel_columns(kernel),
                .k = (double)options->dims,
                .sparse = kernel->features.start != NULL,
                .features_side = of_krylov_uses_features(kernel)};
    of.rows = fmin(kernel->kind == OF_KERNEL_RBF ? 4 * of.k + 64 : 8 * of.k + 110, of.n);
    of.entries = of.sparse ? (double)kernel->features.start[kernel->view->samples] : of.n * of.d;
    /* A number is copied, shifted and scaled in less than the step of a loop that is measured, as
     * nothing is compared; dividing by the sample's length is as much again. */
    of.steps = kernel->kind == OF_KERNEL_COSINE ? 1 : 0.5;
    count_landmarks(kernel, route, options, &of, landmarks);
    return of;
}

/* Keeping `rows` rows of n numbers orthogonal, eight at a time, twice, and the small problems. Of
 * more than 2 k + 256 rows the best are kept, and the work on each row grows no further. */
static void add_basis(of_work *work, double n, double k, double rows)
{
    double held = fmin(rows, 2 * k + 256);
    work->thin += 4 * n * rows * held;
    work->memory += n * rows * held / 2;
    work->factor += 9 * held * held * rows;
}

/* Bytes that a matrix of n x n doubles counts for when it is read: the rate of reading comes from
 * an array that the last cache holds in part, and a larger matrix is read at about half of it. */
static double read_whole(double n)
{
    double bytes = sizeof(double) * n * n;
    return bytes > 32 << 20 ? 2 * bytes : bytes;
}

/* An eigenproblem of a matrix that is held: LAPACK, or the block eigensolver (of_eigen_matrix). */
static void add_eigen(of_work *work, double n, double k, double rows)
{
    if (n <= 256 || 8 * k + 200 >= n) {
        work->factor += 4 * n * n * n;
        return;
    }
    work->thin += 2 * n * n * rows;
    work->memory += read_whole(n) * rows / 8;
    add_basis(work, n, k, rows);
}

/* Of sparse entries each is gathered once and scattered once, or gathered twice, for each row; in
 * blocks of eight rows of which one side or the other is too long for the nearer cache. On the
 * columns' side 64 partial sums are cleared, filled and added; then two residuals and the
 * projection. */
static void add_krylov(of_work *work, const shape *of)
{
    enum { NEAR = 4096 }; /* columns whose rows of a block are half a megabyte with the sums */
    double blocks = of->rows / 8, products = 2 * of->entries * of->rows;
    if (of->features_side || of->sparse)
        *(of->d <= NEAR && (of->features_side || of->n <= NEAR) ? &work->sparse
                                                                : &work->sparse_far) += products;
    if (of->features_side) {
        work->memory += blocks * (of->entries * (sizeof(double) + sizeof(uint32_t)) +
                                  3 * fmin(64, ceil(of->n / 1024)) * of->d * 8 * sizeof(double));
        work->sparse_far += 2 * of->entries * of->k * 3;
    } else if (!of->sparse) { /* each block reads the features twice */
        work->thin += 2 * products;
        work->loop += 2 * blocks * of->entries * of->steps;
    }
    add_basis(work, of->features_side ? of->d : of->n, of->k, of->rows);
}

static void add_gram(of_work *work, const shape *of)
{
    work->product += of->n * of->d * of->d + 2 * of->n * of->k * (of->d + of->k);
    work->loop += 4 * of->n * of->d;
    add_eigen(work, of->d, fmin(of->k, of->d), fmin(of->rows, of->d));
}

/* Of a landmark graph: six passes of k-means over the samples drawn, the distances of all, whose
 * least are looked for, the matrix on the landmarks' side and its eigenproblem. */
static void add_landmarks(of_work *work, const of_kernel *kernel,
                          const of_partition_options *options, const shape *of)
{
    double l = of->landmarks, drawn = l < of->n ? fmin(of->n, 20 * l) : 0, each = of->d;
    if (kernel->graph == OF_KERNEL_SUBSPACE && kernel->kind != OF_KERNEL_GRAPH) {
        shape inner = *of;
        inner.k = each = (double)of_view_graph_directions(kernel, options);
        inner.rows = fmin(8 * each + 110, of->n);
        (of->sparse || of->d > 1024 ? add_krylov : add_gram)(work, &inner);
    } else if (of->sparse && kernel->kind != OF_KERNEL_GRAPH) {
        double common = of->entries / of->n * of->entries / fmax(of->d, 1) * l / of->n;
        work->sparse += (6 * drawn + of->n) * common;
        each = 0;
    }
    if (kernel->kind != OF_KERNEL_GRAPH) {
        work->product += (6 * drawn + of->n) * l * 2 * each;
        work->loop += 2 * of->n * l;
    }
    work->sparse += of->n * of->ties * of->ties;
    add_eigen(work, fmin(l, 2048), of->k, fmin(8 * of->k + 110, l));
}

/* The sums of Nystrom see all samples up to 131072, else 65536 of them; single precision is twice
 * as fast. */
static void add_nystrom(of_work *work, const shape *of)
{
    double l = of->landmarks, drawn = fmin(of->n, 20 * l), large = of->n > 131072 ? 1 : 0,
           summed = large ? 65536 : of->n, seen = 2 * summed + of->n / (1 + large);
    work->product += seen * l * 2 * of->d + summed * l * l + 2 * of->n * l * of->k / (1 + large) +
                     (l < of->n ? 12 * 2 * drawn * l * of->d : 0);
    work->exponential += seen * l;
    work->loop += 2 * seen * l + (2 * summed + of->n) * of->d;
    work->factor += 10 * l * l * l;
}

static void add_dense(of_work *work, const of_kernel *kernel, const shape *of)
{
    double pairs = of->n * of->n;
    work->memory += 8 * read_whole(of->n);
    work->exponential += kernel->kind == OF_KERNEL_RBF ? pairs / 2 : 0;
    if (of->sparse)
        work->sparse += of->entries * of->entries / fmax(of->d, 1);
    else if (kernel->kind != OF_KERNEL_PRECOMPUTED)
        work->product += pairs * of->d;
    add_eigen(work, of->n, of->k, of->rows);
}

/* What a route does, and how often it reads the view, or what was made of it. */
static size_t add_route(of_work *work, of_route route, const of_kernel *kernel,
                        const of_partition_options *options, const shape *of)
{
    double block = fmin(fmax(of->k, 16), 32), pairs = of->n * of->n, times = 1 + of->rows / block;
    size_t blocks = (size_t)ceil(of->rows / 8);
    switch (route) {
    case OF_ROUTE_GRAM:
        add_gram(work, of);
        return 4;         /* mean, lengths, Gram matrix, projection */
    case OF_ROUTE_KRYLOV: /* on the columns' side a product reads once; residuals, projection */
        add_krylov(work, of);
        return of->features_side ? 5 + blocks : 2 + 2 * blocks;
    case OF_ROUTE_DENSE:
        add_dense(work, kernel, of);
        return 1;
    case OF_ROUTE_TILES:
        work->product += times * pairs * of->d;
        work->exponential += times * pairs / 2;
        work->thin += times * 2 * pairs * block;
        add_basis(work, of->n, of->k, of->rows);
        return kernel->kind == OF_KERNEL_RBF ? 1 + (size_t)ceil(of->rows / block) : 2;
    case OF_ROUTE_NYSTROM:
        add_nystrom(work, of);
        return 3; /* mean, sum, projection */
    case OF_ROUTE_LANDMARKS:
        add_landmarks(work, kernel, options, of);
        return kernel->graph == OF_KERNEL_SUBSPACE ? 4 : 2; /* components; drawn, tied */
    }
    return 0;
}

double of_work_seconds(const of_work *work, const of_rates *rates)
{
    return work->product / rates->product + work->thin / rates->thin + work->loop / rates->loop +
           work->memory / rates->memory + work->exponential / rates->exponential +
           work->sparse / rates->sparse + work->sparse_far / rates->sparse_far +
           work->factor / rates->factor + work->polar * rates->polar;
}

onefold_status of_partition_estimate_time(of_context *context, const of_kernel *kernel,
                                          of_route route, const of_partition_options *options,
                                          const of_rates *rates, of_partition_estimate *estimate)
{
    of_partition_estimate made = {.route = route};
    of_work work = {0};
    OF_TRY(of_partition_check(kernel, options));
    OF_TRY(of_partition_bytes(context, kernel, route, options, &made.scratch_bytes));
    shape of = shape_of(kernel, route, options, &made.landmarks);
    if (route == OF_ROUTE_KRYLOV)
        OF_TRY(of_eigen_trial_rows(context, kernel, options, made.scratch_bytes, &of.rows));
    made.passes = add_route(&work, route, kernel, options, &of);
    /* signs and lengths of what comes out */
    made.seconds = WEIGHT[route] * of_work_seconds(&work, rates) + 5 * of.n * of.k / rates->loop;
    *estimate = made;
    return ONEFOLD_OK;
}
