/* SPDX-License-Identifier: Apache-2.0 */
/* Reading numbers through a small buffer. */
#include "io/array_source.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 15 };

typedef struct array_source {
    of_view_source values; /* first, so that one is the other */
    const char *path;
    int descriptor;
    size_t start; /* of the first number, in bytes */
    of_type type;
    size_t columns;
} array_source;

static onefold_status read_bytes(const array_source *source, size_t at, size_t size, void *buffer)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(source->descriptor, (char *)buffer + done, size - done,
                            (off_t)(source->start + at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return of_fail(ONEFOLD_IO, "%s: the file cannot be read (%s)", source->path,
                           strerror(errno));
        if (got == 0)
            return of_fail(ONEFOLD_IO, "%s: the file has become shorter as it was read",
                           source->path);
        done += (size_t)got;
    }
    return ONEFOLD_OK;
}

/* As many rows as the buffer holds at a time, or parts of a row that is longer. */
static onefold_status read_rows(const of_view_source *values, size_t first, size_t count,
                                double *out, size_t ldo)
{
    const array_source *source = (const array_source *)values;
    size_t size = of_type_size(source->type), room = BUFFER / size, columns = source->columns,
           width = columns < room ? columns : room, rows = room / width;
    double buffer[BUFFER / sizeof(double)];
    of_view part = {.storage = OF_DENSE, .data = buffer, .type = source->type, .column_step = 1};
    for (size_t j = 0; j < count; j += part.samples) {
        part.samples = count - j < rows ? count - j : rows;
        for (size_t c = 0; c < columns; c += width) {
            part.columns = columns - c < width ? columns - c : width;
            part.sample_step = part.columns;
            OF_TRY(read_bytes(source, ((first + j) * columns + c) * size,
                              part.samples * part.columns * size, buffer));
            of_view_tile(&part, 0, part.samples, out + j * ldo + c, ldo);
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_array_source_make(of_arena *arena, const char *file, of_view *view)
{
    array_source *source;
    char *path;
    OF_TRY(OF_NEW(arena, &source, 1, 1));
    OF_TRY(of_arena_string(arena, &path, "%s", file));
    *source = (array_source){.values = {read_rows, NULL},
                             .path = path,
                             .descriptor = view->owner->descriptor,
                             .start = (size_t)((uintptr_t)view->data - (uintptr_t)view->owner->map),
                             .type = view->type,
                             .columns = view->columns};
    view->source = &source->values;
    return ONEFOLD_OK;
}
