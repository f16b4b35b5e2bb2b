/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a fit and of scores, key by key. */
#include "report/json.h"

#include "base/status.h"
#include "report/json_build.h"

#ifdef ONEFOLD_WITH_JSON

json_t *of_json_scores_object(const onefold_scores *scores)
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

static json_t *views_array(const onefold_fit_info *info)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t v = 0; v < info->views; v++) {
        const onefold_view_fit *view = &info->view[v];
        json_t *object =
            of_json_view(view->name, view->columns, view->storage, view->kernel, view->base);
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
static json_t *columns_object(const onefold_fit_info *info, size_t cluster, size_t view)
{
    json_t *object = json_object(), *array = json_array();
    size_t place = cluster * info->views + view;
    int failed = of_json_put(object, "view", of_json_text(info->view[view].name));
    for (size_t r = 0; r < info->column_count[place]; r++) {
        const onefold_column *column = &info->column[place * info->explain + r];
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
static json_t *explain_array(const onefold_fit_info *info)
{
    json_t *clusters = json_array();
    int failed = 0;
    for (size_t c = 0; c < info->clusters; c++) {
        json_t *views = json_array();
        for (size_t v = 0; v < info->views; v++)
            if (info->view[v].named)
                failed |= json_array_append_new(views, columns_object(info, c, v)) != 0;
        failed |= json_array_append_new(clusters, views) != 0;
    }
    return of_json_keep(clusters, failed);
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

static json_t *seconds_object(const of_fit_report *report)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "read", of_json_real(report->seconds_read)) |
                 of_json_put(object, "base", of_json_real(report->info->seconds_base)) |
                 of_json_put(object, "fit", of_json_real(report->info->seconds_fit)) |
                 of_json_put(object, "total", of_json_real(report->seconds_total));
    return of_json_keep(object, failed);
}

static json_t *model_object(const of_fit_report *report)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "file", of_json_text(report->model_path)) |
                 of_json_put(object, "bytes", of_json_whole(report->model->bytes)) |
                 of_json_put(object, "holds_samples", json_boolean(report->model->holds_samples));
    return of_json_keep(object, failed);
}

onefold_status of_json_fit(FILE *out, const of_fit_report *report)
{
    const onefold_fit_info *info = report->info;
    json_t *object = json_object();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version())) |
                 of_json_put(object, "method", of_json_text(info->method)) |
                 of_json_put(object, "samples", of_json_whole(info->samples)) |
                 of_json_put(object, "clusters", of_json_whole(info->clusters)) |
                 of_json_put(object, "clusters_used", of_json_whole(info->clusters_used)) |
                 of_json_put(object, "dims", of_json_whole(info->dims)) |
                 of_json_put(object, "anchors", of_json_whole(info->anchors)) |
                 of_json_put(object, "seed", of_json_whole(report->seed)) |
                 of_json_put(object, "threads", of_json_whole((uint64_t)report->threads)) |
                 of_json_put(object, "views", views_array(info)) |
                 of_json_put(object, "restarts", of_json_whole(info->restarts)) |
                 of_json_put(object, "best_restart", of_json_whole(info->best_restart)) |
                 of_json_put(object, "iterations", of_json_whole(info->iterations)) |
                 of_json_put(object, "converged", json_boolean(info->converged)) |
                 of_json_put(object, "objective", of_json_real(info->objective)) |
                 of_json_put(object, "trace", of_json_reals(info->trace, info->iterations)) |
                 of_json_put(object, "runs", runs_array(info)) |
                 of_json_put(object, "labels",
                             of_json_labels(report->labels, info->samples, info->clusters)) |
                 of_json_put(object, "sizes", of_json_sizes(info->sizes, info->clusters));
    if (info->agreement)
        failed |= of_json_put(object, "agreement", agreement_object(info));
    if (info->confidence)
        failed |= of_json_put(object, "confidence", of_json_reals(info->confidence, info->samples));
    if (info->column_count)
        failed |= of_json_put(object, "explain", explain_array(info));
    if (report->scores)
        failed |= of_json_put(object, "scores", of_json_scores_object(report->scores));
    if (info->note && *info->note)
        failed |= of_json_put(object, "note", of_json_text(info->note));
    if (report->model_path)
        failed |= of_json_put(object, "model", model_object(report));
    failed |= of_json_put(object, "seconds", seconds_object(report)) |
              of_json_put(object, "peak_bytes", of_json_whole(report->peak_bytes));
    return of_json_write(out, object, failed);
}

onefold_status of_json_scores(FILE *out, size_t samples, const onefold_scores *scores)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "onefold", of_json_text(onefold_version())) |
                 of_json_put(object, "samples", of_json_whole(samples)) |
                 of_json_put(object, "clusters", of_json_whole(scores->clusters)) |
                 of_json_put(object, "classes", of_json_whole(scores->classes)) |
                 of_json_put(object, "scores", of_json_scores_object(scores));
    return of_json_write(out, object, failed);
}

#endif
