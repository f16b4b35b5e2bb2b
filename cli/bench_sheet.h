/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment for people: tables on a sheet, or a row per cell. */
#ifndef CLI_BENCH_SHEET_H
#define CLI_BENCH_SHEET_H

#include "sheet.h"

/* An experiment and its data. */
typedef struct cli_bench_facts {
    const onefold_experiment *experiment;
    const char *name; /* of the data */
    const onefold_experiment_info *info;
} cli_bench_facts;

/* A row per cell, with headings; scores as fractions, empty where there are none. */
onefold_status cli_bench_csv(FILE *out, const cli_bench_facts *bench);

/* Tables for people, on a sheet of either kind. */
onefold_status cli_bench_sheet(cli_sheet *sheet, const cli_bench_facts *bench);

/* ---- its tables ----------------------------------------------------------------------------- */

#endif
