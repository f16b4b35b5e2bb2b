/* SPDX-License-Identifier: Apache-2.0 */
/* A finished cell as a JSON object and back, for the report and the store. */
#ifndef OF_REPORT_BENCH_CELL_H
#define OF_REPORT_BENCH_CELL_H

#include "experiment/experiment.h"
#include "report/json_build.h"

#ifdef ONEFOLD_WITH_JSON

/* Everything of the result; labels only where `with_labels`. NULL where there is no memory. */
json_t *of_bench_cell_object(const of_cell *cell, int with_labels);

/* The result of such an object, whole and consistent, or ONEFOLD_BAD_DATA. `samples` labels. */
onefold_status of_bench_cell_read(const json_t *object, of_arena *arena, size_t samples,
                                  of_cell_result *result);

#endif
#endif
