/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a data set: files to variables, variables to views and labels. */
#include "io/read.h"

#include <string.h>

static void close_all(of_reading *reading)
{
    for (size_t f = 0; f < reading->opened; f++)
        of_file_close(&reading->file[f]);
}

static onefold_status read_files(of_reading *reading, const char *const *paths, size_t path_count)
{
    OF_TRY(OF_NEW_ZERO(reading->arena, &reading->file, path_count + 2, 1));
    OF_TRY(OF_NEW_ZERO(reading->arena, &reading->is_label, path_count + 2, 1));
    for (size_t f = 0; f < path_count; f++) {
        of_context_progress(reading->arena->context, "read", (double)f, (double)path_count,
                            paths[f]);
        OF_TRY(of_file_read(&reading->file[f], reading->arena->context, paths[f]));
        reading->opened = reading->file_count = f + 1;
        OF_TRY(OF_NEW_ZERO(reading->arena, &reading->is_label[f], reading->file[f].count, 1));
    }
    return ONEFOLD_OK;
}

static onefold_status read_all(of_reading *reading, const char *const *paths, size_t path_count,
                               const onefold_read_options *options, of_dataset **made)
{
    OF_TRY(read_files(reading, paths, path_count));
    OF_TRY(of_reading_find_labels(reading, options));
    OF_TRY(of_reading_find_present(reading, options));
    OF_TRY(of_reading_find_views(reading, options));
    OF_TRY(of_reading_find_samples(reading, options));
    of_dataset *dataset;
    OF_TRY(of_dataset_make(&dataset, reading->arena->context, reading->samples));
    onefold_status status = of_reading_finish(reading, options, dataset);
    if (status != ONEFOLD_OK) {
        of_dataset_free(dataset);
        return status;
    }
    of_context_progress(reading->arena->context, "read", (double)path_count, (double)path_count,
                        NULL);
    *made = dataset;
    return ONEFOLD_OK;
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
    onefold_read_options all = ONEFOLD_READ_OPTIONS_INIT;
    if (options)
        memcpy(&all, options,
               options->struct_size < sizeof all ? options->struct_size : sizeof all);
    OF_SCRATCH(scratch, of_context_or_default(context));
    of_reading reading = {.arena = &scratch};
    of_dataset *made = NULL;
    onefold_status status = read_all(&reading, paths, path_count, &all, &made);
    close_all(&reading);
    if (status == ONEFOLD_OK)
        *dataset = (onefold_dataset *)made;
    return status;
}
