/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of an experiment's sheet, for its own files only. */
#ifndef OF_REPORT_BENCH_PARTS_H
#define OF_REPORT_BENCH_PARTS_H

#include "report/bench.h"

/* "65.5 +- 0.3" as a table's cell, or a dash. */
onefold_status of_bench_put_spread(of_sheet *sheet, int strong, const of_cell *cell, int measure);

/* Each view by itself, from the methods whose grid is over the views. */
onefold_status of_bench_put_views(of_sheet *sheet, const of_experiment *experiment);

/* ACC and NMI over k and m. */
onefold_status of_bench_put_sensitivity(of_sheet *sheet, const of_experiment *experiment);

/* Seconds and memory of every method. */
onefold_status of_bench_put_times(of_sheet *sheet, const of_bench_report *report);

/* The objective after some of the iterations, for the methods that iterate. */
onefold_status of_bench_put_convergence(of_sheet *sheet, const of_experiment *experiment);

/* NMI between every two methods' answers. */
onefold_status of_bench_put_agreement(of_sheet *sheet, const of_experiment *experiment);

#endif
