/* SPDX-License-Identifier: Apache-2.0 */
/* onefold_report_write: the JSON that the command prints, what the page shows besides, and the page
 * around both. */
#include "report/report.h"

#include "base/structs.h"

#include <stdlib.h>
#include <string.h>

#ifndef ONEFOLD_WITH_JSON

onefold_status onefold_report_write(const onefold_report *report, onefold_context *context,
                                    const char *path)
{
    (void)report, (void)context, (void)path;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "reports are not in this build"),
                   "build with -DONEFOLD_WITH_JSON=ON, or leave out `report`");
}

#else

void of_report_put(of_report *report, const char *key, json_t *value)
{
    report->failed |= of_json_put(report->extra, key, value);
}

/* The command's JSON, and the word for what it is of. */
static onefold_status data_of(const onefold_report *asked, json_t **data, const char **kind)
{
    if (asked->result) {
        *kind = "fit";
        return of_json_result(data, asked->result, asked->extras);
    }
    if (asked->choice) {
        *kind = "choose";
        return of_json_choice(data, asked->choice, asked->extras);
    }
    if (asked->experiment) {
        *kind = "bench";
        return of_json_experiment(data, asked->experiment, asked->extras);
    }
    *kind = "predict";
    return of_json_prediction(data, asked->model, asked->prediction, asked->predicted,
                              asked->extras);
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
    if (asked->extras && asked->extras->name)
        of_report_put(report, "title", of_json_text(asked->extras->name));
    if (asked->result)
        OF_TRY(of_report_fit(report));
    else if (asked->prediction)
        OF_TRY(of_report_predict(report));
    return of_report_origin(report);
}

static onefold_status write_report(of_report *report, const char *path)
{
    OF_PAGE(page);
    json_t *data;
    const char *kind;
    report->page = &page;
    OF_TRY(data_of(report->asked, &data, &kind));
    leave_out_samples(data);
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
    onefold_fit_info info = ONEFOLD_FIT_INFO_INIT;
    if (!asked->dataset || (!asked->result && !asked->prediction))
        return ONEFOLD_OK;
    if (asked->result)
        OF_TRY(onefold_result_describe(asked->result, &info));
    size_t samples = asked->result ? info.samples : asked->predicted;
    if (onefold_dataset_samples(asked->dataset) != samples)
        return of_fail(ONEFOLD_USAGE, "the data set of a report has %zu samples, and its %s %zu",
                       onefold_dataset_samples(asked->dataset),
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

#endif
