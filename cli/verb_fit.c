/* SPDX-License-Identifier: Apache-2.0 */
/* onefold fit: read, cluster, score, write, tell. */
#include "verbs.h"

#include "interrupt.h"
#include "labels_out.h"
#include "ranks.h"
#include "report_option.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

size_t cli_peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
}

onefold_json_extras cli_extras(const cli_session *session)
{
    onefold_json_extras extras = ONEFOLD_JSON_EXTRAS_INIT;
    extras.paths = session->call->operands;
    extras.path_count = session->call->operand_count;
    extras.seconds_read = session->seconds_read;
    extras.seconds_total = cli_clock() - session->began;
    extras.peak_bytes = cli_peak_bytes();
    extras.threads = session->threads;
    return extras;
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
        !onefold_context_splits(session->context, onefold_dataset_samples(session->dataset)))
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_UNSUPPORTED, "the embedding of samples that are split over "
                                                  "processes is not brought together"),
                    "leave out --embedding and --layout, or start one process");
}

/* The heading of a column: that of a picture, a view's name, or a number. */
static onefold_status name_column(cli_arena *arena, const cli_fit_report *report,
                                  cli_option_id what, size_t column, const char **name)
{
    char *text;
    if (what == CLI_LAYOUT)
        CLI_TRY(cli_arena_string(arena, &text, "%s", column ? "y" : "x"));
    else if (what == CLI_PARTS)
        CLI_TRY(cli_arena_string(arena, &text, "%s", cli_view(report->result, column).name));
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
    size_t samples = report->info.samples;
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
        ids[j] = onefold_dataset_sample_name(names, j);
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
        onefold_labels_write_table(report->labels, report->info.confidence, report->info.samples,
                                   names, session->context, session->call->value[CLI_LABELS].text);
    if (names != session->dataset)
        onefold_dataset_free(names);
    return status;
}

static onefold_status write_layout(const cli_session *session, const cli_fit_report *report)
{
    CLI_SCRATCH(scratch);
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    double *place;
    options.seed = report->info.seed;
    CLI_TRY(CLI_NEW(&scratch, &place, 2 * report->info.samples));
    CLI_TRY(onefold_layout(place, session->context, report->result, &options));
    return write_table(session, report, CLI_LAYOUT, place, 2);
}

static onefold_status write_report(const cli_session *session, const onefold_fit_options *options,
                                   const cli_fit_report *told)
{
    onefold_report report = ONEFOLD_REPORT_INIT;
    onefold_json_extras extras = cli_extras(session);
    report.result = told->result;
    report.dataset = session->dataset;
    report.options = options;
    extras.scores = told->scores;
    extras.model = told->model_path;
    return cli_report_write(session, &report, &extras);
}

static onefold_status write_files(const cli_session *session, const cli_fit_report *report)
{
    const cli_value *value = session->call->value;
    const onefold_fit_info *info = &report->info;
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
        CLI_TRY(write_table(session, report, CLI_PARTS, onefold_result_view_parts(report->result),
                            info->views));
    return ONEFOLD_OK;
}

/* Labels on standard output and the summary beside them, or JSON. */
static onefold_status tell(const cli_session *session, const cli_fit_report *report)
{
    const cli_call *call = session->call;
    int to_file = call->value[CLI_LABELS].given;
    if (call->value[CLI_JSON].given) {
        onefold_json_extras extras = cli_extras(session);
        char *text = NULL;
        extras.scores = report->scores;
        extras.model = report->model_path;
        extras.dataset = session->dataset;
        onefold_status made = onefold_result_json(&text, report->result, &extras);
        return cli_json_print(made, text);
    }
    if (cli_labels_printed(call)) {
        cli_labels_print(session, report->labels, report->info.confidence, 0, report->info.samples);
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
    cli_fit_report report = {.info = ONEFOLD_FIT_INFO_INIT};
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    int scored = 0;
    CLI_TRY(onefold_fit(result, session->context, session->dataset, options));
    if (!cli_ranks_first())
        return ONEFOLD_OK;
    CLI_TRY(onefold_result_describe(*result, &report.info));
    report.result = *result;
    report.labels = onefold_result_labels(*result);
    CLI_TRY(cli_score_labels(session, report.labels, &scores, &scored));
    CLI_TRY(write_files(session, &report));
    report.model_path = session->call->value[CLI_MODEL].text;
    if (options->keep_model)
        CLI_TRY(onefold_model_write(onefold_result_model(*result), session->context,
                                    report.model_path));
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
        return cli_dry_run(&session, &options);
    CLI_TRY(check_split(&session));
    onefold_result *result = NULL;
    onefold_status status = fit_and_tell(&session, &options, &result);
    onefold_result_free(result);
    return status;
}
