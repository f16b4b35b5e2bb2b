/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment as JSON, CSV, Markdown or text, and the file that keeps its finished cells. */
#ifndef OF_REPORT_BENCH_H
#define OF_REPORT_BENCH_H

#include "model/experiment.h"
#include "report/sheet.h"

#include <stdio.h>

/* An experiment and what surrounds it. */
typedef struct of_bench_report {
    const of_experiment *experiment;
    const char *const *paths; /* of the data */
    size_t path_count;
    const char *name; /* of the data, for a heading */
    int threads;
    size_t memory_limit; /* 0: none */
    double seconds_read, seconds_total;
} of_bench_report;

/* A row per cell, with headings; scores as fractions, empty where there are none. */
onefold_status of_bench_csv(FILE *out, const of_bench_report *report);

/* Tables for people, on a sheet of either kind. */
onefold_status of_bench_sheet(of_sheet *sheet, const of_bench_report *report);

/* A file with a line of JSON for each finished cell, safe on the disk when `keep` returns. It is
 * made where there is none; a line that an earlier run could not finish is cut off. Only one run at
 * a time may have it. */
typedef struct of_bench_store of_bench_store;
onefold_status of_bench_store_open(of_bench_store **store, of_context *context, const char *path);
of_cell_store of_bench_store_face(of_bench_store *store);
void of_bench_store_close(of_bench_store *store);

/* The machine this runs on; texts are empty and numbers 0 where they are not known. */
typedef struct of_machine {
    char system[160], processor[128];
    size_t cores, memory_bytes;
} of_machine;
of_machine of_machine_here(void);

#endif
