/* SPDX-License-Identifier: Apache-2.0 */
/* onefold info: the content of files or of a model, and the estimate of a fit. */
#include "verbs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- a model -------------------------------------------------------------------------------- */

static onefold_status model_view_table(const cli_screen *screen, const onefold_model_info *info)
{
    CLI_SCRATCH(scratch);
    cli_cells table = cli_cells_make(&scratch, "rlrlllrrrr");
    cli_table_add(&table, "\tname\tcolumns\tprep\tkernel\tbase\trank\tpoints\tweight\tmemory");
    for (size_t v = 0; v < info->views; v++) {
        char bytes[32];
        const onefold_model_view_info *view = info->view[v];
        cli_table_add(&table, "%zu\t%s\t%zu\t%s\t%s\t%s\t%zu\t%zu\t%.3f\t%s", v + 1, view->name,
                      view->columns, onefold_name(ONEFOLD_NAMES_PREP, view->prep), view->kernel,
                      onefold_name(ONEFOLD_NAMES_ROUTE, view->route), view->rank, view->points,
                      view->weight, cli_size_text(bytes, view->bytes));
    }
    return cli_table_show(screen, &table, "views", NULL);
}

static onefold_status show_model(const char *path, const onefold_model_info *info)
{
    cli_screen screen = cli_screen_of(stdout);
    const char *dot = cli_dot(&screen);
    char bytes[32];
    errno = 0;
    cli_line(&screen, "model", CLI_PLAIN, "%s%s%s%sby onefold %s\n", path, dot,
             cli_size_text(bytes, info->bytes), dot, info->version);
    cli_line(&screen, "fitted", CLI_PLAIN,
             "on %zu samples%s%zu clusters%s%zu dims%sseed %llu%s%s precision\n", info->samples,
             dot, info->clusters, dot, info->dims, dot, (unsigned long long)info->seed, dot,
             onefold_name(ONEFOLD_NAMES_PRECISION, info->precision));
    cli_line(&screen, "run", CLI_PLAIN, "%s\n", info->run);
    CLI_TRY(model_view_table(&screen, info));
    if (info->holds_samples)
        cli_line(&screen, NULL, CLI_PLAIN,
                 "it holds training samples; --base nystrom keeps models of rbf views small\n");
    cli_line(&screen, "distance", CLI_PLAIN, "of the training samples: mean %.3f%slargest %.3f\n",
             info->distance_mean, dot, info->distance_most);
    return cli_flush_output();
}

static onefold_status info_model(cli_call *call)
{
    onefold_model *model = NULL;
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(onefold_model_read(&model, session.context, call->operands[0]));
    onefold_status status = cli_check_read(&session);
    onefold_report page = cli_page(&session);
    page.model_path = call->operands[0];
    page.model = model;
    if (status == ONEFOLD_OK)
        status = call->value[CLI_JSON].given
                     ? cli_json_print(&page)
                     : show_model(call->operands[0], onefold_model_describe(model));
    onefold_model_free(model);
    return status;
}

/* ---- data ----------------------------------------------------------------------------------- */

enum { MOST_CLASSES = 16, MOST_VIEWS = 200 };

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

/* The kernel of a view in a fit, and why: that of auto, or another by the options. */
static onefold_status kernel_of(const onefold_report *page, size_t view, const char **kernel,
                                const char **reason)
{
    CLI_TRY(onefold_dataset_kernel(page->dataset, view, kernel, reason));
    if (!page->estimate)
        return ONEFOLD_OK;
    const onefold_view_fit *fit = onefold_estimate_describe(page->estimate)->view[view];
    if (fit->kernel && strcmp(fit->kernel, *kernel) != 0) {
        *kernel = fit->kernel;
        *reason = "by the options";
    }
    return ONEFOLD_OK;
}

static onefold_status view_table(const cli_screen *screen, const onefold_report *page)
{
    CLI_SCRATCH(scratch);
    int missing = some_missing(page->dataset);
    cli_cells table = cli_cells_make(&scratch, missing ? "rlllrrrrll" : "rlllrrrll");
    double samples = (double)onefold_dataset_describe(page->dataset)->samples;
    size_t views = onefold_dataset_describe(page->dataset)->views;
    cli_table_add(&table, "\tname\tstorage\ttype\tcolumns\tdensity\tmemory%s\tkernel\twhy",
                  missing ? "\tmissing" : "");
    for (size_t v = 0; v < views && v < MOST_VIEWS; v++) {
        onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
        char bytes[32];
        const char *kernel, *reason;
        CLI_TRY(onefold_dataset_view(page->dataset, v, &view));
        CLI_TRY(kernel_of(page, v, &kernel, &reason));
        double entries = samples * (double)view.columns;
        double density = entries > 0 ? (double)view.nonzeros / entries : 0;
        cli_table_add(&table, "%zu\t%s\t%s\t%s\t%zu\t%.3g %%\t%s", v + 1, view.name,
                      onefold_name(ONEFOLD_NAMES_STORAGE, view.storage),
                      onefold_name(ONEFOLD_NAMES_TYPE, view.type), view.columns, 100 * density,
                      cli_size_text(bytes, view.bytes));
        if (missing)
            cli_table_add(&table, "%zu", view.missing);
        cli_table_add(&table, "%s\t%s", kernel, reason);
    }
    CLI_TRY(cli_table_show(screen, &table, "views", NULL));
    cli_left_out(screen, views, MOST_VIEWS);
    return ONEFOLD_OK;
}

static onefold_status class_lines(const cli_screen *screen, const onefold_dataset_info *info)
{
    CLI_SCRATCH(scratch);
    size_t *size;
    int equal = 1;
    CLI_TRY(CLI_NEW(&scratch, &size, info->classes));
    for (size_t j = 0; info->truth && j < info->samples; j++)
        size[info->truth[j]]++;
    for (size_t c = 1; c < info->classes; c++)
        equal &= size[c] == size[0];
    cli_margin(screen, "labels");
    if (!info->classes) {
        cli_put(screen, CLI_PLAIN, "none found; --truth names a variable or a file\n");
        return ONEFOLD_OK;
    }
    cli_put(screen, CLI_PLAIN, "%zu class%s", info->classes, info->classes == 1 ? "" : "es");
    if (equal)
        cli_put(screen, CLI_PLAIN, " of %zu samples:", size[0]);
    else
        cli_put(screen, CLI_PLAIN, " (samples):");
    for (size_t c = 0; c < info->classes && c < MOST_CLASSES; c++) {
        cli_put(screen, CLI_PLAIN, " %s", info->class_names[c]);
        if (!equal)
            cli_put(screen, CLI_FAINT, " (%zu)", size[c]);
    }
    cli_put(screen, CLI_PLAIN, "%s\n", info->classes > MOST_CLASSES ? " ..." : "");
    return ONEFOLD_OK;
}

static void estimate_lines(const cli_screen *screen, const onefold_report *page)
{
    char input[32], partitions[32], peak[32], room[32], time[32];
    const char *dot = cli_dot(screen);
    cli_margin(screen, "a fit");
    if (!page->estimate) {
        cli_put(screen, CLI_WARN, "%s\n", onefold_last_error());
        return;
    }
    const onefold_estimate_info *info = onefold_estimate_describe(page->estimate);
    cli_put(screen, CLI_PLAIN,
            "with %zu cluster%s: data %s%spartitions %s%sat most %s of the %s free", info->clusters,
            info->clusters == 1 ? "" : "s", cli_size_text(input, info->input_bytes), dot,
            cli_size_text(partitions, info->partition_bytes), dot,
            cli_size_text(peak, info->peak_bytes), cli_size_text(room, page->free_bytes));
    if (info->has_time)
        cli_put(screen, CLI_PLAIN, "%sabout %s", dot, cli_seconds_text(time, info->seconds));
    cli_put(screen, CLI_PLAIN, "\n");
    if (strstr(onefold_capabilities(), "cuda"))
        cli_line(screen, "GPU", CLI_PLAIN, "%s\n", onefold_device_description());
}

static onefold_status print_result(const cli_session *session, const onefold_report *page)
{
    if (session->call->value[CLI_JSON].given)
        return cli_json_print(page);
    cli_screen screen = cli_screen_of(stdout);
    const onefold_dataset_info *info = onefold_dataset_describe(page->dataset);
    char name[256];
    errno = 0;
    cli_line(&screen, "data", CLI_PLAIN, "%s%s%zu sample%s%s%zu view%s\n",
             cli_data_name(session->call, name, sizeof name), cli_dot(&screen), info->samples,
             info->samples == 1 ? "" : "s", cli_dot(&screen), info->views,
             info->views == 1 ? "" : "s");
    CLI_TRY(view_table(&screen, page));
    CLI_TRY(class_lines(&screen, info));
    for (size_t i = 0; i < info->notes; i++)
        cli_line(&screen, i == 0 ? "found" : NULL, CLI_PLAIN, "%s\n", info->note[i]);
    estimate_lines(&screen, page);
    return cli_flush_output();
}

/* ---- the machine ---------------------------------------------------------------------------- */

/* The lines of the library, with their first word in the margin. */
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
    if (call->value[CLI_MACHINE].given && call->value[CLI_JSON].given)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--machine has no JSON"), "leave --json out");
    if (call->value[CLI_MACHINE].given)
        return show_machine();
    CLI_TRY(cli_fit_options(call, &options));
    if (call->operand_count == 1 && onefold_model_is_file(call->operands[0]))
        return info_model(call);
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(cli_session_read(&session, 0, call->operand_count));
    size_t samples = onefold_dataset_describe(session.dataset)->samples;
    if (!options.clusters)
        options.clusters = onefold_dataset_describe(session.dataset)->classes;
    if (!options.clusters)
        options.clusters = samples < 10 ? samples : 10;
    onefold_report page = cli_page(&session);
    page.free_bytes = onefold_free_memory();
    if (onefold_fit_estimate(&estimate, session.context, session.dataset, &options, 1) ==
        ONEFOLD_OK)
        page.estimate = estimate;
    onefold_status status = print_result(&session, &page);
    onefold_estimate_free(estimate);
    return status;
}
