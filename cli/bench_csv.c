/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment as a table for other programs: a row per cell. */
#include "bench_sheet.h"

#include <math.h>

/* Text between quotes, its own quotes doubled. */
static void put_text(cli_text *out, const char *text)
{
    cli_text_put(out, "\"");
    for (; *text; text++) {
        if (*text == '"')
            cli_text_put(out, "\"");
        cli_text_bytes(out, *text == '\n' || *text == '\r' ? " " : text, 1);
    }
    cli_text_put(out, "\"");
}

static void put_number(cli_text *out, double number)
{
    cli_text_put(out, ",");
    if (isfinite(number))
        cli_text_put(out, "%.15g", number);
}

static int is_best(const cli_bench_facts *bench, size_t cell)
{
    for (size_t i = 0; i < bench->info.methods; i++)
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            if (bench->methods[i].best[m] == cell)
                return 1;
    return 0;
}

static void put_cell(cli_text *out, const cli_bench_facts *bench, size_t place)
{
    const onefold_experiment_cell_info *cell = &bench->cells[place];
    const onefold_experiment_cell_info *result = cell;
    int there = result->status == ONEFOLD_OK;
    cli_text_put(out, "%s,", bench->methods[cell->method].name);
    put_text(out, cell->setting);
    cli_text_put(out, ",%d,%d,%d,%d,%s,%zu", (cell->roles & ONEFOLD_CELL_STANDARD) != 0,
                 (cell->roles & ONEFOLD_CELL_GRID) != 0,
                 (cell->roles & ONEFOLD_CELL_SENSITIVITY) != 0, is_best(bench, place),
                 onefold_name(ONEFOLD_NAMES_STATUS, result->status), result->repeats);
    for (int m = 0; m < ONEFOLD_MEASURES; m++) {
        put_number(out, result->scored ? cell->mean[m] : NAN);
        put_number(out, result->scored ? cell->deviation[m] : NAN);
    }
    put_number(out, there ? result->silhouette : NAN);
    put_number(out, there ? (double)result->clusters_used : NAN);
    put_number(out, there ? (double)result->iterations : NAN);
    put_number(out, there ? (double)result->converged : NAN);
    put_number(out, there ? result->objective : NAN);
    put_number(out, there ? result->seconds_base : NAN);
    put_number(out, there ? result->seconds_fit : NAN);
    put_number(out, there ? result->seconds_kmeans : NAN);
    put_number(out, result->seconds);
    put_number(out, there ? (double)result->peak_bytes : NAN);
    cli_text_put(out, ",");
    put_text(out, result->reason);
    cli_text_put(out, "\n");
}

onefold_status cli_bench_csv(FILE *out, const cli_bench_facts *bench)
{

    cli_text text = {0};
    cli_text_put(
        &text, "method,setting,default,grid,sensitivity,best,status,repeats,acc,acc_deviation,nmi,"
               "nmi_deviation,purity,purity_deviation,ari,ari_deviation,silhouette,clusters_used,"
               "iterations,converged,objective,seconds_base,seconds_fit,seconds_kmeans,"
               "seconds_cell,peak_bytes,reason\n");
    for (size_t i = 0; i < bench->info.cells; i++)
        put_cell(&text, bench, i);
    onefold_status status = cli_text_write(&text, out, "the table");
    cli_text_free(&text);
    return status;
}
