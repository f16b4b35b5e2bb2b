/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and the report page, as the verbs that make them give them. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "session.h"

/* Refuses an output that cannot be written: no such folder, a folder itself, the name of one of the
 * first `inputs` operands, an ending that is none of `endings` (".npy .csv"; NULL: any). Nothing is
 * changed. `option` starts the sentence: "--labels". */
onefold_status cli_check_output(const cli_call *call, size_t inputs, const char *option,
                                const char *path, const char *endings);

/* The same for every file that an option names; no two may be one. */
onefold_status cli_check_outputs(const cli_call *call);

/* Whether an option names a file to be written. */
int cli_writes_files(const cli_call *call);

/* `--labels -` is standard output, as CSV; and --names is refused where labels do not go there. */
onefold_status cli_labels_check(cli_call *call);

/* Whether labels are printed: not where they go to a file or into JSON, and bare ones not on a
 * terminal where something else was asked for. */
int cli_labels_printed(const cli_call *call);

/* For a summary: the file, or what became of the labels. */
const char *cli_labels_place(const cli_call *call);

/* The data set whose names the labels are written with: the session's own, or one made for it whose
 * ids no spreadsheet takes for a formula (--guard). It lives as long as the session. */
onefold_status cli_labels_names(cli_session *session, const onefold_dataset **names);

/* Prints the labels of samples first .. first+count-1: a label a line, or with --names a row of
 * sample,cluster,confidence under a header; `confidence` may be NULL. A failure shows when the
 * output is flushed. */
void cli_labels_print(const cli_session *session, const int32_t *labels, const double *confidence,
                      size_t first, size_t count);

/* Writes the page where it is asked for; files and the command are added to the report. */
onefold_status cli_report_write(const cli_session *session, const onefold_report *report);

#endif
