/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment as a table for other programs: a row per cell. */
#include "report/bench.h"

#include <math.h>

/* Text between quotes, its own quotes doubled. */
static void put_text(of_text *out, const char *text)
{
    of_text_put(out, "\"");
    for (; *text; text++) {
        if (*text == '"')
            of_text_put(out, "\"");
        of_text_bytes(out, *text == '\n' || *text == '\r' ? " " : text, 1);
    }
    of_text_put(out, "\"");
}

static void put_number(of_text *out, double number)
{
    of_text_put(out, ",");
    if (isfinite(number))
        of_text_put(out, "%.15g", number);
}

static int is_best(const of_experiment *experiment, size_t cell)
{
    for (size_t i = 0; i < experiment->contender_count; i++)
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            if (experiment->contenders[i].best[m] == cell)
                return 1;
    return 0;
}

static void put_cell(of_text *out, const of_experiment *experiment, size_t place)
{
    const of_cell *cell = &experiment->cells[place];
    const of_cell_result *result = &cell->result;
    int there = result->status == ONEFOLD_OK;
    of_text_put(out, "%s,", cell->method->name);
    put_text(out, cell->name);
    of_text_put(out, ",%d,%d,%d,%d,%s,%zu", (cell->roles & ONEFOLD_CELL_STANDARD) != 0,
                (cell->roles & ONEFOLD_CELL_GRID) != 0,
                (cell->roles & ONEFOLD_CELL_SENSITIVITY) != 0, is_best(experiment, place),
                onefold_status_name(result->status), result->repeats);
    for (int m = 0; m < ONEFOLD_MEASURES; m++) {
        put_number(out, result->scores ? cell->spread[m].mean : NAN);
        put_number(out, result->scores ? cell->spread[m].deviation : NAN);
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
    of_text_put(out, ",");
    put_text(out, result->reason);
    of_text_put(out, "\n");
}

onefold_status of_bench_csv(FILE *out, const of_bench_report *report)
{
    OF_SCRATCH(scratch, report->experiment->arena.context);
    of_text text = {.arena = &scratch};
    of_text_put(&text,
                "method,setting,default,grid,sensitivity,best,status,repeats,acc,acc_deviation,nmi,"
                "nmi_deviation,purity,purity_deviation,ari,ari_deviation,silhouette,clusters_used,"
                "iterations,converged,objective,seconds_base,seconds_fit,seconds_kmeans,"
                "seconds_cell,peak_bytes,reason\n");
    for (size_t i = 0; i < report->experiment->cell_count; i++)
        put_cell(&text, report->experiment, i);
    return of_text_write(&text, out, "the table");
}
