/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libonefold-bench registers: the methods that the engine does not have, experiments and their
 * JSON, studies, tests of significance, synthetic data. A program that uses none of them never
 * loads it.
 */
#ifndef OF_METHOD_BENCH_H
#define OF_METHOD_BENCH_H

#include "method/method.h"

struct of_json;

typedef struct of_bench {
    const char *version; /* of the library that it was built with */
    const of_method *const *method;
    size_t methods;
    onefold_status (*experiment_json)(struct of_json *to, const onefold_report *request);
    /* The functions of onefold.h that it has. */
    onefold_status (*dataset_synth)(onefold_dataset **, onefold_context *,
                                    const onefold_synth_options *);
    onefold_status (*experiment_check)(const onefold_fit_options *,
                                       const onefold_experiment_options *);
    onefold_status (*experiment_run)(onefold_experiment **, onefold_context *,
                                     const onefold_dataset *, const onefold_fit_options *,
                                     const onefold_experiment_options *);
    onefold_status (*experiment_plan)(onefold_experiment **, onefold_context *,
                                      const onefold_dataset *, const onefold_fit_options *,
                                      const onefold_experiment_options *);
    void (*experiment_free)(onefold_experiment *);
    const onefold_experiment_info *(*experiment_describe)(const onefold_experiment *);
    onefold_status (*study_read)(onefold_study **, onefold_context *, const char *);
    const onefold_study_info *(*study_describe)(const onefold_study *);
    void (*study_free)(onefold_study *);
    onefold_status (*compare)(onefold_comparison **, onefold_context *, const double *, size_t,
                              size_t);
    const onefold_comparison_info *(*comparison_describe)(const onefold_comparison *);
    void (*comparison_free)(onefold_comparison *);
} of_bench;

/* The one function that libonefold-bench shows. */
OF_PRIVATE const of_bench *of_bench_table(void);
#define OF_BENCH_ENTRY "of_bench_table"

/* What is registered. NULL: it is not there, which is no error where methods are listed. */
const of_bench *of_bench_get(void);

/* The same; ONEFOLD_UNSUPPORTED where it is not there. */
onefold_status of_bench_find(const of_bench **bench);

#endif
