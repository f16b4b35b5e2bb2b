/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON of a data set, of files written, of errors and of progress, key by key. */
#include "report/json.h"

#include "base/status.h"
#include "report/json_build.h"

#ifdef ONEFOLD_WITH_JSON

onefold_status of_json_check(void)
{
    return ONEFOLD_OK;
}

static json_t *views_array(const of_info_report *report)
{
    json_t *array = json_array();
    double samples = (double)onefold_dataset_samples(report->dataset);
    int failed = 0;
    for (size_t v = 0; v < onefold_dataset_view_count(report->dataset); v++) {
        onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
        failed |= onefold_dataset_view(report->dataset, v, &view) != ONEFOLD_OK;
        double entries = samples * (double)view.columns;
        json_t *object = json_object();
        failed |= of_json_put(object, "name", of_json_text(view.name)) |
                  of_json_put(object, "storage", of_json_text(view.storage)) |
                  of_json_put(object, "type", of_json_text(view.type)) |
                  of_json_put(object, "columns", of_json_whole(view.columns)) |
                  of_json_put(object, "nonzeros", of_json_whole(view.nonzeros)) |
                  of_json_put(object, "density",
                              of_json_real(entries > 0 ? (double)view.nonzeros / entries : 0)) |
                  of_json_put(object, "bytes", of_json_whole(view.bytes)) |
                  of_json_put(object, "missing", of_json_whole(view.missing)) |
                  of_json_put(object, "kernel", of_json_text(report->kernels[v])) |
                  of_json_put(object, "reason", of_json_text(report->reasons[v])) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *classes_array(const of_info_report *report)
{
    json_t *array = json_array();
    int failed = 0;
    for (size_t c = 0; c < onefold_dataset_class_count(report->dataset); c++) {
        json_t *object = json_object();
        failed |= of_json_put(object, "name",
                              of_json_text(onefold_dataset_class_name(report->dataset, c))) |
                  of_json_put(object, "samples", of_json_whole(report->class_sizes[c])) |
                  (json_array_append_new(array, object) != 0);
    }
    return of_json_keep(array, failed);
}

static json_t *estimate_object(const of_info_report *report)
{
    json_t *object = json_object();
    int failed =
        of_json_put(object, "clusters", of_json_whole(report->clusters)) |
        of_json_put(object, "input_bytes", of_json_whole(report->estimate->input_bytes)) |
        of_json_put(object, "partition_bytes", of_json_whole(report->estimate->partition_bytes)) |
        of_json_put(object, "peak_bytes", of_json_whole(report->estimate->peak_bytes)) |
        of_json_put(object, "seconds", of_json_real(report->estimate->seconds));
    return of_json_keep(object, failed);
}

onefold_status of_json_info(FILE *out, const of_info_report *report)
{
    json_t *object = json_object(), *files = json_array(), *notes = json_array();
    int failed = 0;
    for (size_t i = 0; i < report->path_count; i++)
        failed |= json_array_append_new(files, of_json_text(report->paths[i])) != 0;
    for (size_t i = 0; i < onefold_dataset_note_count(report->dataset); i++)
        failed |= json_array_append_new(
                      notes, of_json_text(onefold_dataset_note(report->dataset, i))) != 0;
    failed |=
        of_json_put(object, "onefold", of_json_text(onefold_version())) |
        of_json_put(object, "files", files) |
        of_json_put(object, "samples", of_json_whole(onefold_dataset_samples(report->dataset))) |
        of_json_put(object, "views", views_array(report)) |
        of_json_put(object, "classes", classes_array(report)) | of_json_put(object, "notes", notes);
    if (report->estimate)
        failed |= of_json_put(object, "cost", estimate_object(report));
    failed |= of_json_put(object, "free_bytes", of_json_whole(report->free_bytes));
    return of_json_write(out, object, failed);
}

onefold_status of_json_written(FILE *out, const char *path, const onefold_dataset *dataset)
{
    json_t *object = json_object();
    int failed =
        of_json_put(object, "onefold", of_json_text(onefold_version())) |
        of_json_put(object, "written", of_json_text(path)) |
        of_json_put(object, "samples", of_json_whole(onefold_dataset_samples(dataset))) |
        of_json_put(object, "views", of_json_whole(onefold_dataset_view_count(dataset))) |
        of_json_put(object, "classes", of_json_whole(onefold_dataset_class_count(dataset)));
    return of_json_write(out, object, failed);
}

onefold_status of_json_error(FILE *out, onefold_status status, const char *message,
                             const char *hint)
{
    json_t *object = json_object(), *error = json_object();
    int failed = of_json_put(error, "code", of_json_text(onefold_status_name(status))) |
                 of_json_put(error, "message", of_json_text(message)) |
                 of_json_put(error, "hint", of_json_text(hint)) |
                 of_json_put(object, "error", error);
    return of_json_write(out, object, failed);
}

onefold_status of_json_progress(FILE *out, const onefold_progress *progress)
{
    json_t *object = json_object();
    int failed = of_json_put(object, "stage", of_json_text(progress->stage)) |
                 of_json_put(object, "done", of_json_real(progress->done)) |
                 of_json_put(object, "total", of_json_real(progress->total));
    if (progress->detail)
        failed |= of_json_put(object, "detail", of_json_text(progress->detail));
    return of_json_write(out, object, failed);
}

#endif
