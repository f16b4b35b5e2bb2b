/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs do alike: make a context from the options, read data, mind signals, the other
 * processes and the outputs. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "base.h"
#include "command.h"
#include "options.h"
#include "screen.h"

/* ---- one of several processes that mpirun started: the first one speaks for all ------------- */

/* Joins the others, if there are any. Standard output of all but the first leads nowhere. */
onefold_status cli_ranks_start(void);

/* Refuses a verb that several processes cannot do together. */
onefold_status cli_ranks_check(const char *verb);

/* Whether this process writes files and speaks; how many processes there are. */
int cli_ranks_first(void);
int cli_ranks_count(void);

/* The status that all end with; *speaks says whether this process is to say what went wrong. */
onefold_status cli_ranks_agree(onefold_status status, int *speaks);

/* Leaves the others, when all are ready to: what has to be said is said before. */
void cli_ranks_end(void);

/* ---- Ctrl-C: the first asks the work to stop, the second ends the program at once ----------- */

/* Takes over SIGINT, SIGTERM and SIGHUP (those that were not already ignored). A limit on the size
 * of files becomes an error of the write instead of the end of the program. When the program ends,
 * signals are as they were. */
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
    onefold_dataset *guarded; /* its names, as no spreadsheet takes them for formulas; or NULL */
    int threads;
    double began, seconds_read;
} cli_session;

/* Threads, memory limit, progress and cancelling as the options say. */
onefold_status cli_session_start(cli_session *session, const cli_call *call);
void cli_session_end(cli_session *session);

/* A session that ends when its scope is left. */
#define CLI_SESSION(name) __attribute__((cleanup(cli_session_end))) cli_session name = {0}

/* Reads `count` operands from `first` on into session->dataset. */
onefold_status cli_session_read(cli_session *session, size_t first, size_t count);

/* Scores labels against the data's truth; *scored is left as it is where there is none. */
onefold_status cli_score_labels(const cli_session *session, const int32_t *labels,
                                onefold_scores *scores, int *scored);

/* The options of a fit, as far as they were given; checked against each other. The call's arena
 * holds what is put together for it. */
onefold_status cli_fit_options(const cli_call *call, onefold_fit_options *options);

/* The same without the method and its own options, for verbs that work with several. */
onefold_status cli_shared_options(const cli_call *call, onefold_fit_options *options);

/* Columns that a report names for each cluster, unless --explain says how many. */
enum { CLI_REPORT_COLUMNS = 6 };

/* A summary is wanted: not quiet, and not JSON. */
int cli_says(const cli_call *call);

/* Refuses an output that is one of the files read, whatever led to it: a folder that was given, a
 * file beside the data, a link, a redirected stream. The context knows them. */
onefold_status cli_check_read(const cli_session *session);

/* Moves all that was written to its place, together. */
onefold_status cli_session_place(const cli_session *session);

/* Everything written to standard output has arrived, or ONEFOLD_IO. */
onefold_status cli_flush_output(void);

/* "cora.mat", or "a.npy and 2 more": the operands, for a summary. */
const char *cli_data_name(const cli_call *call, char *text, size_t size);

#endif
