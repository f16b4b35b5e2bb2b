/* SPDX-License-Identifier: Apache-2.0 */
/* onefold info: what the files hold, what a fit would make of it, and what that would cost. */
#include "verbs.h"

#include "data/dataset.h"

#include <errno.h>

enum { MOST_CLASSES = 16, MOST_VIEWS = 200 };

/* The kernel each view gets and why; texts are static. */
static onefold_status choose_kernels(of_arena *arena, const onefold_dataset *dataset,
                                     const char *const **kernels, const char *const **reasons)
{
    size_t count = onefold_dataset_view_count(dataset);
    const char **kernel, **reason;
    OF_TRY(OF_NEW(arena, &kernel, count, 1));
    OF_TRY(OF_NEW(arena, &reason, count, 1));
    for (size_t v = 0; v < count; v++) {
        const of_view *view;
        OF_TRY(of_kernel_view(arena, &dataset->set, v, OF_KERNEL_AUTO, &view));
        kernel[v] = of_kernel_name(of_auto_kernel(view, &reason[v]));
    }
    *kernels = kernel;
    *reasons = reason;
    return ONEFOLD_OK;
}

static onefold_status count_classes(of_arena *arena, const onefold_dataset *dataset,
                                    const size_t **sizes)
{
    const int32_t *truth = onefold_dataset_truth(dataset);
    size_t *size;
    OF_TRY(OF_NEW_ZERO(arena, &size, onefold_dataset_class_count(dataset), 1));
    for (size_t i = 0; truth && i < onefold_dataset_samples(dataset); i++)
        size[truth[i]]++;
    *sizes = size;
    return ONEFOLD_OK;
}

static onefold_status view_table(const cli_screen *screen, of_arena *arena,
                                 const of_info_report *report)
{
    static const char *const heading[] = {"",        "name",   "storage", "type",   "columns",
                                          "density", "memory", "missing", "kernel", "why"};
    int missing = report->dataset->set.present != NULL;
    cli_table table = cli_table_make(arena, missing ? "rlllrrrrll" : "rlllrrrll");
    double samples = (double)onefold_dataset_samples(report->dataset);
    size_t views = onefold_dataset_view_count(report->dataset);
    for (size_t i = 0; i < 10; i++)
        if (i != 7 || missing)
            OF_TRY(cli_table_add(&table, "%s", heading[i]));
    for (size_t v = 0; v < views && v < MOST_VIEWS; v++) {
        onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
        char bytes[32];
        OF_TRY(onefold_dataset_view(report->dataset, v, &view));
        double entries = samples * (double)view.columns;
        double density = entries > 0 ? (double)view.nonzeros / entries : 0;
        OF_TRY(cli_table_add(&table, "%zu", v + 1));
        OF_TRY(cli_table_add(&table, "%s", view.name));
        OF_TRY(cli_table_add(&table, "%s", view.storage));
        OF_TRY(cli_table_add(&table, "%s", view.type));
        OF_TRY(cli_table_add(&table, "%zu", view.columns));
        OF_TRY(cli_table_add(&table, "%.3g %%", 100 * density));
        OF_TRY(cli_table_add(&table, "%s", of_size_text(bytes, view.bytes)));
        if (missing)
            OF_TRY(cli_table_add(&table, "%zu", view.missing));
        OF_TRY(cli_table_add(&table, "%s", report->kernels[v]));
        OF_TRY(cli_table_add(&table, "%s", report->reasons[v]));
    }
    cli_table_show(screen, &table, "views", NULL);
    cli_left_out(screen, views, MOST_VIEWS);
    return ONEFOLD_OK;
}

/* Whether every class has as many samples. */
static int all_equal(const size_t *sizes, size_t count)
{
    size_t same = 1;
    while (same < count && sizes[same] == sizes[0])
        same++;
    return same >= count;
}

static void class_lines(const cli_screen *screen, const of_info_report *report)
{
    size_t classes = onefold_dataset_class_count(report->dataset);
    cli_margin(screen, "labels");
    if (!classes) {
        cli_put(screen, CLI_PLAIN, "none found; --truth names a variable or a file\n");
        return;
    }
    int equal = all_equal(report->class_sizes, classes);
    cli_put(screen, CLI_PLAIN, "%zu class%s", classes, classes == 1 ? "" : "es");
    if (equal)
        cli_put(screen, CLI_PLAIN, " of %zu samples:", report->class_sizes[0]);
    else
        cli_put(screen, CLI_PLAIN, " (samples):");
    for (size_t c = 0; c < classes && c < MOST_CLASSES; c++) {
        cli_put(screen, CLI_PLAIN, " %s", onefold_dataset_class_name(report->dataset, c));
        if (!equal)
            cli_put(screen, CLI_FAINT, " (%zu)", report->class_sizes[c]);
    }
    cli_put(screen, CLI_PLAIN, "%s\n", classes > MOST_CLASSES ? " ..." : "");
}

static void estimate_lines(const cli_screen *screen, const of_info_report *report)
{
    char input[32], partitions[32], peak[32], room[32], time[32];
    const char *dot = cli_dot(screen);
    cli_margin(screen, "a fit");
    if (!report->estimate) {
        cli_put(screen, CLI_WARN, "%s\n", onefold_last_error());
        return;
    }
    cli_put(
        screen, CLI_PLAIN, "with %zu cluster%s: data %s%spartitions %s%sat most %s of the %s free",
        report->clusters, report->clusters == 1 ? "" : "s",
        of_size_text(input, report->estimate->input_bytes), dot,
        of_size_text(partitions, report->estimate->partition_bytes), dot,
        of_size_text(peak, report->estimate->peak_bytes), of_size_text(room, report->free_bytes));
    if (report->estimate->seconds > 0)
        cli_put(screen, CLI_PLAIN, "%sabout %s", dot,
                cli_seconds_text(time, report->estimate->seconds));
    cli_put(screen, CLI_PLAIN, "\n");
}

static onefold_status show(const cli_call *call, of_arena *arena, const of_info_report *report)
{
    cli_screen screen = cli_screen_of(stdout);
    const onefold_dataset *dataset = report->dataset;
    size_t samples = onefold_dataset_samples(dataset), views = onefold_dataset_view_count(dataset);
    char name[256];
    errno = 0;
    cli_margin(&screen, "data");
    cli_put(&screen, CLI_PLAIN, "%s%s%zu sample%s%s%zu view%s\n",
            cli_data_name(call, name, sizeof name), cli_dot(&screen), samples,
            samples == 1 ? "" : "s", cli_dot(&screen), views, views == 1 ? "" : "s");
    OF_TRY(view_table(&screen, arena, report));
    class_lines(&screen, report);
    for (size_t i = 0; i < onefold_dataset_note_count(dataset); i++) {
        cli_margin(&screen, i == 0 ? "found" : NULL);
        cli_put(&screen, CLI_PLAIN, "%s\n", onefold_dataset_note(dataset, i));
    }
    estimate_lines(&screen, report);
    return cli_flush_output();
}

onefold_status cli_info(cli_call *call)
{
    onefold_fit_options options;
    onefold_cost cost = ONEFOLD_COST_INIT;
    of_info_report report = {.paths = call->operands, .path_count = call->operand_count};
    OF_TRY(cli_fit_options(call, &options));
    if (call->operand_count == 1 && cli_is_model(call->operands[0]))
        return cli_info_model(call);
    CLI_SESSION(session);
    OF_TRY(cli_session_start(&session, call));
    OF_TRY(cli_session_read(&session, call->operand_count));
    OF_SCRATCH(scratch, session.context);
    report.dataset = session.dataset;
    OF_TRY(choose_kernels(&scratch, session.dataset, &report.kernels, &report.reasons));
    OF_TRY(count_classes(&scratch, session.dataset, &report.class_sizes));
    size_t samples = onefold_dataset_samples(session.dataset);
    if (!options.clusters)
        options.clusters = onefold_dataset_class_count(session.dataset);
    if (!options.clusters)
        options.clusters = samples < 10 ? samples : 10;
    report.clusters = options.clusters;
    report.free_bytes = cli_free_memory();
    if (onefold_fit_cost(&cost, session.context, session.dataset, &options) == ONEFOLD_OK)
        report.estimate = &cost;
    return call->value[CLI_JSON].given ? of_json_info(stdout, &report)
                                       : show(call, &scratch, &report);
}
