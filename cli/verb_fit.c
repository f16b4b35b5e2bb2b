/* SPDX-License-Identifier: Apache-2.0 */
/* onefold fit: read, cluster, score, write, tell. */
#include "outputs.h"
#include "session.h"
#include "verbs.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

/* ---- --dry-run: shapes, routes, passes, bytes, and an estimate of the time ------------------ */

enum { MOST_VIEWS = 200 };

/* An estimate and what surrounds it. */
typedef struct plan_report {
    const onefold_estimate *estimate;
    const onefold_estimate_info *info;
    size_t free_bytes;
    double seconds_read;
} plan_report;

static onefold_status view_table(const cli_screen *screen, cli_arena *arena,
                                 const plan_report *report)
{
    const onefold_view_fit *view;
    size_t views = report->info->views, shown = views < MOST_VIEWS ? views : MOST_VIEWS;
    view = onefold_estimate_describe(report->estimate)->view[0];
    int partitions = view->route != ONEFOLD_ROUTE_NONE;
    cli_cells table = cli_cells_make(arena, partitions ? "lrlllrr" : "lrll");
    CLI_TRY(cli_table_add(&table, "name\tcolumns\tstorage\tkernel%s",
                          partitions ? "\tbase\tpasses\tabout" : ""));
    for (size_t v = 0; v < shown; v++) {
        char time[32];
        view = onefold_estimate_describe(report->estimate)->view[v];
        const char *route = onefold_name(ONEFOLD_NAMES_ROUTE, view->route);
        CLI_TRY(cli_table_add(&table, "%s\t%zu\t%s\t%s", view->name, view->columns,
                              onefold_name(ONEFOLD_NAMES_STORAGE, view->storage), view->kernel));
        if (!partitions)
            continue;
        if (view->landmarks)
            CLI_TRY(cli_table_add(&table, "%s, %zu landmarks", route, view->landmarks));
        else
            CLI_TRY(cli_table_add(&table, "%s", route));
        CLI_TRY(
            cli_table_add(&table, "%zu\t%s", view->passes, cli_seconds_text(time, view->seconds)));
    }
    cli_table_show(screen, &table, "views", NULL);
    cli_left_out(screen, views, shown);
    return ONEFOLD_OK;
}

static void fit_lines(const cli_screen *screen, const plan_report *report)
{
    const char *dot = cli_dot(screen);
    cli_line(screen, "fit", CLI_PLAIN, "%s%s%zu clusters", report->info->method, dot,
             report->info->clusters);
    if (report->info->iterations && report->info->anchors)
        cli_put(screen, CLI_PLAIN, "%s%zu dims%s%zu anchors", dot, report->info->dims, dot,
                report->info->anchors);
    if (report->info->iterations)
        cli_put(screen, CLI_PLAIN, "%s%zu restarts", dot, report->info->restarts);
    cli_put(screen, CLI_PLAIN, "\n");
    if (!report->info->iterations)
        return;
    cli_margin(screen, NULL);
    cli_put(screen, CLI_PLAIN,
            "%zu iterations are assumed%s%zu passes over the "
            "partitions\n",
            report->info->iterations, dot, report->info->passes);
}

static void byte_lines(const cli_screen *screen, const plan_report *report, const char *folder)
{
    char input[32], partitions[32], peak[32], room[32], model[32];
    const char *dot = cli_dot(screen);
    cli_line(screen, "memory", CLI_PLAIN, "data %s%spartitions %s%s%s%sat most %s of the %s free\n",
             cli_size_text(input, report->info->input_bytes), dot,
             cli_size_text(partitions, report->info->partition_bytes),
             report->info->spill_bytes ? ", spilled to " : "",
             report->info->spill_bytes ? folder : "", dot,
             cli_size_text(peak, report->info->peak_bytes),
             cli_size_text(room, report->free_bytes));
    if (report->info->gpu_bytes)
        cli_line(screen, "GPU", CLI_PLAIN, "at most %s%s%s\n",
                 cli_size_text(room, report->info->gpu_bytes), dot, onefold_device_description());
    if (!report->info->model_bytes)
        return;
    cli_line(screen, "model", CLI_PLAIN, "a file of about %s\n",
             cli_size_text(model, report->info->model_bytes));
}

static void time_lines(const cli_screen *screen, const plan_report *report)
{
    char read[32], prepare[32], base[32], fit[32], total[32];
    const char *dot = cli_dot(screen);
    cli_line(screen, "time", CLI_PLAIN, "read %s%sprepare %s",
             cli_seconds_text(read, report->seconds_read), dot,
             cli_seconds_text(prepare, report->info->seconds_prepare));
    if (report->info->has_time)
        cli_put(screen, CLI_PLAIN, "%sbase about %s%sfit about %s%stotal about %s", dot,
                cli_seconds_text(base, report->info->seconds_base), dot,
                cli_seconds_text(fit, report->info->seconds_fit), dot,
                cli_seconds_text(total, report->seconds_read + report->info->seconds));
    else
        cli_put(screen, CLI_PLAIN, "%sno estimate for this method", dot);
    cli_put(screen, CLI_PLAIN, "%s%d thread%s\n", dot, report->info->threads,
            report->info->threads == 1 ? "" : "s");
}

static onefold_status show_plan(const cli_session *session, cli_arena *arena,
                                const plan_report *report, const char *folder)
{
    cli_screen screen = cli_screen_of(stdout);
    char name[256];
    const char *dot = cli_dot(&screen);
    errno = 0;
    cli_line(&screen, "data", CLI_PLAIN, "%s%s%zu samples%s%zu view%s\n",
             cli_data_name(session->call, name, sizeof name), dot, report->info->samples, dot,
             report->info->views, report->info->views == 1 ? "" : "s");
    CLI_TRY(view_table(&screen, arena, report));
    fit_lines(&screen, report);
    byte_lines(&screen, report, folder);
    time_lines(&screen, report);
    return cli_flush_output();
}

static onefold_status tell_plan(const cli_session *session, const onefold_estimate *estimate,
                                const char *folder)
{
    plan_report report = {.estimate = estimate,
                          .info = onefold_estimate_describe(estimate),
                          .free_bytes = onefold_free_memory(),
                          .seconds_read = session->seconds_read};
    CLI_TRY(onefold_estimate_check_memory(estimate));
    if (!session->call->value[CLI_JSON].given) {
        CLI_SCRATCH(scratch);
        return show_plan(session, &scratch, &report, folder);
    }
    onefold_report page = cli_page(session);
    char *text = NULL;
    page.free_bytes = report.free_bytes;
    page.estimate = estimate;
    onefold_status made = onefold_report_json(&text, &page);
    return cli_json_print(made, text);
}

/* onefold fit --dry-run: what the fit would do, and about how long it would take. */
static onefold_status dry_run(const cli_session *session, const onefold_fit_options *options)
{
    onefold_estimate *estimate = NULL;
    CLI_TRY(onefold_fit_estimate(&estimate, session->context, session->dataset, options, 1));
    onefold_status status = tell_plan(session, estimate, options->spill);
    onefold_estimate_free(estimate);
    return status;
}

/* ---- the fit -------------------------------------------------------------------------------- */

size_t cli_peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

onefold_report cli_page(const cli_session *session)
{
    onefold_report page = ONEFOLD_REPORT_INIT;
    page.paths = session->call->operands;
    page.path_count = session->call->operand_count;
    page.seconds_read = session->seconds_read;
    page.seconds_total = cli_clock() - session->began;
    page.peak_bytes = cli_peak_bytes();
    page.threads = session->threads;
    return page;
}

static onefold_status check_outputs(const cli_call *call)
{
    static const struct {
        cli_option_id id;
        const char *name, *endings;
    } kinds[] = {{CLI_LABELS, "--labels", CLI_LABEL_ENDINGS},
                 {CLI_EMBEDDING, "--embedding", ".npy .csv .txt .mat"},
                 {CLI_LAYOUT, "--layout", ".npy .csv .txt .mat"},
                 {CLI_PARTS, "--parts", ".npy .csv .txt .mat"},
                 {CLI_MODEL, "--model", NULL},
                 {CLI_REPORT, "--report", NULL}};
    const char *outputs[sizeof kinds / sizeof *kinds][2];
    size_t count = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!call->value[kinds[i].id].given)
            continue;
        outputs[count][0] = kinds[i].name;
        outputs[count++][1] = call->value[kinds[i].id].text;
        CLI_TRY(cli_check_outputs(call, call->operand_count,
                                  (const char *const(*)[2])outputs + count - 1, 1,
                                  kinds[i].endings));
    }
    CLI_TRY(cli_report_check(call));
    return cli_check_outputs(call, call->operand_count, (const char *const(*)[2])outputs, count,
                             NULL);
}

/* What would be found missing after the fit, before it. */
static onefold_status check_split(const cli_session *session)
{
    const cli_value *value = session->call->value;
    if ((!value[CLI_EMBEDDING].given && !value[CLI_LAYOUT].given) ||
        onefold_dataset_describe(session->dataset)->samples <
            onefold_context_describe(session->context)->split_from)
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_UNSUPPORTED,
                             "--embedding and --layout are not available with several processes"),
                    "leave them out, or start one process");
}

/* The heading of a column: that of a picture, a view's name, or a number. */
static onefold_status name_column(cli_arena *arena, const cli_fit_report *report,
                                  cli_option_id what, size_t column, const char **name)
{
    char *text;
    if (what == CLI_LAYOUT)
        CLI_TRY(cli_arena_string(arena, &text, "%s", column ? "y" : "x"));
    else if (what == CLI_PARTS)
        CLI_TRY(cli_arena_string(arena, &text, "%s", report->info->view[column]->name));
    else
        CLI_TRY(cli_arena_string(arena, &text, "e%zu", column + 1));
    *name = text;
    return ONEFOLD_OK;
}

/* A row for each sample: as CSV under a header and with the ids of the samples, or their numbers
 * from 1, as labels have them; else the numbers alone. */
static onefold_status write_table(const cli_session *session, const cli_fit_report *report,
                                  cli_option_id what, const double *values, size_t columns)
{
    const char *path = session->call->value[what].text, *end = strrchr(path, '.');
    size_t samples = report->info->samples;
    if (!end || strcasecmp(end, ".csv") != 0)
        return onefold_matrix_write(values, samples, columns, columns, session->context, path);
    CLI_SCRATCH(scratch);
    onefold_dataset *table = NULL, *names = NULL;
    const char **ids, **headings;
    CLI_TRY(CLI_NEW(&scratch, &ids, samples));
    CLI_TRY(CLI_NEW(&scratch, &headings, columns));
    for (size_t i = 0; i < columns; i++)
        CLI_TRY(name_column(&scratch, report, what, i, &headings[i]));
    CLI_TRY(cli_labels_names(session, &names));
    onefold_status status = onefold_dataset_create(&table, session->context, samples);
    for (size_t j = 0; j < samples && status == ONEFOLD_OK; j++) {
        char *number;
        const char *const *own = onefold_dataset_describe(names)->sample_names;
        ids[j] = own ? own[j] : NULL;
        if (!ids[j] && (status = cli_arena_string(&scratch, &number, "%zu", j + 1)) == ONEFOLD_OK)
            ids[j] = number;
    }
    if (status == ONEFOLD_OK)
        status = onefold_dataset_add_dense(table, "table", values, columns, columns, 1);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_set_column_names(table, 0, headings);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_set_sample_names(table, ids);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_write(table, session->context, path);
    onefold_dataset_free(table);
    if (names != session->dataset)
        onefold_dataset_free(names);
    return status;
}

static onefold_status write_labels(const cli_session *session, const cli_fit_report *report)
{
    onefold_dataset *names = NULL;
    CLI_TRY(cli_labels_names(session, &names));
    onefold_status status =
        onefold_labels_write(report->labels, report->info->confidence, report->info->samples, names,
                             session->context, session->call->value[CLI_LABELS].text);
    if (names != session->dataset)
        onefold_dataset_free(names);
    return status;
}

static onefold_status write_layout(const cli_session *session, const cli_fit_report *report)
{
    CLI_SCRATCH(scratch);
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    double *place;
    options.seed = report->info->seed;
    CLI_TRY(CLI_NEW(&scratch, &place, 2 * report->info->samples));
    CLI_TRY(onefold_layout(place, session->context, report->result, &options));
    return write_table(session, report, CLI_LAYOUT, place, 2);
}

static onefold_status write_report(const cli_session *session, const onefold_fit_options *options,
                                   const cli_fit_report *told)
{
    onefold_report report = cli_page(session);
    report.result = told->result;
    report.dataset = session->dataset;
    report.options = options;
    report.scores = told->scores;
    report.model_path = told->model_path;
    return cli_report_write(session, &report);
}

static onefold_status write_files(const cli_session *session, const cli_fit_report *report)
{
    const cli_value *value = session->call->value;
    const onefold_fit_info *info = report->info;
    if (cli_interrupted())
        return cli_fail(ONEFOLD_INTERRUPTED, "interrupted");
    if ((value[CLI_EMBEDDING].given || value[CLI_LAYOUT].given) && !info->embedding)
        return cli_hint(
            cli_fail(ONEFOLD_UNSUPPORTED, "the method %s has no embedding to write", info->method),
            "leave out %s", value[CLI_EMBEDDING].given ? "--embedding" : "--layout");
    if (value[CLI_LABELS].given)
        CLI_TRY(write_labels(session, report));
    if (value[CLI_EMBEDDING].given)
        CLI_TRY(write_table(session, report, CLI_EMBEDDING, info->embedding, info->embedding_rows));
    if (value[CLI_LAYOUT].given)
        CLI_TRY(write_layout(session, report));
    if (value[CLI_PARTS].given)
        CLI_TRY(write_table(session, report, CLI_PARTS, report->info->view_parts, info->views));
    return ONEFOLD_OK;
}

/* Labels on standard output and the summary beside them, or JSON. */
static onefold_status tell(const cli_session *session, const cli_fit_report *report)
{
    const cli_call *call = session->call;
    int to_file = call->value[CLI_LABELS].given;
    if (call->value[CLI_JSON].given) {
        onefold_report page = cli_page(session);
        char *text = NULL;
        page.scores = report->scores;
        page.model_path = report->model_path;
        page.dataset = session->dataset;
        page.result = report->result;
        onefold_status made = onefold_report_json(&text, &page);
        return cli_json_print(made, text);
    }
    if (cli_labels_printed(call)) {
        cli_labels_print(session, report->labels, report->info->confidence, 0,
                         report->info->samples);
        CLI_TRY(cli_flush_output());
    }
    if (!cli_says(call))
        return ONEFOLD_OK;
    cli_screen screen = cli_screen_of(to_file ? stdout : stderr);
    return cli_fit_summary(&screen, session, report);
}

static onefold_status fit_and_tell(cli_session *session, const onefold_fit_options *options,
                                   onefold_result **result)
{
    cli_fit_report report = {0};
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    int scored = 0;
    CLI_TRY(onefold_fit(result, session->context, session->dataset, options));
    if (!cli_ranks_first())
        return ONEFOLD_OK;
    report.info = onefold_result_describe(*result);
    report.result = *result;
    report.labels = report.info->labels;
    CLI_TRY(cli_score_labels(session, report.labels, &scores, &scored));
    CLI_TRY(write_files(session, &report));
    report.model_path = session->call->value[CLI_MODEL].text;
    if (options->keep_model)
        CLI_TRY(onefold_model_write(report.info->model, session->context, report.model_path));
    report.scores = scored ? &scores : NULL;
    report.seconds_read = session->seconds_read;
    report.seconds_total = cli_clock() - session->began;
    report.peak_bytes = cli_peak_bytes();
    CLI_TRY(write_report(session, options, &report));
    CLI_TRY(cli_session_place(session));
    cli_progress_end(&session->progress);
    return tell(session, &report);
}

onefold_status cli_fit(cli_call *call)
{
    onefold_fit_options options;
    CLI_TRY(cli_fit_options(call, &options));
    if (!options.clusters)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--clusters is missing: how many clusters?"),
                        "add --clusters N; 'onefold choose %s%s' suggests a number",
                        call->operands[0], call->operand_count > 1 ? " ..." : "");
    CLI_TRY(cli_labels_check(call));
    if (cli_ranks_first())
        CLI_TRY(check_outputs(call));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(cli_session_read(&session, call->operand_count));
    if (call->value[CLI_DRY_RUN].given)
        return dry_run(&session, &options);
    CLI_TRY(check_split(&session));
    onefold_result *result = NULL;
    onefold_status status = fit_and_tell(&session, &options, &result);
    onefold_result_free(result);
    return status;
}
