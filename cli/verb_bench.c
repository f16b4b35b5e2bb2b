/* SPDX-License-Identifier: Apache-2.0 */
/* onefold bench: read, run every method's cells, tell. */
#include "verbs.h"

#include "base/clock.h"
#include "report/bench.h"

#include <string.h>

/* Every method's own options as "name=value,...", by its place in the registry. */
static onefold_status join_own(const cli_call *call, const char ***joined)
{
    OF_TRY(OF_NEW_ZERO(call->arena, joined, of_method_count(), 1));
    for (size_t i = 0; i < call->own_count; i++) {
        const cli_own *own = &call->own[i];
        const char *name = own->option->name;
        size_t m = 0;
        char *longer;
        if (strcmp(name, "kmeans-start") == 0 || strcmp(name, "replicates") == 0)
            return of_hint(of_fail(ONEFOLD_USAGE, "--%s-%s: bench has one k-means for all methods",
                                   own->method->name, name),
                           "give --%s instead", name);
        while (of_method_at(m) != own->method)
            m++;
        const char *before = (*joined)[m];
        OF_TRY(of_arena_string(call->arena, &longer, "%s%s%s=%s", before ? before : "",
                               before ? "," : "", name, own->value));
        (*joined)[m] = longer;
    }
    return ONEFOLD_OK;
}

static onefold_status copy_options(const cli_call *call, of_experiment_options *options)
{
    const cli_value *value = call->value;
    const char **own;
    OF_TRY(cli_shared_options(call, &options->fit));
    OF_TRY(join_own(call, &own));
    options->own = own;
    options->methods = value[CLI_METHODS].text;
    options->sensitivity = value[CLI_SENSITIVITY].text;
    options->kmeans_start = value[CLI_KMEANS_START].word ? OF_KMEANS_SAMPLES : OF_KMEANS_PLUSPLUS;
    if (value[CLI_GRID].given)
        options->grid = value[CLI_GRID].text;
    if (value[CLI_REPEATS].given)
        options->repeats = (size_t)value[CLI_REPEATS].whole;
    if (value[CLI_GRID_REPEATS].given)
        options->grid_repeats = (size_t)value[CLI_GRID_REPEATS].whole;
    if (value[CLI_REPLICATES].given)
        options->replicates = (size_t)value[CLI_REPLICATES].whole;
    if (value[CLI_JSON].given + value[CLI_CSV].given + value[CLI_MARKDOWN].given > 1)
        return of_hint(
            of_fail(ONEFOLD_USAGE, "more than one of --json, --csv and --markdown is given"),
            "choose one; with --resume FILE the others cost no time");
    return of_experiment_check(of_context_or_default(NULL), options);
}

static onefold_status tell(const cli_session *session, const of_experiment *experiment)
{
    const cli_call *call = session->call;
    char name[256];
    of_bench_report report = {
        .experiment = experiment,
        .paths = call->operands,
        .path_count = call->operand_count,
        .name = cli_data_name(call, name, sizeof name),
        .threads = session->threads,
        .memory_limit = session->context->memory_limit,
        .seconds_read = session->seconds_read,
        .seconds_total = of_clock_seconds() - session->began,
    };
    if (call->value[CLI_JSON].given) {
        onefold_json_extras extras = cli_extras(session);
        char *text = NULL;
        extras.name = report.name;
        onefold_status made = onefold_experiment_json(&text, experiment, &extras);
        return cli_json_print(made, text);
    }
    if (call->value[CLI_CSV].given)
        return of_bench_csv(stdout, &report);
    OF_SCRATCH(scratch, session->context);
    cli_screen screen = cli_screen_of(stdout);
    of_sheet sheet =
        of_sheet_make(&scratch, call->value[CLI_MARKDOWN].given, screen.unicode, screen.colour);
    OF_TRY(of_bench_sheet(&sheet, &report));
    return of_sheet_write(&sheet, stdout);
}

static onefold_status run(cli_session *session, of_experiment_options *options)
{
    const char *path = session->call->value[CLI_RESUME].text;
    of_bench_store *store = NULL;
    of_cell_store face;
    of_experiment *experiment = NULL;
    if (path) {
        OF_TRY(of_bench_store_open(&store, session->context, path));
        face = of_bench_store_face(store);
        options->store = &face;
    }
    onefold_status status =
        of_experiment_run(&experiment, session->context, &session->dataset->set, options);
    cli_progress_end(&session->progress);
    of_bench_store_close(store);
    if (status == ONEFOLD_OK)
        status = tell(session, experiment);
    of_experiment_free(experiment);
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
    of_experiment_options options = OF_EXPERIMENT_OPTIONS_INIT;
    OF_TRY(copy_options(call, &options));
    OF_TRY(check_resume(call));
    CLI_SESSION(session);
    OF_TRY(cli_session_start(&session, call));
    OF_TRY(cli_session_read(&session, call->operand_count));
    return run(&session, &options);
}
