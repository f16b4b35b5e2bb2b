/* SPDX-License-Identifier: Apache-2.0 */
/* onefold bench: read, run every method's cells, tell. */
#include "bench_sheet.h"
#include "verbs.h"

#include "base.h"
#include "outputs.h"

#include <string.h>

/* The methods' own options as "method:name=value,...;method:...". */
static onefold_status join_own(const cli_call *call, const char **joined)
{
    char *text = "";
    for (size_t m = 0; onefold_method_describe(m); m++) {
        const char *before = *text ? ";" : "";
        int first = 1;
        for (size_t i = 0; i < call->own_count; i++) {
            const cli_own *own = &call->own[i];
            const char *name = own->option->name;
            if (own->method != m)
                continue;
            if (strcmp(name, "kmeans-start") == 0 || strcmp(name, "replicates") == 0)
                return cli_hint(cli_fail(ONEFOLD_USAGE,
                                         "--%s-%s: bench has one k-means for all methods",
                                         onefold_method_describe(m)->name, name),
                                "give --%s instead", name);
            CLI_TRY(first
                        ? cli_arena_string(call->arena, &text, "%s%s%s:%s=%s", text, before,
                                           onefold_method_describe(m)->name, name, own->value)
                        : cli_arena_string(call->arena, &text, "%s,%s=%s", text, name, own->value));
            first = 0;
        }
    }
    *joined = *text ? text : NULL;
    return ONEFOLD_OK;
}

static onefold_status read_options(const cli_call *call, onefold_fit_options *fit,
                                   onefold_experiment_options *options)
{
    const cli_value *value = call->value;
    CLI_TRY(cli_shared_options(call, fit));
    CLI_TRY(join_own(call, &options->method_options));
    options->methods = value[CLI_METHODS].text;
    options->sensitivity = value[CLI_SENSITIVITY].text;
    options->kmeans_start = (onefold_kmeans_start)value[CLI_KMEANS_START].word;
    options->grid = value[CLI_GRID].text;
    options->store = value[CLI_RESUME].text;
    cli_take_count(&value[CLI_REPEATS], &options->repeats);
    cli_take_count(&value[CLI_GRID_REPEATS], &options->grid_repeats);
    cli_take_count(&value[CLI_REPLICATES], &options->replicates);
    if (value[CLI_JSON].given + value[CLI_CSV].given + value[CLI_MARKDOWN].given > 1)
        return cli_hint(
            cli_fail(ONEFOLD_USAGE, "more than one of --json, --csv and --markdown is given"),
            "choose one; with --resume FILE a second run reuses the finished cells");
    return onefold_experiment_check(fit, options);
}

static onefold_status tell(const cli_session *session, const onefold_experiment *experiment)
{
    const cli_call *call = session->call;
    char name[256];
    cli_data_name(call, name, sizeof name);
    if (call->value[CLI_JSON].given) {
        onefold_report page = cli_page(session);
        char *text = NULL;
        page.name = name;
        page.experiment = experiment;
        onefold_status made = onefold_report_json(&text, &page);
        return cli_json_print(made, text);
    }
    CLI_SCRATCH(scratch);
    char shown[512];
    cli_show_text(name, shown, sizeof shown);
    cli_bench_facts bench = {experiment, shown, onefold_experiment_describe(experiment)};
    if (call->value[CLI_CSV].given)
        return cli_bench_csv(stdout, &bench);
    cli_screen screen = cli_screen_of(stdout);
    cli_sheet sheet =
        cli_sheet_make(&scratch, call->value[CLI_MARKDOWN].given, screen.unicode, screen.colour);
    onefold_status status = cli_bench_sheet(&sheet, &bench);
    if (status == ONEFOLD_OK)
        status = cli_sheet_write(&sheet, stdout);
    cli_text_free(&sheet.out);
    return status;
}

static onefold_status write_report(const cli_session *session, const onefold_fit_options *fit,
                                   const onefold_experiment *experiment)
{
    onefold_report report = cli_page(session);
    report.experiment = experiment;
    report.dataset = session->dataset;
    report.options = fit;
    return cli_report_write(session, &report);
}

static onefold_status run(cli_session *session, const onefold_fit_options *fit,
                          const onefold_experiment_options *options)
{
    onefold_experiment *experiment = NULL;
    onefold_status status =
        onefold_experiment_run(&experiment, session->context, session->dataset, fit, options);
    cli_progress_end(&session->progress);
    if (status == ONEFOLD_OK)
        status = write_report(session, fit, experiment);
    if (status == ONEFOLD_OK)
        status = cli_session_place(session);
    if (status == ONEFOLD_OK)
        status = tell(session, experiment);
    onefold_experiment_free(experiment);
    return status;
}

static onefold_status check_resume(const cli_call *call)
{
    const char *const outputs[][2] = {{"--resume", call->value[CLI_RESUME].text}};
    if (!call->value[CLI_RESUME].given)
        return ONEFOLD_OK;
    return cli_check_outputs(call, call->operand_count, outputs, 1, NULL);
}

onefold_status cli_bench(cli_call *call)
{
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    onefold_fit_options fit;
    CLI_TRY(read_options(call, &fit, &options));
    CLI_TRY(check_resume(call));
    CLI_TRY(cli_report_check(call));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(cli_session_read(&session, call->operand_count));
    return run(&session, &fit, &options);
}
