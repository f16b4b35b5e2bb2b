/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs share: the context, made from the options; data, signals, other processes and
 * outputs. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "base.h"
#include "command.h"
#include "options.h"
#include "screen.h"

/* ---- processes that mpirun started: the first prints and writes for all --------------------- */

/* Joins the other processes, if there are any. Only the first keeps its standard output. */
onefold_status cli_ranks_start(void);

/* Refuses a verb that is not split over processes, if there are several. */
onefold_status cli_ranks_check(const char *verb);

/* Whether this process is the first; the number of processes. */
int cli_ranks_first(void);
int cli_ranks_count(void);

/* The common status of all processes; *speaks: this process reports the failure. */
onefold_status cli_ranks_agree(onefold_status status, int *speaks);

/* Leaves the other processes when all are ready; messages are printed before. */
void cli_ranks_end(void);

/* ---- Ctrl-C: the first asks the work to stop, the second ends the program at once ----------- */

/* Handles SIGINT, SIGTERM and SIGHUP, unless they were ignored. A limit on the size of files
 * becomes an error of the write instead of the end of the program. */
void cli_interrupt_start(void);

/* Non-zero once a signal has come. */
int cli_interrupted(void);

/* ---- the session ---------------------------------------------------------------------------- */

typedef struct cli_session {
    const char *const *expected; /* columns that a model has, or NULL */
    size_t expected_count;
    const cli_call *call;
    onefold_context *context;
    cli_progress *progress;
    onefold_dataset *dataset;
    onefold_dataset *guarded; /* its ids, as cli_labels_names gives them; NULL: not made */
    int threads;
    double began, seconds_read;
} cli_session;

/* Sets threads, memory limit and progress by the options. */
onefold_status cli_session_start(cli_session *session, const cli_call *call);
void cli_session_end(cli_session *session);

/* A session that ends when its scope is left. */
#define CLI_SESSION(name) __attribute__((cleanup(cli_session_end))) cli_session name = {0}

/* Reads `count` operands from `first` on into session->dataset. */
onefold_status cli_session_read(cli_session *session, size_t first, size_t count);

/* Scores labels against the true labels of the data; sets *scored to 1 if there are any. */
onefold_status cli_score_labels(const cli_session *session, const int32_t *labels,
                                onefold_scores *scores, int *scored);

/* The options of a fit, checked. Texts that are joined from several options live in the arena of
 * the call. */
onefold_status cli_fit_options(const cli_call *call, onefold_fit_options *options);

/* The same without the method and its own options, for verbs that run several methods. */
onefold_status cli_shared_options(const cli_call *call, onefold_fit_options *options);

/* Columns that a report names for each cluster without --explain. */
enum { CLI_REPORT_COLUMNS = 6 };

/* Whether a summary is printed: neither --quiet nor --json is given. */
int cli_says(const cli_call *call);

/* Refuses an output that is one of the files read, also by way of a folder, a file beside the data,
 * a link or a redirected stream. */
onefold_status cli_check_read(const cli_session *session);

/* Moves all outputs to their paths, together. */
onefold_status cli_session_place(const cli_session *session);

/* Flushes standard output; ONEFOLD_IO if it cannot be written. */
onefold_status cli_flush_output(void);

/* "cora.mat", or "a.npy and 2 more": the operands, for a summary. */
const char *cli_data_name(const cli_call *call, char *text, size_t size);

#endif
