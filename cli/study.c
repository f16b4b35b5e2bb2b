/* SPDX-License-Identifier: Apache-2.0 */
/* Collects what experiments found on many data sets, and writes it as long CSV. */
#include "study.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cli_study cli_study_make(cli_arena *arena, const char *name)
{
    return (cli_study){.arena = arena, .name = name, .wanted = ~0u};
}

/* Room for one more element. */
#define ROOM(study, list, count, room)                                                             \
    grow((study)->arena, (void **)&(study)->list, sizeof *(study)->list, (study)->count,           \
         &(study)->room)
static onefold_status grow(cli_arena *arena, void **list, size_t size, size_t count, size_t *room)
{
    void *longer;
    if (count < *room)
        return ONEFOLD_OK;
    CLI_TRY(cli_arena_new(arena, &longer, 2 * *room + 16, size));
    if (count)
        memcpy(longer, *list, count * size);
    *list = longer;
    *room = 2 * *room + 16;
    return ONEFOLD_OK;
}

static onefold_status copy_numbers(cli_arena *arena, const double **copy, const double *numbers,
                                   size_t count)
{
    double *made;
    CLI_TRY(CLI_NEW(arena, &made, count + 1));
    if (count)
        memcpy(made, numbers, count * sizeof *made);
    *copy = made;
    return ONEFOLD_OK;
}

/* ---- looking up ----------------------------------------------------------------------------- */

static const cli_result *find_result(const cli_study *study, size_t set, size_t method)
{
    for (size_t i = 0; i < study->results; i++)
        if (study->result[i].set == set && study->result[i].method == method)
            return &study->result[i];
    return NULL;
}

const cli_entry *cli_study_entry(const cli_study *study, size_t set, size_t method, int best)
{
    const cli_result *result = find_result(study, set, method);
    if (!result)
        return NULL;
    size_t at = best && result->best != CLI_NONE ? result->best : result->standard;
    return at != CLI_NONE && study->entry[at].score[0] ? &study->entry[at] : NULL;
}

int cli_study_grids(const cli_study *study)
{
    for (size_t i = 0; i < study->results; i++)
        if (study->result[i].best != CLI_NONE)
            return 1;
    return 0;
}

static onefold_status find_method(cli_study *study, const char *name, size_t *place)
{
    for (*place = 0; *place < study->methods; ++*place)
        if (strcmp(study->method[*place].name, name) == 0)
            return ONEFOLD_OK;
    char *copy;
    CLI_TRY(ROOM(study, method, methods, method_room));
    CLI_TRY(cli_arena_string(study->arena, &copy, "%s", name));
    study->method[study->methods++] = (cli_study_method){.name = copy};
    return ONEFOLD_OK;
}

/* ---- adding --------------------------------------------------------------------------------- */

static double measure_of(const onefold_scores *scores, int measure)
{
    const double value[ONEFOLD_MEASURES] = {scores->acc, scores->nmi, scores->purity, scores->ari};
    return value[measure];
}

/* Adds an entry with room for the scores of its repeats. */
static onefold_status add_entry(cli_study *study, cli_entry entry, int scored)
{
    for (int m = 0; scored && m < ONEFOLD_MEASURES; m++)
        CLI_TRY(CLI_NEW(study->arena, &entry.score[m], entry.repeats + 1));
    CLI_TRY(ROOM(study, entry, entries, entry_room));
    study->entry[study->entries++] = entry;
    return ONEFOLD_OK;
}

/* Means and deviations over the repeats, with n - 1. */
static void summarise(cli_entry *entry)
{
    for (int m = 0; m < ONEFOLD_MEASURES && entry->repeats; m++) {
        double mean = 0, square = 0, count = (double)entry->repeats;
        for (size_t r = 0; r < entry->repeats; r++)
            mean += entry->score[m][r] / count;
        for (size_t r = 0; r < entry->repeats; r++)
            square += (entry->score[m][r] - mean) * (entry->score[m][r] - mean);
        entry->mean[m] = mean;
        entry->deviation[m] = count > 1 ? sqrt(square / (count - 1)) : 0;
    }
}

static onefold_status add_cell(cli_study *study, const onefold_experiment_cell_info *cell,
                               size_t method)
{
    cli_entry entry = {.set = study->sets - 1,
                       .method = method,
                       .roles = cell->roles,
                       .repeats = cell->repeats,
                       .iterations = cell->iterations};
    int there = cell->status == ONEFOLD_OK;
    char *text;
    CLI_TRY(cli_arena_string(study->arena, &text, "%s", cell->setting));
    entry.setting = text;
    CLI_TRY(cli_arena_string(study->arena, &text, "%s", cell->reason));
    entry.reason = text;
    CLI_TRY(copy_numbers(study->arena, &entry.trace, cell->trace, cell->iterations));
    entry.base = there ? cell->seconds_base : NAN;
    entry.fit = there ? cell->seconds_fit : NAN;
    entry.kmeans = there ? cell->seconds_kmeans : NAN;
    entry.run = there ? cell->seconds_run : NAN;
    entry.peak_bytes = there ? (double)cell->peak_bytes : NAN;
    entry.all = there ? cell->seconds : NAN;
    entry.silhouette = there ? cell->silhouette : NAN;
    entry.used = there ? (double)cell->clusters_used : NAN;
    entry.converged = there ? (double)cell->converged : NAN;
    entry.status = cell->status;
    CLI_TRY(add_entry(study, entry, cell->scores != NULL));
    cli_entry *kept = &study->entry[study->entries - 1];
    for (size_t r = 0; cell->scores && r < cell->repeats; r++)
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            kept->score[m][r] = measure_of(cell->scores[r], m);
    if (cell->scores)
        summarise(kept);
    return ONEFOLD_OK;
}

static size_t shifted(size_t cell, size_t first)
{
    return cell == ONEFOLD_NO_CELL ? CLI_NONE : first + cell;
}

static onefold_status add_set(cli_study *study, const char *name,
                              const onefold_experiment_info *info)
{
    cli_study_set set = {.samples = info->samples,
                         .views = info->views,
                         .clusters = info->clusters,
                         .classes = info->classes,
                         .times_count = info->times_count};
    char *text = "";
    for (size_t v = 0; v < info->views; v++) {
        int same = v > 0 && strcmp(info->view[v]->kernel, info->view[v - 1]->kernel) == 0;
        if (!same)
            CLI_TRY(cli_arena_string(study->arena, &text, "%s%s%s", text, *text ? ", " : "",
                                     info->view[v]->kernel));
    }
    set.kernels = text;
    CLI_TRY(cli_arena_string(study->arena, &text, "%s", name));
    set.name = text;
    CLI_TRY(cli_arena_string(study->arena, &text, "%s", info->truth ? info->truth : "none"));
    set.truth = text;
    size_t *times, *cells, count = info->times_count;
    CLI_TRY(CLI_NEW(study->arena, &times, count + 1));
    CLI_TRY(CLI_NEW(study->arena, &cells, count * count + 1));
    for (size_t i = 0; i < count; i++)
        times[i] = info->times[i];
    for (size_t i = 0; i < count * count; i++)
        cells[i] = shifted(info->sensitivity[i], study->entries);
    set.times = times;
    set.sensitivity = cells;
    CLI_TRY(ROOM(study, set, sets, set_room));
    study->set[study->sets++] = set;
    return ONEFOLD_OK;
}

onefold_status cli_study_add(cli_study *study, const char *name,
                             const onefold_experiment_info *info)
{
    size_t first = study->entries, *place;
    CLI_TRY(add_set(study, name, info));
    CLI_TRY(CLI_NEW(study->arena, &place, info->methods + 1));
    study->repeats = info->repeats;
    study->replicates = info->replicates;
    study->kmeans_iterations = info->kmeans_iterations;
    study->kmeans_start = info->kmeans_start;
    study->restarts = info->restarts;
    study->seed = info->seed;
    study->threads = info->threads;
    for (size_t i = 0; i < info->methods; i++) {
        const onefold_experiment_method_info *method = info->method[i];
        char *drawn;
        CLI_TRY(find_method(study, method->name, &place[i]));
        CLI_TRY(cli_arena_string(study->arena, &drawn, "%s", method->drawn));
        study->method[place[i]].drawn = drawn;
        CLI_TRY(ROOM(study, result, results, result_room));
        study->result[study->results++] =
            (cli_result){.set = study->sets - 1,
                         .method = place[i],
                         .standard = shifted(method->standard, first),
                         .best = shifted(method->best[ONEFOLD_ACC], first),
                         .median = shifted(method->median, first),
                         .near_best = method->near_best,
                         .tried = method->tried};
    }
    for (size_t c = 0; c < info->cells; c++)
        CLI_TRY(add_cell(study, info->cell[c], place[info->cell[c]->method]));
    return ONEFOLD_OK;
}

/* Adds the only entry of a method that is not ours. */
static onefold_status add_other(cli_study *study, const onefold_study_other *other, cli_entry entry,
                                int scored)
{
    size_t method;
    CLI_TRY(find_method(study, other->name, &method));
    study->method[method].other = other;
    entry.set = study->sets - 1;
    entry.method = method;
    entry.setting = "default";
    entry.roles = ONEFOLD_CELL_STANDARD;
    CLI_TRY(ROOM(study, result, results, result_room));
    study->result[study->results++] = (cli_result){.set = entry.set,
                                                   .method = method,
                                                   .standard = study->entries,
                                                   .best = CLI_NONE,
                                                   .median = CLI_NONE};
    return add_entry(study, entry, scored);
}

onefold_status cli_study_add_labels(cli_study *study, const onefold_study_other *other,
                                    const int32_t *labels, size_t repeats, const int32_t *truth,
                                    size_t samples, double seconds)
{
    cli_entry entry = {.repeats = repeats,
                       .reason = "",
                       .base = NAN,
                       .fit = NAN,
                       .kmeans = NAN,
                       .run = seconds,
                       .peak_bytes = NAN,
                       .all = NAN,
                       .silhouette = NAN,
                       .used = NAN,
                       .converged = NAN};
    CLI_TRY(add_other(study, other, entry, 1));
    cli_entry *kept = &study->entry[study->entries - 1];
    for (size_t r = 0; r < repeats; r++) {
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        CLI_TRY(onefold_score(&scores, ONEFOLD_INT32, labels + r * samples, truth, samples));
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            kept->score[m][r] = measure_of(&scores, m);
    }
    summarise(kept);
    return ONEFOLD_OK;
}

onefold_status cli_study_add_failure(cli_study *study, const onefold_study_other *other,
                                     onefold_status status, const char *reason)
{
    cli_entry entry = {.base = NAN,
                       .fit = NAN,
                       .kmeans = NAN,
                       .run = NAN,
                       .peak_bytes = NAN,
                       .all = NAN,
                       .silhouette = NAN,
                       .used = NAN,
                       .converged = NAN,
                       .status = status};
    char *text;
    CLI_TRY(cli_arena_string(study->arena, &text, "%s", reason));
    entry.reason = text;
    return add_other(study, other, entry, 0);
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* The parameter of this number in a setting, "l1=2,l2=8" or "k 14, m 7". Returns its length with
 * the value; 0: there is none. */
static size_t parameter_at(const char *setting, size_t number, const char **at)
{
    for (; number > 0; number--) {
        setting += strcspn(setting, ",");
        setting += strspn(setting, ", ");
    }
    *at = setting;
    return strcspn(setting, ",");
}

/* Its name's length and its value. Returns whether it is a number. */
static int parameter_read(const char *text, size_t length, size_t *name, double *value)
{
    const char *end = text + length, *number;
    *name = strcspn(text, "= ");
    if (*name + 1 >= length)
        return 0;
    number = text + *name + 1;
    return of_number_read(number, end, '.', value) == end;
}

/* Whether two settings agree in all parameters but one. */
static int same_beside(const char *a, const char *b, size_t number)
{
    const char *x, *y;
    for (size_t i = 0;; i++) {
        size_t length = parameter_at(a, i, &x), other = parameter_at(b, i, &y);
        if (!length || !other)
            return !length && !other;
        if (i != number && (length != other || memcmp(x, y, length) != 0))
            return 0;
    }
}

int cli_study_parameter(const cli_study *study, size_t around, size_t number,
                        cli_parameter *parameter)
{
    const cli_entry *centre = &study->entry[around];
    const char *text, *other;
    size_t length = parameter_at(centre->setting, number, &text), name, its;
    double value;
    parameter->count = 0;
    if (!length || !parameter_read(text, length, &name, &value))
        return 0;
    snprintf(parameter->name, sizeof parameter->name, "%.*s", (int)name, text);
    for (size_t i = 0; i < study->entries && parameter->count < CLI_PARAMETER_VALUES; i++) {
        const cli_entry *entry = &study->entry[i];
        if (entry->set != centre->set || entry->method != centre->method || !entry->score[0] ||
            !same_beside(centre->setting, entry->setting, number))
            continue;
        length = parameter_at(entry->setting, number, &other);
        if (!parameter_read(other, length, &its, &value) || its != name ||
            memcmp(text, other, name) != 0)
            continue;
        size_t at = parameter->count++;
        for (; at > 0 && parameter->value[at - 1] > value; at--) {
            parameter->value[at] = parameter->value[at - 1];
            parameter->entry[at] = parameter->entry[at - 1];
        }
        parameter->value[at] = value;
        parameter->entry[at] = i;
    }
    return 1;
}

/* ---- rows for the tests ---------------------------------------------------------------------- */

onefold_status cli_study_values(const cli_study *study, size_t set, int best, int measure,
                                cli_arena *arena, cli_values *values)
{
    size_t rows = set == CLI_NONE ? study->sets : (size_t)-1;
    CLI_TRY(CLI_NEW(arena, &values->method, study->methods + 1));
    values->methods = 0;
    for (size_t m = 0; m < study->methods; m++) {
        int there = 1;
        for (size_t s = set == CLI_NONE ? 0 : set; s < (set == CLI_NONE ? study->sets : set + 1);
             s++) {
            const cli_entry *entry = cli_study_entry(study, s, m, best);
            there &= entry != NULL;
            if (entry && set != CLI_NONE && entry->repeats < 2)
                there = 0; /* one labelling is no row of repeats */
            else if (entry && set != CLI_NONE && entry->repeats < rows)
                rows = entry->repeats;
        }
        if (there)
            values->method[values->methods++] = m;
    }
    if (values->methods < 2 || rows == (size_t)-1)
        rows = 0;
    values->rows = rows;
    CLI_TRY(CLI_NEW(arena, &values->value, rows * values->methods + 1));
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < values->methods; i++) {
            const cli_entry *entry =
                cli_study_entry(study, set == CLI_NONE ? r : set, values->method[i], best);
            values->value[r * values->methods + i] =
                set == CLI_NONE ? entry->mean[measure] : entry->score[measure][r];
        }
    return ONEFOLD_OK;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* A row; repeat from 1, 0: of all repeats. */
static void put_row(const cli_study *study, const cli_entry *entry, FILE *out, size_t repeat,
                    const char *measure, double value)
{
    if (!isfinite(value))
        return;
    cli_print_cell(out, study->set[entry->set].name, CLI_CELL_SHOWN);
    fputc(',', out);
    cli_print_cell(out, study->method[entry->method].name, CLI_CELL_SHOWN);
    fputc(',', out);
    cli_print_cell(out, entry->setting, CLI_CELL_SHOWN);
    if (repeat)
        cli_print(out, ",%zu,%s,%.17g\n", repeat, measure, value);
    else
        cli_print(out, ",,%s,%.17g\n", measure, value);
}

void cli_study_csv(const cli_study *study, FILE *out)
{
    fputs("set,method,setting,repeat,measure,value\n", out);
    for (size_t i = 0; i < study->entries; i++) {
        const cli_entry *entry = &study->entry[i];
        const cli_result *result = find_result(study, entry->set, entry->method);
        for (int m = 0; m < ONEFOLD_MEASURES; m++)
            for (size_t r = 0; entry->score[m] && r < entry->repeats; r++)
                put_row(study, entry, out, r + 1, onefold_name(ONEFOLD_NAMES_MEASURE, m),
                        entry->score[m][r]);
        const struct {
            const char *name;
            double value;
        } more[] = {
            {"default", (entry->roles & ONEFOLD_CELL_STANDARD) != 0},
            {"grid", (entry->roles & ONEFOLD_CELL_GRID) != 0},
            {"sensitivity", (entry->roles & ONEFOLD_CELL_SENSITIVITY) != 0},
            {"best", result->best == i},
            {"median", result->median == i},
            {"status", entry->status},
            {"silhouette", entry->silhouette},
            {"clusters_used", entry->used},
            {"converged", entry->converged},
            {"seconds_base", entry->base},
            {"seconds_fit", entry->fit},
            {"seconds_kmeans", entry->kmeans},
            {"seconds_run", entry->run},
            {"seconds_cell", entry->all},
            {"peak_bytes", entry->peak_bytes},
        };
        for (size_t k = 0; k < sizeof more / sizeof *more; k++)
            put_row(study, entry, out, 0, more[k].name, more[k].value);
        for (size_t t = 0; t < entry->iterations; t++) {
            char name[40];
            snprintf(name, sizeof name, "objective %zu", t + 1);
            put_row(study, entry, out, 0, name, entry->trace[t]);
        }
    }
}
