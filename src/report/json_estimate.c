/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of what a fit would do, key by key. */
#include "report/json.h"

#include "report/json_build.h"

#ifdef ONEFOLD_WITH_JSON

static json_t *views_array(const of_estimate_report *report)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t v = 0; v < report->views; v++) {
        const of_estimate_view *view = &report->view[v];
        json_t *object =
            of_json_view(view->name, view->columns, view->storage, view->kernel, view->base);
        if (view->base)
            failed |= of_json_put(object, "passes", of_json_whole(view->passes)) |
                      of_json_put(object, "seconds", of_json_real(view->seconds));
        if (view->landmarks)
            failed |= of_json_put(object, "landmarks", of_json_whole(view->landmarks));
        failed |= json_array_append_new(array, object) != 0;
    }
    return of_json_keep(array, failed);
}

static json_t *bytes_object(const of_estimate_report *report)
{
    json_t *object = json_object();
    const onefold_cost *cost = report->estimate;
    int failed = of_json_put(object, "input", of_json_whole(cost->input_bytes)) |
                 of_json_put(object, "partitions", of_json_whole(cost->partition_bytes)) |
                 of_json_put(object, "spilled", of_json_whole(cost->spill_bytes)) |
                 of_json_put(object, "model", of_json_whole(cost->model_bytes)) |
                 of_json_put(object, "peak", of_json_whole(cost->peak_bytes)) |
                 of_json_put(object, "free", of_json_whole(report->free_bytes));
    return of_json_keep(object, failed);
}

static json_t *seconds_object(const of_estimate_report *report)
{
    json_t *object = json_object();
    double work = report->seconds_base + report->seconds_fit;
    int failed = of_json_put(object, "read", of_json_real(report->seconds_read)) |
                 of_json_put(object, "prepare", of_json_real(report->seconds_prepare));
    if (work > 0)
        failed |= of_json_put(object, "base", of_json_real(report->seconds_base)) |
                  of_json_put(object, "fit", of_json_real(report->seconds_fit)) |
                  of_json_put(object, "total",
                              of_json_real(report->seconds_read + report->seconds_prepare + work));
    return of_json_keep(object, failed);
}

onefold_status of_json_estimate(FILE *out, const of_estimate_report *report)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version())) |
                 of_json_put(object, "dry_run", json_true()) |
                 of_json_put(object, "method", of_json_text(report->method)) |
                 of_json_put(object, "samples", of_json_whole(report->samples)) |
                 of_json_put(object, "clusters", of_json_whole(report->clusters)) |
                 of_json_put(object, "dims", of_json_whole(report->dims)) |
                 of_json_put(object, "anchors", of_json_whole(report->anchors)) |
                 of_json_put(object, "threads", of_json_whole((uint64_t)report->threads)) |
                 of_json_put(object, "views", views_array(report)) |
                 of_json_put(object, "restarts", of_json_whole(report->restarts));
    if (report->iterations)
        failed |= of_json_put(object, "iterations", of_json_whole(report->iterations)) |
                  of_json_put(object, "passes", of_json_whole(report->passes));
    failed |= of_json_put(object, "bytes", bytes_object(report)) |
              of_json_put(object, "seconds", seconds_object(report));
    return of_json_write(out, object, failed);
}

#endif
