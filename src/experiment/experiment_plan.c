/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of an experiment: its methods, and cells at different settings. */
#include "experiment/experiment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- grids ----------------------------------------------------------------------------------- */

enum { AXES = 16, MOST_SETTINGS = 100000 };

/* A name and its values. */
typedef struct axis {
    const char *name;
    char **values;
    size_t count;
} axis;

typedef struct reader {
    of_arena *arena;
    const of_method *method;
    size_t clusters, views;
} reader;

static const char *const size_names[] = {"dims", "anchors"};

static int is_size(const reader *in, const char *name)
{
    return (in->method->uses_dims && strcmp(name, size_names[0]) == 0) ||
           (in->method->uses_anchors && strcmp(name, size_names[1]) == 0);
}

/* The values of an axis from "a|b|c" or "*". `text` is modified. */
static onefold_status read_values(const reader *in, axis *into, char *text)
{
    int all = strcmp(text, "*") == 0, size = is_size(in, into->name);
    into->count = all ? in->views : 1;
    for (const char *at = text; !all && *at; at++)
        into->count += *at == '|';
    OF_TRY(OF_NEW(in->arena, &into->values, into->count, 1));
    for (size_t i = 0; i < into->count; i++) {
        char *value = all ? "all" : strsep(&text, "|"), *end;
        unsigned long long times = strtoull(value, &end, 10);
        int counts = end > value && value[0] != '-' && value[0] != '+';
        into->values[i] = value;
        if (!*value)
            return of_hint(of_fail(ONEFOLD_USAGE, "the grid of %s gives %s no value",
                                   in->method->name, into->name),
                           "write it as %s=1|2|4", into->name);
        if (all)
            OF_TRY(of_arena_string(in->arena, &into->values[i], "%zu", i + 1));
        else if (counts && strcmp(end, "c") == 0 && times > 0 && times < 1u << 20)
            OF_TRY(
                of_arena_string(in->arena, &into->values[i], "%zu", (size_t)times * in->clusters));
        else if (size && !(counts && *end == '\0' && times > 0 && times < 1u << 31))
            return of_fail(ONEFOLD_USAGE, "the grid of %s has %s=%s, which is not a valid number",
                           in->method->name, into->name, value);
        else if (size && strcmp(into->name, size_names[0]) == 0 && times < in->clusters)
            return of_fail(ONEFOLD_USAGE, "the grid of %s has dims=%s, less than the %zu clusters",
                           in->method->name, value, in->clusters);
    }
    return ONEFOLD_OK;
}

/* The axes of "name=values,name=values". `text` is modified. */
static onefold_status read_axes(const reader *in, char *text, axis *axes, size_t *count)
{
    *count = 0;
    for (char *name; (name = strsep(&text, ",")) != NULL; ++*count) {
        if (!*name && !text)
            return ONEFOLD_OK; /* the end */
        char *equals = strchr(name, '=');
        if (!equals)
            return of_hint(of_fail(ONEFOLD_USAGE, "the grid of %s has '%s' instead of name=values",
                                   in->method->name, name),
                           "write it as l1=2|4|8,l2=16|32");
        if (*count == AXES)
            return of_fail(ONEFOLD_USAGE, "the grid of %s has more than %d names", in->method->name,
                           AXES);
        *equals = '\0';
        for (size_t a = 0; a < *count; a++)
            if (strcmp(axes[a].name, name) == 0)
                return of_fail(ONEFOLD_USAGE, "the grid of %s names '%s' twice", in->method->name,
                               name);
        axes[*count].name = name;
        OF_TRY(read_values(in, &axes[*count], equals + 1));
    }
    return ONEFOLD_OK;
}

/* The setting of this index; the last axis changes fastest. */
static onefold_status make_setting(const reader *in, const axis *axes, size_t count, size_t number,
                                   of_setting *setting)
{
    const char *chosen[AXES];
    for (size_t a = count; a-- > 0; number /= axes[a].count)
        chosen[a] = axes[a].values[number % axes[a].count];
    *setting = (of_setting){0, 0, ""};
    for (size_t a = 0; a < count; a++) {
        if (is_size(in, axes[a].name)) {
            int dims = strcmp(axes[a].name, size_names[0]) == 0;
            *(dims ? &setting->dims : &setting->anchors) = (size_t)strtoull(chosen[a], NULL, 10);
            continue;
        }
        OF_TRY(OF_TEXT(in->arena, &setting->own, "%s%s%s=%s", setting->own,
                       *setting->own ? "," : "", axes[a].name, chosen[a]));
    }
    OF_SCRATCH(scratch, in->arena->context);
    double *values;
    OF_TRY(OF_NEW(&scratch, &values, in->method->option_count, 1));
    return of_method_parse_options(in->method, setting->own, values);
}

onefold_status of_grid_expand(of_arena *arena, const of_method *method, const char *grid,
                              size_t clusters, size_t views, of_setting **settings, size_t *count)
{
    reader in = {arena, method, clusters, views};
    of_setting *made = NULL;
    size_t total = 0, room = 0;
    char *text;
    OF_TRY(of_arena_string(arena, &text, "%s", grid));
    for (char *one; (one = strsep(&text, "/")) != NULL;) {
        axis axes[AXES];
        size_t axis_count, product = 1;
        OF_TRY(read_axes(&in, one, axes, &axis_count));
        for (size_t a = 0; a < axis_count; a++)
            OF_TRY(of_size_multiply(&product, product, axes[a].count));
        if (product > MOST_SETTINGS || total + product > MOST_SETTINGS)
            return of_fail(ONEFOLD_USAGE, "the grid of %s has more than %d cells", method->name,
                           MOST_SETTINGS);
        if (axis_count == 0)
            continue;
        OF_TRY(OF_GROW(arena, &made, total, &room, total + product));
        for (size_t i = 0; i < product; i++)
            OF_TRY(make_setting(&in, axes, axis_count, i, &made[total++]));
    }
    if (total == 0)
        return of_hint(of_fail(ONEFOLD_USAGE, "the grid of %s has no cells", method->name),
                       "write it as name=1|2|4,name=3|5, or leave the method out of `grid`");
    *settings = made;
    *count = total;
    return ONEFOLD_OK;
}

/* Reads "method:text;method:text" into the contenders: grids, or their own options. */
static onefold_status read_parts(of_experiment *experiment, const char *text, int grid)
{
    char *parts;
    OF_TRY(of_arena_string(&experiment->arena, &parts, "%s", text));
    for (char *part; (part = strsep(&parts, ";")) != NULL;) {
        char *colon = strchr(part, ':');
        const of_method *method;
        if (!colon)
            return of_hint(of_fail(ONEFOLD_USAGE, "the %s '%s' instead of METHOD:%s",
                                   grid ? "grid has" : "options have", part,
                                   grid ? "cells" : "name=value"),
                           grid ? "write it as fmkkm:l1=2|4,l2=8|16;rmsc:paper"
                                : "write them as rmsc:lambda=0.1;fmkkm:l1=2,l2=8");
        *colon = '\0';
        OF_TRY(of_method_find(&method, part));
        of_contender *contender = of_experiment_contender(experiment, method);
        if (!contender)
            return of_hint(of_fail(ONEFOLD_USAGE, "%s %s%s, which is not among the methods",
                                   grid ? "the grid has cells for" : "options of", part,
                                   grid ? "" : " are given"),
                           grid ? "add it to `methods`, or leave it out of `grid`"
                                : "add it to `methods`, or leave them out");
        const char **own = grid ? &contender->grid : &contender->given;
        if (*own)
            return of_fail(ONEFOLD_USAGE, "%s of %s are given twice", grid ? "cells" : "options",
                           part);
        *own = grid && strcmp(colon + 1, "paper") == 0 ? method->grid : colon + 1;
    }
    return ONEFOLD_OK;
}

/* Reads the grids: a word for all methods, or one for each. */
static onefold_status read_grids(of_experiment *experiment, const char *text)
{
    static const char *const words[] = {"paper", "default", "none"};
    enum { NONE = 2, WORDS };
    size_t word = 0;
    while (word < WORDS && strcmp(text, words[word]) != 0)
        word++;
    if (word == WORDS && strchr(text, ':'))
        return read_parts(experiment, text, 1);
    if (word == WORDS) {
        const char *near = onefold_nearest(text, words, WORDS);
        onefold_status status = of_fail(ONEFOLD_USAGE, "the grid '%s' is not known", text);
        return near ? of_hint(status, "did you mean %s?", near)
                    : of_hint(status, "it is paper, default, none, or METHOD:name=1|2|4;...");
    }
    for (size_t i = 0; i < experiment->contender_count && word != NONE; i++)
        experiment->contenders[i].grid = experiment->contenders[i].method->grid;
    return ONEFOLD_OK;
}

/* ---- options and key of a cell --------------------------------------------------------------- */

onefold_status of_cell_options(of_arena *arena, const of_experiment *experiment,
                               const of_method *method, const of_setting *setting,
                               onefold_fit_options *options)
{
    const char *given = of_experiment_contender(experiment, method)->given;
    const onefold_experiment_options *bench = &experiment->options.bench;
    char *own = "";
    *options = experiment->options.fit;
    options->method = method->name;
    if (setting->dims)
        options->dims = setting->dims;
    if (setting->anchors)
        options->anchors = setting->anchors;
    if (method->ends_in_kmeans)
        OF_TRY(of_arena_string(arena, &own, "kmeans-start=%s,replicates=%zu,",
                               onefold_name(ONEFOLD_NAMES_KMEANS_START, bench->kmeans_start),
                               bench->replicates));
    OF_TRY(of_arena_string(arena, &own, "%s%s%s%s", own, given ? given : "",
                           given && *given && *setting->own ? "," : "", setting->own));
    options->method_options = own; /* the last of two values for a name is used: the grid's */
    of_fit_resolve_sizes(experiment->dataset, options);
    of_fit_options_drop(options, method); /* options that only other methods use */
    return ONEFOLD_OK;
}

/* The text of all that a cell's result depends on, except repeats. `options` are from
 * of_cell_options, `value` has the method's own. */
static onefold_status cell_key(of_arena *arena, const of_experiment *experiment,
                               const of_method *method, const onefold_fit_options *options,
                               const double *value, const char **key)
{
    OF_SCRATCH(scratch, arena->context);
    char *own = "", *kernels = "";
    for (size_t i = 0; i < method->option_count; i++)
        OF_TRY(
            of_arena_string(&scratch, &own, "%s %s=%.17g", own, method->options[i].name, value[i]));
    for (size_t v = 0; v < experiment->dataset->view_count; v++)
        OF_TRY(of_arena_string(&scratch, &kernels, "%s%s%s", kernels, v ? "," : "",
                               experiment->kernels[v]));
    return OF_TEXT(
        arena, key,
        "onefold %s data %s method %s%s clusters=%zu kernel=%s/%s dims=%zu anchors=%zu "
        "restarts=%zu start=%d variant=%d nonneg=%d stop=%d tol=%.17g max-iter=%zu base=%d "
        "landmarks=%zu neighbours=%zu effort=%d precision=%d seed=%llu",
        onefold_version(), experiment->fingerprint, method->name, own, options->clusters,
        options->kernel ? options->kernel : "auto", kernels, method->uses_dims ? options->dims : 0,
        method->uses_dims ? options->anchors : 0, method->ends_in_kmeans ? 0 : options->restarts,
        (int)options->start, (int)options->variant, options->nonneg != 0, (int)options->stop,
        options->tolerance, options->max_iterations, (int)options->base, options->landmarks,
        options->neighbours, (int)options->effort, (int)options->precision,
        (unsigned long long)options->seed);
}

/* ---- methods ------------------------------------------------------------------------------- */

static void add_contender(of_experiment *experiment, const of_method *method)
{
    if (of_experiment_contender(experiment, method))
        return;
    of_contender *contender = &experiment->contenders[experiment->contender_count++];
    contender->method = method;
    contender->info = (onefold_experiment_method_info){
        .name = method->name,
        .title = method->title,
        .has_grid = method->grid != NULL,
        .takes_dims = method->uses_dims,
        .ends_in_kmeans = method->ends_in_kmeans,
        .picks_view = method->grid && strchr(method->grid, '*') != NULL,
        .median = ONEFOLD_NO_CELL,
        .whole_runs = !method->ends_in_kmeans || method->draws,
        .drawn = method->draws ? method->draws : "k-means",
    };
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        contender->info.best[m] = ONEFOLD_NO_CELL;
}

/* The methods of "all", in the order of the registry, or of a list with commas; each once. */
static onefold_status choose_methods(of_experiment *experiment)
{
    const char *list = experiment->options.bench.methods;
    OF_TRY(OF_NEW_ZERO(&experiment->arena, &experiment->contenders, of_method_count(), 1));
    if (!list || strcmp(list, "all") == 0) {
        for (size_t i = 0; i < of_method_count(); i++)
            add_contender(experiment, of_method_at(i));
        return ONEFOLD_OK;
    }
    char *text;
    OF_TRY(of_arena_string(&experiment->arena, &text, "%s", list));
    for (const char *name; (name = strsep(&text, ",")) != NULL;) {
        const of_method *method;
        if (!*name)
            return of_hint(
                of_fail(ONEFOLD_USAGE, "the list of methods '%s' has an empty name", list),
                "write it as avg-kkm,mkkm, or all");
        OF_TRY(of_method_find(&method, name));
        add_contender(experiment, method);
    }
    return ONEFOLD_OK;
}

/* ---- cells --------------------------------------------------------------------------------- */

/* The setting as text for people. */
static onefold_status name_setting(of_arena *arena, const of_setting *setting, const char **name)
{
    char dims[32] = "", anchors[32] = "";
    if (setting->dims)
        snprintf(dims, sizeof dims, "k=%zu", setting->dims);
    if (setting->anchors)
        snprintf(anchors, sizeof anchors, "%sm=%zu", *dims ? "," : "", setting->anchors);
    const char *own = setting->own, *comma = (*dims || *anchors) && *own ? "," : "";
    return *dims || *anchors || *own ? OF_TEXT(arena, name, "%s%s%s%s", dims, anchors, comma, own)
                                     : OF_TEXT(arena, name, "default");
}

/* Adds a cell, or its role to an equal cell. */
static onefold_status add_cell(of_experiment *experiment, const of_method *method,
                               const of_setting *setting, unsigned role, size_t *place)
{
    OF_SCRATCH(scratch, experiment->arena.context);
    onefold_fit_options options;
    const char *key, *name;
    double *own;
    OF_TRY(of_cell_options(&scratch, experiment, method, setting, &options));
    OF_TRY(OF_NEW(&scratch, &own, method->option_count, 1));
    OF_TRY(of_method_parse_options(method, options.method_options, own));
    OF_TRY(cell_key(&experiment->arena, experiment, method, &options, own, &key));
    for (*place = 0; *place < experiment->cell_count; ++*place)
        if (strcmp(experiment->cells[*place].key, key) == 0) {
            experiment->cells[*place].roles |= role;
            return ONEFOLD_OK;
        }
    OF_TRY(OF_GROW(&experiment->arena, &experiment->cells, experiment->cell_count,
                   &experiment->cell_room, experiment->cell_count + 1));
    OF_TRY(name_setting(&experiment->arena, setting, &name));
    of_cell *cell = &experiment->cells[experiment->cell_count++];
    *cell = (of_cell){.method = method,
                      .setting = *setting,
                      .name = name,
                      .key = key,
                      .repeats = experiment->options.bench.repeats,
                      .samples = experiment->dataset->samples,
                      .view_count = experiment->dataset->view_count,
                      .roles = role,
                      .result = {.reason = "", .note = ""}};
    if (method->ends_in_kmeans) {
        const double *end = own + method->option_count - 2; /* OF_SPECTRAL_OPTIONS */
        cell->kmeans = (of_kmeans_options){
            .clusters = options.clusters,
            .max_iterations = OF_EXPERIMENT_KMEANS_ITERATIONS,
            .start = end[0] != 0 ? OF_KMEANS_SAMPLES : OF_KMEANS_PLUSPLUS,
            .replicates = (size_t)end[1],
            .seed = options.seed,
        };
    }
    return ONEFOLD_OK;
}

static onefold_status add_grid(of_experiment *experiment, of_contender *contender)
{
    OF_SCRATCH(scratch, experiment->arena.context);
    of_setting *settings;
    size_t count, place, before, clusters = experiment->info.clusters,
                                 views = experiment->dataset->view_count;
    contender->info.published = 1; /* settings of its authors */
    if (contender->method->grid)
        OF_TRY(of_grid_expand(&scratch, contender->method, contender->method->grid, clusters, views,
                              &settings, &contender->info.published));
    if (!contender->grid)
        return ONEFOLD_OK;
    OF_TRY(of_grid_expand(&experiment->arena, contender->method, contender->grid, clusters, views,
                          &settings, &count));
    if (!experiment->dataset->truth)
        return ONEFOLD_OK; /* without labels, the best cell is unknown */
    for (size_t i = 0; i < count; i++) {
        before = experiment->cell_count;
        OF_TRY(add_cell(experiment, contender->method, &settings[i], ONEFOLD_CELL_GRID, &place));
        if (place < before &&
            experiment->cells[place].roles == (ONEFOLD_CELL_STANDARD | ONEFOLD_CELL_GRID))
            OF_TRY(name_setting(&experiment->arena, &settings[i],
                                &experiment->cells[place].name)); /* says more than "default" */
    }
    return ONEFOLD_OK;
}

/* ---- sensitivity --------------------------------------------------------------------------- */

/* "1,2,4": different whole numbers from 1, in any order. */
static onefold_status read_times(of_experiment *experiment, const char *list)
{
    size_t *times, count = 0;
    char *text;
    OF_TRY(of_arena_string(&experiment->arena, &text, "%s", list));
    OF_TRY(OF_NEW(&experiment->arena, &times, OF_MOST_TIMES, 1));
    experiment->info.times = times;
    if (!*list)
        return of_hint(of_fail(ONEFOLD_USAGE, "the sensitivity grid has no cells"),
                       "give multiples of the clusters, as in `sensitivity` 1,2,4");
    for (const char *at; (at = strsep(&text, ",")) != NULL;) {
        char *end;
        unsigned long long number = strtoull(at, &end, 10);
        if (end == at || *end || *at == '-' || *at == '+' || number < 1 || number > 1000000)
            return of_hint(
                of_fail(ONEFOLD_USAGE, "'%s' is no list of multiples of the clusters", list),
                "give whole numbers from 1, as in `sensitivity` 1,2,4");
        for (size_t i = 0; i < count; i++)
            if (times[i] == number)
                return of_fail(ONEFOLD_USAGE, "the sensitivity grid has %llu twice", number);
        if (count == OF_MOST_TIMES)
            return of_fail(ONEFOLD_USAGE, "the sensitivity grid has more than %d multiples",
                           OF_MOST_TIMES);
        times[count++] = (size_t)number;
    }
    experiment->info.times_count = count;
    return ONEFOLD_OK;
}

/* The first contender with k and m, or NULL. */
static const of_contender *sized_contender(const of_experiment *experiment)
{
    for (size_t i = 0; i < experiment->contender_count; i++)
        if (experiment->contenders[i].method->uses_anchors)
            return &experiment->contenders[i];
    return NULL;
}

static onefold_status add_sensitivity(of_experiment *experiment)
{
    const char *list = experiment->options.bench.sensitivity;
    const of_contender *contender = sized_contender(experiment);
    if (!contender)
        return ONEFOLD_OK;
    if (!list && contender->grid)
        OF_TRY(read_times(experiment, "1,2,4"));
    const size_t *times = experiment->info.times;
    size_t count = experiment->info.times_count, *cells;
    if (!count || !experiment->dataset->truth)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&experiment->arena, &cells, count, count));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            of_setting setting = {times[i] * experiment->info.clusters,
                                  times[j] * experiment->info.clusters, ""};
            OF_TRY(add_cell(experiment, contender->method, &setting, ONEFOLD_CELL_SENSITIVITY,
                            &cells[i * count + j]));
        }
    experiment->info.sensitivity = cells;
    return ONEFOLD_OK;
}

/* ---- the plan ------------------------------------------------------------------------------ */

static onefold_status check_options(of_experiment *experiment)
{
    const onefold_experiment_options *options = &experiment->options.bench;
    if (options->repeats < 1)
        return of_hint(of_fail(ONEFOLD_USAGE, "0 repeats give no figures"),
                       "ask for 1 or more; a standard deviation needs 2");
    if (options->replicates < 1)
        return of_fail(ONEFOLD_USAGE, "0 replicates give no k-means; ask for 1 or more");
    OF_TRY(choose_methods(experiment));
    OF_TRY(read_grids(experiment, options->grid));
    if (options->method_options && *options->method_options)
        OF_TRY(read_parts(experiment, options->method_options, 0));
    if (!options->sensitivity)
        return ONEFOLD_OK;
    if (sized_contender(experiment))
        return read_times(experiment, options->sensitivity);
    return of_hint(of_fail(ONEFOLD_USAGE,
                           "the sensitivity to k and m is asked for, and no compared method "
                           "has them"),
                   "add os-lfmvc-cs to `methods`, or leave out `sensitivity`");
}

onefold_status of_experiment_read(of_experiment *experiment, const onefold_fit_options *fit,
                                  const onefold_experiment_options *options)
{
    const onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options *bench = &experiment->options.bench;
    experiment->options = (of_experiment_options)OF_EXPERIMENT_OPTIONS_INIT;
    OF_TRY(OF_STRUCT_READ(bench, options, onefold_experiment_options));
    OF_TRY(of_fit_options_copy(&experiment->options.fit, fit));
    OF_TRY(of_fit_options_refuse(&experiment->options.fit, &standard,
                                 "clusters kernel dims anchors restarts start variant nonneg stop "
                                 "tolerance max_iterations base landmarks precision seed",
                                 "comparing methods"));
    if (!onefold_name(ONEFOLD_NAMES_KMEANS_START, bench->kmeans_start))
        return of_fail(ONEFOLD_USAGE,
                       "the option kmeans_start has a value that is not one of its choices");
    if (!bench->grid)
        bench->grid = "default";
    const char **const texts[] = {&bench->methods, &bench->method_options, &bench->grid,
                                  &bench->sensitivity, &experiment->options.fit.kernel};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (*texts[i])
            OF_TRY(OF_TEXT(&experiment->arena, texts[i], "%s", *texts[i]));
    return ONEFOLD_OK;
}

onefold_status onefold_experiment_check(const onefold_fit_options *fit,
                                        const onefold_experiment_options *options)
{
    of_experiment experiment = {.arena = of_arena_make(of_context_or_default(NULL))};
    onefold_status status = of_experiment_read(&experiment, fit, options);
    if (status == ONEFOLD_OK)
        status = check_options(&experiment);
    of_arena_free(&experiment.arena);
    return status;
}

/* Landmarks of a kernel are drawn, so that a repeat is a whole fit. */
static void draw_landmarks(of_contender *contender)
{
    contender->info.whole_runs = 1;
    if (contender->method->ends_in_kmeans)
        contender->info.drawn = contender->method->draws
                                    ? "landmarks, what it starts from, and k-means"
                                    : "landmarks and k-means";
}

/* Estimates the time of a cell, which stays 0 if its fit cannot be planned: the cell will say why.
 * Iterations of k-means run at a tenth of the rate of products. */
static onefold_status estimate_cell(of_context *context, of_experiment *experiment, of_cell *cell)
{
    enum { ITERATIONS = 20, SLOWER = 10 };
    OF_SCRATCH(scratch, context);
    const of_contender *contender = of_experiment_contender(experiment, cell->method);
    onefold_fit_options options;
    of_fit_plan plan;
    OF_TRY(of_cell_options(&scratch, experiment, cell->method, &cell->setting, &options));
    options.restarts = cell->method->ends_in_kmeans ? 1 : options.restarts;
    onefold_status status =
        of_fit_plan_make(context, &scratch, experiment->dataset, &options, &plan);
    if (status != ONEFOLD_OK)
        return status == ONEFOLD_INTERRUPTED || status == ONEFOLD_NO_MEMORY ? status : ONEFOLD_OK;
    double fit = of_work_seconds(&plan.work.fit, &experiment->rates), kmeans = 0,
           runs = (double)cell->repeats, clusters = (double)options.clusters;
    for (size_t v = 0; v < experiment->dataset->view_count; v++)
        fit += plan.work.views[v].times *
               of_work_seconds(&plan.work.views[v].work, &experiment->rates);
    if (cell->method->ends_in_kmeans)
        kmeans = 2 * (double)cell->samples * clusters * clusters * ITERATIONS * SLOWER *
                 (double)cell->kmeans.replicates / experiment->rates.product;
    cell->expected = (contender->info.whole_runs ? runs : 1) * fit + runs * kmeans;
    return ONEFOLD_OK;
}

static onefold_status estimate_times(of_context *context, of_experiment *experiment)
{
    of_work gpu;
    OF_TRY(of_rates_measure(context, experiment->options.fit.precision, &experiment->rates, &gpu));
    for (size_t i = 0; i < experiment->cell_count; i++) {
        of_cell *cell = &experiment->cells[i];
        OF_TRY(estimate_cell(context, experiment, cell));
        of_experiment_contender(experiment, cell->method)->info.seconds += cell->expected;
        experiment->info.expected_seconds += cell->expected;
    }
    return ONEFOLD_OK;
}

/* Estimates memory of every method, and checks that it can work on the data. */
static onefold_status estimate_memory(of_context *context, of_experiment *experiment)
{
    const of_setting standard = {0, 0, ""};
    int able = 0; /* a contender accepts missing views */
    for (size_t i = 0; i < experiment->contender_count; i++)
        able |= experiment->contenders[i].method->accepts_missing;
    for (size_t i = 0; i < experiment->contender_count; i++) {
        of_contender *contender = &experiment->contenders[i];
        if (experiment->dataset->present && !contender->method->accepts_missing && able)
            continue; /* its cells fail, with the reason */
        OF_SCRATCH(scratch, context);
        onefold_fit_options options;
        of_fit_plan plan;
        OF_TRY(of_cell_options(&scratch, experiment, contender->method, &standard, &options));
        OF_TRY(of_fit_plan_make(context, &scratch, experiment->dataset, &options, &plan));
        OF_TRY(of_fit_plan_memory(context, &plan));
        contender->info.peak_bytes = plan.estimate.peak_bytes;
        for (size_t v = 0; v < experiment->dataset->view_count; v++)
            if (plan.kernels[v].graph)
                draw_landmarks(contender);
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
    const of_dataset *dataset = experiment->dataset;
    OF_TRY(check_options(experiment));
    if (dataset->truth && dataset->other_truth)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s and %s may both be the true labels",
                               dataset->truth_name, dataset->other_truth),
                       "name the true ones with `truth`, or ignore both with `no_truth`");
    size_t *clusters = &experiment->options.fit.clusters;
    *clusters = *clusters ? *clusters : experiment->dataset->class_count;
    experiment->info.clusters = *clusters;
    if (*clusters == 0)
        return of_hint(of_fail(ONEFOLD_USAGE, "the data has no true labels to take the number of "
                                              "clusters from"),
                       "give `clusters`, or name the labels with `truth`");
    OF_TRY(estimate_memory(context, experiment));
    OF_TRY(of_dataset_fingerprint(context, experiment->dataset, SIZE_MAX, experiment->fingerprint));
    for (size_t i = 0; i < experiment->contender_count; i++)
        OF_TRY(add_cell(experiment, experiment->contenders[i].method, &standard,
                        ONEFOLD_CELL_STANDARD, &experiment->contenders[i].info.standard));
    for (size_t i = 0; i < experiment->contender_count; i++)
        OF_TRY(add_grid(experiment, &experiment->contenders[i]));
    OF_TRY(add_sensitivity(experiment));
    return estimate_times(context, experiment);
}
