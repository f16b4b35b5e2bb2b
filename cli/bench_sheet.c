/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of an experiment: scores, time, convergence, agreement, missing figures. */
#include "bench_sheet.h"

#include "base/number.h"
#include "session.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- the smaller tables --------------------------------------------------------------------- */

#define MEASURES "ACC\tNMI\tpurity\tARI" /* in their order */

/* "65.5 +- 0.3" as a table's cell, or a dash. */
static void put_spread(cli_sheet *sheet, int strong, const onefold_experiment_cell_info *cell,
                       int measure)
{
    if (cell->scores)
        cli_sheet_cell(sheet, strong, "%.1f%s%.1f", 100 * cell->mean[measure],
                       cli_sheet_spread(sheet), 100 * cell->deviation[measure]);
    else
        cli_sheet_cell(sheet, 0, "-");
}

/* The mean over the views of their mean scores, which is not the score of the mean kernel. */
static void put_mean_view(cli_sheet *sheet, const double *sum, size_t views)
{
    cli_sheet_cell(sheet, 0, "mean of the views\t");
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        if (views)
            cli_sheet_cell(sheet, 0, "%.1f", 100 * sum[m] / (double)views);
        else
            cli_sheet_cell(sheet, 0, "-");
}

/* Scores of each view alone, by the methods whose grid is over the views. */
static void put_views(cli_sheet *sheet, const onefold_experiment_info *info)
{
    for (size_t i = 0; i < info->methods; i++) {
        const onefold_experiment_method_info *contender = info->method[i];
        if (!contender->picks_view || contender->grid_cells == 0)
            continue;
        cli_sheet_heading(sheet, 2, "Each view alone (%s)", contender->name);
        cli_sheet_table(sheet, "llrrrr");
        cli_sheet_cell(sheet, 0, "view\tkernel\t" MEASURES);
        size_t view = 0, scored = 0;
        double sum[ONEFOLD_MEASURES] = {0};
        for (size_t c = 0; c < info->cells; c++) {
            const onefold_experiment_cell_info *cell = info->cell[c];
            if (info->method[cell->method] != contender || !(cell->roles & ONEFOLD_CELL_GRID))
                continue;
            const onefold_view_fit *at = info->view[view++ % info->views];
            cli_sheet_cell(sheet, 0, "%s\t%s", at->name, at->kernel);
            scored += cell->scores != NULL;
            for (int m = 0; m < ONEFOLD_MEASURES; m++) {
                put_spread(sheet, contender->best[m] == c, cell, m);
                sum[m] += cell->scores ? cell->mean[m] : 0;
            }
        }
        put_mean_view(sheet, sum, scored);
        cli_sheet_table_end(sheet);
    }
}

/* Begins a table with a column of names and `count` columns of figures. */
static void square_table(cli_sheet *sheet, size_t count)
{
    char align[CLI_SHEET_COLUMNS + 1] = "l";
    memset(align + 1, 'r', count);
    align[count + 1] = '\0';
    cli_sheet_table(sheet, align);
}

/* ACC and NMI over k and m. */
static void put_sensitivity(cli_sheet *sheet, const onefold_experiment_info *info)
{
    static const onefold_measure shown[] = {ONEFOLD_ACC, ONEFOLD_NMI};
    size_t count = info->times_count;
    if (!info->sensitivity || count + 1 > CLI_SHEET_COLUMNS)
        return;
    cli_sheet_heading(sheet, 2, "Sensitivity of %s to k and m",
                      info->method[info->cell[info->sensitivity[0]]->method]->name);
    for (size_t s = 0; s < sizeof shown / sizeof *shown; s++) {
        double most = -INFINITY;
        for (size_t i = 0; i < count * count; i++) {
            const onefold_experiment_cell_info *cell = info->cell[info->sensitivity[i]];
            if (cell->scores)
                most = fmax(most, round(1000 * cell->mean[shown[s]]));
        }
        square_table(sheet, count);
        cli_sheet_cell(sheet, 0, shown[s] == ONEFOLD_ACC ? "ACC" : "NMI");
        for (size_t j = 0; j < count; j++)
            cli_sheet_cell(sheet, 0, "m = %zu", info->times[j] * info->clusters);
        for (size_t i = 0; i < count; i++) {
            cli_sheet_cell(sheet, 0, "k = %zu", info->times[i] * info->clusters);
            for (size_t j = 0; j < count; j++) {
                const onefold_experiment_cell_info *cell =
                    info->cell[info->sensitivity[i * count + j]];
                int strong = round(1000 * cell->mean[shown[s]]) == most;
                put_spread(sheet, strong, cell, shown[s]);
            }
        }
        cli_sheet_table_end(sheet);
    }
}

/* A dash where the method failed. */
static void put_seconds(cli_sheet *sheet, int has, double seconds)
{
    if (has)
        cli_sheet_cell(sheet, 0,
                       seconds < 10    ? "%.2f s"
                       : seconds < 100 ? "%.1f s"
                                       : "%.0f s",
                       seconds);
    else
        cli_sheet_cell(sheet, 0, "-");
}

/* Seconds and memory of every method. */
static void put_times(cli_sheet *sheet, const onefold_experiment_info *info)
{
    cli_sheet_heading(sheet, 2, "Time and memory");
    cli_sheet_table(sheet, "lrrrrr");
    cli_sheet_cell(sheet, 0, "method\tpreparation\titerations\tk-means\ttotal\tpeak memory");
    for (size_t i = 0; i < info->methods; i++) {
        const onefold_experiment_method_info *contender = info->method[i];
        const onefold_experiment_cell_info *cell = info->cell[contender->standard];
        int there = cell->status == ONEFOLD_OK;
        char bytes[32];
        cli_size_text(bytes, there ? cell->peak_bytes : contender->peak_bytes);
        cli_sheet_cell(sheet, 0, "%s", contender->name);
        put_seconds(sheet, there, cell->seconds_base);
        put_seconds(sheet, there, cell->seconds_fit);
        put_seconds(sheet, there, cell->seconds_kmeans);
        put_seconds(sheet, there, cell->seconds_run);
        cli_sheet_cell(sheet, 0, "%s %s", bytes, there ? "peak" : "needed");
    }
    cli_sheet_table_end(sheet);
    cli_sheet_paragraph(sheet,
                        "One run at the default setting on %d thread%s, from features in memory to "
                        "labels; the mean of those made. Preparation: kernels, base partitions, "
                        "graphs. Memory includes the data.",
                        info->threads, info->threads == 1 ? "" : "s");
}

/* The objective after some of the iterations, for the methods that iterate. */
static void put_convergence(cli_sheet *sheet, const onefold_experiment_info *info)
{
    static const size_t at[] = {1, 2, 3, 5, 10, 20, 50};
    enum { POINTS = sizeof at / sizeof *at };
    int begun = 0;
    for (size_t i = 0; i < info->methods; i++) {
        const onefold_experiment_cell_info *cell = info->cell[info->method[i]->standard];
        if (cell->status != ONEFOLD_OK || cell->iterations < 2)
            continue;
        if (!begun++) {
            cli_sheet_heading(sheet, 2, "Objective after iteration ...");
            cli_sheet_table(sheet, "lrrrrrrrrr");
            cli_sheet_cell(sheet, 0, "method");
            for (size_t p = 0; p < POINTS; p++)
                cli_sheet_cell(sheet, 0, "%zu", at[p]);
            cli_sheet_cell(sheet, 0, "last\titerations");
        }
        cli_sheet_cell(sheet, 0, "%s", info->method[cell->method]->name);
        for (size_t p = 0; p < POINTS; p++)
            if (at[p] < cell->iterations)
                cli_sheet_cell(sheet, 0, "%.6g", cell->trace[at[p] - 1]);
            else
                cli_sheet_cell(sheet, 0, "%s", "");
        cli_sheet_cell(sheet, 0, "%.6g\t%zu%s", cell->trace[cell->iterations - 1], cell->iterations,
                       cell->converged ? "" : " *");
    }
    if (begun)
        cli_sheet_table_end(sheet);
}

/* NMI of the labels of every two methods. */
static void put_agreement(cli_sheet *sheet, const onefold_experiment_info *info)
{
    size_t count = info->methods;
    if (count < 2 || count + 1 > CLI_SHEET_COLUMNS)
        return;
    cli_sheet_heading(sheet, 2, "Agreement between methods (NMI of their labels, percent)");
    square_table(sheet, count);
    cli_sheet_cell(sheet, 0, "%s", "");
    for (size_t j = 0; j < count; j++)
        cli_sheet_cell(sheet, 0, "%s", info->method[j]->name);
    for (size_t i = 0; i < count; i++) {
        cli_sheet_cell(sheet, 0, "%s", info->method[i]->name);
        for (size_t j = 0; j < count; j++) {
            double nmi = info->agreement[i * count + j];
            if (isnan(nmi))
                cli_sheet_cell(sheet, 0, "-");
            else
                cli_sheet_cell(sheet, 0, "%.1f", 100 * nmi);
        }
    }
    cli_sheet_table_end(sheet);
}

/* ---- data and protocol ---------------------------------------------------------------------- */

static void put_data(cli_sheet *sheet, const char *name, const onefold_experiment_info *info)
{
    size_t columns = 0, views = info->views;
    for (size_t i = 0; i < views; i++)
        columns += info->view[i]->columns;
    cli_sheet_heading(sheet, 1, "%s", name);
    char truth[512] = "", shown[480];
    if (info->truth) {
        cli_show_text(info->truth, shown, sizeof shown);
        snprintf(truth, sizeof truth, " The truth is %s: %zu classes.", shown, info->classes);
    }
    cli_sheet_paragraph(sheet, "%zu samples, %zu view%s of %zu columns in all, %zu clusters.%s",
                        info->samples, views, views == 1 ? "" : "s", columns, info->clusters,
                        truth);
}

/* A text that grows, cut off at its end. */
typedef struct list_text {
    char text[1024];
    size_t length;
} list_text;

static void __attribute__((format(printf, 2, 3))) add_text(list_text *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int added =
        of_number_print_list(to->text + to->length, sizeof to->text - to->length, format, values);
    va_end(values);
    if (added > 0)
        to->length += (size_t)added;
    if (to->length >= sizeof to->text)
        to->length = sizeof to->text - 1;
}

/* What the repeats of each method draw; methods that draw the same are together. */
static void put_drawn(cli_sheet *sheet, const onefold_experiment_info *info)
{
    list_text list = {"", 0};
    for (size_t i = 0; i < info->methods; i++) {
        const char *drawn = info->method[i]->drawn;
        size_t first = 0;
        while (strcmp(info->method[first]->drawn, drawn) != 0)
            first++;
        if (first < i)
            continue;
        add_text(&list, "%s%s%s", list.length ? "; " : "", drawn,
                 info->method[i]->ends_in_kmeans && strstr(drawn, "k-means") == NULL
                     ? ", and k-means ("
                     : " (");
        for (size_t j = i; j < info->methods; j++)
            if (strcmp(info->method[j]->drawn, drawn) == 0)
                add_text(&list, "%s%s", j == i ? "" : ", ", info->method[j]->name);
        add_text(&list, ")");
    }
    cli_sheet_paragraph(sheet, "A run draws: %s.", list.text);
}

static void put_protocol(cli_sheet *sheet, const onefold_experiment_info *info)
{
    cli_sheet_paragraph(
        sheet,
        "Percent: mean%sstandard deviation (n - 1) over %zu repeat%s of every cell. A repeat is a "
        "run of the whole method with the next seed, from %llu on. A final k-means has %zu "
        "replicates of at most %zu iterations, started %s. NMI is divided by the larger entropy.",
        cli_sheet_spread(sheet), info->repeats, info->repeats == 1 ? "" : "s",
        (unsigned long long)info->seed, info->replicates, info->kmeans_iterations,
        info->kmeans_start == ONEFOLD_KMEANS_PLUSPLUS
            ? "by k-means++"
            : "from random samples, as the authors of these methods do");
    put_drawn(sheet, info);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* A row shows a cell. */
typedef struct table_row {
    const onefold_experiment_method_info *contender;
    size_t cell;
    int best, standard; /* which comparisons it takes part in; neither: the median */
} table_row;

/* The largest mean of a measure among the rows of a comparison, rounded as it is shown. */
static double top(const onefold_experiment_info *info, const table_row *rows, size_t count,
                  int measure, int best)
{
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const onefold_experiment_cell_info *cell = info->cell[rows[i].cell];
        if ((best ? rows[i].best : rows[i].standard) && cell->scores)
            most = fmax(most, round(1000 * cell->mean[measure]));
    }
    return most;
}

static void put_setting(cli_sheet *sheet, const onefold_experiment_info *info, const table_row *row)
{
    const onefold_experiment_method_info *contender = row->contender;
    const onefold_experiment_cell_info *cell = info->cell[row->cell];
    const char *mark = cell->status == ONEFOLD_OK && !cell->converged ? " *" : "";
    char view[128] = "", of[48] = "default", shown[64];
    if (cell->only_view) {
        cli_show_text(info->view[cell->only_view - 1]->name, shown, sizeof shown);
        snprintf(view, sizeof view, ": view %zu (%s)", cell->only_view, shown);
    }
    if (!row->standard)
        snprintf(of, sizeof of, "%s of %zu%s", row->best ? "best" : "median", contender->tried,
                 cell->only_view ? "" : ": ");
    else if (row->best)
        snprintf(of, sizeof of, "nothing to tune");
    cli_sheet_cell(sheet, 0, "%s%s%s%s", of, view,
                   row->standard || cell->only_view ? "" : cell->setting, mark);
}

static size_t fill_rows(const onefold_experiment_info *info, table_row *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < info->methods; i++) {
        const onefold_experiment_method_info *contender = info->method[i];
        int chosen = contender->best[ONEFOLD_ACC] != ONEFOLD_NO_CELL;
        if (chosen) {
            rows[count++] = (table_row){contender, contender->best[ONEFOLD_ACC], 1, 0};
            rows[count++] = (table_row){contender, contender->median, 0, 0};
        }
        rows[count++] = (table_row){contender, contender->standard, !contender->has_grid, 1};
    }
    return count;
}

/* How many settings are as good as the best, for all that the repeats can tell. */
static void put_near(cli_sheet *sheet, const onefold_experiment_info *info)
{
    list_text list = {"", 0};
    for (size_t i = 0; i < info->methods; i++) {
        const onefold_experiment_method_info *contender = info->method[i];
        if (contender->tried > 1)
            add_text(&list, "%s%s %zu of %zu", list.length ? ", " : "", contender->name,
                     contender->near_best, contender->tried - 1);
    }
    if (list.length)
        cli_sheet_paragraph(
            sheet, "Other settings within one standard error of the best mean ACC: %s.", list.text);
}

static onefold_status put_table(cli_sheet *sheet, const onefold_experiment_info *info)
{
    CLI_SCRATCH(scratch);
    const onefold_experiment_method_info *last = NULL;
    table_row *rows;
    int limited = 0, chosen = 0, averages = 0;
    CLI_TRY(CLI_NEW(&scratch, &rows, 3 * info->methods));
    size_t count = fill_rows(info, rows);
    cli_sheet_table(sheet, "llrrrr");
    cli_sheet_cell(sheet, 0, "method\tsetting\t" MEASURES);
    for (size_t i = 0; i < count; i++) {
        cli_sheet_cell(sheet, 0, "%s", rows[i].contender == last ? "" : rows[i].contender->name);
        last = rows[i].contender;
        chosen |= !rows[i].standard;
        averages |= strcmp(last->name, "avg-kkm") == 0;
        put_setting(sheet, info, &rows[i]);
        for (int m = 0; m < ONEFOLD_MEASURES; m++) {
            const onefold_experiment_cell_info *cell = info->cell[rows[i].cell];
            double shown = round(1000 * cell->mean[m]);
            int strong = (rows[i].best && shown == top(info, rows, count, m, 1)) ||
                         (rows[i].standard && shown == top(info, rows, count, m, 0));
            limited |= cell->status == ONEFOLD_OK && !cell->converged;
            put_spread(sheet, strong, cell, m);
        }
    }
    cli_sheet_table_end(sheet);
    cli_sheet_paragraph(sheet, "%sBold: the best of either kind.%s%s",
                        chosen ? "The best and the median setting are those of largest and of "
                                 "median mean ACC, which takes the labels, as in papers: nobody "
                                 "has them in earnest. The default uses no labels. "
                               : "",
                        averages ? " avg-kkm takes the mean of the kernels." : "",
                        limited ? " *: stopped at its limit of iterations." : "");
    put_near(sheet, info);
    return ONEFOLD_OK;
}

/* ---- without labels ------------------------------------------------------------------------- */

static void put_unscored(cli_sheet *sheet, const onefold_experiment_info *info)
{
    cli_sheet_paragraph(
        sheet, "The data has no true labels: there is no ACC, NMI, purity or ARI, and every method "
               "runs at its default. The silhouette is that of each method's labels on its own "
               "embedding; it compares runs of one method, not methods.");
    cli_sheet_table(sheet, "lrr");
    cli_sheet_cell(sheet, 0, "method\tsilhouette\tclusters used");
    for (size_t i = 0; i < info->methods; i++) {
        const onefold_experiment_cell_info *cell = info->cell[info->method[i]->standard];
        cli_sheet_cell(sheet, 0, "%s", info->method[cell->method]->name);
        if (cell->status == ONEFOLD_OK)
            cli_sheet_cell(sheet, 0, "%.3f\t%zu", cell->silhouette, cell->clusters_used);
        else
            cli_sheet_cell(sheet, 0, "-\t-");
    }
    cli_sheet_table_end(sheet);
    put_agreement(sheet, info);
}

/* ---- the whole sheet ------------------------------------------------------------------------ */

/* Why figures are missing: a line for each method, with its first cell that failed. */
static void put_missing(cli_sheet *sheet, const onefold_experiment_info *info)
{
    int said = 0;
    for (size_t i = 0; i < info->methods; i++) {
        const onefold_experiment_method_info *contender = info->method[i];
        const onefold_experiment_cell_info *standard = info->cell[contender->standard],
                                           *failed = NULL;
        for (size_t c = 0; c < info->cells && !failed; c++)
            if (info->method[info->cell[c]->method] == contender &&
                info->cell[c]->status != ONEFOLD_OK)
                failed = info->cell[c];
        if (!failed)
            continue;
        if (!said++) {
            cli_sheet_heading(sheet, 2, "Missing");
            if (sheet->markdown)
                fputs("\n", sheet->screen.file);
        }
        if (standard->status != ONEFOLD_OK)
            cli_sheet_item(sheet, "%s: %s.", contender->name, standard->reason);
        else
            cli_sheet_item(sheet, "%s at %s: %s.", contender->name, failed->setting,
                           failed->reason);
    }
}

onefold_status cli_bench_sheet(cli_sheet *sheet, const char *name,
                               const onefold_experiment_info *info)
{
    put_data(sheet, name, info);
    if (info->classes) {
        put_protocol(sheet, info);
        CLI_TRY(put_table(sheet, info));
        put_views(sheet, info);
        put_sensitivity(sheet, info);
    } else {
        put_unscored(sheet, info);
    }
    put_times(sheet, info);
    put_convergence(sheet, info);
    put_missing(sheet, info);
    return cli_sheet_end(sheet);
}
