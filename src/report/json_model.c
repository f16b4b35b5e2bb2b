/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a model, of a prediction and of a data set, key by key. */
#include "base/memory.h"
#include "base/structs.h"
#include "report/json_build.h"

/* ---- a model -------------------------------------------------------------------------------- */

#ifdef ONEFOLD_WITH_JSON

static json_t *view_object(const onefold_model_view_info *view)
{
    json_t *object = json_object();
    int failed =
        of_json_put(object, "name", of_json_text(view->name)) |
        of_json_put(object, "storage",
                    of_json_text(onefold_name(ONEFOLD_NAMES_STORAGE, view->storage))) |
        of_json_put(object, "columns", of_json_whole(view->columns)) |
        of_json_put(object, "kept_columns", of_json_whole(view->kept_columns)) |
        of_json_put(object, "prep", of_json_text(onefold_name(ONEFOLD_NAMES_PREP, view->prep))) |
        of_json_put(object, "kernel", of_json_text(view->kernel)) |
        of_json_put(object, "base", of_json_text(onefold_name(ONEFOLD_NAMES_ROUTE, view->route))) |
        of_json_put(object, "rank", of_json_whole(view->rank)) |
        of_json_put(object, "points", of_json_whole(view->points)) |
        of_json_put(object, "holds_samples", json_boolean(view->holds_samples)) |
        of_json_put(object, "weight", of_json_real(view->weight)) |
        of_json_put(object, "bytes", of_json_whole(view->bytes));
    return of_json_keep(object, failed);
}

onefold_status of_json_model(json_t **made, const onefold_report *asked)
{
    const onefold_model_info *info = onefold_model_describe(asked->model);
    json_t *object = json_object(), *views = json_array();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version()));
    for (size_t i = 0; i < info->views; i++)
        failed |= json_array_append_new(views, view_object(info->view[i])) != 0;
    if (asked->model_path)
        failed |= of_json_put(object, "model", of_json_text(asked->model_path));
    failed |= of_json_put(object, "made_by", of_json_text(info->version)) |
              of_json_put(object, "samples", of_json_whole(info->samples)) |
              of_json_put(object, "clusters", of_json_whole(info->clusters)) |
              of_json_put(object, "dims", of_json_whole(info->dims)) |
              of_json_put(object, "seed", of_json_whole(info->seed)) |
              (*info->run ? of_json_put(object, "run", of_json_text(info->run)) : 0) |
              of_json_put(object, "precision",
                          of_json_text(onefold_name(ONEFOLD_NAMES_PRECISION, info->precision))) |
              of_json_put(object, "impute",
                          of_json_text(onefold_name(ONEFOLD_NAMES_IMPUTE, info->impute))) |
              of_json_put(object, "views", views) |
              of_json_put(object, "holds_samples", json_boolean(info->holds_samples)) |
              of_json_put(object, "distance_mean", of_json_real(info->distance_mean)) |
              of_json_put(object, "distance_most", of_json_real(info->distance_most)) |
              of_json_put(object, "bytes", of_json_whole(info->bytes));
    return of_json_made(made, object, failed);
}

/* ---- predictions ---------------------------------------------------------------------------- */

static json_t *training_object(const onefold_model_info *info)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "samples", of_json_whole(info->samples)) |
                 of_json_put(object, "distance_mean", of_json_real(info->distance_mean)) |
                 of_json_put(object, "distance_most", of_json_real(info->distance_most)) |
                 (*info->run ? of_json_put(object, "run", of_json_text(info->run)) : 0);
    return of_json_keep(object, failed);
}

/* How large the clusters are, and how many samples are further away than any training sample. */
static int put_counts(json_t *object, const onefold_model_info *info,
                      const onefold_prediction *prediction, size_t samples)
{
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    size_t *sizes, far = 0;
    if (OF_NEW_ZERO(&scratch, &sizes, info->clusters, 1) != ONEFOLD_OK)
        return 1;
    for (size_t j = 0; j < samples; j++) {
        sizes[prediction->labels[j]]++;
        far += prediction->distance && prediction->distance[j] > info->distance_most;
    }
    int failed = prediction->distance && of_json_put(object, "far", of_json_whole(far));
    return failed | of_json_put(object, "sizes", of_json_sizes(sizes, info->clusters));
}

static json_t *seconds_object(const onefold_report *asked)
{
    json_t *object = json_object();
    int failed = of_json_put_seconds(object, "read", asked->seconds_read) |
                 of_json_put_seconds(object, "predict", asked->seconds_predict) |
                 of_json_put_seconds(object, "total", asked->seconds_total);
    return of_json_keep(object, failed);
}

onefold_status of_json_prediction(json_t **made, const onefold_report *asked)
{
    onefold_prediction all = ONEFOLD_PREDICTION_INIT;
    const onefold_model_info *info = onefold_model_describe(asked->model);
    size_t samples = asked->samples;
    OF_TRY(OF_STRUCT_READ(&all, asked->prediction, onefold_prediction));
    if (!all.labels)
        return of_fail(ONEFOLD_USAGE, "the prediction has no labels");
    json_t *object = json_object();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version()));
    if (asked->model_path)
        failed |= of_json_put(object, "model", of_json_text(asked->model_path));
    failed |= of_json_put(object, "samples", of_json_whole(samples)) |
              of_json_put(object, "clusters", of_json_whole(info->clusters));
    if (asked->threads)
        failed |= of_json_put(object, "threads", of_json_whole((uint64_t)asked->threads));
    failed |= of_json_put(object, "training", training_object(info)) |
              of_json_put(object, "labels", of_json_labels(all.labels, samples, info->clusters)) |
              of_json_put_names(object, asked->dataset, samples);
    if (all.confidence)
        failed |= of_json_put(object, "confidence", of_json_reals(all.confidence, samples));
    if (all.distance)
        failed |= of_json_put(object, "distance", of_json_reals(all.distance, samples));
    failed |= put_counts(object, info, &all, samples);
    if (asked->scores)
        failed |= of_json_put(object, "scores", of_json_scores_object(asked->scores));
    failed |= of_json_put(object, "seconds", seconds_object(asked));
    if (asked->peak_bytes)
        failed |= of_json_put(object, "peak_bytes", of_json_whole(asked->peak_bytes));
    return of_json_made(made, object, failed);
}

/* ---- a data set ----------------------------------------------------------------------------- */

static json_t *data_view_object(const onefold_dataset *dataset, size_t index)
{
    onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
    const char *kernel = NULL, *reason = NULL;
    json_t *object = json_object();
    int failed = onefold_dataset_view(dataset, index, &view) != ONEFOLD_OK ||
                 onefold_dataset_kernel(dataset, index, &kernel, &reason) != ONEFOLD_OK;
    double entries = (double)onefold_dataset_describe(dataset)->samples * (double)view.columns;
    failed |=
        of_json_put(object, "name", of_json_text(view.name)) |
        of_json_put(object, "storage",
                    of_json_text(onefold_name(ONEFOLD_NAMES_STORAGE, view.storage))) |
        of_json_put(object, "type", of_json_text(onefold_name(ONEFOLD_NAMES_TYPE, view.type))) |
        of_json_put(object, "columns", of_json_whole(view.columns)) |
        of_json_put(object, "nonzeros", of_json_whole(view.nonzeros)) |
        of_json_put(object, "density",
                    of_json_real(entries > 0 ? (double)view.nonzeros / entries : 0)) |
        of_json_put(object, "bytes", of_json_whole(view.bytes)) |
        of_json_put(object, "missing", of_json_whole(view.missing)) |
        of_json_put(object, "kernel", of_json_text(kernel)) |
        of_json_put(object, "reason", of_json_text(reason));
    return of_json_keep(object, failed);
}

static json_t *classes_array(const onefold_dataset *dataset)
{
    json_t *array = json_array();
    const int32_t *truth = onefold_dataset_describe(dataset)->truth;
    size_t count = onefold_dataset_describe(dataset)->classes, *size;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    int failed = OF_NEW_ZERO(&scratch, &size, count, 1) != ONEFOLD_OK;
    for (size_t j = 0; !failed && truth && j < onefold_dataset_describe(dataset)->samples; j++)
        size[truth[j]]++;
    for (size_t c = 0; !failed && c < count; c++) {
        json_t *object = json_object();
        failed |= of_json_put(object, "name",
                              of_json_text(onefold_dataset_describe(dataset)->class_names[c])) |
                  of_json_put(object, "samples", of_json_whole(size[c])) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *estimate_object(const onefold_estimate *estimate)
{
    const onefold_estimate_info *info = onefold_estimate_describe(estimate);
    json_t *object = json_object();
    int failed = of_json_put(object, "clusters", of_json_whole(info->clusters)) |
                 of_json_put(object, "input_bytes", of_json_whole(info->input_bytes)) |
                 of_json_put(object, "partition_bytes", of_json_whole(info->partition_bytes)) |
                 of_json_put(object, "peak_bytes", of_json_whole(info->peak_bytes)) |
                 of_json_put(object, "seconds", of_json_real(info->seconds));
    return of_json_keep(object, failed);
}

onefold_status of_json_dataset(json_t **made, const onefold_report *asked)
{
    const onefold_dataset *dataset = asked->dataset;
    json_t *object = json_object(), *files = json_array(), *notes = json_array(),
           *views = json_array();
    int failed = 0;
    for (size_t i = 0; i < asked->path_count; i++)
        failed |= json_array_append_new(files, of_json_text(asked->paths[i])) != 0;
    for (size_t i = 0; i < onefold_dataset_describe(dataset)->notes; i++)
        failed |= json_array_append_new(
                      notes, of_json_text(onefold_dataset_describe(dataset)->note[i])) != 0;
    for (size_t i = 0; i < onefold_dataset_describe(dataset)->views; i++)
        failed |= json_array_append_new(views, data_view_object(dataset, i)) != 0;
    failed |=
        of_json_put(object, "onefold", of_json_text(onefold_version())) |
        of_json_put(object, "files", files) |
        of_json_put(object, "samples", of_json_whole(onefold_dataset_describe(dataset)->samples)) |
        of_json_put(object, "views", views) |
        of_json_put(object, "classes", classes_array(dataset)) |
        of_json_put(object, "notes", notes);
    if (asked->estimate)
        failed |= of_json_put(object, "estimate", estimate_object(asked->estimate));
    if (asked->free_bytes)
        failed |= of_json_put(object, "free_bytes", of_json_whole(asked->free_bytes));
    return of_json_made(made, object, failed);
}

#endif
