/* SPDX-License-Identifier: Apache-2.0 */
/* Labels into a file as they come. */
#include "io/label_file.h"

#include "io/write.h"
#include "io/write_parts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

onefold_status of_label_file_open(of_label_file *file, of_context *context, const char *path,
                                  size_t samples)
{
    const char *dot = strrchr(path, '.');
    *file = (of_label_file)OF_LABEL_FILE_INIT;
    file->samples = samples;
    file->arena = of_arena_make(context);
    OF_TRY(of_arena_string(&file->arena, &file->path, "%s", path));
    file->binary = dot && strcasecmp(dot, ".npy") == 0;
    if (dot && strcasecmp(dot, ".mat") == 0)
        return OF_NEW(&file->arena, &file->held, samples, 1);
    OF_TRY(of_atomic_open(&file->file, context, path));
    if (!file->binary)
        return ONEFOLD_OK;
    of_npy array = {.type = OF_I32, .dimensions = 1, .shape = {samples}};
    return of_npy_header(of_atomic_sink(&file->file), &array);
}

onefold_status of_label_file_add(of_label_file *file, const int32_t *labels, size_t count)
{
    if (count > file->samples - file->written)
        return of_fail(ONEFOLD_USAGE, "more labels than the %zu promised", file->samples);
    if (file->held)
        memcpy(file->held + file->written, labels, count * sizeof *labels);
    else if (file->binary)
        OF_TRY(of_atomic_write(&file->file, labels, count * sizeof *labels));
    else
        for (size_t i = 0; i < count; i++) {
            char text[16];
            int length = snprintf(text, sizeof text, "%d\n", (int)labels[i]);
            OF_TRY(of_atomic_write(&file->file, text, (size_t)length));
        }
    file->written += count;
    return ONEFOLD_OK;
}

onefold_status of_label_file_commit(of_label_file *file)
{
    if (file->written != file->samples)
        return of_fail(ONEFOLD_USAGE, "%zu labels of the %zu promised", file->written,
                       file->samples);
    if (file->held)
        return of_write_labels(file->arena.context, file->path, file->held, file->samples);
    return of_atomic_commit(&file->file);
}

void of_label_file_abandon(of_label_file *file)
{
    of_atomic_abandon(&file->file);
    of_arena_free(&file->arena);
}
