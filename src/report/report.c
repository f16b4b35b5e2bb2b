/* SPDX-License-Identifier: Apache-2.0 */
/* onefold_report_write: the page with the JSON of its subject and what it shows besides. */
#include "report/report.h"

#include "base/distinct.h"
#include "base/number.h"
#include "base/sha256.h"
#include "base/status.h"
#include "data/dataset.h"
#include "model/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- histograms, extreme samples ------------------------------------------------------------- */

enum { STAND_OUT = 20, MOST_PATTERNS = 20, PATTERN_VIEWS = 64, BINS = 10, MOST_CELLS = 40000 };

static void put_extremes(of_report *report, const char *title, const char *key,
                         const double *values, const int32_t *labels, size_t count, int largest)
{
    const char *const *names =
        report->request->dataset ? report->request->dataset->set.sample_names : NULL;
    of_json *to = report->extra;
    size_t kept[STAND_OUT], length = 0;
    double sign = largest ? -1 : 1;
    for (size_t j = 0; j < count; j++) {
        size_t at = length;
        while (at && sign * values[j] < sign * values[kept[at - 1]])
            at--;
        if (at == STAND_OUT || isnan(values[j]))
            continue;
        length += length < STAND_OUT;
        memmove(kept + at + 1, kept + at, (length - at - 1) * sizeof *kept);
        kept[at] = j;
    }
    of_json_put(to, "*:[", title);
    for (size_t i = 0; i < length; i++)
        of_json_put(to, "{ name:o sample:n label:i *:r }", names ? names[kept[i]] : NULL, kept[i],
                    labels[kept[i]], key, values[kept[i]]);
    of_json_put(to, "]");
}

onefold_status of_report_spread(of_report *report, const char *key, const char *title,
                                const double *values, const int32_t *labels, size_t count,
                                size_t bins, int largest)
{
    OF_SCRATCH(scratch, report->context);
    size_t *histogram, seen = 0;
    double sum = 0, most = 0;
    OF_TRY(OF_NEW_ZERO(&scratch, &histogram, bins, 1));
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
    of_json_put(report->extra, "*:{ mean:r most:r histogram:N }", key,
                seen ? sum / (double)seen : NAN, seen ? most : NAN, histogram, bins);
    if (labels)
        put_extremes(report, title, key, values, labels, count, largest);
    return ONEFOLD_OK;
}

/* ---- patterns of views ---------------------------------------------------------- */

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

/* "missing": patterns of present views, the most frequent first: {"views": [0, 1, ..], "count"}. */
static onefold_status put_patterns(of_report *report)
{
    OF_SCRATCH(scratch, report->context);
    const of_dataset *set = &report->request->dataset->set;
    size_t views = set->view_count < PATTERN_VIEWS ? set->view_count : PATTERN_VIEWS, length;
    int64_t *all, *distinct;
    int32_t *number;
    pattern *found;
    OF_TRY(OF_NEW(&scratch, &all, set->samples, 1));
    OF_TRY(OF_NEW(&scratch, &number, set->samples, 1));
    for (size_t j = 0; j < set->samples; j++) {
        uint64_t has = 0;
        for (size_t v = 0; v < views; v++)
            has = has << 1 | (uint64_t)of_present_at(set, j, v);
        all[j] = (int64_t)has;
    }
    OF_TRY(of_distinct(&scratch, all, set->samples, &distinct, &length, number));
    OF_TRY(OF_NEW_ZERO(&scratch, &found, length, 1));
    for (size_t i = 0; i < length; i++)
        found[i].views = (uint64_t)distinct[i];
    for (size_t j = 0; j < set->samples; j++)
        found[number[j]].count++;
    qsort(found, length, sizeof *found, commoner);
    of_json_put(report->extra, "missing:[");
    for (size_t i = 0; i < length && i < MOST_PATTERNS; i++) {
        of_json_put(report->extra, "{ views:[");
        for (size_t v = 0; v < views; v++)
            of_json_put(report->extra, "i", (int)(found[i].views >> (views - 1 - v) & 1));
        of_json_put(report->extra, "] count:n }", found[i].count);
    }
    of_json_put(report->extra, "]");
    return ONEFOLD_OK;
}

/* ---- origin --------------------------------------------------------------------------------- */

/* "options": [name, value], without those that the default method refuses. */
static void put_options(of_report *report, const onefold_fit_options *o)
{
    const onefold_result *result = report->request->result;
    int solver = o->method && strcmp(o->method, "onefold") != 0;
    char tolerance[32];
    const struct {
        int listed;
        const char *name, *text; /* text: the value, or NULL */
        size_t number;           /* the value, without a text */
        const char *none;        /* in place of 0 */
    } all[] = {
        {o->clusters > 0, "clusters", NULL, o->clusters, NULL},
        {1, "method", o->method, 0, "default"},
        {1, "method options", o->method_options, 0, "default"},
        {1, "kernel", o->kernel, 0, "auto"},
        {1, "weights", o->weights, 0, "auto"},
        {solver || o->dims, "dims", NULL, o->dims, "twice the clusters"},
        {solver, "anchors", NULL, o->anchors, "twice the clusters"},
        {solver || o->restarts, "restarts", NULL, o->restarts, "10"},
        {solver, "start", onefold_name(ONEFOLD_NAMES_START, o->start), 0, "?"},
        {solver, "variant", onefold_name(ONEFOLD_NAMES_VARIANT, o->variant), 0, "?"},
        {solver, "nonneg", o->nonneg ? "yes" : "no", 0, NULL},
        {solver, "stop", onefold_name(ONEFOLD_NAMES_STOP, o->stop), 0, "?"},
        {solver, "tolerance", tolerance, 0, NULL},
        {solver, "most iterations", NULL, o->max_iterations, NULL},
        {1, "base", onefold_name(ONEFOLD_NAMES_BASE, o->base), 0, "?"},
        {1, "landmarks", NULL, o->landmarks, "chosen"},
        {1, "precision", onefold_name(ONEFOLD_NAMES_PRECISION, o->precision), 0, "?"},
        {1, "seed", NULL, o->seed, NULL},
        {1, "explain", NULL, o->explain, "no"},
        {1, "model kept", o->keep_model ? "yes" : "no", 0, NULL},
        {result != NULL, "number of the run", result ? onefold_result_describe(result)->run : NULL,
         0, NULL},
    };
    of_number_print(tolerance, sizeof tolerance, "%g", o->tolerance);
    of_json_put(report->extra, "options:[");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *text = all[i].text || all[i].number ? all[i].text : all[i].none;
        if (all[i].listed && text)
            of_json_put(report->extra, "[ t t ]", all[i].name, text);
        else if (all[i].listed)
            of_json_put(report->extra, "[ t n ]", all[i].name, all[i].number);
    }
    of_json_put(report->extra, "]");
}

onefold_status of_report_origin(of_report *report)
{
    const onefold_report *request = report->request;
    of_json_put(report->extra, "origin:{ files:[");
    for (size_t i = 0; request->paths && i < request->path_count; i++) {
        char sum[OF_SHA256_TEXT] = "";
        uint64_t bytes = 0;
        OF_TRY(of_sha256_file(report->context, request->paths[i], sum, &bytes));
        of_json_put(report->extra, "{ path:t", request->paths[i]);
        if (*sum)
            of_json_put(report->extra, "bytes:n sha256:t }", (size_t)bytes, sum);
        else /* it cannot be read again: a pipe, or a removed file */
            of_json_put(report->extra, "bytes:t sha256:t }", NULL, NULL);
    }
    of_json_put(report->extra, "]");
    if (request->options)
        put_options(report, request->options);
    of_json_put(report->extra, "command:o }", request->command);
    return ONEFOLD_OK;
}

/* ---- the page of a fit ---------------------------------------------------------------------- */

static onefold_status show_fit(of_report *report)
{
    const onefold_result *result = report->request->result;
    const onefold_fit_info *info = onefold_result_describe(result);
    const onefold_dataset_info *data = onefold_dataset_describe(report->request->dataset);
    of_json *to = report->extra;
    OF_SCRATCH(scratch, report->context);
    if (result->picture) {
        const double *trace = result->picture->traces;
        of_json_put(to, "spectra:M traces:[", result->picture->spectrum, info->views,
                    result->picture->spectrum_rows);
        for (size_t r = 0; trace && info->restart_iterations && r < info->restarts; r++) {
            of_json_put(to, "R", trace, info->restart_iterations[r]);
            trace += info->restart_iterations[r];
        }
        of_json_put(to, "]");
    }
    if (data && data->truth)
        of_json_put(to, "classes:T", data->class_names, data->classes);
    if (data && data->truth && info->clusters * data->classes <= MOST_CELLS) {
        size_t *table; /* clusters x classes, an array for each cluster */
        OF_TRY(OF_NEW_ZERO(&scratch, &table, info->clusters, data->classes));
        for (size_t j = 0; j < data->samples; j++)
            if (data->truth[j] >= 0)
                table[(size_t)info->labels[j] * data->classes + (size_t)data->truth[j]]++;
        of_json_put(to, "contingency:W", table, info->clusters, data->classes);
    }
    if (data && report->request->dataset->set.present)
        OF_TRY(put_patterns(report));
    if (info->confidence)
        OF_TRY(of_report_spread(report, "confidence", "doubtful", info->confidence, info->labels,
                                info->samples, BINS, 0));
    of_points points = {.samples = info->samples,
                        .clusters = info->clusters,
                        .seed = info->seed,
                        .labels = info->labels,
                        .confidence = info->confidence};
    if (data) {
        points.classes = data->classes;
        points.truth = data->truth;
        points.names = data->sample_names;
    }
    return info->embedding ? of_report_points(report, &points) : ONEFOLD_OK;
}

/* ---- the page ------------------------------------------------------------------------------- */

static onefold_status write_report(of_report *report, of_json *summary, const char *path)
{
    OF_PAGE(page);
    const onefold_report *request = report->request;
    report->page = &page;
    OF_TRY(of_json_report(summary, request));
    OF_TRY(of_page_open(&page, report->context, path));
    of_json_put(report->extra, "{ title:o", request->name);
    if (request->result)
        OF_TRY(show_fit(report));
    const onefold_prediction *p = request->prediction;
    if (p && p->confidence)
        OF_TRY(of_report_spread(report, "confidence", "doubtful", p->confidence, p->labels,
                                request->samples, BINS, 0));
    if (p && p->distance)
        OF_TRY(of_report_spread(report, "distance", "farthest", p->distance, p->labels,
                                request->samples, 2 * BINS, 1));
    OF_TRY(of_report_origin(report));
    of_json_put(report->extra, "}");
    OF_TRY(of_page_summary(&page, summary, report->extra));
    return of_page_close(&page);
}

onefold_status onefold_report_write(const onefold_report *report, onefold_context *context,
                                    const char *path)
{
    onefold_report request = ONEFOLD_REPORT_INIT;
    OF_JSON(summary) = {.in_page = 1};
    OF_JSON(extra) = {.in_page = 1};
    if (!report)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_report_write needs a result, choice, experiment or prediction");
    OF_TRY(OF_STRUCT_READ(&request, report, onefold_report));
    int subjects = (request.result != NULL) + (request.choice != NULL) +
                   (request.experiment != NULL) + (request.prediction != NULL);
    if (subjects != 1)
        return of_fail(ONEFOLD_USAGE,
                       "a report is on one of a result, a choice, an experiment and a prediction, "
                       "not on %d",
                       subjects);
    size_t samples =
               request.result ? onefold_result_describe(request.result)->samples : request.samples,
           there = request.dataset ? onefold_dataset_describe(request.dataset)->samples : samples;
    if (there != samples && (request.result || request.prediction))
        return of_fail(ONEFOLD_USAGE, "the data set of a report has %zu samples, and its %s %zu",
                       there, request.result ? "result" : "prediction", samples);
    of_report under_way = {
        .context = of_context_or_default(context), .request = &request, .extra = &extra};
    return write_report(&under_way, &summary, path);
}
