/* SPDX-License-Identifier: Apache-2.0 */
/* The file that keeps the finished cells of an experiment, and the machine it ran on. */
#ifndef OF_REPORT_BENCH_H
#define OF_REPORT_BENCH_H

#include "experiment/experiment.h"

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
