/* SPDX-License-Identifier: Apache-2.0 */
/* Problems that are made of a problem: an even sample of its samples, and tables like its own
 * without clusters. Kernels keep the means, scales and widths of all samples. */
#ifndef OF_METHOD_PROBLEM_SAMPLE_H
#define OF_METHOD_PROBLEM_SAMPLE_H

#include "method/method.h"

typedef struct of_sample {
    of_dataset dataset; /* its views have the samples that have them, and what a kernel needs */
    onefold_fit_options options;
    of_problem problem;
} of_sample;

/* Whether labellings compete on a sample: samples are many, and no view is of links between them
 * or a kernel that is given. */
int of_sample_suits(const of_problem *problem);

/* Makes the problem of an even sample of so many samples, in place; arrays are from `arena`. */
onefold_status of_sample_make(of_context *context, of_arena *arena, const of_problem *problem,
                              size_t count, of_sample *sample);

/* The same problem without clusters: with every column shuffled by itself, or with samples mixed,
 * which keeps what columns and views have in common (kernel/resample.h); arrays are from `arena`.
 */
typedef enum of_null { OF_NULL_SHUFFLED, OF_NULL_MIXED } of_null;
onefold_status of_sample_null(of_context *context, of_arena *arena, const of_problem *problem,
                              of_null kind, of_sample *null);

#endif
