/* SPDX-License-Identifier: Apache-2.0 */
/* The run of an experiment: cells are read from the store or computed, stored, and summarised. */
#include "experiment/experiment.h"
#include "peers/common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one cell: fits by seed, or one fit and repeated k-means on its embedding --------------- */

typedef struct cell_work {
    of_context *context;
    of_experiment *experiment;
    const of_cell *cell;
    int whole;       /* a repeat is a fit; else the k-means on the embedding of one */
    of_arena *arena; /* of the result's arrays */
    of_cell_result *result;
    onefold_scores *scores; /* writable arrays of the result, as all below */
    double *objectives;
    int32_t *labels;
} cell_work;

static onefold_status score(const cell_work *work, size_t repeat, const int32_t *labels)
{
    const of_dataset *dataset = work->experiment->dataset;
    if (!dataset->truth)
        return ONEFOLD_OK;
    work->scores[repeat] = (onefold_scores)ONEFOLD_SCORES_INIT;
    return onefold_score(&work->scores[repeat], ONEFOLD_INT32, labels, dataset->truth,
                         dataset->samples);
}

/* Copies the description of the first fit, which must outlive the fit and the data. */
static onefold_status keep_fit(const cell_work *work, const onefold_fit_info *info)
{
    of_cell_result *result = work->result;
    double *trace;
    onefold_view_fit *views;
    result->objective = info->objective;
    result->converged = info->converged;
    result->iterations = info->trace ? info->iterations : 0;
    OF_TRY(OF_TEXT(work->arena, &result->note, "%s", info->note));
    OF_TRY(OF_NEW(work->arena, &trace, result->iterations, 1));
    OF_TRY(OF_NEW(work->arena, &views, info->views, 1));
    if (result->iterations)
        memcpy(trace, info->trace, result->iterations * sizeof *trace);
    for (size_t i = 0; i < info->views; i++) {
        views[i] = *info->view[i];
        OF_TRY(OF_TEXT(work->arena, &views[i].name, "%s", views[i].name));
        OF_TRY(OF_TEXT(work->arena, &views[i].kernel, "%s", views[i].kernel));
    }
    result->trace = trace;
    return OF_LIST(work->arena, &result->view, views, info->views);
}

/* Keeps the labels of one repeat, and their silhouette. */
static onefold_status keep_answer(const cell_work *work, const onefold_fit_info *info,
                                  size_t repeat, const int32_t *labels, size_t clusters_used)
{
    of_cell_result *result = work->result;
    result->answer = repeat;
    result->clusters_used = clusters_used;
    memcpy(work->labels, labels, info->samples * sizeof *labels);
    if (!info->embedding)
        return ONEFOLD_OK;
    return of_silhouette(work->context, info->embedding_rows, info->samples, info->embedding,
                         info->embedding_rows, labels, info->clusters, NULL, &result->silhouette);
}

/* ---- repeats of k-means -------------------------------------------------------------------- */

/* With the random numbers of a fit's own restarts: the first repeat has the labels of the fit. */
static onefold_status repeat_kmeans(const cell_work *work, const onefold_fit_info *info)
{
    of_cell_result *result = work->result;
    size_t count = result->repeats;
    if (!info->embedding)
        return of_fail(ONEFOLD_FAULT, "%s gave no embedding", info->method);
    OF_SCRATCH(scratch, work->context);
    of_repeats r = {
        .context = work->context,
        .options = work->cell->kmeans,
        .rows = info->embedding_rows,
        .samples = info->samples,
        .x = info->embedding,
    };
    of_blas_enter();
    onefold_status status = of_kmeans_repeat(&scratch, &r, count);
    of_blas_leave();
    OF_TRY(status);
    for (size_t i = 0; i < count; i++) {
        OF_TRY(score(work, i, r.labels + i * info->samples));
        work->objectives[i] = r.result[i].cost;
    }
    return keep_answer(work, info, r.best, r.labels + r.best * info->samples, r.used[r.best]);
}

/* ---- fits ---------------------------------------------------------------------------------- */

/* One fit. The first fit of a cell is described; of later ones, scores and objectives are kept. */
static onefold_status run_fit(const cell_work *work, const onefold_fit_options *options,
                              size_t repeat)
{
    const of_dataset *dataset = work->experiment->dataset;
    of_cell_result *result = work->result;
    onefold_result *fit = NULL;
    double began = of_clock_seconds();
    OF_TRY(onefold_fit(&fit, work->context, (const onefold_dataset *)dataset, options));
    const onefold_fit_info *info = onefold_result_describe(fit);
    onefold_status status = ONEFOLD_OK;
    double took = of_clock_seconds() - began;
    result->seconds_base +=
        took - info->seconds_fit; /* with the features and kernels of the plan */
    result->seconds_fit += info->seconds_fit - info->seconds_labels;
    result->seconds_kmeans += info->seconds_labels;
    result->seconds_run += took;
    if (repeat == 0)
        status = keep_fit(work, info);
    if (status == ONEFOLD_OK && !work->whole) {
        status = repeat_kmeans(work, info);
    } else if (status == ONEFOLD_OK) {
        int kmeans = work->cell->method->ends_in_kmeans;
        work->objectives[repeat] = kmeans ? info->restart_objective[0] : info->objective;
        status = score(work, repeat, info->labels);
        if (status == ONEFOLD_OK && repeat == 0)
            status = keep_answer(work, info, 0, info->labels, info->clusters_used);
    }
    onefold_result_free(fit);
    return status;
}

static onefold_status run_fits(cell_work *work)
{
    of_experiment *experiment = work->experiment;
    const of_method *method = work->cell->method;
    of_cell_result *result = work->result;
    OF_SCRATCH(scratch, work->context);
    onefold_fit_options options;
    OF_TRY(of_cell_options(&scratch, experiment, method, &work->cell->setting, &options));
    options.bare = 1; /* no explanation */
    work->whole = of_experiment_contender(experiment, method)->info.whole_runs;
    result->repeats = work->cell->repeats;
    OF_TRY(OF_NEW(work->arena, &work->objectives, result->repeats, 1));
    OF_TRY(OF_NEW(work->arena, &work->labels, experiment->dataset->samples, 1));
    OF_TRY(OF_NEW(work->arena, &work->scores, result->repeats, 1));
    result->objectives = work->objectives;
    result->labels = work->labels;
    if (experiment->dataset->truth)
        OF_TRY(OF_LIST(work->arena, &result->scores, work->scores, result->repeats));
    size_t fits = work->whole ? result->repeats : 1;
    if (method->ends_in_kmeans)
        options.restarts = 1;
    for (size_t r = 0; r < fits; r++, options.seed++) {
        experiment->runs = r;
        OF_TRY(run_fit(work, &options, r));
    }
    double *const parts[] = {&result->seconds_base, &result->seconds_fit, &result->seconds_kmeans,
                             &result->seconds_run};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i] /= (double)fits;
    return ONEFOLD_OK;
}

/* Computes a cell. A failure of the method is kept in the result; an interruption is returned. */
static onefold_status cell_run(of_context *context, of_experiment *experiment, const of_cell *cell,
                               of_cell_result *result)
{
    OF_TRY(of_context_check_now(context));
    of_arena arena = of_arena_make(context);
    of_cell_result made = {.reason = "", .note = ""};
    cell_work work = {.context = context,
                      .experiment = experiment,
                      .cell = cell,
                      .arena = &arena,
                      .result = &made};
    double began = of_clock_seconds();
    size_t before = atomic_load(&context->peak); /* restored below if it is larger */
    atomic_store(&context->peak, atomic_load(&context->bytes));
    onefold_status status = run_fits(&work);
    made.peak_bytes = atomic_load(&context->peak);
    if (made.peak_bytes < before)
        atomic_store(&context->peak, before);
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
    onefold_status copied =
        of_arena_string(&experiment->arena, &reason, "%s", onefold_last_error());
    *result = (of_cell_result){.status = status, .note = "", .seconds = made.seconds};
    result->reason = copied == ONEFOLD_OK ? reason : "there is no memory to say why";
    return ONEFOLD_OK;
}

/* ---- means, best cells, agreement ------------------------------------------------------------ */

double of_measure_of(const onefold_scores *scores, onefold_measure measure)
{
    const double figure[ONEFOLD_MEASURES] = {scores->acc, scores->nmi, scores->purity, scores->ari};
    return figure[measure];
}

/* Means and deviations over the repeats of a finished cell. */
static void summarise(of_cell_result *result)
{
    double count = (double)result->repeats;
    for (int m = 0; result->scores && m < ONEFOLD_MEASURES; m++) {
        double mean = 0, square = 0;
        for (size_t r = 0; r < result->repeats; r++)
            mean += of_measure_of(result->scores[r], (onefold_measure)m) / count;
        for (size_t r = 0; r < result->repeats; r++) {
            double off = of_measure_of(result->scores[r], (onefold_measure)m) - mean;
            square += off * off;
        }
        result->mean[m] = mean;
        result->deviation[m] = count > 1 ? sqrt(square / (count - 1)) : 0;
    }
}

/* The NMI between the default labels of every two methods. */
static onefold_status find_agreement(of_experiment *experiment)
{
    size_t count = experiment->contender_count;
    const of_contender *all = experiment->contenders;
    double *agreement;
    OF_TRY(OF_NEW(&experiment->arena, &agreement, count, count));
    for (size_t e = 0; e < count * count; e++) {
        const int32_t *a = experiment->cells[all[e / count].info.standard].result.labels,
                      *b = experiment->cells[all[e % count].info.standard].result.labels;
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        if (a && b)
            OF_TRY(onefold_score(&scores, ONEFOLD_INT32, a, b, experiment->dataset->samples));
        agreement[e] = a && b ? scores.nmi : NAN;
    }
    experiment->info.agreement = agreement;
    return ONEFOLD_OK;
}

/* ---- the run -------------------------------------------------------------------------------- */

typedef struct cell_progress {
    const of_experiment *experiment;
    const of_cell *cell; /* the current one, or NULL */
    char detail[160];
} cell_progress;

/* Seconds that the cells of this method (NULL: of all) took that were computed in this run, over
 * those that were expected; 0: none was. */
static double slowness(const of_experiment *experiment, const of_method *method)
{
    double took = 0, expected = 0;
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *cell = &experiment->cells[i];
        if (cell->done && !cell->kept && cell->result.status == ONEFOLD_OK && cell->expected > 0 &&
            (!method || method == cell->method)) {
            took += cell->result.seconds;
            expected += cell->expected;
        }
    }
    return expected > 0 ? took / expected : 0;
}

/* Seconds for the runs that are not done: the estimate, corrected by what was done. */
static double seconds_left(const of_experiment *experiment, const of_cell *current)
{
    double left = 0, all = slowness(experiment, NULL);
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *cell = &experiment->cells[i];
        if (cell->done)
            continue;
        double own = slowness(experiment, cell->method);
        double share = cell == current ? (double)experiment->runs / (double)cell->repeats : 0;
        left += (1 - share) * cell->expected * (own > 0 ? own : all > 0 ? all : 1);
    }
    return left;
}

/* Replaces the progress of a method by that of the cells. */
static int show_cells(void *user, onefold_progress *progress)
{
    cell_progress *shown = user;
    const of_experiment *experiment = shown->experiment;
    char time[64] = "", run[64] = "";
    size_t done = 0, count = experiment->cell_count;
    for (size_t i = 0; i < count; i++)
        done += experiment->cells[i].done;
    double left = seconds_left(experiment, shown->cell);
    if (experiment->runs)
        snprintf(run, sizeof run, ", run %zu of %zu", experiment->runs + 1, shown->cell->repeats);
    if (left > 0)
        of_number_print(time, sizeof time, "about %.0f %s left, ",
                        left < 90     ? fmax(1, left)
                        : left < 7200 ? left / 60
                                      : left / 3600,
                        left < 90     ? "s"
                        : left < 7200 ? "min"
                                      : "h");
    snprintf(shown->detail, sizeof shown->detail, "%scell %zu of %zu: %s %s%s", time, done + 1,
             count, shown->cell ? shown->cell->method->name : "",
             shown->cell ? shown->cell->name : "", run);
    *progress = (onefold_progress){"bench", (double)done, (double)count, shown->detail};
    return 1;
}

/* Reads a cell from the store, or computes and stores it. */
static onefold_status finish_cell(of_context *context, of_experiment *experiment, of_cell *cell,
                                  cell_progress *shown)
{
    if (experiment->store)
        OF_TRY(of_cell_store_find(experiment->store, &experiment->arena, cell));
    shown->cell = cell;
    experiment->runs = 0;
    if (!cell->kept) {
        of_context_progress(context, "bench", 0, 0, NULL);
        OF_TRY(cell_run(context, experiment, cell, &cell->result));
    }
    cell->done = 1;
    experiment->runs = 0;
    summarise(&cell->result);
    /* A cell without memory is tried again in the next run, which may have more. */
    if (experiment->store && !cell->kept && cell->result.status != ONEFOLD_NO_MEMORY)
        return of_cell_store_keep(experiment->store, cell);
    return ONEFOLD_OK;
}

/* Whether the best of a grid is chosen among this cell and others. A method whose grid is over the
 * views takes one of them by default. */
static int is_tried(const onefold_experiment_method_info *info, const of_cell *cell)
{
    return cell->result.scores && ((cell->roles & ONEFOLD_CELL_GRID) || !info->picks_view);
}

/* Finds the best and the median cell of a method with a grid, by mean ACC. */
static void rank_cells(const of_experiment *experiment, const of_method *method,
                       onefold_experiment_method_info *info)
{
    const of_cell *cells = experiment->cells;
    for (size_t i = 0; i < experiment->cell_count; i++) {
        if (cells[i].method != method || !(cells[i].roles & ONEFOLD_CELL_GRID))
            continue;
        info->grid_cells++;
        info->grid_failed += cells[i].result.status != ONEFOLD_OK;
    }
    for (size_t i = 0; i < experiment->cell_count && info->grid_cells; i++) {
        double acc = cells[i].result.mean[ONEFOLD_ACC];
        if (cells[i].method != method || !is_tried(info, &cells[i]))
            continue;
        info->tried++;
        if (info->best[0] == ONEFOLD_NO_CELL || acc > cells[info->best[0]].result.mean[ONEFOLD_ACC])
            for (int m = 0; m < ONEFOLD_MEASURES; m++)
                info->best[m] = i;
    }
    if (!info->tried)
        return;
    const of_cell_result *best = &cells[info->best[0]].result;
    double least =
        best->mean[ONEFOLD_ACC] - best->deviation[ONEFOLD_ACC] / sqrt((double)best->repeats);
    for (size_t i = 0; i < experiment->cell_count; i++) {
        double acc = cells[i].result.mean[ONEFOLD_ACC];
        size_t below = 0; /* cells that come before this one in ascending order */
        if (cells[i].method != method || !is_tried(info, &cells[i]))
            continue;
        info->near_best += i != info->best[0] && acc >= least;
        for (size_t j = 0; j < experiment->cell_count; j++) {
            double other = cells[j].result.mean[ONEFOLD_ACC];
            below += cells[j].method == method && is_tried(info, &cells[j]) &&
                     (other < acc || (other == acc && j < i));
        }
        if (below == (info->tried - 1) / 2)
            info->median = i;
    }
}

/* Fails with the error of the first cell if all cells failed. */
static onefold_status check_any(const of_experiment *experiment)
{
    for (size_t i = 0; i < experiment->cell_count; i++)
        if (experiment->cells[i].result.status == ONEFOLD_OK)
            return ONEFOLD_OK;
    const of_cell *first = &experiment->cells[experiment->contenders[0].info.standard];
    onefold_status status = of_fail(first->result.status, "%s", first->result.reason);
    if (experiment->contender_count > 1)
        return of_hint(status, "all %zu methods failed; %s said", experiment->contender_count,
                       first->method->name);
    return status;
}

static onefold_status run(of_context *context, void *opaque)
{
    of_experiment *experiment = opaque;
    OF_TRY(of_blas_room(context->threads));
    OF_TRY(of_experiment_plan(context, experiment));
    cell_progress shown = {.experiment = experiment};
    context->change_progress = show_cells;
    context->progress_user = &shown;
    onefold_status status = ONEFOLD_OK;
    size_t done = 0;
    /* The defaults first: an interrupted run has a complete table of them. */
    for (int standard = 1; standard >= 0; standard--)
        for (size_t i = 0; i < experiment->cell_count && status == ONEFOLD_OK; i++) {
            of_cell *cell = &experiment->cells[i];
            if (((cell->roles & ONEFOLD_CELL_STANDARD) != 0) == standard)
                status = finish_cell(context, experiment, cell, &shown);
        }
    for (size_t i = 0; i < experiment->contender_count; i++)
        rank_cells(experiment, experiment->contenders[i].method, &experiment->contenders[i].info);
    context->change_progress = NULL;
    if (shown.cell && shown.cell->done) {
        double count = (double)experiment->cell_count;
        of_number_print(shown.detail, sizeof shown.detail, "%.0f cells", count);
        of_context_progress(context, "bench", count, count, shown.detail);
    }
    for (size_t i = 0; i < experiment->cell_count; i++)
        done += experiment->cells[i].done;
    if (status == ONEFOLD_INTERRUPTED)
        return of_hint(
            of_fail(status, "interrupted after %zu of %zu cells", done, experiment->cell_count),
            experiment->store ? "they are stored; run the same command to continue"
                              : "name a file with `store` to keep finished cells");
    OF_TRY(status);
    OF_TRY(check_any(experiment));
    return find_agreement(experiment);
}

static onefold_status plan(of_context *context, void *opaque)
{
    of_experiment *experiment = opaque;
    OF_TRY(of_blas_room(context->threads));
    OF_TRY(of_experiment_plan(context, experiment));
    for (size_t i = 0; i < experiment->cell_count; i++) {
        of_cell *cell = &experiment->cells[i];
        cell->result = (of_cell_result){.reason = "", .note = ""};
        if (experiment->store)
            OF_TRY(of_cell_store_find(experiment->store, &experiment->arena, cell));
    }
    return ONEFOLD_OK;
}

/* ---- the public result ----------------------------------------------------------------------- */

onefold_status of_experiment_show(of_experiment *experiment)
{
    of_arena *arena = &experiment->arena;
    onefold_experiment_info *info = &experiment->info;
    onefold_view_fit *views;
    info->methods = experiment->contender_count;
    info->cells = experiment->cell_count;
    OF_TRY(OF_NEW_ZERO(arena, &views, info->views, 1));
    for (size_t i = 0; i < info->views; i++) {
        const of_view *view = &experiment->dataset->views[i];
        views[i] = (onefold_view_fit){.name = view->name,
                                      .kernel = experiment->kernels[i],
                                      .columns = view->columns,
                                      .storage = view->storage};
    }
    for (size_t i = 0; i < info->cells; i++) {
        of_cell *cell = &experiment->cells[i];
        onefold_fit_options sizes = experiment->options.fit;
        sizes.dims = cell->setting.dims ? cell->setting.dims : sizes.dims;
        sizes.anchors = cell->setting.anchors ? cell->setting.anchors : sizes.anchors;
        of_fit_resolve_sizes(experiment->dataset, &sizes);
        cell->result.method =
            (size_t)(of_experiment_contender(experiment, cell->method) - experiment->contenders);
        cell->result.setting = cell->name;
        cell->result.roles = cell->roles;
        cell->result.kept = cell->kept;
        cell->result.seconds_expected = cell->expected;
        cell->result.dims = cell->method->uses_dims ? sizes.dims : 0;
        cell->result.anchors = cell->method->uses_anchors ? sizes.anchors : 0;
        cell->result.only_view = 0;
        for (size_t v = 0; v < info->views && cell->result.view; v++)
            if (experiment->contenders[cell->result.method].info.picks_view &&
                cell->result.view[v]->weight > 0)
                cell->result.only_view = v + 1;
    }
    OF_TRY(OF_LIST(arena, &info->view, views, info->views));
    OF_TRY(of_arena_list(arena, &info->method, &experiment->contenders->info,
                         sizeof *experiment->contenders, info->methods));
    return of_arena_list(arena, &info->cell, &experiment->cells->result, sizeof *experiment->cells,
                         info->cells);
}

/* Makes an experiment by `work`: the plan, or the whole run. */
static onefold_status make(onefold_experiment **experiment, onefold_context *context,
                           const onefold_dataset *dataset, const onefold_fit_options *fit,
                           const onefold_experiment_options *options,
                           onefold_status (*work)(of_context *context, void *experiment))
{
    if (!experiment || !dataset)
        return of_fail(ONEFOLD_USAGE, "an experiment needs a place for its results and a data set");
    context = of_context_or_default(context);
    if (of_comm_splits(context, dataset->set.samples))
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "experiments are not split over processes, and %zu samples are",
                               dataset->set.samples),
                       "start one process");
    double began = of_clock_seconds();
    of_experiment *made;
    OF_TRY(OF_OBJECT(context, &made));
    made->dataset = &dataset->set;
    made->memory_limit = context->memory_limit;
    onefold_status status = of_experiment_read(made, fit, options);
    const onefold_experiment_options *bench = &made->options.bench;
    made->info = (onefold_experiment_info){
        .samples = made->dataset->samples,
        .views = made->dataset->view_count,
        .classes = made->dataset->class_count,
        .seed = made->options.fit.seed,
        .threads = context->threads,
        .restarts = made->options.fit.restarts ? made->options.fit.restarts : OF_RESTARTS,
        .repeats = bench->repeats,
        .grid_repeats = bench->repeats,
        .replicates = bench->replicates,
        .kmeans_iterations = OF_EXPERIMENT_KMEANS_ITERATIONS,
        .kmeans_start = bench->kmeans_start,
        .fingerprint = made->fingerprint,
        .truth = made->dataset->truth_name,
    };
    if (status == ONEFOLD_OK && bench->store)
        status = of_cell_store_open(&made->store, context, bench->store);
    if (status == ONEFOLD_OK)
        status = of_dataset_intact(made->dataset, of_call(context, "bench", work, made));
    of_cell_store_close(made->store);
    made->info.seconds = of_clock_seconds() - began;
    if (status == ONEFOLD_OK)
        status = of_experiment_show(made);
    return of_object_give(experiment, made, status);
}

onefold_status onefold_experiment_run(onefold_experiment **experiment, onefold_context *context,
                                      const onefold_dataset *dataset,
                                      const onefold_fit_options *fit,
                                      const onefold_experiment_options *options)
{
    return make(experiment, context, dataset, fit, options, run);
}

onefold_status onefold_experiment_plan(onefold_experiment **experiment, onefold_context *context,
                                       const onefold_dataset *dataset,
                                       const onefold_fit_options *fit,
                                       const onefold_experiment_options *options)
{
    return make(experiment, context, dataset, fit, options, plan);
}

void onefold_experiment_free(onefold_experiment *experiment)
{
    of_object_free(experiment);
}

const onefold_experiment_info *onefold_experiment_describe(const onefold_experiment *experiment)
{
    return experiment ? &experiment->info : NULL;
}
