/* SPDX-License-Identifier: Apache-2.0 */
/* What an experiment will do: which methods, at which settings, each setting once. */
#include "experiment/experiment_parts.h"

#include "model/fit.h"

#include <stdlib.h>
#include <string.h>

/* ---- methods ------------------------------------------------------------------------------- */

static onefold_status add_contender(of_experiment *experiment, const of_method *method)
{
    for (size_t i = 0; i < experiment->contender_count; i++)
        if (experiment->contenders[i].method == method)
            return ONEFOLD_OK;
    of_contender *contender = &experiment->contenders[experiment->contender_count++];
    contender->method = method;
    contender->picks_view = method->grid && strchr(method->grid, '*') != NULL;
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        contender->best[m] = ONEFOLD_NO_CELL;
    return ONEFOLD_OK;
}

/* "all", or names with commas between them; each once, in the order of the registry or as named. */
static onefold_status choose_methods(of_experiment *experiment)
{
    const char *list = experiment->options.methods;
    OF_TRY(OF_NEW_ZERO(&experiment->arena, &experiment->contenders, of_method_count(), 1));
    if (!list || strcmp(list, "all") == 0) {
        for (size_t i = 0; i < of_method_count(); i++)
            OF_TRY(add_contender(experiment, of_method_at(i)));
        return ONEFOLD_OK;
    }
    for (const char *at = list;;) {
        char name[64];
        size_t length = strcspn(at, ",");
        const of_method *method;
        if (length == 0)
            return of_hint(
                of_fail(ONEFOLD_USAGE, "the list of methods '%s' has an empty name", list),
                "write it as avg-kkm,mkkm, or all");
        memcpy(name, at, length < sizeof name ? length : sizeof name - 1);
        name[length < sizeof name ? length : sizeof name - 1] = '\0';
        OF_TRY(of_method_find(&method, name));
        OF_TRY(add_contender(experiment, method));
        if (!at[length])
            return ONEFOLD_OK;
        at += length + 1;
    }
}

/* ---- cells --------------------------------------------------------------------------------- */

/* A setting as people read it. */
static onefold_status name_setting(of_arena *arena, const of_setting *setting, char **name)
{
    char *sizes = "";
    if (!setting->dims && !setting->anchors)
        return of_arena_string(arena, name, "%s", setting->own[0] ? setting->own : "default");
    if (setting->dims && setting->anchors)
        OF_TRY(of_arena_string(arena, &sizes, "k=%zu,m=%zu", setting->dims, setting->anchors));
    else if (setting->dims)
        OF_TRY(of_arena_string(arena, &sizes, "k=%zu", setting->dims));
    else
        OF_TRY(of_arena_string(arena, &sizes, "m=%zu", setting->anchors));
    return of_arena_string(arena, name, "%s%s%s", sizes, setting->own[0] ? "," : "", setting->own);
}

/* Puts a cell on the list, or adds the role to the one that is already there. */
static onefold_status add_cell(of_experiment *experiment, const of_method *method,
                               const of_setting *setting, unsigned role, size_t *place)
{
    OF_SCRATCH(scratch, experiment->arena.context);
    onefold_fit_options options;
    const char *key;
    char *name;
    size_t repeats = experiment->options.repeats, fewer = experiment->options.grid_repeats;
    if (role != ONEFOLD_CELL_STANDARD && !method->ends_in_kmeans && fewer < repeats)
        repeats = fewer;
    OF_TRY(of_cell_options(&scratch, experiment, method, setting, &options));
    OF_TRY(of_cell_key(&experiment->arena, experiment, method, &options, repeats, &key));
    for (*place = 0; *place < experiment->cell_count; ++*place)
        if (of_cell_key_alike(experiment->cells[*place].key, key)) {
            experiment->cells[*place].roles |= role;
            return ONEFOLD_OK;
        }
    OF_TRY(OF_GROW(&experiment->arena, &experiment->cells, experiment->cell_count,
                   &experiment->cell_room, experiment->cell_count + 1));
    OF_TRY(name_setting(&experiment->arena, setting, &name));
    of_cell *cell = &experiment->cells[experiment->cell_count++];
    *cell = (of_cell){.method = method};
    cell->setting = *setting;
    cell->name = name;
    cell->key = key;
    cell->repeats = repeats;
    cell->roles = role;
    cell->result.reason = cell->result.note = "";
    return ONEFOLD_OK;
}

/* How many settings its authors tried. */
static onefold_status count_published(const of_experiment *experiment, of_contender *contender)
{
    OF_SCRATCH(scratch, experiment->arena.context);
    of_setting *settings;
    contender->published = 1;
    if (!contender->method->grid)
        return ONEFOLD_OK;
    return of_grid_expand(&scratch, contender->method, contender->method->grid,
                          experiment->clusters, experiment->dataset->view_count, &settings,
                          &contender->published);
}

static onefold_status add_grid(of_experiment *experiment, of_contender *contender)
{
    const char *grid;
    of_setting *settings;
    size_t count, place, before;
    OF_TRY(count_published(experiment, contender));
    OF_TRY(of_experiment_grid(experiment, contender, &grid));
    if (!grid)
        return ONEFOLD_OK;
    OF_TRY(of_grid_expand(&experiment->arena, contender->method, grid, experiment->clusters,
                          experiment->dataset->view_count, &settings, &count));
    if (!experiment->dataset->truth)
        return ONEFOLD_OK; /* nothing could choose among them */
    for (size_t i = 0; i < count; i++) {
        before = experiment->cell_count;
        OF_TRY(add_cell(experiment, contender->method, &settings[i], ONEFOLD_CELL_GRID, &place));
        if (place < before &&
            experiment->cells[place].roles == (ONEFOLD_CELL_STANDARD | ONEFOLD_CELL_GRID)) {
            char *name;
            OF_TRY(name_setting(&experiment->arena, &settings[i], &name));
            experiment->cells[place].name = name; /* says more than "default" */
        }
    }
    return ONEFOLD_OK;
}

/* ---- sensitivity --------------------------------------------------------------------------- */

/* "1,2,4": whole numbers from 1, rising or not, each once. */
static onefold_status read_times(of_experiment *experiment, const char *list)
{
    size_t room = 1;
    for (const char *at = list; *at; at++)
        room += *at == ',';
    OF_TRY(OF_NEW(&experiment->arena, &experiment->times, room, 1));
    if (!*list)
        return of_hint(of_fail(ONEFOLD_USAGE, "the sensitivity grid has no cells"),
                       "give multiples of the clusters, as in `sensitivity` 1,2,4");
    for (const char *at = list;; at++) {
        char *end;
        unsigned long long times = strtoull(at, &end, 10);
        if (end == at || *at == '-' || *at == '+' || times < 1 || times > 1000000 ||
            (*end && *end != ','))
            return of_hint(
                of_fail(ONEFOLD_USAGE, "'%s' is no list of multiples of the clusters", list),
                "give whole numbers from 1, as in `sensitivity` 1,2,4");
        for (size_t i = 0; i < experiment->times_count; i++)
            if (experiment->times[i] == times)
                return of_fail(ONEFOLD_USAGE, "the sensitivity grid has %llu twice", times);
        if (experiment->times_count == OF_MOST_TIMES)
            return of_fail(ONEFOLD_USAGE, "the sensitivity grid has more than %d multiples",
                           OF_MOST_TIMES);
        experiment->times[experiment->times_count++] = (size_t)times;
        at = end;
        if (!*at)
            return ONEFOLD_OK;
    }
}

/* What was asked for can be read, and some method takes part that has k and m. */
static onefold_status check_sensitivity(of_experiment *experiment)
{
    for (size_t i = 0; i < experiment->contender_count; i++)
        if (experiment->contenders[i].method->uses_dims)
            return read_times(experiment, experiment->options.sensitivity);
    return of_hint(of_fail(ONEFOLD_USAGE,
                           "the sensitivity to k and m is asked for, and no method takes part "
                           "that has them"),
                   "add os-lfmvc-cs to `methods`, or leave out `sensitivity`");
}

static onefold_status add_sensitivity(of_experiment *experiment)
{
    const char *list = experiment->options.sensitivity;
    const of_contender *contender = NULL;
    for (size_t i = 0; i < experiment->contender_count && !contender; i++)
        if (experiment->contenders[i].method->uses_dims)
            contender = &experiment->contenders[i];
    if (!contender)
        return ONEFOLD_OK;
    const char *grid;
    OF_TRY(of_experiment_grid(experiment, contender, &grid));
    if (!list && grid)
        OF_TRY(read_times(experiment, "1,2,4"));
    size_t count = experiment->times_count;
    if (!count || !experiment->dataset->truth)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&experiment->arena, &experiment->sensitivity, count, count));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            of_setting setting = {experiment->times[i] * experiment->clusters,
                                  experiment->times[j] * experiment->clusters, ""};
            OF_TRY(add_cell(experiment, contender->method, &setting, ONEFOLD_CELL_SENSITIVITY,
                            &experiment->sensitivity[i * count + j]));
        }
    return ONEFOLD_OK;
}

/* ---- the whole ----------------------------------------------------------------------------- */

/* Options of methods that do not take part would be silently without effect. */
static onefold_status check_own(const of_experiment *experiment)
{
    for (size_t i = 0; experiment->options.own && i < of_method_count(); i++) {
        size_t c = 0;
        while (c < experiment->contender_count &&
               experiment->contenders[c].method != of_method_at(i))
            c++;
        if (experiment->options.own[i] && c == experiment->contender_count)
            return of_hint(of_fail(ONEFOLD_USAGE,
                                   "options of %s are given, which is not among the methods",
                                   of_method_at(i)->name),
                           "add it to `methods`, or leave them out");
    }
    return ONEFOLD_OK;
}

static onefold_status check_options(of_experiment *experiment)
{
    const of_experiment_options *options = &experiment->options;
    if (options->repeats < 1)
        return of_hint(of_fail(ONEFOLD_USAGE, "0 repeats give no figures"),
                       "ask for 1 or more; a standard deviation needs 2");
    if (options->grid_repeats < 1)
        return of_fail(ONEFOLD_USAGE, "0 repeats in a grid give nothing to choose by");
    if (options->replicates < 1)
        return of_fail(ONEFOLD_USAGE, "0 replicates give no k-means; ask for 1 or more");
    OF_TRY(choose_methods(experiment));
    OF_TRY(of_experiment_check_grid(experiment));
    OF_TRY(check_own(experiment));
    return options->sensitivity ? check_sensitivity(experiment) : ONEFOLD_OK;
}

onefold_status of_experiment_check(of_context *context, const of_experiment_options *options)
{
    of_experiment experiment = {.arena = of_arena_make(context), .options = *options};
    onefold_status status = check_options(&experiment);
    of_arena_free(&experiment.arena);
    return status;
}

static onefold_status count_clusters(of_experiment *experiment)
{
    const of_experiment_options *options = &experiment->options;
    const of_dataset *dataset = experiment->dataset;
    experiment->clusters = options->fit.clusters ? options->fit.clusters : dataset->class_count;
    if (experiment->clusters == 0)
        return of_hint(of_fail(ONEFOLD_USAGE, "the data has no true labels to take the number of "
                                              "clusters from"),
                       "give `clusters`, or name the labels with `truth`");
    experiment->options.fit.clusters = experiment->clusters;
    return ONEFOLD_OK;
}

/* What every method would take, and whether it can work on this data at all. */
static onefold_status estimate_cells(of_context *context, of_experiment *experiment)
{
    const of_setting standard = {0, 0, ""};
    int able = 0; /* some contender takes samples that lack views */
    for (size_t i = 0; i < experiment->contender_count; i++)
        able |= experiment->contenders[i].method->accepts_missing;
    for (size_t i = 0; i < experiment->contender_count; i++) {
        of_contender *contender = &experiment->contenders[i];
        if (experiment->dataset->present && !contender->method->accepts_missing && able)
            continue; /* its cells say why it cannot work on this data */
        OF_SCRATCH(scratch, context);
        onefold_fit_options options;
        of_fit_plan plan;
        OF_TRY(of_cell_options(&scratch, experiment, contender->method, &standard, &options));
        OF_TRY(of_fit_plan_make(context, &scratch, experiment->dataset, &options, &plan));
        contender->peak_bytes = plan.estimate.peak_bytes;
        contender->seconds = plan.estimate.seconds;
        if (experiment->kernels)
            continue;
        const char **kernels;
        OF_TRY(OF_NEW(&experiment->arena, &kernels, experiment->dataset->view_count, 1));
        for (size_t v = 0; v < experiment->dataset->view_count; v++)
            kernels[v] = of_kernel_title(&plan.kernels[v]);
        experiment->kernels = kernels;
    }
    return ONEFOLD_OK;
}

onefold_status of_experiment_plan(of_context *context, of_experiment *experiment)
{
    const of_setting standard = {0, 0, ""};
    OF_TRY(check_options(experiment));
    OF_TRY(count_clusters(experiment));
    OF_TRY(estimate_cells(context, experiment));
    OF_TRY(of_dataset_fingerprint(context, experiment->dataset, experiment->fingerprint));
    for (size_t i = 0; i < experiment->contender_count; i++)
        OF_TRY(add_cell(experiment, experiment->contenders[i].method, &standard,
                        ONEFOLD_CELL_STANDARD, &experiment->contenders[i].standard));
    for (size_t i = 0; i < experiment->contender_count; i++)
        OF_TRY(add_grid(experiment, &experiment->contenders[i]));
    return add_sensitivity(experiment);
}
