/* SPDX-License-Identifier: Apache-2.0 */
/* Printing JSON: reports of the library, and the command's own objects. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "onefold.h"

#include <stdio.h>

/* Prints onefold_report_json on standard output. */
onefold_status cli_json_print(const onefold_report *report);

/* Prints the object of convert and synth; `files` has one path per line. */
onefold_status cli_json_written(const char *files, const onefold_dataset *dataset);

/* {"error": {"code": ..., "message": ..., "hint": ...}} */
onefold_status cli_json_error(onefold_status status, const char *message, const char *hint);

/* One step of progress, flushed at once. */
void cli_json_progress(FILE *out, const onefold_progress *progress);

#endif
