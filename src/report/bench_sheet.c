/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment for people: the table of scores, what it was made with, and what is missing. */
#include "report/bench_parts.h"

#include <math.h>

/* ---- what it was ---------------------------------------------------------------------------- */

static void put_data(of_sheet *sheet, const of_bench_report *report)
{
    const of_experiment *experiment = report->experiment;
    const of_dataset *dataset = experiment->dataset;
    size_t columns = 0;
    for (size_t i = 0; i < dataset->view_count; i++)
        columns += dataset->views[i].columns;
    of_sheet_heading(sheet, 1, "%s", report->name);
    of_sheet_paragraph(sheet, "%zu samples, %zu view%s of %zu columns in all, %zu clusters.",
                       dataset->samples, dataset->view_count, dataset->view_count == 1 ? "" : "s",
                       columns, experiment->clusters);
}

static void put_protocol(of_sheet *sheet, const of_experiment *experiment)
{
    const of_experiment_options *options = &experiment->options;
    char fewer[128] = "";
    if (options->grid_repeats < options->repeats)
        snprintf(fewer, sizeof fewer,
                 "; cells of a grid that are neither the default nor the best have %zu of them",
                 options->grid_repeats);
    of_sheet_paragraph(
        sheet,
        "Percent: mean%sstandard deviation (n - 1) over %zu repeat%s. Where a method ends in "
        "k-means, the k-means is repeated (%zu replicates, at most %d iterations, started %s); "
        "where it does not, repeats are the seeds from %llu on%s. NMI is divided by the larger "
        "entropy.",
        of_sheet_spread(sheet), options->repeats, options->repeats == 1 ? "" : "s",
        options->replicates, OF_EXPERIMENT_KMEANS_ITERATIONS,
        options->kmeans_start == OF_KMEANS_PLUSPLUS
            ? "by k-means++"
            : "from random samples, as the authors of these methods do",
        (unsigned long long)options->fit.seed, fewer);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* The cells a row shows: one, or the best for each measure. */
typedef struct table_row {
    const of_contender *contender;
    size_t cells[ONEFOLD_MEASURES];
    int best, standard; /* which comparisons it takes part in */
} table_row;

/* The largest mean of a measure among the rows of a comparison, rounded as it is shown. */
static double top(const of_experiment *experiment, const table_row *rows, size_t count, int measure,
                  int best)
{
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const of_cell *cell = &experiment->cells[rows[i].cells[measure]];
        if ((best ? rows[i].best : rows[i].standard) && cell->result.scores)
            most = fmax(most, round(1000 * cell->spread[measure].mean));
    }
    return most;
}

onefold_status of_bench_put_spread(of_sheet *sheet, int strong, const of_cell *cell, int measure)
{
    if (!cell->result.scores)
        return of_sheet_cell(sheet, 0, "-");
    return of_sheet_cell(sheet, strong, "%.1f%s%.1f", 100 * cell->spread[measure].mean,
                         of_sheet_spread(sheet), 100 * cell->spread[measure].deviation);
}

static onefold_status put_setting(of_sheet *sheet, const of_experiment *experiment,
                                  const table_row *row)
{
    const of_contender *contender = row->contender;
    const of_cell *cell = &experiment->cells[row->cells[ONEFOLD_ACC]];
    const char *mark = cell->result.status == ONEFOLD_OK && !cell->result.converged ? " *" : "";
    if (row->standard)
        return of_sheet_cell(sheet, 0, "%s%s", row->best ? "nothing to tune" : "default", mark);
    if (contender->picks_view)
        return of_sheet_cell(sheet, 0, "best of %zu views, each score%s", contender->grid_cells,
                             mark);
    return of_sheet_cell(sheet, 0, "best of %zu: %s%s", contender->grid_cells, cell->name, mark);
}

static size_t fill_rows(const of_experiment *experiment, table_row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < experiment->contender_count; i++) {
        const of_contender *contender = &experiment->contenders[i];
        int chosen = contender->best[ONEFOLD_ACC] != ONEFOLD_NO_CELL;
        for (int standard = 0; standard <= 1; standard++) {
            if (!standard && !chosen)
                continue;
            rows[count].contender = contender;
            rows[count].standard = standard;
            rows[count].best = !standard || !contender->method->grid;
            for (int m = 0; m < ONEFOLD_MEASURES; m++)
                rows[count].cells[m] = standard ? contender->standard : contender->best[m];
            count++;
        }
    }
    return count;
}

static onefold_status put_table(of_sheet *sheet, const of_experiment *experiment)
{
    OF_SCRATCH(scratch, sheet->arena->context);
    const of_contender *last = NULL;
    table_row *rows;
    int limited = 0;
    OF_TRY(OF_NEW(&scratch, &rows, 2 * experiment->contender_count, 1));
    size_t count = fill_rows(experiment, rows);
    of_sheet_table(sheet, "llrrrr");
    OF_TRY(of_sheet_cell(sheet, 0, "method"));
    OF_TRY(of_sheet_cell(sheet, 0, "setting"));
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        OF_TRY(of_sheet_cell(sheet, 0, "%s", of_measure_title((onefold_measure)m)));
    for (size_t i = 0; i < count; i++) {
        OF_TRY(of_sheet_cell(sheet, 0, "%s",
                             rows[i].contender == last ? "" : rows[i].contender->method->name));
        last = rows[i].contender;
        OF_TRY(put_setting(sheet, experiment, &rows[i]));
        for (int m = 0; m < ONEFOLD_MEASURES; m++) {
            const of_cell *cell = &experiment->cells[rows[i].cells[m]];
            double shown = round(1000 * cell->spread[m].mean);
            int strong = (rows[i].best && shown == top(experiment, rows, count, m, 1)) ||
                         (rows[i].standard && shown == top(experiment, rows, count, m, 0));
            limited |= cell->result.status == ONEFOLD_OK && !cell->result.converged;
            OF_TRY(of_bench_put_spread(sheet, strong, cell, m));
        }
    }
    of_sheet_table_end(sheet);
    of_sheet_paragraph(sheet,
                       "The best cell of a grid is chosen with the labels, by mean ACC; a default "
                       "uses none. Bold: the best of either kind.%s",
                       limited ? " *: stopped at its limit of iterations." : "");
    return ONEFOLD_OK;
}

/* ---- without labels ------------------------------------------------------------------------- */

static onefold_status put_unscored(of_sheet *sheet, const of_experiment *experiment)
{
    of_sheet_paragraph(sheet,
                       "The data has no true labels, so there is no ACC, NMI, purity or ARI to "
                       "give, and nothing to choose a cell of a grid with: every method is at its "
                       "default. The silhouette is that of each method's answer on its own "
                       "embedding, and compares one method's runs rather than methods.");
    of_sheet_table(sheet, "lrr");
    OF_TRY(of_sheet_cell(sheet, 0, "method"));
    OF_TRY(of_sheet_cell(sheet, 0, "silhouette"));
    OF_TRY(of_sheet_cell(sheet, 0, "clusters used"));
    for (size_t i = 0; i < experiment->contender_count; i++) {
        const of_cell *cell = &experiment->cells[experiment->contenders[i].standard];
        int there = cell->result.status == ONEFOLD_OK;
        OF_TRY(of_sheet_cell(sheet, 0, "%s", cell->method->name));
        OF_TRY(there ? of_sheet_cell(sheet, 0, "%.3f", cell->result.silhouette)
                     : of_sheet_cell(sheet, 0, "-"));
        OF_TRY(there ? of_sheet_cell(sheet, 0, "%zu", cell->result.clusters_used)
                     : of_sheet_cell(sheet, 0, "-"));
    }
    of_sheet_table_end(sheet);
    return of_bench_put_agreement(sheet, experiment);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Why figures are missing, a line for each method; cells of a grid together. */
static void put_missing(of_sheet *sheet, const of_experiment *experiment)
{
    int said = 0;
    for (size_t i = 0; i < experiment->contender_count; i++) {
        const of_contender *contender = &experiment->contenders[i];
        const of_cell *standard = &experiment->cells[contender->standard], *failed = NULL;
        for (size_t c = 0; c < experiment->cell_count && !failed; c++)
            if (experiment->cells[c].method == contender->method &&
                experiment->cells[c].result.status != ONEFOLD_OK)
                failed = &experiment->cells[c];
        if (!failed)
            continue;
        if (!said++) {
            of_sheet_heading(sheet, 2, "Missing");
            if (sheet->markdown)
                of_text_put(&sheet->out, "\n");
        }
        if (standard->result.status != ONEFOLD_OK)
            of_sheet_item(sheet, "%s: %s.", contender->method->name, standard->result.reason);
        else
            of_sheet_item(sheet, "%s at %s: %s.", contender->method->name, failed->name,
                          failed->result.reason);
    }
}

onefold_status of_bench_sheet(of_sheet *sheet, const of_bench_report *report)
{
    const of_experiment *experiment = report->experiment;
    put_data(sheet, report);
    if (experiment->dataset->truth) {
        put_protocol(sheet, experiment);
        OF_TRY(put_table(sheet, experiment));
        OF_TRY(of_bench_put_views(sheet, experiment));
        OF_TRY(of_bench_put_sensitivity(sheet, experiment));
    } else {
        OF_TRY(put_unscored(sheet, experiment));
    }
    OF_TRY(of_bench_put_times(sheet, report));
    OF_TRY(of_bench_put_convergence(sheet, experiment));
    put_missing(sheet, experiment);
    return sheet->out.status;
}
