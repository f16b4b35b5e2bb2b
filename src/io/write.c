/* SPDX-License-Identifier: Apache-2.0 */
/* Which format a path asks for, and the files a data set becomes. */
#include "io/write.h"

#include "base/public_call.h"
#include "io/write_parts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum format { NPY, CSV, TSV, TXT, MTX, MAT, NPZ, FORMAT_COUNT } format;
static const char *const endings[FORMAT_COUNT] = {".npy", ".csv", ".tsv", ".txt",
                                                  ".mtx", ".mat", ".npz"};
enum { ARRAY_FORMATS = 1 << NPY | 1 << CSV | 1 << TXT | 1 << MAT };
enum { DATASET_FORMATS = 1 << NPY | 1 << CSV | 1 << TSV | 1 << MTX | 1 << MAT | 1 << NPZ };

static onefold_status find_format(format *found, const char *path, unsigned allowed)
{
    char list[64] = "";
    size_t length = strlen(path);
    for (format f = 0; f < FORMAT_COUNT; f++) {
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
    return of_hint(
        of_fail(ONEFOLD_USAGE, "%s: its ending names no format this can be written in", path),
        "end the name in one of %s", list);
}

/* One array into an open file, in a format that holds one. */
static onefold_status write_array(of_atomic_file *file, format in, const char *name,
                                  const of_view *view)
{
    switch (in) {
    case NPY:
        return of_write_npy(file->context, of_atomic_sink(file), view);
    case MAT:
        return of_write_mat_variable(file, name, view);
    case MTX:
        return of_write_mtx(file, view);
    case TSV:
        return of_write_text(file, view, '\t');
    case TXT:
        return of_write_text(file, view, ' ');
    default:
        return of_write_text(file, view, ',');
    }
}

/* Labels lie along one dimension where a format knows that. */
static onefold_status write_column(of_atomic_file *file, format in, const char *name,
                                   const of_view *view)
{
    if (in != NPY)
        return write_array(file, in, name, view);
    of_npy array = {.type = view->type, .dimensions = 1, .shape = {view->samples}};
    OF_TRY(of_npy_header(of_atomic_sink(file), &array));
    return of_write_elements(file->context, of_atomic_sink(file), view, OF_ORDER_ROWS);
}

onefold_status of_write_labels(of_context *context, const char *path, const int32_t *labels,
                               size_t samples)
{
    format in;
    OF_TRY(find_format(&in, path, ARRAY_FORMATS));
    of_view column = of_view_over(labels, OF_I32, samples, 1, 1);
    OF_ATOMIC_FILE(file);
    OF_TRY(of_atomic_open(&file, context, path));
    OF_TRY(write_column(&file, in, "labels", &column));
    return of_atomic_commit(&file);
}

onefold_status of_write_matrix(of_context *context, const char *path, const double *values,
                               size_t rows, size_t columns, size_t ld)
{
    format in;
    OF_TRY(find_format(&in, path, ARRAY_FORMATS));
    of_view matrix = of_view_over(values, OF_F64, rows, columns, ld);
    OF_ATOMIC_FILE(file);
    OF_TRY(of_atomic_open(&file, context, path));
    OF_TRY(write_array(&file, in, "X", &matrix));
    return of_atomic_commit(&file);
}

/* ---- one file per view ---- */

static void abandon_all(of_atomic_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        of_atomic_abandon(&files[i]);
}

/* "out.npy" and "2" give "out.2.npy". */
static onefold_status name_part(of_arena *arena, char **name, const char *path, const char *part,
                                const char *ending)
{
    return of_arena_string(arena, name, "%.*s.%s%s", (int)(strrchr(path, '.') - path), path, part,
                           ending);
}

static onefold_status write_view_file(of_arena *arena, of_atomic_file *file, format in,
                                      const char *path, const of_dataset *dataset, size_t view)
{
    char number[32], *name = (char *)path;
    snprintf(number, sizeof number, "%zu", view + 1);
    if (dataset->view_count > 1)
        OF_TRY(name_part(arena, &name, path, number, strrchr(path, '.')));
    OF_TRY(of_atomic_open(file, arena->context, name));
    OF_TRY(write_array(file, in, NULL, &dataset->views[view]));
    return of_atomic_finish(file);
}

/* The truth goes beside the views: numbers in the same format, names as text. */
static onefold_status write_truth_file(of_arena *arena, of_atomic_file *file, format in,
                                       const char *path, const of_dataset *dataset)
{
    int64_t *labels;
    int named;
    char *name;
    OF_TRY(of_write_truth(arena, &labels, &named, dataset));
    format of = named || in == MTX ? TXT : in;
    OF_TRY(name_part(arena, &name, path, "truth", endings[of]));
    OF_TRY(of_atomic_open(file, arena->context, name));
    of_view column = of_view_over(labels, OF_I64, dataset->samples, 1, 1);
    OF_TRY(named ? of_write_class_names(file, dataset) : write_column(file, of, NULL, &column));
    return of_atomic_finish(file);
}

/* Who has which view, where the views cannot say it. */
static onefold_status write_present_file(of_arena *arena, of_atomic_file *file, format in,
                                         const char *path, const of_dataset *dataset)
{
    format as = in == MTX ? TXT : in;
    of_view table = of_write_present(dataset);
    char *name;
    OF_TRY(name_part(arena, &name, path, "present", endings[as]));
    OF_TRY(of_atomic_open(file, arena->context, name));
    OF_TRY(write_array(file, as, NULL, &table));
    return of_atomic_finish(file);
}

/* Every file is finished before the first takes its place. */
static onefold_status write_files(of_arena *arena, of_atomic_file *files, format in,
                                  const char *path, const of_dataset *dataset)
{
    for (size_t v = 0; v < dataset->view_count; v++)
        OF_TRY(write_view_file(arena, &files[v], in, path, dataset, v));
    size_t count = dataset->view_count;
    if (dataset->truth)
        OF_TRY(write_truth_file(arena, &files[count++], in, path, dataset));
    if (dataset->present)
        OF_TRY(write_present_file(arena, &files[count++], in, path, dataset));
    for (size_t i = 0; i < count; i++)
        OF_TRY(of_atomic_place(&files[i]));
    return ONEFOLD_OK;
}

static onefold_status write_container(of_context *context, const char *path, format in,
                                      const of_dataset *dataset)
{
    OF_ATOMIC_FILE(file);
    OF_TRY(of_atomic_open(&file, context, path));
    OF_TRY(in == MAT ? of_write_mat(&file, dataset) : of_write_npz(&file, dataset));
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
    format in;
    OF_TRY(find_format(&in, path, DATASET_FORMATS));
    OF_SCRATCH(scratch, context);
    of_dataset shown;
    OF_TRY(of_write_missing(&scratch, set, &shown));
    if (in == MAT || in == NPZ) {
        OF_TRY(check_storages(path, &shown));
        return write_container(context, path, in, &shown);
    }
    of_atomic_file *files;
    size_t most = set->view_count + 2;
    OF_TRY(OF_NEW_ZERO(&scratch, &files, most, 1));
    for (size_t i = 0; i < most; i++)
        files[i].descriptor = -1;
    onefold_status status = write_files(&scratch, files, in, path, &shown);
    abandon_all(files, most);
    return status;
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
    return of_call(of_context_or_default(context), "write", write_as_asked, &arguments);
}
