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
    OF_ROUTE_DENSE,    /* the kernel matrix itself: given, or at most 256 MB */
    OF_ROUTE_TILES,    /* tiles of an rbf kernel, computed for each product */
    OF_ROUTE_NYSTROM,  /* landmarks of an rbf kernel */
    OF_ROUTE_LANDMARKS /* the spectrum of a landmark graph */
} of_route;

typedef struct of_partition_options {
    size_t dims;       /* k */
    double tolerance;  /* on ||K v - lambda v|| / lambda_1; 1e-8 */
    onefold_base base; /* auto: as if the kernel were the only one of its fit */
    size_t landmarks;
    uint64_t seed;
    int project;                 /* non-zero: make a projection of new samples */
    onefold_precision precision; /* of that projection, where it is exact enough */
    /* landmark graphs: ties of each sample (0: 8), and principal components of a subspace (0: 1.5
     * times dims) */
    size_t neighbours, directions;
    size_t wide_neighbours; /* of a second graph; 0: none */
    /* rows row .. of a stack on a GPU take H, for routes that allow it; NULL: none */
    const of_device_use *use;
    of_device_stack *there;
    size_t row;
    const struct of_landmarks *landmarks_made; /* of the route nystrom; NULL: it makes them */
} of_partition_options;

typedef struct of_partition {
    of_route route;
    size_t rank;          /* the numerical rank: later rows are zero */
    double residual;      /* largest ||K v - lambda v|| / lambda_1 over the rows kept; nystrom: the
                             relative error of the kernel on held-out samples */
    const double *values; /* dims eigenvalues, descending; zero beyond the rank */
    int converged;
    const struct of_projection *projection; /* NULL unless options->project */
    int on_gpu; /* a GPU did the products with a kernel that is not formed */
} of_partition;

/* The public enum of a route, whose 0 is none. */
static inline onefold_route of_route_public(of_route route)
{
    return (onefold_route)(route + 1);
}

/* options->base, with `auto` resolved for the kernels of a fit together: landmarks for all rbf
 * kernels where their exact routes would take more memory, else exact. From shapes alone. */
onefold_base of_partition_base(const of_kernel *kernels, size_t count,
                               const of_partition_options *options);

/* The route of a kernel, from shapes alone. A plan calls it once for each view. */
of_route of_partition_route(const of_kernel *kernel, const of_partition_options *options);

/* Refuses too many landmarks, or too few. */
onefold_status of_partition_check(const of_kernel *kernel, const of_partition_options *options);

/* The bytes that of_partition_make takes. */
typedef struct of_partition_size {
    size_t memory;     /* with the threads of the context, results included */
    size_t projection; /* of these, the arrays of the projection */
    size_t gpu;        /* on the context's GPU, without H and buffers of fixed size */
} of_partition_size;
onefold_status of_partition_bytes(of_context *context, const of_kernel *kernel, of_route route,
                                  const of_partition_options *options, of_partition_size *size);

/* Whether of_partition_make fills options->there instead of H, where that is not NULL. From shapes
 * alone. */
int of_partition_fits_device(of_context *context, const of_kernel *kernel, of_route route,
                             const of_partition_options *options);

/* H (dims x samples, a sample contiguous) by a route: row r is the eigenvector of the r-th largest
 * eigenvalue, of unit length, its entry of largest modulus positive (the first among equals). Rows
 * beyond the numerical rank are zero. Arrays of *partition are from `arena`. */
onefold_status of_partition_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                 of_route route, const of_partition_options *options, of_share H,
                                 of_partition *partition);

/* The estimate of a fit's time: each stage has amounts of a few kinds of work, from shapes alone;
 * a machine has a rate for each kind. Good to a factor of two or three. */

/* Amounts of work; or rates, amounts in a second. */
typedef struct of_work {
    double product; /* flops of products of matrices, by all threads */
    double memory;  /* bytes that all threads read from memory, or process in loops */
    double factor;  /* flops of eigenproblems (9 n^3) and other factorisations, by one thread */
    double copied;  /* bytes to a GPU and back */
} of_work;

OF_PRIVATE double of_work_seconds(const of_work *work, const of_work *rates);

/* The present rates of this machine, measured in some tens of milliseconds, for estimates of time
 * only. And the rates of an H200 in this precision (docs/gpu.md), used before a GPU is opened;
 * factorisations stay on the CPU. */
OF_PRIVATE onefold_status of_rates_measure(of_context *context, onefold_precision precision,
                                           of_work *cpu, of_work *gpu);

/* Equivalents of other work: flops of an exponential; bytes of a sparse entry times a number; and
 * the factor by which a product with one short side takes longer. */
#define OF_WORK_EXPONENTIAL 60
#define OF_WORK_ENTRY 16
#define OF_WORK_THIN 2

typedef struct of_partition_estimate {
    of_route route;
    size_t passes;    /* over the view or its features; a typical number for iterative routes */
    size_t landmarks; /* of the nystrom route, else 0 */
    of_work work;
    /* for the caller: how often it is done, whether on a GPU, and the seconds that this takes */
    double times;
    int on_gpu;
    double seconds;
} of_partition_estimate;

/* The work of a route. The rows of the eigensolver's basis depend on the data: typical numbers are
 * used. */
of_partition_estimate of_partition_work(const of_kernel *kernel, of_route route,
                                        const of_partition_options *options);

#endif
