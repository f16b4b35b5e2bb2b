/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs, and printing that they share. */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "command.h"
#include "json.h"
#include "session.h"

onefold_status cli_fit(cli_call *call);
onefold_status cli_score(cli_call *call);
onefold_status cli_info(cli_call *call);
onefold_status cli_convert(cli_call *call);
onefold_status cli_synth(cli_call *call);
onefold_status cli_bench(cli_call *call);
onefold_status cli_predict(cli_call *call);
onefold_status cli_report(cli_call *call);

onefold_status cli_choose(cli_call *call);
onefold_status cli_experiment(cli_call *call);

/* The options of bench, checked. */
onefold_status cli_bench_options(const cli_call *call, onefold_fit_options *fit,
                                 onefold_experiment_options *options);

/* A report with what the session knows: data, paths, time, memory, threads. */
onefold_report cli_page(const cli_session *session);

/* Prints the summary of a fit. */
onefold_status cli_fit_summary(const cli_screen *screen, const cli_session *session,
                               const onefold_report *page);

/* Prints a line on the data, and the assumptions of the reader; with --verbose all its notes. */
void cli_data_lines(const cli_screen *screen, const cli_session *session);

/* Prints scores on a line, in percent. */
void cli_scores_line(const cli_screen *screen, const onefold_scores *scores);

/* `onefold --help`, `onefold VERB --help`, `onefold --version`, on standard output. */
void cli_help(void);
void cli_help_verb(const cli_verb *verb);
void cli_version(void);

/* Prints for the completions: the verbs, or the options of a verb, as lines of name, argument and
 * help, separated by tabs. Nothing for an unknown verb. */
void cli_list(const char *verb);

#endif
