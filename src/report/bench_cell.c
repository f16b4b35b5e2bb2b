/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a cell, key by key, and the reading of it. Numbers have 17 digits: what is read is
 * bit for bit what was written. */
#include "report/bench_cell.h"

#ifdef ONEFOLD_WITH_JSON

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The scores that are kept of each repeat. */
static const struct {
    const char *name;
    size_t place;
} parts[] = {
    {"acc", offsetof(onefold_scores, acc)},
    {"nmi", offsetof(onefold_scores, nmi)},
    {"nmi_max", offsetof(onefold_scores, nmi_max)},
    {"nmi_sum", offsetof(onefold_scores, nmi_sum)},
    {"nmi_sqrt", offsetof(onefold_scores, nmi_sqrt)},
    {"purity", offsetof(onefold_scores, purity)},
    {"ari", offsetof(onefold_scores, ari)},
    {"f", offsetof(onefold_scores, f)},
    {"precision", offsetof(onefold_scores, precision)},
    {"recall", offsetof(onefold_scores, recall)},
};
enum { PARTS = sizeof parts / sizeof *parts };

static double *part_of(onefold_scores *scores, size_t part)
{
    return (double *)((char *)scores + parts[part].place);
}

/* {"acc": [one per repeat], ...} */
static json_t *scores_object(const of_cell_result *result)
{
    json_t *object = json_object();
    int failed = 0;
    for (size_t p = 0; p < PARTS; p++) {
        json_t *array = json_array();
        for (size_t r = 0; r < result->repeats; r++)
            failed |=
                json_array_append_new(array, of_json_real(*part_of(&result->scores[r], p))) != 0;
        failed |= of_json_put(object, parts[p].name, array);
    }
    json_t *clusters = json_array();
    for (size_t r = 0; r < result->repeats; r++)
        failed |= json_array_append_new(clusters, of_json_whole(result->scores[r].clusters)) != 0;
    failed |= of_json_put(object, "clusters", clusters);
    failed |= of_json_put(object, "classes", of_json_whole(result->scores[0].classes));
    return of_json_keep(object, failed);
}

static json_t *views_array(const of_cell_result *result)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t v = 0; v < result->view_count; v++) {
        const onefold_view_fit *view = &result->views[v];
        json_t *object = json_object();
        failed |=
            of_json_put(object, "name", of_json_text(view->name)) |
            of_json_put(object, "kernel", of_json_text(view->kernel)) |
            of_json_put(
                object, "base",
                of_json_text(view->route ? onefold_name(ONEFOLD_NAMES_ROUTE, view->route) : "")) |
            of_json_put(object, "weight", of_json_real(view->weight)) |
            of_json_put(object, "rank", of_json_whole(view->rank)) |
            of_json_put(object, "residual", of_json_real(view->residual)) |
            (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *seconds_object(const of_cell_result *result)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "base", of_json_real(result->seconds_base)) |
                 of_json_put(object, "fit", of_json_real(result->seconds_fit)) |
                 of_json_put(object, "kmeans", of_json_real(result->seconds_kmeans)) |
                 of_json_put(object, "cell", of_json_real(result->seconds));
    return of_json_keep(object, failed);
}

static json_t *labels_array(const of_cell_result *result)
{
    size_t clusters = 0;
    for (size_t j = 0; j < result->samples; j++)
        if ((size_t)result->labels[j] >= clusters)
            clusters = (size_t)result->labels[j] + 1;
    return of_json_labels(result->labels, result->samples, clusters);
}

static int put_figures(json_t *object, const of_cell_result *result)
{
    int failed =
        of_json_put(object, "repeats", of_json_whole(result->repeats)) |
        of_json_put(object, "objectives", of_json_reals(result->objectives, result->repeats)) |
        of_json_put(object, "answer", of_json_whole(result->answer)) |
        of_json_put(object, "clusters_used", of_json_whole(result->clusters_used)) |
        of_json_put(object, "silhouette", of_json_real(result->silhouette)) |
        of_json_put(object, "objective", of_json_real(result->objective)) |
        of_json_put(object, "iterations", of_json_whole(result->iterations)) |
        of_json_put(object, "trace", of_json_reals(result->trace, result->iterations)) |
        of_json_put(object, "converged", json_boolean(result->converged)) |
        of_json_put(object, "views", views_array(result)) |
        of_json_put(object, "note", of_json_text(result->note)) |
        of_json_put(object, "peak_bytes", of_json_whole(result->peak_bytes));
    if (result->scores)
        failed |= of_json_put(object, "scores", scores_object(result));
    return failed;
}

json_t *of_bench_cell_object(const of_cell *cell, int with_labels)
{
    const of_cell_result *result = &cell->result;
    json_t *object = json_object();
    int failed = of_json_put(object, "key", of_json_text(cell->key)) |
                 of_json_put(object, "method", of_json_text(cell->method->name)) |
                 of_json_put(object, "setting", of_json_text(cell->name)) |
                 of_json_put(object, "status",
                             of_json_text(onefold_name(ONEFOLD_NAMES_STATUS, result->status))) |
                 of_json_put(object, "code", json_integer(result->status)) |
                 of_json_put(object, "reason", of_json_text(result->reason)) |
                 of_json_put(object, "seconds", seconds_object(result));
    if (result->status == ONEFOLD_OK)
        failed |= put_figures(object, result);
    if (result->status == ONEFOLD_OK && with_labels)
        failed |= of_json_put(object, "labels", labels_array(result));
    return of_json_keep(object, failed);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* What is read, and whether all of it was there so far. */
typedef struct reader {
    const json_t *object;
    of_arena *arena;
    int wrong;
} reader;

static const json_t *get(reader *in, const char *name, json_type type)
{
    const json_t *value = json_object_get(in->object, name);
    if (!value || json_typeof(value) != type)
        in->wrong = 1;
    return value;
}

static double real_of(reader *in, const json_t *value)
{
    if (json_is_null(value))
        return NAN; /* JSON cannot say it otherwise */
    in->wrong |= !json_is_number(value);
    return json_number_value(value);
}

static double get_real(reader *in, const char *name)
{
    return real_of(in, json_object_get(in->object, name));
}

static size_t whole_of(reader *in, const json_t *value)
{
    json_int_t whole = json_integer_value(value);
    in->wrong |= !json_is_integer(value) || whole < 0;
    return whole < 0 ? 0 : (size_t)whole;
}

static size_t get_whole(reader *in, const char *name)
{
    return whole_of(in, json_object_get(in->object, name));
}

static onefold_status get_text(reader *in, const char *name, const char **text)
{
    const json_t *value = get(in, name, JSON_STRING);
    char *copy;
    OF_TRY(of_arena_string(in->arena, &copy, "%s", value ? json_string_value(value) : ""));
    *text = copy;
    return ONEFOLD_OK;
}

/* `count` numbers, exactly. */
static onefold_status get_reals(reader *in, const char *name, size_t count, double **numbers)
{
    const json_t *array = get(in, name, JSON_ARRAY);
    if (json_array_size(array) != count)
        in->wrong = 1;
    if (in->wrong)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(in->arena, numbers, count, 1));
    for (size_t i = 0; i < count; i++)
        (*numbers)[i] = real_of(in, json_array_get(array, i));
    return ONEFOLD_OK;
}

static onefold_status get_labels(reader *in, size_t samples, of_cell_result *result)
{
    const json_t *array = get(in, "labels", JSON_ARRAY);
    if (json_array_size(array) != samples)
        in->wrong = 1;
    if (in->wrong)
        return ONEFOLD_OK;
    result->samples = samples;
    OF_TRY(OF_NEW(in->arena, &result->labels, samples, 1));
    for (size_t j = 0; j < samples; j++) {
        size_t label = whole_of(in, json_array_get(array, j));
        in->wrong |= label > INT32_MAX;
        result->labels[j] = (int32_t)label;
    }
    return ONEFOLD_OK;
}

static onefold_status get_scores(reader *in, of_cell_result *result)
{
    reader scores = {get(in, "scores", JSON_OBJECT), in->arena, in->wrong};
    const json_t *clusters = get(&scores, "clusters", JSON_ARRAY);
    scores.wrong |= json_array_size(clusters) != result->repeats;
    in->wrong |= scores.wrong;
    if (in->wrong)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(in->arena, &result->scores, result->repeats, 1));
    for (size_t p = 0; p < PARTS && !scores.wrong; p++) {
        double *numbers = NULL;
        OF_TRY(get_reals(&scores, parts[p].name, result->repeats, &numbers));
        for (size_t r = 0; numbers && r < result->repeats; r++)
            *part_of(&result->scores[r], p) = numbers[r];
    }
    for (size_t r = 0; r < result->repeats; r++) {
        result->scores[r].struct_size = sizeof *result->scores;
        result->scores[r].clusters = whole_of(&scores, json_array_get(clusters, r));
        result->scores[r].classes = get_whole(&scores, "classes");
    }
    in->wrong |= scores.wrong;
    return ONEFOLD_OK;
}

static onefold_status get_views(reader *in, of_cell_result *result)
{
    const json_t *array = get(in, "views", JSON_ARRAY);
    result->view_count = json_array_size(array);
    OF_TRY(OF_NEW_ZERO(in->arena, &result->views, result->view_count, 1));
    for (size_t v = 0; v < result->view_count; v++) {
        reader view = {json_array_get(array, v), in->arena, 0};
        onefold_view_fit *fit = &result->views[v];
        const char *base;
        OF_TRY(get_text(&view, "name", &fit->name));
        OF_TRY(get_text(&view, "kernel", &fit->kernel));
        OF_TRY(get_text(&view, "base", &base));
        while (fit->route <= ONEFOLD_ROUTE_NYSTROM &&
               strcmp(fit->route ? onefold_name(ONEFOLD_NAMES_ROUTE, fit->route) : "", base) != 0)
            fit->route++;
        view.wrong |= fit->route > ONEFOLD_ROUTE_NYSTROM;
        fit->weight = get_real(&view, "weight");
        fit->rank = get_whole(&view, "rank");
        fit->residual = get_real(&view, "residual");
        in->wrong |= view.wrong;
    }
    return ONEFOLD_OK;
}

static void get_seconds(reader *in, of_cell_result *result)
{
    reader seconds = {get(in, "seconds", JSON_OBJECT), in->arena, 0};
    result->seconds_base = get_real(&seconds, "base");
    result->seconds_fit = get_real(&seconds, "fit");
    result->seconds_kmeans = get_real(&seconds, "kmeans");
    result->seconds = get_real(&seconds, "cell");
    in->wrong |= seconds.wrong;
}

static onefold_status get_figures(reader *in, size_t samples, of_cell_result *result)
{
    result->repeats = get_whole(in, "repeats");
    result->answer = get_whole(in, "answer");
    in->wrong |= result->answer >= result->repeats;
    result->clusters_used = get_whole(in, "clusters_used");
    result->silhouette = get_real(in, "silhouette");
    result->objective = get_real(in, "objective");
    result->iterations = get_whole(in, "iterations");
    result->converged = json_is_true(json_object_get(in->object, "converged"));
    result->peak_bytes = get_whole(in, "peak_bytes");
    OF_TRY(get_text(in, "note", &result->note));
    OF_TRY(get_reals(in, "objectives", result->repeats, &result->objectives));
    OF_TRY(get_reals(in, "trace", result->iterations, &result->trace));
    OF_TRY(get_labels(in, samples, result));
    OF_TRY(get_views(in, result));
    if (json_object_get(in->object, "scores"))
        OF_TRY(get_scores(in, result));
    return ONEFOLD_OK;
}

onefold_status of_bench_cell_read(const json_t *object, of_arena *arena, size_t samples,
                                  of_cell_result *result)
{
    reader in = {object, arena, 0};
    of_cell_result made = {.reason = "", .note = ""};
    json_int_t code = json_integer_value(get(&in, "code", JSON_INTEGER));
    in.wrong |= code > ONEFOLD_OK || code < ONEFOLD_INTERRUPTED;
    made.status = (onefold_status)code;
    OF_TRY(get_text(&in, "reason", &made.reason));
    get_seconds(&in, &made);
    if (made.status == ONEFOLD_OK)
        OF_TRY(get_figures(&in, samples, &made));
    if (in.wrong)
        return of_fail(ONEFOLD_BAD_DATA, "a stored cell is incomplete");
    *result = made;
    return ONEFOLD_OK;
}

#endif
