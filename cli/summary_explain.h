/* SPDX-License-Identifier: Apache-2.0 */
/* What the summary of a fit says of why (docs/explain.md). */
#ifndef CLI_SUMMARY_EXPLAIN_H
#define CLI_SUMMARY_EXPLAIN_H

#include "screen.h"
#include "verbs.h"

/* The mean agreement of a view's own labels with those of the other views, of which there is one.
 */
double cli_view_others(const onefold_fit_info *info, size_t view);

/* The agreement of every two views, where there are not too many. */
onefold_status cli_agreement_table(const cli_screen *screen, const cli_fit_report *report);

/* The mean confidence of each cluster's samples, and a line on that of all, with
 * the least sure by name. */
void cli_cluster_confidence(const onefold_fit_info *info, const int32_t *labels, double *mean);
void cli_confidence_line(const cli_screen *screen, const onefold_fit_info *info,
                         const onefold_dataset *dataset);

/* Few clusters have a bar each, with the view that sees them best; more a list, very many their
 * smallest, middle and largest. */
onefold_status cli_size_lines(const cli_screen *screen, const cli_fit_report *report);

/* The columns that set each cluster apart, where they were asked for. */
onefold_status cli_column_lines(const cli_screen *screen, const cli_fit_report *report);

#endif
