/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets: of R's arrays, which are borrowed for the length of a call, or of files. */
#include "onefold_r.h"

#include <string.h>

/* Where the values of a vector lie, and the library's type of them. */
static const void *values_at(SEXP vector, onefold_type *type, size_t offset)
{
    switch (TYPEOF(vector)) {
    case REALSXP:
        *type = ONEFOLD_FLOAT64;
        return REAL(vector) + offset;
    case INTSXP:
        *type = ONEFOLD_INT32;
        return INTEGER(vector) + offset;
    case LGLSXP: /* R holds them as integers */
        *type = ONEFOLD_INT32;
        return LOGICAL(vector) + offset;
    case RAWSXP:
        *type = ONEFOLD_UINT8;
        return RAW(vector) + offset;
    default:
        Rf_error("values of the type '%s' cannot be borrowed", Rf_type2char(TYPEOF(vector)));
    }
}

static onefold_status add_view(onefold_dataset *data, SEXP view, size_t samples)
{
    const char *name = NULL, *kind = NULL;
    size_t columns = 0, sample_step = 0, column_step = 0, offset = 0;
    onefold_type type, index_type;
    option_text(view, "name", &name);
    option_text(view, "kind", &kind);
    option_size(view, "columns", &columns);
    option_size(view, "sample_step", &sample_step);
    option_size(view, "column_step", &column_step);
    option_size(view, "offset", &offset);
    SEXP vector = entry(view, "values");
    const void *values = values_at(vector, &type, offset);
    if (strcmp(kind, "sparse") == 0) {
        SEXP start = entry(view, "start"), index = entry(view, "index");
        if (TYPEOF(start) != INTSXP || TYPEOF(index) != INTSXP ||
            (size_t)Rf_xlength(start) != samples + 1 || INTEGER(start)[samples] < 0 ||
            INTEGER(start)[samples] > Rf_xlength(index) || Rf_xlength(index) != Rf_xlength(vector))
            Rf_error("the parts of the sparse view %s do not fit together", name);
        const void *starts = values_at(start, &index_type, 0);
        return onefold_dataset_borrow_sparse(data, name, columns, starts,
                                             values_at(index, &index_type, 0), index_type, values,
                                             type);
    }
    size_t last = (samples - 1) * sample_step + (columns ? columns - 1 : 0) * column_step;
    if (samples && columns && offset + last >= (size_t)Rf_xlength(vector))
        Rf_error("the view %s has fewer values than samples and columns", name);
    return strcmp(kind, "kernel") == 0
               ? onefold_dataset_borrow_kernel(data, name, values, type, sample_step, column_step)
               : onefold_dataset_borrow_dense(data, name, values, type, columns, sample_step,
                                              column_step);
}

onefold_status data_make(job *self)
{
    SEXP from = entry(self->request, "data"), views = entry(from, "views");
    size_t samples = 0;
    onefold_impute impute = ONEFOLD_IMPUTE_NONE;
    option_size(from, "samples", &samples);
    OPTION_WORD(self->request, "impute", impute, onefold_impute, ONEFOLD_NAMES_IMPUTE);
    onefold_status status = onefold_dataset_create(&self->data, self->context, samples);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_set_impute(self->data, impute);
    for (R_xlen_t i = 0; status == ONEFOLD_OK && i < Rf_xlength(views); i++) {
        SEXP view = VECTOR_ELT(views, i), names = entry(view, "column_names"),
             units = entry(view, "units");
        status = add_view(self->data, view, samples);
        if (status == ONEFOLD_OK && units != R_NilValue)
            status = onefold_dataset_set_column_units(self->data, (size_t)i,
                                                      (const uint32_t *)INTEGER(units));
        if (status == ONEFOLD_OK && names != R_NilValue)
            status = onefold_dataset_set_column_names(self->data, (size_t)i, texts_of(names));
    }
    SEXP present = entry(from, "present"), names = entry(from, "names");
    if (status == ONEFOLD_OK && present != R_NilValue) {
        if (TYPEOF(present) != RAWSXP ||
            Rf_xlength(present) != Rf_xlength(views) * (R_xlen_t)samples)
            Rf_error("who is present is views x samples of raw");
        status = onefold_dataset_set_present(self->data, RAW(present));
    }
    if (status == ONEFOLD_OK && names != R_NilValue)
        status = onefold_dataset_set_sample_names(self->data, texts_of(names));
    return status;
}

/* ---- files ---- */

static int is_present(const onefold_dataset *data, size_t sample, size_t view)
{
    const onefold_dataset_info *info = onefold_dataset_describe(data);
    return !info->present || info->present[sample * info->views + view];
}

/* Notes, or names of columns, samples or classes; NULL where there are none. */
static SEXP names_of(const char *const *names, size_t count)
{
    if (count && !names)
        return R_NilValue;
    SEXP texts = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++)
        SET_STRING_ELT(texts, (R_xlen_t)i, Rf_mkCharCE(names[i], CE_UTF8));
    UNPROTECT(1);
    return texts;
}

/* Entries of a sparse view, columns x samples, as the slots p, i and x of a matrix by column. */
static SEXP sparse_of(const onefold_dataset *data, size_t view, const onefold_view_info *info)
{
    size_t samples = onefold_dataset_describe(data)->samples, at = 0;
    SEXP list = PROTECT(list_new(3));
    SEXP start = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)samples + 1));
    SEXP index = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)info->nonzeros));
    SEXP value = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)info->nonzeros));
    double *row = (double *)R_alloc(info->columns, sizeof *row);
    INTEGER(start)[0] = 0;
    for (size_t j = 0; j < samples; j++) {
        int there = is_present(data, j, view) &&
                    onefold_dataset_values(row, data, view, j, 1) == ONEFOLD_OK;
        for (size_t i = 0; there && i < info->columns && at < info->nonzeros; i++)
            if (row[i] != 0) {
                INTEGER(index)[at] = (int)i;
                REAL(value)[at++] = row[i];
            }
        INTEGER(start)[j + 1] = (int)at;
    }
    list_add(list, "p", start);
    list_add(list, "i", Rf_xlengthgets(index, (R_xlen_t)at));
    list_add(list, "x", Rf_xlengthgets(value, (R_xlen_t)at));
    UNPROTECT(4);
    return list;
}

/* Samples x columns; a sample that lacks the view is a row of NA. */
static SEXP dense_of(const onefold_dataset *data, size_t view, const onefold_view_info *info)
{
    size_t samples = onefold_dataset_describe(data)->samples, columns = info->columns;
    SEXP matrix = PROTECT(Rf_allocMatrix(REALSXP, (int)samples, (int)columns));
    double *row = (double *)R_alloc(columns, sizeof *row);
    for (size_t j = 0; j < samples; j++) {
        int there = is_present(data, j, view) &&
                    onefold_dataset_values(row, data, view, j, 1) == ONEFOLD_OK;
        for (size_t i = 0; i < columns; i++)
            REAL(matrix)[j + i * samples] = there ? row[i] : NA_REAL;
    }
    UNPROTECT(1);
    return matrix;
}

/* A number for each column, the same for those of one category. */
static SEXP units_of(const onefold_view_info *info)
{
    SEXP units = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)info->columns));
    for (size_t i = 0; i < info->columns; i++)
        INTEGER(units)[i] = (int)info->units[i];
    UNPROTECT(1);
    return units;
}

static SEXP view_of(const onefold_dataset *data, size_t view)
{
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    onefold_dataset_view(data, view, &info);
    SEXP list = PROTECT(list_new(7));
    list_add(list, "name", text_of(info.name));
    list_add(list, "storage", text_of(onefold_name(ONEFOLD_NAMES_STORAGE, info.storage)));
    list_add(list, "columns", size_of(info.columns));
    list_add(list, "missing", size_of(info.missing));
    list_add(list, "values",
             info.storage == ONEFOLD_STORAGE_SPARSE ? sparse_of(data, view, &info)
                                                    : dense_of(data, view, &info));
    list_add(list, "column_names", names_of(info.column_names, info.columns));
    list_add(list, "units", info.units ? units_of(&info) : R_NilValue);
    UNPROTECT(1);
    return list;
}

static SEXP read_work(job *self)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    SEXP from = entry(self->request, "options"), paths = entry(self->request, "paths");
    const char *side = NULL;
    option_text(from, "samples", &side);
    if (side)
        options.samples_are = strcmp(side, "rows") == 0 ? ONEFOLD_SIDE_ROWS : ONEFOLD_SIDE_COLUMNS;
    option_text(from, "views", &options.views);
    option_text(from, "truth", &options.truth);
    option_text(from, "present", &options.present);
    option_flag(from, "no_truth", &options.no_truth);
    option_text(from, "ids", &options.ids);
    option_text(from, "drop", &options.drop);
    option_text(from, "columns", &options.columns);
    option_text(from, "as_category", &options.as_category);
    option_text(from, "as_number", &options.as_number);
    const char *match = NULL;
    option_text(from, "match", &match);
    if (match && strcmp(match, "order") == 0)
        options.match = ONEFOLD_MATCH_ORDER;
    if (entry(from, "header") != R_NilValue) {
        int header = 0;
        option_flag(from, "header", &header);
        options.header = header ? ONEFOLD_HEADER_YES : ONEFOLD_HEADER_NO;
    }
    SEXP expected = entry(from, "expected");
    if (expected != R_NilValue) {
        options.expected = texts_of(expected);
        options.expected_count = (size_t)Rf_xlength(expected);
    }
    OPTION_WORD(from, "impute", options.impute, onefold_impute, ONEFOLD_NAMES_IMPUTE);
    onefold_status status = onefold_dataset_read(&self->data, self->context, texts_of(paths),
                                                 (size_t)Rf_xlength(paths), &options);
    if (status != ONEFOLD_OK)
        return job_failure(self, status);
    const onefold_dataset *data = self->data;
    const onefold_dataset_info *info = onefold_dataset_describe(data);
    size_t count = info->views;
    SEXP all = PROTECT(list_new(6)), views = PROTECT(Rf_allocVector(VECSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++)
        SET_VECTOR_ELT(views, (R_xlen_t)i, view_of(data, i));
    list_add(all, "views", views);
    list_add(all, "names", names_of(info->sample_names, info->samples));
    list_add(all, "notes", names_of(info->note, info->notes));
    list_add(all, "assumptions", names_of(info->assumption, info->assumptions));
    list_add(all, "truth", labels_of(info->truth, info->samples));
    list_add(all, "classes", names_of(info->class_names, info->classes));
    UNPROTECT(2);
    return all;
}

SEXP r_read(SEXP request)
{
    return job_run(request, read_work);
}
