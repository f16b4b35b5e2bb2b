/* SPDX-License-Identifier: Apache-2.0 */
/* The smaller tables of an experiment: views, sensitivity, time, convergence, agreement. */
#include "bench_sheet.h"

#include <math.h>
#include <string.h>

onefold_status cli_bench_put_views(cli_sheet *sheet, const cli_bench_facts *bench)
{
    for (size_t i = 0; i < bench->info.methods; i++) {
        const onefold_experiment_method_info *contender = &bench->methods[i];
        if (!contender->picks_view || contender->grid_cells == 0)
            continue;
        cli_sheet_heading(sheet, 2, "Each view alone (%s)", contender->name);
        cli_sheet_table(sheet, "llrrrr");
        CLI_TRY(cli_sheet_cell(sheet, 0, "view"));
        CLI_TRY(cli_sheet_cell(sheet, 0, "kernel"));
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            CLI_TRY(cli_sheet_cell(sheet, 0, "%s", cli_measure_title(m)));
        size_t view = 0;
        for (size_t c = 0; c < bench->info.cells; c++) {
            const onefold_experiment_cell_info *cell = &bench->cells[c];
            if (&bench->methods[cell->method] != contender || !(cell->roles & ONEFOLD_CELL_GRID))
                continue;
            onefold_view_fit at = ONEFOLD_VIEW_FIT_INIT;
            CLI_TRY(onefold_experiment_view(bench->experiment, view++ % bench->info.views, &at));
            CLI_TRY(cli_sheet_cell(sheet, 0, "%s", at.name));
            CLI_TRY(cli_sheet_cell(sheet, 0, "%s", at.kernel));
            for (int m = 0; m < ONEFOLD_MEASURES; m++)
                CLI_TRY(cli_bench_put_spread(sheet, contender->best[m] == c, cell, m));
        }
        cli_sheet_table_end(sheet);
    }
    return ONEFOLD_OK;
}

onefold_status cli_bench_put_sensitivity(cli_sheet *sheet, const cli_bench_facts *bench)
{
    static const onefold_measure shown[] = {ONEFOLD_ACC, ONEFOLD_NMI};
    size_t count = bench->info.times_count;
    char align[CLI_SHEET_COLUMNS + 1];
    if (!bench->info.sensitivity || count + 1 > CLI_SHEET_COLUMNS)
        return ONEFOLD_OK;
    memset(align, 'r', sizeof align);
    align[0] = 'l';
    align[count + 1] = '\0';
    cli_sheet_heading(sheet, 2, "Sensitivity of %s to k and m",
                      bench->methods[bench->cells[bench->info.sensitivity[0]].method].name);
    for (size_t s = 0; s < sizeof shown / sizeof *shown; s++) {
        double most = -INFINITY;
        for (size_t i = 0; i < count * count; i++) {
            const onefold_experiment_cell_info *cell = &bench->cells[bench->info.sensitivity[i]];
            if (cell->scored)
                most = fmax(most, round(1000 * cell->mean[shown[s]]));
        }
        cli_sheet_table(sheet, align);
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", cli_measure_title(shown[s])));
        for (size_t j = 0; j < count; j++)
            CLI_TRY(
                cli_sheet_cell(sheet, 0, "m = %zu", bench->info.times[j] * bench->info.clusters));
        for (size_t i = 0; i < count; i++) {
            CLI_TRY(
                cli_sheet_cell(sheet, 0, "k = %zu", bench->info.times[i] * bench->info.clusters));
            for (size_t j = 0; j < count; j++) {
                const onefold_experiment_cell_info *cell =
                    &bench->cells[bench->info.sensitivity[i * count + j]];
                int strong = round(1000 * cell->mean[shown[s]]) == most;
                CLI_TRY(cli_bench_put_spread(sheet, strong, cell, shown[s]));
            }
        }
        cli_sheet_table_end(sheet);
    }
    return ONEFOLD_OK;
}

static onefold_status put_seconds(cli_sheet *sheet, double seconds)
{
    return cli_sheet_cell(sheet, 0,
                          seconds < 10    ? "%.2f s"
                          : seconds < 100 ? "%.1f s"
                                          : "%.0f s",
                          seconds);
}

onefold_status cli_bench_put_times(cli_sheet *sheet, const cli_bench_facts *bench)
{
    static const char *const heads[] = {"method", "base partitions", "iterations", "one k-means",
                                        "peak memory"};
    cli_sheet_heading(sheet, 2, "Time and memory");
    cli_sheet_table(sheet, "lrrrr");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", heads[i]));
    for (size_t i = 0; i < bench->info.methods; i++) {
        const onefold_experiment_method_info *contender = &bench->methods[i];
        const onefold_experiment_cell_info *result = &bench->cells[contender->standard];
        char bytes[32];
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", contender->name));
        if (result->status != ONEFOLD_OK) {
            for (int c = 0; c < 3; c++)
                CLI_TRY(cli_sheet_cell(sheet, 0, "-"));
            CLI_TRY(
                cli_sheet_cell(sheet, 0, "%s needed", cli_size_text(bytes, contender->peak_bytes)));
            continue;
        }
        CLI_TRY(contender->takes_dims ? put_seconds(sheet, result->seconds_base)
                                      : cli_sheet_cell(sheet, 0, "-"));
        CLI_TRY(put_seconds(sheet, result->seconds_fit));
        CLI_TRY(contender->ends_in_kmeans ? put_seconds(sheet, result->seconds_kmeans)
                                          : cli_sheet_cell(sheet, 0, "-"));
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s peak", cli_size_text(bytes, result->peak_bytes)));
    }
    cli_sheet_table_end(sheet);
    cli_sheet_paragraph(sheet,
                        "At the default setting, on %d thread%s; memory with the data in it.",
                        bench->info.threads, bench->info.threads == 1 ? "" : "s");
    return ONEFOLD_OK;
}

onefold_status cli_bench_put_convergence(cli_sheet *sheet, const cli_bench_facts *bench)
{
    static const size_t at[] = {1, 2, 3, 5, 10, 20, 50};
    enum { POINTS = sizeof at / sizeof *at };
    int begun = 0;
    for (size_t i = 0; i < bench->info.methods; i++) {
        const onefold_experiment_cell_info *cell = &bench->cells[bench->methods[i].standard];
        const onefold_experiment_cell_info *result = cell;
        if (result->status != ONEFOLD_OK || result->iterations < 2)
            continue;
        if (!begun++) {
            cli_sheet_heading(sheet, 2, "Objective after iteration ...");
            cli_sheet_table(sheet, "lrrrrrrrrr");
            CLI_TRY(cli_sheet_cell(sheet, 0, "method"));
            for (size_t p = 0; p < POINTS; p++)
                CLI_TRY(cli_sheet_cell(sheet, 0, "%zu", at[p]));
            CLI_TRY(cli_sheet_cell(sheet, 0, "last"));
            CLI_TRY(cli_sheet_cell(sheet, 0, "which is"));
        }
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", bench->methods[cell->method].name));
        for (size_t p = 0; p < POINTS; p++)
            CLI_TRY(at[p] < result->iterations
                        ? cli_sheet_cell(sheet, 0, "%.6g", result->trace[at[p] - 1])
                        : cli_sheet_cell(sheet, 0, "%s", ""));
        CLI_TRY(cli_sheet_cell(sheet, 0, "%.6g", result->trace[result->iterations - 1]));
        CLI_TRY(
            cli_sheet_cell(sheet, 0, "%zu%s", result->iterations, result->converged ? "" : " *"));
    }
    if (begun)
        cli_sheet_table_end(sheet);
    return ONEFOLD_OK;
}

onefold_status cli_bench_put_agreement(cli_sheet *sheet, const cli_bench_facts *bench)
{
    size_t count = bench->info.methods;
    char align[CLI_SHEET_COLUMNS + 1];
    if (count < 2 || count + 1 > CLI_SHEET_COLUMNS)
        return ONEFOLD_OK;
    memset(align, 'r', sizeof align);
    align[0] = 'l';
    align[count + 1] = '\0';
    cli_sheet_heading(sheet, 2, "Agreement between methods (NMI of their answers, percent)");
    cli_sheet_table(sheet, align);
    CLI_TRY(cli_sheet_cell(sheet, 0, "%s", ""));
    for (size_t j = 0; j < count; j++)
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", bench->methods[j].name));
    for (size_t i = 0; i < count; i++) {
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", bench->methods[i].name));
        for (size_t j = 0; j < count; j++) {
            double nmi = bench->info.agreement[i * count + j];
            CLI_TRY(isnan(nmi) ? cli_sheet_cell(sheet, 0, "-")
                               : cli_sheet_cell(sheet, 0, "%.1f", 100 * nmi));
        }
    }
    cli_sheet_table_end(sheet);
    return ONEFOLD_OK;
}
