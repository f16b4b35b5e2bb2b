/* SPDX-License-Identifier: Apache-2.0 */
/* Base partitions: the k leading eigenvectors of a view's finished kernel, as rows. */
#ifndef OF_PARTITION_PARTITION_H
#define OF_PARTITION_PARTITION_H

#include "base/comm.h"
#include "base/device.h"
#include "kernel/kernel.h"

typedef enum of_route {
    OF_ROUTE_GRAM,     /* eigenproblem of the columns' Gram matrix */
    OF_ROUTE_KRYLOV,   /* block Krylov on implicit products with sparse features */
    OF_ROUTE_DENSE,    /* the kernel matrix itself: given, or under 256 MB */
    OF_ROUTE_TILES,    /* tiles of an rbf kernel made on the fly */
    OF_ROUTE_NYSTROM,  /* landmarks of an rbf kernel */
    OF_ROUTE_LANDMARKS /* the spectrum of a landmark graph */
} of_route;

typedef struct of_partition_options {
    size_t dims;       /* k */
    double tolerance;  /* on ||K v - lambda v|| / lambda_1; 1e-8 */
    onefold_base base; /* auto: as if the kernel were the only one of its fit */
    size_t landmarks;
    uint64_t seed;
    int project;                 /* non-zero: keep what projects new samples */
    onefold_precision precision; /* in which it projects them, where that is exact enough */
    /* Of landmark graphs: ties of each sample (0: 8), and principal components whose directions a
     * subspace compares (0: half as many again as dims). */
    size_t neighbours, directions;
    size_t wide_neighbours; /* of a second graph; 0: none */
    /* Rows row .. of a stack on a GPU, for the routes that can be taken there; NULL: none. */
    const of_device_use *use;
    of_device_stack *there;
    size_t row;
    const struct of_landmarks *landmarks_made; /* of the route nystrom; NULL: it makes them */
} of_partition_options;

typedef struct of_partition {
    of_route route;
    size_t rank;          /* rows that are not zero; the rest is surplus over the numerical rank */
    double residual;      /* largest ||K v - lambda v|| / lambda_1 over the rows kept; nystrom: the
                             relative error of the kernel on held-out samples */
    const double *values; /* dims eigenvalues, descending; zero beyond the rank */
    int converged;
    const struct of_projection *projection; /* NULL unless it was asked for */
    int on_gpu; /* a GPU did the products with a kernel that is not formed */
} of_partition;

/* The route as callers of the library know it: 0 is none there. */
static inline onefold_route of_route_public(of_route route)
{
    return (onefold_route)(route + 1);
}

/* What `auto` is for the kernels of a fit together: landmarks for all that are rbf where their
 * exact routes would take more operations, else exact. By shapes alone. Another base is itself. */
onefold_base of_partition_base(const of_kernel *kernels, size_t count,
                               const of_partition_options *options);

/* The route that a kernel is to take, from shapes alone. A fit asks once for each of its views,
 * when it is planned, and hands the answer on. */
of_route of_partition_route(const of_kernel *kernel, const of_partition_options *options);

/* Refuses options that no route can follow: landmarks that are too many, or too few. */
onefold_status of_partition_check(const of_kernel *kernel, const of_partition_options *options);

/* The bytes that of_partition_make takes. */
typedef struct of_partition_size {
    size_t memory;     /* with the threads of the context, what it keeps included */
    size_t projection; /* of the arrays of the projection, where that is asked for */
    size_t gpu;        /* on the context's GPU, besides H and bounded room */
} of_partition_size;
onefold_status of_partition_bytes(of_context *context, const of_kernel *kernel, of_route route,
                                  const of_partition_options *options, of_partition_size *size);

/* Whether of_partition_make fills a stack on a GPU where options->there is one; else H. By
 * shapes alone. */
int of_partition_fits_device(of_context *context, const of_kernel *kernel, of_route route,
                             const of_partition_options *options);

/* H (dims x samples, a sample contiguous): row r is the eigenvector of the
 * r-th largest eigenvalue, of unit length, its entry of largest modulus positive (the first such
 * entry among equals), by the route that was decided on. Rows beyond the numerical rank are zero.
 * Arrays of *partition are from `arena`. */
onefold_status of_partition_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                 of_route route, const of_partition_options *options, of_share H,
                                 of_partition *partition);

/* About how long a fit will take: each stage has amounts of a few kinds of work, by shapes alone,
 * and a machine does so much of each in a second. Good to a factor of two or three. */

/* Amounts of work; or rates: how much of each is done in a second. */
typedef struct of_work {
    double product; /* flops of products of matrices, by all threads */
    double memory;  /* bytes that all threads read from memory, or that go through their loops */
    double factor;  /* flops of eigenproblems (9 n^3) and the like, by one thread */
    double copied;  /* bytes to a GPU and back */
} of_work;

double of_work_seconds(const of_work *work, const of_work *rates);

/* What this machine does at the moment: measured in some tens of milliseconds, for estimates of
 * time and nothing else. And what an H200 does in this precision (docs/gpu.md), which is what there
 * is to go by before a GPU is opened: all but the eigenproblems, which are left to the CPU. */
onefold_status of_rates_measure(of_context *context, onefold_precision precision, of_work *cpu,
                                of_work *gpu);

/* Work that is no product, as if it were: flops of an exponential, bytes of an entry of a sparse
 * matrix times a number; and how much longer a product with one short side takes. */
#define OF_WORK_EXPONENTIAL 60
#define OF_WORK_ENTRY 16
#define OF_WORK_THIN 2

typedef struct of_partition_estimate {
    of_route route;
    size_t passes;    /* over the view or its features; those of an iterative route are typical */
    size_t landmarks; /* of the nystrom route, else 0 */
    of_work work;
    /* For whoever makes it: how often, and whether that can be on a GPU; and what came of it. */
    double times;
    int on_gpu;
    double seconds;
} of_partition_estimate;

/* What a route does. Rows of basis that the block eigensolver will need depend on the data:
 * typical counts stand in. */
of_partition_estimate of_partition_work(const of_kernel *kernel, of_route route,
                                        const of_partition_options *options);

#endif
