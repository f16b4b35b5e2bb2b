/* SPDX-License-Identifier: Apache-2.0 */
/* A cell in full: the options of its fits, and the text that tells it from every other cell. */
#include "experiment/experiment_parts.h"
#include "model/fit.h"

#include <stdio.h>
#include <string.h>

static const char last_name[] = " repeats="; /* of a key */

static const char *given_own(const of_experiment *experiment, const of_method *method)
{
    for (size_t i = 0; experiment->options.own && i < of_method_count(); i++)
        if (of_method_at(i) == method)
            return experiment->options.own[i];
    return NULL;
}

onefold_status of_cell_options(of_arena *arena, const of_experiment *experiment,
                               const of_method *method, const of_setting *setting,
                               onefold_fit_options *options)
{
    const char *given = given_own(experiment, method);
    char *own;
    *options = experiment->options.fit;
    options->method = method->name;
    if (setting->dims)
        options->dims = setting->dims;
    if (setting->anchors)
        options->anchors = setting->anchors;
    int both = given && *given && *setting->own;
    OF_TRY(
        of_arena_string(arena, &own, "%s%s%s", given ? given : "", both ? "," : "", setting->own));
    options->method_options = own; /* of two values for one name the later one, the grid's, holds */
    of_fit_resolve_sizes(experiment->dataset, options);
    return ONEFOLD_OK;
}

/* " name=value" of every option the method has, whatever was said of it. */
static onefold_status own_text(of_arena *arena, const of_method *method, const char *given,
                               char **text)
{
    OF_SCRATCH(scratch, arena->context);
    double *own;
    OF_TRY(OF_NEW(&scratch, &own, method->option_count, 1));
    OF_TRY(of_method_parse_options(method, given, own));
    OF_TRY(of_arena_string(arena, text, "%s", ""));
    for (size_t i = 0; i < method->option_count; i++) {
        char *longer;
        OF_TRY(
            of_arena_string(arena, &longer, "%s %s=%.17g", *text, method->options[i].name, own[i]));
        *text = longer;
    }
    return ONEFOLD_OK;
}

static onefold_status kernel_text(of_arena *arena, const of_experiment *experiment, char **text)
{
    OF_TRY(of_arena_string(arena, text, "%s", ""));
    for (size_t v = 0; v < experiment->dataset->view_count; v++) {
        char *longer;
        OF_TRY(
            of_arena_string(arena, &longer, "%s%s%s", *text, v ? "," : "", experiment->kernels[v]));
        *text = longer;
    }
    return ONEFOLD_OK;
}

onefold_status of_cell_key(of_arena *arena, const of_experiment *experiment,
                           const of_method *method, const onefold_fit_options *options,
                           size_t repeats, const char **key)
{
    const of_experiment_options *all = &experiment->options;
    OF_SCRATCH(scratch, arena->context);
    char *own, *kernels, *made;
    OF_TRY(own_text(&scratch, method, options->method_options, &own));
    OF_TRY(kernel_text(&scratch, experiment, &kernels));
    OF_TRY(of_arena_string(
        arena, &made,
        "onefold %s data %s method %s%s clusters=%zu kernel=%s/%s dims=%zu anchors=%zu "
        "restarts=%zu start=%d variant=%d nonneg=%d stop=%d tol=%.17g max-iter=%zu base=%d "
        "landmarks=%zu neighbours=%zu effort=%d precision=%d seed=%llu kmeans-start=%d "
        "replicates=%zu%s%zu",
        onefold_version(), experiment->fingerprint, method->name, own, options->clusters,
        options->kernel ? options->kernel : "auto", kernels, method->uses_dims ? options->dims : 0,
        method->uses_dims ? options->anchors : 0, method->ends_in_kmeans ? 0 : options->restarts,
        (int)options->start, (int)options->variant, options->nonneg != 0, (int)options->stop,
        options->tolerance, options->max_iterations, (int)options->base, options->landmarks,
        options->neighbours, (int)options->effort, (int)options->precision,
        (unsigned long long)options->seed, (int)all->kmeans_start, all->replicates, last_name,
        repeats));
    *key = made;
    return ONEFOLD_OK;
}

int of_cell_key_alike(const char *a, const char *b)
{
    size_t length = (size_t)(strstr(a, last_name) - a);
    return strncmp(a, b, length) == 0 && strncmp(b + length, last_name, strlen(last_name)) == 0;
}

onefold_status of_cell_want_all(of_experiment *experiment, of_cell *cell)
{
    OF_SCRATCH(scratch, experiment->arena.context);
    onefold_fit_options options;
    cell->repeats = experiment->options.repeats;
    cell->done = cell->kept = 0;
    OF_TRY(of_cell_options(&scratch, experiment, cell->method, &cell->setting, &options));
    return of_cell_key(&experiment->arena, experiment, cell->method, &options, cell->repeats,
                       &cell->key);
}
