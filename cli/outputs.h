/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs of the verbs: checks, labels, the report page. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "session.h"

/* Refuses an output that cannot be written: its folder does not exist, it is a folder or one of the
 * first `inputs` operands, or its ending is none of `endings` (".npy .csv"; NULL: any). Nothing is
 * changed. `option` starts the message: "--labels". */
onefold_status cli_check_output(const cli_call *call, size_t inputs, const char *option,
                                const char *path, const char *endings);

/* The same for every output that an option names; no two may be the same file. */
onefold_status cli_check_outputs(const cli_call *call);

/* Whether an option names a file to be written. */
int cli_writes_files(const cli_call *call);

/* Makes --names of `--labels -`; refuses --names if labels do not go to standard output. */
onefold_status cli_labels_check(cli_call *call);

/* Whether labels are printed on standard output: not with --labels or --json, and labels without
 * names not on a terminal if a file is written. */
int cli_labels_printed(const cli_call *call);

/* Where the labels are, for a summary. */
const char *cli_labels_place(const cli_call *call);

/* The data set whose ids are written with the labels: the session's, or, with --guard, a copy of
 * its ids that no spreadsheet runs as formulas. It lives as long as the session. */
onefold_status cli_labels_names(cli_session *session, const onefold_dataset **names);

/* Prints the labels of samples first .. first+count-1, one per line, or with --names rows of
 * sample,cluster,confidence under a header; `confidence` may be NULL. cli_flush_output reports a
 * failure. */
void cli_labels_print(const cli_session *session, const int32_t *labels, const double *confidence,
                      size_t first, size_t count);

/* With --report, adds the files and the command to the report and writes the page. */
onefold_status cli_report_write(const cli_session *session, const onefold_report *report);

#endif
