/* SPDX-License-Identifier: Apache-2.0 */
/* A fit, and everything about it as a list. */
#include "onefold_r.h"

#include <string.h>

void fit_options_of(SEXP list, onefold_fit_options *options)
{
    option_size(list, "clusters", &options->clusters);
    option_text(list, "method", &options->method);
    option_text(list, "method_options", &options->method_options);
    option_text(list, "kernel", &options->kernel);
    option_size(list, "dims", &options->dims);
    option_size(list, "anchors", &options->anchors);
    option_size(list, "restarts", &options->restarts);
    OPTION_WORD(list, "start", options->start, onefold_start, ONEFOLD_NAMES_START);
    OPTION_WORD(list, "variant", options->variant, onefold_variant, ONEFOLD_NAMES_VARIANT);
    option_flag(list, "nonneg", &options->nonneg);
    OPTION_WORD(list, "stop", options->stop, onefold_stop, ONEFOLD_NAMES_STOP);
    option_number(list, "tolerance", &options->tolerance);
    option_size(list, "max_iterations", &options->max_iterations);
    OPTION_WORD(list, "base", options->base, onefold_base, ONEFOLD_NAMES_BASE);
    option_size(list, "landmarks", &options->landmarks);
    option_size(list, "neighbours", &options->neighbours);
    OPTION_WORD(list, "precision", options->precision, onefold_precision, ONEFOLD_NAMES_PRECISION);
    option_seed(list, "seed", &options->seed);
    option_text(list, "weights", &options->weights);
    option_flag(list, "keep_model", &options->keep_model);
    option_flag(list, "picture", &options->picture);
    option_size(list, "explain", &options->explain);
    const char *effort = NULL;
    option_text(list, "effort", &effort);
    if (effort)
        options->effort = strcmp(effort, "quick") == 0      ? ONEFOLD_EFFORT_QUICK
                          : strcmp(effort, "thorough") == 0 ? ONEFOLD_EFFORT_THOROUGH
                                                            : ONEFOLD_EFFORT_NORMAL;
}

/* The columns that set clusters apart, one below the other: cluster, view, name, strength. */
static SEXP columns_of(const onefold_result *result, const onefold_fit_info *info)
{
    size_t count = 0, at = 0;
    const onefold_column *column;
    for (size_t c = 0; c < info->clusters; c++)
        for (size_t v = 0; v < info->views; v++)
            for (size_t i = 0; onefold_result_column(result, v, c, i); i++)
                count++;
    SEXP table = PROTECT(list_new(4)), cluster = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)count)),
         view = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)count)),
         name = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count)),
         strength = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
    for (size_t c = 0; c < info->clusters; c++)
        for (size_t v = 0; v < info->views; v++)
            for (size_t i = 0; (column = onefold_result_column(result, v, c, i)); i++, at++) {
                INTEGER(cluster)[at] = (int)c + 1;
                INTEGER(view)[at] = (int)v + 1;
                REAL(strength)[at] = column->strength;
                SET_STRING_ELT(name, (R_xlen_t)at, Rf_mkCharCE(column->name, CE_UTF8));
            }
    list_add(table, "cluster", cluster);
    list_add(table, "view", view);
    list_add(table, "column", name);
    list_add(table, "strength", strength);
    UNPROTECT(5);
    return table;
}

/* A table of the views: name, kernel, route, weight, rank, columns, missing. */
static SEXP views_of(const onefold_result *result, const onefold_fit_info *info)
{
    R_xlen_t count = (R_xlen_t)info->views;
    SEXP table = PROTECT(list_new(7)), name = PROTECT(Rf_allocVector(STRSXP, count)),
         kernel = PROTECT(Rf_allocVector(STRSXP, count)),
         route = PROTECT(Rf_allocVector(STRSXP, count)),
         weight = PROTECT(Rf_allocVector(REALSXP, count)),
         rank = PROTECT(Rf_allocVector(INTSXP, count)),
         columns = PROTECT(Rf_allocVector(INTSXP, count)),
         missing = PROTECT(Rf_allocVector(INTSXP, count));
    for (R_xlen_t i = 0; i < count; i++) {
        const onefold_view_fit *view = info->view[(size_t)i];
        SET_STRING_ELT(name, i, Rf_mkCharCE(view->name ? view->name : "", CE_UTF8));
        SET_STRING_ELT(kernel, i, Rf_mkChar(view->kernel ? view->kernel : ""));
        SET_STRING_ELT(route, i, Rf_mkChar(onefold_name(ONEFOLD_NAMES_ROUTE, view->route)));
        REAL(weight)[i] = view->weight;
        INTEGER(rank)[i] = (int)view->rank;
        INTEGER(columns)[i] = (int)view->columns;
        INTEGER(missing)[i] = (int)view->missing;
    }
    list_add(table, "name", name);
    list_add(table, "kernel", kernel);
    list_add(table, "route", route);
    list_add(table, "weight", weight);
    list_add(table, "rank", rank);
    list_add(table, "columns", columns);
    list_add(table, "missing", missing);
    UNPROTECT(8);
    return table;
}

static onefold_status add_model(job *self, SEXP all)
{
    const onefold_model *model = onefold_result_describe(self->result)->model;
    size_t size = 0;
    if (!model)
        return ONEFOLD_OK;
    onefold_status status = onefold_model_encode(&self->bytes, &size, self->context, model);
    if (status != ONEFOLD_OK)
        return status;
    SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
    memcpy(RAW(bytes), self->bytes, size);
    list_add(all, "model", bytes);
    UNPROTECT(1);
    return ONEFOLD_OK;
}

/* Two coordinates of each sample, where they were asked for and the method has an embedding. */
static onefold_status add_layout(job *self, SEXP all, size_t samples)
{
    int wanted = 0;
    option_flag(self->request, "layout", &wanted);
    if (!wanted)
        return ONEFOLD_OK;
    double *coordinates = (double *)R_alloc(2 * samples, sizeof *coordinates);
    onefold_status status = onefold_layout(coordinates, self->context, self->result, NULL);
    if (status == ONEFOLD_OK)
        list_add(all, "layout", turned_of(coordinates, 2, samples));
    return status == ONEFOLD_UNSUPPORTED ? ONEFOLD_OK : status;
}

static onefold_status write_page(job *self, const onefold_fit_options *options)
{
    const char *path = NULL;
    option_text(self->request, "report", &path);
    if (!path)
        return ONEFOLD_OK;
    onefold_report report = ONEFOLD_REPORT_INIT;
    option_text(self->request, "title", &report.name);
    report.result = self->result;
    report.dataset = self->data;
    report.options = options;
    return onefold_report_write(&report, self->context, path);
}

static SEXP described(const onefold_result *result, const onefold_fit_info *info)
{
    size_t n = info->samples, p = info->views;
    SEXP all = PROTECT(list_new(23));
    list_add(all, "cluster", labels_of(info->labels, n));
    list_add(all, "confidence", numbers_of(info->confidence, n));
    list_add(all, "embedding", turned_of(info->embedding, info->embedding_rows, n));
    list_add(all, "view_parts", turned_of(info->view_parts, p, n));
    list_add(all, "objective", Rf_ScalarReal(info->objective));
    list_add(all, "agreement", numbers_of(info->agreement, p));
    list_add(all, "view_agreement", matrix_of(info->view_agreement, p, p));
    list_add(all, "cluster_agreement", matrix_of(info->cluster_agreement, p, info->clusters));
    list_add(all, "size", sizes_of(info->sizes, info->clusters));
    list_add(all, "views", views_of(result, info));
    list_add(all, "columns", columns_of(result, info));
    list_add(all, "trace", numbers_of(info->trace, info->iterations));
    list_add(all, "iterations", size_of(info->iterations));
    list_add(all, "converged", Rf_ScalarLogical(info->converged));
    list_add(all, "method", text_of(info->method));
    list_add(all, "dims", size_of(info->dims));
    list_add(all, "note", text_of(info->note));
    list_add(all, "stability", numbers_of(info->stability, info->clusters));
    list_add(all, "finding", finding_of(info->finding));
    UNPROTECT(1);
    return all;
}

/* Each view's part in every label, where the method can tell. */
static void ask_for_parts(onefold_fit_options *options)
{
    options->view_parts = 1;
    options->view_parts = onefold_fit_options_check(options) == ONEFOLD_OK;
}

static SEXP fit_work(job *self)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    fit_options_of(entry(self->request, "options"), &options);
    ask_for_parts(&options);
    onefold_status status = data_make(self);
    if (status == ONEFOLD_OK)
        status = onefold_fit(&self->result, self->context, self->data, &options);
    if (status != ONEFOLD_OK)
        return job_failure(self, status);
    const onefold_fit_info *info = onefold_result_describe(self->result);
    SEXP all = PROTECT(described(self->result, info));
    status = add_model(self, all);
    if (status == ONEFOLD_OK)
        status = add_layout(self, all, info->samples);
    if (status == ONEFOLD_OK)
        status = write_page(self, &options);
    UNPROTECT(1);
    return status == ONEFOLD_OK ? all : job_failure(self, status);
}

SEXP r_fit(SEXP request)
{
    return job_run(request, fit_work);
}

/* Whether a fit with these options could keep a model: the library knows its default method. */
SEXP r_keeps_model(SEXP request)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    option_text(request, "method", &options.method);
    if (onefold_fit_options_check(&options) != ONEFOLD_OK)
        return Rf_ScalarLogical(0); /* the fit will say what is wrong */
    options.keep_model = 1;
    return Rf_ScalarLogical(onefold_fit_options_check(&options) == ONEFOLD_OK);
}
