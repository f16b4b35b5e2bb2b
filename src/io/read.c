/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a data set: files to variables, variables to views and labels. */
#include "io/read.h"

#include "base/comm.h"
#include "base/mapped.h"
#include "base/public_call.h"
#include "base/structs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void close_all(of_reading *reading)
{
    for (size_t f = 0; f < reading->files.opened; f++)
        of_file_close(&reading->files.file[f]);
}

/* What is asked of a table: "FILE:COLUMN" names a column of one file, and anything else may be one
 * of any. */
static of_table_wishes wishes_for(const of_reading *reading, const char *path, const char *truth)
{
    of_table_wishes wishes = reading->wishes;
    size_t length = strlen(path);
    wishes.truth = truth;
    if (truth && strncmp(truth, path, length) == 0 && truth[length] == ':')
        wishes.truth = truth + length + 1;
    return wishes;
}

static onefold_status read_files(of_reading *reading, const char *const *paths, size_t path_count,
                                 const onefold_read_options *options)
{
    OF_TRY(OF_NEW_ZERO(reading->arena, &reading->files.file, path_count + 2, 1));
    OF_TRY(OF_NEW_ZERO(reading->arena, &reading->files.is_label, path_count + 2, 1));
    for (size_t f = 0; f < path_count; f++) {
        of_context_progress(reading->arena->context, "read", (double)f, (double)path_count,
                            paths[f]);
        onefold_status (*read)(of_file *, of_context *, const char *, of_table_wishes) =
            options->pass_once ? of_file_pass : of_file_read;
        OF_TRY(read(&reading->files.file[f], reading->arena->context, paths[f],
                    wishes_for(reading, paths[f], options->no_truth ? NULL : options->truth)));
        reading->files.opened = reading->files.count = f + 1;
        OF_TRY(OF_NEW_ZERO(reading->arena, &reading->files.is_label[f],
                           reading->files.file[f].count, 1));
    }
    return ONEFOLD_OK;
}

onefold_status of_reading_say(of_reading *reading, const char *format, ...)
{
    char line[1024], *copy;
    const char **more;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    OF_TRY(of_arena_string(reading->arena, &copy, "%s", line));
    OF_TRY(OF_NEW(reading->arena, &more, reading->said_count + 1, 1));
    if (reading->said_count)
        memcpy(more, reading->said, reading->said_count * sizeof *more);
    more[reading->said_count++] = copy;
    reading->said = more;
    return ONEFOLD_OK;
}

/* What the readers of tables want said; a column of ids that was asked for must be in some file. */
static onefold_status check_tables(of_reading *reading)
{
    int found = 0;
    for (size_t f = 0; f < reading->files.opened; f++) {
        found |= reading->files.file[f].ids_by_name;
        if (reading->files.file[f].remark)
            OF_TRY(of_reading_say(reading, "%s: %s", reading->files.file[f].path,
                                  reading->files.file[f].remark));
    }
    if (reading->wishes.ids && strcmp(reading->wishes.ids, "none") != 0 && !found)
        return of_hint(of_fail(ONEFOLD_USAGE, "no file has a column %s", reading->wishes.ids),
                       "`ids` is the name of a column in the header, its number from 1, or none");
    return ONEFOLD_OK;
}

/* Processes that read together must have found the same shapes before they exchange anything. */
static onefold_status check_same(const of_reading *reading)
{
    size_t *sides;
    OF_TRY(OF_NEW(reading->arena, &sides, reading->views.count + 1, 3));
    sides[0] = reading->samples.count;
    sides[1] = (size_t)reading->views.may_repeat;
    sides[2] = (size_t)reading->samples.triplets;
    for (size_t m = 0; m < reading->views.count; m++) {
        sides[3 * m + 3] = reading->views.found[m].matrix.rows;
        sides[3 * m + 4] = reading->views.found[m].matrix.columns;
        sides[3 * m + 5] = reading->views.found[m].matrix.storage == OF_SPARSE;
    }
    return of_comm_same(reading->arena->context, sides,
                        3 * (reading->views.count + 1) * sizeof *sides, "data");
}

/* A table that was split by rows has samples in its rows, or most of it is missing. */
static onefold_status check_split(const of_reading *reading)
{
    for (size_t m = 0; m < reading->views.count; m++) {
        const of_matrix *matrix = &reading->views.found[m].matrix;
        if (reading->views.found[m].file->split && matrix->rows != reading->samples.count)
            return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                                   "%s: its rows are split over processes, and its samples are "
                                   "the columns",
                                   matrix->name),
                           "start one process, or give the table with a row per sample");
    }
    return ONEFOLD_OK;
}

static onefold_status read_all(of_reading *reading, const char *const *paths, size_t path_count,
                               const onefold_read_options *options, of_dataset **made)
{
    OF_TRY(read_files(reading, paths, path_count, options));
    OF_TRY(of_reading_find_labels(reading, options));
    OF_TRY(of_reading_find_present(reading, options));
    OF_TRY(of_reading_find_views(reading, options));
    OF_TRY(check_tables(reading));
    OF_TRY(of_reading_match(reading, options));
    OF_TRY(of_reading_find_samples(reading, options));
    OF_TRY(check_same(reading));
    OF_TRY(check_split(reading));
    of_dataset *dataset;
    OF_TRY(of_dataset_make(&dataset, reading->arena->context, reading->samples.count));
    onefold_status status = of_assemble_dataset(reading, options, dataset);
    for (size_t f = 0; f < reading->files.opened; f++)
        if (reading->files.file[f].contents)
            status = of_mapped_intact(reading->files.file[f].contents->map, status);
    status = of_dataset_intact(dataset, status);
    if (status != ONEFOLD_OK) {
        of_dataset_free(dataset);
        return status;
    }
    of_context_progress(reading->arena->context, "read", (double)path_count, (double)path_count,
                        NULL);
    *made = dataset;
    return ONEFOLD_OK;
}

typedef struct read_arguments {
    onefold_dataset **dataset;
    const char *const *paths;
    size_t path_count;
    const onefold_read_options *options;
} read_arguments;

static onefold_status read_together(of_context *context, void *opaque)
{
    read_arguments *of = opaque;
    OF_SCRATCH(scratch, context);
    of_reading reading = {
        .arena = &scratch,
        .wishes = {of->options->ids, of->options->header, of->options->views, of->options->truth}};
    of_dataset *made = NULL;
    onefold_status status = read_all(&reading, of->paths, of->path_count, of->options, &made);
    close_all(&reading);
    status = of_comm_agree(context, status);
    if (status == ONEFOLD_OK)
        *of->dataset = (onefold_dataset *)made;
    else if (made)
        of_dataset_free(made);
    return status;
}

/* Every choice is one of its set's. */
static onefold_status check_words(const onefold_read_options *options)
{
    const char *wrong = (unsigned)options->samples_are > ONEFOLD_SIDE_COLUMNS ? "samples_are"
                        : !onefold_impute_name(options->impute)               ? "impute"
                        : (unsigned)options->match > ONEFOLD_MATCH_ORDER      ? "match"
                        : (unsigned)options->header > ONEFOLD_HEADER_NO       ? "header"
                                                                              : NULL;
    return wrong ? of_fail(ONEFOLD_USAGE,
                           "the option %s has a value that is not one of its choices", wrong)
                 : ONEFOLD_OK;
}

onefold_status onefold_dataset_read(onefold_dataset **dataset, onefold_context *context,
                                    const char *const *paths, size_t path_count,
                                    const onefold_read_options *options)
{
    if (!dataset || !paths || path_count == 0)
        return of_fail(ONEFOLD_USAGE, "reading needs a place for the data set and a file");
    for (size_t f = 0; f < path_count; f++)
        if (!paths[f] || !*paths[f])
            return of_fail(ONEFOLD_USAGE, "file %zu has no name", f + 1);
    size_t streams = 0;
    for (size_t f = 0; f < path_count; f++)
        streams += of_is_standard_input(paths[f]);
    if (streams > 1)
        return of_fail(ONEFOLD_USAGE, "standard input (-) can be one of the files, not %zu",
                       streams);
    onefold_read_options all = ONEFOLD_READ_OPTIONS_INIT;
    OF_TRY(OF_STRUCT_READ(&all, options, onefold_read_options));
    OF_TRY(check_words(&all));
    read_arguments arguments = {dataset, paths, path_count, &all};
    return of_call(of_context_or_default(context), "read", read_together, &arguments);
}
