/* SPDX-License-Identifier: Apache-2.0 */
/* Building blocks of JSON objects on jansson, for the files of this folder only. */
#ifndef OF_REPORT_JSON_BUILD_H
#define OF_REPORT_JSON_BUILD_H

#include "onefold.h"

#ifdef ONEFOLD_WITH_JSON
#include <jansson.h>

/* Text of any bytes: what is not UTF-8 becomes U+FFFD. NULL is null. */
json_t *of_json_text(const char *text);

/* A number; null where it is not finite, which JSON cannot say. */
json_t *of_json_real(double number);

/* A size, or a seed: beyond 2^63 - 1 it is text, as readers of JSON differ there. */
json_t *of_json_whole(uint64_t number);

json_t *of_json_reals(const double *numbers, size_t count);
json_t *of_json_sizes(const size_t *numbers, size_t count);

/* Labels below `clusters`; equal ones share one value, so that a label takes 8 bytes. */
json_t *of_json_labels(const int32_t *labels, size_t count, size_t clusters);

/* object[key] = value, which is taken over; returns non-zero where any of them is missing. */
int of_json_put(json_t *object, const char *key, json_t *value);

/* The value, or NULL (and the value freed) where some part of it could not be made. */
json_t *of_json_keep(json_t *value, int failed);

/* A time, where it was given. */
int of_json_put_seconds(json_t *object, const char *key, double seconds);

/* A value as text, on one line, or NULL; free() ends it. json_dumps leaves words out where there is
 * no memory for a longer text. */
char *of_json_dump(const json_t *value, size_t flags);

/* The command's JSON of the first thing that is given, and the word for what it is of. jansson's
 * own reader is not asked to read the text back for a page, as it writes past its block where there
 * is no memory for a longer word. */
onefold_status of_json_asked(const onefold_report *asked, json_t **data, const char **kind);
onefold_status of_json_experiment(json_t **object, const onefold_report *asked);

/* Hands an object over that was made so, or says that there was no memory for it. */
onefold_status of_json_made(json_t **object, json_t *made, int failed);
#endif

#endif
