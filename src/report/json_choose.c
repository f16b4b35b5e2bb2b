/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a choice of the number of clusters, key by key. */
#include "report/json_build.h"

#include "base/status.h"

#ifdef ONEFOLD_WITH_JSON

static json_t *curve_array(const onefold_choice *choice, const onefold_choose_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t c = 0; c < info->points; c++) {
        onefold_choose_point point = ONEFOLD_CHOOSE_POINT_INIT;
        json_t *object = json_object();
        failed |= (onefold_choice_point(choice, c, &point) != ONEFOLD_OK) |
                  of_json_put(object, "clusters", of_json_whole(point.clusters)) |
                  of_json_put(object, "clusters_used", of_json_whole(point.clusters_used)) |
                  of_json_put(object, "stability", of_json_real(point.stability)) |
                  of_json_put(object, "deviation", of_json_real(point.deviation)) |
                  of_json_put(object, "chance", of_json_real(point.chance)) |
                  of_json_put(object, "weakest", of_json_real(point.weakest)) |
                  of_json_put(object, "weakest_chance", of_json_real(point.weakest_chance)) |
                  of_json_put(object, "evidence", of_json_real(point.evidence)) |
                  of_json_put(object, "objective", of_json_real(point.objective)) |
                  of_json_put(object, "gaps", of_json_reals(point.gap, info->views)) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *views_array(const onefold_choice *choice, const onefold_choose_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t v = 0; v < info->views; v++) {
        onefold_view_fit view = ONEFOLD_VIEW_FIT_INIT;
        failed |= onefold_choice_view(choice, v, &view) != ONEFOLD_OK;
        json_t *object =
            of_json_view(view.name, view.columns, view.storage, view.kernel, view.route);
        failed |= of_json_put(object, "rank", of_json_whole(view.rank)) |
                  of_json_put(object, "gap_clusters", of_json_whole(info->gap_clusters[v])) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *reasons_array(const onefold_choice *choice, const onefold_choose_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < info->reasons; i++)
        failed |= json_array_append_new(array, of_json_text(onefold_choice_reason(choice, i))) != 0;
    return of_json_keep(array, failed);
}

static json_t *seconds_object(const onefold_choose_info *info, const onefold_json_extras *extras)
{
    json_t *object = json_object();
    int failed = of_json_put_seconds(object, "read", extras->seconds_read) |
                 of_json_put(object, "base", of_json_real(info->seconds_base)) |
                 of_json_put(object, "curve", of_json_real(info->seconds_curve)) |
                 of_json_put_seconds(object, "total", extras->seconds_total);
    return of_json_keep(object, failed);
}

onefold_status of_json_choice(json_t **made, const onefold_choice *choice,
                              const onefold_json_extras *extras)
{
    onefold_choose_info info = ONEFOLD_CHOOSE_INFO_INIT;
    onefold_json_extras all;
    OF_TRY(onefold_choice_describe(choice, &info));
    OF_TRY(of_json_extras_copy(&all, extras));
    json_t *object = json_object();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version())) |
                 of_json_put(object, "samples", of_json_whole(info.samples)) |
                 of_json_put(object, "views", views_array(choice, &info)) |
                 of_json_put(object, "method", of_json_text(info.method)) |
                 of_json_put(object, "subsamples", of_json_whole(info.subsamples)) |
                 of_json_put(object, "share", of_json_real(info.share)) |
                 of_json_put(object, "restarts", of_json_whole(info.restarts)) |
                 of_json_put(object, "seed", of_json_whole(info.seed)) |
                 of_json_put(object, "threads", of_json_whole((uint64_t)info.threads)) |
                 of_json_put(object, "curve_samples", of_json_whole(info.curve_samples)) |
                 of_json_put(object, "curve", curve_array(choice, &info)) |
                 of_json_put(object, "suggested",
                             info.suggested ? of_json_whole(info.suggested) : json_null()) |
                 of_json_put(object, "reasons", reasons_array(choice, &info));
    if (info.classes)
        failed |= of_json_put(object, "classes", of_json_whole(info.classes));
    failed |= of_json_put(object, "seconds", seconds_object(&info, &all));
    if (all.peak_bytes)
        failed |= of_json_put(object, "peak_bytes", of_json_whole(all.peak_bytes));
    return of_json_made(made, object, failed);
}

onefold_status onefold_choice_json(char **text, const onefold_choice *choice,
                                   const onefold_json_extras *extras)
{
    json_t *object;
    if (!text)
        return of_fail(ONEFOLD_USAGE, "onefold_choice_json was given no place for the text");
    OF_TRY(of_json_choice(&object, choice, extras));
    return of_json_give(text, object, 0);
}

#endif
