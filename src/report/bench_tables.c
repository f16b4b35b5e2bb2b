/* SPDX-License-Identifier: Apache-2.0 */
/* The smaller tables of an experiment: views, sensitivity, time, convergence, agreement. */
#include "report/bench_parts.h"

#include <math.h>
#include <string.h>

onefold_status of_bench_put_views(of_sheet *sheet, const of_experiment *experiment)
{
    for (size_t i = 0; i < experiment->contender_count; i++) {
        const of_contender *contender = &experiment->contenders[i];
        if (!contender->picks_view || contender->grid_cells == 0)
            continue;
        of_sheet_heading(sheet, 2, "Each view alone (%s)", contender->method->name);
        of_sheet_table(sheet, "llrrrr");
        OF_TRY(of_sheet_cell(sheet, 0, "view"));
        OF_TRY(of_sheet_cell(sheet, 0, "kernel"));
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            OF_TRY(of_sheet_cell(sheet, 0, "%s", of_measure_title((onefold_measure)m)));
        size_t view = 0;
        for (size_t c = 0; c < experiment->cell_count; c++) {
            const of_cell *cell = &experiment->cells[c];
            if (cell->method != contender->method || !(cell->roles & ONEFOLD_CELL_GRID))
                continue;
            size_t at = view++ % experiment->dataset->view_count;
            OF_TRY(of_sheet_cell(sheet, 0, "%s", experiment->dataset->views[at].name));
            OF_TRY(of_sheet_cell(sheet, 0, "%s", experiment->kernels[at]));
            for (int m = 0; m < ONEFOLD_MEASURES; m++)
                OF_TRY(of_bench_put_spread(sheet, contender->best[m] == c, cell, m));
        }
        of_sheet_table_end(sheet);
    }
    return ONEFOLD_OK;
}

onefold_status of_bench_put_sensitivity(of_sheet *sheet, const of_experiment *experiment)
{
    static const onefold_measure shown[] = {ONEFOLD_ACC, ONEFOLD_NMI};
    size_t count = experiment->times_count;
    char align[OF_MOST_TIMES + 2];
    if (!experiment->sensitivity)
        return ONEFOLD_OK;
    memset(align, 'r', sizeof align);
    align[0] = 'l';
    align[count + 1] = '\0';
    of_sheet_heading(sheet, 2, "Sensitivity of %s to k and m",
                     experiment->cells[experiment->sensitivity[0]].method->name);
    for (size_t s = 0; s < sizeof shown / sizeof *shown; s++) {
        double most = -INFINITY;
        for (size_t i = 0; i < count * count; i++) {
            const of_cell *cell = &experiment->cells[experiment->sensitivity[i]];
            if (cell->result.scores)
                most = fmax(most, round(1000 * cell->spread[shown[s]].mean));
        }
        of_sheet_table(sheet, align);
        OF_TRY(of_sheet_cell(sheet, 0, "%s", of_measure_title(shown[s])));
        for (size_t j = 0; j < count; j++)
            OF_TRY(of_sheet_cell(sheet, 0, "m = %zu", experiment->times[j] * experiment->clusters));
        for (size_t i = 0; i < count; i++) {
            OF_TRY(of_sheet_cell(sheet, 0, "k = %zu", experiment->times[i] * experiment->clusters));
            for (size_t j = 0; j < count; j++) {
                const of_cell *cell = &experiment->cells[experiment->sensitivity[i * count + j]];
                int strong = round(1000 * cell->spread[shown[s]].mean) == most;
                OF_TRY(of_bench_put_spread(sheet, strong, cell, shown[s]));
            }
        }
        of_sheet_table_end(sheet);
    }
    return ONEFOLD_OK;
}

static onefold_status put_seconds(of_sheet *sheet, double seconds)
{
    return of_sheet_cell(sheet, 0,
                         seconds < 10    ? "%.2f s"
                         : seconds < 100 ? "%.1f s"
                                         : "%.0f s",
                         seconds);
}

onefold_status of_bench_put_times(of_sheet *sheet, const of_bench_report *report)
{
    const of_experiment *experiment = report->experiment;
    static const char *const heads[] = {"method", "base partitions", "iterations", "one k-means",
                                        "peak memory"};
    of_sheet_heading(sheet, 2, "Time and memory");
    of_sheet_table(sheet, "lrrrr");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        OF_TRY(of_sheet_cell(sheet, 0, "%s", heads[i]));
    for (size_t i = 0; i < experiment->contender_count; i++) {
        const of_contender *contender = &experiment->contenders[i];
        const of_cell_result *result = &experiment->cells[contender->standard].result;
        char bytes[32];
        OF_TRY(of_sheet_cell(sheet, 0, "%s", contender->method->name));
        if (result->status != ONEFOLD_OK) {
            for (int c = 0; c < 3; c++)
                OF_TRY(of_sheet_cell(sheet, 0, "-"));
            OF_TRY(
                of_sheet_cell(sheet, 0, "%s needed", of_size_text(bytes, contender->peak_bytes)));
            continue;
        }
        OF_TRY(contender->method->uses_dims ? put_seconds(sheet, result->seconds_base)
                                            : of_sheet_cell(sheet, 0, "-"));
        OF_TRY(put_seconds(sheet, result->seconds_fit));
        OF_TRY(contender->method->ends_in_kmeans ? put_seconds(sheet, result->seconds_kmeans)
                                                 : of_sheet_cell(sheet, 0, "-"));
        OF_TRY(of_sheet_cell(sheet, 0, "%s peak", of_size_text(bytes, result->peak_bytes)));
    }
    of_sheet_table_end(sheet);
    of_sheet_paragraph(sheet, "At the default setting, on %d thread%s; memory with the data in it.",
                       report->threads, report->threads == 1 ? "" : "s");
    return ONEFOLD_OK;
}

onefold_status of_bench_put_convergence(of_sheet *sheet, const of_experiment *experiment)
{
    static const size_t at[] = {1, 2, 3, 5, 10, 20, 50};
    enum { POINTS = sizeof at / sizeof *at };
    int begun = 0;
    for (size_t i = 0; i < experiment->contender_count; i++) {
        const of_cell *cell = &experiment->cells[experiment->contenders[i].standard];
        const of_cell_result *result = &cell->result;
        if (result->status != ONEFOLD_OK || result->iterations < 2)
            continue;
        if (!begun++) {
            of_sheet_heading(sheet, 2, "Objective after iteration ...");
            of_sheet_table(sheet, "lrrrrrrrrr");
            OF_TRY(of_sheet_cell(sheet, 0, "method"));
            for (size_t p = 0; p < POINTS; p++)
                OF_TRY(of_sheet_cell(sheet, 0, "%zu", at[p]));
            OF_TRY(of_sheet_cell(sheet, 0, "last"));
            OF_TRY(of_sheet_cell(sheet, 0, "which is"));
        }
        OF_TRY(of_sheet_cell(sheet, 0, "%s", cell->method->name));
        for (size_t p = 0; p < POINTS; p++)
            OF_TRY(at[p] < result->iterations
                       ? of_sheet_cell(sheet, 0, "%.6g", result->trace[at[p] - 1])
                       : of_sheet_cell(sheet, 0, "%s", ""));
        OF_TRY(of_sheet_cell(sheet, 0, "%.6g", result->trace[result->iterations - 1]));
        OF_TRY(of_sheet_cell(sheet, 0, "%zu%s", result->iterations, result->converged ? "" : " *"));
    }
    if (begun)
        of_sheet_table_end(sheet);
    return ONEFOLD_OK;
}

onefold_status of_bench_put_agreement(of_sheet *sheet, const of_experiment *experiment)
{
    size_t count = experiment->contender_count;
    char align[OF_SHEET_COLUMNS + 1];
    if (count < 2 || count + 1 > OF_SHEET_COLUMNS)
        return ONEFOLD_OK;
    memset(align, 'r', sizeof align);
    align[0] = 'l';
    align[count + 1] = '\0';
    of_sheet_heading(sheet, 2, "Agreement between methods (NMI of their answers, percent)");
    of_sheet_table(sheet, align);
    OF_TRY(of_sheet_cell(sheet, 0, "%s", ""));
    for (size_t j = 0; j < count; j++)
        OF_TRY(of_sheet_cell(sheet, 0, "%s", experiment->contenders[j].method->name));
    for (size_t i = 0; i < count; i++) {
        OF_TRY(of_sheet_cell(sheet, 0, "%s", experiment->contenders[i].method->name));
        for (size_t j = 0; j < count; j++) {
            double nmi = experiment->agreement[i * count + j];
            OF_TRY(isnan(nmi) ? of_sheet_cell(sheet, 0, "-")
                              : of_sheet_cell(sheet, 0, "%.1f", 100 * nmi));
        }
    }
    of_sheet_table_end(sheet);
    return ONEFOLD_OK;
}
