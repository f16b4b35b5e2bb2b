/* SPDX-License-Identifier: Apache-2.0 */
/* How fast this machine is at the moment at what a fit is made of: measured in some tens of
 * milliseconds, for estimates of time and nothing else. */
#ifndef OF_PARTITION_MACHINE_RATES_H
#define OF_PARTITION_MACHINE_RATES_H

#include "base/memory.h"

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

/* `side` is the number of rows of a base partition. */
onefold_status of_machine_rates_measure(of_context *context, size_t side, of_rates *rates);

#endif
