/* SPDX-License-Identifier: Apache-2.0 */
/* What the test of failing calls runs (failure_cases.c, failure_fits.c, failure_data.c). */
#ifndef OF_TESTS_FAULTS_FAILURES_H
#define OF_TESTS_FAULTS_FAILURES_H

#include <onefold.h>

/* What a case has made; freed after it, whatever came of it. */
typedef struct failure_out {
    onefold_context *context;
    onefold_dataset *dataset;
    onefold_result *result;
    onefold_estimate *estimate;
    onefold_choice *choice;
    onefold_experiment *experiment;
    onefold_comparison *comparison;
    onefold_study *study;
    onefold_model *model;
    onefold_predictor *predictor;
    onefold_dataset *labels, *other;
    onefold_labels_writer *writer;
    char *text;
    void *bytes;
    int touched; /* a call that failed has changed what it was to fill */
} failure_out;
void failure_free(failure_out *out);

typedef struct failure_case failure_case;
struct failure_case {
    const char *name;
    /* Digest: of what must not depend on which call failed. */
    onefold_status (*run)(const failure_case *c, failure_out *out, uint64_t *digest);
    onefold_dataset **of; /* what it works on; or NULL */
    const char *words;    /* options of a fit ("method=mkkm restarts=2"), or a file */
    long most;            /* a case that takes long is tried at so many places; 0: at all */
};
extern const failure_case failure_cases[], failure_fits[];
extern const size_t failure_case_count, failure_fit_count;

/* The context of the cases: one thread, so that calls come in one order. failure_context is what it
 * is made of, and changes from one kind of failure to the other. */
extern onefold_context *failure_context;

/* What the cases work on: made in the current folder by failure_prepare; `maker` writes what only
 * HDF5 can, NULL: such cases are left out. */
enum { FAILURE_SAMPLES = 24, FAILURE_COLUMNS = 3 };
extern onefold_dataset *failure_dense, *failure_sparse, *failure_lacking, *failure_thin,
    *failure_kernels, *failure_graph, *failure_mixed, *failure_wide, *failure_many;
/* Those of failure_dense and failure_sparse whose named columns come in another order, and one
 * more. */
extern onefold_dataset *failure_turned, *failure_thin_turned;
extern onefold_result *failure_result; /* of failure_dense */
extern const char *failure_names[FAILURE_SAMPLES];
onefold_status failure_prepare(const char *maker);
void failure_done(void);

/* The fit of a case's data with its words, which is made once, and before anything fails. */
const onefold_result *failure_fit_of(const failure_case *c);
void failure_forget_fits(void);

uint64_t failure_mix(uint64_t digest, const void *memory, size_t size);

#define TRY(call)                                                                                  \
    do {                                                                                           \
        onefold_status status_ = (call);                                                           \
        if (status_ != ONEFOLD_OK)                                                                 \
            return status_;                                                                        \
    } while (0)

/* A call that fills `slot` of `out`; where it fails the slot is as it was. */
#define MAKE(slot, call)                                                                           \
    do {                                                                                           \
        static char before_;                                                                       \
        out->slot = (void *)&before_;                                                              \
        onefold_status made_ = (call);                                                             \
        if (made_ != ONEFOLD_OK) {                                                                 \
            out->touched |= (void *)out->slot != (void *)&before_;                                 \
            out->slot = NULL;                                                                      \
            return made_;                                                                          \
        }                                                                                          \
    } while (0)

#endif
