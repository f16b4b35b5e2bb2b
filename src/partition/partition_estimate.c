/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/partition_estimate.h"

#include "base/context.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "partition/routes.h"
#include "partition/view_graph.h"

#include <math.h>

/*
 * Each rate is that of a small piece of work, repeated for some milliseconds by every thread at
 * once, in the thread's own time; how much longer the wall clock took says what other programs take
 * from the machine at the moment. Clocks enter estimates only, never a result.
 */

enum { WIDE = 160, EIGEN = 96, NEAR = 1 << 14, FAR = 1 << 22, OWN = 3 * WIDE * WIDE };
static const double LONG_ENOUGH = 6e-3;

typedef struct rate_task {
    of_context *context;
    onefold_status (*work)(struct rate_task *task, double *own);
    double *own;   /* per worker: OWN numbers */
    double *large; /* `length` numbers: FAR are more than most caches hold */
    size_t length;
    double *each, *wall, *worked; /* per piece: times in a second; seconds by the clock, at work */
} rate_task;

static onefold_status multiply(rate_task *task, double *own)
{
    (void)task;
    of_gemm('N', 'N', WIDE, WIDE, WIDE, 1, own, WIDE, own + WIDE * WIDE, WIDE, 0,
            own + 2 * WIDE * WIDE, WIDE);
    return ONEFOLD_OK;
}

static onefold_status read_memory(rate_task *task, double *own)
{
    own[0] = cblas_ddot((int)task->length, task->large, 1, task->large, 1);
    return ONEFOLD_OK;
}

/* A symmetric matrix, away from all special ones. */
static onefold_status decompose(rate_task *task, double *own)
{
    for (size_t i = 0; i < EIGEN; i++)
        for (size_t j = 0; j < EIGEN; j++)
            own[i * EIGEN + j] = (double)((i * j + i + j) % 17) + (i == j ? 20 : 0);
    return of_eigh(task->context, EIGEN, own, own + EIGEN * EIGEN);
}

/* since some fixed moment */
static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One thread at it until it has worked long enough; the first time is not counted. */
static onefold_status work_round(void *opaque, size_t index)
{
    rate_task *task = opaque;
    double *own = task->own + of_team_worker() * OWN;
    OF_TRY(task->work(task, own));
    double began = thread_seconds(), wall = of_clock_seconds(), took = 0, times = 0;
    for (double more = 1; took < LONG_ENOUGH; more *= 2) {
        for (double t = 0; t < more; t++)
            OF_TRY(task->work(task, own));
        times += more;
        took = thread_seconds() - began;
    }
    task->each[index] = times / took;
    task->wall[index] += of_clock_seconds() - wall;
    task->worked[index] += took;
    return ONEFOLD_OK;
}

static double sum_of(size_t count, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += x[i];
    return sum;
}

static onefold_status measure(of_context *context, size_t length, of_work *rates)
{
    OF_SCRATCH(scratch, context);
    size_t workers = of_team_size(context);
    rate_task task = {.context = context, .length = length};
    OF_TRY(OF_NEW_ALL_ZERO(&scratch, {&task.own, workers, OWN}, {&task.large, length, 1},
                           {&task.each, workers, 3}));
    task.wall = task.each + workers;
    task.worked = task.wall + workers;
    const struct {
        onefold_status (*work)(rate_task *task, double *own);
        size_t workers;
        double amount, *rate;
    } all[] = {
        {multiply, workers, 2.0 * WIDE * WIDE * WIDE, &rates->product},
        {read_memory, workers, (double)(length * sizeof(double)), &rates->memory},
        {decompose, 1, 9.0 * EIGEN * EIGEN * EIGEN, &rates->factor},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        task.work = all[i].work;
        OF_TRY(of_team_run(context, all[i].workers, work_round, &task));
        *all[i].rate = all[i].amount * sum_of(all[i].workers, task.each);
    }
    double slowdown = fmax(1, sum_of(workers, task.wall) / sum_of(workers, task.worked));
    of_context_log(context,
                   "a second here: %.3g flops of products, %.3g bytes, %.3g flops of eigenproblems;"
                   " other programs make all %.3g times slower",
                   rates->product, rates->memory, rates->factor, slowdown);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i].rate /= slowdown;
    return ONEFOLD_OK;
}

/* A MB for each thread is taken whatever the limit of the fit is; what is more than a cache holds
 * only within it. */
onefold_status of_rates_measure(of_context *context, onefold_precision precision, of_work *cpu,
                                of_work *gpu)
{
    size_t limit = context->memory_limit,
           wanted = atomic_load(&context->bytes) + FAR * sizeof(double);
    context->memory_limit = 0;
    *cpu = (of_work){.copied = INFINITY};
    onefold_status status = measure(context, limit && wanted > limit ? NEAR : FAR, cpu);
    *gpu = (of_work){precision == ONEFOLD_DOUBLE ? 8e12 : 38e12, 2e12, cpu->factor, 3e10};
    context->memory_limit = limit;
    return status;
}

double of_work_seconds(const of_work *work, const of_work *rates)
{
    return work->product / rates->product + work->memory / rates->memory +
           work->factor / rates->factor + work->copied / rates->copied;
}

/* ---- routes (partition/routes.h has their operations too) ----------------------------------- */

typedef struct shape {
    double n, d, k;
    double rows;    /* of basis that an eigensolver goes through */
    double entries; /* numbers of the features, once */
    int sparse, features_side;
} shape;

/* Rows of basis for k of n, where nothing better is known. */
static double basis_rows(const of_kernel *kernel, double n, double k)
{
    return fmin(kernel->kind == OF_KERNEL_RBF && !kernel->graph ? 4 * k + 64 : 8 * k + 110, n);
}

static shape shape_of(const of_kernel *kernel, const of_partition_options *options)
{
    shape of = {.n = (double)kernel->view->samples,
                .d = (double)of_kernel_columns(kernel),
                .k = (double)options->dims,
                .sparse = kernel->features.start != NULL,
                .features_side = of_krylov_uses_features(kernel)};
    of.rows = basis_rows(kernel, of.n, of.k);
    of.entries = of.sparse ? (double)kernel->features.start[kernel->view->samples] : of.n * of.d;
    return of;
}

/* Keeping `rows` rows of n numbers orthogonal, twice, and the small problems. Of more than 2 k +
 * 256 rows the best are kept, and the work on each row grows no further. */
static void add_basis(of_work *work, double n, double k, double rows)
{
    double held = fmin(rows, 2 * k + 256);
    work->product += OF_WORK_THIN * 4 * n * rows * held;
    work->factor += 9 * held * held * rows;
}

/* An eigenproblem of a matrix that is held: LAPACK, or the block eigensolver (of_eigen_matrix). */
static void add_eigen(of_work *work, double n, double k, double rows)
{
    if (n <= 256 || 8 * k + 200 >= n) {
        work->factor += 4 * n * n * n;
        return;
    }
    work->product += OF_WORK_THIN * 2 * n * n * rows;
    work->memory += 2 * n * n * rows; /* it is read once for eight of them, from afar */
    add_basis(work, n, k, rows);
}

/* A flat spectrum takes several times as many rows as others. */
static void add_krylov(of_work *work, const shape *of)
{
    double rows = 1.7 * of->rows;
    if (of->sparse)
        work->memory += OF_WORK_ENTRY * 2 * of->entries * rows;
    else {
        work->product += OF_WORK_THIN * 4 * of->entries * rows;
        work->memory += 4 * of->entries * rows; /* read twice for eight rows, and centred */
    }
    add_basis(work, of->features_side ? of->d : of->n, of->k, rows);
}

static void add_gram(of_work *work, const shape *of)
{
    work->product += OF_WORK_THIN * of->n * (of->d * of->d + 2 * of->k * (of->d + of->k));
    work->memory += 160 * of->n * of->d;
    add_eigen(work, of->d, fmin(of->k, of->d), fmin(of->rows, of->d));
}

/* Of a landmark graph: six passes of k-means over the samples drawn, the distances of all, whose
 * least are looked for, and the eigenproblem of the landmarks or of the samples. */
static void add_landmarks(of_work *work, const of_kernel *kernel,
                          const of_partition_options *options, const shape *of)
{
    size_t n = kernel->view->samples;
    int links = kernel->kind == OF_KERNEL_GRAPH;
    double l = links ? of->n + 1 : (double)of_landmark_count(n, options->landmarks),
           seen = of->n + (l < of->n ? 3 * fmin(of->n, 20 * l) : 0), each = of->d,
           ties = options->neighbours ? (double)options->neighbours : OF_NEIGHBOURS_STANDARD;
    if (links) {
        ties = of->entries / fmax(of->n, 1) + 1;
    } else if (kernel->graph == OF_KERNEL_SUBSPACE) {
        shape inner = *of;
        inner.k = each = (double)of_view_graph_directions(kernel, options);
        inner.rows = basis_rows(kernel, of->n, each);
        (of->sparse || of->d > 1024 ? add_krylov : add_gram)(work, &inner);
    } else if (of->sparse) { /* entries that a sample has in common with landmarks */
        work->memory += OF_WORK_ENTRY * seen * of->entries / fmax(of->n, 1) * of->entries /
                        fmax(of->d, 1) * l / fmax(of->n, 1);
        each = 0;
    }
    if (!links) {
        work->product += seen * l * 2 * each;
        work->memory += 16 * of->n * l;
    }
    work->memory += OF_WORK_ENTRY * of->n * ties * ties;
    double rows = fmin(basis_rows(kernel, of->n, of->k), l);
    if (l * l <= 2 * of->n * ties) {
        add_eigen(work, fmin(l, 2048), of->k, rows);
    } else { /* both products with the ties */
        work->memory += OF_WORK_ENTRY * 2 * of->n * ties * rows;
        add_basis(work, fmin(fmin(l, of->n), 2048), of->k, rows);
    }
}

/* Of many samples the sums of Nystrom see a part; single precision is twice as fast. */
static void add_nystrom(of_work *work, const shape *of, double l)
{
    double drawn = fmin(of->n, 20 * l), large = of->n > OF_NYSTROM_LARGE ? 1 : 0,
           summed = fmin(of->n, OF_NYSTROM_LARGE), seen = 2 * summed + of->n / (1 + large);
    work->product += seen * l * (OF_WORK_THIN * 2 * of->d + OF_WORK_EXPONENTIAL) + summed * l * l +
                     2 * OF_WORK_THIN * of->n * l * of->k / (1 + large) +
                     (l < of->n ? 24 * drawn * l * of->d : 0);
    work->memory += 32 * (seen * l + (2 * summed + of->n) * of->d);
    work->factor += 10 * l * l * l;
}

static void add_dense(of_work *work, const of_kernel *kernel, const shape *of)
{
    double pairs = of->n * of->n;
    work->memory += 100 * pairs;
    if (kernel->kind == OF_KERNEL_RBF)
        work->product += OF_WORK_EXPONENTIAL * pairs / 2;
    if (of->sparse)
        work->memory += OF_WORK_ENTRY * of->entries * of->entries / fmax(of->d, 1);
    else if (kernel->kind != OF_KERNEL_PRECOMPUTED)
        work->product += pairs * of->d;
    add_eigen(work, of->n, of->k, of->rows);
}

of_partition_estimate of_partition_work(const of_kernel *kernel, of_route route,
                                        const of_partition_options *options)
{
    of_partition_estimate made = {.route = route, .times = 1};
    shape of = shape_of(kernel, options);
    double block = fmin(fmax(of.k, 16), 32), pairs = of.n * of.n, times = 1 + of.rows / block;
    size_t blocks = (size_t)ceil(of.rows / 8);
    switch (route) {
    case OF_ROUTE_GRAM:
        add_gram(&made.work, &of);
        made.passes = 4; /* mean, lengths, Gram matrix, projection */
        break;
    case OF_ROUTE_KRYLOV: /* on the columns' side a product reads once; residuals, projection */
        add_krylov(&made.work, &of);
        made.passes = of.features_side ? 5 + blocks : 2 + 2 * blocks;
        break;
    case OF_ROUTE_DENSE:
        add_dense(&made.work, kernel, &of);
        made.passes = 1;
        break;
    case OF_ROUTE_TILES:
        made.work.product +=
            times * pairs * (of.d + OF_WORK_EXPONENTIAL / 2 + OF_WORK_THIN * 2 * block);
        add_basis(&made.work, of.n, of.k, of.rows);
        made.passes = kernel->kind == OF_KERNEL_RBF ? 1 + (size_t)ceil(of.rows / block) : 2;
        break;
    case OF_ROUTE_NYSTROM:
        made.landmarks = of_nystrom_landmarks(kernel, options->dims, options->landmarks);
        add_nystrom(&made.work, &of, (double)made.landmarks);
        made.passes = 3; /* mean, sum, projection */
        break;
    case OF_ROUTE_LANDMARKS:
        add_landmarks(&made.work, kernel, options, &of);
        made.landmarks = kernel->kind == OF_KERNEL_GRAPH
                             ? kernel->view->samples + 1
                             : of_landmark_count(kernel->view->samples, options->landmarks);
        made.passes = kernel->graph == OF_KERNEL_SUBSPACE ? 4 : 2; /* components; drawn, tied */
        break;
    }
    made.work.memory += 40 * of.n * of.k; /* signs and lengths of what comes out */
    return made;
}
