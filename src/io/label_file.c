/* SPDX-License-Identifier: Apache-2.0 */
/* Labels into a file as they come. */
#include "io/label_file.h"

#include "io/write.h"
#include "io/write_parts.h"

#include <string.h>
#include <strings.h>

static onefold_status start_table(of_label_file *file)
{
    char mark = file->separator;
    return file->extras.confidence
               ? of_atomic_print(&file->file, "sample%ccluster%cconfidence\n", mark, mark)
               : of_atomic_print(&file->file, "sample%ccluster\n", mark);
}

/* What the ending asks for; labels of a container are held until all are there. */
static onefold_status open_kind(of_label_file *file, const char *path)
{
    const char *dot = strrchr(path, '.');
    file->binary = dot && strcasecmp(dot, ".npy") == 0;
    if (dot && (strcasecmp(dot, ".mat") == 0 || strcasecmp(dot, ".npz") == 0)) {
        if (file->extras.confidence)
            OF_TRY(OF_NEW(&file->arena, &file->sure, file->samples, 1));
        return OF_NEW(&file->arena, &file->held, file->samples, 1);
    }
    int stream = of_is_stream(path) && !file->binary && !(dot && strcasecmp(dot, ".txt") == 0);
    if (file->extras.table && (dot || stream))
        file->separator = dot && strcasecmp(dot, ".tsv") == 0               ? '\t'
                          : stream || (dot && strcasecmp(dot, ".csv") == 0) ? ','
                                                                            : '\0';
    OF_TRY(of_atomic_open(&file->file, file->arena.context, path));
    if (file->separator)
        return start_table(file);
    if (!file->binary)
        return ONEFOLD_OK;
    of_npy array = {.type = OF_I32, .dimensions = 1, .shape = {file->samples}};
    return of_npy_header(of_atomic_sink(&file->file), &array);
}

onefold_status of_label_file_open(of_label_file *file, of_context *context, const char *path,
                                  size_t samples, const of_label_extras *extras)
{
    *file = (of_label_file)OF_LABEL_FILE_INIT;
    file->samples = samples;
    file->arena = of_arena_make(context);
    if (extras)
        file->extras = *extras;
    OF_TRY(of_arena_string(&file->arena, &file->path, "%s", path));
    return open_kind(file, path);
}

/* A row of a table. Six digits of a confidence say all there is to it. */
static onefold_status add_row(of_label_file *file, size_t sample, int32_t label,
                              const double *confidence)
{
    if (file->extras.names)
        OF_TRY(of_write_name(&file->file, file->extras.names[sample], file->separator,
                             file->separator));
    else
        OF_TRY(of_atomic_print(&file->file, "%zu%c", sample + 1, file->separator));
    if (!confidence)
        return of_atomic_print(&file->file, "%d\n", (int)label);
    return of_atomic_print(&file->file, "%d%c%.6g\n", (int)label, file->separator, *confidence);
}

onefold_status of_label_file_add(of_label_file *file, const int32_t *labels,
                                 const double *confidence, size_t count)
{
    if (count > file->samples - file->written)
        return of_fail(ONEFOLD_USAGE, "more labels than the %zu promised", file->samples);
    if (file->extras.confidence && !confidence)
        return of_fail(ONEFOLD_USAGE, "labels were promised with their confidence");
    if (file->held)
        memcpy(file->held + file->written, labels, count * sizeof *labels);
    if (file->sure)
        memcpy(file->sure + file->written, confidence, count * sizeof *confidence);
    if (file->binary)
        OF_TRY(of_atomic_write(&file->file, labels, count * sizeof *labels));
    for (size_t i = 0; !file->held && !file->binary && i < count; i++)
        if (file->separator)
            OF_TRY(add_row(file, file->written + i, labels[i],
                           file->extras.confidence ? &confidence[i] : NULL));
        else
            OF_TRY(of_atomic_print(&file->file, "%d\n", (int)labels[i]));
    file->written += count;
    return ONEFOLD_OK;
}

onefold_status of_label_file_commit(of_label_file *file)
{
    if (file->written != file->samples)
        return of_fail(ONEFOLD_USAGE, "%zu labels of the %zu promised", file->written,
                       file->samples);
    if (!file->held)
        return of_atomic_commit(&file->file);
    const char *dot = strrchr(file->path, '.');
    OF_TRY(of_atomic_open(&file->file, file->arena.context, file->path));
    OF_TRY(strcasecmp(dot, ".mat") == 0 ? of_write_mat_labels(&file->file, file->held, file->sure,
                                                              file->extras.names, file->samples)
                                        : of_write_npz_labels(&file->file, file->held, file->sure,
                                                              file->extras.names, file->samples));
    return of_atomic_commit(&file->file);
}

void of_label_file_abandon(of_label_file *file)
{
    of_atomic_abandon(&file->file);
    of_arena_free(&file->arena);
}
