/* SPDX-License-Identifier: Apache-2.0 */
/* Before several processes fit together: do they have the same data and options, and is it a
 * problem that can be split? */
#include "base/comm.h"
#include "base/device.h"
#include "data/fingerprint.h"
#include "model/fit.h"

#include <stdio.h>
#include <string.h>

/* What must be the same everywhere, as text. */
typedef struct summary {
    of_arena *arena;
    char *text;
    size_t length, room;
} summary;

static onefold_status add_text(summary *to, const char *text)
{
    size_t more = strlen(text) + 1;
    OF_TRY(OF_GROW(to->arena, &to->text, to->length, &to->room, to->length + more));
    memcpy(to->text + to->length, text, more);
    to->length += more;
    return ONEFOLD_OK;
}

/* Shapes always; the values too where every process has all of them, and of the first samples,
 * which every process reads, where the others are split. */
static onefold_status add_dataset(of_context *context, summary *to, const of_dataset *dataset)
{
    char line[160];
    snprintf(line, sizeof line, "%zu %zu %d", dataset->samples, dataset->view_count,
             dataset->present != NULL);
    OF_TRY(add_text(to, line));
    for (size_t i = 0; i < dataset->view_count; i++) {
        const of_view *view = &dataset->views[i];
        snprintf(line, sizeof line, "%d %d %zu", view->storage, view->type, view->columns);
        OF_TRY(add_text(to, line));
        OF_TRY(add_text(to, view->name));
    }
    char print[OF_FINGERPRINT];
    if (of_comm_splits(context, dataset->samples))
        OF_TRY(of_dataset_fingerprint_first(context, dataset, OF_FINGERPRINT_SAMPLES, print));
    else
        OF_TRY(of_dataset_fingerprint(context, dataset, print));
    return add_text(to, print);
}

static onefold_status add_options(summary *to, const onefold_fit_options *options)
{
    char room[64];
    for (size_t i = 0; i < of_fit_option_count; i++)
        if (!of_fit_option_table[i].own)
            OF_TRY(add_text(
                to, of_fit_option_text(&of_fit_option_table[i], options, room, sizeof room)));
    return ONEFOLD_OK;
}

onefold_status of_rank_agreement_check(of_context *context, const of_dataset *dataset,
                                       const onefold_fit_options *options)
{
    if (context->comm.size <= 1)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    summary data = {.arena = &scratch}, asked = {.arena = &scratch};
    OF_TRY(add_dataset(context, &data, dataset));
    OF_TRY(of_comm_same(context, data.text, data.length, "data"));
    onefold_fit_options all;
    OF_TRY(of_fit_options_copy(&all, options));
    OF_TRY(add_options(&asked, &all));
    OF_TRY(add_text(&asked, !context->device ? "cpu" : of_device_waits(context) ? "auto" : "gpu"));
    return of_comm_same(context, asked.text, asked.length, "options");
}

onefold_status of_rank_agreement_can_split(of_context *context, const of_dataset *dataset,
                                           const onefold_fit_options *options)
{
    const of_method *method;
    if (!of_comm_splits(context, dataset->samples))
        return ONEFOLD_OK;
    onefold_fit_options all;
    OF_TRY(of_fit_options_copy(&all, options));
    OF_TRY(of_method_find(&method, all.method));
    if (!method->can_split)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "%s is not split over processes, and %zu samples are", method->name,
                               dataset->samples),
                       "start one process, or take the method os-lfmvc-cs");
    if (dataset->present)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "samples that lack a view are not split over processes, and %zu "
                               "samples are",
                               dataset->samples),
                       "start one process");
    return ONEFOLD_OK;
}
