/* SPDX-License-Identifier: Apache-2.0 */
/* The file of finished cells: a heading line, then a line of JSON for each, synced as it comes. */
#include "base/status.h"
#include "base/structs.h"
#include "experiment/experiment.h"
#include "model/fit.h"
#include "model/result.h"
#include "report/bench.h"

#include <string.h>

/* ---- the JSON of a cell, and the reading of it: bit for bit what was written ---------------- */

#ifdef ONEFOLD_WITH_JSON
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The scores that are kept of each repeat. */
static const struct {
    const char *name;
    size_t place;
} figures[] = {
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
enum { FIGURES = sizeof figures / sizeof *figures };

static double *figure_of(onefold_scores *scores, size_t figure)
{
    return (double *)((char *)scores + figures[figure].place);
}

/* {"acc": [one per repeat], ...} */
static json_t *scores_object(const of_cell_result *result)
{
    json_t *object = json_object();
    int failed = 0;
    for (size_t p = 0; p < FIGURES; p++) {
        json_t *array = json_array();
        for (size_t r = 0; r < result->repeats; r++)
            failed |=
                json_array_append_new(array, of_json_real(*figure_of(&result->scores[r], p))) != 0;
        failed |= of_json_put(object, figures[p].name, array);
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
    OF_TRY(OF_TEXT(in->arena, &*text, "%s", value ? json_string_value(value) : ""));
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
    for (size_t p = 0; p < FIGURES && !scores.wrong; p++) {
        double *numbers = NULL;
        OF_TRY(get_reals(&scores, figures[p].name, result->repeats, &numbers));
        for (size_t r = 0; numbers && r < result->repeats; r++)
            *figure_of(&result->scores[r], p) = numbers[r];
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

/* ---- the file ------------------------------------------------------------------------------- */

static const char heading[] = "{\"onefold\": \"bench cells\", \"format\": 1}\n";

struct of_bench_store {
    of_arena arena;
    char *path;
    int file;
    off_t size;    /* whole lines */
    json_t *cells; /* key: object */
};

static onefold_status fail_file(const of_bench_store *store, const char *what)
{
    return of_fail(ONEFOLD_IO, "%s cannot be %s: %s", store->path, what, strerror(errno));
}

/* Opens or makes the file, for this run alone. */
static onefold_status open_file(of_bench_store *store)
{
    struct stat facts;
    store->file = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (store->file < 0)
        return fail_file(store, "opened");
    if (fstat(store->file, &facts) != 0)
        return fail_file(store, "looked at");
    if (!S_ISREG(facts.st_mode))
        return of_fail(ONEFOLD_IO, "%s cannot hold finished cells", store->path);
    if (flock(store->file, LOCK_EX | LOCK_NB) != 0)
        return of_hint(of_fail(ONEFOLD_IO, "another run keeps its cells in %s", store->path),
                       "wait for it to end, or name another file");
    store->size = facts.st_size;
    return ONEFOLD_OK;
}

static onefold_status read_all(const of_bench_store *store, char *text)
{
    for (off_t at = 0; at < store->size;) {
        ssize_t got = pread(store->file, text + at, (size_t)(store->size - at), at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail_file(store, "read");
        at += got;
    }
    text[store->size] = '\0';
    return ONEFOLD_OK;
}

/* Writes at the end and waits for the disk; what could not be written whole is taken back. */
static onefold_status append(of_bench_store *store, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t put = pwrite(store->file, text + at, size - at, store->size + (off_t)at);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0) {
            onefold_status status = fail_file(store, "written");
            (void)!ftruncate(store->file, store->size);
            return status;
        }
        at += (size_t)put;
    }
    if (fsync(store->file) != 0)
        return fail_file(store, "written");
    store->size += (off_t)size;
    return ONEFOLD_OK;
}

static onefold_status no_memory(const of_bench_store *store)
{
    return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the cells of %s", store->path);
}

/* Whether there is that much memory. jansson's reader (2.14) writes past its block where it gets
 * none for a longer word: it is not called where it would find none. */
static int reserve(size_t bytes)
{
    void *there = malloc(bytes);
    free(there);
    return there != NULL;
}

static onefold_status read_line(of_bench_store *store, const char *line, size_t length,
                                size_t number)
{
    json_error_t error;
    if (!reserve(4 * length + 4096))
        return no_memory(store);
    json_t *object = json_loadb(line, length, 0, &error);
    const char *key = json_string_value(json_object_get(object, "key"));
    if (!object && (!*error.text || json_error_code(&error) == json_error_out_of_memory))
        return no_memory(store);
    if (!key) {
        json_decref(object);
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "%s: line %zu is no finished cell", store->path, number),
            "take the line out, or name another file");
    }
    return json_object_set_new(store->cells, key, object) == 0 ? ONEFOLD_OK : no_memory(store);
}

/* Reads what is there. A last line without its end was cut off when a run was, and is dropped. */
static onefold_status read_lines(of_bench_store *store)
{
    OF_SCRATCH(scratch, store->arena.context);
    char *text;
    size_t first = strlen(heading), number = 1;
    OF_TRY(OF_NEW(&scratch, &text, (size_t)store->size + 1, 1));
    OF_TRY(read_all(store, text));
    size_t size = (size_t)store->size;
    if (strncmp(text, heading, size < first ? size : first) != 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s is not a file of finished cells", store->path),
                       "name one that bench made, or one that is not there yet");
    if (size < first) {
        store->size = 0;
        return append(store, heading, first);
    }
    char *at = text + first, *end;
    for (; (end = memchr(at, '\n', (size_t)(text + size - at))) != NULL; at = end + 1)
        OF_TRY(read_line(store, at, (size_t)(end - at), ++number));
    store->size = at - text;
    if ((size_t)store->size < size && ftruncate(store->file, store->size) != 0)
        return fail_file(store, "written");
    return ONEFOLD_OK;
}

static onefold_status open_store(of_bench_store *store, const char *path)
{
    OF_TRY(of_arena_string(&store->arena, &store->path, "%s", path));
    store->cells = json_object();
    if (!store->cells)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the cells of %s", path);
    OF_TRY(open_file(store));
    return read_lines(store);
}

onefold_status of_bench_store_open(of_bench_store **store, of_context *context, const char *path)
{
    of_arena arena = of_arena_make(of_context_or_default(context));
    of_bench_store *made;
    OF_TRY(OF_NEW_ZERO(&arena, &made, 1, 1));
    made->arena = arena; /* it lives in its own arena */
    made->file = -1;
    onefold_status status = open_store(made, path);
    if (status != ONEFOLD_OK)
        of_bench_store_close(made);
    else
        *store = made;
    return status;
}

void of_bench_store_close(of_bench_store *store)
{
    if (!store)
        return;
    if (store->file >= 0)
        close(store->file);
    json_decref(store->cells);
    of_arena arena = store->arena;
    of_arena_free(&arena);
}

static onefold_status find(void *user, of_arena *arena, const of_cell *cell, size_t samples,
                           of_cell_result *result, int *found)
{
    of_bench_store *store = user;
    const json_t *object = json_object_get(store->cells, cell->key);
    *found = 0;
    if (!object)
        return ONEFOLD_OK;
    onefold_status status = of_bench_cell_read(object, arena, samples, result);
    if (status != ONEFOLD_OK)
        return of_blame(status, "%s", store->path);
    *found = 1;
    return ONEFOLD_OK;
}

static onefold_status keep(void *user, const of_cell *cell)
{
    of_bench_store *store = user;
    json_t *object = of_bench_cell_object(cell, 1);
    char *text = object ? of_json_dump(object, 0) : NULL, *line = NULL;
    onefold_status status = of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the JSON text");
    OF_SCRATCH(scratch, store->arena.context);
    if (text)
        status = of_arena_string(&scratch, &line, "%s\n", text);
    if (status == ONEFOLD_OK)
        status = append(store, line, strlen(line));
    free(text);
    json_decref(object);
    return status;
}

of_cell_store of_bench_store_face(of_bench_store *store)
{
    of_cell_store face = {store, find, keep};
    return face;
}

#else

onefold_status of_bench_store_open(of_bench_store **store, of_context *context, const char *path)
{
    (void)store, (void)context, (void)path;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "keeping finished cells is not in this build"),
                   "build with -DONEFOLD_WITH_JSON=ON, or leave out `store`");
}

of_cell_store of_bench_store_face(of_bench_store *store)
{
    (void)store;
    return (of_cell_store){NULL, NULL, NULL};
}

void of_bench_store_close(of_bench_store *store)
{
    (void)store;
}

#endif

/* ---- an experiment with its store ---------------------------------------------------------- */

/* "method:name=value,...;method:..." into own[], one for each method of the registry. */
static onefold_status split_own(of_arena *arena, const char *text, const char *const **own)
{
    const char **made;
    OF_TRY(OF_NEW_ZERO(arena, &made, of_method_count(), 1));
    for (const char *at = text; at && *at;) {
        size_t whole = strcspn(at, ";"), name = strcspn(at, ":;"), m = 0;
        const of_method *method;
        char *word, *options;
        if (name >= whole)
            return of_hint(of_fail(ONEFOLD_USAGE,
                                   "the options have '%.*s' where METHOD:name=value should stand",
                                   (int)whole, at),
                           "write them as rmsc:lambda=0.1;fmkkm:l1=2,l2=8");
        OF_TRY(of_arena_string(arena, &word, "%.*s", (int)name, at));
        OF_TRY(of_method_find(&method, word));
        OF_TRY(of_arena_string(arena, &options, "%.*s", (int)(whole - name - 1), at + name + 1));
        while (of_method_at(m) != method)
            m++;
        if (made[m])
            return of_fail(ONEFOLD_USAGE, "options of %s are given twice", method->name);
        made[m] = options;
        at += whole + (at[whole] == ';');
    }
    *own = made;
    return ONEFOLD_OK;
}

static onefold_status copy_options(of_arena *arena, const onefold_fit_options *fit,
                                   const onefold_experiment_options *options,
                                   of_experiment_options *copy, const char **store)
{
    onefold_experiment_options all = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    *copy = (of_experiment_options)OF_EXPERIMENT_OPTIONS_INIT;
    OF_TRY(OF_STRUCT_READ(&all, options, onefold_experiment_options));
    OF_TRY(of_fit_options_copy(&copy->fit, fit));
    OF_TRY(of_fit_options_refuse(&copy->fit, &standard,
                                 "clusters kernel dims anchors restarts start variant nonneg stop "
                                 "tolerance max_iterations base landmarks precision seed spill",
                                 "comparing methods"));
    if (!onefold_name(ONEFOLD_NAMES_KMEANS_START, all.kmeans_start))
        return of_fail(ONEFOLD_USAGE,
                       "the option kmeans_start has a value that is not one of its choices");
    OF_TRY(split_own(arena, all.method_options, &copy->own));
    copy->methods = all.methods;
    if (all.grid)
        copy->grid = all.grid;
    copy->repeats = all.repeats;
    copy->grid_repeats = all.grid_repeats;
    copy->kmeans_start = (of_kmeans_start)all.kmeans_start;
    copy->replicates = all.replicates;
    copy->sensitivity = all.sensitivity;
    *store = all.store;
    return ONEFOLD_OK;
}

onefold_status onefold_experiment_check(const onefold_fit_options *fit,
                                        const onefold_experiment_options *options)
{
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    of_experiment_options all;
    const char *store;
    OF_TRY(copy_options(&scratch, fit, options, &all, &store));
    return of_experiment_check(scratch.context, &all);
}

onefold_status onefold_experiment_run(onefold_experiment **experiment, onefold_context *context,
                                      const onefold_dataset *dataset,
                                      const onefold_fit_options *fit,
                                      const onefold_experiment_options *options)
{
    if (!experiment || !dataset)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_experiment_run needs a place for the experiment and a data set");
    context = of_context_or_default(context);
    OF_SCRATCH(scratch, context);
    of_experiment_options all;
    of_bench_store *store = NULL;
    of_cell_store face;
    const char *path;
    OF_TRY(copy_options(&scratch, fit, options, &all, &path));
    if (path) {
        OF_TRY(of_bench_store_open(&store, context, path));
        face = of_bench_store_face(store);
        all.store = &face;
    }
    onefold_status status = of_experiment_run(experiment, context, &dataset->set, &all);
    of_bench_store_close(store);
    return status;
}

void onefold_experiment_free(onefold_experiment *experiment)
{
    of_experiment_free(experiment);
}

const onefold_experiment_info *onefold_experiment_describe(const onefold_experiment *experiment)
{
    return experiment ? &experiment->info : NULL;
}
