/* SPDX-License-Identifier: Apache-2.0 */
/* Writing data sets, labels and arrays: the format of a path, the files that a data set becomes,
 * text and Matrix Market. */
#include "io/atomic_file.h"

#include "base/number.h"
#include "base/utf8.h"
#include "io/find.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- one array as separated text, or as Matrix Market ---------------------------------------- */

enum { NUMBER = 32, TEXT_BATCH = 1 << 20 };

static onefold_status put_number(of_atomic_file *file, double number, int single, char after)
{
    char text[NUMBER + 1];
    int length = of_number_text(text, number, single);
    text[length] = after;
    return of_atomic_write(file, text, (size_t)length + 1);
}

/* Writes a name as a cell, in quotes where it needs them, and `after`. */
static onefold_status write_name(of_atomic_file *file, const char *name, char separator, char after)
{
    char special[] = {separator, '"', '\n', '\r', '\0'};
    size_t length = strlen(name);
    int plain = !name[strcspn(name, special)] && /* readers remove blanks at the ends */
                (!length || (!strchr(" \t", name[0]) && !strchr(" \t", name[length - 1])));
    if (plain) {
        OF_TRY(of_atomic_write(file, name, length));
        return of_atomic_write(file, &after, 1);
    }
    OF_TRY(of_atomic_write(file, "\"", 1));
    for (; *name; name++)
        OF_TRY(of_atomic_write(file, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1));
    return of_atomic_print(file, "\"%c", after);
}

onefold_status of_write_text(of_atomic_file *file, const of_view *view, const char *const *names,
                             char separator)
{
    size_t columns = view->columns, at_once = TEXT_BATCH / (sizeof(double) * columns);
    at_once = at_once ? at_once : 1; /* samples that are converted to doubles at a time */
    if (names)
        OF_TRY(of_atomic_print(file, "sample%c", separator));
    for (size_t i = 0; i < columns && (names || view->column_names); i++) {
        char after = i + 1 < columns ? separator : '\n';
        OF_TRY(view->column_names ? write_name(file, view->column_names[i], separator, after)
                                  : of_atomic_print(file, "%zu%c", i + 1, after));
    }
    OF_SCRATCH(scratch, file->context);
    double *tile;
    OF_TRY(OF_NEW(&scratch, &tile, columns, at_once));
    for (size_t first = 0; first < view->samples; first += at_once) {
        size_t count = view->samples - first < at_once ? view->samples - first : at_once;
        of_view_tile(view, first, count, tile, columns);
        for (size_t j = 0; j < count; j++) {
            if (names)
                OF_TRY(write_name(file, names[first + j], separator, separator));
            for (size_t i = 0; i < columns; i++)
                OF_TRY(put_number(file, tile[i + j * columns], view->type == OF_F32,
                                  i + 1 < columns ? separator : '\n'));
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_write_mtx(of_atomic_file *file, const of_view *view)
{
    const of_sparse *sparse = &view->sparse;
    if (view->storage == OF_SPARSE) {
        OF_TRY(of_atomic_print(file,
                               "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n",
                               sparse->rows, sparse->columns, of_sparse_entries(sparse)));
        for (size_t j = 0; j < sparse->rows; j++)
            for (size_t e = sparse->start[j]; e < sparse->start[j + 1]; e++) {
                OF_TRY(of_atomic_print(file, "%zu %zu ", j + 1, (size_t)sparse->index[e] + 1));
                OF_TRY(put_number(file, sparse->value[e], view->type == OF_F32, '\n'));
            }
        return ONEFOLD_OK;
    }
    OF_TRY(of_atomic_print(file, "%%%%MatrixMarket matrix array real general\n%zu %zu\n",
                           view->samples, view->columns));
    /* column by column, each as a view of its own */
    for (size_t i = 0; i < view->columns; i++) {
        of_view column = *view;
        column.storage = OF_DENSE;
        column.columns = 1;
        column.column_names = NULL;
        column.data = (const char *)view->data + i * view->column_step * of_type_size(view->type);
        OF_TRY(of_write_text(file, &column, NULL, ' '));
    }
    return ONEFOLD_OK;
}

/* ---- formats -------------------------------------------------------------------------------- */

enum {
    ARRAY_FORMATS = 1 << OF_NPY | 1 << OF_CSV | 1 << OF_TXT | 1 << OF_MAT,
    LABEL_FORMATS = ARRAY_FORMATS | 1 << OF_TSV | 1 << OF_NPZ,
    DATASET_FORMATS =
        1 << OF_NPY | 1 << OF_CSV | 1 << OF_TSV | 1 << OF_MTX | 1 << OF_MAT | 1 << OF_NPZ
};

static const char *const endings[OF_FORMATS] = {".npy", ".csv", ".tsv", ".txt",
                                                ".mtx", ".mat", ".npz"};

static const char separators[OF_FORMATS] = {[OF_CSV] = ',', [OF_TSV] = '\t', [OF_TXT] = ' '};

static onefold_status find_format(of_format *found, const char *path, unsigned allowed)
{
    of_list list = {.used = 0};
    size_t length = strlen(path);
    struct stat about;
    for (of_format f = 0; f < OF_FORMATS; f++) {
        if (!(allowed >> f & 1))
            continue;
        size_t ending = strlen(endings[f]);
        if (length > ending && of_same_word(path + length - ending, endings[f])) {
            *found = f;
            return ONEFOLD_OK;
        }
        of_list_add(&list, "%s", endings[f]);
    }
    if (allowed >> OF_CSV & 1 && stat(path, &about) == 0 && !S_ISREG(about.st_mode) &&
        !S_ISDIR(about.st_mode)) {
        *found = OF_CSV; /* a device or a pipe */
        return ONEFOLD_OK;
    }
    return of_hint(
        of_fail(ONEFOLD_USAGE, "%s: data cannot be written in a format with this ending", path),
        "end the name in one of %s", list.text);
}

/* Whether one file of the format holds several variables. */
static int is_container(of_format format)
{
    return format == OF_MAT || format == OF_NPZ;
}

static onefold_status write_array(of_atomic_file *file, of_format format, const of_view *view)
{
    switch (format) {
    case OF_NPY:
        return of_write_npy(file, view);
    case OF_MAT:
        return of_write_mat(file, "X", view);
    case OF_MTX:
        return of_write_mtx(file, view);
    default:
        return of_write_text(file, view, NULL, separators[format]);
    }
}

onefold_status onefold_matrix_write(const double *values, size_t rows, size_t columns, size_t step,
                                    onefold_context *context, const char *path)
{
    of_format format;
    if (!values || !path || step < columns)
        return of_fail(ONEFOLD_USAGE,
                       "writing a matrix needs its values, a path and a step of at least %zu",
                       columns);
    OF_TRY(find_format(&format, path, ARRAY_FORMATS));
    of_view matrix = of_matrix_over(values, OF_F64, rows, columns, step, NULL);
    OF_ATOMIC_FILE(file);
    OF_TRY(of_atomic_open(&file, of_context_or_default(context), path));
    OF_TRY(write_array(&file, format, &matrix));
    return of_atomic_commit(&file);
}

/* ---- samples that lack views ---------------------------------------------------------------- */

/* The data set as it is written. A sample that lacks a view is a row of NaN in a copy of the view.
 * In a sparse view it has no entries, and `present` is written too. */
static onefold_status expand_missing(of_arena *arena, const of_dataset *dataset, of_dataset *shown)
{
    int table = 0;
    size_t *from;
    *shown = *dataset;
    if (!dataset->present)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &shown->views, dataset->view_count, 1));
    OF_TRY(OF_NEW(arena, &from, dataset->samples, 1));
    for (size_t v = 0; v < dataset->view_count; v++) {
        of_view *view = &shown->views[v];
        *view = dataset->views[v];
        if (of_present_missing(dataset, v) == 0)
            continue;
        table |= view->storage == OF_SPARSE;
        for (size_t j = 0; j < dataset->samples; j++)
            from[j] = of_present_at(dataset, j, v) ? j : SIZE_MAX;
        OF_TRY(of_matrix_reorder(arena, view, 1, view->storage == OF_KERNEL, 1, from,
                                 dataset->samples));
    }
    if (!table)
        shown->present = NULL;
    return ONEFOLD_OK;
}

/* ---- one container, or one file per view and files of truth, names and who is present ------- */

typedef struct output {
    of_format format;
    char *path;
    const of_dataset *all;    /* of a container, else NULL */
    of_view view;             /* numbers; */
    const char *const *text;  /* or a text for each sample */
    const char *const *names; /* of the samples, before each line; or NULL */
    int list;                 /* one integer or text for each sample */
    of_atomic_file file;
} output;

typedef struct plan {
    of_arena *arena;
    output *outputs;
    size_t count;
} plan;

/* "out.npy" and "2" give "out.2.npy". */
static onefold_status add_output(plan *to, output made, const char *path, const char *name,
                                 const char *ending)
{
    const char *dot = strrchr(path, '.');
    if (name && (!dot || strchr(dot, '/'))) /* a device or pipe */
        return of_hint(of_fail(ONEFOLD_USAGE, "%s cannot hold several files", path),
                       "name a file, such as out.csv: views and labels are written beside it");
    int stem = (int)(name ? dot - path : (ptrdiff_t)strlen(path));
    made.file.descriptor = -1;
    OF_TRY(of_arena_string(to->arena, &made.path, "%.*s%s%s%s", stem, path, name ? "." : "",
                           name ? name : "", name ? ending : ""));
    to->outputs[to->count++] = made;
    return ONEFOLD_OK;
}

/* Names of samples are in each table, or in a file of their own beside other formats. Labels that
 * are no integers are texts. */
static onefold_status make_plan(plan *to, of_arena *arena, of_format format, const char *path,
                                const of_dataset *dataset)
{
    size_t n = dataset->samples, p = dataset->view_count;
    of_format beside = format == OF_MTX ? OF_TXT : format;
    const char *const *names = format == OF_CSV || format == OF_TSV ? dataset->sample_names : NULL;
    int lacking = 0; /* a sparse view lacks samples */
    *to = (plan){.arena = arena};
    OF_TRY(OF_NEW(arena, &to->outputs, p + 3, 1));
    if (is_container(format))
        return add_output(to, (output){.format = format, .all = dataset}, path, NULL, NULL);
    for (size_t v = 0; v < p; v++) {
        char number[32];
        output view = {.format = format, .view = dataset->views[v], .names = names};
        snprintf(number, sizeof number, "%zu", v + 1);
        if (names && view.view.storage == OF_KERNEL)
            view.view.column_names = names;
        OF_TRY(add_output(to, view, path, p > 1 ? number : NULL, strrchr(path, '.')));
        lacking |= view.view.storage == OF_SPARSE && of_present_missing(dataset, v);
    }
    if (dataset->truth) {
        int64_t *labels;
        output truth = {.format = beside, .names = names, .list = 1};
        OF_TRY(of_write_truth(arena, &labels, &truth.text, dataset));
        truth.view = of_matrix_over(labels, OF_I64, n, 1, 1, NULL);
        if (labels && !names)
            truth.text = NULL;
        else if (!names)
            truth.format = OF_TXT;
        OF_TRY(add_output(to, truth, path, "truth", endings[truth.format]));
    }
    output present = {.format = beside,
                      .view = of_matrix_over(dataset->present, OF_U8, n, p, p, NULL),
                      .names = names};
    if (lacking)
        OF_TRY(add_output(to, present, path, "present", endings[beside]));
    output samples = {.format = OF_TXT, .text = dataset->sample_names, .list = 1};
    samples.view.samples = n;
    if (dataset->sample_names && !names)
        OF_TRY(add_output(to, samples, path, "samples", endings[OF_TXT]));
    return ONEFOLD_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

static onefold_status write_contents(output *to)
{
    of_atomic_file *file = &to->file;
    char mark = to->format == OF_TSV ? '\t' : ',';
    size_t n = to->view.samples;
    if (to->all)
        return of_write_container(file, to->format, to->all);
    if (!to->text && to->names)
        return of_write_text(file, &to->view, to->names, mark);
    if (!to->text && to->list && to->format == OF_NPY) {
        OF_TRY(of_npy_header(file, to->view.type, n));
        return of_atomic_write(file, to->view.data, n * of_type_size(to->view.type));
    }
    if (!to->text)
        return write_array(file, to->format, &to->view);
    if (to->names)
        OF_TRY(of_atomic_print(file, "sample%clabel\n", mark));
    for (size_t j = 0; j < n; j++) {
        if (to->names)
            OF_TRY(write_name(file, to->names[j], mark, mark));
        OF_TRY(write_name(file, to->text[j], mark, '\n'));
    }
    return ONEFOLD_OK;
}

/* Every file is finished before the first takes its place. */
static onefold_status write_files(of_arena *arena, of_format format, const char *path,
                                  const of_dataset *shown)
{
    plan all;
    of_atomic_file **files;
    OF_TRY(make_plan(&all, arena, format, path, shown));
    OF_TRY(OF_NEW(arena, &files, all.count, 1));
    onefold_status status = ONEFOLD_OK;
    for (size_t i = 0; i < all.count && status == ONEFOLD_OK; i++) {
        output *to = &all.outputs[i];
        files[i] = &to->file;
        status = of_atomic_open(&to->file, arena->context, to->path);
        if (status == ONEFOLD_OK)
            status = write_contents(to);
        if (status == ONEFOLD_OK)
            status = of_atomic_finish(&to->file);
    }
    if (status == ONEFOLD_OK)
        status = of_dataset_intact(shown, ONEFOLD_OK);
    if (status == ONEFOLD_OK)
        status = of_run_files_place(files, all.count);
    for (size_t i = 0; i < all.count; i++)
        of_atomic_abandon(&all.outputs[i].file);
    return status;
}

/* ---- data sets ------------------------------------------------------------------------------ */

typedef struct write_arguments {
    const of_dataset *set;
    const char *path;
} write_arguments;

static onefold_status write_as_asked(of_context *context, void *opaque)
{
    const of_dataset *set = ((write_arguments *)opaque)->set;
    const char *path = ((write_arguments *)opaque)->path;
    of_format format;
    OF_TRY(find_format(&format, path, DATASET_FORMATS));
    OF_SCRATCH(scratch, context);
    of_dataset shown;
    OF_TRY(expand_missing(&scratch, set, &shown));
    size_t kernels = 0; /* readers recognise kernels only where all views are */
    for (size_t v = 0; v < shown.view_count; v++)
        kernels += shown.views[v].storage == OF_KERNEL;
    if (is_container(format) && kernels > 0 && kernels < shown.view_count)
        return of_hint(
            of_fail(ONEFOLD_UNSUPPORTED, "%s cannot hold kernels beside other views", path),
            "write one file per view: .npy, .csv, .tsv or .mtx");
    return write_files(&scratch, format, path, &shown);
}

onefold_status onefold_dataset_write(const onefold_dataset *dataset, onefold_context *context,
                                     const char *path)
{
    if (!dataset || !path)
        return of_fail(ONEFOLD_USAGE, "writing needs a data set and a path");
    const of_dataset *set = &dataset->set;
    if (set->view_count == 0)
        return of_fail(ONEFOLD_USAGE, "%s: there are no views to write", path);
    write_arguments arguments = {set, path};
    onefold_status status =
        of_call(of_context_or_default(context), "write", write_as_asked, &arguments);
    return status == ONEFOLD_OK ? ONEFOLD_OK : of_dataset_intact(set, status);
}

onefold_status onefold_dataset_outputs(char **text, const onefold_dataset *dataset,
                                       const char *path)
{
    of_format format;
    if (!text || !dataset || !path)
        return of_fail(ONEFOLD_USAGE, "listing outputs needs a place, a data set and a path");
    if (strchr(path, '\n')) /* the list has a file on each line */
        return of_fail(ONEFOLD_USAGE, "the name of an output has no line breaks");
    OF_TRY(find_format(&format, path, DATASET_FORMATS));
    OF_SCRATCH(scratch, dataset->set.arena.context);
    plan all;
    OF_TRY(make_plan(&all, &scratch, format, path, &dataset->set));
    char *list = all.outputs[0].path;
    for (size_t i = 1; i < all.count; i++)
        OF_TRY(of_arena_string(&scratch, &list, "%s\n%s", list, all.outputs[i].path));
    char *copy = strdup(list);
    if (!copy)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the names of the outputs");
    *text = copy;
    return ONEFOLD_OK;
}

/* ---- labels --------------------------------------------------------------------------------- */

struct onefold_labels_writer {
    of_arena arena;
    of_atomic_file file;
    of_format format;
    char separator; /* of a table; 0: none */
    int has_confidence;
    int broken;               /* a call failed, and may have written a part of its lines */
    const char *const *names; /* of the samples; NULL: they are numbered from 1 */
    size_t samples, written;  /* declared, and added so far */
    /* .mat and .npz are written at the end */
    int32_t *labels;
    double *confidence;
};

/* Names are those of a data set with as many samples. */
static onefold_status open_writer(onefold_labels_writer *writer, const char *path,
                                  const onefold_dataset *dataset)
{
    OF_TRY(find_format(&writer->format, path, LABEL_FORMATS));
    if (dataset && dataset->set.samples != writer->samples)
        return of_fail(ONEFOLD_USAGE, "there are %zu labels, and the data set has %zu samples",
                       writer->samples, dataset->set.samples);
    char mark = writer->format == OF_TSV ? '\t' : writer->format == OF_CSV ? ',' : '\0';
    writer->names = dataset ? dataset->set.sample_names : NULL;
    writer->separator = mark;
    char *copy; /* the caller may free the path before the writer */
    OF_TRY(of_arena_string(&writer->arena, &copy, "%s", path));
    OF_TRY(of_atomic_open(&writer->file, writer->arena.context, copy));
    if (is_container(writer->format)) {
        if (writer->has_confidence)
            OF_TRY(OF_NEW(&writer->arena, &writer->confidence, writer->samples, 1));
        return OF_NEW(&writer->arena, &writer->labels, writer->samples, 1);
    }
    if (mark)
        return writer->has_confidence
                   ? of_atomic_print(&writer->file, "sample%ccluster%cconfidence\n", mark, mark)
                   : of_atomic_print(&writer->file, "sample%ccluster\n", mark);
    return writer->format == OF_NPY ? of_npy_header(&writer->file, OF_I32, writer->samples)
                                    : ONEFOLD_OK;
}

/* Refuses a writer whose file may have a part of the lines of a call that failed. */
static onefold_status check_whole(const onefold_labels_writer *writer)
{
    return !writer->broken
               ? ONEFOLD_OK
               : of_hint(of_fail(ONEFOLD_USAGE, "this writer is finished, or a call of it failed"),
                         "free it, and write the labels with another");
}

static onefold_status add_labels(onefold_labels_writer *writer, const int32_t *labels,
                                 const double *confidence, size_t count)
{
    if (writer->labels)
        memcpy(writer->labels + writer->written, labels, count * sizeof *labels);
    if (writer->confidence)
        memcpy(writer->confidence + writer->written, confidence, count * sizeof *confidence);
    if (writer->format == OF_NPY)
        OF_TRY(of_atomic_write(&writer->file, labels, count * sizeof *labels));
    char mark = writer->separator;
    for (size_t i = 0; i < count && !writer->labels && writer->format != OF_NPY; i++) {
        if (mark && writer->names)
            OF_TRY(write_name(&writer->file, writer->names[writer->written + i], mark, mark));
        else if (mark)
            OF_TRY(of_atomic_print(&writer->file, "%zu%c", writer->written + i + 1, mark));
        OF_TRY(
            mark && writer->has_confidence /* six digits are its precision */
                ? of_atomic_print(&writer->file, "%d%c%.6g\n", (int)labels[i], mark, confidence[i])
                : of_atomic_print(&writer->file, "%d\n", (int)labels[i]));
    }
    writer->written += count;
    return ONEFOLD_OK;
}

onefold_status onefold_labels_writer_add(onefold_labels_writer *writer, const int32_t *labels,
                                         const double *confidence, size_t count)
{
    if (!writer || (count && !labels))
        return of_fail(ONEFOLD_USAGE, "adding labels needs a writer and labels");
    OF_TRY(check_whole(writer));
    if (count > writer->samples - writer->written)
        return of_fail(ONEFOLD_USAGE, "more labels than the %zu declared", writer->samples);
    if (writer->has_confidence && !confidence)
        return of_fail(ONEFOLD_USAGE, "labels were declared with their confidence");
    onefold_status status = add_labels(writer, labels, confidence, count);
    writer->broken = status != ONEFOLD_OK;
    return status;
}

onefold_status onefold_labels_writer_finish(onefold_labels_writer *writer)
{
    if (!writer)
        return of_fail(ONEFOLD_USAGE, "there is no writer to finish");
    OF_TRY(check_whole(writer));
    if (writer->written != writer->samples)
        return of_fail(ONEFOLD_USAGE, "%zu labels of the %zu declared", writer->written,
                       writer->samples);
    writer->broken = 1; /* whatever comes of it, the file is not written twice */
    if (writer->labels)
        OF_TRY(of_write_labels(&writer->file, writer->format, writer->labels, writer->confidence,
                               writer->names, writer->samples));
    return of_atomic_commit(&writer->file);
}

onefold_status onefold_labels_writer_create(onefold_labels_writer **writer,
                                            onefold_context *context, const char *path,
                                            size_t samples, const onefold_dataset *dataset,
                                            int confidence)
{
    if (!writer || !path)
        return of_fail(ONEFOLD_USAGE, "writing labels needs a place for the writer and a path");
    onefold_labels_writer *made;
    OF_TRY(OF_OBJECT(of_context_or_default(context), &made));
    made->file.descriptor = -1;
    made->has_confidence = confidence != 0;
    made->samples = samples;
    onefold_status status = open_writer(made, path, dataset);
    if (status == ONEFOLD_OK)
        *writer = made;
    else
        onefold_labels_writer_free(made);
    return status;
}

void onefold_labels_writer_free(onefold_labels_writer *writer)
{
    if (!writer)
        return;
    of_atomic_abandon(&writer->file);
    of_object_free(writer);
}

onefold_status onefold_labels_write(const int32_t *labels, const double *confidence, size_t samples,
                                    const onefold_dataset *dataset, onefold_context *context,
                                    const char *path)
{
    onefold_labels_writer *writer = NULL;
    if (!labels || !path)
        return of_fail(ONEFOLD_USAGE, "writing labels needs labels and a path");
    onefold_status status =
        onefold_labels_writer_create(&writer, context, path, samples, dataset, confidence != NULL);
    if (status == ONEFOLD_OK)
        status = onefold_labels_writer_add(writer, labels, confidence, samples);
    if (status == ONEFOLD_OK)
        status = onefold_labels_writer_finish(writer);
    onefold_labels_writer_free(writer);
    return status;
}
