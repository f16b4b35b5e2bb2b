/* SPDX-License-Identifier: Apache-2.0 */
/* The file of finished cells: a heading, then a line of JSON for each cell, synced at once. */
#include "experiment/experiment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the JSON of a cell: numbers are read bit for bit as they were written --------------------
 */

/* Members of objects, for writing and reading. */
#define SECONDS "base:r fit:r kmeans:r total:r cell:r"
#define VIEW "name:t kernel:t base:t weight:r rank:n residual:r"

static const char *route_name(onefold_route route)
{
    return route ? onefold_name(ONEFOLD_NAMES_ROUTE, route) : "";
}

/* The key with the number of repeats. */
static void put_key(of_json *to, const char *name, const of_cell *cell)
{
    OF_SCRATCH(scratch, NULL);
    char *whole = NULL;
    to->failed |=
        of_arena_string(&scratch, &whole, "%s repeats=%zu", cell->key, cell->repeats) != ONEFOLD_OK;
    of_json_put(to, "*:t", name, whole);
}

void of_cell_open(of_json *to, const of_cell *cell, int with_labels)
{
    const of_cell_result *result = &cell->result;
    of_json_put(to, "{");
    if (!to->in_page)
        put_key(to, "key", cell);
    of_json_put(to, "method:t setting:t status:t code:i reason:t", cell->method->name, cell->name,
                onefold_name(ONEFOLD_NAMES_STATUS, result->status), result->status, result->reason);
    of_json_put(to, "seconds:{ " SECONDS " }", result->seconds_base, result->seconds_fit,
                result->seconds_kmeans, result->seconds_run, result->seconds);
    if (result->status != ONEFOLD_OK)
        return;
    of_json_put(to, "repeats:n objectives:R answer:n clusters_used:n silhouette:r objective:r",
                result->repeats, result->objectives, result->repeats, result->answer,
                result->clusters_used, result->silhouette, result->objective);
    of_json_put(to, "iterations:n trace:R converged:f views:[", result->iterations, result->trace,
                result->iterations, result->converged);
    for (size_t v = 0; v < cell->view_count; v++) {
        const onefold_view_fit *view = result->view[v];
        of_json_put(to, "{ " VIEW " }", view->name, view->kernel, route_name(view->route),
                    view->weight, view->rank, view->residual);
    }
    of_json_put(to, "] note:t peak_bytes:n", result->note, result->peak_bytes);
    if (result->scores)
        of_json_scores(to, result->scores, result->repeats);
    if (with_labels)
        of_json_put(to, "labels:I", result->labels, cell->samples);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* An object that is read. Results are from `arena`. */
typedef struct reader {
    of_arena *arena, *scratch;
    of_members members;
} reader;

/* An array of `count` values. */
static onefold_status get_array(reader *in, const char *name, char kind, size_t count, void *array)
{
    of_span text = of_json_member(&in->members, name);
    OF_TRY(of_json_array(in->arena, text, kind, count, array));
    in->members.wrong |= !*(void **)array;
    return ONEFOLD_OK;
}

static onefold_status get_scores(reader *in, of_span text, of_cell_result *result)
{
    reader scores = {.arena = in->scratch};
    size_t count = result->repeats, classes, *clusters;
    const double *numbers[OF_SCORE_FIGURES];
    onefold_scores *made;
    OF_TRY(of_json_members(in->scratch, text.at, &scores.members));
    OF_TRY(of_json_get(in->scratch, &scores.members, "classes:n", &classes));
    OF_TRY(get_array(&scores, "clusters", 'n', count, &clusters));
    for (size_t p = 0; p < OF_SCORE_FIGURES; p++)
        OF_TRY(get_array(&scores, of_score_figures[p].name, 'r', count, &numbers[p]));
    in->members.wrong |= scores.members.wrong;
    if (in->members.wrong)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ZERO(in->arena, &made, count, 1));
    for (size_t r = 0; r < count; r++) {
        made[r].struct_size = sizeof *made;
        made[r].clusters = clusters[r];
        made[r].classes = classes;
        for (size_t p = 0; p < OF_SCORE_FIGURES; p++)
            *(double *)((char *)&made[r] + of_score_figures[p].place) = numbers[p][r];
    }
    return OF_LIST(in->arena, &result->scores, made, count);
}

static onefold_status get_views(reader *in, size_t count, of_cell_result *result)
{
    reader list = {.arena = in->scratch, .members = in->members};
    of_span *element;
    onefold_view_fit *views;
    OF_TRY(get_array(&list, "views", 'v', count, &element));
    in->members.wrong |= list.members.wrong;
    OF_TRY(OF_NEW_ZERO(in->arena, &views, count, 1));
    for (size_t v = 0; !in->members.wrong && v < count; v++) {
        of_members view;
        onefold_view_fit *fit = &views[v];
        const char *base = "";
        OF_TRY(of_json_members(in->scratch, element[v].at, &view));
        OF_TRY(of_json_get(in->arena, &view, VIEW, &fit->name, &fit->kernel, &base, &fit->weight,
                           &fit->rank, &fit->residual));
        while (fit->route <= ONEFOLD_ROUTE_NYSTROM && strcmp(route_name(fit->route), base) != 0)
            fit->route++;
        in->members.wrong |= view.wrong || fit->route > ONEFOLD_ROUTE_NYSTROM;
    }
    return OF_LIST(in->arena, &result->view, views, count);
}

static onefold_status get_figures(reader *in, const of_cell *cell, of_cell_result *result)
{
    of_span scores = of_json_member(&in->members, "scores");
    OF_TRY(of_json_get(in->arena, &in->members,
                       "repeats:n answer:n clusters_used:n silhouette:r objective:r iterations:n "
                       "converged:f peak_bytes:n note:t",
                       &result->repeats, &result->answer, &result->clusters_used,
                       &result->silhouette, &result->objective, &result->iterations,
                       &result->converged, &result->peak_bytes, &result->note));
    in->members.wrong |= result->answer >= result->repeats;
    OF_TRY(get_array(in, "objectives", 'r', result->repeats, &result->objectives));
    OF_TRY(get_array(in, "trace", 'r', result->iterations, &result->trace));
    OF_TRY(get_array(in, "labels", 'i', cell->samples, &result->labels));
    OF_TRY(get_views(in, cell->view_count, result));
    return scores.size ? get_scores(in, scores, result) : ONEFOLD_OK;
}

onefold_status of_cell_read(const char *text, of_arena *arena, const of_cell *cell,
                            of_cell_result *result)
{
    OF_SCRATCH(scratch, arena->context);
    reader in = {.arena = arena, .scratch = &scratch};
    of_members seconds;
    of_cell_result made = {.reason = "", .note = ""};
    size_t size = 0;
    OF_TRY(of_json_members(&scratch, text, &in.members));
    of_span code = of_json_member(&in.members, "code");
    int minus = *code.at == '-';
    in.members.wrong |=
        !of_json_value((of_span){code.at + minus, code.size - (size_t)minus}, 'n', &size) ||
        size > -ONEFOLD_INTERRUPTED || (size && !minus);
    made.status = in.members.wrong ? ONEFOLD_OK : (onefold_status) - (int)size;
    OF_TRY(of_json_get(arena, &in.members, "reason:t", &made.reason));
    OF_TRY(of_json_members(&scratch, of_json_member(&in.members, "seconds").at, &seconds));
    OF_TRY(of_json_get(arena, &seconds, SECONDS, &made.seconds_base, &made.seconds_fit,
                       &made.seconds_kmeans, &made.seconds_run, &made.seconds));
    if (made.status == ONEFOLD_OK)
        OF_TRY(get_figures(&in, cell, &made));
    if (in.members.wrong || seconds.wrong)
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

struct of_cell_store {
    of_arena arena; /* of the lines, and of the store itself */
    const char *path;
    FILE *file;  /* NULL: not open */
    size_t size; /* when it was opened */
    line *lines;
    size_t count, room;
};

static onefold_status fail_file(const of_cell_store *store, const char *what)
{
    return of_fail(ONEFOLD_IO, "%s cannot be %s: %s", store->path, what, strerror(errno));
}

/* Opens or creates the file, and locks it. */
static onefold_status open_file(of_cell_store *store)
{
    struct stat facts;
    store->file = fopen(store->path, "a+e");
    if (!store->file || fstat(fileno(store->file), &facts) != 0)
        return fail_file(store, "opened");
    if (!S_ISREG(facts.st_mode))
        return of_fail(ONEFOLD_IO, "%s cannot hold finished cells", store->path);
    if (flock(fileno(store->file), LOCK_EX | LOCK_NB) != 0)
        return of_hint(of_fail(ONEFOLD_IO, "another run keeps its cells in %s", store->path),
                       "wait for it to end, or name another file");
    store->size = (size_t)facts.st_size;
    return ONEFOLD_OK;
}

/* Writes at the end and waits for the disk. */
static onefold_status append(const of_cell_store *store, const char *text, size_t size)
{
    if (fwrite(text, 1, size, store->file) != size || fflush(store->file) != 0 ||
        fsync(fileno(store->file)) != 0)
        return fail_file(store, "written");
    return ONEFOLD_OK;
}

static onefold_status add_line(of_cell_store *store, char *text, size_t length)
{
    OF_SCRATCH(scratch, store->arena.context);
    of_members members;
    OF_TRY(of_json_members(&scratch, text, &members));
    of_span key = of_json_member(&members, "key");
    if (members.end != text + length || *key.at != '"')
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s: line %zu is not a finished cell", store->path,
                               store->count + 2),
                       "remove the line, or name another file");
    OF_TRY(OF_GROW(&store->arena, &store->lines, store->count, &store->room, store->count + 1));
    store->lines[store->count++] = (line){text, key};
    return ONEFOLD_OK;
}

/* Reads the stored cells. A last line without its end is of an interrupted run, and is cut off. */
static onefold_status read_lines(of_cell_store *store)
{
    char *text;
    size_t first = strlen(heading);
    OF_TRY(OF_NEW(&store->arena, &text, store->size + 1, 1));
    rewind(store->file);
    if (fread(text, 1, store->size, store->file) != store->size ||
        fseek(store->file, 0, SEEK_END) != 0)
        return fail_file(store, "read");
    char *at = text, *last = text + store->size, *end;
    *last = '\0';
    if (strncmp(text, heading, of_size_least(store->size, first)) != 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s is not a file of finished cells", store->path),
                       "name one that bench made, or a new file");
    if (store->size >= first)
        at += first;
    for (; (end = memchr(at, '\n', (size_t)(last - at))) != NULL; at = end + 1) {
        *end = '\0';
        OF_TRY(add_line(store, at, (size_t)(end - at)));
    }
    if (at < last && ftruncate(fileno(store->file), at - text) != 0)
        return fail_file(store, "written");
    return at == text ? append(store, heading, first) : ONEFOLD_OK;
}

onefold_status of_cell_store_find(const of_cell_store *store, of_arena *arena, of_cell *cell)
{
    OF_JSON(key) = {.text = NULL};
    size_t i = store->count; /* the last of two lines with one key is used */
    put_key(&key, NULL, cell);
    OF_TRY(of_json_check(&key));
    while (i > 0 && !of_span_is(store->lines[i - 1].key, key.text))
        i--;
    cell->kept = i > 0;
    if (!cell->kept)
        return ONEFOLD_OK;
    onefold_status status = of_cell_read(store->lines[i - 1].text, arena, cell, &cell->result);
    return status == ONEFOLD_OK ? status : of_blame(status, "%s", store->path);
}

onefold_status of_cell_store_keep(of_cell_store *store, const of_cell *cell)
{
    OF_JSON(made) = {.text = NULL};
    of_cell_open(&made, cell, 1);
    of_json_put(&made, "}");
    OF_TRY(of_json_check(&made));
    made.text[made.length] = '\n'; /* in place of the closing zero */
    return append(store, made.text, made.length + 1);
}

onefold_status of_cell_store_open(of_cell_store **store, of_context *context, const char *path)
{
    of_cell_store *made;
    OF_TRY(OF_OBJECT(context, &made));
    made->path = path;
    onefold_status status = open_file(made);
    if (status == ONEFOLD_OK)
        status = read_lines(made);
    if (status == ONEFOLD_OK)
        *store = made;
    else
        of_cell_store_close(made);
    return status;
}

void of_cell_store_close(of_cell_store *store)
{
    if (!store)
        return;
    if (store->file)
        fclose(store->file);
    of_object_free(store);
}
