/* SPDX-License-Identifier: Apache-2.0 */
/* The clusters in the summary of a fit: how large they are, who sees them, how sure they are. */
#include "summary_explain.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BARS = 20, MOST_SIZES = 200 };

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The view whose own labels have this cluster best. */
static size_t best_view(const onefold_fit_info *info, size_t cluster)
{
    const double *agreement = info->cluster_agreement + cluster * info->views;
    size_t best = 0;
    for (size_t v = 1; v < info->views; v++)
        best = agreement[v] > agreement[best] ? v : best;
    return best;
}

onefold_status cli_size_lines(const cli_screen *screen, const cli_fit_report *report)
{
    const onefold_fit_info *info = &report->info;
    CLI_SCRATCH(scratch);
    size_t *sorted;
    CLI_TRY(CLI_NEW(&scratch, &sorted, info->clusters));
    memcpy(sorted, info->sizes, info->clusters * sizeof *sorted);
    qsort(sorted, info->clusters, sizeof *sorted, by_size);
    size_t largest = sorted[info->clusters - 1];
    if (info->clusters <= MOST_BARS) {
        int by_view = info->agreement && info->views > 1;
        cli_table table = cli_table_make(&scratch, by_view            ? "rrlrr"
                                                   : info->confidence ? "rrr"
                                                                      : "rr");
        double bars[MOST_BARS], sure[MOST_BARS];
        if (info->confidence)
            cli_cluster_confidence(info, report->labels, sure);
        CLI_TRY(cli_table_add(&table, "cluster"));
        CLI_TRY(cli_table_add(&table, "samples"));
        if (by_view) {
            CLI_TRY(cli_table_add(&table, "seen best by"));
            CLI_TRY(cli_table_add(&table, "overlap"));
        }
        if (info->confidence)
            CLI_TRY(cli_table_add(&table, "sure"));
        for (size_t c = 0; c < info->clusters; c++) {
            CLI_TRY(cli_table_add(&table, "%zu", c));
            CLI_TRY(cli_table_add(&table, "%zu", info->sizes[c]));
            if (by_view) {
                size_t v = best_view(info, c);
                CLI_TRY(cli_table_add(&table, "%s",
                                      info->sizes[c] ? cli_view(report->result, v).name : ""));
                CLI_TRY(
                    cli_table_add(&table, "%.2f", info->cluster_agreement[c * info->views + v]));
            }
            if (info->confidence)
                CLI_TRY(cli_table_add(&table, "%.2f", sure[c]));
            bars[c] = largest ? (double)info->sizes[c] / (double)largest : 0;
        }
        cli_table_show(screen, &table, "sizes", bars);
        return ONEFOLD_OK;
    }
    cli_margin(screen, "sizes");
    cli_put(screen, CLI_PLAIN, "smallest %zu%smiddle %zu%slargest %zu\n", sorted[0],
            cli_dot(screen), sorted[info->clusters / 2], cli_dot(screen), largest);
    for (size_t c = 0; info->clusters <= MOST_SIZES && c < info->clusters; c++) {
        if (c % 10 == 0)
            cli_margin(screen, NULL);
        cli_put(screen, CLI_PLAIN, "%6zu%s", info->sizes[c],
                c % 10 == 9 || c + 1 == info->clusters ? "\n" : "");
    }
    return ONEFOLD_OK;
}
