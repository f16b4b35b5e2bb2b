/* SPDX-License-Identifier: Apache-2.0 */
/* Where the solver's work over all samples goes: to the backend of the stack. */
#include "method/os_lfmvc_cs_backend.h"

static onefold_status labels_are_there(const of_cs_pass *pass, of_cs_runner *run)
{
    (void)pass;
    (void)run;
    return ONEFOLD_OK;
}

const of_cs_backend of_cs_backend_cpu = {
    .gram = of_cs_gram_cpu,
    .embed = of_cs_embed_cpu,
    .pass = of_cs_pass_cpu,
    .labels = labels_are_there,
    .label = of_cs_label_cpu,
    .sample = of_cs_sample_cpu,
    .explain = of_cs_explain_cpu,
};

onefold_status of_cs_gram(of_context *context, const of_stack *X, double *N)
{
    return of_cs_backend_of(X)->gram(context, X, N);
}

onefold_status of_cs_embed(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                           const double *B, int unit, of_share H)
{
    return of_cs_backend_of(X)->embed(context, X, sizes, B, unit, H);
}

onefold_status of_cs_pass_labels(const of_cs_pass *pass, of_cs_runner *run)
{
    return of_cs_backend_of(pass->X)->labels(pass, run);
}

onefold_status of_cs_label(of_context *context, const of_stack *X, size_t mu,
                           const double *direction, int32_t *labels)
{
    return of_cs_backend_of(X)->label(context, X, mu, direction, labels);
}
