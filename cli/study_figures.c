/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a study: scores, ranks, convergence, sensitivity, time. */
#include "drawing.h"
#include "study.h"

#include <math.h>
#include <string.h>

enum { WIDE = 480, PANEL = 160, TALL = 130, MARGIN = 8 };

static const char *const measure_names[ONEFOLD_MEASURES] = {"ACC", "NMI", "purity", "ARI"};

/* The figures that were written. */
typedef struct gallery {
    const cli_study *study;
    onefold_context *context;
    const char *folder, **names;
    size_t count;
    cli_arena *arena; /* of a figure */
} gallery;

static onefold_status keep(gallery *g, cli_drawing *drawing, double height, const char *name)
{
    char *copy;
    drawing->height = height;
    CLI_TRY(cli_drawing_write(drawing, g->context, g->folder, name));
    CLI_TRY(cli_arena_string(g->study->arena, &copy, "%s", name));
    g->names[g->count++] = copy;
    return ONEFOLD_OK;
}

/* One series per method, with a value and a deviation for each set. */
static onefold_status series_over_sets(gallery *g, cli_series **series, const char ***groups)
{
    const cli_study *study = g->study;
    CLI_TRY(CLI_NEW(g->arena, series, study->methods + 1));
    CLI_TRY(CLI_NEW(g->arena, groups, study->sets + 1));
    for (size_t s = 0; s < study->sets; s++)
        (*groups)[s] = study->set[s].name;
    for (size_t m = 0; m < study->methods; m++) {
        double *y, *deviation;
        CLI_TRY(CLI_NEW(g->arena, &y, study->sets + 1));
        CLI_TRY(CLI_NEW(g->arena, &deviation, study->sets + 1));
        (*series)[m] = (cli_series){.name = study->method[m].name,
                                    .y = y,
                                    .deviation = deviation,
                                    .count = study->sets,
                                    .colour = m};
    }
    return ONEFOLD_OK;
}

static onefold_status draw_scores(gallery *g, int best)
{
    const cli_study *study = g->study;
    cli_series *series;
    const char **groups;
    cli_drawing drawing = cli_drawing_make(g->arena, WIDE, 0);
    CLI_TRY(series_over_sets(g, &series, &groups));
    double y = 4 + cli_chart_legend(&drawing, MARGIN, 0, WIDE - 2 * MARGIN, series, study->methods);
    for (int measure = 0; measure < ONEFOLD_MEASURES; measure++, y += TALL) {
        for (size_t e = 0; e < study->sets * study->methods; e++) {
            size_t s = e / study->methods, m = e % study->methods;
            const cli_entry *entry = cli_study_entry(study, s, m, best);
            ((double *)series[m].y)[s] = entry ? 100 * entry->mean[measure] : NAN;
            ((double *)series[m].deviation)[s] = entry ? 100 * entry->deviation[measure] : NAN;
        }
        cli_chart chart = {.up = measure_names[measure],
                           .y = y,
                           .width = WIDE,
                           .height = TALL,
                           .from_zero = 1,
                           .group = groups,
                           .groups = study->sets};
        cli_chart_bars(&drawing, &chart, series, study->methods);
    }
    return keep(g, &drawing, y, best ? "scores-best" : "scores-default");
}

static onefold_status draw_times(gallery *g)
{
    const cli_study *study = g->study;
    cli_series *series;
    const char **groups;
    int any = 0;
    cli_drawing drawing = cli_drawing_make(g->arena, WIDE, 0);
    CLI_TRY(series_over_sets(g, &series, &groups));
    for (size_t e = 0; e < study->sets * study->methods; e++)
        ((double *)series[e % study->methods].y)[e / study->methods] = NAN;
    for (size_t i = 0; i < study->results; i++) {
        const cli_entry *entry = &study->entry[study->result[i].standard];
        ((double *)series[entry->method].y)[entry->set] = entry->run;
        any |= entry->run > 0;
    }
    if (!any)
        return ONEFOLD_OK;
    for (size_t m = 0; m < study->methods; m++)
        series[m].deviation = NULL;
    double y = 4 + cli_chart_legend(&drawing, MARGIN, 0, WIDE - 2 * MARGIN, series, study->methods);
    cli_chart chart = {.up = "seconds of a run",
                       .y = y,
                       .width = WIDE,
                       .height = TALL + 40,
                       .log_y = 1,
                       .group = groups,
                       .groups = study->sets};
    cli_chart_bars(&drawing, &chart, series, study->methods);
    return keep(g, &drawing, y + TALL + 40, "times");
}

/* The critical-difference diagrams of the measures, where there are enough methods. */
static onefold_status draw_ranks(gallery *g, int best)
{
    const cli_study *study = g->study;
    cli_drawing drawing = cli_drawing_make(g->arena, WIDE, 0);
    double y = MARGIN;
    for (int measure = 0; measure < ONEFOLD_MEASURES; measure++) {
        cli_values values;
        onefold_comparison *comparison = NULL;
        const char **names;
        char title[160];
        CLI_TRY(cli_study_values(study, CLI_NONE, best, measure, g->arena, &values));
        if (!values.rows)
            return ONEFOLD_OK;
        CLI_TRY(CLI_NEW(g->arena, &names, values.methods));
        for (size_t i = 0; i < values.methods; i++)
            names[i] = study->method[values.method[i]].name;
        CLI_TRY(onefold_compare(&comparison, NULL, values.value, values.rows, values.methods));
        const onefold_comparison_info *info = onefold_comparison_describe(comparison);
        snprintf(title, sizeof title, "Average ranks by %s over %zu set%s, %s%s",
                 measure_names[measure], values.rows, values.rows == 1 ? "" : "s",
                 best ? "best of a grid" : "default",
                 info->can_tell ? "" : ": too few sets to tell");
        y += cli_chart_ranks(&drawing, MARGIN, y, WIDE - 2 * MARGIN, title, names, info->rank,
                             values.methods, info->critical_difference);
        onefold_comparison_free(comparison);
    }
    return keep(g, &drawing, y, best ? "ranks-best" : "ranks-default");
}

/* Where the next panel of a figure is. */
static cli_chart panel(size_t place, double *height)
{
    enum { ACROSS = WIDE / PANEL };
    double y = (double)(place / ACROSS) * TALL;
    *height = y + TALL;
    return (cli_chart){
        .x = (double)(place % ACROSS) * PANEL, .y = y, .width = PANEL, .height = TALL};
}

static onefold_status draw_convergence(gallery *g, size_t s)
{
    const cli_study *study = g->study;
    cli_drawing drawing = cli_drawing_make(g->arena, WIDE, 0);
    double height = 0;
    size_t panels = 0;
    char *name;
    for (size_t i = 0; i < study->results; i++) {
        const cli_entry *entry = &study->entry[study->result[i].standard];
        if (entry->set != s || entry->iterations < 2)
            continue;
        cli_series series = {
            .y = entry->trace, .count = entry->iterations, .colour = entry->method};
        cli_chart chart = panel(panels++, &height);
        chart.title = study->method[entry->method].name;
        chart.across = "iteration";
        chart.up = "objective";
        cli_chart_lines(&drawing, &chart, &series, 1);
    }
    if (!panels)
        return ONEFOLD_OK;
    CLI_TRY(cli_arena_string(g->arena, &name, "convergence-%s", study->set[s].name));
    return keep(g, &drawing, height, name);
}

/* ACC and NMI along every parameter of every grid, and over the multiples of k for each m. */
static onefold_status draw_sensitivity(gallery *g, size_t s)
{
    const cli_study *study = g->study;
    cli_drawing drawing = cli_drawing_make(g->arena, WIDE, 0);
    const cli_series pair[2] = {{.name = "ACC", .colour = 0}, {.name = "NMI", .colour = 1}};
    double height = 0;
    const double top = cli_chart_legend(&drawing, MARGIN, 0, WIDE, pair, 2);
    size_t panels = 0;
    char *name;
    for (size_t i = 0; i < study->results; i++) {
        size_t best = study->result[i].best;
        cli_parameter parameter;
        for (size_t p = 0; best != CLI_NONE && study->result[i].set == s &&
                           cli_study_parameter(study, best, p, &parameter);
             p++) {
            double mean[2][CLI_PARAMETER_VALUES], deviation[2][CLI_PARAMETER_VALUES];
            cli_series series[2];
            char title[96];
            if (parameter.count < 2 || strcmp(parameter.name, "view") == 0)
                continue; /* the number of a view is a name */
            for (int m = 0; m < 2; m++) {
                for (size_t v = 0; v < parameter.count; v++) {
                    mean[m][v] = 100 * study->entry[parameter.entry[v]].mean[m];
                    deviation[m][v] = 100 * study->entry[parameter.entry[v]].deviation[m];
                }
                series[m] = (cli_series){.x = parameter.value,
                                         .y = mean[m],
                                         .deviation = deviation[m],
                                         .count = parameter.count,
                                         .colour = (size_t)m};
            }
            cli_chart chart = panel(panels++, &height);
            snprintf(title, sizeof title, "%s", study->method[study->result[i].method].name);
            chart.y += top;
            chart.title = title;
            chart.across = parameter.name;
            chart.up = "percent";
            chart.dots = 1;
            chart.log_x = parameter.value[0] > 0 &&
                          parameter.value[parameter.count - 1] / parameter.value[0] > 50;
            cli_chart_lines(&drawing, &chart, series, 2);
        }
    }
    if (!panels)
        return ONEFOLD_OK;
    CLI_TRY(cli_arena_string(g->arena, &name, "sensitivity-%s", study->set[s].name));
    return keep(g, &drawing, height + top, name);
}

onefold_status cli_study_figures(const cli_study *study, onefold_context *context,
                                 const char *folder, const char ***names)
{
    CLI_SCRATCH(scratch);
    gallery g = {.study = study, .context = context, .folder = folder, .arena = &scratch};
    int choices = cli_study_grids(study) ? 2 : 1, scored = 0;
    CLI_TRY(CLI_NEW(study->arena, &g.names, 2 * study->sets + 8));
    *names = g.names;
    for (size_t i = 0; i < study->entries; i++)
        scored |= study->entry[i].score[0] != NULL;
    for (int best = 0; best < choices && scored; best++) {
        if (study->wanted & ONEFOLD_WANT_SCORES)
            CLI_TRY(draw_scores(&g, best));
        if (study->wanted & ONEFOLD_WANT_TESTS)
            CLI_TRY(draw_ranks(&g, best));
    }
    if (study->wanted & ONEFOLD_WANT_TIMES)
        CLI_TRY(draw_times(&g));
    for (size_t s = 0; s < study->sets; s++) {
        if (study->wanted & ONEFOLD_WANT_CONVERGENCE)
            CLI_TRY(draw_convergence(&g, s));
        if (study->wanted & ONEFOLD_WANT_SENSITIVITY)
            CLI_TRY(draw_sensitivity(&g, s));
    }
    return ONEFOLD_OK;
}
