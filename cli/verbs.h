/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs, each in the file of its name, and the texts about them. */
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

/* What surrounds anything that is told: in JSON, on a page, and in words. */
onefold_report cli_page(const cli_session *session);

/* What a person wants to see of a fit. */
onefold_status cli_fit_summary(const cli_screen *screen, const cli_session *session,
                               const onefold_report *page);

/* The data in a line, and what was found in the files where more is to be said. */
void cli_data_lines(const cli_screen *screen, const cli_session *session);

/* Scores on a line, in percent. */
void cli_scores_line(const cli_screen *screen, const onefold_scores *scores);

/* `onefold --help`, `onefold VERB --help`, `onefold --version`, on standard output. */
void cli_help(void);
void cli_help_verb(const cli_verb *verb);
void cli_version(void);

/* For the completions: the verbs, or a verb's options, as lines of name, argument and help with
 * tabs between them. A verb that is not known has no lines. */
void cli_list(const char *verb);

#endif
