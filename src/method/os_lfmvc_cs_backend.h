/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the solver does with all samples, as one table of functions: the CPU's, or that of a card
 * where the stack lies on one. Everything else in the solver is on small matrices.
 */
#ifndef OF_METHOD_OS_LFMVC_CS_BACKEND_H
#define OF_METHOD_OS_LFMVC_CS_BACKEND_H

#include "method/os_lfmvc_cs_parts.h"

typedef struct of_cs_backend {
    onefold_status (*gram)(of_context *context, const of_stack *X, double *N);
    onefold_status (*embed)(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                            const double *B, int unit, of_share H);
    /* XS, XY, sizes and moved of pass->runs, of which there are pass->run_count. */
    onefold_status (*pass)(of_cs_pass *pass);
    /* Labels of a run as its last pass left them, into now.labels. */
    onefold_status (*labels)(const of_cs_pass *pass, of_cs_runner *run);
    /* y = argmax CB x of every sample. CB is mu x pk. */
    onefold_status (*label)(of_context *context, const of_stack *X, size_t mu, const double *CB,
                            int32_t *labels);
    /* rows x count: samples place[i], in rising order, of those this process has. */
    onefold_status (*sample)(of_context *context, const of_stack *X, const size_t *place,
                             size_t count, double *out);
    /* As of_cs_explain; CW is mu x pk. */
    onefold_status (*explain)(of_context *context, const of_cs_problem *problem,
                              const of_cs_result *result, const double *CW, int32_t *own,
                              double *confidence, double *parts);
} of_cs_backend;

extern const of_cs_backend of_cs_backend_cpu, of_cs_backend_device;

static inline const of_cs_backend *of_cs_backend_of(const of_stack *X)
{
    return X->type == OF_STACK_DEVICE ? &of_cs_backend_device : &of_cs_backend_cpu;
}

/* The CPU's, where each lies. */
onefold_status of_cs_gram_cpu(of_context *context, const of_stack *X, double *N);
onefold_status of_cs_embed_cpu(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                               const double *B, int unit, of_share H);
onefold_status of_cs_pass_cpu(of_cs_pass *pass);
onefold_status of_cs_label_cpu(of_context *context, const of_stack *X, size_t mu, const double *CB,
                               int32_t *labels);
onefold_status of_cs_sample_cpu(of_context *context, const of_stack *X, const size_t *place,
                                size_t count, double *out);
onefold_status of_cs_explain_cpu(of_context *context, const of_cs_problem *problem,
                                 const of_cs_result *result, const double *CW, int32_t *own,
                                 double *confidence, double *parts);

#endif
