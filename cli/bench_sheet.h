/* SPDX-License-Identifier: Apache-2.0 */
/* Printing an experiment: tables on a sheet. */
#ifndef CLI_BENCH_SHEET_H
#define CLI_BENCH_SHEET_H

#include "sheet.h"

/* Tables for people, on a sheet of either kind; `name` is that of the data. */
onefold_status cli_bench_sheet(cli_sheet *sheet, const char *name,
                               const onefold_experiment_info *info);

#endif
