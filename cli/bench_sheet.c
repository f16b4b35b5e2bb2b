/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment for people: the table of scores, what it was made with, and what is missing. */
#include "bench_sheet.h"

#include <math.h>
#include <string.h>

/* ---- for other programs: a row per cell ----------------------------------------------------- */

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
    for (size_t i = 0; i < bench->info->methods; i++)
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            if (bench->info->method[i]->best[m] == cell)
                return 1;
    return 0;
}

static void put_cell(cli_text *out, const cli_bench_facts *bench, size_t place)
{
    const onefold_experiment_cell_info *cell = bench->info->cell[place];
    const onefold_experiment_cell_info *result = cell;
    int there = result->status == ONEFOLD_OK;
    cli_text_put(out, "%s,", bench->info->method[cell->method]->name);
    put_text(out, cell->setting);
    cli_text_put(out, ",%d,%d,%d,%d,%s,%zu", (cell->roles & ONEFOLD_CELL_STANDARD) != 0,
                 (cell->roles & ONEFOLD_CELL_GRID) != 0,
                 (cell->roles & ONEFOLD_CELL_SENSITIVITY) != 0, is_best(bench, place),
                 onefold_name(ONEFOLD_NAMES_STATUS, result->status), result->repeats);
    for (int m = 0; m < ONEFOLD_MEASURES; m++) {
        put_number(out, result->scores ? cell->mean[m] : NAN);
        put_number(out, result->scores ? cell->deviation[m] : NAN);
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
    for (size_t i = 0; i < bench->info->cells; i++)
        put_cell(&text, bench, i);
    onefold_status status = cli_text_write(&text, out, "the table");
    cli_text_free(&text);
    return status;
}

/* ---- the smaller tables --------------------------------------------------------------------- */

/* "ACC", "NMI", "purity", "ARI". */
static const char *measure_title(int measure)
{
    static const char *const titles[ONEFOLD_MEASURES] = {"ACC", "NMI", "purity", "ARI"};
    return titles[measure];
}

/* "65.5 +- 0.3" as a table's cell, or a dash. */
static onefold_status put_spread(cli_sheet *sheet, int strong,
                                 const onefold_experiment_cell_info *cell, int measure)
{
    if (!cell->scores)
        return cli_sheet_cell(sheet, 0, "-");
    return cli_sheet_cell(sheet, strong, "%.1f%s%.1f", 100 * cell->mean[measure],
                          cli_sheet_spread(sheet), 100 * cell->deviation[measure]);
}

/* Each view by itself, from the methods whose grid is over the views. */
static onefold_status put_views(cli_sheet *sheet, const cli_bench_facts *bench)
{
    for (size_t i = 0; i < bench->info->methods; i++) {
        const onefold_experiment_method_info *contender = bench->info->method[i];
        if (!contender->picks_view || contender->grid_cells == 0)
            continue;
        cli_sheet_heading(sheet, 2, "Each view alone (%s)", contender->name);
        cli_sheet_table(sheet, "llrrrr");
        CLI_TRY(cli_sheet_cell(sheet, 0, "view\tkernel"));
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            CLI_TRY(cli_sheet_cell(sheet, 0, "%s", measure_title(m)));
        size_t view = 0;
        for (size_t c = 0; c < bench->info->cells; c++) {
            const onefold_experiment_cell_info *cell = bench->info->cell[c];
            if (bench->info->method[cell->method] != contender ||
                !(cell->roles & ONEFOLD_CELL_GRID))
                continue;
            const onefold_view_fit *at = bench->info->view[view++ % bench->info->views];
            CLI_TRY(cli_sheet_cell(sheet, 0, "%s\t%s", at->name, at->kernel));
            for (int m = 0; m < ONEFOLD_MEASURES; m++)
                CLI_TRY(put_spread(sheet, contender->best[m] == c, cell, m));
        }
        cli_sheet_table_end(sheet);
    }
    return ONEFOLD_OK;
}

/* ACC and NMI over k and m. */
static onefold_status put_sensitivity(cli_sheet *sheet, const cli_bench_facts *bench)
{
    static const onefold_measure shown[] = {ONEFOLD_ACC, ONEFOLD_NMI};
    size_t count = bench->info->times_count;
    char align[CLI_SHEET_COLUMNS + 1];
    if (!bench->info->sensitivity || count + 1 > CLI_SHEET_COLUMNS)
        return ONEFOLD_OK;
    memset(align, 'r', sizeof align);
    align[0] = 'l';
    align[count + 1] = '\0';
    cli_sheet_heading(
        sheet, 2, "Sensitivity of %s to k and m",
        bench->info->method[bench->info->cell[bench->info->sensitivity[0]]->method]->name);
    for (size_t s = 0; s < sizeof shown / sizeof *shown; s++) {
        double most = -INFINITY;
        for (size_t i = 0; i < count * count; i++) {
            const onefold_experiment_cell_info *cell =
                bench->info->cell[bench->info->sensitivity[i]];
            if (cell->scores)
                most = fmax(most, round(1000 * cell->mean[shown[s]]));
        }
        cli_sheet_table(sheet, align);
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", measure_title(shown[s])));
        for (size_t j = 0; j < count; j++)
            CLI_TRY(
                cli_sheet_cell(sheet, 0, "m = %zu", bench->info->times[j] * bench->info->clusters));
        for (size_t i = 0; i < count; i++) {
            CLI_TRY(
                cli_sheet_cell(sheet, 0, "k = %zu", bench->info->times[i] * bench->info->clusters));
            for (size_t j = 0; j < count; j++) {
                const onefold_experiment_cell_info *cell =
                    bench->info->cell[bench->info->sensitivity[i * count + j]];
                int strong = round(1000 * cell->mean[shown[s]]) == most;
                CLI_TRY(put_spread(sheet, strong, cell, shown[s]));
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

/* Seconds and memory of every method. */
static onefold_status put_times(cli_sheet *sheet, const cli_bench_facts *bench)
{
    cli_sheet_heading(sheet, 2, "Time and memory");
    cli_sheet_table(sheet, "lrrrr");
    CLI_TRY(
        cli_sheet_cell(sheet, 0, "method\tbase partitions\titerations\tone k-means\tpeak memory"));
    for (size_t i = 0; i < bench->info->methods; i++) {
        const onefold_experiment_method_info *contender = bench->info->method[i];
        const onefold_experiment_cell_info *result = bench->info->cell[contender->standard];
        char bytes[32];
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", contender->name));
        if (result->status != ONEFOLD_OK) {
            CLI_TRY(cli_sheet_cell(sheet, 0, "-\t-\t-\t%s needed",
                                   cli_size_text(bytes, contender->peak_bytes)));
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
    cli_sheet_paragraph(sheet, "At the default setting, on %d thread%s; memory includes the data.",
                        bench->info->threads, bench->info->threads == 1 ? "" : "s");
    return ONEFOLD_OK;
}

/* The objective after some of the iterations, for the methods that iterate. */
static onefold_status put_convergence(cli_sheet *sheet, const cli_bench_facts *bench)
{
    static const size_t at[] = {1, 2, 3, 5, 10, 20, 50};
    enum { POINTS = sizeof at / sizeof *at };
    int begun = 0;
    for (size_t i = 0; i < bench->info->methods; i++) {
        const onefold_experiment_cell_info *cell =
            bench->info->cell[bench->info->method[i]->standard];
        const onefold_experiment_cell_info *result = cell;
        if (result->status != ONEFOLD_OK || result->iterations < 2)
            continue;
        if (!begun++) {
            cli_sheet_heading(sheet, 2, "Objective after iteration ...");
            cli_sheet_table(sheet, "lrrrrrrrrr");
            CLI_TRY(cli_sheet_cell(sheet, 0, "method"));
            for (size_t p = 0; p < POINTS; p++)
                CLI_TRY(cli_sheet_cell(sheet, 0, "%zu", at[p]));
            CLI_TRY(cli_sheet_cell(sheet, 0, "last\titerations"));
        }
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", bench->info->method[cell->method]->name));
        for (size_t p = 0; p < POINTS; p++)
            CLI_TRY(at[p] < result->iterations
                        ? cli_sheet_cell(sheet, 0, "%.6g", result->trace[at[p] - 1])
                        : cli_sheet_cell(sheet, 0, "%s", ""));
        CLI_TRY(cli_sheet_cell(sheet, 0, "%.6g\t%zu%s", result->trace[result->iterations - 1],
                               result->iterations, result->converged ? "" : " *"));
    }
    if (begun)
        cli_sheet_table_end(sheet);
    return ONEFOLD_OK;
}

/* NMI between every two methods' answers. */
static onefold_status put_agreement(cli_sheet *sheet, const cli_bench_facts *bench)
{
    size_t count = bench->info->methods;
    char align[CLI_SHEET_COLUMNS + 1];
    if (count < 2 || count + 1 > CLI_SHEET_COLUMNS)
        return ONEFOLD_OK;
    memset(align, 'r', sizeof align);
    align[0] = 'l';
    align[count + 1] = '\0';
    cli_sheet_heading(sheet, 2, "Agreement between methods (NMI of their labels, percent)");
    cli_sheet_table(sheet, align);
    CLI_TRY(cli_sheet_cell(sheet, 0, "%s", ""));
    for (size_t j = 0; j < count; j++)
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", bench->info->method[j]->name));
    for (size_t i = 0; i < count; i++) {
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", bench->info->method[i]->name));
        for (size_t j = 0; j < count; j++) {
            double nmi = bench->info->agreement[i * count + j];
            CLI_TRY(isnan(nmi) ? cli_sheet_cell(sheet, 0, "-")
                               : cli_sheet_cell(sheet, 0, "%.1f", 100 * nmi));
        }
    }
    cli_sheet_table_end(sheet);
    return ONEFOLD_OK;
}

/* ---- the sheet ------------------------------------------------------------------------------ */

/* ---- what it was ---------------------------------------------------------------------------- */

static onefold_status put_data(cli_sheet *sheet, const cli_bench_facts *bench)
{
    size_t columns = 0, views = bench->info->views;
    for (size_t i = 0; i < views; i++) {
        const onefold_view_fit *view = bench->info->view[i];
        columns += view->columns;
    }
    cli_sheet_heading(sheet, 1, "%s", bench->name);
    cli_sheet_paragraph(sheet, "%zu samples, %zu view%s of %zu columns in all, %zu clusters.",
                        bench->info->samples, views, views == 1 ? "" : "s", columns,
                        bench->info->clusters);
    return ONEFOLD_OK;
}

static void put_protocol(cli_sheet *sheet, const cli_bench_facts *bench)
{
    const onefold_experiment_info *info = bench->info;
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
        const onefold_experiment_cell_info *cell = bench->info->cell[rows[i].cells[measure]];
        if ((best ? rows[i].best : rows[i].standard) && cell->scores)
            most = fmax(most, round(1000 * cell->mean[measure]));
    }
    return most;
}

static onefold_status put_setting(cli_sheet *sheet, const cli_bench_facts *bench,
                                  const table_row *row)
{
    const onefold_experiment_method_info *contender = row->contender;
    const onefold_experiment_cell_info *cell = bench->info->cell[row->cells[ONEFOLD_ACC]];
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
    for (size_t i = 0; i < bench->info->methods; i++) {
        const onefold_experiment_method_info *contender = bench->info->method[i];
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
    CLI_TRY(CLI_NEW(&scratch, &rows, 2 * bench->info->methods));
    size_t count = fill_rows(bench, rows);
    cli_sheet_table(sheet, "llrrrr");
    CLI_TRY(cli_sheet_cell(sheet, 0, "method\tsetting"));
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", measure_title(m)));
    for (size_t i = 0; i < count; i++) {
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s",
                               rows[i].contender == last ? "" : rows[i].contender->name));
        last = rows[i].contender;
        CLI_TRY(put_setting(sheet, bench, &rows[i]));
        for (int m = 0; m < ONEFOLD_MEASURES; m++) {
            const onefold_experiment_cell_info *cell = bench->info->cell[rows[i].cells[m]];
            double shown = round(1000 * cell->mean[m]);
            int strong = (rows[i].best && shown == top(bench, rows, count, m, 1)) ||
                         (rows[i].standard && shown == top(bench, rows, count, m, 0));
            limited |= cell->status == ONEFOLD_OK && !cell->converged;
            CLI_TRY(put_spread(sheet, strong, cell, m));
        }
    }
    cli_sheet_table_end(sheet);
    cli_sheet_paragraph(sheet,
                        "The best cell of a grid is chosen with the labels, by mean ACC; the "
                        "default uses no labels. Bold: the best of either kind.%s",
                        limited ? " *: stopped at its limit of iterations." : "");
    return ONEFOLD_OK;
}

/* ---- without labels ------------------------------------------------------------------------- */

static onefold_status put_unscored(cli_sheet *sheet, const cli_bench_facts *bench)
{
    cli_sheet_paragraph(
        sheet, "The data has no true labels: there is no ACC, NMI, purity or ARI, and every method "
               "runs at its default. The silhouette is that of each method's labels on its own "
               "embedding; it compares runs of one method, not methods.");
    cli_sheet_table(sheet, "lrr");
    CLI_TRY(cli_sheet_cell(sheet, 0, "method\tsilhouette\tclusters used"));
    for (size_t i = 0; i < bench->info->methods; i++) {
        const onefold_experiment_cell_info *cell =
            bench->info->cell[bench->info->method[i]->standard];
        int there = cell->status == ONEFOLD_OK;
        CLI_TRY(cli_sheet_cell(sheet, 0, "%s", bench->info->method[cell->method]->name));
        CLI_TRY(there ? cli_sheet_cell(sheet, 0, "%.3f\t%zu", cell->silhouette, cell->clusters_used)
                      : cli_sheet_cell(sheet, 0, "-\t-"));
    }
    cli_sheet_table_end(sheet);
    return put_agreement(sheet, bench);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Why figures are missing, a line for each method; cells of a grid together. */
static void put_missing(cli_sheet *sheet, const cli_bench_facts *bench)
{
    int said = 0;
    for (size_t i = 0; i < bench->info->methods; i++) {
        const onefold_experiment_method_info *contender = bench->info->method[i];
        const onefold_experiment_cell_info *standard = bench->info->cell[contender->standard],
                                           *failed = NULL;
        for (size_t c = 0; c < bench->info->cells && !failed; c++)
            if (bench->info->method[bench->info->cell[c]->method] == contender &&
                bench->info->cell[c]->status != ONEFOLD_OK)
                failed = bench->info->cell[c];
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
    if (bench->info->classes) {
        put_protocol(sheet, bench);
        CLI_TRY(put_table(sheet, bench));
        CLI_TRY(put_views(sheet, bench));
        CLI_TRY(put_sensitivity(sheet, bench));
    } else {
        CLI_TRY(put_unscored(sheet, bench));
    }
    CLI_TRY(put_times(sheet, bench));
    CLI_TRY(put_convergence(sheet, bench));
    put_missing(sheet, bench);
    return sheet->out.status;
}
