/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of time: the rates of this machine, and the work of each route. */
#include "partition/partition.h"

#include "base/context.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/kmeans.h"
#include "partition/routes.h"
#include "partition/view_graph.h"

#include <math.h>

/*
 * The rate of products is measured: all threads at once repeat a small product for some
 * milliseconds, so the load of other programs counts. The rates of memory and eigenproblems are in
 * a fixed ratio to it, from measurements of several machines. Clocks never influence a result.
 */

enum { SIDE = 160, OWN = 3 * SIDE * SIDE };
static const double LONG_ENOUGH = 15e-3;
static const double BYTES_PER_FLOP = 0.45, EIGEN_FLOPS_PER_FLOP = 0.5;

typedef struct rate_task {
    double *own;  /* per worker: OWN numbers */
    double *rate; /* per piece */
} rate_task;

/* The first product warms up and is not counted. */
static onefold_status multiply_repeatedly(void *opaque, size_t index)
{
    rate_task *task = opaque;
    double *a = task->own + of_team_worker() * OWN, *b = a + SIDE * SIDE, *c = b + SIDE * SIDE,
           began = 0, took = 0;
    for (double times = 0; took < LONG_ENOUGH; times++) {
        of_gemm('N', 'N', SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE);
        if (times == 0)
            began = of_clock_seconds();
        took = of_clock_seconds() - began;
        task->rate[index] = times * 2 * SIDE * SIDE * SIDE / took;
    }
    return ONEFOLD_OK;
}

static onefold_status measure(of_context *context, double *product)
{
    OF_SCRATCH(scratch, context);
    size_t workers = (size_t)of_team_size(context);
    rate_task task;
    OF_TRY(OF_NEW_ZERO(&scratch, &task.own, workers, OWN));
    OF_TRY(OF_NEW(&scratch, &task.rate, workers, 1));
    OF_TRY(of_team_run(context, workers, multiply_repeatedly, &task));
    for (size_t i = 0; i < workers; i++)
        *product += task.rate[i];
    of_context_log(context, "products: %.3g flops a second", *product);
    return ONEFOLD_OK;
}

onefold_status of_rates_measure(of_context *context, onefold_precision precision, of_work *cpu,
                                of_work *gpu)
{
    size_t limit = context->memory_limit;
    double product = 0;
    context->memory_limit = 0; /* a MB for each thread does not count against the limit */
    onefold_status status = measure(context, &product);
    context->memory_limit = limit;
    double alone = EIGEN_FLOPS_PER_FLOP * product / of_team_size(context);
    *cpu = (of_work){product, BYTES_PER_FLOP * product, alone, INFINITY};
    *gpu = (of_work){precision == ONEFOLD_DOUBLE ? 8e12 : 38e12, 2e12, alone, 3e10};
    return status;
}

double of_work_seconds(const of_work *work, const of_work *rates)
{
    return work->product / rates->product + work->memory / rates->memory +
           work->factor / rates->factor + work->copied / rates->copied;
}

/* ---- routes (partition/routes.h has their operations too) ----------------------------------- */

/* Rows of the basis that the block eigensolver computes for k of n eigenvectors. */
static double basis_rows(double n, double k)
{
    return fmin(6 * k + 80, n);
}

/* The block eigensolver: for each row of the basis a product with the operator, of `product` flops
 * and `memory` bytes; two orthogonalisations of the rows, of n numbers; and small eigenproblems. At
 * most 2 k + 256 rows are held, so the work on each row is bounded. */
static void add_solver(of_work *work, double n, double k, double rows, double product,
                       double memory)
{
    double held = fmin(rows, 2 * k + 256);
    work->product += rows * (product + OF_WORK_THIN * 4 * n * held);
    work->memory += rows * memory;
    work->factor += 9 * held * held * rows;
}

/* An eigenproblem of a matrix in memory, which is read once for eight rows. */
static void add_eigen(of_work *work, double n, double k)
{
    if (of_eigen_is_small((size_t)n, (size_t)k))
        work->factor += 4 * n * n * n;
    else
        add_solver(work, n, k, basis_rows(n, k), OF_WORK_THIN * 2 * n * n, 2 * n * n);
}

/* The shape s a view. */
typedef struct shape {
    double n, d, k;
    double entries; /* numbers in the features */
    int sparse;
} shape;

/* On a flat spectrum the solver takes several times as many rows as on others. */
static void add_krylov(of_work *work, const shape *s, double side)
{
    double rows = 2.5 * basis_rows(side, s->k);
    if (s->sparse)
        add_solver(work, side, s->k, rows, 0, OF_WORK_ENTRY * 2 * s->entries);
    else /* read twice for eight rows, and centred */
        add_solver(work, side, s->k, rows, OF_WORK_THIN * 4 * s->entries, 4 * s->entries);
}

static void add_gram(of_work *work, const shape *s)
{
    work->product += OF_WORK_THIN * s->n * (s->d * s->d + 2 * s->k * (s->d + s->k));
    work->memory += 160 * s->n * s->d;
    add_eigen(work, s->d, fmin(s->k, s->d));
}

/* A landmark graph: six passes of k-means over the drawn samples, the nearest landmarks of all, and
 * products with the ties. */
static void add_landmarks(of_work *work, const of_kernel *kernel,
                          const of_partition_options *options, shape s, double l)
{
    double seen = s.n + (l < s.n ? 3 * fmin(s.n, 20 * l) : 0), each = s.d, k = s.k,
           ties = options->neighbours ? (double)options->neighbours : OF_NEIGHBOURS_STANDARD;
    if (of_kernel_is_links(kernel->kind)) {
        ties = s.entries / fmax(s.n, 1) + 1;
    } else {
        if (kernel->graph == OF_KERNEL_SUBSPACE) { /* over principal components */
            s.k = each = (double)of_view_graph_directions(kernel, options);
            if (s.sparse || s.d > 1024)
                add_krylov(work, &s, s.n);
            else
                add_gram(work, &s);
        } else if (s.sparse) { /* entries that a sample and a landmark have in common */
            each = OF_WORK_ENTRY * s.entries / fmax(s.n, 1) * s.entries / fmax(s.n * s.d, 1);
        }
        double drawn = l < s.n ? fmin(s.n, 20 * l) : 0;
        if (!s.sparse && of_kmeans_on_gram((size_t)each, (size_t)drawn)) {
            work->product += drawn * drawn * each; /* k-means on the Gram matrix, and its steps */
            work->memory += 50 * 8 * drawn * drawn;
        }
        work->product += seen * l * 2 * each;
        work->memory += 16 * s.n * l;
    }
    work->memory += OF_WORK_ENTRY * s.n * ties * ties;
    double side = fmin(fmin(l, s.n), 2048);
    add_solver(work, side, k, basis_rows(side, k), 0,
               fmin(OF_WORK_ENTRY * 2 * s.n * ties, 8 * side * side));
}

/* With many samples, the sums of Nystrom take a part of them; single precision is twice as fast. */
static void add_nystrom(of_work *work, const shape *s, double l)
{
    double drawn = fmin(s->n, 20 * l), large = s->n > OF_NYSTROM_LARGE ? 1 : 0,
           summed = fmin(s->n, OF_NYSTROM_LARGE), seen = 2 * summed + s->n / (1 + large);
    work->product += seen * l * (OF_WORK_THIN * 2 * s->d + OF_WORK_EXPONENTIAL) + summed * l * l +
                     2 * OF_WORK_THIN * s->n * l * s->k / (1 + large) +
                     (l < s->n ? 24 * drawn * l * s->d : 0);
    work->memory += 32 * (seen * l + (2 * summed + s->n) * s->d);
    work->factor += 10 * l * l * l;
}

static void add_dense(of_work *work, const of_kernel *kernel, const shape *s)
{
    double pairs = s->n * s->n;
    work->memory += 100 * pairs;
    if (of_kernel_has_distances(kernel->kind))
        work->product += OF_WORK_EXPONENTIAL * pairs / 2;
    if (s->sparse)
        work->memory += OF_WORK_ENTRY * s->entries * s->entries / fmax(s->d, 1);
    else if (!of_kernel_is_given(kernel->kind))
        work->product += pairs * s->d;
    add_eigen(work, s->n, s->k);
}

of_partition_estimate of_partition_work(const of_kernel *kernel, of_route route,
                                        const of_partition_options *options)
{
    of_partition_estimate made = {.route = route, .times = 1};
    size_t n = kernel->view->samples;
    int sparse = kernel->features.start != NULL, features_side = of_krylov_uses_features(kernel);
    shape s = {.n = (double)n,
               .d = (double)of_kernel_columns(kernel),
               .k = (double)options->dims,
               .sparse = sparse};
    s.entries = sparse ? (double)kernel->features.start[n] : s.n * s.d;
    double block = (double)of_tiles_block(n, options->dims), rows = basis_rows(s.n, s.k),
           pairs = s.n * s.n;
    switch (route) {
    case OF_ROUTE_GRAM:
        add_gram(&made.work, &s);
        made.passes = 4; /* mean, lengths, Gram matrix, projection */
        break;
    case OF_ROUTE_KRYLOV: /* products read once on the columns' side; then residuals, projection */
        add_krylov(&made.work, &s, features_side ? s.d : s.n);
        made.passes = features_side ? 5 + (size_t)(rows / 8) : 2 + 2 * (size_t)(rows / 8);
        break;
    case OF_ROUTE_DENSE:
        add_dense(&made.work, kernel, &s);
        made.passes = 1;
        break;
    case OF_ROUTE_TILES:
        add_solver(&made.work, s.n, s.k, rows,
                   pairs * ((s.d + OF_WORK_EXPONENTIAL / 2) / block + OF_WORK_THIN * 2), 0);
        made.passes = 1 + (size_t)ceil(rows / block);
        break;
    case OF_ROUTE_NYSTROM:
        made.landmarks = of_nystrom_landmarks(kernel, options->dims, options->landmarks);
        add_nystrom(&made.work, &s, (double)made.landmarks);
        made.passes = 3; /* mean, sum, projection */
        break;
    case OF_ROUTE_LANDMARKS:
        made.landmarks =
            of_kernel_is_links(kernel->kind) ? n + 1 : of_landmark_count(n, options->landmarks);
        add_landmarks(&made.work, kernel, options, s, (double)made.landmarks);
        made.passes = kernel->graph == OF_KERNEL_SUBSPACE ? 4 : 2; /* components; drawn, tied */
        break;
    }
    made.work.memory += 40 * s.n * s.k; /* signs and lengths of rows */
    return made;
}
