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

const onefold_experiment_info *onefold_experiment_describe(const onefold_experiment *experiment)
{
    return experiment ? &experiment->info : NULL;
}
