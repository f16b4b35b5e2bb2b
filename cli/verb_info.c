/* SPDX-License-Identifier: Apache-2.0 */
/* onefold info: what the files hold, what a fit would make of it, and what that would cost. */
#include "verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- a model -------------------------------------------------------------------------------- */

static onefold_status model_view_table(const cli_screen *screen, cli_arena *arena,
                                       const onefold_model *model, size_t views)
{
    cli_cells table = cli_cells_make(arena, "rlrlllrrrr");
    CLI_TRY(
        cli_table_add(&table, "\tname\tcolumns\tprep\tkernel\tbase\trank\tpoints\tweight\tmemory"));
    for (size_t v = 0; v < views; v++) {
        char bytes[32];
        const onefold_model_view_info *view = onefold_model_describe(model)->view[v];
        CLI_TRY(cli_table_add(&table, "%zu\t%s\t%zu\t%s\t%s\t%s\t%zu\t%zu\t%.3f\t%s", v + 1,
                              view->name, view->columns,
                              onefold_name(ONEFOLD_NAMES_PREP, view->prep), view->kernel,
                              onefold_name(ONEFOLD_NAMES_ROUTE, view->route), view->rank,
                              view->points, view->weight, cli_size_text(bytes, view->bytes)));
    }
    cli_table_show(screen, &table, "views", NULL);
    return ONEFOLD_OK;
}

static onefold_status show_model(const cli_call *call, cli_arena *arena, const onefold_model *model,
                                 const onefold_model_info *info)
{
    cli_screen screen = cli_screen_of(stdout);
    const char *dot = cli_dot(&screen);
    char bytes[32];
    errno = 0;
    cli_line(&screen, "model", CLI_PLAIN, "%s%s%s%sby onefold %s\n", call->operands[0], dot,
             cli_size_text(bytes, info->bytes), dot, info->version);
    cli_line(&screen, "fitted", CLI_PLAIN,
             "on %zu samples%s%zu clusters%s%zu dims%sseed %llu%s%s precision\n", info->samples,
             dot, info->clusters, dot, info->dims, dot, (unsigned long long)info->seed, dot,
             onefold_name(ONEFOLD_NAMES_PRECISION, info->precision));
    if (*info->run)
        cli_line(&screen, "run", CLI_PLAIN, "%s\n", info->run);
    CLI_TRY(model_view_table(&screen, arena, model, info->views));
    if (info->holds_samples) {
        cli_margin(&screen, NULL);
        cli_put(&screen, CLI_PLAIN,
                "it holds training samples; --base nystrom keeps models of rbf "
                "views small\n");
    }
    cli_line(&screen, "distance", CLI_PLAIN, "of the training samples: mean %.3f%slargest %.3f\n",
             info->distance_mean, dot, info->distance_most);
    return cli_flush_output();
}

static onefold_status tell_json(const cli_session *session, const onefold_model *model)
{
    onefold_report page = cli_page(session);
    char *text = NULL;
    page.model_path = session->call->operands[0];
    page.model = model;
    onefold_status made = onefold_report_json(&text, &page);
    return cli_json_print(made, text);
}

static onefold_status info_model(cli_call *call)
{
    onefold_model *model = NULL;
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(onefold_model_read(&model, session.context, call->operands[0]));
    onefold_status status = cli_check_read(&session);
    if (status == ONEFOLD_OK && call->value[CLI_JSON].given)
        status = tell_json(&session, model);
    else if (status == ONEFOLD_OK) {
        cli_arena scratch = {NULL};
        status = show_model(call, &scratch, model, onefold_model_describe(model));
        cli_arena_free(&scratch);
    }
    onefold_model_free(model);
    return status;
}

/* ---- data ----------------------------------------------------------------------------------- */

enum { MOST_CLASSES = 16, MOST_VIEWS = 200 };

/* A data set and what a fit would take. */
typedef struct info_report {
    const onefold_dataset *dataset;
    const size_t *class_sizes;        /* one per true class */
    const onefold_estimate *estimate; /* NULL: not known */
    size_t free_bytes;
} info_report;

static onefold_status count_classes(cli_arena *arena, const onefold_dataset *dataset,
                                    const size_t **sizes)
{
    const int32_t *truth = onefold_dataset_describe(dataset)->truth;
    size_t *size;
    CLI_TRY(CLI_NEW(arena, &size, onefold_dataset_describe(dataset)->classes));
    for (size_t i = 0; truth && i < onefold_dataset_describe(dataset)->samples; i++)
        size[truth[i]]++;
    *sizes = size;
    return ONEFOLD_OK;
}

/* Whether some sample lacks a view. */
static int some_missing(const onefold_dataset *dataset)
{
    for (size_t v = 0; v < onefold_dataset_describe(dataset)->views; v++) {
        onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
        if (onefold_dataset_view(dataset, v, &view) == ONEFOLD_OK && view.missing)
            return 1;
    }
    return 0;
}

/* The kernel that a fit would take, and why: what is asked for may be another than auto's. */
static onefold_status kernel_of(const info_report *report, size_t view, const char **kernel,
                                const char **reason)
{
    CLI_TRY(onefold_dataset_kernel(report->dataset, view, kernel, reason));
    if (!report->estimate)
        return ONEFOLD_OK;
    const onefold_view_fit *fit = onefold_estimate_describe(report->estimate)->view[view];
    if (fit->kernel && strcmp(fit->kernel, *kernel) != 0) {
        *kernel = fit->kernel;
        *reason = "asked for";
    }
    return ONEFOLD_OK;
}

static onefold_status view_table(const cli_screen *screen, cli_arena *arena,
                                 const info_report *report)
{
    int missing = some_missing(report->dataset);
    cli_cells table = cli_cells_make(arena, missing ? "rlllrrrrll" : "rlllrrrll");
    double samples = (double)onefold_dataset_describe(report->dataset)->samples;
    size_t views = onefold_dataset_describe(report->dataset)->views;
    CLI_TRY(cli_table_add(&table, "\tname\tstorage\ttype\tcolumns\tdensity\tmemory%s\tkernel\twhy",
                          missing ? "\tmissing" : ""));
    for (size_t v = 0; v < views && v < MOST_VIEWS; v++) {
        onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
        char bytes[32];
        const char *kernel, *reason;
        CLI_TRY(onefold_dataset_view(report->dataset, v, &view));
        CLI_TRY(kernel_of(report, v, &kernel, &reason));
        double entries = samples * (double)view.columns;
        double density = entries > 0 ? (double)view.nonzeros / entries : 0;
        CLI_TRY(cli_table_add(&table, "%zu\t%s\t%s\t%s\t%zu\t%.3g %%\t%s", v + 1, view.name,
                              onefold_name(ONEFOLD_NAMES_STORAGE, view.storage),
                              onefold_name(ONEFOLD_NAMES_TYPE, view.type), view.columns,
                              100 * density, cli_size_text(bytes, view.bytes)));
        if (missing)
            CLI_TRY(cli_table_add(&table, "%zu", view.missing));
        CLI_TRY(cli_table_add(&table, "%s\t%s", kernel, reason));
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

static void class_lines(const cli_screen *screen, const info_report *report)
{
    size_t classes = onefold_dataset_describe(report->dataset)->classes;
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
        cli_put(screen, CLI_PLAIN, " %s",
                onefold_dataset_describe(report->dataset)->class_names[c]);
        if (!equal)
            cli_put(screen, CLI_FAINT, " (%zu)", report->class_sizes[c]);
    }
    cli_put(screen, CLI_PLAIN, "%s\n", classes > MOST_CLASSES ? " ..." : "");
}

static onefold_status estimate_lines(const cli_screen *screen, const info_report *report)
{
    char input[32], partitions[32], peak[32], room[32], time[32];
    const char *dot = cli_dot(screen);
    cli_margin(screen, "a fit");
    if (!report->estimate) {
        cli_put(screen, CLI_WARN, "%s\n", onefold_last_error());
        return ONEFOLD_OK;
    }
    const onefold_estimate_info *info = onefold_estimate_describe(report->estimate);
    cli_put(screen, CLI_PLAIN,
            "with %zu cluster%s: data %s%spartitions %s%sat most %s of the %s free", info->clusters,
            info->clusters == 1 ? "" : "s", cli_size_text(input, info->input_bytes), dot,
            cli_size_text(partitions, info->partition_bytes), dot,
            cli_size_text(peak, info->peak_bytes), cli_size_text(room, report->free_bytes));
    if (info->has_time)
        cli_put(screen, CLI_PLAIN, "%sabout %s", dot, cli_seconds_text(time, info->seconds));
    cli_put(screen, CLI_PLAIN, "\n");
    if (strstr(onefold_capabilities(), "cuda"))
        cli_line(screen, "GPU", CLI_PLAIN, "%s\n", onefold_device_description());
    return ONEFOLD_OK;
}

static onefold_status show(const cli_call *call, cli_arena *arena, const info_report *report)
{
    cli_screen screen = cli_screen_of(stdout);
    const onefold_dataset *dataset = report->dataset;
    size_t samples = onefold_dataset_describe(dataset)->samples,
           views = onefold_dataset_describe(dataset)->views;
    char name[256];
    errno = 0;
    cli_line(&screen, "data", CLI_PLAIN, "%s%s%zu sample%s%s%zu view%s\n",
             cli_data_name(call, name, sizeof name), cli_dot(&screen), samples,
             samples == 1 ? "" : "s", cli_dot(&screen), views, views == 1 ? "" : "s");
    CLI_TRY(view_table(&screen, arena, report));
    class_lines(&screen, report);
    for (size_t i = 0; i < onefold_dataset_describe(dataset)->notes; i++) {
        cli_line(&screen, i == 0 ? "found" : NULL, CLI_PLAIN, "%s\n",
                 onefold_dataset_describe(dataset)->note[i]);
    }
    CLI_TRY(estimate_lines(&screen, report));
    return cli_flush_output();
}

static onefold_status tell(const cli_session *session, const info_report *report)
{
    CLI_SCRATCH(scratch);
    info_report all = *report;
    if (!session->call->value[CLI_JSON].given) {
        CLI_TRY(count_classes(&scratch, report->dataset, &all.class_sizes));
        return show(session->call, &scratch, &all);
    }
    onefold_report page = cli_page(session);
    char *text = NULL;
    page.estimate = report->estimate;
    page.free_bytes = report->free_bytes;
    page.dataset = report->dataset;
    onefold_status made = onefold_report_json(&text, &page);
    return cli_json_print(made, text);
}

/* ---- the machine ---------------------------------------------------------------------------- */

/* A line for each that the library tells, its first word in the margin. */
static onefold_status show_machine(void)
{
    cli_screen screen = cli_screen_of(stdout);
    char text[640], *rest = text;
    errno = 0;
    snprintf(text, sizeof text, "%s", onefold_machine_description());
    for (const char *line; (line = strsep(&rest, "\n")) != NULL;) {
        char word[16];
        size_t length = strcspn(line, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, line);
        cli_line(&screen, word, strcmp(word, "warning") == 0 ? CLI_WARN : CLI_PLAIN, "%s\n",
                 line + length + 1);
    }
    if (strstr(onefold_capabilities(), "cuda"))
        cli_line(&screen, "GPU", CLI_PLAIN, "%s\n", onefold_device_description());
    return cli_flush_output();
}

onefold_status cli_info(cli_call *call)
{
    onefold_fit_options options;
    onefold_estimate *estimate = NULL;
    if (call->value[CLI_MACHINE].given)
        return show_machine();
    CLI_TRY(cli_fit_options(call, &options));
    if (call->operand_count == 1 && onefold_model_is_file(call->operands[0]))
        return info_model(call);
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(cli_session_read(&session, call->operand_count));
    size_t samples = onefold_dataset_describe(session.dataset)->samples;
    if (!options.clusters)
        options.clusters = onefold_dataset_describe(session.dataset)->classes;
    if (!options.clusters)
        options.clusters = samples < 10 ? samples : 10;
    info_report report = {.dataset = session.dataset, .free_bytes = onefold_free_memory()};
    if (onefold_fit_estimate(&estimate, session.context, session.dataset, &options, 1) ==
        ONEFOLD_OK)
        report.estimate = estimate;
    onefold_status status = tell(&session, &report);
    onefold_estimate_free(estimate);
    return status;
}
