/* SPDX-License-Identifier: Apache-2.0 */
/* Small experiments, and whether two of them came to the same. */
#ifndef OF_TESTS_SUPPORT_EXPERIMENTS_H
#define OF_TESTS_SUPPORT_EXPERIMENTS_H

#include "experiment/experiment.h"

/* Synthetic data with labels: views of 6 columns. */
onefold_dataset *experiments_data(size_t samples, size_t views, size_t clusters, double separation);

/* Options with few restarts and replicates. */
of_experiment_options experiments_options(const char *methods, const char *grid, size_t repeats);

/* Runs it. */
onefold_status experiments_run(of_experiment **experiment, of_context *context,
                               const onefold_dataset *data, const of_experiment_options *options);

/* The two have the same cells with the same bits, times and memory apart. */
void experiments_same(const of_experiment *a, const of_experiment *b);

#endif
