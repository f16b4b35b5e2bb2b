/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a fit: listed, copied, compared, and those refused that would be ignored. */
#include "model/fit_options.h"

#include "base/structs.h"
#include "kernel/kernel.h"
#include "method/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OPTION(name, kind)                                                                         \
    {                                                                                              \
#name, OF_OPTION_##kind, offsetof(onefold_fit_options, name), 0                            \
    }

const of_fit_option of_fit_option_table[] = {
    OPTION(clusters, COUNT),
    OPTION(method, TEXT),
    OPTION(method_options, TEXT),
    OPTION(kernel, TEXT),
    OPTION(dims, COUNT),
    OPTION(anchors, COUNT),
    OPTION(restarts, COUNT),
    OPTION(start, WORD),
    OPTION(variant, WORD),
    OPTION(nonneg, FLAG),
    OPTION(stop, WORD),
    OPTION(tolerance, REAL),
    OPTION(max_iterations, COUNT),
    OPTION(base, WORD),
    OPTION(landmarks, COUNT),
    OPTION(precision, WORD),
    OPTION(seed, SEED),
    {"spill", OF_OPTION_TEXT, offsetof(onefold_fit_options, spill), 1},
    OPTION(keep_model, FLAG),
    OPTION(explain, COUNT),
    OPTION(bare, FLAG),
    OPTION(picture, FLAG),
    OPTION(weights, TEXT),
    OPTION(view_parts, FLAG),
    OPTION(neighbours, COUNT),
    OPTION(effort, WORD),
    OPTION(no_embedding, FLAG),
};
const size_t of_fit_option_count = sizeof of_fit_option_table / sizeof *of_fit_option_table;

const char *of_fit_option_text(const of_fit_option *option, const onefold_fit_options *options,
                               char *room, size_t size)
{
    const void *value = (const char *)options + option->offset;
    const char *text;
    switch (option->kind) {
    case OF_OPTION_COUNT:
        snprintf(room, size, "%zu", *(const size_t *)value);
        return room;
    case OF_OPTION_WORD:
        snprintf(room, size, "%d", *(const int *)value);
        return room;
    case OF_OPTION_FLAG:
        snprintf(room, size, "%d", *(const int *)value != 0);
        return room;
    case OF_OPTION_REAL:
        snprintf(room, size, "%a", *(const double *)value);
        return room;
    case OF_OPTION_SEED:
        snprintf(room, size, "%llu", (unsigned long long)*(const uint64_t *)value);
        return room;
    default:
        text = *(const char *const *)value;
        return text ? text : "";
    }
}

onefold_status of_fit_options_copy(onefold_fit_options *copy, const onefold_fit_options *options)
{
    *copy = (onefold_fit_options)ONEFOLD_FIT_OPTIONS_INIT;
    return OF_STRUCT_READ(copy, options, onefold_fit_options);
}

/* Whether a word stands in a list with blanks between them. */
static int is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return 1;
    return 0;
}

onefold_status of_fit_options_refuse(const onefold_fit_options *options,
                                     const onefold_fit_options *standard, const char *used,
                                     const char *who)
{
    for (size_t i = 0; i < of_fit_option_count; i++) {
        const of_fit_option *option = &of_fit_option_table[i];
        char ours[64], theirs[64];
        if (is_listed(used, option->name) ||
            strcmp(of_fit_option_text(option, options, ours, sizeof ours),
                   of_fit_option_text(option, standard, theirs, sizeof theirs)) == 0)
            continue;
        return of_hint(of_fail(ONEFOLD_USAGE, "%s does not use the option %s", who, option->name),
                       "leave out `%s`", option->name);
    }
    return ONEFOLD_OK;
}

/* Refuses options that a method has no use for, unless they are left as they are. */
static onefold_status refuse_unused(const onefold_fit_options *options, const of_method *method)
{
    const onefold_fit_options standard = ONEFOLD_FIT_OPTIONS_INIT;
    for (size_t i = 0; i < of_fit_option_count; i++) {
        const of_fit_option *option = &of_fit_option_table[i];
        char ours[64], theirs[64];
        if (is_listed(method->unused, option->name) &&
            strcmp(of_fit_option_text(option, options, ours, sizeof ours),
                   of_fit_option_text(option, &standard, theirs, sizeof theirs)) != 0)
            return of_hint(of_fail(ONEFOLD_USAGE, "the method %s has no use for the option %s",
                                   method->name, option->name),
                           "leave out `%s`, or use `method` os-lfmvc-cs", option->name);
    }
    return ONEFOLD_OK;
}

/* Every kernel of "rbf,graph,..." is known. */
static onefold_status check_kernels(const char *list)
{
    for (const char *at = list; at;) {
        char name[64];
        size_t length = strcspn(at, ",");
        of_kernel_kind kind;
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), at);
        OF_TRY(of_kernel_parse(&kind, name));
        at = at[length] ? at + length + 1 : NULL;
    }
    return ONEFOLD_OK;
}

/* Every choice is one of its set's. */
static onefold_status check_words(const onefold_fit_options *options)
{
    const char *wrong = !onefold_start_name(options->start)           ? "start"
                        : !onefold_variant_name(options->variant)     ? "variant"
                        : !onefold_stop_name(options->stop)           ? "stop"
                        : !onefold_base_name(options->base)           ? "base"
                        : !onefold_precision_name(options->precision) ? "precision"
                                                                      : NULL;
    return wrong ? of_fail(ONEFOLD_USAGE,
                           "the option %s has a value that is not one of its choices", wrong)
                 : ONEFOLD_OK;
}

onefold_status of_fit_options_resolve(of_arena *arena, const onefold_fit_options *all,
                                      const of_method **found, double **own)
{
    const of_method *method;
    OF_TRY(check_kernels(all->kernel));
    OF_TRY(of_method_find(&method, all->method));
    if (all->dims && all->dims < all->clusters)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "a base partition of %zu dimensions is too small for %zu clusters",
                               all->dims, all->clusters),
                       "give `dims` %zu or more, or leave it out", all->clusters);
    if (all->restarts < 1)
        return of_fail(ONEFOLD_USAGE, "the number of restarts is 0; it must be at least 1");
    if (all->max_iterations < 1)
        return of_fail(ONEFOLD_USAGE,
                       "the number of iterations allowed is 0; it must be at least 1");
    if (!(all->tolerance >= 0) || isinf(all->tolerance))
        return of_fail(ONEFOLD_USAGE, "the tolerance must be 0 or more, and finite");
    OF_TRY(check_words(all));
    if (all->keep_model && !method->has_model)
        return of_hint(
            of_fail(ONEFOLD_USAGE, "the method %s has no model that could be kept", method->name),
            "leave out `keep_model`, or use `method` onefold or os-lfmvc-cs");
    if (method->unused)
        OF_TRY(refuse_unused(all, method));
    if (all->weights && method->weights == OF_WEIGHTS_NONE)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "the method %s has no weights that could be fixed: %s", method->name,
                               method->why_no_weights),
                       "leave out `weights`, or use `method` onefold, os-lfmvc-cs, mkkm or "
                       "avg-kkm");
    if (all->view_parts && !method->has_view_parts)
        return of_hint(
            of_fail(ONEFOLD_USAGE, "the method %s cannot tell the views' parts", method->name),
            "leave out `view_parts`, or use `method` onefold or os-lfmvc-cs");
    *found = method;
    OF_TRY(OF_NEW(arena, own, method->option_count, 1));
    return of_method_parse_options(method, all->method_options, *own);
}

onefold_status onefold_fit_options_check(const onefold_fit_options *options)
{
    onefold_fit_options all;
    const of_method *method;
    double *own;
    if (!options)
        return of_fail(ONEFOLD_USAGE, "onefold_fit_options_check was given no options");
    OF_TRY(of_fit_options_copy(&all, options));
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    return of_fit_options_resolve(&scratch, &all, &method, &own);
}
