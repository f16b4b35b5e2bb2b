/* SPDX-License-Identifier: Apache-2.0 */
/* onefold_report_write: the JSON of what is asked for, what the page shows besides, and the page
 * around both. */
#include "report/report.h"

#ifdef ONEFOLD_WITH_JSON
#include "base/sha256.h"
#include "base/structs.h"
#include "data/dataset.h"
#include "model/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- spreads, samples that stand out, contingency, patterns of views ------------------------ */

enum { STAND_OUT = 20, MOST_PATTERNS = 20, PATTERN_VIEWS = 64 };

json_t *of_report_spread(const double *values, size_t count, size_t bins)
{
    json_t *object = json_object();
    size_t *histogram = calloc(bins, sizeof *histogram), seen = 0;
    double sum = 0, most = 0;
    if (!histogram)
        return of_json_keep(object, 1);
    for (size_t j = 0; j < count; j++) {
        double v = values[j];
        if (isnan(v))
            continue;
        size_t bin = v <= 0 ? 0 : v >= 1 ? bins - 1 : (size_t)(v * (double)bins);
        histogram[bin < bins ? bin : bins - 1]++;
        sum += v;
        most = v > most ? v : most;
        seen++;
    }
    int failed =
        of_json_put(object, "mean", seen ? of_json_real(sum / (double)seen) : json_null()) |
        of_json_put(object, "most", seen ? of_json_real(most) : json_null()) |
        of_json_put(object, "histogram", of_json_sizes(histogram, bins));
    free(histogram);
    return of_json_keep(object, failed);
}

json_t *of_report_extremes(const onefold_dataset *dataset, const char *key, const double *values,
                           const int32_t *labels, size_t count, int largest)
{
    size_t kept[STAND_OUT], length = 0;
    for (size_t j = 0; j < count; j++) {
        if (isnan(values[j]))
            continue;
        double v = largest ? -values[j] : values[j];
        size_t at = length;
        while (at && v < (largest ? -values[kept[at - 1]] : values[kept[at - 1]]))
            at--;
        if (at == STAND_OUT)
            continue;
        length += length < STAND_OUT;
        memmove(kept + at + 1, kept + at, (length - at - 1) * sizeof *kept);
        kept[at] = j;
    }
    json_t *list = json_array();
    int failed = 0;
    for (size_t i = 0; i < length; i++) {
        json_t *one = json_object();
        if (dataset && dataset->set.sample_names)
            failed |= of_json_put(one, "name", of_json_text(dataset->set.sample_names[kept[i]]));
        failed |= of_json_put(one, "sample", of_json_whole(kept[i])) |
                  of_json_put(one, "label", json_integer(labels[kept[i]])) |
                  of_json_put(one, key, of_json_real(values[kept[i]])) |
                  (json_array_append_new(list, one) != 0);
    }
    return of_json_keep(list, failed);
}

/* clusters x classes, an array for each cluster. */
static json_t *contingency_table(of_report *report, const int32_t *labels, size_t clusters)
{
    const int32_t *truth = onefold_dataset_describe(report->dataset)->truth;
    size_t classes = onefold_dataset_describe(report->dataset)->classes,
           n = onefold_dataset_describe(report->dataset)->samples;
    size_t *table = calloc(clusters * classes + 1, sizeof *table);
    json_t *rows = json_array();
    int failed = !table;
    for (size_t j = 0; table && j < n; j++)
        if (truth[j] >= 0)
            table[(size_t)labels[j] * classes + (size_t)truth[j]]++;
    for (size_t c = 0; table && c < clusters; c++)
        failed |= json_array_append_new(rows, of_json_sizes(table + c * classes, classes)) != 0;
    free(table);
    return of_json_keep(rows, failed);
}

typedef struct pattern {
    uint64_t views;
    size_t count;
} pattern;

static int commoner(const void *a, const void *b)
{
    const pattern *one = a, *other = b;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    return one->views < other->views ? 1 : -1;
}

static int by_views(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* The patterns of all samples, counted, commonest first; returns how many there are. */
static size_t count_patterns(const of_dataset *set, uint64_t *all, pattern *found)
{
    size_t views = set->view_count < PATTERN_VIEWS ? set->view_count : PATTERN_VIEWS, length = 0;
    for (size_t j = 0; j < set->samples; j++) {
        all[j] = 0;
        for (size_t v = 0; v < views; v++)
            all[j] = all[j] << 1 | (uint64_t)of_present_at(set, j, v);
    }
    qsort(all, set->samples, sizeof *all, by_views);
    for (size_t j = 0; j < set->samples; j++) {
        if (j == 0 || all[j] != all[j - 1])
            found[length++] = (pattern){all[j], 0};
        found[length - 1].count++;
    }
    qsort(found, length, sizeof *found, commoner);
    return length;
}

/* Patterns of views that samples have, commonest first: {"views": [0, 1, ..], "count"}. */
static json_t *view_patterns(of_report *report)
{
    const of_dataset *set = &report->dataset->set;
    size_t views = set->view_count < PATTERN_VIEWS ? set->view_count : PATTERN_VIEWS;
    uint64_t *all = malloc((set->samples + 1) * sizeof *all);
    pattern *found = malloc((set->samples + 1) * sizeof *found);
    json_t *list = json_array();
    int failed = !all || !found;
    size_t length = failed ? 0 : count_patterns(set, all, found);
    for (size_t i = 0; i < length && i < MOST_PATTERNS; i++) {
        json_t *one = json_object(), *has = json_array();
        for (size_t v = 0; v < views; v++)
            failed |= json_array_append_new(
                          has, json_integer((int)(found[i].views >> (views - 1 - v) & 1))) != 0;
        failed |= of_json_put(one, "views", has) |
                  of_json_put(one, "count", of_json_whole(found[i].count)) |
                  (json_array_append_new(list, one) != 0);
    }
    free(all);
    free(found);
    return of_json_keep(list, failed);
}

/* ---- where a report comes from -------------------------------------------------------------- */

/* {"path", "bytes", "sha256"}; null where a file cannot be read again (a pipe, one that is gone).
 */
static json_t *file_object(of_report *report, const char *path, onefold_status *status)
{
    char text[OF_SHA256_TEXT] = "";
    uint64_t bytes = 0;
    if (*status == ONEFOLD_OK)
        *status = of_sha256_file(report->context, path, text, &bytes);
    json_t *object = json_object();
    int failed = of_json_put(object, "path", of_json_text(path)) |
                 of_json_put(object, "bytes", *text ? of_json_whole(bytes) : json_null()) |
                 of_json_put(object, "sha256", *text ? of_json_text(text) : json_null());
    return of_json_keep(object, failed);
}

/* A line of the list of options: [name, value]. */
static void add(of_report *report, json_t *list, const char *name, json_t *value)
{
    json_t *pair = json_array();
    report->failed |= json_array_append_new(pair, of_json_text(name)) != 0;
    report->failed |= json_array_append_new(pair, value) != 0;
    report->failed |= json_array_append_new(list, pair) != 0;
}

static json_t *word(const char *text, const char *otherwise)
{
    return of_json_text(text ? text : otherwise);
}

static json_t *number(size_t value, const char *otherwise)
{
    return value ? of_json_whole(value) : of_json_text(otherwise);
}

/* Options of the solver. The default method settles them for each candidate by itself: of it, those
 * that were changed are listed, so that the page does not name what had no part in the fit. */
static void add_solver_options(of_report *report, json_t *list, const onefold_fit_options *o)
{
    const onefold_fit_options usual = ONEFOLD_FIT_OPTIONS_INIT;
    int all = o->method && strcmp(o->method, "onefold") != 0;
    if (all || o->dims)
        add(report, list, "dims", number(o->dims, "twice the clusters"));
    if (all || o->anchors)
        add(report, list, "anchors", number(o->anchors, "twice the clusters"));
    if (all || o->restarts != usual.restarts)
        add(report, list, "restarts", of_json_whole(o->restarts));
    if (all || o->start != usual.start)
        add(report, list, "start", word(onefold_name(ONEFOLD_NAMES_START, o->start), "?"));
    if (all || o->variant != usual.variant)
        add(report, list, "variant", word(onefold_name(ONEFOLD_NAMES_VARIANT, o->variant), "?"));
    if (all || o->nonneg)
        add(report, list, "nonneg", of_json_text(o->nonneg ? "yes" : "no"));
    if (all || o->stop != usual.stop)
        add(report, list, "stop", word(onefold_name(ONEFOLD_NAMES_STOP, o->stop), "?"));
    if (all || fabs(o->tolerance - usual.tolerance) > 0)
        add(report, list, "tolerance", of_json_real(o->tolerance));
    if (all || o->max_iterations != usual.max_iterations)
        add(report, list, "most iterations", of_json_whole(o->max_iterations));
}

static json_t *options_list(of_report *report, const onefold_fit_options *o)
{
    json_t *list = json_array();
    if (o->clusters)
        add(report, list, "clusters", of_json_whole(o->clusters));
    add(report, list, "method", word(o->method, "default"));
    add(report, list, "method options", word(o->method_options, "default"));
    add(report, list, "kernel", word(o->kernel, "auto"));
    add(report, list, "weights", word(o->weights, "auto"));
    add_solver_options(report, list, o);
    add(report, list, "base", word(onefold_name(ONEFOLD_NAMES_BASE, o->base), "?"));
    add(report, list, "landmarks", number(o->landmarks, "chosen"));
    add(report, list, "precision", word(onefold_name(ONEFOLD_NAMES_PRECISION, o->precision), "?"));
    add(report, list, "seed", of_json_whole(o->seed));
    add(report, list, "explain", number(o->explain, "no"));
    add(report, list, "model kept", of_json_text(o->keep_model ? "yes" : "no"));
    return list;
}

onefold_status of_report_origin(of_report *report)
{
    const onefold_report *asked = report->asked;
    onefold_status status = ONEFOLD_OK;
    json_t *origin = json_object(), *files = json_array();
    for (size_t i = 0; asked->paths && i < asked->path_count; i++)
        report->failed |=
            json_array_append_new(files, file_object(report, asked->paths[i], &status)) != 0;
    report->failed |= of_json_put(origin, "files", files);
    if (asked->options) {
        json_t *list = options_list(report, asked->options);
        if (asked->result)
            add(report, list, "number of the run",
                of_json_text(onefold_result_describe(asked->result)->run));
        report->failed |= of_json_put(origin, "options", list);
    }
    if (asked->command)
        report->failed |= of_json_put(origin, "command", of_json_text(asked->command));
    of_report_put(report, "origin", origin);
    return status;
}

/* ---- what the page of a fit or a prediction shows besides its JSON -------------------------- */

enum { BINS = 10, MOST_CELLS = 40000 };

/* What the fit kept to be drawn. */
static void put_picture(of_report *report, const onefold_fit_info *info)
{
    const of_picture *picture = report->asked->result->picture;
    json_t *spectra = json_array(), *traces = json_array();
    const double *trace = picture->traces;
    for (size_t v = 0; v < info->views; v++)
        report->failed |= json_array_append_new(
                              spectra, of_json_reals(picture->spectrum + v * picture->spectrum_rows,
                                                     picture->spectrum_rows)) != 0;
    for (size_t r = 0; trace && info->restart_iterations && r < info->restarts; r++) {
        size_t length = info->restart_iterations[r];
        report->failed |= json_array_append_new(traces, of_json_reals(trace, length)) != 0;
        trace += length;
    }
    of_report_put(report, "spectra", spectra);
    of_report_put(report, "traces", traces);
}

static void put_truth(of_report *report, const onefold_fit_info *info)
{
    const onefold_dataset *dataset = report->dataset;
    json_t *classes = json_array();
    for (size_t c = 0; c < onefold_dataset_describe(dataset)->classes; c++)
        report->failed |=
            json_array_append_new(
                classes, of_json_text(onefold_dataset_describe(dataset)->class_names[c])) != 0;
    of_report_put(report, "classes", classes);
    if (info->clusters * onefold_dataset_describe(dataset)->classes > MOST_CELLS)
        return; /* nobody looks through it, and it would be most of the page */
    of_report_put(report, "contingency",
                  contingency_table(report, onefold_result_describe(report->asked->result)->labels,
                                    info->clusters));
}

static onefold_status show_fit(of_report *report)
{
    const onefold_result *result = report->asked->result;
    const onefold_fit_info *info = onefold_result_describe(result);
    if (result->picture)
        put_picture(report, info);
    if (report->dataset && onefold_dataset_describe(report->dataset)->truth)
        put_truth(report, info);
    if (report->dataset && report->dataset->set.present)
        of_report_put(report, "missing", view_patterns(report));
    if (info->confidence) {
        of_report_put(report, "confidence",
                      of_report_spread(info->confidence, info->samples, BINS));
        of_report_put(report, "doubtful",
                      of_report_extremes(report->dataset, "confidence", info->confidence,
                                         onefold_result_describe(result)->labels, info->samples,
                                         0));
    }
    return of_report_points(report);
}

static onefold_status show_prediction(of_report *report)
{
    const onefold_prediction *p = report->asked->prediction;
    size_t n = report->asked->samples;
    if (p->confidence)
        of_report_put(report, "confidence", of_report_spread(p->confidence, n, BINS));
    if (p->distance)
        of_report_put(report, "distance", of_report_spread(p->distance, n, 2 * BINS));
    if (p->confidence && p->labels)
        of_report_put(
            report, "doubtful",
            of_report_extremes(report->dataset, "confidence", p->confidence, p->labels, n, 0));
    if (p->distance && p->labels)
        of_report_put(
            report, "farthest",
            of_report_extremes(report->dataset, "distance", p->distance, p->labels, n, 1));
    return ONEFOLD_OK;
}

/* ---- the page ------------------------------------------------------------------------------- */

void of_report_put(of_report *report, const char *key, json_t *value)
{
    report->failed |= of_json_put(report->extra, key, value);
}

/* Leaves out what has a number for every sample: that is in blocks. */
static void leave_out_samples(json_t *data)
{
    static const char *const long_keys[] = {"labels", "confidence", "distance", "view_parts",
                                            "embedding"};
    for (size_t i = 0; i < sizeof long_keys / sizeof *long_keys; i++)
        json_object_del(data, long_keys[i]);
    json_t *cell;
    size_t index;
    json_array_foreach(json_object_get(data, "cells"), index, cell)
    {
        json_object_del(cell, "labels");
        json_object_del(cell, "key");
    }
}

/* {"kind", "data", "extra"} into the page. Takes `data` over. */
static onefold_status write_summary(of_report *report, const char *kind, json_t *data)
{
    json_t *summary = json_object();
    int failed = report->failed | of_json_put(summary, "kind", of_json_text(kind)) |
                 of_json_put(summary, "data", data) |
                 of_json_put(summary, "extra", json_incref(report->extra));
    char *text = failed ? NULL : of_json_dump(summary, JSON_COMPACT);
    json_decref(summary);
    if (!text)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the summary of the report");
    onefold_status status = of_page_summary(report->page, text, strlen(text));
    free(text);
    return status;
}

static onefold_status write_parts(of_report *report)
{
    const onefold_report *asked = report->asked;
    if (asked->name)
        of_report_put(report, "title", of_json_text(asked->name));
    if (asked->result)
        OF_TRY(show_fit(report));
    else if (asked->prediction)
        OF_TRY(show_prediction(report));
    return of_report_origin(report);
}

static onefold_status write_report(of_report *report, const char *path)
{
    OF_PAGE(page);
    json_t *data;
    const char *kind;
    report->page = &page;
    OF_TRY(of_json_asked(report->asked, &data, &kind));
    leave_out_samples(data);
    if (report->asked->result) /* they are in a block, too */
        json_object_del(data, "sample_names");
    onefold_status status = of_page_open(&page, report->context, path);
    if (status == ONEFOLD_OK)
        status = write_parts(report);
    if (status != ONEFOLD_OK) {
        json_decref(data);
        return status;
    }
    OF_TRY(write_summary(report, kind, data));
    return of_page_close(&page);
}

static onefold_status check_samples(const onefold_report *asked)
{
    const onefold_fit_info *info;
    if (!asked->dataset || (!asked->result && !asked->prediction))
        return ONEFOLD_OK;
    if (asked->result)
        info = onefold_result_describe(asked->result);
    size_t samples = asked->result ? info->samples : asked->samples;
    if (onefold_dataset_describe(asked->dataset)->samples != samples)
        return of_fail(ONEFOLD_USAGE, "the data set of a report has %zu samples, and its %s %zu",
                       onefold_dataset_describe(asked->dataset)->samples,
                       asked->result ? "result" : "prediction", samples);
    return ONEFOLD_OK;
}

static onefold_status check(const onefold_report *asked, const char *path)
{
    int subjects = (asked->result != NULL) + (asked->choice != NULL) + (asked->experiment != NULL) +
                   (asked->prediction != NULL);
    if (!path || !*path)
        return of_fail(ONEFOLD_USAGE, "a report needs the path of a file");
    if (subjects != 1)
        return of_fail(ONEFOLD_USAGE,
                       "a report is on one of a result, a choice, an experiment and a prediction, "
                       "not on %d",
                       subjects);
    if (asked->prediction && !asked->model)
        return of_fail(ONEFOLD_USAGE, "a report on a prediction needs its model");
    return check_samples(asked);
}

onefold_status onefold_report_write(const onefold_report *report, onefold_context *context,
                                    const char *path)
{
    onefold_report asked = ONEFOLD_REPORT_INIT;
    if (!report)
        return of_fail(ONEFOLD_USAGE, "onefold_report_write was not told what to report on");
    OF_TRY(OF_STRUCT_READ(&asked, report, onefold_report));
    OF_TRY(check(&asked, path));
    of_report under_way = {.context = of_context_or_default(context), .asked = &asked};
    under_way.dataset = asked.dataset;
    under_way.extra = json_object();
    onefold_status status = write_report(&under_way, path);
    json_decref(under_way.extra);
    return status;
}

#else

#include "base/status.h"

onefold_status onefold_report_write(const onefold_report *report, onefold_context *context,
                                    const char *path)
{
    (void)report, (void)context, (void)path;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "reports are not in this build"),
                   "build with -DONEFOLD_WITH_JSON=ON, or leave out `report`");
}

#endif
