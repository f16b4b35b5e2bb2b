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

/* The methods' own options as "name=value,...": all must be those of the method chosen. */
static onefold_status join_own(const cli_call *call, const char *method, const char **joined)
{
    char *text = NULL;
    for (size_t i = 0; i < call->own_count; i++) {
        const cli_own *own = &call->own[i];
        const char *of = onefold_method_describe(own->method)->name;
        if (strcmp(of, method) != 0)
            return cli_hint(cli_fail(ONEFOLD_USAGE,
                                     "--%s-%s is an option of the method %s, not of %s", of,
                                     own->option->name, of, method),
                            "add --method %s, or leave it out", of);
        CLI_TRY(cli_arena_string(call->arena, &text, "%s%s%s=%s", text ? text : "", text ? "," : "",
                                 own->option->name, own->value));
    }
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
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--dims %zu is less than --clusters %zu", made.dims,
                                 made.clusters),
                        "give at least %zu dims; twice the clusters is the default", made.clusters);
    *options = made;
    /* what the method that is asked for has no use for is its own to refuse; the paper's has a use
     * for all of these */
    made.method = call->value[CLI_METHOD].given ? call->value[CLI_METHOD].text : "os-lfmvc-cs";
    return onefold_fit_options_check(&made);
}

onefold_status cli_fit_options(const cli_call *call, onefold_fit_options *options)
{
    onefold_fit_options made;
    CLI_TRY(cli_shared_options(call, &made));
    made.method = call->value[CLI_METHOD].text;
    CLI_TRY(onefold_fit_options_check(&made)); /* the method, before what belongs to another */
    CLI_TRY(join_own(call, made.method ? made.method : onefold_method_describe(0)->name,
                     &made.method_options));
    made.weights = call->value[CLI_WEIGHTS].text;
    made.view_parts = call->value[CLI_PARTS].given;
    made.keep_model = call->value[CLI_MODEL].given;
    made.explain = (size_t)call->value[CLI_EXPLAIN].whole;
    made.picture = call->value[CLI_REPORT].given;
    made.no_embedding = !call->value[CLI_EMBEDDING].given && !call->value[CLI_LAYOUT].given &&
                        !call->value[CLI_REPORT].given;
    if (made.picture && !made.explain)
        made.explain = CLI_REPORT_COLUMNS;
    *options = made;
    return onefold_fit_options_check(options);
}
