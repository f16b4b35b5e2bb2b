/* SPDX-License-Identifier: Apache-2.0 */
/* What a base partition will take: the route, how often the view is read, and about how long. */
#ifndef OF_PARTITION_PARTITION_ESTIMATE_H
#define OF_PARTITION_PARTITION_ESTIMATE_H

#include "base/memory.h"
#include "partition/partition.h"

/* How fast this machine is at the moment at what a fit is made of: measured in some tens of
 * milliseconds, for estimates of time and nothing else. */

/* Per second, by all threads of the context together unless it says otherwise. */
typedef struct of_rates {
    double product;     /* flops of products of matrices with sides of a hundred or more */
    double thin;        /* flops of products with one side of `side` */
    double loop;        /* numbers that go through a plain loop, in cache */
    double memory;      /* bytes read from memory */
    double exponential; /* exponentials */
    double sparse;      /* multiplications with sparse entries, eight vectors at a time, */
    double sparse_far;  /* and where those vectors are longer than the nearer cache holds */
    double factor;      /* flops of an eigenproblem (9 n^3), by one thread */
    double polar;       /* seconds that one thread takes for a polar factor, side x side */
    double threads;
    double slowdown; /* 1 on a machine that does nothing else */
} of_rates;

/* How much of each a stage does: the fields are named after the rates. */
typedef struct of_work {
    double product, thin, loop, memory, exponential, sparse, sparse_far, factor;
    double polar; /* polar factors */
} of_work;

double of_work_seconds(const of_work *work, const of_rates *rates);

/* `side` is the number of rows of a base partition. */
onefold_status of_machine_rates_measure(of_context *context, size_t side, of_rates *rates);

/* How many rows of basis the block eigensolver will go through, from its first few products. */

/* For the Krylov route. *rows is left as it was where the trial would take more memory than is
 * allowed: it needs `scratch_bytes` and a partition. */
onefold_status of_eigen_trial_rows(of_context *context, const of_kernel *kernel,
                                   const of_partition_options *options, size_t scratch_bytes,
                                   double *rows);

typedef struct of_partition_estimate {
    of_route route;
    size_t scratch_bytes;
    size_t passes;    /* over the view or its features; those of an iterative route are typical */
    size_t landmarks; /* of the nystrom route, else 0 */
    double seconds;
} of_partition_estimate;

onefold_status of_partition_estimate_time(of_context *context, const of_kernel *kernel,
                                          of_route route, const of_partition_options *options,
                                          const of_rates *rates, of_partition_estimate *estimate);

#endif
