/* SPDX-License-Identifier: Apache-2.0 */
/* A data set as an .npz: one .npy member per array, deflated. */
#include "io/write_parts.h"

#include "base/utf8.h"

#include <string.h>

/* One array that lies in memory as it is written. */
static onefold_status write_array(of_zip *zip, const char *name, of_type type, size_t count,
                                  const void *values)
{
    of_npy array = {.type = type, .dimensions = 1, .shape = {count}, .order = OF_ORDER_ROWS};
    of_sink sink;
    OF_TRY(of_zip_begin(zip, &sink, name, of_npy_bytes(&array)));
    OF_TRY(of_npy_header(sink, &array));
    OF_TRY(of_sink_write(sink, values, count * of_type_size(type)));
    return of_zip_end(zip);
}

static onefold_status member_name(of_zip *zip, const char **name, size_t view, const char *part)
{
    char *text;
    OF_TRY(of_arena_string(zip->arena, &text, "X%zu%s.npy", view + 1, part));
    *name = text;
    return ONEFOLD_OK;
}

/* The word by which SciPy knows how a matrix is compressed: here by row. */
static onefold_status write_format(of_zip *zip, size_t number)
{
    static const uint32_t by_row[3] = {'c', 's', 'r'};
    of_npy array = {.characters = 3, .dimensions = 0};
    const char *name;
    of_sink sink;
    OF_TRY(member_name(zip, &name, number, ".format"));
    OF_TRY(of_zip_begin(zip, &sink, name, of_npy_bytes(&array)));
    OF_TRY(of_npy_header(sink, &array));
    OF_TRY(of_sink_write(sink, by_row, sizeof by_row));
    return of_zip_end(zip);
}

/* Row starts and column numbers as int32 where they fit, else int64: what SciPy indexes with. */
static onefold_status write_sparse(of_zip *zip, size_t number, const of_csr *held)
{
    OF_SCRATCH(scratch, zip->arena->context);
    of_sparse native, *sparse = &native;
    OF_TRY(of_csr_native(&scratch, held, &native));
    size_t entries = sparse->start[sparse->rows];
    int small = entries <= INT32_MAX && sparse->columns <= INT32_MAX;
    of_type type = small ? OF_I32 : OF_I64;
    int64_t shape[2] = {(int64_t)sparse->rows, (int64_t)sparse->columns};
    const char *name;
    int32_t *narrow;
    int64_t *wide;
    size_t room = entries > sparse->rows + 1 ? entries : sparse->rows + 1;
    OF_TRY(OF_NEW(&scratch, &narrow, small ? room : 0, 1));
    OF_TRY(OF_NEW(&scratch, &wide, small ? 0 : room, 1));
    const void *indices = small ? (const void *)narrow : (const void *)wide;

    OF_TRY(member_name(zip, &name, number, ".data"));
    OF_TRY(write_array(zip, name, OF_F64, entries, sparse->value));
    for (size_t i = 0; i < entries; i++)
        small ? (narrow[i] = (int32_t)sparse->index[i]) : (wide[i] = sparse->index[i]);
    OF_TRY(member_name(zip, &name, number, ".indices"));
    OF_TRY(write_array(zip, name, type, entries, indices));
    for (size_t i = 0; i <= sparse->rows; i++)
        small ? (narrow[i] = (int32_t)sparse->start[i]) : (wide[i] = (int64_t)sparse->start[i]);
    OF_TRY(member_name(zip, &name, number, ".indptr"));
    OF_TRY(write_array(zip, name, type, sparse->rows + 1, indices));
    OF_TRY(member_name(zip, &name, number, ".shape"));
    OF_TRY(write_array(zip, name, OF_I64, 2, shape));
    return write_format(zip, number);
}

static onefold_status write_matrix(of_zip *zip, const char *name, const of_view *view)
{
    of_npy array = of_npy_of_view(view);
    of_sink sink;
    OF_TRY(of_zip_begin(zip, &sink, name, of_npy_bytes(&array)));
    OF_TRY(of_write_npy(zip->arena->context, sink, view));
    return of_zip_end(zip);
}

static onefold_status write_view(of_zip *zip, size_t number, const of_view *view)
{
    const char *name;
    if (view->storage == OF_SPARSE)
        return write_sparse(zip, number, &view->sparse);
    OF_TRY(member_name(zip, &name, number, ""));
    return write_matrix(zip, name, view);
}

/* samples x samples x views in Fortran's order: one kernel after the other. */
static onefold_status write_kernels(of_zip *zip, const of_dataset *dataset, int same_type)
{
    of_npy array = {.type = same_type ? dataset->views[0].type : OF_F64,
                    .dimensions = 3,
                    .shape = {dataset->samples, dataset->samples, dataset->view_count},
                    .order = OF_ORDER_COLUMNS};
    of_sink sink;
    OF_TRY(of_zip_begin(zip, &sink, "KH.npy", of_npy_bytes(&array)));
    OF_TRY(of_npy_header(sink, &array));
    for (size_t v = 0; v < dataset->view_count; v++)
        OF_TRY(of_write_kernel(zip->arena->context, sink, &dataset->views[v], same_type));
    return of_zip_end(zip);
}

/* A list of texts as NumPy's: all of one length in code points, filled up with zeros. Text j is
 * text[which ? which[j] : j]. */
static onefold_status write_texts(of_zip *zip, const char *member, size_t count,
                                  const char *const *text, size_t texts, const int32_t *which)
{
    OF_SCRATCH(scratch, zip->arena->context);
    size_t longest = 1;
    for (size_t c = 0; c < texts; c++) {
        size_t length = of_utf8_count(text[c], strlen(text[c]));
        longest = length > longest ? length : longest;
    }
    uint32_t *characters;
    OF_TRY(OF_NEW_ZERO(&scratch, &characters, longest, texts));
    for (size_t c = 0; c < texts; c++) {
        const char *name = text[c];
        uint32_t *to = characters + c * longest;
        for (uint32_t point; (point = of_utf8_next(&name));)
            *to++ = point;
    }
    of_npy array = {.characters = longest, .dimensions = 1, .shape = {count}};
    of_sink sink;
    OF_TRY(of_zip_begin(zip, &sink, member, of_npy_bytes(&array)));
    OF_TRY(of_npy_header(sink, &array));
    for (size_t j = 0; j < count; j++)
        OF_TRY(of_sink_write(sink, characters + (which ? (size_t)which[j] : j) * longest,
                             4 * longest));
    return of_zip_end(zip);
}

static onefold_status write_view_names(of_zip *zip, const of_dataset *dataset)
{
    const char **name;
    OF_TRY(OF_NEW(zip->arena, &name, dataset->view_count, 1));
    for (size_t v = 0; v < dataset->view_count; v++)
        name[v] = dataset->views[v].name;
    return write_texts(zip, "view_names.npy", dataset->view_count, name, dataset->view_count, NULL);
}

/* A list of the names of each view that has some. */
static onefold_status write_column_names(of_zip *zip, const of_dataset *dataset)
{
    for (size_t v = 0; v < dataset->view_count; v++) {
        const of_view *view = &dataset->views[v];
        char *member;
        if (!view->column_names)
            continue;
        OF_TRY(of_arena_string(zip->arena, &member, "column_names%zu.npy", v + 1));
        OF_TRY(write_texts(zip, member, view->columns, view->column_names, view->columns, NULL));
    }
    return ONEFOLD_OK;
}

static onefold_status write_sample_names(of_zip *zip, const char *const *names, size_t samples)
{
    return names ? write_texts(zip, "sample_names.npy", samples, names, samples, NULL) : ONEFOLD_OK;
}

onefold_status of_write_npz(of_atomic_file *file, const of_dataset *dataset)
{
    OF_SCRATCH(scratch, file->context);
    of_zip zip;
    int same_type;
    OF_TRY(of_zip_open(&zip, &scratch, file, 6 * dataset->view_count + 4));
    if (of_all_kernels(dataset, &same_type))
        OF_TRY(write_kernels(&zip, dataset, same_type));
    else
        for (size_t v = 0; v < dataset->view_count; v++)
            OF_TRY(write_view(&zip, v, &dataset->views[v]));
    if (of_views_are_named(dataset))
        OF_TRY(write_view_names(&zip, dataset));
    OF_TRY(write_column_names(&zip, dataset));
    if (dataset->truth) {
        int64_t *labels;
        int named;
        OF_TRY(of_write_truth(&scratch, &labels, &named, dataset));
        OF_TRY(named ? write_texts(&zip, "Y.npy", dataset->samples, dataset->class_names,
                                   dataset->class_count, dataset->truth)
                     : write_array(&zip, "Y.npy", OF_I64, dataset->samples, labels));
    }
    if (dataset->present) {
        of_view table = of_write_present(dataset);
        OF_TRY(write_matrix(&zip, "MissingStatus.npy", &table));
    }
    OF_TRY(write_sample_names(&zip, dataset->sample_names, dataset->samples));
    return of_zip_finish(&zip);
}

onefold_status of_write_npz_labels(of_atomic_file *file, const int32_t *labels,
                                   const double *confidence, const char *const *names,
                                   size_t samples)
{
    OF_SCRATCH(scratch, file->context);
    of_zip zip;
    OF_TRY(of_zip_open(&zip, &scratch, file, 3));
    OF_TRY(write_array(&zip, "labels.npy", OF_I32, samples, labels));
    if (confidence)
        OF_TRY(write_array(&zip, "confidence.npy", OF_F64, samples, confidence));
    OF_TRY(write_sample_names(&zip, names, samples));
    return of_zip_finish(&zip);
}
