/* SPDX-License-Identifier: Apache-2.0 */
/* What the report pages are made of, for the files of this folder only. */
#ifndef OF_REPORT_REPORT_H
#define OF_REPORT_REPORT_H

#include "report/json_build.h"

#ifdef ONEFOLD_WITH_JSON
#include "report/page.h"

/* A page under way. */
typedef struct of_report {
    of_context *context;
    const onefold_report *asked;
    const onefold_dataset *dataset; /* may be NULL */
    of_page *page;
    json_t *extra; /* what the page shows besides the JSON of the command */
    int failed;    /* some part of `extra` could not be made */
} of_report;

/* extra[key] = value, which is taken over. */
void of_report_put(of_report *report, const char *key, json_t *value);

/* ---- where it comes from (report_origin.c) ------------------------------------------------ */

/* Files with size and SHA-256, every option, the command. */
onefold_status of_report_origin(of_report *report);

/* ---- lists and tables (report_lists.c) ---------------------------------------------------- */

/* {"mean", "most", "histogram"} of numbers from 0 to 1; those that are no number are left out. */
json_t *of_report_spread(const double *values, size_t count, size_t bins);

/* The samples with the smallest values, or the largest: {"sample", "name", "label", key}; no name
 * where `dataset` is NULL or has none. */
json_t *of_report_extremes(const onefold_dataset *dataset, const char *key, const double *values,
                           const int32_t *labels, size_t count, int largest);

/* clusters x classes, an array for each cluster. */
json_t *of_report_contingency(of_report *report, const int32_t *labels, size_t clusters);

/* Patterns of views that samples have, commonest first: {"views": [0, 1, ..], "count"}. */
json_t *of_report_patterns(of_report *report);

/* ---- points (report_points.c) ------------------------------------------------------------- */

/* What is drawn of the samples: their number, pictures and columns into `extra`, the rest into
 * blocks of the page. */
onefold_status of_report_points(of_report *report);

/* ---- names of samples (report_names.c) ---------------------------------------------------- */

/* The names of the points shown, as many as there is room for, as a block; how they lie in it goes
 * into `about`, and the bytes they take deflated into *packed. `sample`: NULL where points are
 * samples. */
onefold_status of_report_names(of_report *report, const size_t *sample, size_t shown, json_t *about,
                               size_t *packed);

/* ---- pages (report_fit.c) ----------------------------------------------------------------- */

onefold_status of_report_fit(of_report *report);
onefold_status of_report_predict(of_report *report);
#endif

#endif
