/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON that only the command says, and the printing of what the library made. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "onefold.h"

#include <stdio.h>

/* The JSON of the first thing that the report is on, on standard output. */
onefold_status cli_json_print(const onefold_report *report);

/* What was written, by the verbs that make files: `files` has one a line. */
onefold_status cli_json_written(const char *files, const onefold_dataset *dataset);

/* {"error": {"code": ..., "message": ..., "hint": ...}} */
onefold_status cli_json_error(onefold_status status, const char *message, const char *hint);

/* One step of progress, flushed at once. */
void cli_json_progress(FILE *out, const onefold_progress *progress);

#endif
