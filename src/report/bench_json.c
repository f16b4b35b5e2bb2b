/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of an experiment: what was asked, on what, the summary, and every cell. */
#include "model/fit.h"
#include "report/bench.h"

#ifdef ONEFOLD_WITH_JSON

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ---- the machine ---------------------------------------------------------------------------- */

/* The machine this runs on; texts are empty and numbers 0 where they are not known. */
typedef struct machine_facts {
    char system[160], processor[128];
    size_t cores, memory_bytes;
} machine_facts;

static void read_processor(char *text, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && !text[0] && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
    }
    if (file)
        fclose(file);
}

static machine_facts machine_here(void)
{
    machine_facts machine = {.cores = 0};
    struct utsname names;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
         page = sysconf(_SC_PAGESIZE);
    if (uname(&names) == 0)
        snprintf(machine.system, sizeof machine.system, "%.48s %.64s %.32s", names.sysname,
                 names.release, names.machine);
    read_processor(machine.processor, sizeof machine.processor);
    machine.cores = cores > 0 ? (size_t)cores : 0;
    machine.memory_bytes = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
    return machine;
}

/* ---- the experiment ------------------------------------------------------------------------- */

static json_t *data_object(const of_experiment *experiment, const onefold_report *asked)
{
    const of_dataset *dataset = experiment->dataset;
    json_t *object = json_object(), *paths = json_array(), *views = json_array();
    int failed = 0;
    for (size_t i = 0; i < asked->path_count; i++)
        failed |= json_array_append_new(paths, of_json_text(asked->paths[i])) != 0;
    for (size_t i = 0; i < dataset->view_count; i++) {
        const of_view *view = &dataset->views[i];
        json_t *one = json_object();
        failed |= of_json_put(one, "name", of_json_text(view->name)) |
                  of_json_put(one, "columns", of_json_whole(view->columns)) |
                  of_json_put(one, "storage",
                              of_json_text(onefold_name(ONEFOLD_NAMES_STORAGE, view->storage))) |
                  of_json_put(one, "nonzeros", of_json_whole(of_view_nonzeros(view))) |
                  of_json_put(one, "kernel", of_json_text(experiment->kernels[i])) |
                  (json_array_append_new(views, one) != 0);
    }
    failed |= of_json_put(object, "paths", paths) |
              (asked->name && of_json_put(object, "name", of_json_text(asked->name))) |
              of_json_put(object, "fingerprint", of_json_text(experiment->fingerprint)) |
              of_json_put(object, "samples", of_json_whole(dataset->samples)) |
              of_json_put(object, "classes", of_json_whole(dataset->class_count)) |
              of_json_put(object, "views", views);
    return of_json_keep(object, failed);
}

static json_t *settings_object(const of_experiment *experiment)
{
    const of_experiment_options *options = &experiment->options;
    const onefold_fit_options *fit = &options->fit;
    json_t *object = json_object();
    int failed =
        of_json_put(object, "clusters", of_json_whole(experiment->clusters)) |
        of_json_put(object, "kernel", of_json_text(fit->kernel ? fit->kernel : "auto")) |
        of_json_put(object, "grid", of_json_text(options->grid)) |
        of_json_put(object, "repeats", of_json_whole(options->repeats)) |
        of_json_put(object, "grid_repeats", of_json_whole(options->grid_repeats)) |
        of_json_put(object, "seed", of_json_whole(fit->seed)) |
        of_json_put(object, "restarts", of_json_whole(fit->restarts)) |
        of_json_put(object, "start", of_json_text(onefold_name(ONEFOLD_NAMES_START, fit->start))) |
        of_json_put(object, "variant",
                    of_json_text(onefold_name(ONEFOLD_NAMES_VARIANT, fit->variant))) |
        of_json_put(object, "nonneg", json_boolean(fit->nonneg)) |
        of_json_put(object, "stop", of_json_text(onefold_name(ONEFOLD_NAMES_STOP, fit->stop))) |
        of_json_put(object, "tol", of_json_real(fit->tolerance)) |
        of_json_put(object, "max_iterations", of_json_whole(fit->max_iterations)) |
        of_json_put(object, "kmeans_start",
                    of_json_text(onefold_name(ONEFOLD_NAMES_KMEANS_START, options->kmeans_start))) |
        of_json_put(object, "kmeans_replicates", of_json_whole(options->replicates)) |
        of_json_put(object, "kmeans_iterations", of_json_whole(OF_EXPERIMENT_KMEANS_ITERATIONS));
    return of_json_keep(object, failed);
}

static json_t *machine_object(const of_experiment *experiment)
{
    machine_facts machine = machine_here();
    json_t *object = json_object();
    int failed = of_json_put(object, "system", of_json_text(machine.system)) |
                 of_json_put(object, "processor", of_json_text(machine.processor)) |
                 of_json_put(object, "cores", of_json_whole(machine.cores)) |
                 of_json_put(object, "memory_bytes", of_json_whole(machine.memory_bytes)) |
                 of_json_put(object, "threads", of_json_whole((uint64_t)experiment->threads)) |
                 of_json_put(object, "memory_limit", of_json_whole(experiment->memory_limit)) |
                 of_json_put(object, "capabilities", of_json_text(onefold_capabilities()));
    return of_json_keep(object, failed);
}

/* {"acc": {"mean", "deviation"}, ...}: of one cell, or of the best for each measure. */
static json_t *spread_object(const of_experiment *experiment, const size_t *cells)
{
    json_t *object = json_object();
    int failed = 0;
    for (int m = 0; m < ONEFOLD_MEASURES; m++) {
        const of_cell *cell = &experiment->cells[cells[m]];
        json_t *one = json_object();
        failed |= of_json_put(one, "mean", of_json_real(cell->spread[m].mean)) |
                  of_json_put(one, "deviation", of_json_real(cell->spread[m].deviation)) |
                  of_json_put(one, "cell", of_json_whole(cells[m])) |
                  of_json_put(object, onefold_name(ONEFOLD_NAMES_MEASURE, m), one);
    }
    return of_json_keep(object, failed);
}

static json_t *contender_object(const of_experiment *experiment, const of_contender *contender)
{
    const of_method *method = contender->method;
    const of_cell *standard = &experiment->cells[contender->standard];
    size_t same[ONEFOLD_MEASURES];
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        same[m] = contender->standard;
    json_t *object = json_object(), *need = json_object();
    int failed =
        of_json_put(need, "peak_bytes", of_json_whole(contender->peak_bytes)) |
        of_json_put(need, "seconds", of_json_real(contender->seconds)) |
        of_json_put(object, "name", of_json_text(method->name)) |
        of_json_put(object, "title", of_json_text(method->title)) |
        of_json_put(object, "default_cell", of_json_whole(contender->standard)) |
        of_json_put(object, "default",
                    standard->result.scores ? spread_object(experiment, same) : json_null()) |
        of_json_put(object, "grid_size", of_json_whole(contender->published)) |
        of_json_put(object, "grid_cells", of_json_whole(contender->grid_cells)) |
        of_json_put(object, "grid_failed", of_json_whole(contender->grid_failed)) |
        of_json_put(object, "chosen",
                    of_json_text(contender->best[0] == ONEFOLD_NO_CELL ? NULL
                                 : contender->picks_view
                                     ? "with labels, the best view for each score"
                                     : "with labels, by mean ACC")) |
        of_json_put(object, "best",
                    contender->best[0] == ONEFOLD_NO_CELL
                        ? json_null()
                        : spread_object(experiment, contender->best)) |
        of_json_put(object, "expected", need) |
        of_json_put(object, "ends_in_kmeans", json_boolean(method->ends_in_kmeans));
    return of_json_keep(object, failed);
}

static json_t *cell_object(const of_experiment *experiment, const of_cell *cell)
{
    json_t *object = of_bench_cell_object(cell, (cell->roles & ONEFOLD_CELL_STANDARD) != 0);
    onefold_fit_options sizes = experiment->options.fit;
    int failed = of_json_put(object, "default", json_boolean(cell->roles & ONEFOLD_CELL_STANDARD)) |
                 of_json_put(object, "grid", json_boolean(cell->roles & ONEFOLD_CELL_GRID)) |
                 of_json_put(object, "sensitivity",
                             json_boolean((cell->roles & ONEFOLD_CELL_SENSITIVITY) != 0));
    if (cell->method->uses_dims) {
        sizes.dims = cell->setting.dims ? cell->setting.dims : sizes.dims;
        sizes.anchors = cell->setting.anchors ? cell->setting.anchors : sizes.anchors;
        of_fit_resolve_sizes(experiment->dataset, &sizes);
        failed |= of_json_put(object, "dims", of_json_whole(sizes.dims)) |
                  of_json_put(object, "anchors", of_json_whole(sizes.anchors));
    }
    return of_json_keep(object, failed);
}

/* {"times": [...], "cells": [[...], ...]}: k down, m across. */
static json_t *sensitivity_object(const of_experiment *experiment)
{
    size_t count = experiment->times_count;
    if (!experiment->sensitivity)
        return json_null();
    json_t *object = json_object(), *rows = json_array();
    int failed = of_json_put(object, "times", of_json_sizes(experiment->times, count));
    for (size_t i = 0; i < count; i++)
        failed |= json_array_append_new(
                      rows, of_json_sizes(experiment->sensitivity + i * count, count)) != 0;
    failed |= of_json_put(object, "cells", rows);
    return of_json_keep(object, failed);
}

static json_t *agreement_array(const of_experiment *experiment)
{
    size_t count = experiment->contender_count;
    json_t *rows = json_array();
    int failed = 0;
    for (size_t i = 0; i < count; i++)
        failed |= json_array_append_new(
                      rows, of_json_reals(experiment->agreement + i * count, count)) != 0;
    return of_json_keep(rows, failed);
}

onefold_status of_json_experiment(json_t **made, const onefold_report *asked)
{
    const onefold_experiment *experiment = asked->experiment;
    json_t *object = json_object(), *methods = json_array(), *cells = json_array(),
           *seconds = json_object();
    int failed = of_json_put_seconds(seconds, "read", asked->seconds_read) |
                 of_json_put_seconds(seconds, "total", asked->seconds_total);
    for (size_t i = 0; i < experiment->contender_count; i++)
        failed |= json_array_append_new(
                      methods, contender_object(experiment, &experiment->contenders[i])) != 0;
    for (size_t i = 0; i < experiment->cell_count; i++)
        failed |= json_array_append_new(cells, cell_object(experiment, &experiment->cells[i])) != 0;
    failed |= of_json_put(object, "onefold", of_json_text(onefold_version())) |
              of_json_put(object, "data", data_object(experiment, asked)) |
              of_json_put(object, "settings", settings_object(experiment)) |
              of_json_put(object, "scored", json_boolean(experiment->dataset->truth != NULL)) |
              of_json_put(object, "methods", methods) |
              of_json_put(object, "sensitivity", sensitivity_object(experiment)) |
              of_json_put(object, "agreement", agreement_array(experiment)) |
              of_json_put(object, "cells", cells) |
              of_json_put(object, "machine", machine_object(experiment)) |
              of_json_put(object, "seconds", seconds);
    return of_json_made(made, object, failed);
}

#endif
