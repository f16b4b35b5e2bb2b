/* SPDX-License-Identifier: Apache-2.0 */
/* The parts an experiment is made of, for its own files only. */
#ifndef OF_EXPERIMENT_EXPERIMENT_PARTS_H
#define OF_EXPERIMENT_EXPERIMENT_PARTS_H

#include "experiment/experiment.h"

/* Fills contenders, cells and the sensitivity table; checks options against the data. */
onefold_status of_experiment_plan(of_context *context, of_experiment *experiment);

/* Every part of "method:cells;..." names a method that takes part. */
onefold_status of_experiment_check_grid(const of_experiment *experiment);

/* The text of the grid that was asked of a method, NULL where none was. */
onefold_status of_experiment_grid(of_experiment *experiment, const of_contender *contender,
                                  const char **grid);

/* The options of a fit at a cell, with its own options joined to those given; from `arena`. */
onefold_status of_cell_options(of_arena *arena, const of_experiment *experiment,
                               const of_method *method, const of_setting *setting,
                               onefold_fit_options *options);

/* The text that says everything a cell's figures depend on. `options` as of_cell_options has it. */
onefold_status of_cell_key(of_arena *arena, const of_experiment *experiment,
                           const of_method *method, const onefold_fit_options *options,
                           size_t repeats, const char **key);

/* Whether two keys differ in the number of repeats at most. */
int of_cell_key_alike(const char *a, const char *b);

/* Wants all repeats of a cell that had fewer: its key is new, and it is not done any more. */
onefold_status of_cell_want_all(of_experiment *experiment, of_cell *cell);

/* Computes a cell. A failure of the method is in the result; only an interruption is returned. */
onefold_status of_cell_run(of_context *context, of_experiment *experiment, const of_cell *cell,
                           of_cell_result *result);

/* Means and deviations of a finished cell. */
onefold_status of_cell_summarise(of_context *context, of_cell *cell);

/* The best cell of every contender, among those that are done. */
void of_experiment_choose(of_experiment *experiment);

/* How far the methods agree. */
onefold_status of_experiment_summarise(of_context *context, of_experiment *experiment);

/* ---- progress ------------------------------------------------------------------------------ */

/* Retells the methods' progress: what is done and left of the whole run. */
typedef struct of_experiment_estimate {
    of_context *context;
    const of_experiment *experiment;
    const of_cell *cell; /* being worked, or NULL */
    double began;        /* when it was begun */
    char detail[160];
} of_experiment_estimate;

void of_experiment_estimate_start(of_experiment_estimate *estimate, of_context *context,
                                  const of_experiment *experiment);
void of_experiment_estimate_cell(of_experiment_estimate *estimate,
                                 const of_cell *cell); /* this one is next; NULL: none */
void of_experiment_estimate_end(of_experiment_estimate *estimate);

/* Seconds a cell that is not done will take, from those that are; NaN: not known yet. */
double of_experiment_estimate_seconds(const of_experiment *experiment, const of_cell *cell);

#endif
