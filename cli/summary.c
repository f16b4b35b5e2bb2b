/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of a fit: data, views with their weights, the run, scores, sizes, time, files. */
#include "labels_out.h"
#include "ranks.h"
#include "summary_explain.h"
#include "verbs.h"

#include <string.h>

enum { MOST_VIEWS = 40 };

onefold_view_fit cli_view(const onefold_result *result, size_t index)
{
    onefold_view_fit view = ONEFOLD_VIEW_FIT_INIT;
    (void)onefold_result_view(result, index, &view); /* no such view: all zero */
    return view;
}

/* "1 view", "2 views". */
static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

void cli_data_lines(const cli_screen *screen, const cli_session *session)
{
    const onefold_dataset *dataset = session->dataset;
    size_t samples = onefold_dataset_samples(dataset), views = onefold_dataset_view_count(dataset),
           classes = onefold_dataset_class_count(dataset);
    char name[256];
    const char *dot = cli_dot(screen);
    cli_margin(screen, "data");
    cli_put(screen, CLI_PLAIN, "%s%s%zu sample%s%s%zu view%s",
            cli_data_name(session->call, name, sizeof name), dot, samples, plural(samples), dot,
            views, plural(views));
    if (classes)
        cli_put(screen, CLI_PLAIN, "%s%zu true class%s", dot, classes, classes == 1 ? "" : "es");
    cli_put(screen, CLI_PLAIN, "\n");
    for (size_t i = 0; !session->progress.verbose && i < onefold_dataset_assumption_count(dataset);
         i++) {
        cli_margin(screen, NULL);
        cli_put(screen, CLI_WARN, "%s\n", onefold_dataset_assumption(dataset, i));
    }
    for (size_t i = 0; session->progress.verbose && i < onefold_dataset_note_count(dataset); i++) {
        cli_margin(screen, NULL);
        cli_put(screen, CLI_FAINT, "%s\n", onefold_dataset_note(dataset, i));
    }
}

/* Not every method takes base partitions, or weighs the views. */
static int has_partitions(const cli_fit_report *report)
{
    for (size_t v = 0; v < report->info.views; v++)
        if (cli_view(report->result, v).route != ONEFOLD_ROUTE_NONE)
            return 1;
    return 0;
}

/* Whether some sample lacks a view. */
static int some_missing(const cli_fit_report *report)
{
    for (size_t v = 0; v < report->info.views; v++)
        if (cli_view(report->result, v).missing)
            return 1;
    return 0;
}

static double largest_weight(const cli_fit_report *report)
{
    double largest = 0;
    for (size_t v = 0; v < report->info.views; v++) {
        double weight = cli_view(report->result, v).weight;
        largest = weight > largest ? weight : largest;
    }
    return largest;
}

static onefold_status view_table(const cli_screen *screen, const cli_fit_report *report)
{
    const onefold_fit_info *info = &report->info;
    CLI_SCRATCH(scratch);
    double *bars, largest = largest_weight(report);
    int partitions = has_partitions(report), weights = largest > 0;
    int missing = some_missing(report), others = info->agreement && info->views > 1;
    char align[12];
    snprintf(align, sizeof align, "lr%sll%s%s%s%s", missing ? "r" : "", partitions ? "l" : "",
             info->agreement ? "r" : "", others ? "r" : "", weights ? "r" : "");
    cli_table table = cli_table_make(&scratch, align);
    size_t shown = info->views < MOST_VIEWS ? info->views : MOST_VIEWS;
    CLI_TRY(CLI_NEW(&scratch, &bars, shown));
    static const char *const heading[] = {"name", "columns", "missing", "storage", "kernel"};
    for (size_t i = 0; i < 5; i++)
        if (i != 2 || missing)
            CLI_TRY(cli_table_add(&table, "%s", heading[i]));
    if (partitions)
        CLI_TRY(cli_table_add(&table, "base"));
    if (info->agreement)
        CLI_TRY(cli_table_add(&table, "agrees"));
    if (others)
        CLI_TRY(cli_table_add(&table, "with others"));
    if (weights)
        CLI_TRY(cli_table_add(&table, "weight"));
    for (size_t v = 0; v < shown; v++) {
        onefold_view_fit view = cli_view(report->result, v);
        CLI_TRY(cli_table_add(&table, "%s", view.name));
        CLI_TRY(cli_table_add(&table, "%zu", view.columns));
        if (missing)
            CLI_TRY(cli_table_add(&table, "%zu", view.missing));
        CLI_TRY(cli_table_add(&table, "%s", onefold_name(ONEFOLD_NAMES_STORAGE, view.storage)));
        CLI_TRY(cli_table_add(&table, "%s", view.kernel));
        if (partitions)
            CLI_TRY(cli_table_add(&table, "%s",
                                  view.route ? onefold_name(ONEFOLD_NAMES_ROUTE, view.route) : ""));
        if (info->agreement)
            CLI_TRY(cli_table_add(&table, "%.2f", info->agreement[v]));
        if (others)
            CLI_TRY(cli_table_add(&table, "%.2f", cli_view_others(info, v)));
        if (weights)
            CLI_TRY(cli_table_add(&table, "%.3f", view.weight));
        bars[v] = weights ? view.weight / largest : 0;
    }
    cli_table_show(screen, &table, "views", weights ? bars : NULL);
    cli_left_out(screen, info->views, shown);
    return ONEFOLD_OK;
}

/* Under a note that views tell nothing: how to leave them out. */
static void without_line(const cli_screen *screen, const cli_fit_report *report)
{
    enum { MOST_NAMED = 12 };
    size_t views = report->info.views, silent = 0, named = 0;
    for (size_t v = 0; v < views; v++)
        silent += !(cli_view(report->result, v).weight > 0);
    if (!silent || silent == views || views - silent > MOST_NAMED ||
        !strstr(report->info.note, "tells nothing"))
        return; /* a weight of 0 may be what was asked for */
    cli_margin(screen, NULL);
    cli_put(screen, CLI_FAINT, "(try without %s: --views ", silent == 1 ? "it" : "them");
    for (size_t v = 0; v < views; v++)
        if (cli_view(report->result, v).weight > 0)
            cli_put(screen, CLI_FAINT, "%s%s", named++ ? "," : "",
                    cli_view(report->result, v).name);
    cli_put(screen, CLI_FAINT, ")\n");
}

static void run_lines(const cli_screen *screen, const cli_fit_report *report)
{
    const onefold_fit_info *info = &report->info;
    const char *dot = cli_dot(screen);
    cli_margin(screen, "fit");
    cli_put(screen, CLI_PLAIN, "%s%s%zu cluster%s", info->method, dot, info->clusters,
            plural(info->clusters));
    if (has_partitions(report))
        cli_put(screen, CLI_PLAIN, "%s%zu dims%s%zu anchors", dot, info->dims, dot, info->anchors);
    cli_put(screen, CLI_PLAIN, "\n");
    if (info->restarts) { /* 0: labels of k-means, which no fit has an objective of */
        cli_margin(screen, NULL);
        if (info->restarts > 1)
            cli_put(screen, CLI_PLAIN, "best of %zu restarts: number %zu%s", info->restarts,
                    info->best_restart + 1, dot);
        cli_put(screen, CLI_PLAIN, "%zu iteration%s%sobjective %.6g\n", info->iterations,
                plural(info->iterations), dot, info->objective);
    }
    if (info->restarts && !info->converged) {
        cli_margin(screen, NULL);
        cli_put(screen, CLI_WARN, "not converged: more iterations may help (--max-iter)\n");
    }
    if (info->clusters_used < info->clusters) {
        cli_margin(screen, NULL);
        cli_put(screen, CLI_WARN,
                "only %zu of the %zu clusters are in use: every sample fits one of them better "
                "than the others\n",
                info->clusters_used, info->clusters);
        cli_margin(screen, NULL);
        cli_put(screen, CLI_WARN,
                "the data may show fewer clusters (onefold choose); more restarts may use more\n");
    }
    if (*info->note) {
        cli_margin(screen, NULL);
        cli_put(screen, CLI_WARN, "%s\n", info->note);
        without_line(screen, report);
    }
}

static onefold_status restart_table(const cli_screen *screen, const onefold_fit_info *info)
{
    if (!info->restart_objective || !info->restart_iterations || !info->restart_clusters_used)
        return ONEFOLD_OK;
    CLI_SCRATCH(scratch);
    cli_table table = cli_table_make(&scratch, "rrrrl");
    static const char *const heading[] = {"number", "objective", "iterations", "clusters", ""};
    for (size_t i = 0; i < 5; i++)
        CLI_TRY(cli_table_add(&table, "%s", heading[i]));
    for (size_t r = 0; r < info->restarts; r++) {
        CLI_TRY(cli_table_add(&table, "%zu", r + 1));
        CLI_TRY(cli_table_add(&table, "%.8g", info->restart_objective[r]));
        CLI_TRY(cli_table_add(&table, "%zu", info->restart_iterations[r]));
        CLI_TRY(cli_table_add(&table, "%zu", info->restart_clusters_used[r]));
        CLI_TRY(cli_table_add(&table, "%s", r == info->best_restart ? "best" : ""));
    }
    cli_table_show(screen, &table, "restarts", NULL);
    return ONEFOLD_OK;
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

/* A model that grows with the samples says so, and what to do about it. */
static void model_lines(const cli_screen *screen, const onefold_model *model, size_t views)
{
    size_t holding = 0, bytes = 0, rbf = 0;
    char text[32];
    for (size_t i = 0; i < views; i++) {
        onefold_model_view_info view = ONEFOLD_MODEL_VIEW_INFO_INIT;
        if (onefold_model_view(model, i, &view) != ONEFOLD_OK || !view.holds_samples)
            continue;
        holding++;
        bytes += view.bytes;
        rbf += strcmp(view.kernel, "rbf") == 0;
    }
    if (!holding)
        return;
    cli_margin(screen, NULL);
    cli_put(screen, CLI_PLAIN, "it holds the training samples of %zu view%s: %s%s\n", holding,
            plural(holding), cli_size_text(text, bytes),
            rbf ? "; --base nystrom keeps it small" : "");
}

static void end_lines(const cli_screen *screen, const cli_session *session,
                      const cli_fit_report *report)
{
    const cli_value *value = session->call->value;
    const char *dot = cli_dot(screen);
    char read[32], base[32], fit[32], total[32], peak[32];
    cli_margin(screen, "time");
    cli_put(screen, CLI_PLAIN, "read %s%sbase %s%sfit %s%stotal %s%s%s peak%s%d thread%s\n",
            cli_seconds_text(read, report->seconds_read), dot,
            cli_seconds_text(base, report->info.seconds_base), dot,
            cli_seconds_text(fit, report->info.seconds_fit), dot,
            cli_seconds_text(total, report->seconds_total), dot,
            cli_size_text(peak, report->peak_bytes), dot, report->info.threads,
            plural((size_t)report->info.threads));
    if (cli_ranks_count() > 1) {
        cli_margin(screen, NULL);
        cli_put(screen, CLI_PLAIN, "%d processes; the figures are the first one's\n",
                cli_ranks_count());
    }
    cli_margin(screen, "labels");
    cli_put(screen, CLI_PLAIN, "%s\n", cli_labels_place(session->call));
    if (value[CLI_EMBEDDING].given) {
        cli_margin(screen, "embedding");
        cli_put(screen, CLI_PLAIN, "%s%s%zu x %zu\n", value[CLI_EMBEDDING].text, dot,
                report->info.samples, report->info.embedding_rows);
    }
    if (report->model_path) {
        char bytes[32];
        const onefold_model *model = onefold_result_model(report->result);
        onefold_model_info about = ONEFOLD_MODEL_INFO_INIT;
        (void)onefold_model_describe(model, &about); /* the model is there */
        cli_margin(screen, "model");
        cli_put(screen, CLI_PLAIN, "%s%s%s\n", report->model_path, dot,
                cli_size_text(bytes, about.bytes));
        model_lines(screen, model, about.views);
    }
}

onefold_status cli_fit_summary(const cli_screen *screen, const cli_session *session,
                               const cli_fit_report *report)
{
    cli_data_lines(screen, session);
    CLI_TRY(view_table(screen, report));
    run_lines(screen, report);
    if (session->progress.verbose) {
        CLI_TRY(cli_agreement_table(screen, report));
        CLI_TRY(restart_table(screen, &report->info));
    }
    CLI_TRY(cli_size_lines(screen, report));
    cli_confidence_line(screen, &report->info, session->dataset);
    CLI_TRY(cli_column_lines(screen, report));
    if (report->scores)
        cli_scores_line(screen, report->scores);
    end_lines(screen, session, report);
    return screen->file == stdout ? cli_flush_output() : ONEFOLD_OK;
}
