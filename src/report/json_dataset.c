/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a data set, key by key. */
#include "report/json_build.h"

#include "base/memory.h"

#ifdef ONEFOLD_WITH_JSON

static json_t *view_object(const onefold_dataset *dataset, size_t index)
{
    onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
    const char *kernel = NULL, *reason = NULL;
    json_t *object = json_object();
    int failed = onefold_dataset_view(dataset, index, &view) != ONEFOLD_OK ||
                 onefold_dataset_kernel(dataset, index, &kernel, &reason) != ONEFOLD_OK;
    double entries = (double)onefold_dataset_samples(dataset) * (double)view.columns;
    failed |=
        of_json_put(object, "name", of_json_text(view.name)) |
        of_json_put(object, "storage",
                    of_json_text(onefold_name(ONEFOLD_NAMES_STORAGE, view.storage))) |
        of_json_put(object, "type", of_json_text(onefold_name(ONEFOLD_NAMES_TYPE, view.type))) |
        of_json_put(object, "columns", of_json_whole(view.columns)) |
        of_json_put(object, "nonzeros", of_json_whole(view.nonzeros)) |
        of_json_put(object, "density",
                    of_json_real(entries > 0 ? (double)view.nonzeros / entries : 0)) |
        of_json_put(object, "bytes", of_json_whole(view.bytes)) |
        of_json_put(object, "missing", of_json_whole(view.missing)) |
        of_json_put(object, "kernel", of_json_text(kernel)) |
        of_json_put(object, "reason", of_json_text(reason));
    return of_json_keep(object, failed);
}

static json_t *classes_array(const onefold_dataset *dataset)
{
    json_t *array = json_array();
    const int32_t *truth = onefold_dataset_truth(dataset);
    size_t count = onefold_dataset_class_count(dataset), *size;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    int failed = OF_NEW_ZERO(&scratch, &size, count, 1) != ONEFOLD_OK;
    for (size_t j = 0; !failed && truth && j < onefold_dataset_samples(dataset); j++)
        size[truth[j]]++;
    for (size_t c = 0; !failed && c < count; c++) {
        json_t *object = json_object();
        failed |=
            of_json_put(object, "name", of_json_text(onefold_dataset_class_name(dataset, c))) |
            of_json_put(object, "samples", of_json_whole(size[c])) |
            (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *estimate_object(const onefold_estimate *estimate)
{
    onefold_estimate_info info = ONEFOLD_ESTIMATE_INFO_INIT;
    json_t *object = json_object();
    int failed = (onefold_estimate_describe(estimate, &info) != ONEFOLD_OK) |
                 of_json_put(object, "clusters", of_json_whole(info.clusters)) |
                 of_json_put(object, "input_bytes", of_json_whole(info.input_bytes)) |
                 of_json_put(object, "partition_bytes", of_json_whole(info.partition_bytes)) |
                 of_json_put(object, "peak_bytes", of_json_whole(info.peak_bytes)) |
                 of_json_put(object, "seconds", of_json_real(info.seconds));
    return of_json_keep(object, failed);
}

onefold_status onefold_dataset_json(char **text, const onefold_dataset *dataset,
                                    const onefold_json_extras *extras)
{
    onefold_json_extras all;
    if (!text || !dataset)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_dataset_json needs a place for the text and a data set");
    OF_TRY(of_json_extras_copy(&all, extras));
    json_t *object = json_object(), *files = json_array(), *notes = json_array(),
           *views = json_array();
    int failed = 0;
    for (size_t i = 0; i < all.path_count; i++)
        failed |= json_array_append_new(files, of_json_text(all.paths[i])) != 0;
    for (size_t i = 0; i < onefold_dataset_note_count(dataset); i++)
        failed |= json_array_append_new(notes, of_json_text(onefold_dataset_note(dataset, i))) != 0;
    for (size_t i = 0; i < onefold_dataset_view_count(dataset); i++)
        failed |= json_array_append_new(views, view_object(dataset, i)) != 0;
    failed |= of_json_put(object, "onefold", of_json_text(onefold_version())) |
              of_json_put(object, "files", files) |
              of_json_put(object, "samples", of_json_whole(onefold_dataset_samples(dataset))) |
              of_json_put(object, "views", views) |
              of_json_put(object, "classes", classes_array(dataset)) |
              of_json_put(object, "notes", notes);
    if (all.estimate)
        failed |= of_json_put(object, "estimate", estimate_object(all.estimate));
    if (all.free_bytes)
        failed |= of_json_put(object, "free_bytes", of_json_whole(all.free_bytes));
    return of_json_give(text, object, failed);
}

#endif
