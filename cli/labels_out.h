/* SPDX-License-Identifier: Apache-2.0 */
/* Labels as the verbs that make them give them: bare, or with the names of their samples. */
#ifndef CLI_LABELS_OUT_H
#define CLI_LABELS_OUT_H

#include "session.h"

#define CLI_LABEL_ENDINGS ".npy .csv .tsv .txt .mat .npz"

/* Refuses --names where labels do not go to standard output. */
onefold_status cli_labels_check(const cli_call *call);

/* Prints the labels of samples first .. first+count-1: a label a line, or with --names a row of
 * sample,cluster,confidence under a header; `confidence` may be NULL. A failure shows when the
 * output is flushed. */
void cli_labels_print(const cli_session *session, const int32_t *labels, const double *confidence,
                      size_t first, size_t count);

#endif
