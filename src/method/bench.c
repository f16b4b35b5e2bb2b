/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds libonefold-bench. The shared library loads it where it is first used, and has the functions
 * of onefold.h that call it; the static library holds it; the engine alone (ONEFOLD_ENGINE_ONLY) is
 * without it.
 */
#include "method/bench.h"

#include "base/status.h"

#if defined ONEFOLD_BENCH_LOADED

#include "base/library.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

/* It is loaded at most once, and stays. */
static const of_bench *_Atomic registered;

static const of_bench *load(const char **reason)
{
    const of_bench *(*entry)(void) = NULL, *found;
    void *library = of_library_open("libonefold-bench.so.1");
    if (library)
        *(void **)&entry = dlsym(library, OF_BENCH_ENTRY);
    found = entry ? entry() : NULL;
    if (!library)
        *reason = dlerror();
    else if (!found || strcmp(found->version, onefold_version()) != 0)
        *reason = "it is of another version of onefold";
    else
        return found;
    return NULL;
}

static const of_bench *get(const char **reason)
{
    const of_bench *found = atomic_load(&registered);
    if (!found && (found = load(reason)))
        atomic_store(&registered, found);
    return found;
}

#elif defined ONEFOLD_ENGINE_ONLY

static const of_bench *get(const char **reason)
{
    *reason = "this is the engine alone";
    return NULL;
}

#else

static const of_bench *get(const char **reason)
{
    (void)reason;
    return of_bench_table();
}

#endif

const of_bench *of_bench_get(void)
{
    const char *reason;
    return get(&reason);
}

onefold_status of_bench_find(const of_bench **bench)
{
    const char *reason = NULL;
    *bench = get(&reason);
    return *bench ? ONEFOLD_OK
                  : of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                                    "comparison methods, experiments and synthetic data are of "
                                    "libonefold-bench, which cannot be loaded: %s",
                                    reason ? reason : "unknown reason"),
                            "install it beside libonefold");
}

/* ---- the functions of onefold.h that it has ------------------------------------------------- */

#if defined ONEFOLD_BENCH_LOADED || defined ONEFOLD_ENGINE_ONLY

/* An object that it made shows that it is there. */
#define CALL(function, ...)                                                                        \
    const of_bench *bench;                                                                         \
    OF_TRY(of_bench_find(&bench));                                                                 \
    return bench->function(__VA_ARGS__)

onefold_status onefold_dataset_synth(onefold_dataset **dataset, onefold_context *context,
                                     const onefold_synth_options *options)
{
    CALL(dataset_synth, dataset, context, options);
}

onefold_status onefold_experiment_check(const onefold_fit_options *fit,
                                        const onefold_experiment_options *options)
{
    CALL(experiment_check, fit, options);
}

onefold_status onefold_experiment_run(onefold_experiment **experiment, onefold_context *context,
                                      const onefold_dataset *dataset,
                                      const onefold_fit_options *fit,
                                      const onefold_experiment_options *options)
{
    CALL(experiment_run, experiment, context, dataset, fit, options);
}

onefold_status onefold_experiment_plan(onefold_experiment **experiment, onefold_context *context,
                                       const onefold_dataset *dataset,
                                       const onefold_fit_options *fit,
                                       const onefold_experiment_options *options)
{
    CALL(experiment_plan, experiment, context, dataset, fit, options);
}

onefold_status onefold_study_read(onefold_study **study, onefold_context *context, const char *path)
{
    CALL(study_read, study, context, path);
}

onefold_status onefold_compare(onefold_comparison **comparison, onefold_context *context,
                               const double *values, size_t rows, size_t methods)
{
    CALL(compare, comparison, context, values, rows, methods);
}

void onefold_experiment_free(onefold_experiment *experiment)
{
    if (experiment)
        of_bench_get()->experiment_free(experiment);
}

const onefold_experiment_info *onefold_experiment_describe(const onefold_experiment *experiment)
{
    return experiment ? of_bench_get()->experiment_describe(experiment) : NULL;
}

void onefold_study_free(onefold_study *study)
{
    if (study)
        of_bench_get()->study_free(study);
}

const onefold_study_info *onefold_study_describe(const onefold_study *study)
{
    return study ? of_bench_get()->study_describe(study) : NULL;
}

void onefold_comparison_free(onefold_comparison *comparison)
{
    if (comparison)
        of_bench_get()->comparison_free(comparison);
}

const onefold_comparison_info *onefold_comparison_describe(const onefold_comparison *comparison)
{
    return comparison ? of_bench_get()->comparison_describe(comparison) : NULL;
}

#endif
