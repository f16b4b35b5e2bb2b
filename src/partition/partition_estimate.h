/* SPDX-License-Identifier: Apache-2.0 */
/*
 * About how long a fit will take: each stage has amounts of a few kinds of work, by shapes alone,
 * and a machine does so much of each in a second. Good to a factor of two or three.
 */
#ifndef OF_PARTITION_PARTITION_ESTIMATE_H
#define OF_PARTITION_PARTITION_ESTIMATE_H

#include "partition/partition.h"

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
