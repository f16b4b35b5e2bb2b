/* SPDX-License-Identifier: Apache-2.0 */
/* Report pages, for the files of this folder. */
#ifndef OF_REPORT_REPORT_H
#define OF_REPORT_REPORT_H

#include "io/atomic_file.h"
#include "io/json_build.h"

/* The JSON of the first subject of the request, as the command prints it. In a page it is a member
 * of an object with its kind, which is left open for more. */
onefold_status of_json_report(of_json *to, const onefold_report *request);

/* ---- the file of a page (page.c) ------------------------------------------------------------- */

/*
 * The page that web/report builds, with data between its head and its script. The file appears
 * whole or not at all. Data are text in script elements of types that no browser runs, which a
 * Content-Security-Policy enforces.
 */

typedef struct of_page {
    of_atomic_file file;
    char *text;       /* the page of web/report, with a closing zero */
    const char *rest; /* the text after the data */
} of_page;

/* A variable that abandons its file at the end of its scope. */
#define OF_PAGE(name)                                                                              \
    __attribute__((cleanup(of_page_abandon))) of_page name = {.file = {.descriptor = -1}}

/* Opens the file and writes the head. */
onefold_status of_page_open(of_page *page, of_context *context, const char *path);

/* Writes JSON, an open object, with `extra` as its last member, as the element `summary`. '<', '>'
 * and '&' become \u003c, ... */
onefold_status of_page_summary(of_page *page, of_json *json, const of_json *extra);

/* Writes bytes as the element `block-NAME`, deflated, in base64, unless these are more than `most`
 * deflated bytes. *packed (or NULL) is their number. */
onefold_status of_page_block(of_page *page, const char *name, const void *bytes, size_t size,
                             size_t most, size_t *packed);

/* Writes the rest and puts the file in its place. */
onefold_status of_page_close(of_page *page);

void of_page_abandon(of_page *page);

/* ---- the content of a page ------------------------------------------------------------------- */

typedef struct of_report {
    of_context *context;
    const onefold_report *request;
    of_page *page;
    of_json *extra; /* what the page has besides the JSON of the command */
} of_report;

/* "origin": files with size and SHA-256, every option, the command. */
onefold_status of_report_origin(of_report *report);

/* {"mean", "most", "histogram"} of values from 0 to 1, without NaN. With labels also an array
 * `title` of the samples with the smallest or `largest` values: {"sample", "name", "label", key},
 * with a name if the data set has names. */
onefold_status of_report_spread(of_report *report, const char *key, const char *title,
                                const double *values, const int32_t *labels, size_t count,
                                size_t bins, int largest);

/* ---- points (report_points.c) ------------------------------------------------------------- */

/* Values of each sample, and the samples that are shown as points. */
typedef struct of_points {
    size_t samples, clusters, classes;
    uint64_t seed;            /* of the draw of points */
    const int32_t *labels;    /* below 0: none */
    const int32_t *other;     /* labels of a second fit, or NULL */
    const int32_t *truth;     /* 0 .. classes - 1, or NULL */
    const double *confidence; /* from 0 to 1, or NULL */
    const char *const *names; /* or NULL */
    size_t shown;
    const size_t *sample; /* of each point; NULL: all samples */
    size_t name_bytes;    /* of the names, deflated */
} of_points;

/* "points": chooses the points, and writes their values into blocks of the page, with as many names
 * as there is room for, and with pictures and columns if the report is on a result. */
onefold_status of_report_points(of_report *report, of_points *points);

#endif
