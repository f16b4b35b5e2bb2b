/* SPDX-License-Identifier: Apache-2.0 */
/* What the report pages are made of, for the files of this folder only. */
#ifndef OF_REPORT_REPORT_H
#define OF_REPORT_REPORT_H

#include "io/atomic_file.h"
#include "io/json_build.h"

/* The command's JSON of the first thing that is given; in a page with the word for what it is of,
 * and left open for what the page shows besides. That of an experiment is in bench_json.c. */
onefold_status of_json_asked(of_json *to, const onefold_report *asked);
onefold_status of_json_experiment(of_json *to, const onefold_report *asked);

/* ---- the file of a page (page.c) ------------------------------------------------------------- */

/*
 * The file of a report page: the page that web/report builds, with data between its head and its
 * script. It appears whole or not at all. What is put in is inert: text between script elements of
 * types that no browser runs, held to that by a Content-Security-Policy.
 */

typedef struct of_page {
    of_atomic_file file;
    char *text;       /* the page as web/report built it, with a closing zero */
    const char *rest; /* of it, after the data */
} of_page;

/* A variable that abandons its file when the scope is left. */
#define OF_PAGE(name)                                                                              \
    __attribute__((cleanup(of_page_abandon))) of_page name = {.file = {.descriptor = -1}}

/* Opens the file and writes the head. */
onefold_status of_page_open(of_page *page, of_context *context, const char *path);

/* JSON, an object left open, as the element `summary`, with `extra` as its last member; '<', '>'
 * and '&' in it are written as \u003c, ... */
onefold_status of_page_summary(of_page *page, of_json *json, const of_json *extra);

/* Bytes as the element `block-NAME`: deflated, in base64; nothing where they are more than `most`,
 * deflated. `packed`, unless NULL, is told how many they are. */
onefold_status of_page_block(of_page *page, const char *name, const void *bytes, size_t size,
                             size_t most, size_t *packed);

/* Writes the rest and puts the file in its place. */
onefold_status of_page_close(of_page *page);

void of_page_abandon(of_page *page);

/* ---- what a page is made of ------------------------------------------------------------------ */

/* A page under way. */
typedef struct of_report {
    of_context *context;
    const onefold_report *asked;
    of_page *page;
    of_json *extra; /* what the page shows besides the JSON of the command */
} of_report;

/* "origin": files with size and SHA-256, every option, the command. */
onefold_status of_report_origin(of_report *report);

/* {"mean", "most", "histogram"} of numbers from 0 to 1, those that are no number left out; and,
 * where there are labels, under the title the samples with the smallest of them, or the largest:
 * {"sample", "name", "label", key}; no name where the report has no data set or it has none. */
onefold_status of_report_spread(of_report *report, const char *key, const char *title,
                                const double *values, const int32_t *labels, size_t count,
                                size_t bins, int largest);

/* ---- points (report_points.c) ------------------------------------------------------------- */

/* What is known of each sample, and which of them are shown as points. */
typedef struct of_points {
    size_t samples, clusters, classes;
    uint64_t seed;            /* of the draw, where there are too many */
    const int32_t *labels;    /* below 0 is none */
    const int32_t *other;     /* those of a fit beside it, or NULL, as what follows */
    const int32_t *truth;     /* from 0 to classes - 1 */
    const double *confidence; /* from 0 to 1 */
    const char *const *names;
    size_t shown;
    const size_t *sample; /* NULL: all of them */
    size_t name_bytes;    /* that names take, deflated */
} of_points;

/* "points": what is drawn of the samples. Chooses the points; all that is known of them goes into
 * blocks of the page, with names as many as there is room for, and with pictures and columns where
 * the report is on a result. */
onefold_status of_report_points(of_report *report, of_points *points);

#endif
