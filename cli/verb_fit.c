/* SPDX-License-Identifier: Apache-2.0 */
/* onefold fit: read, cluster, score, write, tell. */
#include "verbs.h"

#include "interrupt.h"
#include "ranks.h"

#include <errno.h>
#include <sys/resource.h>

static const char endings[] = ".npy .csv .txt .mat";

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
    const cli_option_id ids[] = {CLI_LABELS, CLI_EMBEDDING, CLI_MODEL};
    const char *outputs[3][2];
    size_t count = 0, with_ending = 0;
    for (size_t i = 0; i < 3; i++) {
        if (!call->value[ids[i]].given)
            continue;
        outputs[count][0] = ids[i] == CLI_LABELS      ? "--labels"
                            : ids[i] == CLI_EMBEDDING ? "--embedding"
                                                      : "--model";
        outputs[count++][1] = call->value[ids[i]].text;
        with_ending = ids[i] == CLI_MODEL ? with_ending : count;
    }
    CLI_TRY(cli_check_outputs(call, call->operand_count, (const char *const(*)[2])outputs,
                              with_ending, endings));
    return cli_check_outputs(call, call->operand_count, (const char *const(*)[2])outputs, count,
                             NULL);
}

/* What would be found missing after the fit, before it. */
static onefold_status check_split(const cli_session *session)
{
    if (!session->call->value[CLI_EMBEDDING].given ||
        !onefold_context_splits(session->context, onefold_dataset_samples(session->dataset)))
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_UNSUPPORTED, "the embedding of samples that are split over "
                                                  "processes is not brought together"),
                    "leave out --embedding, or start one process");
}

static onefold_status write_files(const cli_session *session, const onefold_fit_info *info,
                                  const int32_t *labels)
{
    const cli_value *value = session->call->value;
    if (cli_interrupted())
        return cli_fail(ONEFOLD_INTERRUPTED, "interrupted");
    if (value[CLI_EMBEDDING].given && !info->embedding)
        return cli_hint(
            cli_fail(ONEFOLD_UNSUPPORTED, "the method %s has no embedding to write", info->method),
            "leave out --embedding");
    if (value[CLI_LABELS].given)
        CLI_TRY(
            onefold_labels_write(labels, info->samples, session->context, value[CLI_LABELS].text));
    if (value[CLI_EMBEDDING].given)
        CLI_TRY(onefold_matrix_write(info->embedding, info->samples, info->embedding_rows,
                                     info->embedding_rows, session->context,
                                     value[CLI_EMBEDDING].text));
    return ONEFOLD_OK;
}

static onefold_status print_labels(const int32_t *labels, size_t samples)
{
    errno = 0;
    for (size_t i = 0; i < samples && !ferror(stdout); i++)
        printf("%d\n", (int)labels[i]);
    return cli_flush_output();
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
        onefold_status made = onefold_result_json(&text, report->result, &extras);
        return cli_json_print(made, text);
    }
    if (!to_file)
        CLI_TRY(print_labels(report->labels, report->info.samples));
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
    cli_progress_end(&session->progress);
    CLI_TRY(write_files(session, &report.info, report.labels));
    report.model_path = session->call->value[CLI_MODEL].text;
    if (options->keep_model)
        CLI_TRY(onefold_model_write(onefold_result_model(*result), session->context,
                                    report.model_path));
    report.scores = scored ? &scores : NULL;
    report.seconds_read = session->seconds_read;
    report.seconds_total = cli_clock() - session->began;
    report.peak_bytes = cli_peak_bytes();
    return tell(session, &report);
}

onefold_status cli_fit(cli_call *call)
{
    onefold_fit_options options;
    CLI_TRY(cli_fit_options(call, &options));
    if (!options.clusters)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--clusters is missing: how many clusters?"),
                        "add --clusters N; 'onefold info %s' shows the classes of the true labels, "
                        "where there are any",
                        call->operands[0]);
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
