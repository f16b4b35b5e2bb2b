/* SPDX-License-Identifier: Apache-2.0 */
/* The file of finished cells: a heading line, then a line of JSON for each, synced as it comes. */
#include "base/status.h"
#include "io/number.h"
#include "model/fit.h"
#include "report/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the JSON of a cell, and the reading of it: bit for bit what was written ---------------- */

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

void of_json_scores(of_json *to, const onefold_scores *const *scores, size_t repeats)
{
    of_json_put(to, "scores:{");
    for (size_t p = 0; p < FIGURES; p++) {
        if (repeats)
            of_json_print(to, figures[p].name, "[");
        for (size_t r = 0; r < repeats || r == 0; r++)
            of_json_real(to, repeats ? NULL : figures[p].name,
                         *(const double *)((const char *)scores[r] + figures[p].place));
        if (repeats)
            of_json_put(to, "]");
    }
    if (repeats)
        of_json_put(to, "clusters:[");
    for (size_t r = 0; r < repeats || r == 0; r++)
        of_json_whole(to, repeats ? NULL : "clusters", scores[r]->clusters);
    of_json_put(to, repeats ? "] classes:n }" : "classes:n }", scores[0]->classes);
}

void of_bench_cell_open(of_json *to, const of_cell *cell, int with_labels)
{
    const of_cell_result *result = &cell->result;
    of_json_put(to, "{");
    if (!to->in_page)
        of_json_text(to, "key", cell->key);
    of_json_put(to, "method:t setting:t status:t code:i reason:t", cell->method->name, cell->name,
                onefold_name(ONEFOLD_NAMES_STATUS, result->status), result->status, result->reason);
    of_json_put(to, "seconds:{ base:r fit:r kmeans:r cell:r }", result->seconds_base,
                result->seconds_fit, result->seconds_kmeans, result->seconds);
    if (result->status != ONEFOLD_OK)
        return;
    of_json_whole(to, "repeats", result->repeats);
    of_json_list(to, "objectives", 'r', result->objectives, result->repeats);
    of_json_put(to, "answer:n clusters_used:n silhouette:r objective:r iterations:n",
                result->answer, result->clusters_used, result->silhouette, result->objective,
                result->iterations);
    of_json_list(to, "trace", 'r', result->trace, result->iterations);
    of_json_put(to, "converged:f views:[", result->converged);
    for (size_t v = 0; v < cell->view_count; v++) {
        const onefold_view_fit *view = result->view[v];
        of_json_put(to, "{ name:t kernel:t base:t weight:r rank:n residual:r }", view->name,
                    view->kernel, view->route ? onefold_name(ONEFOLD_NAMES_ROUTE, view->route) : "",
                    view->weight, view->rank, view->residual);
    }
    of_json_put(to, "] note:t peak_bytes:n", result->note, result->peak_bytes);
    if (result->scores)
        of_json_scores(to, result->scores, result->repeats);
    if (with_labels)
        of_json_list(to, "labels", 'i', result->labels, cell->samples);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* An object, its members, and whether all that was asked for was there so far. */
typedef struct reader {
    of_arena *arena, *scratch;
    int wrong;
    of_members members;
} reader;

static onefold_status read_members(reader *in, of_span object)
{
    const char *end;
    OF_TRY(of_json_members(in->scratch, object.at, &in->members, &end));
    in->wrong |= !end;
    return ONEFOLD_OK;
}

static of_span get(const reader *in, const char *name)
{
    return of_json_member(&in->members, name);
}

static double real_of(reader *in, of_span text)
{
    double number;
    in->wrong |= !of_json_value(text, 'r', &number);
    return number;
}

static size_t whole_of(reader *in, of_span text)
{
    size_t number;
    in->wrong |= !of_json_value(text, 'n', &number);
    return number;
}

/* A text as of_json_text writes it. */
static onefold_status get_text(reader *in, const char *name, const char **text)
{
    static const char letter[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
    const char *from = get(in, name).at;
    char *to;
    in->wrong |= *from != '"';
    if (in->wrong)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(in->arena, &to, strlen(from), 1));
    *text = to;
    for (from++; *from != '"'; from++) {
        const char *escape = *from == '\\' ? strchr(letter, *++from) : from;
        if (escape == from) {
            *to++ = *from;
        } else if (escape) {
            *to++ = plain[escape - letter];
        } else { /* \u, of a character below the space */
            *to++ = (char)strtoul((char[]){from[3], from[4], '\0'}, NULL, 16);
            from += 4;
        }
    }
    *to = '\0';
    return ONEFOLD_OK;
}

/* An array of `count` values: numbers and labels are from the arena. */
static onefold_status get_array(reader *in, const char *name, char kind, size_t count, void *array)
{
    OF_TRY(of_json_array(kind == 'v' ? in->scratch : in->arena, get(in, name), kind, count, array));
    in->wrong |= !*(void **)array;
    return ONEFOLD_OK;
}

static onefold_status get_scores(reader *in, of_cell_result *result)
{
    reader scores = {.arena = in->arena, .scratch = in->scratch};
    of_span *clusters;
    onefold_scores *made;
    OF_TRY(read_members(&scores, get(in, "scores")));
    OF_TRY(get_array(&scores, "clusters", 'v', result->repeats, &clusters));
    in->wrong |= scores.wrong;
    if (in->wrong)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(in->arena, &made, result->repeats, 1));
    for (size_t p = 0; p < FIGURES && !scores.wrong; p++) {
        const double *numbers = NULL;
        OF_TRY(get_array(&scores, figures[p].name, 'r', result->repeats, &numbers));
        for (size_t r = 0; numbers && r < result->repeats; r++)
            *(double *)((char *)&made[r] + figures[p].place) = numbers[r];
    }
    for (size_t r = 0; r < result->repeats; r++) {
        made[r].struct_size = sizeof *made;
        made[r].clusters = whole_of(&scores, clusters[r]);
        made[r].classes = whole_of(&scores, get(&scores, "classes"));
    }
    in->wrong |= scores.wrong;
    return OF_LIST(in->arena, &result->scores, made, result->repeats);
}

static onefold_status get_views(reader *in, size_t count, of_cell_result *result)
{
    of_span *element;
    onefold_view_fit *views;
    OF_TRY(get_array(in, "views", 'v', count, &element));
    OF_TRY(OF_NEW_ZERO(in->arena, &views, count, 1));
    for (size_t v = 0; !in->wrong && v < count; v++) {
        reader view = {.arena = in->arena, .scratch = in->scratch};
        onefold_view_fit *fit = &views[v];
        const char *base = "";
        OF_TRY(read_members(&view, element[v]));
        OF_TRY(get_text(&view, "name", &fit->name));
        OF_TRY(get_text(&view, "kernel", &fit->kernel));
        OF_TRY(get_text(&view, "base", &base));
        while (fit->route <= ONEFOLD_ROUTE_NYSTROM &&
               strcmp(fit->route ? onefold_name(ONEFOLD_NAMES_ROUTE, fit->route) : "", base) != 0)
            fit->route++;
        view.wrong |= fit->route > ONEFOLD_ROUTE_NYSTROM;
        fit->weight = real_of(&view, get(&view, "weight"));
        fit->rank = whole_of(&view, get(&view, "rank"));
        fit->residual = real_of(&view, get(&view, "residual"));
        in->wrong |= view.wrong;
    }
    return OF_LIST(in->arena, &result->view, views, count);
}

static onefold_status get_figures(reader *in, const of_cell *cell, of_cell_result *result)
{
    result->repeats = whole_of(in, get(in, "repeats"));
    result->answer = whole_of(in, get(in, "answer"));
    in->wrong |= result->answer >= result->repeats;
    result->clusters_used = whole_of(in, get(in, "clusters_used"));
    result->silhouette = real_of(in, get(in, "silhouette"));
    result->objective = real_of(in, get(in, "objective"));
    result->iterations = whole_of(in, get(in, "iterations"));
    result->converged = *get(in, "converged").at == 't';
    result->peak_bytes = whole_of(in, get(in, "peak_bytes"));
    OF_TRY(get_text(in, "note", &result->note));
    OF_TRY(get_array(in, "objectives", 'r', result->repeats, &result->objectives));
    OF_TRY(get_array(in, "trace", 'r', result->iterations, &result->trace));
    OF_TRY(get_array(in, "labels", 'i', cell->samples, &result->labels));
    OF_TRY(get_views(in, cell->view_count, result));
    return get(in, "scores").size ? get_scores(in, result) : ONEFOLD_OK;
}

onefold_status of_bench_cell_read(const char *text, of_arena *arena, const of_cell *cell,
                                  of_cell_result *result)
{
    OF_SCRATCH(scratch, arena->context);
    reader in = {.arena = arena, .scratch = &scratch};
    of_cell_result made = {.reason = "", .note = ""};
    reader seconds = in;
    OF_TRY(read_members(&in, (of_span){text, strlen(text)}));
    of_span code = get(&in, "code");
    int minus = *code.at == '-';
    size_t size = whole_of(&in, (of_span){code.at + minus, code.size - (size_t)minus});
    in.wrong |= size > -ONEFOLD_INTERRUPTED || (size && !minus);
    made.status = in.wrong ? ONEFOLD_OK : (onefold_status) - (int)size;
    OF_TRY(get_text(&in, "reason", &made.reason));
    OF_TRY(read_members(&seconds, get(&in, "seconds")));
    made.seconds_base = real_of(&seconds, get(&seconds, "base"));
    made.seconds_fit = real_of(&seconds, get(&seconds, "fit"));
    made.seconds_kmeans = real_of(&seconds, get(&seconds, "kmeans"));
    made.seconds = real_of(&seconds, get(&seconds, "cell"));
    if (made.status == ONEFOLD_OK)
        OF_TRY(get_figures(&in, cell, &made));
    if (in.wrong || seconds.wrong)
        return of_fail(ONEFOLD_BAD_DATA, "a stored cell is incomplete");
    *result = made;
    return ONEFOLD_OK;
}

/* ---- the file ------------------------------------------------------------------------------- */

static const char heading[] = "{\"onefold\": \"bench cells\", \"format\": 1}\n";

typedef struct line {
    const char *text;
    of_span key; /* with its quotes */
} line;

typedef struct bench_store {
    of_arena arena;
    char *path;
    int file;
    off_t size; /* whole lines */
    line *lines;
    size_t count, room;
} bench_store;

static onefold_status fail_file(const bench_store *store, const char *what)
{
    return of_fail(ONEFOLD_IO, "%s cannot be %s: %s", store->path, what, strerror(errno));
}

/* Opens or makes the file, for this run alone. */
static onefold_status open_file(bench_store *store)
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

/* Writes at the end and waits for the disk; what could not be written whole is taken back. */
static onefold_status append(bench_store *store, const char *text, size_t size)
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

static onefold_status add_line(bench_store *store, char *text, size_t length)
{
    OF_SCRATCH(scratch, store->arena.context);
    of_members members;
    const char *end;
    OF_TRY(of_json_members(&scratch, text, &members, &end));
    of_span key = of_json_member(&members, "key");
    if (end != text + length || *key.at != '"')
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s: line %zu is no finished cell", store->path,
                               store->count + 2),
                       "take the line out, or name another file");
    OF_TRY(OF_GROW(&store->arena, &store->lines, store->count, &store->room, store->count + 1));
    store->lines[store->count++] = (line){text, key};
    return ONEFOLD_OK;
}

/* Reads what is there. A last line without its end was cut off when a run was, and is dropped. */
static onefold_status read_lines(bench_store *store)
{
    char *text;
    size_t first = strlen(heading);
    OF_TRY(OF_NEW(&store->arena, &text, (size_t)store->size + 1, 1));
    size_t size = (size_t)store->size;
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(store->file, text + done, size - done, (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail_file(store, "read");
        done += (size_t)got;
    }
    text[size] = '\0';
    if (strncmp(text, heading, size < first ? size : first) != 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s is not a file of finished cells", store->path),
                       "name one that bench made, or one that is not there yet");
    if (size < first) {
        store->size = 0;
        return append(store, heading, first);
    }
    char *at = text + first, *end;
    for (; (end = memchr(at, '\n', (size_t)(text + size - at))) != NULL; at = end + 1) {
        *end = '\0';
        OF_TRY(add_line(store, at, (size_t)(end - at)));
    }
    store->size = at - text;
    if ((size_t)store->size < size && ftruncate(store->file, store->size) != 0)
        return fail_file(store, "written");
    return ONEFOLD_OK;
}

static onefold_status find(void *user, of_arena *arena, const of_cell *cell, of_cell_result *result,
                           int *found)
{
    bench_store *store = user;
    OF_JSON(key) = {.text = NULL};
    size_t i = store->count; /* of two lines with one key the later one holds */
    of_json_text(&key, NULL, cell->key);
    OF_TRY(of_json_check(&key));
    while (i > 0 && !of_span_is(store->lines[i - 1].key, key.text))
        i--;
    *found = i > 0;
    if (!*found)
        return ONEFOLD_OK;
    onefold_status status = of_bench_cell_read(store->lines[i - 1].text, arena, cell, result);
    return status == ONEFOLD_OK ? status : of_blame(status, "%s", store->path);
}

static onefold_status keep(void *user, const of_cell *cell)
{
    OF_JSON(made) = {.text = NULL};
    of_bench_cell_open(&made, cell, 1);
    of_json_put(&made, "}");
    OF_TRY(of_json_check(&made));
    made.text[made.length] = '\n'; /* in place of the closing zero */
    return append(user, made.text, made.length + 1);
}

onefold_status of_bench_store_open(of_cell_store *face, of_context *context, const char *path)
{
    of_arena arena = of_arena_make(of_context_or_default(context));
    bench_store *store;
    OF_TRY(OF_NEW_ZERO(&arena, &store, 1, 1));
    store->arena = arena; /* it lives in its own arena */
    store->file = -1;
    *face = (of_cell_store){store, find, keep};
    onefold_status status = of_arena_string(&store->arena, &store->path, "%s", path);
    if (status == ONEFOLD_OK)
        status = open_file(store);
    if (status == ONEFOLD_OK)
        status = read_lines(store);
    if (status != ONEFOLD_OK)
        of_bench_store_close(face);
    return status;
}

void of_bench_store_close(of_cell_store *face)
{
    bench_store *store = face->user;
    if (!store)
        return;
    if (store->file >= 0)
        close(store->file);
    of_arena arena = store->arena;
    of_arena_free(&arena);
    face->user = NULL;
}

/* ---- an experiment with its store ---------------------------------------------------------- */

static onefold_status copy_options(const onefold_fit_options *fit,
                                   const onefold_experiment_options *options,
                                   of_experiment_options *copy)
{
    onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    *copy = (of_experiment_options)OF_EXPERIMENT_OPTIONS_INIT;
    OF_TRY(OF_STRUCT_READ(&copy->bench, options, onefold_experiment_options));
    OF_TRY(of_fit_options_copy(&copy->fit, fit));
    OF_TRY(of_fit_options_refuse(&copy->fit, &standard,
                                 "clusters kernel dims anchors restarts start variant nonneg stop "
                                 "tolerance max_iterations base landmarks precision seed spill",
                                 "comparing methods"));
    if (!onefold_name(ONEFOLD_NAMES_KMEANS_START, copy->bench.kmeans_start))
        return of_fail(ONEFOLD_USAGE,
                       "the option kmeans_start has a value that is not one of its choices");
    if (!copy->bench.grid)
        copy->bench.grid = "default";
    return ONEFOLD_OK;
}

onefold_status onefold_experiment_check(const onefold_fit_options *fit,
                                        const onefold_experiment_options *options)
{
    of_experiment_options all;
    OF_TRY(copy_options(fit, options, &all));
    return of_experiment_check(of_context_or_default(NULL), &all);
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
    of_experiment_options all;
    of_cell_store store = {NULL, NULL, NULL};
    OF_TRY(copy_options(fit, options, &all));
    if (all.bench.store) {
        OF_TRY(of_bench_store_open(&store, context, all.bench.store));
        all.store = &store;
    }
    onefold_status status = of_experiment_run(experiment, context, &dataset->set, &all);
    of_bench_store_close(&store);
    return status;
}

const onefold_experiment_info *onefold_experiment_describe(const onefold_experiment *experiment)
{
    return experiment ? &experiment->info : NULL;
}
