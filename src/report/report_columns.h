/* SPDX-License-Identifier: Apache-2.0 */
/* The named columns that the points of a report can be coloured by. */
#ifndef OF_REPORT_REPORT_COLUMNS_H
#define OF_REPORT_REPORT_COLUMNS_H

#include "report/report.h"

#ifdef ONEFOLD_WITH_JSON

/* In place of a view: the column is one about the samples. */
#define OF_REPORT_METADATA SIZE_MAX

typedef struct of_report_column {
    size_t view, index;
} of_report_column;

typedef struct of_report_columns {
    of_report *report;
    const onefold_result *result;
    of_report_column *column;
    size_t count;
} of_report_columns;

/* Those that set clusters apart first, then by their order, as many as `shown` points leave room
 * for: all of them where there are few points. Memory is from `arena`. */
onefold_status of_report_columns_choose(of_report_columns *columns, of_arena *arena, size_t shown);

/* Their values at every stride-th point as the block `columns`, 254 steps between the least and the
 * largest, and what they are called into *list. `sample`: NULL where points are samples. */
onefold_status of_report_columns_put(of_report_columns *columns, const size_t *sample, size_t shown,
                                     size_t stride, json_t **list);
#endif

#endif
