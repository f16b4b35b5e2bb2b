/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a model and of a prediction, key by key. */
#include "report/json.h"

#include "base/status.h"
#include "report/json_build.h"

#ifdef ONEFOLD_WITH_JSON

static json_t *views_array(const onefold_model_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t v = 0; v < info->views; v++) {
        const onefold_model_view *view = &info->view[v];
        json_t *object = json_object();
        failed |= of_json_put(object, "name", of_json_text(view->name)) |
                  of_json_put(object, "storage", of_json_text(view->storage)) |
                  of_json_put(object, "columns", of_json_whole(view->columns)) |
                  of_json_put(object, "kept_columns", of_json_whole(view->kept_columns)) |
                  of_json_put(object, "prep", of_json_text(view->prep)) |
                  of_json_put(object, "kernel", of_json_text(view->kernel)) |
                  of_json_put(object, "base", of_json_text(view->base)) |
                  of_json_put(object, "rank", of_json_whole(view->rank)) |
                  of_json_put(object, "points", of_json_whole(view->points)) |
                  of_json_put(object, "holds_samples", json_boolean(view->holds_samples)) |
                  of_json_put(object, "weight", of_json_real(view->weight)) |
                  of_json_put(object, "bytes", of_json_whole(view->bytes)) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

onefold_status of_json_model(FILE *out, const char *path, const onefold_model_info *info)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version())) |
                 of_json_put(object, "model", of_json_text(path)) |
                 of_json_put(object, "made_by", of_json_text(info->version)) |
                 of_json_put(object, "samples", of_json_whole(info->samples)) |
                 of_json_put(object, "clusters", of_json_whole(info->clusters)) |
                 of_json_put(object, "dims", of_json_whole(info->dims)) |
                 of_json_put(object, "seed", of_json_whole(info->seed)) |
                 of_json_put(object, "precision", of_json_text(info->precision)) |
                 of_json_put(object, "impute", of_json_text(info->impute)) |
                 of_json_put(object, "views", views_array(info)) |
                 of_json_put(object, "holds_samples", json_boolean(info->holds_samples)) |
                 of_json_put(object, "distance_mean", of_json_real(info->distance_mean)) |
                 of_json_put(object, "distance_most", of_json_real(info->distance_most)) |
                 of_json_put(object, "bytes", of_json_whole(info->bytes));
    return of_json_write(out, object, failed);
}

static json_t *training_object(const onefold_model_info *info)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "samples", of_json_whole(info->samples)) |
                 of_json_put(object, "distance_mean", of_json_real(info->distance_mean)) |
                 of_json_put(object, "distance_most", of_json_real(info->distance_most));
    return of_json_keep(object, failed);
}

static json_t *seconds_object(const of_predict_report *report)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "read", of_json_real(report->seconds_read)) |
                 of_json_put(object, "predict", of_json_real(report->seconds_predict)) |
                 of_json_put(object, "total", of_json_real(report->seconds_total));
    return of_json_keep(object, failed);
}

onefold_status of_json_predict(FILE *out, const of_predict_report *report)
{
    const onefold_model_info *info = report->info;
    json_t *object = json_object();
    int failed =
        of_json_put(object, "onefold", of_json_text(onefold_version())) |
        of_json_put(object, "model", of_json_text(report->model)) |
        of_json_put(object, "samples", of_json_whole(report->samples)) |
        of_json_put(object, "clusters", of_json_whole(info->clusters)) |
        of_json_put(object, "threads", of_json_whole((uint64_t)report->threads)) |
        of_json_put(object, "training", training_object(info)) |
        of_json_put(object, "labels",
                    of_json_labels(report->labels, report->samples, info->clusters)) |
        of_json_put(object, "confidence", of_json_reals(report->confidence, report->samples)) |
        of_json_put(object, "distance", of_json_reals(report->distance, report->samples)) |
        of_json_put(object, "far", of_json_whole(report->far)) |
        of_json_put(object, "sizes", of_json_sizes(report->sizes, info->clusters));
    if (report->scores)
        failed |= of_json_put(object, "scores", of_json_scores_object(report->scores));
    failed |= of_json_put(object, "seconds", seconds_object(report)) |
              of_json_put(object, "peak_bytes", of_json_whole(report->peak_bytes));
    return of_json_write(out, object, failed);
}

#endif
