/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of what a fit would do and take, key by key. */
#include "report/json_build.h"

#include "base/status.h"

#ifdef ONEFOLD_WITH_JSON

static json_t *view_object(const onefold_estimate *estimate, size_t index)
{
    onefold_estimate_view_info view = ONEFOLD_ESTIMATE_VIEW_INFO_INIT;
    int failed = onefold_estimate_view(estimate, index, &view) != ONEFOLD_OK;
    json_t *object = of_json_view(view.name, view.columns, view.storage, view.kernel, view.route);
    if (view.route != ONEFOLD_ROUTE_NONE)
        failed |= of_json_put(object, "passes", of_json_whole(view.passes)) |
                  of_json_put(object, "seconds", of_json_real(view.seconds));
    if (view.landmarks)
        failed |= of_json_put(object, "landmarks", of_json_whole(view.landmarks));
    return of_json_keep(object, failed);
}

static json_t *bytes_object(const onefold_estimate_info *info, const onefold_json_extras *extras)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "input", of_json_whole(info->input_bytes)) |
                 of_json_put(object, "partitions", of_json_whole(info->partition_bytes)) |
                 of_json_put(object, "spilled", of_json_whole(info->spill_bytes)) |
                 of_json_put(object, "model", of_json_whole(info->model_bytes)) |
                 of_json_put(object, "peak", of_json_whole(info->peak_bytes));
    if (info->card_bytes)
        failed |= of_json_put(object, "card", of_json_whole(info->card_bytes));
    if (extras->free_bytes)
        failed |= of_json_put(object, "free", of_json_whole(extras->free_bytes));
    return of_json_keep(object, failed);
}

static json_t *seconds_object(const onefold_estimate_info *info, const onefold_json_extras *extras)
{
    json_t *object = json_object();
    double read = extras->seconds_read > 0 ? extras->seconds_read : 0;
    int failed = of_json_put_seconds(object, "read", extras->seconds_read) |
                 of_json_put(object, "prepare", of_json_real(info->seconds_prepare));
    if (info->has_time)
        failed |= of_json_put(object, "base", of_json_real(info->seconds_base)) |
                  of_json_put(object, "fit", of_json_real(info->seconds_fit)) |
                  of_json_put(object, "total", of_json_real(read + info->seconds));
    return of_json_keep(object, failed);
}

onefold_status onefold_estimate_json(char **text, const onefold_estimate *estimate,
                                     const onefold_json_extras *extras)
{
    onefold_estimate_info info = ONEFOLD_ESTIMATE_INFO_INIT;
    onefold_json_extras all;
    if (!text)
        return of_fail(ONEFOLD_USAGE, "onefold_estimate_json was given no place for the text");
    OF_TRY(onefold_estimate_describe(estimate, &info));
    OF_TRY(of_json_extras_copy(&all, extras));
    json_t *object = json_object(), *views = json_array();
    int failed = 0;
    for (size_t i = 0; i < info.views; i++)
        failed |= json_array_append_new(views, view_object(estimate, i)) != 0;
    failed |= of_json_put(object, "onefold", of_json_text(onefold_version())) |
              of_json_put(object, "dry_run", json_true()) |
              of_json_put(object, "method", of_json_text(info.method)) |
              of_json_put(object, "samples", of_json_whole(info.samples)) |
              of_json_put(object, "clusters", of_json_whole(info.clusters)) |
              of_json_put(object, "dims", of_json_whole(info.dims)) |
              of_json_put(object, "anchors", of_json_whole(info.anchors)) |
              of_json_put(object, "threads", of_json_whole((uint64_t)info.threads)) |
              of_json_put(object, "views", views) |
              of_json_put(object, "restarts", of_json_whole(info.restarts));
    if (info.iterations)
        failed |= of_json_put(object, "iterations", of_json_whole(info.iterations)) |
                  of_json_put(object, "passes", of_json_whole(info.passes));
    failed |= of_json_put(object, "bytes", bytes_object(&info, &all)) |
              of_json_put(object, "seconds", seconds_object(&info, &all));
    return of_json_give(text, object, failed);
}

#endif
