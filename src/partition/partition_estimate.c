/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/partition_estimate.h"

#include "base/context.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "partition/routes.h"
#include "partition/view_graph.h"

#include <math.h>

/*
 * The rate of products is measured: every thread at once repeats a small one for some milliseconds
 * by the clock, so that what other programs take from the machine shows. Memory and eigenproblems
 * are to products as on the machines that were measured. Clocks enter estimates only, never a
 * result.
 */

enum { SIDE = 160, OWN = 3 * SIDE * SIDE };
static const double LONG_ENOUGH = 15e-3;
static const double BYTES_PER_FLOP = 0.45, EIGEN_FLOPS_PER_FLOP = 0.5;

typedef struct rate_task {
    double *own;  /* per worker: OWN numbers */
    double *rate; /* per piece */
} rate_task;

/* The first product is not counted. */
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
    of_context_log(context, "a second here: %.3g flops of products", *product);
    return ONEFOLD_OK;
}

onefold_status of_rates_measure(of_context *context, onefold_precision precision, of_work *cpu,
                                of_work *gpu)
{
    size_t limit = context->memory_limit;
    double product = 0;
    context->memory_limit = 0; /* a MB for each thread is taken whatever the limit of the fit is */
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
