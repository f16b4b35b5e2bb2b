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

/* object["sample_names"], where the data set has them and as many samples; returns non-zero where
 * that could not be made. */
int of_json_put_names(json_t *object, const onefold_dataset *dataset, size_t samples);

/* What every text says of a view; the caller adds the rest. */
json_t *of_json_view(const char *name, size_t columns, onefold_storage storage, const char *kernel,
                     onefold_route route);

/* Scores, key by key. */
json_t *of_json_scores_object(const onefold_scores *scores);

/* object[key] = value, which is taken over; returns non-zero where any of them is missing. */
int of_json_put(json_t *object, const char *key, json_t *value);

/* The value, or NULL (and the value freed) where some part of it could not be made. */
json_t *of_json_keep(json_t *value, int failed);

/* A time, where it was given. */
int of_json_put_seconds(json_t *object, const char *key, double seconds);

/* A value as text, on one line, or NULL; free() ends it. json_dumps leaves words out where there is
 * no memory for a longer text. */
char *of_json_dump(const json_t *value, size_t flags);

/* The JSON of what is asked for, one of each kind. jansson's own reader is not asked to read the
 * text back for a page, as it writes past its block where there is no memory for a longer word. */
onefold_status of_json_result(json_t **object, const onefold_report *asked);
onefold_status of_json_choice(json_t **object, const onefold_report *asked);
onefold_status of_json_experiment(json_t **object, const onefold_report *asked);
onefold_status of_json_prediction(json_t **object, const onefold_report *asked);
onefold_status of_json_model(json_t **object, const onefold_report *asked);
onefold_status of_json_dataset(json_t **object, const onefold_report *asked);
onefold_status of_json_estimate(json_t **object, const onefold_report *asked);
onefold_status of_json_scores(json_t **object, const onefold_report *asked);

/* Hands an object over that was made so, or says that there was no memory for it. */
onefold_status of_json_made(json_t **object, json_t *made, int failed);
#endif

#endif
