/* SPDX-License-Identifier: Apache-2.0 */
/* Running an experiment for a caller, with the store opened and closed, and asking what it found.
 */
#include "base/structs.h"
#include "experiment/experiment.h"
#include "model/fit.h"
#include "model/fit_options.h"
#include "model/result.h"
#include "report/bench.h"

#include <string.h>

/* "method:name=value,...;method:..." into own[], one for each method of the registry. */
static onefold_status split_own(of_arena *arena, const char *text, const char *const **own)
{
    const char **made;
    OF_TRY(OF_NEW_ZERO(arena, &made, of_method_count(), 1));
    for (const char *at = text; at && *at;) {
        size_t whole = strcspn(at, ";"), name = strcspn(at, ":;"), m = 0;
        const of_method *method;
        char *word, *options;
        if (name >= whole)
            return of_hint(of_fail(ONEFOLD_USAGE,
                                   "the options have '%.*s' where METHOD:name=value should stand",
                                   (int)whole, at),
                           "write them as rmsc:lambda=0.1;fmkkm:l1=2,l2=8");
        OF_TRY(of_arena_string(arena, &word, "%.*s", (int)name, at));
        OF_TRY(of_method_find(&method, word));
        OF_TRY(of_arena_string(arena, &options, "%.*s", (int)(whole - name - 1), at + name + 1));
        while (of_method_at(m) != method)
            m++;
        if (made[m])
            return of_fail(ONEFOLD_USAGE, "options of %s are given twice", method->name);
        made[m] = options;
        at += whole + (at[whole] == ';');
    }
    *own = made;
    return ONEFOLD_OK;
}

static onefold_status copy_options(of_arena *arena, const onefold_fit_options *fit,
                                   const onefold_experiment_options *options,
                                   of_experiment_options *copy, const char **store)
{
    onefold_experiment_options all = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    *copy = (of_experiment_options)OF_EXPERIMENT_OPTIONS_INIT;
    OF_TRY(OF_STRUCT_READ(&all, options, onefold_experiment_options));
    OF_TRY(of_fit_options_copy(&copy->fit, fit));
    OF_TRY(of_fit_options_refuse(&copy->fit, &standard,
                                 "clusters kernel dims anchors restarts start variant nonneg stop "
                                 "tolerance max_iterations base landmarks precision seed spill",
                                 "comparing methods"));
    if (!onefold_name(ONEFOLD_NAMES_KMEANS_START, all.kmeans_start))
        return of_fail(ONEFOLD_USAGE,
                       "the option kmeans_start has a value that is not one of its choices");
    OF_TRY(split_own(arena, all.method_options, &copy->own));
    copy->methods = all.methods;
    if (all.grid)
        copy->grid = all.grid;
    copy->repeats = all.repeats;
    copy->grid_repeats = all.grid_repeats;
    copy->kmeans_start = (of_kmeans_start)all.kmeans_start;
    copy->replicates = all.replicates;
    copy->sensitivity = all.sensitivity;
    *store = all.store;
    return ONEFOLD_OK;
}

onefold_status onefold_experiment_check(const onefold_fit_options *fit,
                                        const onefold_experiment_options *options)
{
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    of_experiment_options all;
    const char *store;
    OF_TRY(copy_options(&scratch, fit, options, &all, &store));
    return of_experiment_check(scratch.context, &all);
}

onefold_status onefold_experiment_run(onefold_experiment **experiment, onefold_context *context,
                                      const onefold_dataset *dataset,
                                      const onefold_fit_options *fit,
                                      const onefold_experiment_options *options)
{
    if (!experiment || !dataset)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_experiment_run needs a place for the experiment and a data set");
    context = of_context_or_default(context);
    OF_SCRATCH(scratch, context);
    of_experiment_options all;
    of_bench_store *store = NULL;
    of_cell_store face;
    const char *path;
    OF_TRY(copy_options(&scratch, fit, options, &all, &path));
    if (path) {
        OF_TRY(of_bench_store_open(&store, context, path));
        face = of_bench_store_face(store);
        all.store = &face;
    }
    onefold_status status = of_experiment_run(experiment, context, &dataset->set, &all);
    of_bench_store_close(store);
    return status;
}

void onefold_experiment_free(onefold_experiment *experiment)
{
    of_experiment_free(experiment);
}

/* ---- asking an experiment what it found ----------------------------------------------------- */

onefold_status onefold_experiment_describe(const onefold_experiment *experiment,
                                           onefold_experiment_info *info)
{
    if (!experiment || !info)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_experiment_describe needs an experiment and a place for the info");
    const of_experiment_options *options = &experiment->options;
    onefold_experiment_info all = {
        .samples = experiment->dataset->samples,
        .views = experiment->dataset->view_count,
        .clusters = experiment->clusters,
        .classes = experiment->dataset->class_count,
        .methods = experiment->contender_count,
        .cells = experiment->cell_count,
        .seed = options->fit.seed,
        .threads = experiment->threads,
        .restarts = options->fit.restarts,
        .repeats = options->repeats,
        .grid_repeats = options->grid_repeats,
        .replicates = options->replicates,
        .kmeans_start = (onefold_kmeans_start)options->kmeans_start,
        .fingerprint = experiment->fingerprint,
        .times_count = experiment->times_count,
        .times = experiment->times,
        .sensitivity = experiment->sensitivity,
        .agreement = experiment->agreement,
        .seconds = experiment->seconds,
        .kmeans_iterations = OF_EXPERIMENT_KMEANS_ITERATIONS,
    };
    return OF_STRUCT_WRITE(info, &all, onefold_experiment_info);
}

onefold_status onefold_experiment_view(const onefold_experiment *experiment, size_t index,
                                       onefold_view_fit *view)
{
    if (!experiment || !view)
        return of_fail(ONEFOLD_USAGE, "onefold_experiment_view needs an experiment and a place");
    if (index >= experiment->dataset->view_count)
        return of_fail(ONEFOLD_USAGE, "view %zu was asked for, and there are %zu", index + 1,
                       experiment->dataset->view_count);
    const of_view *of = &experiment->dataset->views[index];
    onefold_view_fit all = {.name = of->name,
                            .kernel = experiment->kernels[index],
                            .columns = of->columns,
                            .storage = of->storage};
    return OF_STRUCT_WRITE(view, &all, onefold_view_fit);
}

onefold_status onefold_experiment_method(const onefold_experiment *experiment, size_t index,
                                         onefold_experiment_method_info *info)
{
    if (!experiment || !info)
        return of_fail(ONEFOLD_USAGE, "onefold_experiment_method needs an experiment and a place");
    if (index >= experiment->contender_count)
        return of_fail(ONEFOLD_USAGE, "method %zu was asked for, and there are %zu", index + 1,
                       experiment->contender_count);
    const of_contender *contender = &experiment->contenders[index];
    onefold_experiment_method_info all = {
        .name = contender->method->name,
        .title = contender->method->title,
        .standard = contender->standard,
        .published = contender->published,
        .grid_cells = contender->grid_cells,
        .grid_failed = contender->grid_failed,
        .has_grid = contender->method->grid != NULL,
        .takes_dims = contender->method->uses_dims,
        .ends_in_kmeans = contender->method->ends_in_kmeans,
        .picks_view = contender->picks_view,
        .peak_bytes = contender->peak_bytes,
    };
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        all.best[m] = contender->best[m];
    return OF_STRUCT_WRITE(info, &all, onefold_experiment_method_info);
}

/* A cell of the list, or NULL with a sentence. */
static const of_cell *cell_at(const onefold_experiment *experiment, size_t index)
{
    if (experiment && index < experiment->cell_count)
        return &experiment->cells[index];
    of_fail(ONEFOLD_USAGE, "cell %zu was asked for, and there are %zu", index + 1,
            experiment ? experiment->cell_count : 0);
    return NULL;
}

static size_t method_of(const onefold_experiment *experiment, const of_cell *cell)
{
    size_t i = 0;
    while (experiment->contenders[i].method != cell->method)
        i++;
    return i;
}

onefold_status onefold_experiment_cell(const onefold_experiment *experiment, size_t index,
                                       onefold_experiment_cell_info *info)
{
    const of_cell *cell = cell_at(experiment, index);
    if (!cell || !info)
        return cell ? of_fail(ONEFOLD_USAGE, "onefold_experiment_cell was given no place for it")
                    : ONEFOLD_USAGE;
    const of_cell_result *result = &cell->result;
    onefold_fit_options sizes = experiment->options.fit;
    sizes.dims = cell->setting.dims ? cell->setting.dims : sizes.dims;
    sizes.anchors = cell->setting.anchors ? cell->setting.anchors : sizes.anchors;
    of_fit_resolve_sizes(experiment->dataset, &sizes);
    onefold_experiment_cell_info all = {
        .method = method_of(experiment, cell),
        .setting = cell->name,
        .roles = cell->roles,
        .kept = cell->kept,
        .dims = cell->method->uses_dims ? sizes.dims : 0,
        .anchors = cell->method->uses_dims ? sizes.anchors : 0,
        .status = result->status,
        .reason = result->reason,
        .repeats = result->repeats,
        .scored = result->scores != NULL,
        .objectives = result->objectives,
        .answer = result->answer,
        .labels = result->labels,
        .clusters_used = result->clusters_used,
        .silhouette = result->silhouette,
        .objective = result->objective,
        .trace = result->trace,
        .iterations = result->iterations,
        .converged = result->converged,
        .note = result->note,
        .seconds_base = result->seconds_base,
        .seconds_fit = result->seconds_fit,
        .seconds_kmeans = result->seconds_kmeans,
        .seconds = result->seconds,
        .peak_bytes = result->peak_bytes,
    };
    for (int m = 0; m < ONEFOLD_MEASURES; m++) {
        all.mean[m] = cell->spread[m].mean;
        all.deviation[m] = cell->spread[m].deviation;
    }
    return OF_STRUCT_WRITE(info, &all, onefold_experiment_cell_info);
}

onefold_status onefold_experiment_scores(const onefold_experiment *experiment, size_t cell,
                                         size_t repeat, onefold_scores *scores)
{
    const of_cell *of = cell_at(experiment, cell);
    if (!of || !scores)
        return of ? of_fail(ONEFOLD_USAGE, "onefold_experiment_scores was given no place for them")
                  : ONEFOLD_USAGE;
    return OF_WRITE_AT(scores, of->result.scores, repeat,
                       of->result.scores ? of->result.repeats : 0, onefold_scores, "repeat");
}

onefold_status onefold_experiment_cell_view(const onefold_experiment *experiment, size_t cell,
                                            size_t view, onefold_view_fit *info)
{
    const of_cell *of = cell_at(experiment, cell);
    if (!of || !info)
        return of ? of_fail(ONEFOLD_USAGE, "onefold_experiment_cell_view was given no place for it")
                  : ONEFOLD_USAGE;
    return OF_WRITE_AT(info, of->result.views, view, of->result.view_count, onefold_view_fit,
                       "view");
}
