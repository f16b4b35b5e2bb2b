/* SPDX-License-Identifier: Apache-2.0 */
/* A data set, or one array, as a MATLAB file of version 5. */
#include "io/write_mat5.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

static onefold_status write_variable(of_atomic_file *file, const char *name, const of_view *view)
{
    OF_SCRATCH(scratch, file->context);
    of_mat_write_variable variable;
    of_sink sink;
    OF_TRY(of_mat_write_check_view(file, view));
    OF_TRY(of_mat_write_begin(&variable, &sink, &scratch, file, name,
                              of_mat_write_view_bytes(view, name)));
    OF_TRY(of_mat_write_view(file->context, sink, view, name));
    return of_mat_write_end(&variable);
}

onefold_status of_write_mat_variable(of_atomic_file *file, const char *name, const of_view *view)
{
    OF_TRY(of_mat_write_file_header(file));
    return write_variable(file, name, view);
}

static onefold_status write_cell(of_atomic_file *file, const of_dataset *dataset)
{
    OF_SCRATCH(scratch, file->context);
    of_mat_write_head cell = {.class = OF_MX_CELL,
                              .dimensions = 2,
                              .size = {1, (int32_t)dataset->view_count},
                              .name = "X"};
    uint64_t body = 0;
    for (size_t v = 0; v < dataset->view_count; v++) {
        OF_TRY(of_mat_write_check_view(file, &dataset->views[v]));
        body += of_mat_write_view_bytes(&dataset->views[v], "");
    }
    of_mat_write_variable variable;
    of_sink sink;
    OF_TRY(of_mat_write_begin(&variable, &sink, &scratch, file, "X",
                              8 + of_mat_write_header_bytes(&cell) + body));
    OF_TRY(of_mat_write_header(sink, &cell, body));
    for (size_t v = 0; v < dataset->view_count; v++)
        OF_TRY(of_mat_write_view(file->context, sink, &dataset->views[v], ""));
    return of_mat_write_end(&variable);
}

static onefold_status write_kernels(of_atomic_file *file, const of_dataset *dataset, int same_type)
{
    OF_SCRATCH(scratch, file->context);
    size_t n = dataset->samples;
    of_type type = same_type ? dataset->views[0].type : OF_F64;
    of_mat_write_head tensor = {.class = of_mat_write_class(type),
                                .dimensions = 3,
                                .size = {(int32_t)n, (int32_t)n, (int32_t)dataset->view_count},
                                .name = "KH"};
    OF_TRY(of_mat_write_check_view(file, &dataset->views[0]));
    uint64_t bytes = (uint64_t)n * n * dataset->view_count * of_type_size(type);
    of_mat_write_variable variable;
    of_sink sink;
    OF_TRY(of_mat_write_begin(&variable, &sink, &scratch, file, "KH",
                              8 + of_mat_write_header_bytes(&tensor) +
                                  of_mat_write_element_bytes(bytes)));
    OF_TRY(of_mat_write_header(sink, &tensor, of_mat_write_element_bytes(bytes)));
    OF_TRY(of_mat_write_tag(sink, of_mat_write_data_type(type), bytes));
    for (size_t v = 0; v < dataset->view_count; v++)
        OF_TRY(of_write_kernel(file->context, sink, &dataset->views[v], same_type));
    OF_TRY(of_mat_write_filling(sink, bytes));
    return of_mat_write_end(&variable);
}

static of_mat_write_head text_head(const char *text)
{
    of_mat_write_head array = {.class = OF_MX_CHAR,
                               .dimensions = 2,
                               .size = {1, (int32_t)of_utf8_count(text, strlen(text))},
                               .name = ""};
    return array;
}

/* A cell of texts, count x 1. */
static onefold_status write_texts(of_atomic_file *file, const char *name, size_t count,
                                  const char *const *text)
{
    OF_SCRATCH(scratch, file->context);
    of_mat_write_head cell = {
        .class = OF_MX_CELL, .dimensions = 2, .size = {(int32_t)count, 1}, .name = name};
    uint64_t body = 0;
    for (size_t j = 0; j < count; j++) {
        of_mat_write_head array = text_head(text[j]);
        body += 8 + of_mat_write_header_bytes(&array) + of_mat_write_element_bytes(strlen(text[j]));
    }
    of_mat_write_variable variable;
    of_sink sink;
    OF_TRY(of_mat_write_begin(&variable, &sink, &scratch, file, cell.name,
                              8 + of_mat_write_header_bytes(&cell) + body));
    OF_TRY(of_mat_write_header(sink, &cell, body));
    for (size_t j = 0; j < count; j++) {
        of_mat_write_head array = text_head(text[j]);
        OF_TRY(of_mat_write_header(sink, &array, of_mat_write_element_bytes(strlen(text[j]))));
        OF_TRY(of_mat_write_element(sink, OF_MI_UTF8, text[j], strlen(text[j])));
    }
    return of_mat_write_end(&variable);
}

/* Labels with names: a text per sample. */
static onefold_status write_names(of_atomic_file *file, const of_dataset *dataset)
{
    OF_SCRATCH(scratch, file->context);
    const char **text;
    OF_TRY(OF_NEW(&scratch, &text, dataset->samples, 1));
    for (size_t j = 0; j < dataset->samples; j++)
        text[j] = dataset->class_names[dataset->truth[j]];
    return write_texts(file, "Y", dataset->samples, text);
}

static onefold_status write_view_names(of_atomic_file *file, const of_dataset *dataset)
{
    OF_SCRATCH(scratch, file->context);
    const char **name;
    OF_TRY(OF_NEW(&scratch, &name, dataset->view_count, 1));
    for (size_t v = 0; v < dataset->view_count; v++)
        name[v] = dataset->views[v].name;
    return write_texts(file, "view_names", dataset->view_count, name);
}

/* A list of the names of each view that has some. An empty text would be read as nothing at all. */
static onefold_status write_column_names(of_atomic_file *file, const of_dataset *dataset)
{
    for (size_t v = 0; v < dataset->view_count; v++) {
        OF_SCRATCH(scratch, file->context);
        const of_view *view = &dataset->views[v];
        const char **name;
        char list[48];
        if (!view->column_names)
            continue;
        OF_TRY(OF_NEW(&scratch, &name, view->columns, 1));
        for (size_t i = 0; i < view->columns; i++)
            name[i] = *view->column_names[i] ? view->column_names[i] : " ";
        snprintf(list, sizeof list, "column_names%zu", v + 1);
        OF_TRY(write_texts(file, list, view->columns, name));
    }
    return ONEFOLD_OK;
}

static onefold_status write_sample_names(of_atomic_file *file, const char *const *names,
                                         size_t samples)
{
    return names ? write_texts(file, "sample_names", samples, names) : ONEFOLD_OK;
}

/* As the doubles MATLAB counts with, unless one would lose digits. */
static onefold_status write_labels(of_atomic_file *file, const int64_t *labels, size_t samples)
{
    OF_SCRATCH(scratch, file->context);
    double *numbers;
    int exact = 1;
    OF_TRY(OF_NEW(&scratch, &numbers, samples, 1));
    for (size_t j = 0; j < samples; j++) {
        numbers[j] = (double)labels[j];
        exact = exact && labels[j] <= 1LL << 53 && labels[j] >= -(1LL << 53);
    }
    of_view column = exact ? of_view_over(numbers, OF_F64, samples, 1, 1)
                           : of_view_over(labels, OF_I64, samples, 1, 1);
    return write_variable(file, "Y", &column);
}

onefold_status of_write_mat(of_atomic_file *file, const of_dataset *dataset)
{
    OF_SCRATCH(scratch, file->context);
    int same_type;
    OF_TRY(of_mat_write_file_header(file));
    if (of_all_kernels(dataset, &same_type))
        OF_TRY(write_kernels(file, dataset, same_type));
    else
        OF_TRY(write_cell(file, dataset));
    if (dataset->present) {
        of_view table = of_write_present(dataset);
        OF_TRY(write_variable(file, "MissingStatus", &table));
    }
    if (of_views_are_named(dataset))
        OF_TRY(write_view_names(file, dataset));
    OF_TRY(write_column_names(file, dataset));
    OF_TRY(write_sample_names(file, dataset->sample_names, dataset->samples));
    if (!dataset->truth)
        return ONEFOLD_OK;
    int64_t *labels;
    int named;
    OF_TRY(of_write_truth(&scratch, &labels, &named, dataset));
    return named ? write_names(file, dataset) : write_labels(file, labels, dataset->samples);
}

onefold_status of_write_mat_labels(of_atomic_file *file, const int32_t *labels,
                                   const double *confidence, const char *const *names,
                                   size_t samples)
{
    of_view column = of_view_over(labels, OF_I32, samples, 1, 1),
            sure = of_view_over(confidence, OF_F64, samples, 1, 1);
    OF_TRY(of_write_mat_variable(file, "labels", &column));
    if (confidence)
        OF_TRY(write_variable(file, "confidence", &sure));
    return write_sample_names(file, names, samples);
}
