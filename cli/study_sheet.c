/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a study: one description each, for a terminal, Markdown and LaTeX. */
#include "study.h"

#include <math.h>
#include <string.h>

static const char *const measure_names[ONEFOLD_MEASURES] = {"ACC", "NMI", "purity", "ARI"};

/* Which entry stands for a method, as headings say it. */
static const char *choice_name(int best)
{
    return best ? "best of a grid" : "default";
}

/* The first column is text, `count` more are numbers. */
static void begin(cli_sheet *sheet, size_t texts, size_t count, const char *title, const char *note)
{
    char align[CLI_SHEET_COLUMNS + 1];
    size_t at = 0;
    while (at < texts + count && at < CLI_SHEET_COLUMNS) {
        align[at] = at < texts ? 'l' : 'r';
        at++;
    }
    align[at] = '\0';
    cli_sheet_titled(sheet, align, title, note);
}

/* ---- data ----------------------------------------------------------------------------------- */

static void put_data(const cli_study *study, cli_sheet *sheet)
{
    begin(sheet, 1, 6, "Data",
          "Truth: where the true labels are from. They are used for scores alone.");
    cli_sheet_cell(sheet, 0, "set\tsamples\tviews\tclasses\tclusters\tkernels\ttruth");
    for (size_t s = 0; s < study->sets; s++) {
        const cli_study_set *set = &study->set[s];
        cli_sheet_cell(sheet, 0, "%s\t%zu\t%zu\t%zu\t%zu\t%s\t%s", set->name, set->samples,
                       set->views, set->classes, set->clusters, set->kernels, set->truth);
    }
    cli_sheet_table_end(sheet);
}

/* ---- scores --------------------------------------------------------------------------------- */

/* A mean as it is printed: what is equal in print is equally good. */
static double printed(double share)
{
    return floor(share * 1000 + 0.5);
}

/* Bold for the largest of a row, underlined for the second largest. */
static int mark_of(const cli_study *study, size_t set, int best, int measure,
                   const cli_entry *entry)
{
    double first = -INFINITY, second = -INFINITY, mine = printed(entry->mean[measure]);
    for (size_t m = 0; m < study->methods; m++) {
        const cli_entry *other = cli_study_entry(study, set, m, best);
        double value = other ? printed(other->mean[measure]) : -INFINITY;
        if (value > first) {
            second = first;
            first = value;
        } else if (value < first && value > second) {
            second = value;
        }
    }
    return mine == first ? CLI_SHEET_BEST : mine == second ? CLI_SHEET_SECOND : 0;
}

/* The average rank of a method, or NaN. */
static double rank_of(const cli_values *values, const onefold_comparison_info *info, size_t method)
{
    for (size_t i = 0; info && i < values->methods; i++)
        if (values->method[i] == method)
            return info->rank[i];
    return NAN;
}

static onefold_status compare(const cli_values *values, onefold_comparison **comparison)
{
    *comparison = NULL;
    return values->rows
               ? onefold_compare(comparison, NULL, values->value, values->rows, values->methods)
               : ONEFOLD_OK;
}

static onefold_status put_scores(const cli_study *study, cli_sheet *sheet, int best, int measure)
{
    CLI_SCRATCH(scratch);
    cli_values values;
    onefold_comparison *comparison;
    char *title, *note;
    CLI_TRY(cli_study_values(study, CLI_NONE, best, measure, &scratch, &values));
    CLI_TRY(compare(&values, &comparison));
    const onefold_comparison_info *info = onefold_comparison_describe(comparison);
    onefold_status status =
        cli_arena_string(study->arena, &title, "%s, %s", measure_names[measure], choice_name(best));
    if (status == ONEFOLD_OK)
        status = cli_arena_string(
            study->arena, &note,
            "Percent: mean%sstandard deviation (n - 1) over repeats.%s%s The largest mean of a row "
            "is bold, the second underlined.%s",
            cli_sheet_spread(sheet),
            measure == ONEFOLD_NMI ? " NMI is divided by the larger entropy." : "",
            best ? " The setting of a method with a grid is the one of the largest mean ACC, "
                   "chosen with the labels; other methods are at their default."
                 : " No labels were used.",
            info ? " Ranks are over all sets, of the methods that have a value on each; 1 is best."
                 : "");
    if (status != ONEFOLD_OK) {
        onefold_comparison_free(comparison);
        return status;
    }
    begin(sheet, 1, study->methods, title, note);
    cli_sheet_cell(sheet, 0, "set");
    for (size_t m = 0; m < study->methods; m++)
        cli_sheet_cell(sheet, 0, "%s", study->method[m].name);
    for (size_t s = 0; s < study->sets; s++) {
        cli_sheet_cell(sheet, 0, "%s", study->set[s].name);
        for (size_t m = 0; m < study->methods; m++) {
            const cli_entry *entry = cli_study_entry(study, s, m, best);
            if (entry && entry->repeats > 1)
                cli_sheet_cell(sheet, mark_of(study, s, best, measure, entry), "%.1f%s%.1f",
                               printed(entry->mean[measure]) / 10, cli_sheet_spread(sheet),
                               100 * entry->deviation[measure]);
            else if (entry)
                cli_sheet_cell(sheet, mark_of(study, s, best, measure, entry), "%.1f",
                               printed(entry->mean[measure]) / 10);
            else
                cli_sheet_cell(sheet, 0, "-");
        }
    }
    if (info) {
        cli_sheet_cell(sheet, 0, "average rank");
        for (size_t m = 0; m < study->methods; m++) {
            double rank = rank_of(&values, info, m);
            if (isnan(rank))
                cli_sheet_cell(sheet, 0, "-");
            else
                cli_sheet_cell(sheet, 0, "%.2f", rank);
        }
    }
    cli_sheet_table_end(sheet);
    onefold_comparison_free(comparison);
    return ONEFOLD_OK;
}

/* What the choice from a grid is worth. */
static void put_grids(const cli_study *study, cli_sheet *sheet)
{
    begin(sheet, 3, 6, "Grids: best, median and default setting (ACC)",
          "Near: cells of the grid whose mean ACC is within one standard error of the best. The "
          "best of a grid is chosen with the labels: it is not what a user without labels gets.");
    cli_sheet_cell(sheet, 0,
                   "set\tmethod\tbest setting\tcells\tbest\tnear\tmedian\tdefault\t"
                   "best - default");
    for (size_t i = 0; i < study->results; i++) {
        const cli_result *result = &study->result[i];
        if (result->best == CLI_NONE)
            continue;
        const cli_entry *best = &study->entry[result->best],
                        *standard = cli_study_entry(study, result->set, result->method, 0);
        cli_sheet_cell(sheet, 0, "%s\t%s\t%s\t%zu\t%.1f\t%zu", study->set[result->set].name,
                       study->method[result->method].name, best->setting, result->tried,
                       printed(best->mean[0]) / 10, result->near_best);
        if (result->median == CLI_NONE)
            cli_sheet_cell(sheet, 0, "-");
        else
            cli_sheet_cell(sheet, 0, "%.1f", printed(study->entry[result->median].mean[0]) / 10);
        if (standard)
            cli_sheet_cell(sheet, 0, "%.1f\t%.1f", printed(standard->mean[0]) / 10,
                           100 * (best->mean[0] - standard->mean[0]));
        else
            cli_sheet_cell(sheet, 0, "-\t-");
    }
    cli_sheet_table_end(sheet);
}

/* ---- beside published figures ---------------------------------------------------------------- */

static const onefold_study_figure *published(const onefold_study_set *set, const char *method,
                                             int measure)
{
    for (size_t i = 0; i < set->figures; i++)
        if ((int)set->figure[i]->measure == measure && strcmp(set->figure[i]->method, method) == 0)
            return set->figure[i];
    return NULL;
}

static void put_figure(cli_sheet *sheet, const onefold_study_figure *figure)
{
    if (!figure)
        cli_sheet_cell(sheet, 0, "-");
    else if (isnan(figure->deviation))
        cli_sheet_cell(sheet, 0, "%.1f", figure->mean);
    else
        cli_sheet_cell(sheet, 0, "%.1f%s%.1f", figure->mean, cli_sheet_spread(sheet),
                       figure->deviation);
}

static onefold_status put_published(const cli_study *study, cli_sheet *sheet, size_t s)
{
    const onefold_study_set *about = study->set[s].about;
    char *title;
    if (!about || !about->figures)
        return ONEFOLD_OK;
    CLI_TRY(cli_arena_string(study->arena, &title, "%s: published figures and ours",
                             study->set[s].name));
    begin(sheet, 1, 3 * ONEFOLD_MEASURES, title,
          "Published, best of a grid, default. Other data, kernels or starts may be behind the "
          "published ones.");
    cli_sheet_cell(sheet, 0, "method");
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        cli_sheet_cell(sheet, 0, "%s: published\tbest\tdefault", measure_names[m]);
    for (size_t i = 0; i < study->methods; i++) {
        int any = 0;
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            any |= published(about, study->method[i].name, m) != NULL;
        if (!any)
            continue;
        cli_sheet_cell(sheet, 0, "%s", study->method[i].name);
        for (int m = 0; m < ONEFOLD_MEASURES; m++) {
            put_figure(sheet, published(about, study->method[i].name, m));
            for (int best = 1; best >= 0; best--) {
                const cli_entry *entry = cli_study_entry(study, s, i, best);
                if (entry)
                    cli_sheet_cell(sheet, 0, "%.1f%s%.1f", printed(entry->mean[m]) / 10,
                                   cli_sheet_spread(sheet), 100 * entry->deviation[m]);
                else
                    cli_sheet_cell(sheet, 0, "-");
            }
        }
    }
    cli_sheet_table_end(sheet);
    return ONEFOLD_OK;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void put_p(cli_sheet *sheet, double p, int can_tell)
{
    if (can_tell)
        cli_sheet_cell(sheet, p <= 0.05, "%.3g", p);
    else
        cli_sheet_cell(sheet, 0, "too few");
}

/* Friedman's test for every measure, and a row for every pair of methods. */
static onefold_status put_over_sets(const cli_study *study, cli_sheet *sheet, int best)
{
    CLI_SCRATCH(scratch);
    onefold_comparison *made[ONEFOLD_MEASURES] = {NULL, NULL, NULL, NULL};
    const onefold_comparison_info *info[ONEFOLD_MEASURES];
    onefold_status status = ONEFOLD_OK;
    cli_values values = {0};
    char *title = "";
    for (int m = 0; m < ONEFOLD_MEASURES && status == ONEFOLD_OK; m++) {
        status = cli_study_values(study, CLI_NONE, best, m, &scratch, &values);
        if (status == ONEFOLD_OK)
            status = compare(&values, &made[m]);
        info[m] = onefold_comparison_describe(made[m]);
    }
    if (status == ONEFOLD_OK && info[0]) {
        cli_arena_string(study->arena, &title, "Friedman's test over %zu sets, %s", values.rows,
                         choice_name(best));
        begin(sheet, 1, 4, title,
              "Average ranks that differ by less than Nemenyi's critical difference do not differ "
              "at 0.05 (Demsar 2006). Too few: no result on so few sets could reach 0.05.");
        cli_sheet_cell(sheet, 0, "measure\tchi-square\tdegrees\tp\tcritical difference");
        for (int m = 0; m < ONEFOLD_MEASURES; m++) {
            cli_sheet_cell(sheet, 0, "%s\t%.4g\t%zu", measure_names[m], info[m]->chi_square,
                           info[m]->methods - 1);
            put_p(sheet, info[m]->p, info[m]->can_tell);
            cli_sheet_cell(sheet, 0, "%.3f", info[m]->critical_difference);
        }
        cli_sheet_table_end(sheet);
        cli_arena_string(study->arena, &title,
                         "Wilcoxon's signed-rank test of pairs over %zu sets, %s", values.rows,
                         choice_name(best));
        begin(sheet, 2, 3 * ONEFOLD_MEASURES, title,
              "V is the sum of the ranks of the sets on which the first is larger, p two-sided, "
              "and Holm p with Holm's correction for all pairs. Bold: at most 0.05. Too few: no "
              "result on so few sets could reach 0.05 after the correction.");
        cli_sheet_cell(sheet, 0, "first\tsecond");
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            cli_sheet_cell(sheet, 0, "%s: V\tp\tHolm", measure_names[m]);
        for (size_t i = 0; i < info[0]->pairs; i++) {
            cli_sheet_cell(sheet, 0, "%s\t%s",
                           study->method[values.method[info[0]->pair[i]->first]].name,
                           study->method[values.method[info[0]->pair[i]->second]].name);
            for (int m = 0; m < ONEFOLD_MEASURES; m++) {
                const onefold_pair_test *pair = info[m]->pair[i];
                cli_sheet_cell(sheet, 0, "%.1f\t%.3g", pair->statistic, pair->p);
                put_p(sheet, pair->p_holm, pair->can_tell);
            }
        }
        cli_sheet_table_end(sheet);
    }
    for (int m = 0; m < ONEFOLD_MEASURES; m++)
        onefold_comparison_free(made[m]);
    return status;
}

/* A cell of the table below: the difference of the means, and p with Holm's correction. */
static void put_pair(cli_sheet *sheet, const cli_values *values,
                     const onefold_comparison_info *info, size_t first, size_t second)
{
    for (size_t i = 0; info && i < info->pairs; i++) {
        const onefold_pair_test *pair = info->pair[i];
        double off = 0;
        if (values->method[pair->first] != first || values->method[pair->second] != second)
            continue;
        for (size_t r = 0; r < values->rows; r++)
            off += (values->value[r * values->methods + pair->first] -
                    values->value[r * values->methods + pair->second]) /
                   (double)values->rows;
        if (pair->can_tell)
            cli_sheet_cell(sheet, pair->p_holm <= 0.05, "%.1f (%.2g)", 100 * off, pair->p_holm);
        else
            cli_sheet_cell(sheet, 0, "%.1f (too few)", 100 * off);
        return;
    }
    cli_sheet_cell(sheet, 0, "-");
}

/* Pairs within each set, paired by repeat. */
static onefold_status put_within(const cli_study *study, cli_sheet *sheet, int best,
                                 cli_values *values, onefold_comparison **made)
{
    char *title;
    int any = 0;
    for (size_t s = 0; s < study->sets; s++) {
        CLI_TRY(cli_study_values(study, s, best, ONEFOLD_ACC, study->arena, &values[s]));
        CLI_TRY(compare(&values[s], &made[s]));
        any |= made[s] != NULL;
    }
    if (!any)
        return ONEFOLD_OK;
    CLI_TRY(cli_arena_string(study->arena, &title,
                             "Pairs of methods within each set, by repeat (ACC, %s)",
                             choice_name(best)));
    begin(sheet, 2, study->sets, title,
          "Difference of the means, first less second, and p of Wilcoxon's signed-rank test paired "
          "by repeat, with Holm's correction for the pairs of a set; bold: at most 0.05. It tells "
          "whether another run on the same samples would differ, not whether other data would.");
    cli_sheet_cell(sheet, 0, "first\tsecond");
    for (size_t s = 0; s < study->sets; s++)
        cli_sheet_cell(sheet, 0, "%s", study->set[s].name);
    for (size_t a = 0; a < study->methods; a++)
        for (size_t b = a + 1; b < study->methods; b++) {
            cli_sheet_cell(sheet, 0, "%s\t%s", study->method[a].name, study->method[b].name);
            for (size_t s = 0; s < study->sets; s++)
                put_pair(sheet, &values[s], onefold_comparison_describe(made[s]), a, b);
        }
    cli_sheet_table_end(sheet);
    return ONEFOLD_OK;
}

static onefold_status put_all_within(const cli_study *study, cli_sheet *sheet, int best)
{
    CLI_SCRATCH(scratch);
    cli_values *values;
    onefold_comparison **made;
    CLI_TRY(CLI_NEW(&scratch, &values, study->sets + 1));
    CLI_TRY(cli_arena_new(&scratch, (void **)&made, study->sets + 1, sizeof(void *)));
    onefold_status status = put_within(study, sheet, best, values, made);
    for (size_t s = 0; s < study->sets; s++)
        onefold_comparison_free(made[s]);
    return status;
}

/* ---- sensitivity ----------------------------------------------------------------------------- */

static onefold_status put_sensitivity(const cli_study *study, cli_sheet *sheet, size_t s)
{
    const cli_study_set *set = &study->set[s];
    char *title;
    if (!set->times_count)
        return ONEFOLD_OK;
    CLI_TRY(cli_arena_string(study->arena, &title, "%s: sensitivity of os-lfmvc-cs (ACC / NMI)",
                             set->name));
    begin(sheet, 1, set->times_count, title,
          "k and m in multiples of the number of clusters; k down, m across.");
    cli_sheet_cell(sheet, 0, "k");
    for (size_t m = 0; m < set->times_count; m++)
        cli_sheet_cell(sheet, 0, "m = %zu", set->times[m]);
    for (size_t k = 0; k < set->times_count; k++) {
        cli_sheet_cell(sheet, 0, "%zu", set->times[k]);
        for (size_t m = 0; m < set->times_count; m++) {
            size_t at = set->sensitivity[k * set->times_count + m];
            const cli_entry *entry = at == CLI_NONE ? NULL : &study->entry[at];
            if (entry && entry->score[0])
                cli_sheet_cell(sheet, 0, "%.1f%s%.1f / %.1f", printed(entry->mean[0]) / 10,
                               cli_sheet_spread(sheet), 100 * entry->deviation[0],
                               printed(entry->mean[ONEFOLD_NMI]) / 10);
            else
                cli_sheet_cell(sheet, 0, "-");
        }
    }
    cli_sheet_table_end(sheet);
    return ONEFOLD_OK;
}

static void put_along(const cli_study *study, cli_sheet *sheet)
{
    int begun = 0;
    for (size_t i = 0; i < study->results; i++) {
        size_t best = study->result[i].best;
        cli_parameter parameter;
        for (size_t p = 0; best != CLI_NONE && cli_study_parameter(study, best, p, &parameter);
             p++) {
            if (parameter.count < 2)
                continue;
            if (!begun++) {
                begin(sheet, 4, 3, "Sensitivity along each parameter",
                      "The other parameters are as in the best cell of the grid.");
                cli_sheet_cell(sheet, 0,
                               "set\tmethod\tparameter\tvalue\tACC\tNMI\tdeviation of "
                               "ACC");
            }
            for (size_t v = 0; v < parameter.count; v++) {
                const cli_entry *entry = &study->entry[parameter.entry[v]];
                cli_sheet_cell(sheet, parameter.entry[v] == best, "%s",
                               study->set[study->result[i].set].name);
                cli_sheet_cell(sheet, 0, "%s\t%s\t%.6g\t%.1f\t%.1f\t%.1f",
                               study->method[study->result[i].method].name, parameter.name,
                               parameter.value[v], printed(entry->mean[0]) / 10,
                               printed(entry->mean[1]) / 10, 100 * entry->deviation[0]);
            }
        }
    }
    if (begun)
        cli_sheet_table_end(sheet);
}

/* ---- time, convergence, what is missing ------------------------------------------------------ */

static void put_seconds(cli_sheet *sheet, double seconds)
{
    char text[32];
    if (isnan(seconds))
        cli_sheet_cell(sheet, 0, "-");
    else
        cli_sheet_cell(sheet, 0, "%s", cli_seconds_text(text, seconds));
}

static onefold_status put_times(const cli_study *study, cli_sheet *sheet)
{
    char *note, size[32];
    CLI_TRY(cli_arena_string(study->arena, &note,
                             "The mean of a run at the default setting on %d threads, from "
                             "features in memory to labels; the parts add up to the total. Memory "
                             "is the peak, the data included.",
                             study->threads));
    begin(sheet, 2, 5, "Time and memory", note);
    cli_sheet_cell(sheet, 0, "set\tmethod\tkernels and bases\titerations\tk-means\ttotal\tmemory");
    for (size_t i = 0; i < study->results; i++) {
        const cli_result *result = &study->result[i];
        const cli_entry *entry = &study->entry[result->standard];
        if (isnan(entry->run) && !entry->repeats)
            continue;
        cli_sheet_cell(sheet, 0, "%s\t%s", study->set[result->set].name,
                       study->method[result->method].name);
        put_seconds(sheet, entry->base);
        put_seconds(sheet, entry->fit);
        put_seconds(sheet, entry->kmeans);
        put_seconds(sheet, entry->run);
        cli_sheet_cell(sheet, 0, "%s",
                       isnan(entry->peak_bytes) ? "-"
                                                : cli_size_text(size, (size_t)entry->peak_bytes));
    }
    cli_sheet_table_end(sheet);
    return ONEFOLD_OK;
}

static void put_convergence(const cli_study *study, cli_sheet *sheet)
{
    static const size_t after[] = {1, 2, 3, 5, 10, 20, 50};
    enum { AFTER = sizeof after / sizeof *after };
    begin(sheet, 2, AFTER + 2, "Objective after iteration ...",
          "Of the first run at the default setting. The scales of methods are not comparable.");
    cli_sheet_cell(sheet, 0, "set\tmethod\t1\t2\t3\t5\t10\t20\t50\tlast\titerations");
    for (size_t i = 0; i < study->results; i++) {
        const cli_entry *entry = &study->entry[study->result[i].standard];
        if (entry->iterations < 2)
            continue;
        cli_sheet_cell(sheet, 0, "%s\t%s", study->set[entry->set].name,
                       study->method[entry->method].name);
        for (size_t a = 0; a < AFTER; a++)
            if (after[a] <= entry->iterations)
                cli_sheet_cell(sheet, 0, "%.6g", entry->trace[after[a] - 1]);
            else
                cli_sheet_cell(sheet, 0, "%s", "");
        cli_sheet_cell(sheet, 0, "%.6g\t%zu", entry->trace[entry->iterations - 1],
                       entry->iterations);
    }
    cli_sheet_table_end(sheet);
}

static void put_missing(const cli_study *study, cli_sheet *sheet)
{
    int begun = 0;
    for (size_t i = 0; i < study->entries; i++) {
        const cli_entry *entry = &study->entry[i];
        if (!*entry->reason)
            continue;
        if (!begun++) {
            cli_sheet_heading(sheet, 2, "Missing");
            if (sheet->markdown)
                fputs("\n", sheet->screen.file);
        }
        cli_sheet_item(sheet, "%s, %s, %s: %s.", study->set[entry->set].name,
                       study->method[entry->method].name, entry->setting, entry->reason);
    }
}

/* ---- all ------------------------------------------------------------------------------------ */

onefold_status cli_study_sheet(const cli_study *study, cli_sheet *sheet)
{
    int choices = cli_study_grids(study) ? 2 : 1;
    cli_sheet_heading(sheet, 1, "%s", study->name);
    put_data(study, sheet);
    for (int best = 0; best < choices; best++) {
        for (int m = 0; study->wanted & ONEFOLD_WANT_SCORES && m < ONEFOLD_MEASURES; m++)
            CLI_TRY(put_scores(study, sheet, best, m));
        if (best && study->wanted & ONEFOLD_WANT_SCORES)
            put_grids(study, sheet);
    }
    for (size_t s = 0; study->wanted & ONEFOLD_WANT_SCORES && s < study->sets; s++)
        CLI_TRY(put_published(study, sheet, s));
    for (int best = 0; study->wanted & ONEFOLD_WANT_TESTS && best < choices; best++) {
        CLI_TRY(put_over_sets(study, sheet, best));
        CLI_TRY(put_all_within(study, sheet, best));
    }
    for (size_t s = 0; study->wanted & ONEFOLD_WANT_SENSITIVITY && s < study->sets; s++)
        CLI_TRY(put_sensitivity(study, sheet, s));
    if (study->wanted & ONEFOLD_WANT_SENSITIVITY)
        put_along(study, sheet);
    if (study->wanted & ONEFOLD_WANT_TIMES)
        CLI_TRY(put_times(study, sheet));
    if (study->wanted & ONEFOLD_WANT_CONVERGENCE)
        put_convergence(study, sheet);
    put_missing(study, sheet);
    return cli_sheet_end(sheet);
}
