/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the R package share. Every entry takes one list, the request, and works on a
 * job: whatever of the library it holds is freed however the work ends, an R error included.
 */
#ifndef ONEFOLD_R_H
#define ONEFOLD_R_H

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>
#include <onefold.h>

/* ---- jobs (job.c) ---- */

typedef struct job job;
struct job {
    SEXP request;
    SEXP (*work)(job *self);
    onefold_context *context;
    onefold_dataset *data;
    onefold_result *result;
    onefold_model *model;
    onefold_choice *choice;
    onefold_experiment *experiment;
    void *bytes;
    char *text;
    double asked;    /* when R was last asked for an interrupt, in seconds */
    int interrupted; /* R has one */
    char *trouble;   /* what the progress function failed with, or NULL */
};

/* Runs the work of an entry with a context whose hooks look for interrupts and call the function
 * `progress` of the request, where it has one. */
SEXP job_run(SEXP request, SEXP (*work)(job *));

/* What an entry gives where a call of the library failed: R makes a condition of it. */
SEXP job_failure(const job *self, onefold_status status);

/* ---- values (values.c) ---- */

/* The entry of a list, or NULL in R. */
SEXP entry(SEXP list, const char *name);

/* Entries of a list of options; what is not there leaves *value alone. */
void option_text(SEXP list, const char *name, const char **value);
void option_size(SEXP list, const char *name, size_t *value);
void option_flag(SEXP list, const char *name, int *value);
void option_seed(SEXP list, const char *name, uint64_t *value);
void option_number(SEXP list, const char *name, double *value);

/* The number of a word in a set that names its values. */
#define OPTION_WORD(list, name, field, type, set)                                                  \
    do {                                                                                           \
        const char *word_ = NULL;                                                                  \
        int at_ = 0;                                                                               \
        option_text(list, name, &word_);                                                           \
        while (word_ && onefold_name(set, at_) && strcmp(onefold_name(set, at_), word_) != 0)      \
            at_++;                                                                                 \
        if (word_ && !onefold_name(set, at_))                                                      \
            Rf_error("`%s` cannot be \"%s\"", name, word_);                                        \
        if (word_)                                                                                 \
            (field) = (type)at_;                                                                   \
    } while (0)

/* A list that is filled entry by entry; the caller protects it. */
SEXP list_new(int most);
void list_add(SEXP list, const char *name, SEXP value);

/* Copies: vectors, a matrix as it lies, one that is laid down on its other side, texts. NULL in R
 * where there are no values. */
SEXP numbers_of(const double *values, size_t count);
SEXP sizes_of(const size_t *values, size_t count);
SEXP matrix_of(const double *values, size_t rows, size_t columns);
SEXP turned_of(const double *values, size_t rows, size_t columns);
/* Whether labels are more than chance: a list, or NULL. */
SEXP finding_of(const onefold_finding *it);

SEXP labels_of(const int32_t *labels, size_t count);
SEXP text_of(const char *text);
SEXP size_of(size_t size);

/* The texts of a character vector, which live until the entry ends. */
const char **texts_of(SEXP texts);

/* ---- work ---- */

/* Makes self->data of the request's `data`, whose arrays are borrowed. */
onefold_status data_make(job *self);

/* The request's `options`. */
void fit_options_of(SEXP list, onefold_fit_options *options);

SEXP r_fit(SEXP request);
SEXP r_predict(SEXP request);
SEXP r_choose(SEXP request);
SEXP r_bench(SEXP request);
SEXP r_read(SEXP request);
SEXP r_score(SEXP request);
SEXP r_methods(SEXP request);
SEXP r_keeps_model(SEXP request);
SEXP r_write_model(SEXP request);

#endif
