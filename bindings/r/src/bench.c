/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing methods: the cells of an experiment as columns, scores of every repeat, traces. */
#include "onefold_r.h"

#include <string.h>

/* Adds a column of so many rows and returns it; the list protects it. */
static SEXP add_column(SEXP table, const char *name, SEXPTYPE type, size_t rows)
{
    SEXP column = PROTECT(Rf_allocVector(type, (R_xlen_t)rows));
    list_add(table, name, column);
    UNPROTECT(1);
    return column;
}

static void add_texts(SEXP table, const onefold_experiment_info *info)
{
    SEXP method = add_column(table, "method", STRSXP, info->cells),
         setting = add_column(table, "setting", STRSXP, info->cells),
         status = add_column(table, "status", STRSXP, info->cells),
         drawn = add_column(table, "drawn", STRSXP, info->cells);
    for (size_t i = 0; i < info->cells; i++) {
        const onefold_experiment_cell_info *cell = info->cell[i];
        const onefold_experiment_method_info *own = info->method[cell->method];
        R_xlen_t at = (R_xlen_t)i;
        SET_STRING_ELT(method, at, Rf_mkCharCE(own->name, CE_UTF8));
        SET_STRING_ELT(setting, at, Rf_mkCharCE(cell->setting, CE_UTF8));
        SET_STRING_ELT(status, at, Rf_mkCharCE(cell->status ? cell->reason : "ok", CE_UTF8));
        SET_STRING_ELT(drawn, at, Rf_mkCharCE(own->drawn, CE_UTF8));
    }
}

static void add_marks(SEXP table, const onefold_experiment_info *info)
{
    static const char *const names[] = {"default", "grid", "sensitivity", "best", "median"};
    enum { MARKS = sizeof names / sizeof *names };
    for (int m = 0; m < MARKS; m++) {
        SEXP column = add_column(table, names[m], LGLSXP, info->cells);
        for (size_t i = 0; i < info->cells; i++) {
            const onefold_experiment_cell_info *cell = info->cell[i];
            const onefold_experiment_method_info *own = info->method[cell->method];
            const int marks[MARKS] = {(cell->roles & ONEFOLD_CELL_STANDARD) != 0,
                                      (cell->roles & ONEFOLD_CELL_GRID) != 0,
                                      (cell->roles & ONEFOLD_CELL_SENSITIVITY) != 0,
                                      own->best[ONEFOLD_ACC] == i, own->median == i};
            LOGICAL(column)[i] = marks[m];
        }
    }
}

/* Means and deviations, seconds, sizes; NA where there is none. */
static void add_numbers(SEXP table, const onefold_experiment_info *info)
{
    static const char *const names[] = {
        "acc",        "acc_deviation",    "nmi",         "nmi_deviation",
        "purity",     "purity_deviation", "ari",         "ari_deviation",
        "seconds",    "seconds_base",     "seconds_fit", "seconds_kmeans",
        "peak_bytes", "repeats",          "tried",       "near_best",
        "dims",       "anchors",          "view"};
    enum { NUMBERS = sizeof names / sizeof *names };
    for (int f = 0; f < NUMBERS; f++) {
        SEXP column = add_column(table, names[f], REALSXP, info->cells);
        for (size_t i = 0; i < info->cells; i++) {
            const onefold_experiment_cell_info *cell = info->cell[i];
            const onefold_experiment_method_info *own = info->method[cell->method];
            const double numbers[NUMBERS] = {
                cell->mean[ONEFOLD_ACC],    cell->deviation[ONEFOLD_ACC],
                cell->mean[ONEFOLD_NMI],    cell->deviation[ONEFOLD_NMI],
                cell->mean[ONEFOLD_PURITY], cell->deviation[ONEFOLD_PURITY],
                cell->mean[ONEFOLD_ARI],    cell->deviation[ONEFOLD_ARI],
                cell->seconds_run,          cell->seconds_base,
                cell->seconds_fit,          cell->seconds_kmeans,
                (double)cell->peak_bytes,   (double)cell->repeats,
                (double)own->tried,         (double)own->near_best,
                (double)cell->dims,         (double)cell->anchors,
                (double)cell->only_view};
            int there = f < 8    ? cell->scores != NULL
                        : f < 13 ? cell->status == ONEFOLD_OK
                        : f < 16 ? 1
                                 : numbers[f] > 0;
            REAL(column)[i] = there ? numbers[f] : NA_REAL;
        }
    }
}

/* For each cell a matrix, repeats x measures, and the objective after each iteration. */
static void add_repeats(SEXP all, const onefold_experiment_info *info)
{
    SEXP scores = add_column(all, "scores", VECSXP, info->cells),
         traces = add_column(all, "traces", VECSXP, info->cells);
    for (size_t i = 0; i < info->cells; i++) {
        const onefold_experiment_cell_info *cell = info->cell[i];
        size_t rows = cell->scores ? cell->repeats : 0;
        SEXP matrix = Rf_allocMatrix(REALSXP, (int)rows, ONEFOLD_MEASURES);
        SET_VECTOR_ELT(scores, (R_xlen_t)i, matrix);
        for (size_t r = 0; r < rows; r++) {
            const double values[ONEFOLD_MEASURES] = {cell->scores[r]->acc, cell->scores[r]->nmi,
                                                     cell->scores[r]->purity, cell->scores[r]->ari};
            for (size_t m = 0; m < ONEFOLD_MEASURES; m++)
                REAL(matrix)[r + m * rows] = values[m];
        }
        SET_VECTOR_ELT(traces, (R_xlen_t)i, numbers_of(cell->trace, cell->iterations));
    }
}

static onefold_status run(job *self)
{
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    SEXP truth = entry(self->request, "truth");
    fit_options_of(entry(self->request, "options"), &fit);
    option_text(self->request, "methods", &options.methods);
    option_text(self->request, "grid", &options.grid);
    option_text(self->request, "sensitivity", &options.sensitivity);
    option_text(self->request, "store", &options.store);
    option_size(self->request, "repeats", &options.repeats);
    option_size(self->request, "replicates", &options.replicates);
    OPTION_WORD(self->request, "kmeans_start", options.kmeans_start, onefold_kmeans_start,
                ONEFOLD_NAMES_KMEANS_START);
    onefold_status status = data_make(self);
    if (status != ONEFOLD_OK)
        return status;
    if ((size_t)Rf_xlength(truth) != onefold_dataset_describe(self->data)->samples)
        Rf_error("there are %.0f true labels for %.0f samples", (double)Rf_xlength(truth),
                 (double)onefold_dataset_describe(self->data)->samples);
    int64_t *labels = (int64_t *)R_alloc((size_t)Rf_xlength(truth), sizeof *labels);
    for (R_xlen_t j = 0; j < Rf_xlength(truth); j++)
        labels[j] = INTEGER(truth)[j];
    status = onefold_dataset_set_truth(self->data, labels, NULL);
    return status == ONEFOLD_OK ? onefold_experiment_run(&self->experiment, self->context,
                                                         self->data, &fit, &options)
                                : status;
}

static SEXP bench_work(job *self)
{
    onefold_status status = run(self);
    if (status != ONEFOLD_OK)
        return job_failure(self, status);
    const onefold_experiment_info *info = onefold_experiment_describe(self->experiment);
    SEXP all = PROTECT(list_new(3)), table = PROTECT(list_new(28));
    add_texts(table, info);
    add_marks(table, info);
    add_numbers(table, info);
    list_add(all, "table", table);
    add_repeats(all, info);
    UNPROTECT(2);
    return all;
}

SEXP r_bench(SEXP request)
{
    return job_run(request, bench_work);
}
