/* SPDX-License-Identifier: Apache-2.0 */
/* onefold convert, synth and report: the verbs that only write files. */
#include "outputs.h"
#include "verbs.h"

#include <errno.h>
#include <string.h>

/* The files that are written for `path`, one per line; none of them may be an input. */
static onefold_status check_files(const cli_session *session, const char *path, size_t inputs,
                                  char **files)
{
    const cli_call *call = session->call;
    char *list = NULL, *rest;
    onefold_status status = onefold_dataset_outputs(&list, session->dataset, path);
    if (status == ONEFOLD_OK)
        status = cli_arena_string(call->arena, files, "%s", list);
    for (char *name = list ? strtok_r(list, "\n", &rest) : NULL; name && status == ONEFOLD_OK;
         name = strtok_r(NULL, "\n", &rest)) {
        status = cli_check_output(call, inputs, "the output", name, NULL);
        if (status == ONEFOLD_OK)
            status = onefold_context_check_output(session->context, name);
    }
    onefold_free(list);
    return status;
}

/* A warning on formats without names of columns, from which categories cannot be read again. */
static void say_categories(cli_screen *screen, const onefold_dataset *dataset, const char *path)
{
    const char *end = strrchr(path, '.');
    size_t views = onefold_dataset_describe(dataset)->views;
    if (!end || (strcmp(end, ".npy") != 0 && strcmp(end, ".mtx") != 0))
        return;
    for (size_t i = 0; i < views; i++) {
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        if (onefold_dataset_view(dataset, i, &info) != ONEFOLD_OK || !info.units)
            continue;
        cli_line(screen, NULL, CLI_WARN,
                 "%s: categories become plain columns of 0 and 1 in %s, which stores no names of "
                 "columns; .csv, .npz and .mat do\n",
                 info.name, end);
    }
}

/* Writes the data set of the session to `path` and prints what was written. */
static onefold_status write_and_tell(cli_session *session, const char *path, size_t inputs)
{
    const cli_call *call = session->call;
    char *files;
    CLI_TRY(check_files(session, path, inputs, &files));
    CLI_TRY(onefold_dataset_write(session->dataset, session->context, path));
    CLI_TRY(cli_session_place(session));
    cli_progress_end(session->progress);
    if (call->value[CLI_JSON].given)
        return cli_json_written(files, session->dataset);
    if (!cli_says(call))
        return ONEFOLD_OK;
    cli_screen screen = cli_screen_of(stdout);
    const onefold_dataset_info *info = onefold_dataset_describe(session->dataset);
    errno = 0;
    for (char *rest = files, *name; (name = strsep(&rest, "\n"));)
        if (*name)
            cli_line(&screen, name == files ? "written" : NULL, CLI_PLAIN, "%s\n", name);
    cli_line(&screen, "data", CLI_PLAIN, "%zu sample%s%s%zu view%s%s%zu class%s\n", info->samples,
             info->samples == 1 ? "" : "s", cli_dot(&screen), info->views,
             info->views == 1 ? "" : "s", cli_dot(&screen), info->classes,
             info->classes == 1 ? "" : "es");
    say_categories(&screen, session->dataset, path);
    return cli_flush_output();
}

onefold_status cli_convert(cli_call *call)
{
    size_t inputs = call->operand_count - 1;
    const char *path = call->operands[inputs];
    CLI_TRY(cli_check_output(call, inputs, "the output", path, NULL));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(cli_session_read(&session, 0, inputs));
    return write_and_tell(&session, path, inputs);
}

/* "20", or one number per view: "20,30,5". */
static onefold_status read_columns(cli_call *call, size_t views, const size_t **columns)
{
    const char *list = call->value[CLI_COLUMNS].text;
    size_t given = 1, *column;
    for (const char *c = list; *c; c++)
        given += *c == ',';
    if (given != 1 && given != views)
        return cli_hint(cli_fail(ONEFOLD_USAGE,
                                 "--columns has %zu numbers, and there are %zu views", given,
                                 views),
                        "give one number for all views, or one for each");
    CLI_TRY(CLI_NEW(call->arena, &column, views));
    for (size_t v = 0; v < given; v++) {
        char number[32];
        uint64_t whole;
        size_t length = strcspn(list, ",");
        snprintf(number, sizeof number, "%.*s", (int)(length < 31 ? length : 31), list);
        CLI_TRY(cli_whole_read("--columns", number, 1, INT32_MAX, &whole));
        column[v] = (size_t)whole;
        list += length + (list[length] == ',');
    }
    for (size_t v = given; v < views; v++)
        column[v] = column[0];
    *columns = column;
    return ONEFOLD_OK;
}

static onefold_status synth_options(cli_call *call, onefold_synth_options *options)
{
    const cli_value *value = call->value;
    onefold_synth_options made = ONEFOLD_SYNTH_OPTIONS_INIT;
    cli_take_count(&value[CLI_SAMPLES], &made.samples);
    cli_take_count(&value[CLI_VIEW_COUNT], &made.views);
    cli_take_count(&value[CLI_CLUSTERS], &made.clusters);
    cli_take_number(&value[CLI_SEPARATION], &made.separation);
    cli_take_number(&value[CLI_NOISE], &made.noise);
    cli_take_number(&value[CLI_DENSITY], &made.density);
    cli_take_number(&value[CLI_MISSING], &made.missing);
    cli_take_number(&value[CLI_BALANCE], &made.balance);
    made.seed = value[CLI_SEED].whole;
    if (value[CLI_COLUMNS].given)
        CLI_TRY(read_columns(call, made.views, &made.columns));
    *options = made;
    return ONEFOLD_OK;
}

onefold_status cli_synth(cli_call *call)
{
    onefold_synth_options options;
    const char *path = call->operands[0];
    CLI_TRY(synth_options(call, &options));
    CLI_TRY(cli_check_output(call, 0, "the output", path, NULL));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(onefold_dataset_synth(&session.dataset, session.context, &options));
    return write_and_tell(&session, path, 0);
}

/* ---- onefold report: the page of the JSON of a fit, or of two side by side ------------------ */

onefold_status cli_report(cli_call *call)
{
    size_t inputs = call->operand_count - 1;
    const char *path = call->operands[inputs];
    CLI_TRY(cli_check_output(call, inputs, "the output", path, ".html .htm"));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(onefold_report_from_json(call->operands, inputs, session.context, path));
    CLI_TRY(cli_session_place(&session));
    if (!cli_says(call))
        return ONEFOLD_OK;
    cli_screen screen = cli_screen_of(stdout);
    errno = 0;
    cli_line(&screen, "written", CLI_PLAIN, "%s\n", path);
    return cli_flush_output();
}
