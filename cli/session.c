/* SPDX-License-Identifier: Apache-2.0 */
/* A session: context, progress, cancelling, and the data read. */
#include "session.h"

#include "interrupt.h"
#include "ranks.h"

#include <errno.h>
#include <string.h>

static int cancel(void *user)
{
    (void)user;
    return cli_interrupted();
}

static cli_progress progress_for(const cli_call *call)
{
    enum { AUTO, NEVER, JSON };
    cli_progress progress = {.screen = cli_screen_of(stderr)};
    const cli_value *wanted = &call->value[CLI_PROGRESS];
    int quiet = call->value[CLI_QUIET].given;
    progress.verbose = call->value[CLI_VERBOSE].given && !quiet;
    if (!cli_ranks_first())
        progress.verbose = 0;
    else if (wanted->given && wanted->word == JSON)
        progress.mode = CLI_PROGRESS_JSON;
    else if (!quiet && wanted->word == AUTO && progress.screen.terminal)
        progress.mode = CLI_PROGRESS_BAR;
    return progress;
}

onefold_status cli_session_start(cli_session *session, const cli_call *call)
{
    session->call = call;
    session->began = cli_clock();
    session->progress = progress_for(call);
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = &session->progress;
    hooks.progress = cli_progress_step;
    hooks.log = cli_progress_log;
    hooks.cancel = cancel;
    session->context = cli_ranks_context(&hooks);
    if (call->value[CLI_THREADS].given)
        CLI_TRY(onefold_context_set_threads(session->context, (int)call->value[CLI_THREADS].whole));
    CLI_TRY(onefold_context_hold_outputs(session->context));
    session->threads = onefold_context_threads(session->context);
    if (call->value[CLI_DEVICE].given &&
        call->value[CLI_DEVICE].word == ONEFOLD_DEVICE_GPU) /* while data are read */
        onefold_device_start();
    const cli_value *limit = &call->value[CLI_MAX_MEMORY];
    return onefold_context_set_memory_limit(
        session->context, limit->given ? limit->bytes : onefold_free_memory() / 5 * 4);
}

void cli_session_end(cli_session *session)
{
    cli_progress_end(&session->progress);
    onefold_dataset_free(session->dataset);
    cli_ranks_context(NULL);
    session->dataset = NULL;
    session->context = NULL;
}

onefold_status cli_session_read(cli_session *session, size_t count)
{
    return cli_session_read_from(session, 0, count);
}

onefold_status cli_session_read_from(cli_session *session, size_t first, size_t count)
{
    const cli_call *call = session->call;
    const cli_value *value = call->value;
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    if (value[CLI_SAMPLES_ARE].given)
        options.samples_are =
            value[CLI_SAMPLES_ARE].word == 0 ? ONEFOLD_SIDE_ROWS : ONEFOLD_SIDE_COLUMNS;
    options.views = value[CLI_VIEWS].text;
    options.truth = value[CLI_TRUTH].text;
    options.no_truth = value[CLI_NO_TRUTH].given;
    options.pass_once = call->verb->bit == CLI_PREDICT;
    options.present = value[CLI_PRESENT].text;
    options.ids = value[CLI_IDS].text;
    if (value[CLI_MATCH].given && value[CLI_MATCH].word == 1)
        options.match = ONEFOLD_MATCH_ORDER;
    if (value[CLI_HEADER].given)
        options.header = value[CLI_HEADER].word == 0 ? ONEFOLD_HEADER_YES : ONEFOLD_HEADER_NO;
    options.expected = session->expected;
    options.expected_count = session->expected_count;
    options.drop = value[CLI_DROP].text;
    options.columns = value[CLI_ONLY].text;
    options.as_category = value[CLI_AS].text;
    options.as_number = value[CLI_AS_NUMBER].text;
    if (value[CLI_IMPUTE].given)
        options.impute = options.pass_once             ? ONEFOLD_IMPUTE_MODEL
                         : value[CLI_IMPUTE].word == 0 ? ONEFOLD_IMPUTE_MEAN
                                                       : ONEFOLD_IMPUTE_MEDIAN;
    if (options.truth && options.no_truth)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--truth and --no-truth contradict each other"),
                        "leave one of them out");
    double began = cli_clock();
    CLI_TRY(onefold_dataset_read(&session->dataset, session->context, call->operands + first, count,
                                 &options));
    if (value[CLI_DEVICE].given)
        CLI_TRY(
            onefold_context_set_device(session->context, (onefold_device)value[CLI_DEVICE].word));
    session->seconds_read = cli_clock() - began;
    cli_progress_end(&session->progress);
    return cli_check_read(session);
}

onefold_status cli_score_labels(const cli_session *session, const int32_t *labels,
                                onefold_scores *scores, int *scored)
{
    const int32_t *truth = onefold_dataset_truth(session->dataset);
    size_t samples = onefold_dataset_samples(session->dataset);
    if (!truth)
        return ONEFOLD_OK;
    CLI_TRY(onefold_score(scores, ONEFOLD_INT32, labels, truth, samples));
    *scored = 1;
    return ONEFOLD_OK;
}

int cli_says(const cli_call *call)
{
    return !call->value[CLI_QUIET].given && !call->value[CLI_JSON].given;
}

static int files_are_written; /* a failure of standard output says that they are there */

onefold_status cli_session_place(const cli_session *session)
{
    static const cli_option_id outputs[] = {CLI_LABELS, CLI_EMBEDDING, CLI_LAYOUT,
                                            CLI_PARTS,  CLI_MODEL,     CLI_REPORT};
    if (cli_interrupted())
        return cli_fail(ONEFOLD_INTERRUPTED, "interrupted");
    CLI_TRY(onefold_context_place_outputs(session->context));
    files_are_written = session->call->verb->bit & (CLI_CONVERT | CLI_SYNTH);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        files_are_written |= session->call->value[outputs[i]].given;
    return ONEFOLD_OK;
}

onefold_status cli_flush_output(void)
{
    int bad = ferror(stdout);
    if (fflush(stdout) == 0 && !bad)
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_IO, "standard output cannot be written: %s",
                             errno ? strerror(errno) : "unknown error"),
                    "%slook whether the disk is full or the reader has gone",
                    files_are_written ? "the files that were named are written; " : "");
}

const char *cli_data_name(const cli_call *call, char *text, size_t size)
{
    const char *slash = strrchr(call->operands[0], '/');
    const char *first = slash && slash[1] ? slash + 1 : call->operands[0];
    if (call->operand_count > 1)
        snprintf(text, size, "%s and %zu more", first, call->operand_count - 1);
    else
        snprintf(text, size, "%s", first);
    return text;
}
