/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of an experiment, and the file that keeps its finished cells. */
#ifndef OF_REPORT_BENCH_H
#define OF_REPORT_BENCH_H

#include "experiment/experiment.h"
#include "report/json_build.h"

onefold_status of_json_experiment(of_json *to, const onefold_report *asked);

/* "scores": of each figure a number, or, where there are `repeats`, one for each of them. */
void of_json_scores(of_json *to, const onefold_scores *const *scores, size_t repeats);

/* Everything of the result, left open; labels only where `with_labels`. */
void of_bench_cell_open(of_json *to, const of_cell *cell, int with_labels);

/* The result of such an object, whole and consistent, or ONEFOLD_BAD_DATA. */
onefold_status of_bench_cell_read(const char *text, of_arena *arena, const of_cell *cell,
                                  of_cell_result *result);

/* A file with a line of JSON for each finished cell, safe on the disk when `keep` returns. It is
 * made where there is none; a line that an earlier run could not finish is cut off. Only one run at
 * a time may have it. */
onefold_status of_bench_store_open(of_cell_store *face, of_context *context, const char *path);
void of_bench_store_close(of_cell_store *face);

#endif
