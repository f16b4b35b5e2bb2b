/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a choice of the number of clusters, key by key. */
#include "report/json.h"

#include "base/status.h"
#include "report/json_build.h"

#ifdef ONEFOLD_WITH_JSON

static json_t *curve_array(const onefold_choose_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t c = 0; c < info->points; c++) {
        const onefold_choose_point *point = &info->point[c];
        json_t *object = json_object();
        failed |= of_json_put(object, "clusters", of_json_whole(point->clusters)) |
                  of_json_put(object, "clusters_used", of_json_whole(point->clusters_used)) |
                  of_json_put(object, "stability", of_json_real(point->stability)) |
                  of_json_put(object, "deviation", of_json_real(point->deviation)) |
                  of_json_put(object, "chance", of_json_real(point->chance)) |
                  of_json_put(object, "weakest", of_json_real(point->weakest)) |
                  of_json_put(object, "weakest_chance", of_json_real(point->weakest_chance)) |
                  of_json_put(object, "evidence", of_json_real(point->evidence)) |
                  of_json_put(object, "objective", of_json_real(point->objective)) |
                  of_json_put(object, "gaps", of_json_reals(point->gap, info->views)) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *views_array(const onefold_choose_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t v = 0; v < info->views; v++) {
        const onefold_view_fit *view = &info->view[v];
        json_t *object =
            of_json_view(view->name, view->columns, view->storage, view->kernel, view->base);
        failed |= of_json_put(object, "rank", of_json_whole(view->rank)) |
                  of_json_put(object, "gap_clusters", of_json_whole(info->gap_clusters[v])) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *reasons_array(const onefold_choose_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < info->reasons; i++)
        failed |= json_array_append_new(array, of_json_text(info->reason[i])) != 0;
    return of_json_keep(array, failed);
}

static json_t *seconds_object(const of_choose_report *report)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "read", of_json_real(report->seconds_read)) |
                 of_json_put(object, "base", of_json_real(report->info->seconds_base)) |
                 of_json_put(object, "curve", of_json_real(report->info->seconds_curve)) |
                 of_json_put(object, "total", of_json_real(report->seconds_total));
    return of_json_keep(object, failed);
}

onefold_status of_json_choose(FILE *out, const of_choose_report *report)
{
    const onefold_choose_info *info = report->info;
    json_t *object = json_object();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version())) |
                 of_json_put(object, "samples", of_json_whole(info->samples)) |
                 of_json_put(object, "views", views_array(info)) |
                 of_json_put(object, "subsamples", of_json_whole(report->options->subsamples)) |
                 of_json_put(object, "share", of_json_real(report->options->share)) |
                 of_json_put(object, "restarts", of_json_whole(report->restarts)) |
                 of_json_put(object, "seed", of_json_whole(report->seed)) |
                 of_json_put(object, "threads", of_json_whole((uint64_t)report->threads)) |
                 of_json_put(object, "curve_samples", of_json_whole(info->curve_samples)) |
                 of_json_put(object, "curve", curve_array(info)) |
                 of_json_put(object, "suggested",
                             info->suggested ? of_json_whole(info->suggested) : json_null()) |
                 of_json_put(object, "reasons", reasons_array(info));
    if (report->classes)
        failed |= of_json_put(object, "classes", of_json_whole(report->classes));
    failed |= of_json_put(object, "seconds", seconds_object(report)) |
              of_json_put(object, "peak_bytes", of_json_whole(report->peak_bytes));
    return of_json_write(out, object, failed);
}

#endif
