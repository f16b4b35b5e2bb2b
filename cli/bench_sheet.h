/* SPDX-License-Identifier: Apache-2.0 */
/* Printing an experiment: tables on a sheet, or CSV. */
#ifndef CLI_BENCH_SHEET_H
#define CLI_BENCH_SHEET_H

#include "sheet.h"

/* A row per cell on standard output, with headings; scores as fractions, empty where there are
 * none. */
onefold_status cli_bench_csv(const onefold_experiment_info *info);

/* Tables for people, on a sheet of either kind; `name` is that of the data. */
onefold_status cli_bench_sheet(cli_sheet *sheet, const char *name,
                               const onefold_experiment_info *info);

#endif
