/* SPDX-License-Identifier: Apache-2.0 */
/* New samples, the number of clusters, scores, and what methods there are. */
#include "onefold_r.h"

#include <R_ext/Rdynload.h>
#include <string.h>

static onefold_status decode(job *self)
{
    SEXP bytes = entry(self->request, "model");
    if (TYPEOF(bytes) != RAWSXP)
        Rf_error("a model is raw bytes");
    return onefold_model_decode(&self->model, self->context, RAW(bytes), (size_t)Rf_xlength(bytes));
}

static SEXP predict_work(job *self)
{
    onefold_status status = decode(self);
    if (status == ONEFOLD_OK)
        status = data_make(self);
    if (status != ONEFOLD_OK)
        return job_failure(self, status);
    const onefold_model_info *info = onefold_model_describe(self->model);
    size_t n = onefold_dataset_describe(self->data)->samples;
    onefold_prediction to = ONEFOLD_PREDICTION_INIT;
    SEXP all = PROTECT(list_new(4));
    SEXP confidence = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
    SEXP distance = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)n));
    to.labels = (int32_t *)R_alloc(n, sizeof *to.labels);
    to.embedding = (double *)R_alloc(n * info->dims, sizeof *to.embedding);
    to.confidence = REAL(confidence);
    to.distance = REAL(distance);
    status = onefold_predict(&to, self->context, self->model, self->data, 0, n);
    if (status == ONEFOLD_OK) {
        list_add(all, "cluster", labels_of(to.labels, n));
        list_add(all, "confidence", confidence);
        list_add(all, "distance", distance);
        list_add(all, "embedding", turned_of(to.embedding, info->dims, n));
    }
    UNPROTECT(3);
    return status == ONEFOLD_OK ? all : job_failure(self, status);
}

SEXP r_predict(SEXP request)
{
    return job_run(request, predict_work);
}

static SEXP write_model_work(job *self)
{
    const char *path = NULL;
    option_text(self->request, "path", &path);
    onefold_status status = decode(self);
    if (status == ONEFOLD_OK)
        status = onefold_model_write(self->model, self->context, path);
    return status == ONEFOLD_OK ? R_NilValue : job_failure(self, status);
}

SEXP r_write_model(SEXP request)
{
    return job_run(request, write_model_work);
}

static SEXP points_of(const onefold_choice *choice, size_t count)
{
    static const char *const names[] = {"k",    "used",   "agreement", "entropy",
                                        "told", "chance", "evidence"};
    enum { COLUMNS = sizeof names / sizeof *names };
    SEXP table = PROTECT(list_new(COLUMNS));
    double *to[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        SEXP column = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
        list_add(table, names[c], column);
        to[c] = REAL(column);
        UNPROTECT(1);
    }
    for (size_t i = 0; i < count; i++) {
        const onefold_choose_point *p = onefold_choice_describe(choice)->point[i];
        const double row[COLUMNS] = {(double)p->clusters,
                                     (double)p->clusters_used,
                                     p->agreement,
                                     p->entropy,
                                     p->told,
                                     p->chance,
                                     p->evidence};
        for (int c = 0; c < COLUMNS; c++)
            to[c][i] = row[c];
    }
    UNPROTECT(1);
    return table;
}

static SEXP choose_work(job *self)
{
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    fit_options_of(entry(self->request, "options"), &fit);
    option_size(self->request, "least", &options.least);
    option_size(self->request, "most", &options.most);
    onefold_status status = data_make(self);
    if (status == ONEFOLD_OK)
        status = onefold_choose(&self->choice, self->context, self->data, &fit, &options);
    if (status != ONEFOLD_OK)
        return job_failure(self, status);
    const onefold_choose_info *info = onefold_choice_describe(self->choice);
    SEXP all = PROTECT(list_new(4));
    SEXP reasons = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)info->reasons));
    for (size_t i = 0; i < info->reasons; i++)
        SET_STRING_ELT(reasons, (R_xlen_t)i, Rf_mkCharCE(info->reason[i], CE_UTF8));
    list_add(all, "suggested", Rf_ScalarInteger((int)info->suggested));
    list_add(all, "finding", finding_of(&info->finding));
    list_add(all, "reasons", reasons);
    list_add(all, "curve", points_of(self->choice, info->points));
    UNPROTECT(2);
    return all;
}

SEXP r_choose(SEXP request)
{
    return job_run(request, choose_work);
}

static SEXP score_work(job *self)
{
    SEXP labels = entry(self->request, "labels"), truth = entry(self->request, "truth");
    if (TYPEOF(labels) != INTSXP || TYPEOF(truth) != INTSXP ||
        Rf_xlength(labels) != Rf_xlength(truth))
        Rf_error("labels and truth are integers, as many of the one as of the other");
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    onefold_status status = onefold_score(&scores, ONEFOLD_INT32, INTEGER(labels), INTEGER(truth),
                                          (size_t)Rf_xlength(labels));
    if (status != ONEFOLD_OK)
        return job_failure(self, status);
    SEXP all = PROTECT(list_new(9));
    list_add(all, "acc", Rf_ScalarReal(scores.acc));
    list_add(all, "nmi", Rf_ScalarReal(scores.nmi));
    list_add(all, "purity", Rf_ScalarReal(scores.purity));
    list_add(all, "ari", Rf_ScalarReal(scores.ari));
    list_add(all, "f", Rf_ScalarReal(scores.f));
    list_add(all, "precision", Rf_ScalarReal(scores.precision));
    list_add(all, "recall", Rf_ScalarReal(scores.recall));
    list_add(all, "nmi_sum", Rf_ScalarReal(scores.nmi_sum));
    list_add(all, "nmi_sqrt", Rf_ScalarReal(scores.nmi_sqrt));
    UNPROTECT(1);
    return all;
}

SEXP r_score(SEXP request)
{
    return job_run(request, score_work);
}

SEXP r_methods(SEXP request)
{
    (void)request;
    R_xlen_t count = 0;
    while (onefold_method_describe((size_t)count))
        count++;
    SEXP all = PROTECT(list_new(5)), name = PROTECT(Rf_allocVector(STRSXP, count)),
         title = PROTECT(Rf_allocVector(STRSXP, count)),
         missing = PROTECT(Rf_allocVector(LGLSXP, count)),
         model = PROTECT(Rf_allocVector(LGLSXP, count)),
         weights = PROTECT(Rf_allocVector(LGLSXP, count));
    for (R_xlen_t i = 0; i < count; i++) {
        const onefold_method_info *info = onefold_method_describe((size_t)i);
        SET_STRING_ELT(name, i, Rf_mkChar(info->name));
        SET_STRING_ELT(title, i, Rf_mkChar(info->title));
        LOGICAL(missing)[i] = info->takes_missing;
        LOGICAL(model)[i] = info->has_model;
        LOGICAL(weights)[i] = info->has_weights;
    }
    list_add(all, "name", name);
    list_add(all, "title", title);
    list_add(all, "takes_missing", missing);
    list_add(all, "has_model", model);
    list_add(all, "has_weights", weights);
    UNPROTECT(6);
    return all;
}

void R_init_onefold(DllInfo *library)
{
    static const R_CallMethodDef entries[] = {{"fit", (DL_FUNC)r_fit, 1},
                                              {"predict", (DL_FUNC)r_predict, 1},
                                              {"choose", (DL_FUNC)r_choose, 1},
                                              {"bench", (DL_FUNC)r_bench, 1},
                                              {"read", (DL_FUNC)r_read, 1},
                                              {"score", (DL_FUNC)r_score, 1},
                                              {"methods", (DL_FUNC)r_methods, 1},
                                              {"keeps_model", (DL_FUNC)r_keeps_model, 1},
                                              {"write_model", (DL_FUNC)r_write_model, 1},
                                              {NULL, NULL, 0}};
    R_registerRoutines(library, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(library, FALSE);
}
