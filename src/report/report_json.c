/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of everything that has one, key by key: onefold_report_json. An experiment's is in
 * bench_json.c. */
#include "base/memory.h"
#include "base/status.h"
#include "base/structs.h"
#include "report/json_build.h"

#ifdef ONEFOLD_WITH_JSON
#include <stdlib.h>

/* ---- a fit, and scores ---------------------------------------------------------------------- */

static json_t *scores_object(const onefold_scores *scores)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "acc", of_json_real(scores->acc)) |
                 of_json_put(object, "nmi", of_json_real(scores->nmi)) |
                 of_json_put(object, "nmi_max", of_json_real(scores->nmi_max)) |
                 of_json_put(object, "nmi_sum", of_json_real(scores->nmi_sum)) |
                 of_json_put(object, "nmi_sqrt", of_json_real(scores->nmi_sqrt)) |
                 of_json_put(object, "purity", of_json_real(scores->purity)) |
                 of_json_put(object, "ari", of_json_real(scores->ari)) |
                 of_json_put(object, "f", of_json_real(scores->f)) |
                 of_json_put(object, "precision", of_json_real(scores->precision)) |
                 of_json_put(object, "recall", of_json_real(scores->recall)) |
                 of_json_put(object, "clusters", of_json_whole(scores->clusters)) |
                 of_json_put(object, "classes", of_json_whole(scores->classes));
    return of_json_keep(object, failed);
}

/* What every text says of a view; the caller adds the rest. */
static json_t *common_view_object(const char *name, size_t columns, onefold_storage storage,
                                  const char *kernel, onefold_route route)
{
    const char *base =
        route == ONEFOLD_ROUTE_NONE ? NULL : onefold_name(ONEFOLD_NAMES_ROUTE, route);
    json_t *object = json_object();
    int failed =
        of_json_put(object, "name", of_json_text(name)) |
        of_json_put(object, "columns", of_json_whole(columns)) |
        of_json_put(object, "storage", of_json_text(onefold_name(ONEFOLD_NAMES_STORAGE, storage))) |
        of_json_put(object, "kernel", of_json_text(kernel)) |
        of_json_put(object, "base", of_json_text(base));
    return of_json_keep(object, failed);
}

static json_t *views_array(const onefold_fit_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t v = 0; v < info->views; v++) {
        const onefold_view_fit *view = info->view[v];
        json_t *object =
            common_view_object(view->name, view->columns, view->storage, view->kernel, view->route);
        failed |= of_json_put(object, "weight", of_json_real(view->weight)) |
                  of_json_put(object, "agreement",
                              info->agreement ? of_json_real(info->agreement[v]) : json_null()) |
                  of_json_put(object, "rank", of_json_whole(view->rank)) |
                  of_json_put(object, "residual", of_json_real(view->residual)) |
                  (view->missing && of_json_put(object, "missing", of_json_whole(view->missing))) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

/* rows x columns numbers, a column contiguous, as an array of columns. */
static json_t *columns_array(const double *numbers, size_t rows, size_t columns)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t c = 0; c < columns; c++)
        failed |= json_array_append_new(array, of_json_reals(numbers + c * rows, rows)) != 0;
    return of_json_keep(array, failed);
}

/* {"views": p x p, "clusters": per cluster, p} */
static json_t *agreement_object(const onefold_fit_info *info)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "views",
                             columns_array(info->view_agreement, info->views, info->views)) |
                 of_json_put(object, "clusters",
                             columns_array(info->cluster_agreement, info->views, info->clusters));
    return of_json_keep(object, failed);
}

/* The columns of a view that set a cluster apart: {"view", "columns": [{"name", "index",
 * "strength"}]}. */
static json_t *columns_object(const onefold_result *result, const char *name, size_t view,
                              size_t cluster)
{
    json_t *object = json_object(), *array = json_array();
    int failed = of_json_put(object, "view", of_json_text(name));
    const onefold_column *column;
    for (size_t r = 0; (column = onefold_result_column(result, view, cluster, r)); r++) {
        json_t *one = json_object();
        failed |= of_json_put(one, "name", of_json_text(column->name)) |
                  of_json_put(one, "index", of_json_whole(column->index)) |
                  of_json_put(one, "strength", of_json_real(column->strength)) |
                  (json_array_append_new(array, one) != 0);
    }
    failed |= of_json_put(object, "columns", array);
    return of_json_keep(object, failed);
}

/* Per cluster, a list of the views whose columns have names. */
static json_t *explain_array(const onefold_result *result, const onefold_fit_info *info)
{
    json_t *clusters = json_array();
    int failed = 0;
    for (size_t c = 0; c < info->clusters; c++) {
        json_t *views = json_array();
        for (size_t v = 0; v < info->views; v++) {
            const onefold_view_fit *view = info->view[v];
            if (view->named)
                failed |=
                    json_array_append_new(views, columns_object(result, view->name, v, c)) != 0;
        }
        failed |= json_array_append_new(clusters, views) != 0;
    }
    return of_json_keep(clusters, failed);
}

/* Every labelling: {"name", "rows", "partitions", "agreement", "told", "entropy", "chance",
 * "score", "eligible", "chosen"}. */
static json_t *candidates_array(const onefold_fit_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < info->candidates; i++) {
        json_t *object = json_object();
        const onefold_candidate *one = info->candidate[i];
        failed |= of_json_put(object, "name", of_json_text(one->name)) |
                  of_json_put(object, "rows", of_json_whole(one->rows)) |
                  of_json_put(object, "partitions", of_json_whole(one->partitions)) |
                  of_json_put(object, "agreement", of_json_real(one->agreement)) |
                  of_json_put(object, "told", of_json_real(one->told)) |
                  of_json_put(object, "entropy", of_json_real(one->entropy)) |
                  of_json_put(object, "chance", of_json_real(one->chance)) |
                  of_json_put(object, "score", of_json_real(one->score)) |
                  of_json_put(object, "eligible", json_boolean(one->eligible)) |
                  of_json_put(object, "chosen", json_boolean(one->chosen)) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

/* Every restart: {"objective", "iterations", "clusters_used"}. */
static json_t *runs_array(const onefold_fit_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t r = 0; info->restart_objective && r < info->restarts; r++) {
        json_t *object = json_object();
        failed |= of_json_put(object, "objective", of_json_real(info->restart_objective[r]));
        if (info->restart_iterations)
            failed |= of_json_put(object, "iterations", of_json_whole(info->restart_iterations[r]));
        if (info->restart_clusters_used)
            failed |=
                of_json_put(object, "clusters_used", of_json_whole(info->restart_clusters_used[r]));
        failed |= json_array_append_new(array, object) != 0;
    }
    return of_json_keep(array, failed);
}

/* The runs behind labels that come from a fit. */
static int put_runs(json_t *object, const onefold_fit_info *info)
{
    return of_json_put(object, "restarts", of_json_whole(info->restarts)) |
           of_json_put(object, "best_restart", of_json_whole(info->best_restart)) |
           of_json_put(object, "iterations", of_json_whole(info->iterations)) |
           of_json_put(object, "converged", json_boolean(info->converged)) |
           of_json_put(object, "objective", of_json_real(info->objective)) |
           of_json_put(object, "trace", of_json_reals(info->trace, info->iterations)) |
           of_json_put(object, "runs", runs_array(info));
}

static json_t *seconds_object(const onefold_fit_info *info, const onefold_report *asked)
{
    json_t *object = json_object();
    int failed = of_json_put_seconds(object, "read", asked->seconds_read) |
                 of_json_put(object, "base", of_json_real(info->seconds_base)) |
                 of_json_put(object, "fit", of_json_real(info->seconds_fit)) |
                 of_json_put_seconds(object, "total", asked->seconds_total);
    return of_json_keep(object, failed);
}

static json_t *model_object(const onefold_model *model, const char *path)
{
    json_t *object = json_object();
    int failed = 0;
    const onefold_model_info *info = onefold_model_describe(model);
    if (path)
        failed |= of_json_put(object, "file", of_json_text(path));
    failed |= of_json_put(object, "bytes", of_json_whole(info->bytes)) |
              of_json_put(object, "holds_samples", json_boolean(info->holds_samples));
    return of_json_keep(object, failed);
}

/* object["sample_names"], where the data set has them and as many samples; returns non-zero where
 * that could not be made. */
static int put_names(json_t *object, const onefold_dataset *dataset, size_t samples)
{
    const onefold_dataset_info *info = onefold_dataset_describe(dataset);
    if (!info || info->samples != samples || !info->sample_names)
        return 0;
    json_t *names = json_array();
    int failed = 0;
    for (size_t j = 0; j < samples; j++)
        failed |= json_array_append_new(names, of_json_text(info->sample_names[j])) != 0;
    return of_json_put(object, "sample_names", of_json_keep(names, failed));
}

/* What the result says of why, and what was asked for besides. */
static int put_details(json_t *object, const onefold_result *result, const onefold_fit_info *info,
                       const onefold_report *asked)
{
    int failed = put_names(object, asked->dataset, info->samples);
    if (info->agreement)
        failed |= of_json_put(object, "agreement", agreement_object(info));
    if (info->confidence)
        failed |= of_json_put(object, "confidence", of_json_reals(info->confidence, info->samples));
    if (info->view_parts)
        failed |= of_json_put(object, "view_parts",
                              columns_array(info->view_parts, info->views, info->samples));
    if (info->explained)
        failed |= of_json_put(object, "explain", explain_array(result, info));
    if (asked->scores)
        failed |= of_json_put(object, "scores", scores_object(asked->scores));
    if (info->candidates)
        failed |= of_json_put(object, "candidates", candidates_array(info));
    if (*info->note)
        failed |= of_json_put(object, "note", of_json_text(info->note));
    if (info->model)
        failed |= of_json_put(object, "model", model_object(info->model, asked->model_path));
    return failed;
}

static onefold_status result_json(json_t **made, const onefold_report *asked)
{
    const onefold_result *result = asked->result;
    const onefold_fit_info *info = onefold_result_describe(result);
    json_t *object = json_object();
    int failed =
        of_json_put(object, "onefold", of_json_text(onefold_version())) |
        of_json_put(object, "method", of_json_text(info->method)) |
        of_json_put(object, "samples", of_json_whole(info->samples)) |
        of_json_put(object, "clusters", of_json_whole(info->clusters)) |
        of_json_put(object, "clusters_used", of_json_whole(info->clusters_used)) |
        of_json_put(object, "dims", of_json_whole(info->dims)) |
        of_json_put(object, "anchors", of_json_whole(info->anchors)) |
        of_json_put(object, "seed", of_json_whole(info->seed)) |
        of_json_put(object, "run", of_json_text(info->run)) |
        of_json_put(object, "threads", of_json_whole((uint64_t)info->threads)) |
        of_json_put(object, "views", views_array(info)) |
        (info->restarts && put_runs(object, info)) |
        of_json_put(object, "labels", of_json_labels(info->labels, info->samples, info->clusters)) |
        of_json_put(object, "sizes", of_json_sizes(info->sizes, info->clusters)) |
        put_details(object, result, info, asked) |
        of_json_put(object, "seconds", seconds_object(info, asked));
    if (asked->peak_bytes)
        failed |= of_json_put(object, "peak_bytes", of_json_whole(asked->peak_bytes));
    return of_json_made(made, object, failed);
}

static onefold_status scores_json(json_t **made, const onefold_report *asked)
{
    onefold_scores all = ONEFOLD_SCORES_INIT;
    OF_TRY(OF_STRUCT_READ(&all, asked->scores, onefold_scores));
    json_t *object = json_object();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version())) |
                 of_json_put(object, "samples", of_json_whole(asked->samples)) |
                 of_json_put(object, "clusters", of_json_whole(all.clusters)) |
                 of_json_put(object, "classes", of_json_whole(all.classes)) |
                 of_json_put(object, "scores", scores_object(&all));
    return of_json_made(made, object, failed);
}

/* ---- a choice of the number of clusters ----------------------------------------------------- */

static json_t *curve_array(const onefold_choose_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t c = 0; c < info->points; c++) {
        const onefold_choose_point *point = info->point[c];
        json_t *object = json_object();
        failed |= of_json_put(object, "clusters", of_json_whole(point->clusters)) |
                  of_json_put(object, "clusters_used", of_json_whole(point->clusters_used)) |
                  of_json_put(object, "agreement", of_json_real(point->agreement)) |
                  of_json_put(object, "told", of_json_real(point->told)) |
                  of_json_put(object, "chance", of_json_real(point->chance)) |
                  of_json_put(object, "evidence", of_json_real(point->evidence)) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *choice_views_array(const onefold_choose_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t v = 0; v < info->views; v++) {
        const onefold_view_fit *view = info->view[v];
        json_t *object =
            common_view_object(view->name, view->columns, view->storage, view->kernel, view->route);
        failed |= json_array_append_new(array, object) != 0;
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

static json_t *choice_seconds_object(const onefold_choose_info *info, const onefold_report *asked)
{
    json_t *object = json_object();
    int failed = of_json_put_seconds(object, "read", asked->seconds_read) |
                 of_json_put(object, "curve", of_json_real(info->seconds_curve)) |
                 of_json_put_seconds(object, "total", asked->seconds_total);
    return of_json_keep(object, failed);
}

static onefold_status choice_json(json_t **made, const onefold_report *asked)
{
    const onefold_choose_info *info = onefold_choice_describe(asked->choice);
    json_t *object = json_object();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version())) |
                 of_json_put(object, "samples", of_json_whole(info->samples)) |
                 of_json_put(object, "views", choice_views_array(info)) |
                 of_json_put(object, "method", of_json_text(info->method)) |
                 of_json_put(object, "restarts", of_json_whole(info->restarts)) |
                 of_json_put(object, "seed", of_json_whole(info->seed)) |
                 of_json_put(object, "threads", of_json_whole((uint64_t)info->threads)) |
                 of_json_put(object, "curve_samples", of_json_whole(info->curve_samples)) |
                 of_json_put(object, "curve", curve_array(info)) |
                 of_json_put(object, "suggested",
                             info->suggested ? of_json_whole(info->suggested) : json_null()) |
                 of_json_put(object, "reasons", reasons_array(info));
    if (info->classes)
        failed |= of_json_put(object, "classes", of_json_whole(info->classes));
    failed |= of_json_put(object, "seconds", choice_seconds_object(info, asked));
    if (asked->peak_bytes)
        failed |= of_json_put(object, "peak_bytes", of_json_whole(asked->peak_bytes));
    return of_json_made(made, object, failed);
}

/* ---- what a fit would do and take ----------------------------------------------------------- */

static json_t *view_object(const onefold_view_fit *view)
{
    int failed = 0;
    json_t *object =
        common_view_object(view->name, view->columns, view->storage, view->kernel, view->route);
    if (view->route != ONEFOLD_ROUTE_NONE)
        failed |= of_json_put(object, "passes", of_json_whole(view->passes)) |
                  of_json_put(object, "seconds", of_json_real(view->seconds));
    if (view->landmarks)
        failed |= of_json_put(object, "landmarks", of_json_whole(view->landmarks));
    return of_json_keep(object, failed);
}

static json_t *bytes_object(const onefold_estimate_info *info, const onefold_report *asked)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "input", of_json_whole(info->input_bytes)) |
                 of_json_put(object, "partitions", of_json_whole(info->partition_bytes)) |
                 of_json_put(object, "spilled", of_json_whole(info->spill_bytes)) |
                 of_json_put(object, "model", of_json_whole(info->model_bytes)) |
                 of_json_put(object, "peak", of_json_whole(info->peak_bytes));
    if (info->gpu_bytes)
        failed |= of_json_put(object, "gpu", of_json_whole(info->gpu_bytes));
    if (asked->free_bytes)
        failed |= of_json_put(object, "free", of_json_whole(asked->free_bytes));
    return of_json_keep(object, failed);
}

static json_t *estimate_seconds_object(const onefold_estimate_info *info,
                                       const onefold_report *asked)
{
    json_t *object = json_object();
    double read = asked->seconds_read > 0 ? asked->seconds_read : 0;
    int failed = of_json_put_seconds(object, "read", asked->seconds_read) |
                 of_json_put(object, "prepare", of_json_real(info->seconds_prepare));
    if (info->has_time)
        failed |= of_json_put(object, "base", of_json_real(info->seconds_base)) |
                  of_json_put(object, "fit", of_json_real(info->seconds_fit)) |
                  of_json_put(object, "total", of_json_real(read + info->seconds));
    return of_json_keep(object, failed);
}

static onefold_status estimate_json(json_t **made, const onefold_report *asked)
{
    const onefold_estimate_info *info = onefold_estimate_describe(asked->estimate);
    json_t *object = json_object(), *views = json_array();
    int failed = 0;
    for (size_t i = 0; i < info->views; i++)
        failed |= json_array_append_new(views, view_object(info->view[i])) != 0;
    failed |= of_json_put(object, "onefold", of_json_text(onefold_version())) |
              of_json_put(object, "dry_run", json_true()) |
              of_json_put(object, "method", of_json_text(info->method)) |
              of_json_put(object, "samples", of_json_whole(info->samples)) |
              of_json_put(object, "clusters", of_json_whole(info->clusters)) |
              of_json_put(object, "dims", of_json_whole(info->dims)) |
              of_json_put(object, "anchors", of_json_whole(info->anchors)) |
              of_json_put(object, "threads", of_json_whole((uint64_t)info->threads)) |
              of_json_put(object, "views", views) |
              of_json_put(object, "restarts", of_json_whole(info->restarts));
    if (info->iterations)
        failed |= of_json_put(object, "iterations", of_json_whole(info->iterations)) |
                  of_json_put(object, "passes", of_json_whole(info->passes));
    failed |= of_json_put(object, "bytes", bytes_object(info, asked)) |
              of_json_put(object, "seconds", estimate_seconds_object(info, asked));
    return of_json_made(made, object, failed);
}

/* ---- a model -------------------------------------------------------------------------------- */

static json_t *model_view_object(const onefold_model_view_info *view)
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

static onefold_status model_json(json_t **made, const onefold_report *asked)
{
    const onefold_model_info *info = onefold_model_describe(asked->model);
    json_t *object = json_object(), *views = json_array();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version()));
    for (size_t i = 0; i < info->views; i++)
        failed |= json_array_append_new(views, model_view_object(info->view[i])) != 0;
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

static json_t *predict_seconds(const onefold_report *asked)
{
    json_t *object = json_object();
    int failed = of_json_put_seconds(object, "read", asked->seconds_read) |
                 of_json_put_seconds(object, "predict", asked->seconds_predict) |
                 of_json_put_seconds(object, "total", asked->seconds_total);
    return of_json_keep(object, failed);
}

static onefold_status prediction_json(json_t **made, const onefold_report *asked)
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
              put_names(object, asked->dataset, samples);
    if (all.confidence)
        failed |= of_json_put(object, "confidence", of_json_reals(all.confidence, samples));
    if (all.distance)
        failed |= of_json_put(object, "distance", of_json_reals(all.distance, samples));
    failed |= put_counts(object, info, &all, samples);
    if (asked->scores)
        failed |= of_json_put(object, "scores", scores_object(asked->scores));
    failed |= of_json_put(object, "seconds", predict_seconds(asked));
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

static onefold_status dataset_json(json_t **made, const onefold_report *asked)
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

/* ---- what is asked for ---------------------------------------------------------------------- */

onefold_status of_json_asked(const onefold_report *asked, json_t **data, const char **kind)
{
    const struct {
        const void *given;
        const char *kind;
        onefold_status (*make)(json_t **, const onefold_report *);
    } all[] = {{asked->result, "fit", result_json},
               {asked->choice, "choose", choice_json},
               {asked->experiment, "bench", of_json_experiment},
               {asked->prediction, "predict", prediction_json},
               {asked->model, "model", model_json},
               {asked->dataset, "data", dataset_json},
               {asked->estimate, "estimate", estimate_json},
               {asked->scores, "scores", scores_json}};
    if (asked->prediction && !asked->model)
        return of_fail(ONEFOLD_USAGE, "a report on a prediction needs its model");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given) {
            *kind = all[i].kind;
            return all[i].make(data, asked);
        }
    return of_fail(ONEFOLD_USAGE, "there is nothing in the report that could be written as JSON");
}

onefold_status onefold_report_json(char **text, const onefold_report *report)
{
    onefold_report asked = ONEFOLD_REPORT_INIT;
    json_t *object;
    const char *kind;
    if (!text || !report)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_report_json needs a report and a place for the text");
    OF_TRY(OF_STRUCT_READ(&asked, report, onefold_report));
    OF_TRY(of_json_asked(&asked, &object, &kind));
    char *made = of_json_dump(object, 0);
    json_decref(object);
    if (!made)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the JSON text");
    *text = made;
    return ONEFOLD_OK;
}

#else

onefold_status onefold_report_json(char **text, const onefold_report *report)
{
    (void)text, (void)report;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "JSON is not in this build"),
                   "build with -DONEFOLD_WITH_JSON=ON");
}

#endif
