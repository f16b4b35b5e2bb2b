/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of an experiment: data, settings, methods, every cell. */
#include "experiment/experiment.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The machine; unknown texts are empty, unknown numbers 0. */
static void put_machine(of_json *to, const of_experiment *experiment)
{
    char system[160] = "", processor[128] = "";
    struct utsname names;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
         page = sysconf(_SC_PAGESIZE);
    if (uname(&names) == 0)
        snprintf(system, sizeof system, "%.48s %.64s %.32s", names.sysname, names.release,
                 names.machine);
    const char *name = onefold_machine_description() + strlen("processor ");
    snprintf(processor, sizeof processor, "%.*s", (int)(strstr(name, " (") - name), name);
    of_json_put(to, "machine:{ system:t processor:t cores:n memory_bytes:n", system, processor,
                cores > 0 ? (size_t)cores : 0,
                pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0);
    of_json_put(to, "threads:i memory_limit:n capabilities:t }", experiment->info.threads,
                experiment->memory_limit, onefold_capabilities());
}

static void put_data(of_json *to, const of_experiment *experiment, const onefold_report *request)
{
    const of_dataset *dataset = experiment->dataset;
    of_json_put(to, "data:{ paths:T name:o fingerprint:t samples:n classes:n truth:t views:[",
                request->paths, request->path_count, request->name, experiment->fingerprint,
                dataset->samples, dataset->class_count, dataset->truth_name);
    for (size_t i = 0; i < dataset->view_count; i++) {
        const of_view *view = &dataset->views[i];
        of_json_put(to, "{ name:t columns:n storage:t nonzeros:n kernel:t }", view->name,
                    view->columns, onefold_name(ONEFOLD_NAMES_STORAGE, view->storage),
                    of_view_signs(view, 0, view->samples).nonzeros, experiment->kernels[i]);
    }
    of_json_put(to, "] }");
}

static void put_settings(of_json *to, const of_experiment *experiment)
{
    const onefold_experiment_options *options = &experiment->options.bench;
    const onefold_fit_options *fit = &experiment->options.fit;
    of_json_put(to, "settings:{ clusters:n kernel:t grid:t repeats:n grid_repeats:n",
                experiment->info.clusters, fit->kernel ? fit->kernel : "auto", options->grid,
                options->repeats, options->repeats);
    of_json_put(to, "seed:u restarts:n start:t variant:t nonneg:f stop:t tol:r max_iterations:n",
                fit->seed, experiment->info.restarts, onefold_name(ONEFOLD_NAMES_START, fit->start),
                onefold_name(ONEFOLD_NAMES_VARIANT, fit->variant), fit->nonneg,
                onefold_name(ONEFOLD_NAMES_STOP, fit->stop), fit->tolerance, fit->max_iterations);
    of_json_put(to, "kmeans_start:t kmeans_replicates:n kmeans_iterations:i }",
                onefold_name(ONEFOLD_NAMES_KMEANS_START, options->kmeans_start),
                options->replicates, OF_EXPERIMENT_KMEANS_ITERATIONS);
}

/* {"acc": {"mean", "deviation", "cell"}, ...}, with a cell for each measure; or null. */
static void put_spread(of_json *to, const char *key, const of_experiment *experiment, int given,
                       const size_t *cells)
{
    of_json_put(to, given ? "*:{" : "*:t", key, NULL);
    for (int m = 0; given && m < ONEFOLD_MEASURES; m++) {
        const of_cell_result *result = &experiment->cells[cells[m]].result;
        of_json_put(to, "*:{ mean:r deviation:r cell:n }", onefold_name(ONEFOLD_NAMES_MEASURE, m),
                    result->mean[m], result->deviation[m], cells[m]);
    }
    of_json_put(to, given ? "}" : "");
}

static void put_contender(of_json *to, const of_experiment *experiment,
                          const onefold_experiment_method_info *contender)
{
    int scored = experiment->cells[contender->standard].result.scores != NULL,
        chosen = contender->best[0] != ONEFOLD_NO_CELL;
    size_t same[ONEFOLD_MEASURES];
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        same[m] = contender->standard;
    of_json_put(to, "{ name:t title:t default_cell:n", contender->name, contender->title,
                contender->standard);
    put_spread(to, "default", experiment, scored, same);
    of_json_put(to, "grid_size:n grid_cells:n grid_failed:n chosen:t", contender->published,
                contender->grid_cells, contender->grid_failed,
                chosen ? "with labels, by mean ACC" : NULL);
    put_spread(to, "best", experiment, chosen, contender->best);
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        same[m] = contender->median;
    put_spread(to, "median", experiment, chosen, same);
    of_json_put(to, "tried:n near_best:n whole_runs:f drawn:t", contender->tried,
                contender->near_best, contender->whole_runs, contender->drawn);
    of_json_put(to, "expected:{ peak_bytes:n seconds:r } ends_in_kmeans:f }", contender->peak_bytes,
                contender->seconds, contender->ends_in_kmeans);
}

onefold_status of_json_experiment(of_json *to, const onefold_report *request)
{
    const onefold_experiment *experiment = request->experiment;
    size_t times = experiment->info.times_count, methods = experiment->contender_count;
    put_data(to, experiment, request);
    put_settings(to, experiment);
    of_json_put(to, "scored:f methods:[", experiment->dataset->truth != NULL);
    for (size_t i = 0; i < methods; i++)
        put_contender(to, experiment, experiment->info.method[i]);
    of_json_put(to, "]");
    if (experiment->info.sensitivity) /* k down, m across */
        of_json_put(to, "sensitivity:{ times:N cells:W }", experiment->info.times, times,
                    experiment->info.sensitivity, times, times);
    else
        of_json_put(to, "sensitivity:t", NULL);
    of_json_put(to, "agreement:M cells:[", experiment->info.agreement, methods, methods);
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const onefold_experiment_cell_info *shown = experiment->info.cell[i];
        int standard = (shown->roles & ONEFOLD_CELL_STANDARD) != 0;
        of_cell_open(to, &experiment->cells[i], standard && !to->in_page);
        of_json_put(to, "default:f grid:f sensitivity:f", standard,
                    (shown->roles & ONEFOLD_CELL_GRID) != 0,
                    (shown->roles & ONEFOLD_CELL_SENSITIVITY) != 0);
        if (experiment->cells[i].method->uses_dims)
            of_json_put(to, "dims:n anchors:n", shown->dims, shown->anchors);
        if (shown->only_view)
            of_json_put(to, "only_view:n", shown->only_view);
        of_json_put(to, "}");
    }
    of_json_put(to, "]");
    put_machine(to, experiment);
    of_json_put(to, "seconds:{ read:s total:s expected:r }", request->seconds_read,
                request->seconds_total, experiment->info.expected_seconds);
    return ONEFOLD_OK;
}
