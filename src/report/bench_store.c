/* SPDX-License-Identifier: Apache-2.0 */
/* The file of finished cells: a heading line, then a line of JSON for each, synced as it comes. */
#include "report/bench.h"
#include "report/bench_cell.h"

#include "base/status.h"

#ifdef ONEFOLD_WITH_JSON

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
