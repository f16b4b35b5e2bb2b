/* SPDX-License-Identifier: Apache-2.0 */
/* One cell of an experiment: fits by seed, or one fit and repeated k-means on its embedding. */
#include "experiment/experiment.h"

#include "base/clock.h"
#include "base/team.h"
#include "linalg/blas.h"
#include "score/score.h"

#include <string.h>

typedef struct cell_work {
    of_context *context;
    of_experiment *experiment;
    const of_cell *cell;
    of_arena *arena; /* what the result keeps */
    of_cell_result *result;
} cell_work;

static onefold_status score(const cell_work *work, size_t repeat, const int32_t *labels)
{
    const of_dataset *dataset = work->experiment->dataset;
    if (!dataset->truth)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, work->context);
    int64_t *ours, *truth;
    OF_TRY(OF_NEW(&scratch, &ours, dataset->samples, 1));
    OF_TRY(OF_NEW(&scratch, &truth, dataset->samples, 1));
    for (size_t j = 0; j < dataset->samples; j++) {
        ours[j] = labels[j];
        truth[j] = dataset->truth[j];
    }
    work->result->scores[repeat] = (onefold_scores)ONEFOLD_SCORES_INIT;
    return onefold_score(&work->result->scores[repeat], ONEFOLD_INT64, ours, truth,
                         dataset->samples);
}

/* Copies what is told of the first fit: it must outlive the fit and the data. */
static onefold_status keep_fit(const cell_work *work, const onefold_result *fit,
                               const onefold_fit_info *info)
{
    of_cell_result *result = work->result;
    char *note;
    result->objective = info->objective;
    result->converged = info->converged;
    result->iterations = info->trace ? info->iterations : 0;
    result->view_count = info->views;
    OF_TRY(of_arena_string(work->arena, &note, "%s", info->note));
    result->note = note;
    OF_TRY(OF_NEW(work->arena, &result->trace, result->iterations, 1));
    OF_TRY(OF_NEW(work->arena, &result->views, info->views, 1));
    if (result->iterations)
        memcpy(result->trace, info->trace, result->iterations * sizeof *result->trace);
    for (size_t i = 0; i < info->views; i++) {
        onefold_view_fit *view = &result->views[i];
        char *name;
        *view = (onefold_view_fit)ONEFOLD_VIEW_FIT_INIT;
        OF_TRY(onefold_result_view(fit, i, view));
        OF_TRY(of_arena_string(work->arena, &name, "%s", view->name));
        view->name = name;
        OF_TRY(of_arena_string(work->arena, &name, "%s", view->kernel));
        view->kernel = name;
    }
    return ONEFOLD_OK;
}

/* Keeps the labels a fit would give, and how well they stand apart. */
static onefold_status keep_answer(const cell_work *work, const onefold_fit_info *info,
                                  size_t repeat, const int32_t *labels)
{
    of_cell_result *result = work->result;
    size_t samples = info->samples, clusters = info->clusters;
    unsigned char *seen;
    result->answer = repeat;
    result->samples = samples;
    result->clusters_used = 0;
    memcpy(result->labels, labels, samples * sizeof *labels);
    OF_SCRATCH(scratch, work->context);
    OF_TRY(OF_NEW_ZERO(&scratch, &seen, clusters, 1));
    for (size_t j = 0; j < samples; j++) {
        result->clusters_used += !seen[labels[j]];
        seen[labels[j]] = 1;
    }
    if (!info->embedding)
        return ONEFOLD_OK;
    return of_silhouette(work->context, info->embedding_rows, samples, info->embedding,
                         info->embedding_rows, labels, clusters, &result->silhouette);
}

/* ---- repeats of k-means -------------------------------------------------------------------- */

typedef struct repeats {
    of_context *context;
    of_kmeans_options options;
    size_t rows, samples;
    const double *embedding;
    int32_t *labels; /* samples x repeats */
    of_kmeans_result *results;
} repeats;

static onefold_status work_repeat(void *task, size_t index, int worker)
{
    repeats *r = task;
    (void)worker;
    of_kmeans_options options = r->options;
    options.index = index; /* the streams that a fit's own repeats have */
    return of_kmeans(r->context, &options, r->rows, r->samples, r->embedding, r->rows,
                     r->labels + index * r->samples, NULL, &r->results[index]);
}

static onefold_status repeat_kmeans(const cell_work *work, const onefold_fit_info *info)
{
    const of_experiment_options *options = &work->experiment->options;
    of_cell_result *result = work->result;
    size_t count = result->repeats, best = 0;
    if (!info->embedding)
        return of_fail(ONEFOLD_FAULT, "%s gave no embedding", info->method);
    OF_SCRATCH(scratch, work->context);
    repeats r = {
        .context = work->context,
        .options = {.clusters = info->clusters,
                    .replicates = options->replicates,
                    .max_iterations = OF_EXPERIMENT_KMEANS_ITERATIONS,
                    .start = options->kmeans_start,
                    .seed = options->fit.seed},
        .rows = info->embedding_rows,
        .samples = info->samples,
        .embedding = info->embedding,
    };
    OF_TRY(OF_NEW(&scratch, &r.labels, info->samples, count));
    OF_TRY(OF_NEW(&scratch, &r.results, count, 1));
    double began = of_clock_seconds();
    of_blas_enter();
    onefold_status status = of_team_run(work->context, count, work_repeat, &r);
    of_blas_leave();
    OF_TRY(status);
    result->seconds_kmeans = (of_clock_seconds() - began) / (double)count;
    for (size_t i = 0; i < count; i++) {
        OF_TRY(score(work, i, r.labels + i * info->samples));
        result->objectives[i] = r.results[i].cost;
        if (r.results[i].cost < r.results[best].cost)
            best = i;
    }
    return keep_answer(work, info, best, r.labels + best * info->samples);
}

/* ---- fits ---------------------------------------------------------------------------------- */

/* One fit: the first of a cell is looked at closely, the later ones are seeds. */
static onefold_status run_fit(const cell_work *work, const onefold_fit_options *options,
                              size_t repeat)
{
    const of_dataset *dataset = work->experiment->dataset;
    of_cell_result *result = work->result;
    onefold_result *fit = NULL;
    onefold_fit_info info = ONEFOLD_FIT_INFO_INIT;
    OF_TRY(onefold_fit(&fit, work->context, (const onefold_dataset *)dataset, options));
    onefold_status status = onefold_result_describe(fit, &info);
    result->seconds_base += info.seconds_base;
    result->seconds_fit += info.seconds_fit;
    if (status == ONEFOLD_OK && repeat == 0)
        status = keep_fit(work, fit, &info);
    if (status == ONEFOLD_OK && work->cell->method->ends_in_kmeans) {
        status = repeat_kmeans(work, &info);
    } else if (status == ONEFOLD_OK) {
        result->objectives[repeat] = info.objective;
        status = score(work, repeat, onefold_result_labels(fit));
        if (status == ONEFOLD_OK && repeat == 0)
            status = keep_answer(work, &info, 0, onefold_result_labels(fit));
    }
    onefold_result_free(fit);
    return status;
}

static onefold_status run_fits(const cell_work *work)
{
    const of_experiment *experiment = work->experiment;
    of_cell_result *result = work->result;
    OF_SCRATCH(scratch, work->context);
    onefold_fit_options options;
    OF_TRY(
        of_cell_options(&scratch, experiment, work->cell->method, &work->cell->setting, &options));
    options.bare = 1; /* nobody asks why here */
    result->repeats = work->cell->repeats;
    OF_TRY(OF_NEW(work->arena, &result->objectives, result->repeats, 1));
    OF_TRY(OF_NEW(work->arena, &result->labels, experiment->dataset->samples, 1));
    if (experiment->dataset->truth)
        OF_TRY(OF_NEW(work->arena, &result->scores, result->repeats, 1));
    if (work->cell->method->ends_in_kmeans) {
        options.restarts = 1; /* its own k-means is not what is looked at */
        return run_fit(work, &options, 0);
    }
    for (size_t r = 0; r < result->repeats; r++, options.seed++)
        OF_TRY(run_fit(work, &options, r));
    result->seconds_base /= (double)result->repeats;
    result->seconds_fit /= (double)result->repeats;
    return ONEFOLD_OK;
}

/* The account of memory begins again for a cell; what was held at most before is kept. */
static size_t restart_peak(of_context *context)
{
    size_t before = atomic_load(&context->peak);
    atomic_store(&context->peak, atomic_load(&context->bytes));
    return before;
}

static size_t end_peak(of_context *context, size_t before)
{
    size_t peak = atomic_load(&context->peak);
    if (peak < before)
        atomic_store(&context->peak, before);
    return peak;
}

onefold_status of_cell_run(of_context *context, of_experiment *experiment, const of_cell *cell,
                           of_cell_result *result)
{
    OF_TRY(of_context_check_now(context));
    of_arena arena = of_arena_make(context);
    of_cell_result made = {.reason = "", .note = ""};
    cell_work work = {context, experiment, cell, &arena, &made};
    double began = of_clock_seconds();
    size_t before = restart_peak(context);
    onefold_status status = run_fits(&work);
    made.peak_bytes = end_peak(context, before);
    made.seconds = of_clock_seconds() - began;
    if (status == ONEFOLD_OK) {
        of_arena_adopt(&experiment->arena, &arena);
        *result = made;
        return ONEFOLD_OK;
    }
    of_arena_free(&arena);
    if (status == ONEFOLD_INTERRUPTED)
        return status;
    char *reason;
    onefold_status said = of_arena_string(&experiment->arena, &reason, "%s", onefold_last_error());
    *result = (of_cell_result){.status = status, .note = "", .seconds = made.seconds};
    result->reason = said == ONEFOLD_OK ? reason : "there is no memory to say why";
    return ONEFOLD_OK;
}
