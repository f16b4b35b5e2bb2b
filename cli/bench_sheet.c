/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment for people: the table of scores, what it was made with, and what is missing. */
#include "bench_sheet.h"

#include <math.h>

/* ---- what it was ---------------------------------------------------------------------------- */

static onefold_status put_data(cli_sheet *sheet, const cli_bench_facts *bench)
{
    size_t columns = 0, views = bench->info.views;
    for (size_t i = 0; i < views; i++) {
        onefold_view_fit view = ONEFOLD_VIEW_FIT_INIT;
        CLI_TRY(onefold_experiment_view(bench->experiment, i, &view));
        columns += view.columns;
    }
    cli_sheet_heading(sheet, 1, "%s", bench->name);
    cli_sheet_paragraph(sheet, "%zu samples, %zu view%s of %zu columns in all, %zu clusters.",
                        bench->info.samples, views, views == 1 ? "" : "s", columns,
                        bench->info.clusters);
    return ONEFOLD_OK;
}

static void put_protocol(cli_sheet *sheet, const cli_bench_facts *bench)
{
    const onefold_experiment_info *info = &bench->info;
    char fewer[128] = "";
    if (info->grid_repeats < info->repeats)
        snprintf(fewer, sizeof fewer,
                 "; cells of a grid that are neither the default nor the best have %zu of them",
                 info->grid_repeats);
    cli_sheet_paragraph(
        sheet,
        "Percent: mean%sstandard deviation (n - 1) over %zu repeat%s. Where a method ends in "
        "k-means, the k-means is repeated (%zu replicates, at most %zu iterations, started %s); "
        "where it does not, repeats are the seeds from %llu on%s. NMI is divided by the larger "
        "entropy.",
        cli_sheet_spread(sheet), info->repeats, info->repeats == 1 ? "" : "s", info->replicates,
        info->kmeans_iterations,
        info->kmeans_start == ONEFOLD_KMEANS_PLUSPLUS
            ? "by k-means++"
            : "from random samples, as the authors of these methods do",
        (unsigned long long)info->seed, fewer);
}

const char *cli_measure_title(int measure)
{
    static const char *const titles[ONEFOLD_MEASURES] = {"ACC", "NMI", "purity", "ARI"};
    return titles[measure];
}

onefold_status cli_bench_ask(cli_bench_facts *bench, cli_arena *arena,
                             const onefold_experiment *experiment, const char *name)
{
    *bench = (cli_bench_facts){
        .experiment = experiment, .name = name, .info = ONEFOLD_EXPERIMENT_INFO_INIT};
    CLI_TRY(onefold_experiment_describe(experiment, &bench->info));
    CLI_TRY(CLI_NEW(arena, &bench->methods, bench->info.methods));
    CLI_TRY(CLI_NEW(arena, &bench->cells, bench->info.cells));
    for (size_t i = 0; i < bench->info.methods; i++) {
        bench->methods[i] = (onefold_experiment_method_info)ONEFOLD_EXPERIMENT_METHOD_INFO_INIT;
        CLI_TRY(onefold_experiment_method(experiment, i, &bench->methods[i]));
    }
    for (size_t i = 0; i < bench->info.cells; i++) {
        bench->cells[i] = (onefold_experiment_cell_info)ONEFOLD_EXPERIMENT_CELL_INFO_INIT;
        CLI_TRY(onefold_experiment_cell(experiment, i, &bench->cells[i]));
    }
    return ONEFOLD_OK;
}

/* ---- the table ------------------------------------------------------------------------------ */

/* The cells a row shows: one, or the best for each measure. */
typedef struct table_row {
    const onefold_experiment_method_info *contender;
    size_t cells[ONEFOLD_MEASURES];
    int best, standard; /* which comparisons it takes part in */
} table_row;

/* The largest mean of a measure among the rows of a comparison, rounded as it is shown. */
static double top(const cli_bench_facts *bench, const table_row *rows, size_t count, int measure,
                  int best)
{
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const onefold_experiment_cell_info *cell = &bench->cells[rows[i].cells[measure]];
        if ((best ? rows[i].best : rows[i].standard) && cell->scored)
            most = fmax(most, round(1000 * cell->mean[measure]));
    }
    return most;
}

onefold_status cli_bench_put_spread(cli_sheet *sheet, int strong,
                                    const onefold_experiment_cell_info *cell, int measure)
{
    if (!cell->scored)
        return cli_sheet_cell(sheet, 0, "-");
    return cli_sheet_cell(sheet, strong, "%.1f%s%.1f", 100 * cell->mean[measure],
                          cli_sheet_spread(sheet), 100 * cell->deviation[measure]);
}

static onefold_status put_setting(cli_sheet *sheet, const cli_bench_facts *bench,
                                  const table_row *row)
{
    const onefold_experiment_method_info *contender = row->contender;
    const onefold_experiment_cell_info *cell = &bench->cells[row->cells[ONEFOLD_ACC]];
    const char *mark = cell->status == ONEFOLD_OK && !cell->converged ? " *" : "";
    if (row->standard)
        return cli_sheet_cell(sheet, 0, "%s%s", row->best ? "nothing to tune" : "default", mark);
    if (contender->picks_view)
        return cli_sheet_cell(sheet, 0, "best of %zu views, each score%s", contender->grid_cells,
                              mark);
    return cli_sheet_cell(sheet, 0, "best of %zu: %s%s", contender->grid_cells, cell->setting,
                          mark);
}

static size_t fill_rows(const cli_bench_facts *bench, table_row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < bench->info.methods; i++) {
        const onefold_experiment_method_info *contender = &bench->methods[i];
        int chosen = contender->best[ONEFOLD_ACC] != ONEFOLD_NO_CELL;
        for (int standard = 0; standard <= 1; standard++) {
            if (!standard && !chosen)
                continue;
            rows[count].contender = contender;
            rows[count].standard = standard;
            rows[count].best = !standard || !contender->has_grid;
            for (int m = 0; m < ONEFOLD_MEASURES; m++)
                rows[count].cells[m] = standard ? contender->standard : contender->best[m];
            count++;
        }
    }
    return count;
}

static onefold_status put_table(cli_sheet *sheet, const cli_bench_facts *bench)
{
    CLI_SCRATCH(scratch);
    const onefold_experiment_method_info *last = NULL;
    table_row *rows;
    int limited = 0;
    CLI_TRY(CLI_NEW(&scratch, &rows, 2 * bench->info.methods));
    size_t count = fill_rows(bench, rows);
    cli_sheet_table(sheet, "llrrrr");
    CLI_TRY(cli_sheet_cell(sheet, 0, "method"));
    CLI_TRY(cli_sheet_cell(sheet, 0, "setting"));
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", cli_measure_title(m)));
    for (size_t i = 0; i < count; i++) {
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s",
                               rows[i].contender == last ? "" : rows[i].contender->name));
        last = rows[i].contender;
        CLI_TRY(put_setting(sheet, bench, &rows[i]));
        for (int m = 0; m < ONEFOLD_MEASURES; m++) {
            const onefold_experiment_cell_info *cell = &bench->cells[rows[i].cells[m]];
            double shown = round(1000 * cell->mean[m]);
            int strong = (rows[i].best && shown == top(bench, rows, count, m, 1)) ||
                         (rows[i].standard && shown == top(bench, rows, count, m, 0));
            limited |= cell->status == ONEFOLD_OK && !cell->converged;
            CLI_TRY(cli_bench_put_spread(sheet, strong, cell, m));
        }
    }
    cli_sheet_table_end(sheet);
    cli_sheet_paragraph(sheet,
                        "The best cell of a grid is chosen with the labels, by mean ACC; a default "
                        "uses none. Bold: the best of either kind.%s",
                        limited ? " *: stopped at its limit of iterations." : "");
    return ONEFOLD_OK;
}

/* ---- without labels ------------------------------------------------------------------------- */

static onefold_status put_unscored(cli_sheet *sheet, const cli_bench_facts *bench)
{
    cli_sheet_paragraph(sheet,
                        "The data has no true labels, so there is no ACC, NMI, purity or ARI to "
                        "give, and nothing to choose a cell of a grid with: every method is at its "
                        "default. The silhouette is that of each method's answer on its own "
                        "embedding, and compares one method's runs rather than methods.");
    cli_sheet_table(sheet, "lrr");
    CLI_TRY(cli_sheet_cell(sheet, 0, "method"));
    CLI_TRY(cli_sheet_cell(sheet, 0, "silhouette"));
    CLI_TRY(cli_sheet_cell(sheet, 0, "clusters used"));
    for (size_t i = 0; i < bench->info.methods; i++) {
        const onefold_experiment_cell_info *cell = &bench->cells[bench->methods[i].standard];
        int there = cell->status == ONEFOLD_OK;
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", bench->methods[cell->method].name));
        CLI_TRY(there ? cli_sheet_cell(sheet, 0, "%.3f", cell->silhouette)
                      : cli_sheet_cell(sheet, 0, "-"));
        CLI_TRY(there ? cli_sheet_cell(sheet, 0, "%zu", cell->clusters_used)
                      : cli_sheet_cell(sheet, 0, "-"));
    }
    cli_sheet_table_end(sheet);
    return cli_bench_put_agreement(sheet, bench);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Why figures are missing, a line for each method; cells of a grid together. */
static void put_missing(cli_sheet *sheet, const cli_bench_facts *bench)
{
    int said = 0;
    for (size_t i = 0; i < bench->info.methods; i++) {
        const onefold_experiment_method_info *contender = &bench->methods[i];
        const onefold_experiment_cell_info *standard = &bench->cells[contender->standard],
                                           *failed = NULL;
        for (size_t c = 0; c < bench->info.cells && !failed; c++)
            if (&bench->methods[bench->cells[c].method] == contender &&
                bench->cells[c].status != ONEFOLD_OK)
                failed = &bench->cells[c];
        if (!failed)
            continue;
        if (!said++) {
            cli_sheet_heading(sheet, 2, "Missing");
            if (sheet->markdown)
                cli_text_put(&sheet->out, "\n");
        }
        if (standard->status != ONEFOLD_OK)
            cli_sheet_item(sheet, "%s: %s.", contender->name, standard->reason);
        else
            cli_sheet_item(sheet, "%s at %s: %s.", contender->name, failed->setting,
                           failed->reason);
    }
}

onefold_status cli_bench_sheet(cli_sheet *sheet, const cli_bench_facts *bench)
{
    CLI_TRY(put_data(sheet, bench));
    if (bench->info.classes) {
        put_protocol(sheet, bench);
        CLI_TRY(put_table(sheet, bench));
        CLI_TRY(cli_bench_put_views(sheet, bench));
        CLI_TRY(cli_bench_put_sensitivity(sheet, bench));
    } else {
        CLI_TRY(put_unscored(sheet, bench));
    }
    CLI_TRY(cli_bench_put_times(sheet, bench));
    CLI_TRY(cli_bench_put_convergence(sheet, bench));
    put_missing(sheet, bench);
    return sheet->out.status;
}
