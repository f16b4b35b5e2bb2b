/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment for people: tables on a sheet, or a row per cell. */
#ifndef CLI_BENCH_SHEET_H
#define CLI_BENCH_SHEET_H

#include "sheet.h"

/* An experiment with everything that was asked of it. */
typedef struct cli_bench_facts {
    const onefold_experiment *experiment;
    const char *name; /* of the data */
    onefold_experiment_info info;
    onefold_experiment_method_info *methods; /* info.methods */
    onefold_experiment_cell_info *cells;     /* info.cells */
} cli_bench_facts;

/* Asks for it all; memory is from `arena`. */
onefold_status cli_bench_ask(cli_bench_facts *bench, cli_arena *arena,
                             const onefold_experiment *experiment, const char *name);

/* A row per cell, with headings; scores as fractions, empty where there are none. */
onefold_status cli_bench_csv(FILE *out, const cli_bench_facts *bench);

/* Tables for people, on a sheet of either kind. */
onefold_status cli_bench_sheet(cli_sheet *sheet, const cli_bench_facts *bench);

/* ---- its tables ----------------------------------------------------------------------------- */

/* "ACC", "NMI", "purity", "ARI". */
const char *cli_measure_title(int measure);

/* "65.5 +- 0.3" as a table's cell, or a dash. */
onefold_status cli_bench_put_spread(cli_sheet *sheet, int strong,
                                    const onefold_experiment_cell_info *cell, int measure);

/* Each view by itself, from the methods whose grid is over the views. */
onefold_status cli_bench_put_views(cli_sheet *sheet, const cli_bench_facts *bench);

/* ACC and NMI over k and m. */
onefold_status cli_bench_put_sensitivity(cli_sheet *sheet, const cli_bench_facts *bench);

/* Seconds and memory of every method. */
onefold_status cli_bench_put_times(cli_sheet *sheet, const cli_bench_facts *bench);

/* The objective after some of the iterations, for the methods that iterate. */
onefold_status cli_bench_put_convergence(cli_sheet *sheet, const cli_bench_facts *bench);

/* NMI between every two methods' answers. */
onefold_status cli_bench_put_agreement(cli_sheet *sheet, const cli_bench_facts *bench);

#endif
