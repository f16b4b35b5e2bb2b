/* SPDX-License-Identifier: Apache-2.0 */
/* Why, in the summary of a fit: how far views agree with each other, how sure the labels are, and
 * the columns that set clusters apart. */
#include "summary_explain.h"

#include "utf8_text.h"

#include <string.h>

enum { MOST_VIEWS = 12, MOST_CLUSTERS = 20, LONGEST = 40, LEAST_SURE = 3 };

double cli_view_others(const onefold_fit_info *info, size_t view)
{
    double sum = 0;
    for (size_t v = 0; v < info->views; v++)
        sum += v == view ? 0 : info->view_agreement[view + v * info->views];
    return sum / (double)(info->views - 1);
}

onefold_status cli_agreement_table(const cli_screen *screen, const cli_fit_report *report)
{
    const onefold_fit_info *info = &report->info;
    size_t views = info->views;
    if (!info->view_agreement || views < 2 || views > MOST_VIEWS)
        return ONEFOLD_OK;
    CLI_SCRATCH(scratch);
    char align[MOST_VIEWS + 2] = "l";
    memset(align + 1, 'r', views);
    align[views + 1] = '\0';
    cli_table table = cli_table_make(&scratch, align);
    CLI_TRY(cli_table_add(&table, "between"));
    for (size_t v = 0; v < views; v++)
        CLI_TRY(cli_table_add(&table, "%s", cli_view(report->result, v).name));
    for (size_t v = 0; v < views; v++) {
        CLI_TRY(cli_table_add(&table, "%s", cli_view(report->result, v).name));
        for (size_t w = 0; w < views; w++)
            CLI_TRY(cli_table_add(&table, "%.2f", info->view_agreement[v + w * views]));
    }
    cli_table_show(screen, &table, "agreement", NULL);
    return ONEFOLD_OK;
}

/* A name, cut at the length that is shown. */
static void cut_name(char *to, size_t room, const char *name)
{
    snprintf(to, room, "%s", name);
    cli_shorten(to, LONGEST);
}

/* ---- confidence --------------------------------------------------------------------------- */

void cli_cluster_confidence(const onefold_fit_info *info, const int32_t *labels, double *mean)
{
    for (size_t c = 0; c < info->clusters; c++)
        mean[c] = 0;
    for (size_t j = 0; j < info->samples; j++)
        mean[labels[j]] += info->confidence[j] / (double)info->sizes[labels[j]];
}

void cli_confidence_line(const cli_screen *screen, const onefold_fit_info *info,
                         const onefold_dataset *dataset)
{
    const char *dot = cli_dot(screen);
    size_t unsure = 0, least[LEAST_SURE], shown = 0;
    double mean = 0;
    if (!info->confidence)
        return;
    for (size_t j = 0; j < info->samples; j++) {
        double own = info->confidence[j];
        mean += own / (double)info->samples;
        unsure += own < 0.1;
        size_t at = shown;
        while (at > 0 && info->confidence[least[at - 1]] > own)
            at--;
        if (at == LEAST_SURE)
            continue;
        size_t last = shown < LEAST_SURE ? shown++ : LEAST_SURE - 1;
        memmove(least + at + 1, least + at, (last - at) * sizeof *least);
        least[at] = j;
    }
    cli_margin(screen, "sure");
    cli_put(screen, CLI_PLAIN, "confidence %.2f on average%s%zu sample%s below 0.1", mean, dot,
            unsure, unsure == 1 ? "" : "s");
    for (size_t i = 0; i < shown; i++) {
        const char *name = onefold_dataset_sample_name(dataset, least[i]);
        char number[32], own[4 * LONGEST + 8];
        snprintf(number, sizeof number, "%zu", least[i] + 1);
        cut_name(own, sizeof own, name ? name : number);
        cli_put(screen, CLI_PLAIN, "%s%s%s", i ? ", " : dot, i ? "" : "least sure: ", own);
    }
    cli_put(screen, CLI_PLAIN, "\n");
}

/* ---- columns ------------------------------------------------------------------------------ */

static size_t widest_name(const cli_fit_report *report)
{
    const onefold_fit_info *info = &report->info;
    size_t widest = strlen("view");
    for (size_t v = 0; v < info->views; v++) {
        onefold_view_fit view = cli_view(report->result, v);
        size_t length = cli_characters(view.name, strlen(view.name));
        if (view.named && length > widest)
            widest = length;
    }
    return widest < LONGEST ? widest : LONGEST;
}

/* The columns of one cluster in one view, on as many lines as they take. */
static onefold_status column_line(const cli_screen *screen, const onefold_result *result,
                                  size_t cluster, size_t view, size_t indent)
{
    size_t count = onefold_result_column_count(result, view, cluster), used = indent;
    if (!count)
        cli_put(screen, CLI_FAINT, "none above chance");
    for (size_t r = 0; r < count; r++) {
        onefold_column column = ONEFOLD_COLUMN_INIT;
        char name[4 * LONGEST + 8];
        CLI_TRY(onefold_result_column(result, view, cluster, r, &column));
        cut_name(name, sizeof name, column.name);
        size_t width = cli_characters(name, strlen(name)) + strlen(" +0.00");
        if (r > 0 && used + 2 + width > screen->width) {
            cli_put(screen, CLI_PLAIN, "\n%*s", (int)indent, "");
            used = indent;
        } else if (r > 0) {
            cli_put(screen, CLI_PLAIN, "  ");
            used += 2;
        }
        cli_put(screen, CLI_PLAIN, "%s ", name);
        cli_put(screen, column.strength > 0 ? CLI_GOOD : CLI_WARN, "%+.2f", column.strength);
        used += width;
    }
    cli_put(screen, CLI_PLAIN, "\n");
    return ONEFOLD_OK;
}

/* Views whose columns have no names are told of: what there is to do about it. */
static void unnamed_line(const cli_screen *screen, const cli_fit_report *report, size_t unnamed)
{
    const onefold_fit_info *info = &report->info;
    cli_margin(screen, unnamed == info->views ? "columns" : NULL);
    if (unnamed == info->views) {
        cli_put(screen, CLI_WARN,
                "no view has names for its columns: a header row of a table, or "
                "column_names in\n");
        cli_margin(screen, NULL);
        cli_put(screen, CLI_WARN, "a container, would give them\n");
        return;
    }
    size_t told = 0;
    for (size_t v = 0; v < info->views; v++)
        if (!cli_view(report->result, v).named)
            cli_put(screen, CLI_FAINT, "%s%s", told++ ? ", " : "",
                    cli_view(report->result, v).name);
    cli_put(screen, CLI_FAINT, ": no names of columns\n");
}

onefold_status cli_column_lines(const cli_screen *screen, const cli_fit_report *report)
{
    const onefold_fit_info *info = &report->info;
    size_t unnamed = 0, widest = widest_name(report), shown = 0;
    if (!info->explained)
        return ONEFOLD_OK;
    for (size_t v = 0; v < info->views; v++)
        unnamed += !cli_view(report->result, v).named;
    for (size_t c = 0; unnamed < info->views && c < info->clusters && shown < MOST_CLUSTERS; c++) {
        int first = 1;
        if (!info->sizes[c])
            continue;
        if (shown++ == 0) {
            cli_margin(screen, "columns");
            cli_put(screen, CLI_FAINT, "cluster  %-*s  set apart by\n", (int)widest, "view");
        }
        for (size_t v = 0; v < info->views; v++) {
            if (!cli_view(report->result, v).named)
                continue;
            char name[4 * LONGEST + 8];
            cut_name(name, sizeof name, cli_view(report->result, v).name);
            size_t blanks = widest - cli_characters(name, strlen(name));
            cli_margin(screen, NULL);
            if (first)
                cli_put(screen, CLI_PLAIN, "%7zu", c);
            cli_put(screen, CLI_PLAIN, "%*s%s%*s  ", first ? 2 : 9, "", name, (int)blanks, "");
            CLI_TRY(column_line(screen, report->result, c, v, CLI_MARGIN + 7 + 2 + widest + 2));
            first = 0;
        }
    }
    if (unnamed < info->views)
        cli_left_out(screen, info->clusters_used, shown);
    if (unnamed)
        unnamed_line(screen, report, unnamed);
    return ONEFOLD_OK;
}
