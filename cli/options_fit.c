/* SPDX-License-Identifier: Apache-2.0 */
/* From the options of a call to those of a fit. What was not given keeps the library's default. */
#include "session.h"

#include <stdio.h>
#include <string.h>

static void copy_counts(const cli_value *value, onefold_fit_options *options)
{
    const struct {
        cli_option_id id;
        size_t *into;
    } counts[] = {
        {CLI_CLUSTERS, &options->clusters},       {CLI_DIMS, &options->dims},
        {CLI_ANCHORS, &options->anchors},         {CLI_RESTARTS, &options->restarts},
        {CLI_LANDMARKS, &options->landmarks},     {CLI_NEIGHBOURS, &options->neighbours},
        {CLI_MAX_ITER, &options->max_iterations},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (value[counts[i].id].given)
            *counts[i].into = (size_t)value[counts[i].id].whole;
}

/* Every kernel of "rbf,graph,..." is known. */
static onefold_status check_kernels(const char *list)
{
    for (const char *at = list;;) {
        char name[64];
        size_t length = strcspn(at, ",");
        of_kernel_kind kind;
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), at);
        OF_TRY(of_kernel_parse(&kind, name));
        if (!at[length])
            return ONEFOLD_OK;
        at += length + 1;
    }
}

/* The methods' own options as "name=value,...": all must be those of the method chosen, with values
 * it takes. */
static onefold_status join_own(const cli_call *call, const of_method *method, const char **joined)
{
    char *text = NULL;
    for (size_t i = 0; i < call->own_count; i++) {
        const cli_own *own = &call->own[i];
        if (own->method != method)
            return of_hint(
                of_fail(ONEFOLD_USAGE, "--%s-%s is an option of the method %s, not of %s",
                        own->method->name, own->option->name, own->method->name, method->name),
                "add --method %s, or leave it out", own->method->name);
        char *longer;
        OF_TRY(of_arena_string(call->arena, &longer, "%s%s%s=%s", text ? text : "", text ? "," : "",
                               own->option->name, own->value));
        text = longer;
    }
    double *checked;
    OF_TRY(OF_NEW(call->arena, &checked, method->option_count, 1));
    OF_TRY(of_method_parse_options(method, text, checked));
    *joined = text;
    return ONEFOLD_OK;
}

onefold_status cli_shared_options(const cli_call *call, onefold_fit_options *options)
{
    const cli_value *value = call->value;
    onefold_fit_options made = ONEFOLD_FIT_OPTIONS_INIT;
    copy_counts(value, &made);
    made.kernel = value[CLI_KERNEL].text;
    made.start = value[CLI_START].word ? ONEFOLD_START_PAPER : ONEFOLD_START_ALIGNED;
    made.variant = value[CLI_VARIANT].word ? ONEFOLD_VARIANT_PRINTED : ONEFOLD_VARIANT_EXACT;
    made.stop = (onefold_stop)value[CLI_STOP].word;
    made.precision = value[CLI_PRECISION].word ? ONEFOLD_SINGLE : ONEFOLD_DOUBLE;
    made.base = (onefold_base)value[CLI_BASE].word;
    made.effort = (onefold_effort)value[CLI_EFFORT].word;
    made.nonneg = value[CLI_NONNEG].given;
    made.seed = value[CLI_SEED].whole;
    made.spill = value[CLI_SPILL].text;
    if (value[CLI_TOL].given)
        made.tolerance = value[CLI_TOL].number;
    if (made.dims && made.clusters && made.dims < made.clusters)
        return of_hint(of_fail(ONEFOLD_USAGE, "--dims %zu is less than --clusters %zu", made.dims,
                               made.clusters),
                       "give at least %zu dims; twice the clusters is the default", made.clusters);
    if (made.kernel)
        OF_TRY(check_kernels(made.kernel));
    *options = made;
    return ONEFOLD_OK;
}

onefold_status cli_fit_options(const cli_call *call, onefold_fit_options *options)
{
    const of_method *method;
    onefold_fit_options made;
    OF_TRY(cli_shared_options(call, &made));
    made.method = call->value[CLI_METHOD].text;
    OF_TRY(of_method_find(&method, made.method));
    OF_TRY(join_own(call, method, &made.method_options));
    made.keep_model = call->value[CLI_MODEL].given;
    made.explain = (size_t)call->value[CLI_EXPLAIN].whole;
    if (made.keep_model && !method->has_model)
        return of_hint(
            of_fail(ONEFOLD_USAGE, "the method %s has no model that could be kept", method->name),
            "leave out --model, or use --method os-lfmvc-cs");
    *options = made;
    return ONEFOLD_OK;
}
