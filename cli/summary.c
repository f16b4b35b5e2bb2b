/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a fit: data, views with their weights, the run, scores, sizes, time, files. */
#include "base.h"
#include "outputs.h"
#include "session.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

#include "screen.h"

/* ---- why ------------------------------------------------------------------------------------ */

enum { MOST_COMPARED = 12, MOST_CLUSTERS = 20, LONGEST = 40, MOST_UNSURE = 3 };

/* The mean agreement of a view's own labels with those of the other views. At least two views. */
static double view_others(const onefold_fit_info *info, size_t view)
{
    double sum = 0;
    for (size_t v = 0; v < info->views; v++)
        sum += v == view ? 0 : info->view_agreement[view + v * info->views];
    return sum / (double)(info->views - 1);
}

/* The agreement of every two views, if they are at most MOST_COMPARED. */
static onefold_status agreement_table(const cli_screen *screen, const onefold_fit_info *info)
{
    size_t views = info->views;
    if (!info->view_agreement || views < 2 || views > MOST_COMPARED)
        return ONEFOLD_OK;
    CLI_SCRATCH(scratch);
    char align[MOST_COMPARED + 2] = "l";
    memset(align + 1, 'r', views);
    align[views + 1] = '\0';
    cli_cells table = cli_cells_make(&scratch, align);
    cli_table_add(&table, "between");
    for (size_t v = 0; v < views; v++)
        cli_table_add(&table, "%s", info->view[v]->name);
    for (size_t v = 0; v < views; v++) {
        cli_table_add(&table, "%s", info->view[v]->name);
        for (size_t w = 0; w < views; w++)
            cli_table_add(&table, "%.2f", info->view_agreement[v + w * views]);
    }
    return cli_table_show(screen, &table, "agreement", NULL);
}

/* Copies a name, cut to the length that is shown. */
static void shorten_name(char *to, size_t room, const char *name)
{
    snprintf(to, room, "%s", name);
    cli_shorten(to, LONGEST);
}

/* ---- confidence ----------------------------------------------------------------------------- */

static void cluster_confidence(const onefold_fit_info *info, const int32_t *labels, double *mean)
{
    for (size_t c = 0; c < info->clusters; c++)
        mean[c] = 0;
    for (size_t j = 0; j < info->samples; j++)
        mean[labels[j]] += info->confidence[j] / (double)info->sizes[labels[j]];
}

/* A line on the confidence of all samples, with the names of the least sure. */
static void confidence_line(const cli_screen *screen, const onefold_fit_info *info,
                            const onefold_dataset *dataset)
{
    const char *dot = cli_dot(screen);
    size_t unsure = 0, least[MOST_UNSURE], shown = 0;
    double mean = 0;
    if (!info->confidence)
        return;
    for (size_t j = 0; j < info->samples; j++) {
        double own = info->confidence[j];
        mean += own / (double)info->samples;
        unsure += own < 0.5;
        size_t at = shown;
        while (at > 0 && info->confidence[least[at - 1]] > own)
            at--;
        if (at == MOST_UNSURE)
            continue;
        size_t last = shown < MOST_UNSURE ? shown++ : MOST_UNSURE - 1;
        memmove(least + at + 1, least + at, (last - at) * sizeof *least);
        least[at] = j;
    }
    cli_line(screen, "sure", CLI_PLAIN, "confidence %.2f on average%s%zu sample%s below 0.5", mean,
             dot, unsure, unsure == 1 ? "" : "s");
    for (size_t i = 0; i < shown; i++) {
        const char *const *own = onefold_dataset_describe(dataset)->sample_names;
        char number[32], text[4 * LONGEST + 8];
        snprintf(number, sizeof number, "%zu", least[i] + 1);
        shorten_name(text, sizeof text, own ? own[least[i]] : number);
        cli_put(screen, CLI_PLAIN, "%s%s%s", i ? ", " : dot, i ? "" : "least sure: ", text);
    }
    cli_put(screen, CLI_PLAIN, "\n");
}

/* ---- the finding ---------------------------------------------------------------------------- */

/* The first line: whether the clusters are more than chance. */
static void finding_line(const cli_screen *screen, const onefold_fit_info *info)
{
    const onefold_finding *it = info->finding;
    if (!it)
        return;
    cli_margin(screen, "finding");
    if (it->found)
        cli_put(screen, CLI_GOOD, "clusters were found: ");
    else
        cli_put(screen, CLI_WARN, "nothing was found: these clusters are %s\n", it->verdict);
    if (!it->found)
        cli_margin(screen, NULL);
    cli_put(screen, CLI_PLAIN,
            "subsamples agree at %.2f (%.2f by chance), neighbours tell %.0f %% (%.0f %%)\n",
            it->stable, it->chance, 100 * it->told, 100 * it->told_chance);
}

/* A line that names the clusters which hardly come back. */
static void unstable_line(const cli_screen *screen, const onefold_fit_info *info)
{
    const double least = 0.6;
    size_t found = 0;
    for (size_t c = 0; info->stability && c < info->clusters; c++)
        if (info->sizes[c] && info->stability[c] < least) {
            if (!found)
                cli_margin(screen, NULL);
            cli_put(screen, CLI_WARN, "%s%zu", found++ ? ", " : "unstable, below 0.60: ", c);
        }
    if (found)
        cli_put(screen, CLI_PLAIN, "\n");
}

/* ---- columns -------------------------------------------------------------------------------- */

static size_t widest_name(const onefold_fit_info *info)
{
    size_t widest = strlen("view");
    for (size_t v = 0; v < info->views; v++) {
        const onefold_view_fit *view = info->view[v];
        size_t length = cli_characters(view->name, strlen(view->name));
        if (view->named && length > widest)
            widest = length;
    }
    return widest < LONGEST ? widest : LONGEST;
}

/* The columns of a cluster in a view, on one line or several. */
static void column_line(const cli_screen *screen, const onefold_result *result, size_t cluster,
                        size_t view, size_t indent)
{
    size_t used = indent;
    const onefold_column *column;
    if (!onefold_result_column(result, view, cluster, 0))
        cli_put(screen, CLI_FAINT, "none above chance");
    for (size_t r = 0; (column = onefold_result_column(result, view, cluster, r)); r++) {
        char name[4 * LONGEST + 8];
        shorten_name(name, sizeof name, column->name);
        size_t width = cli_characters(name, strlen(name)) + strlen(" +0.00");
        if (r > 0 && used + 2 + width > screen->width) {
            cli_put(screen, CLI_PLAIN, "\n%*s", (int)indent, "");
            used = indent;
        } else if (r > 0) {
            cli_put(screen, CLI_PLAIN, "  ");
            used += 2;
        }
        cli_put(screen, CLI_PLAIN, "%s ", name);
        cli_put(screen, column->strength > 0 ? CLI_GOOD : CLI_WARN, "%+.2f", column->strength);
        used += width;
    }
    cli_put(screen, CLI_PLAIN, "\n");
}

/* A line on the views whose columns have no names. */
static void unnamed_line(const cli_screen *screen, const onefold_fit_info *info, size_t unnamed)
{
    cli_margin(screen, unnamed == info->views ? "columns" : NULL);
    if (unnamed == info->views) {
        cli_put(screen, CLI_WARN,
                "no view has names of columns: add a header to a table, or column_names to\n");
        cli_line(screen, NULL, CLI_WARN, "a container\n");
        return;
    }
    size_t listed = 0;
    for (size_t v = 0; v < info->views; v++)
        if (!info->view[v]->named)
            cli_put(screen, CLI_FAINT, "%s%s", listed++ ? ", " : "", info->view[v]->name);
    cli_put(screen, CLI_FAINT, ": no names of columns\n");
}

/* The columns that set each cluster apart, with --explain or --report. */
static void column_lines(const cli_screen *screen, const onefold_result *result,
                         const onefold_fit_info *info)
{
    size_t unnamed = 0, widest = widest_name(info), shown = 0;
    if (!info->explained)
        return;
    for (size_t v = 0; v < info->views; v++)
        unnamed += !info->view[v]->named;
    for (size_t c = 0; unnamed < info->views && c < info->clusters && shown < MOST_CLUSTERS; c++) {
        int first = 1;
        if (!info->sizes[c])
            continue;
        if (shown++ == 0)
            cli_line(screen, "columns", CLI_FAINT, "cluster  %-*s  set apart by\n", (int)widest,
                     "view");
        for (size_t v = 0; v < info->views; v++) {
            if (!info->view[v]->named)
                continue;
            char name[4 * LONGEST + 8];
            shorten_name(name, sizeof name, info->view[v]->name);
            size_t blanks = widest - cli_characters(name, strlen(name));
            cli_margin(screen, NULL);
            if (first)
                cli_put(screen, CLI_PLAIN, "%7zu", c);
            cli_put(screen, CLI_PLAIN, "%*s%s%*s  ", first ? 2 : 9, "", name, (int)blanks, "");
            column_line(screen, result, c, v, CLI_MARGIN + 7 + 2 + widest + 2);
            first = 0;
        }
    }
    if (unnamed < info->views)
        cli_left_out(screen, info->clusters_used, shown);
    if (unnamed)
        unnamed_line(screen, info, unnamed);
}

/* ---- clusters ------------------------------------------------------------------------------- */

enum { MOST_BARS = 20, MOST_SIZES = 200 };

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The view whose own labels agree best with the cluster. */
static size_t best_view(const onefold_fit_info *info, size_t cluster)
{
    const double *agreement = info->cluster_agreement + cluster * info->views;
    size_t best = 0;
    for (size_t v = 1; v < info->views; v++)
        best = agreement[v] > agreement[best] ? v : best;
    return best;
}

/* Up to MOST_BARS clusters have a row each, with a bar and the view that sees them best. More have
 * their smallest, median and largest size, and up to MOST_SIZES a list of sizes. */
static onefold_status size_lines(const cli_screen *screen, const onefold_fit_info *info)
{
    CLI_SCRATCH(scratch);
    size_t *sorted;
    CLI_TRY(CLI_NEW(&scratch, &sorted, info->clusters));
    memcpy(sorted, info->sizes, info->clusters * sizeof *sorted);
    qsort(sorted, info->clusters, sizeof *sorted, by_size);
    size_t largest = sorted[info->clusters - 1];
    if (info->clusters <= MOST_BARS) {
        int by_view = info->agreement && info->views > 1;
        char align[8];
        snprintf(align, sizeof align, "rr%s%s%s", by_view ? "lr" : "", info->stability ? "r" : "",
                 info->confidence ? "r" : "");
        cli_cells table = cli_cells_make(&scratch, align);
        double bars[MOST_BARS], sure[MOST_BARS];
        if (info->confidence)
            cluster_confidence(info, info->labels, sure);
        cli_table_add(&table, "cluster\tsamples%s%s%s", by_view ? "\tseen best by\toverlap" : "",
                      info->stability ? "\tstable" : "", info->confidence ? "\tsure" : "");
        for (size_t c = 0; c < info->clusters; c++) {
            cli_table_add(&table, "%zu\t%zu", c, info->sizes[c]);
            if (by_view) {
                size_t v = best_view(info, c);
                cli_table_add(&table, "%s\t%.2f", info->sizes[c] ? info->view[v]->name : "",
                              info->cluster_agreement[c * info->views + v]);
            }
            if (info->stability)
                cli_table_add(&table, "%.2f", info->sizes[c] ? info->stability[c] : 0);
            if (info->confidence)
                cli_table_add(&table, "%.2f", sure[c]);
            bars[c] = largest ? (double)info->sizes[c] / (double)largest : 0;
        }
        CLI_TRY(cli_table_show(screen, &table, "sizes", bars));
        unstable_line(screen, info);
        return ONEFOLD_OK;
    }
    cli_line(screen, "sizes", CLI_PLAIN, "smallest %zu%smedian %zu%slargest %zu\n", sorted[0],
             cli_dot(screen), sorted[info->clusters / 2], cli_dot(screen), largest);
    for (size_t c = 0; info->clusters <= MOST_SIZES && c < info->clusters; c++) {
        if (c % 10 == 0)
            cli_margin(screen, NULL);
        int last = c % 10 == 9 || c + 1 == info->clusters;
        cli_put(screen, CLI_PLAIN, last ? "%6zu\n" : "%6zu", info->sizes[c]);
    }
    return ONEFOLD_OK;
}

/* ---- the summary ---------------------------------------------------------------------------- */

enum { MOST_VIEWS = 40 };

/* The ending of a noun: "1 view", "2 views". */
static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void cli_data_lines(const cli_screen *screen, const cli_session *session)
{
    const onefold_dataset_info *info = onefold_dataset_describe(session->dataset);
    int verbose = session->progress->verbose;
    size_t count = verbose ? info->notes : info->assumptions;
    const char *const *said = verbose ? info->note : info->assumption, *dot = cli_dot(screen);
    char name[256];
    cli_line(screen, "data", CLI_PLAIN, "%s%s%zu sample%s%s%zu view%s",
             cli_data_name(session->call, name, sizeof name), dot, info->samples,
             plural(info->samples), dot, info->views, plural(info->views));
    if (info->classes)
        cli_put(screen, CLI_PLAIN, "%s%zu true class%s", dot, info->classes,
                info->classes == 1 ? "" : "es");
    cli_put(screen, CLI_PLAIN, "\n");
    for (size_t i = 0; i < count; i++)
        cli_line(screen, NULL, verbose ? CLI_FAINT : CLI_WARN, "%s\n", said[i]);
}

/* Whether the method has made base partitions. */
static int has_partitions(const onefold_fit_info *info)
{
    for (size_t v = 0; v < info->views; v++)
        if (info->view[v]->route != ONEFOLD_ROUTE_NONE)
            return 1;
    return 0;
}

static onefold_status view_table(const cli_screen *screen, const onefold_fit_info *info)
{
    CLI_SCRATCH(scratch);
    double *bars, largest = 0;
    size_t missing = 0; /* some sample lacks a view */
    for (size_t v = 0; v < info->views; v++) {
        largest = info->view[v]->weight > largest ? info->view[v]->weight : largest;
        missing |= info->view[v]->missing;
    }
    int partitions = has_partitions(info), weights = largest > 0,
        others = info->agreement && info->views > 1;
    char align[12];
    snprintf(align, sizeof align, "lr%sll%s%s%s%s", missing ? "r" : "", partitions ? "l" : "",
             info->agreement ? "r" : "", others ? "r" : "", weights ? "r" : "");
    cli_cells table = cli_cells_make(&scratch, align);
    size_t shown = info->views < MOST_VIEWS ? info->views : MOST_VIEWS;
    CLI_TRY(CLI_NEW(&scratch, &bars, shown));
    cli_table_add(&table, "name\tcolumns%s\tstorage\tkernel%s%s%s%s", missing ? "\tmissing" : "",
                  partitions ? "\tbase" : "", info->agreement ? "\tagrees" : "",
                  others ? "\twith others" : "", weights ? "\tweight" : "");
    for (size_t v = 0; v < shown; v++) {
        const onefold_view_fit *view = info->view[v];
        cli_table_add(&table, "%s\t%zu", view->name, view->columns);
        if (missing)
            cli_table_add(&table, "%zu", view->missing);
        cli_table_add(&table, "%s\t%s", onefold_name(ONEFOLD_NAMES_STORAGE, view->storage),
                      view->kernel);
        if (partitions)
            cli_table_add(&table, "%s",
                          view->route ? onefold_name(ONEFOLD_NAMES_ROUTE, view->route) : "");
        if (info->agreement)
            cli_table_add(&table, "%.2f", info->agreement[v]);
        if (others)
            cli_table_add(&table, "%.2f", view_others(info, v));
        if (weights)
            cli_table_add(&table, "%.3f", view->weight);
        bars[v] = weights ? view->weight / largest : 0;
    }
    CLI_TRY(cli_table_show(screen, &table, "views", weights ? bars : NULL));
    cli_left_out(screen, info->views, shown);
    return ONEFOLD_OK;
}

/* After a note that views tell nothing: how to leave them out. */
static void without_line(const cli_screen *screen, const onefold_fit_info *info)
{
    enum { MOST_NAMED = 12 };
    size_t views = info->views, silent = 0, named = 0;
    for (size_t v = 0; v < views; v++)
        silent += !(info->view[v]->weight > 0);
    if (!silent || silent == views || views - silent > MOST_NAMED ||
        !strstr(info->note, "tells nothing"))
        return; /* --weights may have set a weight of 0 */
    cli_line(screen, NULL, CLI_FAINT, "(try without %s: --views ", silent == 1 ? "it" : "them");
    for (size_t v = 0; v < views; v++)
        if (info->view[v]->weight > 0)
            cli_put(screen, CLI_FAINT, "%s%s", named++ ? "," : "", info->view[v]->name);
    cli_put(screen, CLI_FAINT, ")\n");
}

/* os-lfmvc-cs scales the base partitions of all views alike, whatever their spectrum: a view of
 * noise counts as much as a clear one. So a warning names the view whose own labels agree least
 * with those of the others, if they hardly agree. */
static void trusting_line(const cli_screen *screen, const onefold_fit_info *info)
{
    const double HARDLY = 0.2;
    size_t least = 0;
    if (strcmp(info->method, "os-lfmvc-cs") != 0 || !info->agreement || info->views < 2)
        return;
    for (size_t v = 1; v < info->views; v++)
        if (view_others(info, v) <= view_others(info, least))
            least = v;
    if (view_others(info, least) < HARDLY)
        cli_line(screen, NULL, CLI_WARN,
                 "views hardly agree (%s %.2f with others), and os-lfmvc-cs trusts every view, "
                 "noise included; --method onefold gives noise no weight\n",
                 info->view[least]->name, view_others(info, least));
}

static void run_lines(const cli_screen *screen, const onefold_fit_info *info)
{
    const char *dot = cli_dot(screen);
    cli_line(screen, "fit", CLI_PLAIN, "%s%s%zu cluster%s", info->method, dot, info->clusters,
             plural(info->clusters));
    if (has_partitions(info))
        cli_put(screen, CLI_PLAIN, "%s%zu dims", dot, info->dims);
    if (has_partitions(info) && info->anchors)
        cli_put(screen, CLI_PLAIN, "%s%zu anchors", dot, info->anchors);
    cli_put(screen, CLI_PLAIN, "\n");
    if (info->restarts) { /* 0: labels of k-means, without an objective */
        cli_margin(screen, NULL);
        if (info->restarts > 1)
            cli_put(screen, CLI_PLAIN, "best of %zu restarts: number %zu%s", info->restarts,
                    info->best_restart + 1, dot);
        cli_put(screen, CLI_PLAIN, "%zu iteration%s%sobjective %.6g\n", info->iterations,
                plural(info->iterations), dot, info->objective);
    }
    if (info->restarts && !info->converged)
        cli_line(screen, NULL, CLI_WARN, "not converged: more iterations may help (--max-iter)\n");
    if (info->clusters_used < info->clusters) {
        cli_margin(screen, NULL);
        cli_put(screen, CLI_WARN,
                "only %zu of the %zu clusters are in use: every sample fits one of them better "
                "than the others\n",
                info->clusters_used, info->clusters);
        cli_margin(screen, NULL);
        cli_put(screen, CLI_WARN,
                "the data may have fewer clusters (onefold choose); more restarts may use more\n");
    }
    if (*info->note) {
        cli_line(screen, NULL, CLI_WARN, "%s\n", info->note);
        without_line(screen, info);
    }
    trusting_line(screen, info);
}

static onefold_status restart_table(const cli_screen *screen, const onefold_fit_info *info)
{
    if (!info->restart_objective || !info->restart_iterations || !info->restart_clusters_used)
        return ONEFOLD_OK;
    CLI_SCRATCH(scratch);
    cli_cells table = cli_cells_make(&scratch, "rrrrl");
    cli_table_add(&table, "number\tobjective\titerations\tclusters\t");
    for (size_t r = 0; r < info->restarts; r++) {
        cli_table_add(&table, "%zu\t%.8g\t%zu\t%zu\t%s", r + 1, info->restart_objective[r],
                      info->restart_iterations[r], info->restart_clusters_used[r],
                      r == info->best_restart ? "best" : "");
    }
    return cli_table_show(screen, &table, "restarts", NULL);
}

void cli_scores_line(const cli_screen *screen, const onefold_scores *scores)
{
    const struct {
        const char *name;
        double value;
    } shown[] = {{"ACC", scores->acc},
                 {"NMI", scores->nmi},
                 {"purity", scores->purity},
                 {"ARI", scores->ari},
                 {"F", scores->f}};
    cli_margin(screen, "scores");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        cli_put(screen, CLI_PLAIN, "%s%s ", i ? "   " : "", shown[i].name);
        cli_put(screen, CLI_GOOD, "%.1f", 100 * shown[i].value);
    }
    cli_put(screen, CLI_PLAIN, "\n");
}

/* A line on a model that grows with the samples, and on how to keep it small. */
static void model_lines(const cli_screen *screen, const onefold_model_info *info)
{
    size_t holding = 0, bytes = 0, rbf = 0;
    char text[32];
    for (size_t i = 0; i < info->views; i++) {
        const onefold_model_view_info *view = info->view[i];
        if (!view->holds_samples)
            continue;
        holding++;
        bytes += view->bytes;
        rbf += strcmp(view->kernel, "rbf") == 0;
    }
    if (!holding)
        return;
    cli_line(screen, NULL, CLI_PLAIN, "it holds the training samples of %zu view%s: %s%s\n",
             holding, plural(holding), cli_size_text(text, bytes),
             rbf ? "; --base nystrom keeps it small" : "");
}

static void end_lines(const cli_screen *screen, const cli_session *session,
                      const onefold_report *page, const onefold_fit_info *info)
{
    const cli_value *value = session->call->value;
    const char *dot = cli_dot(screen);
    char read[32], base[32], fit[32], total[32], peak[32];
    cli_line(
        screen, "time", CLI_PLAIN, "read %s%sbase %s%sfit %s%stotal %s%s%s peak%s%d thread%s\n",
        cli_seconds_text(read, page->seconds_read), dot, cli_seconds_text(base, info->seconds_base),
        dot, cli_seconds_text(fit, info->seconds_fit), dot,
        cli_seconds_text(total, page->seconds_total), dot, cli_size_text(peak, page->peak_bytes),
        dot, info->threads, plural((size_t)info->threads));
    if (cli_ranks_count() > 1)
        cli_line(screen, NULL, CLI_PLAIN, "%d processes; figures of the first one\n",
                 cli_ranks_count());
    cli_line(screen, "labels", CLI_PLAIN, "%s\n", cli_labels_place(session->call));
    if (value[CLI_EMBEDDING].given)
        cli_line(screen, "embedding", CLI_PLAIN, "%s%s%zu x %zu\n", value[CLI_EMBEDDING].text, dot,
                 info->samples, info->embedding_rows);
    if (page->model_path) {
        const onefold_model_info *about = onefold_model_describe(info->model);
        cli_line(screen, "model", CLI_PLAIN, "%s%s%s\n", page->model_path, dot,
                 cli_size_text(peak, about->bytes));
        model_lines(screen, about);
    }
}

onefold_status cli_fit_summary(const cli_screen *screen, const cli_session *session,
                               const onefold_report *page)
{
    const onefold_fit_info *info = onefold_result_describe(page->result);
    finding_line(screen, info);
    cli_data_lines(screen, session);
    CLI_TRY(view_table(screen, info));
    run_lines(screen, info);
    if (session->progress->verbose) {
        CLI_TRY(agreement_table(screen, info));
        CLI_TRY(restart_table(screen, info));
    }
    CLI_TRY(size_lines(screen, info));
    confidence_line(screen, info, session->dataset);
    column_lines(screen, page->result, info);
    if (page->scores)
        cli_scores_line(screen, page->scores);
    end_lines(screen, session, page, info);
    return screen->file == stdout ? cli_flush_output() : ONEFOLD_OK;
}
