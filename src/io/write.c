/* SPDX-License-Identifier: Apache-2.0 */
/* Which format a path asks for, and the files a data set becomes. */
#include "io/write.h"

#include "base/public_call.h"
#include "io/write_parts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
    ARRAY_FORMATS = 1 << OF_NPY | 1 << OF_CSV | 1 << OF_TXT | 1 << OF_MAT,
    LABEL_FORMATS = ARRAY_FORMATS | 1 << OF_TSV | 1 << OF_NPZ,
    DATASET_FORMATS =
        1 << OF_NPY | 1 << OF_CSV | 1 << OF_TSV | 1 << OF_MTX | 1 << OF_MAT | 1 << OF_NPZ
};

static const char *const endings[OF_FORMATS] = {".npy", ".csv", ".tsv", ".txt",
                                                ".mtx", ".mat", ".npz"};

const char *of_format_ending(of_format format)
{
    return endings[format];
}

int of_is_stream(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static onefold_status find_format(of_format *found, const char *path, unsigned allowed)
{
    char list[64] = "";
    size_t length = strlen(path);
    for (of_format f = 0; f < OF_FORMATS; f++) {
        if (!(allowed >> f & 1))
            continue;
        size_t ending = strlen(endings[f]);
        if (length > ending && strcasecmp(path + length - ending, endings[f]) == 0) {
            *found = f;
            return ONEFOLD_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", endings[f]);
    }
    if (allowed >> OF_CSV & 1 && of_is_stream(path)) {
        *found = OF_CSV;
        return ONEFOLD_OK;
    }
    return of_hint(
        of_fail(ONEFOLD_USAGE, "%s: its ending names no format this can be written in", path),
        "end the name in one of %s", list);
}

onefold_status of_write_array(of_atomic_file *file, of_format in, const char *name,
                              const of_view *view)
{
    switch (in) {
    case OF_NPY:
        return of_write_npy(file->context, of_atomic_sink(file), view);
    case OF_MAT:
        return of_write_mat_variable(file, name, view);
    case OF_MTX:
        return of_write_mtx(file, view);
    case OF_TSV:
        return of_write_text(file, view, '\t');
    case OF_TXT:
        return of_write_text(file, view, ' ');
    default:
        return of_write_text(file, view, ',');
    }
}

onefold_status of_write_column(of_atomic_file *file, of_format in, const char *name,
                               const of_view *view)
{
    if (in != OF_NPY)
        return of_write_array(file, in, name, view);
    of_npy array = {.type = view->type, .dimensions = 1, .shape = {view->samples}};
    OF_TRY(of_npy_header(of_atomic_sink(file), &array));
    return of_write_elements(file->context, of_atomic_sink(file), view, OF_ORDER_ROWS);
}

onefold_status of_write_label_format(const char *path)
{
    of_format in;
    return find_format(&in, path, LABEL_FORMATS);
}

onefold_status of_write_labels(of_context *context, const char *path, const int32_t *labels,
                               size_t samples)
{
    of_format in;
    OF_TRY(find_format(&in, path, ARRAY_FORMATS));
    of_view column = of_view_over(labels, OF_I32, samples, 1, 1);
    OF_ATOMIC_FILE(file);
    OF_TRY(of_atomic_open(&file, context, path));
    OF_TRY(of_write_column(&file, in, "labels", &column));
    return of_atomic_commit(&file);
}

onefold_status of_write_matrix(of_context *context, const char *path, const double *values,
                               size_t rows, size_t columns, size_t ld)
{
    of_format in;
    OF_TRY(find_format(&in, path, ARRAY_FORMATS));
    of_view matrix = of_view_over(values, OF_F64, rows, columns, ld);
    OF_ATOMIC_FILE(file);
    OF_TRY(of_atomic_open(&file, context, path));
    OF_TRY(of_write_array(&file, in, "X", &matrix));
    return of_atomic_commit(&file);
}

/* ---- data sets ---- */

static onefold_status write_container(of_context *context, const char *path, of_format in,
                                      const of_dataset *dataset)
{
    OF_ATOMIC_FILE(file);
    OF_TRY(of_atomic_open(&file, context, path));
    OF_TRY(in == OF_MAT ? of_write_mat(&file, dataset) : of_write_npz(&file, dataset));
    OF_TRY(of_dataset_intact(dataset, ONEFOLD_OK));
    return of_atomic_commit(&file);
}

/* In a container, kernels are told from other views by being all there is. */
static onefold_status check_storages(const char *path, const of_dataset *dataset)
{
    size_t kernels = 0;
    for (size_t v = 0; v < dataset->view_count; v++)
        kernels += dataset->views[v].storage == OF_KERNEL;
    if (kernels == 0 || kernels == dataset->view_count)
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "%s cannot hold kernels beside other views", path),
                   "write one file per view: .npy, .csv, .tsv or .mtx");
}

typedef struct write_arguments {
    const of_dataset *set;
    const char *path;
} write_arguments;

static onefold_status write_as_asked(of_context *context, void *opaque)
{
    const of_dataset *set = ((write_arguments *)opaque)->set;
    const char *path = ((write_arguments *)opaque)->path;
    of_format in;
    OF_TRY(find_format(&in, path, DATASET_FORMATS));
    OF_SCRATCH(scratch, context);
    of_dataset shown;
    OF_TRY(of_write_missing(&scratch, set, &shown));
    if (in == OF_MAT || in == OF_NPZ) {
        OF_TRY(check_storages(path, &shown));
        return write_container(context, path, in, &shown);
    }
    return of_write_files(&scratch, in, path, &shown);
}

onefold_status onefold_dataset_write(const onefold_dataset *dataset, onefold_context *context,
                                     const char *path)
{
    if (!dataset || !path)
        return of_fail(ONEFOLD_USAGE, "writing needs a data set and a path");
    const of_dataset *set = &dataset->set;
    if (set->view_count == 0)
        return of_fail(ONEFOLD_USAGE, "%s: there are no views to write", path);
    for (size_t i = 0; i < set->view_count; i++)
        if (set->views[i].source && !set->views[i].data)
            return of_hint(of_fail(ONEFOLD_USAGE,
                                   "%s: view '%s' is read as it is passed, and cannot be written",
                                   path, set->views[i].name),
                           "read it without pass_once");
    write_arguments arguments = {set, path};
    onefold_status status =
        of_call(of_context_or_default(context), "write", write_as_asked, &arguments);
    return status == ONEFOLD_OK ? ONEFOLD_OK : of_dataset_intact(set, status);
}

onefold_status onefold_dataset_outputs(char **text, const onefold_dataset *dataset,
                                       const char *path)
{
    of_format in;
    if (!text || !dataset || !path)
        return of_fail(ONEFOLD_USAGE, "listing outputs needs a place, a data set and a path");
    OF_TRY(find_format(&in, path, DATASET_FORMATS));
    OF_SCRATCH(scratch, dataset->set.arena.context);
    char *list;
    if (in == OF_MAT || in == OF_NPZ)
        OF_TRY(of_arena_string(&scratch, &list, "%s", path));
    else
        OF_TRY(of_write_files_list(&scratch, in, path, &dataset->set, &list));
    char *copy = strdup(list);
    if (!copy)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the names of the outputs");
    *text = copy;
    return ONEFOLD_OK;
}
