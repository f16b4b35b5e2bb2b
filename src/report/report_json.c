/* SPDX-License-Identifier: Apache-2.0 */
/* onefold_report_json: the JSON of every subject but experiments (bench_json.c). */
#include "base/status.h"
#include "method/bench.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* ---- common members ------------------------------------------------------------------------- */

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

/* The common members of a view, in an open object. */
static void open_view(of_json *to, const onefold_view_fit *view)
{
    of_json_put(to, "{ name:t columns:n storage:t kernel:t base:t", view->name, view->columns,
                onefold_name(ONEFOLD_NAMES_STORAGE, view->storage), view->kernel,
                view->route ? onefold_name(ONEFOLD_NAMES_ROUTE, view->route) : NULL);
}

/* "sample_names", if the data set has them and this number of samples. */
static void put_names(of_json *to, const onefold_dataset *dataset, size_t samples)
{
    const onefold_dataset_info *info = onefold_dataset_describe(dataset);
    if (info && info->samples == samples && info->sample_names)
        of_json_put(to, "sample_names:T", info->sample_names, samples);
}

/* The end of "seconds", and "peak_bytes". */
static void close_seconds(of_json *to, const onefold_report *request)
{
    of_json_put(to, "total:s } peak_bytes:g", request->seconds_total, request->peak_bytes);
}

/* ---- a fit, and scores ---------------------------------------------------------------------- */

/* For each cluster, the views with named columns, and the columns that set the cluster apart. */
static void put_explain(of_json *to, const onefold_result *result, const onefold_fit_info *info)
{
    const onefold_column *column;
    of_json_put(to, "explain:[");
    for (size_t c = 0; c < info->clusters; c++) {
        of_json_put(to, "[");
        for (size_t v = 0; v < info->views; v++) {
            if (!info->view[v]->named)
                continue;
            of_json_put(to, "{ view:t columns:[", info->view[v]->name);
            for (size_t r = 0; (column = onefold_result_column(result, v, c, r)); r++)
                of_json_put(to, "{ name:t index:n strength:r }", column->name, column->index,
                            column->strength);
            of_json_put(to, "] }");
        }
        of_json_put(to, "]");
    }
    of_json_put(to, "]");
}

/* Whether the labels are more than chance. */
static void put_finding(of_json *to, const onefold_finding *it)
{
    of_json_put(to, "finding:{ stable:r chance:r told:r told_chance:r beyond:r verdict:t }",
                it->stable, it->chance, it->told, it->told_chance, it->beyond, it->verdict);
}

/* The compared labellings. */
static void put_candidates(of_json *to, const onefold_fit_info *info)
{
    of_json_put(to, "candidates:[");
    for (size_t i = 0; i < info->candidates; i++) {
        const onefold_candidate *one = info->candidate[i];
        of_json_put(to, "{ name:t rows:n partitions:n agreement:r told:r", one->name, one->rows,
                    one->partitions, one->agreement, one->told);
        of_json_put(to, "entropy:r chance:r score:r eligible:f chosen:f }", one->entropy,
                    one->chance, one->score, one->eligible, one->chosen);
    }
    of_json_put(to, "]");
}

/* The restarts. */
static void put_runs(of_json *to, const onefold_fit_info *info)
{
    of_json_put(to, "restarts:n best_restart:n iterations:n converged:f objective:r trace:R runs:[",
                info->restarts, info->best_restart, info->iterations, info->converged,
                info->objective, info->trace, info->iterations);
    for (size_t r = 0; info->restart_objective && r < info->restarts; r++) {
        of_json_put(to, "{ objective:r", info->restart_objective[r]);
        if (info->restart_iterations)
            of_json_put(to, "iterations:n", info->restart_iterations[r]);
        if (info->restart_clusters_used)
            of_json_put(to, "clusters_used:n", info->restart_clusters_used[r]);
        of_json_put(to, "}");
    }
    of_json_put(to, "]");
}

/* Explanation, scores, labellings, note and model. */
static void put_details(of_json *to, const onefold_fit_info *info, const onefold_report *request)
{
    if (!to->in_page)
        put_names(to, request->dataset, info->samples);
    if (info->agreement)
        of_json_put(to, "agreement:{ views:M clusters:M }", info->view_agreement, info->views,
                    info->views, info->cluster_agreement, info->clusters, info->views);
    if (info->confidence && !to->in_page)
        of_json_put(to, "confidence:R", info->confidence, info->samples);
    if (info->view_parts && !to->in_page)
        of_json_put(to, "view_parts:M", info->view_parts, info->samples, info->views);
    if (info->explained)
        put_explain(to, request->result, info);
    if (request->scores)
        of_json_scores(to, &request->scores, 0);
    if (info->finding)
        put_finding(to, info->finding);
    if (info->stability)
        of_json_put(to, "stability:R", info->stability, info->clusters);
    if (info->candidates)
        put_candidates(to, info);
    of_json_put(to, "note:o", text_or_null(info->note));
    if (info->model) {
        const onefold_model_info *model = onefold_model_describe(info->model);
        of_json_put(to, "model:{ file:o bytes:n holds_samples:f }", request->model_path,
                    model->bytes, model->holds_samples);
    }
}

static onefold_status put_result(of_json *to, const onefold_report *request)
{
    const onefold_fit_info *info = onefold_result_describe(request->result);
    if (info->held < info->samples)
        return of_hint(
            of_fail(ONEFOLD_USAGE,
                    "the result has %zu of %zu samples, as others are of other processes",
                    info->held, info->samples),
            "write it in the process of rank 0, which has all of them");
    of_json_put(to, "method:t samples:n clusters:n clusters_used:n dims:g anchors:g", info->method,
                info->samples, info->clusters, info->clusters_used, info->dims, info->anchors);
    of_json_put(to, "seed:u run:t threads:i views:[", info->seed, info->run, info->threads);
    for (size_t v = 0; v < info->views; v++) {
        const onefold_view_fit *view = info->view[v];
        open_view(to, view);
        of_json_put(to, "weight:r agreement:r", view->weight,
                    info->agreement ? info->agreement[v] : NAN);
        if (view->rank) /* of its base partition */
            of_json_put(to, "rank:n residual:r", view->rank, view->residual);
        of_json_put(to, "missing:g }", view->missing);
    }
    of_json_put(to, "]");
    if (info->restarts)
        put_runs(to, info);
    if (!to->in_page)
        of_json_put(to, "labels:I", info->labels, info->samples);
    of_json_put(to, "sizes:N", info->sizes, info->clusters);
    put_details(to, info, request);
    of_json_put(to, "seconds:{ read:s base:r fit:r", request->seconds_read, info->seconds_base,
                info->seconds_fit);
    close_seconds(to, request);
    return ONEFOLD_OK;
}

static onefold_status put_scores(of_json *to, const onefold_report *request)
{
    onefold_scores all = ONEFOLD_SCORES_INIT;
    OF_TRY(OF_STRUCT_READ(&all, request->scores, onefold_scores));
    of_json_put(to, "samples:n clusters:n classes:n", request->samples, all.clusters, all.classes);
    of_json_scores(to, &(const onefold_scores *){&all}, 0);
    return ONEFOLD_OK;
}

/* ---- a choice of the number of clusters ----------------------------------------------------- */

static onefold_status put_choice(of_json *to, const onefold_report *request)
{
    const onefold_choose_info *info = onefold_choice_describe(request->choice);
    of_json_put(to, "samples:n views:[", info->samples);
    for (size_t v = 0; v < info->views; v++) {
        open_view(to, info->view[v]);
        of_json_put(to, "}");
    }
    of_json_put(to, "] method:t restarts:n seed:u threads:i curve_samples:n curve:[", info->method,
                info->restarts, info->seed, info->threads, info->curve_samples);
    for (size_t c = 0; c < info->points; c++) {
        const onefold_choose_point *point = info->point[c];
        of_json_put(to,
                    "{ clusters:n clusters_used:n agreement:r entropy:r told:r chance:r "
                    "agreement_beyond:r told_beyond:r evidence:r }",
                    point->clusters, point->clusters_used, point->agreement, point->entropy,
                    point->told, point->chance, point->agreement_beyond, point->told_beyond,
                    point->evidence);
    }
    of_json_put(to, "]");
    if (info->suggested)
        of_json_put(to, "suggested:n", info->suggested);
    else
        of_json_put(to, "suggested:t", NULL);
    of_json_put(to, "numbers:[");
    for (size_t i = 0; i < info->numbers; i++)
        of_json_put(to, "{ clusters:n nested:r }", info->number[i], info->nested[i]);
    of_json_put(to, "]");
    put_finding(to, &info->finding);
    of_json_put(to, "reasons:T classes:g seconds:{ read:s curve:r", info->reason, info->reasons,
                info->classes, request->seconds_read, info->seconds_curve);
    close_seconds(to, request);
    return ONEFOLD_OK;
}

/* ---- an estimate ---------------------------------------------------------------------------- */

static onefold_status put_estimate(of_json *to, const onefold_report *request)
{
    const onefold_estimate_info *info = onefold_estimate_describe(request->estimate);
    of_json_put(to, "dry_run:f method:t samples:n clusters:n dims:g anchors:g threads:i views:[", 1,
                info->method, info->samples, info->clusters, info->dims, info->anchors,
                info->threads);
    for (size_t i = 0; i < info->views; i++) {
        const onefold_view_fit *view = info->view[i];
        open_view(to, view);
        if (view->route)
            of_json_put(to, "passes:n seconds:r", view->passes, view->seconds);
        of_json_put(to, "landmarks:g }", view->landmarks);
    }
    of_json_put(to, "] restarts:n", info->restarts);
    if (info->iterations)
        of_json_put(to, "iterations:n passes:n", info->iterations, info->passes);
    of_json_put(to, "bytes:{ input:n partitions:n model:n peak:n gpu:g free:g }", info->input_bytes,
                info->partition_bytes, info->model_bytes, info->peak_bytes, info->gpu_bytes,
                request->free_bytes);
    of_json_put(to, "seconds:{ read:s prepare:r", request->seconds_read, info->seconds_prepare);
    if (info->has_time)
        of_json_put(to, "base:r fit:r total:r", info->seconds_base, info->seconds_fit,
                    fmax(request->seconds_read, 0) + info->seconds);
    of_json_put(to, "}");
    return ONEFOLD_OK;
}

/* ---- a model, and predictions --------------------------------------------------------------- */

static onefold_status put_model(of_json *to, const onefold_report *request)
{
    const onefold_model_info *info = onefold_model_describe(request->model);
    of_json_put(to, "model:o made_by:t samples:n clusters:n dims:n seed:u run:o",
                request->model_path, info->version, info->samples, info->clusters, info->dims,
                info->seed, text_or_null(info->run));
    of_json_put(to, "precision:t impute:t views:[",
                onefold_name(ONEFOLD_NAMES_PRECISION, info->precision),
                onefold_name(ONEFOLD_NAMES_IMPUTE, info->impute));
    for (size_t i = 0; i < info->views; i++) {
        const onefold_model_view_info *view = info->view[i];
        of_json_put(to, "{ name:t storage:t columns:n kept_columns:n prep:t kernel:t base:t",
                    view->name, onefold_name(ONEFOLD_NAMES_STORAGE, view->storage), view->columns,
                    view->kept_columns, onefold_name(ONEFOLD_NAMES_PREP, view->prep), view->kernel,
                    onefold_name(ONEFOLD_NAMES_ROUTE, view->route));
        of_json_put(to, "rank:n points:n holds_samples:f weight:r bytes:n }", view->rank,
                    view->points, view->holds_samples, view->weight, view->bytes);
    }
    of_json_put(to, "] holds_samples:f distance_mean:r distance_most:r bytes:n",
                info->holds_samples, info->distance_mean, info->distance_most, info->bytes);
    return ONEFOLD_OK;
}

static onefold_status put_prediction(of_json *to, const onefold_report *request)
{
    onefold_prediction all = ONEFOLD_PREDICTION_INIT;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    const onefold_model_info *info = onefold_model_describe(request->model);
    size_t samples = request->samples, *sizes, far = 0;
    OF_TRY(OF_STRUCT_READ(&all, request->prediction, onefold_prediction));
    if (!all.labels)
        return of_fail(ONEFOLD_USAGE, "the prediction has no labels");
    of_json_put(to, "model:o samples:n clusters:n threads:g", request->model_path, samples,
                info->clusters, (size_t)request->threads);
    of_json_put(to, "training:{ samples:n distance_mean:r distance_most:r run:o }", info->samples,
                info->distance_mean, info->distance_most, text_or_null(info->run));
    if (!to->in_page)
        of_json_put(to, "labels:I", all.labels, samples);
    put_names(to, request->dataset, samples);
    if (all.confidence && !to->in_page)
        of_json_put(to, "confidence:R", all.confidence, samples);
    if (all.distance && !to->in_page)
        of_json_put(to, "distance:R", all.distance, samples);
    OF_TRY(OF_NEW_ZERO(&scratch, &sizes, info->clusters, 1));
    for (size_t j = 0; j < samples; j++) {
        sizes[all.labels[j]]++;
        far += all.distance && all.distance[j] > info->distance_most;
    }
    if (all.distance) /* samples farther away than any training sample */
        of_json_put(to, "far:n", far);
    of_json_put(to, "sizes:N", sizes, info->clusters);
    if (request->scores)
        of_json_scores(to, &request->scores, 0);
    of_json_put(to, "seconds:{ read:s predict:s", request->seconds_read, request->seconds_predict);
    close_seconds(to, request);
    return ONEFOLD_OK;
}

/* ---- a data set ----------------------------------------------------------------------------- */

static onefold_status put_data_view(of_json *to, const onefold_dataset *dataset, size_t index)
{
    onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
    const char *kernel, *reason;
    OF_TRY(onefold_dataset_view(dataset, index, &view));
    OF_TRY(onefold_dataset_kernel(dataset, index, &kernel, &reason));
    double entries = (double)onefold_dataset_describe(dataset)->samples * (double)view.columns;
    of_json_put(to, "{ name:t storage:t type:t columns:n nonzeros:n density:r", view.name,
                onefold_name(ONEFOLD_NAMES_STORAGE, view.storage),
                onefold_name(ONEFOLD_NAMES_TYPE, view.type), view.columns, view.nonzeros,
                entries > 0 ? (double)view.nonzeros / entries : 0);
    of_json_put(to, "bytes:n missing:n kernel:t reason:t }", view.bytes, view.missing, kernel,
                reason);
    return ONEFOLD_OK;
}

static onefold_status put_dataset(of_json *to, const onefold_report *request)
{
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    const onefold_dataset_info *info = onefold_dataset_describe(request->dataset);
    size_t *size;
    of_json_put(to, "files:T samples:n views:[", request->paths, request->path_count,
                info->samples);
    for (size_t i = 0; i < info->views; i++)
        OF_TRY(put_data_view(to, request->dataset, i));
    OF_TRY(OF_NEW_ZERO(&scratch, &size, info->classes, 1));
    for (size_t j = 0; info->truth && j < info->samples; j++)
        size[info->truth[j]]++;
    of_json_put(to, "] classes:[");
    for (size_t c = 0; c < info->classes; c++)
        of_json_put(to, "{ name:t samples:n }", info->class_names[c], size[c]);
    of_json_put(to, "] notes:T", info->note, info->notes);
    if (request->estimate) {
        const onefold_estimate_info *estimate = onefold_estimate_describe(request->estimate);
        of_json_put(
            to, "estimate:{ clusters:n input_bytes:n partition_bytes:n peak_bytes:n seconds:r }",
            estimate->clusters, estimate->input_bytes, estimate->partition_bytes,
            estimate->peak_bytes, estimate->seconds);
    }
    of_json_put(to, "free_bytes:g", request->free_bytes);
    return ONEFOLD_OK;
}

/* ---- the subject ----------------------------------------------------------------------------- */

/* libonefold-bench writes what it made. */
static onefold_status put_experiment(of_json *to, const onefold_report *request)
{
    return of_bench_get()->experiment_json(to, request);
}

onefold_status of_json_report(of_json *to, const onefold_report *request)
{
    const struct {
        const void *subject;
        const char *kind;
        onefold_status (*put)(of_json *, const onefold_report *);
    } all[] = {{request->result, "fit", put_result},
               {request->choice, "choose", put_choice},
               {request->experiment, "bench", put_experiment},
               {request->prediction, "predict", put_prediction},
               {request->model, "model", put_model},
               {request->dataset, "data", put_dataset},
               {request->estimate, "estimate", put_estimate},
               {request->scores, "scores", put_scores}};
    size_t i = 0, count = sizeof all / sizeof *all;
    if (request->prediction && !request->model)
        return of_fail(ONEFOLD_USAGE, "a report on a prediction needs its model");
    while (i < count && !all[i].subject)
        i++;
    if (i == count)
        return of_fail(ONEFOLD_USAGE,
                       "there is nothing in the report that could be written as JSON");
    if (to->in_page)
        of_json_put(to, "{ kind:t data:{ onefold:t", all[i].kind, onefold_version());
    else
        of_json_put(to, "{ onefold:t", onefold_version());
    OF_TRY(all[i].put(to, request));
    of_json_put(to, "}");
    return ONEFOLD_OK;
}

onefold_status onefold_report_json(char **text, const onefold_report *report)
{
    onefold_report request = ONEFOLD_REPORT_INIT;
    OF_JSON(to) = {.text = NULL};
    if (!text || !report)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_report_json needs a report and a place for the text");
    OF_TRY(OF_STRUCT_READ(&request, report, onefold_report));
    OF_TRY(of_json_report(&to, &request));
    char *made = to.failed ? NULL : strdup(to.text);
    to.failed |= !made;
    OF_TRY(of_json_check(&to));
    *text = made;
    return ONEFOLD_OK;
}
