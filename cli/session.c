/* SPDX-License-Identifier: Apache-2.0 */
/* A session: context, processes, signals, the options of a fit, and the data. */
#include "outputs.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* ---- the one context of the command, joined to the other processes -------------------------- */

static onefold_context *line;
static cli_progress progress; /* of the session */

static int cancel(void *user)
{
    (void)user;
    return cli_interrupted();
}

onefold_status cli_ranks_start(void)
{
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = &progress;
    hooks.progress = cli_progress_step;
    hooks.log = cli_progress_log;
    hooks.cancel = cancel;
    CLI_TRY(onefold_context_create(&line, &hooks));
    CLI_TRY(onefold_context_join(line));
    if (!cli_ranks_first() && !freopen("/dev/null", "w", stdout))
        return cli_fail(ONEFOLD_IO, "/dev/null cannot be opened");
    return ONEFOLD_OK;
}

int cli_ranks_first(void)
{
    return !line || onefold_context_describe(line)->rank == 0;
}

int cli_ranks_count(void)
{
    return line ? onefold_context_describe(line)->ranks : 1;
}

onefold_status cli_ranks_check(const char *verb)
{
    if (cli_ranks_count() == 1 || strcmp(verb, "fit") == 0 || strcmp(verb, "predict") == 0)
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_USAGE, "%s runs in one process, and %d were started", verb,
                             cli_ranks_count()),
                    "leave out mpirun; only fit and predict are split over processes");
}

onefold_status cli_ranks_agree(onefold_status status, int *speaks)
{
    status = onefold_context_agree(line, status);
    const onefold_context_info *info = onefold_context_describe(line);
    *speaks = !info || info->failed_rank < 0 || info->failed_rank == info->rank;
    return status;
}

void cli_ranks_end(void)
{
    onefold_context_free(line);
    line = NULL;
}

/* ---- signals -------------------------------------------------------------------------------- */

enum { PATIENCE = 10 }; /* seconds in which the work must stop */
static volatile sig_atomic_t stopping;
static volatile sig_atomic_t ending; /* all messages are printed */
static struct timespec stopped_at;   /* when the first signal came */

/* A key press may come as two signals, to a process and to its group: they count as one. */
static void on_signal(int number)
{
    (void)number;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since = (double)(now.tv_sec - stopped_at.tv_sec) +
                   1e-9 * (double)(now.tv_nsec - stopped_at.tv_nsec);
    if (stopping && since > 0.25)
        _exit(130);
    if (!stopping) {
        stopped_at = now;
        alarm(PATIENCE);
    }
    stopping = 1;
}

/* Ends work that does not return, such as a library that waits for memory, without results. */
static void on_alarm(int number)
{
    static const char said[] = "onefold: interrupted\n";
    (void)number;
    if (!ending && write(STDERR_FILENO, said, sizeof said - 1) < 0)
        _exit(130);
    _exit(130);
}

static const int stops[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPS = sizeof stops / sizeof *stops };

/* At exit: from here on one signal ends the program. Under a limit of address space a thread of
 * OpenBLAS may ask for its buffer for ever, and after an interruption a factorisation may still
 * run. The clean-up of libraries would wait for both, so it is left out. */
static void end(int status, void *nothing)
{
    (void)nothing;
    struct rlimit space;
    struct sigaction now;
    ending = 1;
    for (size_t i = 0; i < STOPS; i++)
        if (sigaction(stops[i], NULL, &now) == 0 && now.sa_handler == on_signal)
            signal(stops[i], SIG_DFL);
    if (stopping || (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)) {
        fflush(NULL);
        _exit(status);
    }
}

/* A file that another process cuts short while it is read. */
static void on_bus_error(int number, siginfo_t *about, void *state)
{
    (void)state;
    if (about->si_code <= 0 || !onefold_mapped_fault(about->si_addr)) /* above 0: the system's */
        signal(number, SIG_DFL); /* the instruction then raises it again */
}

static void map_files(void)
{
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    ours.sa_sigaction = on_bus_error;
    if (sigaction(SIGBUS, &ours, NULL) == 0)
        onefold_map_files(1);
}

void cli_interrupt_start(void)
{
    on_exit(end, NULL);
    signal(SIGALRM, on_alarm);
    for (size_t i = 0; i < STOPS; i++) {
        struct sigaction before, ours = {.sa_handler = on_signal};
        sigfillset(&ours.sa_mask); /* one at a time */
        if (sigaction(stops[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stops[i], &ours, NULL);
    }
    signal(SIGXFSZ, SIG_IGN);
    map_files();
}

int cli_interrupted(void)
{
    return stopping;
}

/* ---- the options of a fit ------------------------------------------------------------------- */

static void copy_counts(const cli_value *value, onefold_fit_options *options)
{
    cli_take_count(&value[CLI_CLUSTERS], &options->clusters);
    cli_take_count(&value[CLI_DIMS], &options->dims);
    cli_take_count(&value[CLI_ANCHORS], &options->anchors);
    cli_take_count(&value[CLI_RESTARTS], &options->restarts);
    cli_take_count(&value[CLI_LANDMARKS], &options->landmarks);
    cli_take_count(&value[CLI_NEIGHBOURS], &options->neighbours);
    cli_take_count(&value[CLI_MAX_ITER], &options->max_iterations);
}

/* The method's own options as "name=value,..."; those of another method are refused. */
static onefold_status join_own(const cli_call *call, const char *method, const char **joined)
{
    char *text = NULL;
    for (size_t i = 0; i < call->own_count; i++) {
        const cli_own *own = &call->own[i];
        const char *of = onefold_method_describe(own->method)->name;
        if (strcmp(of, method) != 0)
            return cli_hint(cli_fail(ONEFOLD_USAGE,
                                     "--%s-%s is an option of the method %s, not of %s", of,
                                     own->option->name, of, method),
                            "add --method %s, or leave it out", of);
        CLI_TRY(cli_arena_string(call->arena, &text, "%s%s%s=%s", text ? text : "", text ? "," : "",
                                 own->option->name, own->value));
    }
    *joined = text;
    return ONEFOLD_OK;
}

onefold_status cli_shared_options(const cli_call *call, onefold_fit_options *options)
{
    const cli_value *value = call->value;
    onefold_fit_options made = ONEFOLD_FIT_OPTIONS_INIT;
    copy_counts(value, &made);
    made.kernel = value[CLI_KERNEL].text;
    made.start = value[CLI_START].word ? ONEFOLD_START_PAPER : ONEFOLD_START_ALIGNED;
    made.variant = value[CLI_VARIANT].word ? ONEFOLD_VARIANT_PRINTED : ONEFOLD_VARIANT_EXACT;
    made.stop = (onefold_stop)value[CLI_STOP].word;
    made.precision = value[CLI_PRECISION].word ? ONEFOLD_SINGLE : ONEFOLD_DOUBLE;
    made.base = (onefold_base)value[CLI_BASE].word;
    made.effort = (onefold_effort)value[CLI_EFFORT].word;
    made.nonneg = value[CLI_NONNEG].given;
    made.seed = value[CLI_SEED].whole;
    cli_take_number(&value[CLI_TOL], &made.tolerance);
    if (made.dims && made.clusters && made.dims < made.clusters)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--dims %zu is less than --clusters %zu", made.dims,
                                 made.clusters),
                        "give at least %zu dims; twice the clusters is the default", made.clusters);
    *options = made;
    /* the given method refuses options that it does not use; without one, os-lfmvc-cs, which uses
     * all of these, checks their values */
    made.method = call->value[CLI_METHOD].given ? call->value[CLI_METHOD].text : "os-lfmvc-cs";
    return onefold_fit_options_check(&made);
}

onefold_status cli_fit_options(const cli_call *call, onefold_fit_options *options)
{
    onefold_fit_options made;
    CLI_TRY(cli_shared_options(call, &made));
    made.method = call->value[CLI_METHOD].text;
    CLI_TRY(onefold_fit_options_check(&made)); /* the method comes before its own options */
    CLI_TRY(join_own(call, made.method ? made.method : onefold_method_describe(0)->name,
                     &made.method_options));
    made.weights = call->value[CLI_WEIGHTS].text;
    made.view_parts = call->value[CLI_PARTS].given;
    made.keep_model = call->value[CLI_MODEL].given;
    made.explain = (size_t)call->value[CLI_EXPLAIN].whole;
    made.picture = call->value[CLI_REPORT].given;
    made.no_embedding = !call->value[CLI_EMBEDDING].given && !call->value[CLI_LAYOUT].given &&
                        !call->value[CLI_REPORT].given;
    if (made.picture && !made.explain)
        made.explain = CLI_REPORT_COLUMNS;
    *options = made;
    return onefold_fit_options_check(options);
}

/* ---- the session ---------------------------------------------------------------------------- */

static cli_progress progress_for(const cli_call *call)
{
    enum { AUTO, NEVER, JSON };
    cli_progress made = {.screen = cli_screen_of(stderr)};
    const cli_value *wanted = &call->value[CLI_PROGRESS];
    int quiet = call->value[CLI_QUIET].given;
    made.verbose = call->value[CLI_VERBOSE].given && !quiet;
    if (!cli_ranks_first())
        made.verbose = 0;
    else if (wanted->given && wanted->word == JSON)
        made.mode = CLI_PROGRESS_JSON;
    else if (!quiet && wanted->word == AUTO && made.screen.terminal)
        made.mode = CLI_PROGRESS_BAR;
    return made;
}

onefold_status cli_session_start(cli_session *session, const cli_call *call)
{
    session->call = call;
    session->began = cli_clock();
    session->progress = &progress;
    session->context = line;
    progress = progress_for(call);
    if (call->value[CLI_THREADS].given)
        CLI_TRY(onefold_context_set_threads(session->context, (int)call->value[CLI_THREADS].whole));
    CLI_TRY(onefold_context_hold_outputs(session->context));
    session->threads = onefold_context_describe(session->context)->threads;
    if (call->value[CLI_DEVICE].given &&
        call->value[CLI_DEVICE].word == ONEFOLD_DEVICE_GPU) /* while data are read */
        onefold_device_start();
    const cli_value *limit = &call->value[CLI_MAX_MEMORY];
    return onefold_context_set_memory_limit(
        session->context, limit->given ? limit->bytes : onefold_free_memory() / 5 * 4);
}

void cli_session_end(cli_session *session)
{
    cli_progress_end(session->progress);
    onefold_dataset_free(session->dataset);
    onefold_dataset_free(session->guarded);
    progress = (cli_progress){.mode = CLI_PROGRESS_NONE};
    session->dataset = session->guarded = NULL;
    session->context = NULL;
}

onefold_status cli_session_read(cli_session *session, size_t first, size_t count)
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
    cli_progress_end(session->progress);
    return cli_check_read(session);
}

onefold_status cli_score_labels(const cli_session *session, const int32_t *labels,
                                onefold_scores *scores, int *scored)
{
    const int32_t *truth = onefold_dataset_describe(session->dataset)->truth;
    size_t samples = onefold_dataset_describe(session->dataset)->samples;
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

static int files_are_written; /* the message of a failure of standard output mentions them */

onefold_status cli_session_place(const cli_session *session)
{
    if (cli_interrupted())
        return cli_fail(ONEFOLD_INTERRUPTED, "interrupted");
    CLI_TRY(onefold_context_place_outputs(session->context));
    files_are_written =
        session->call->verb->bit & (CLI_CONVERT | CLI_SYNTH) || cli_writes_files(session->call);
    return ONEFOLD_OK;
}

onefold_status cli_flush_output(void)
{
    int bad = ferror(stdout);
    if (fflush(stdout) == 0 && !bad)
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_IO, "standard output cannot be written: %s",
                             errno ? strerror(errno) : "unknown error"),
                    "%scheck whether the disk is full or the reader has ended",
                    files_are_written ? "the named files are written; " : "");
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
