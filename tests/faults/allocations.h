/* SPDX-License-Identifier: Apache-2.0 */
/* What the test of failing allocations calls (allocation_cases.c). */
#ifndef OF_TESTS_FAULTS_ALLOCATIONS_H
#define OF_TESTS_FAULTS_ALLOCATIONS_H

#include <onefold.h>

/* What a case has made; freed after it, whatever came of it. */
typedef struct allocation_out {
    onefold_context *context;
    onefold_dataset *dataset;
    onefold_result *result;
    onefold_estimate *estimate;
    onefold_choice *choice;
    onefold_experiment *experiment;
    onefold_model *model;
    onefold_predictor *predictor;
    onefold_labels *labels, *other;
    onefold_labels_writer *writer;
    char *text;
    void *bytes;
} allocation_out;
void allocation_free(allocation_out *out);

typedef struct allocation_case {
    const char *name;
    /* Digest: of what must not depend on which allocation failed. */
    onefold_status (*run)(allocation_out *out, uint64_t *digest);
    long most; /* a case that watches the clock is tried at so many places; 0: at all */
} allocation_case;
extern const allocation_case allocation_cases[];
extern const size_t allocation_case_count;

/* Makes what the cases work on, in the current folder. */
onefold_status allocation_prepare(void);
void allocation_done(void);

#endif
