/* SPDX-License-Identifier: Apache-2.0 */
/* onefold fit: reads the data, clusters, scores, writes, prints. */
#include "outputs.h"
#include "session.h"
#include "verbs.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

/* ---- --dry-run: shapes, routes, passes, bytes, and an estimate of the time ------------------ */

enum { MOST_VIEWS = 200 };

static onefold_status view_table(const cli_screen *screen, const onefold_estimate_info *info)
{
    CLI_SCRATCH(scratch);
    size_t shown = info->views < MOST_VIEWS ? info->views : MOST_VIEWS;
    int partitions = info->view[0]->route != ONEFOLD_ROUTE_NONE;
    cli_cells table = cli_cells_make(&scratch, partitions ? "lrlllrr" : "lrll");
    cli_table_add(&table, "name\tcolumns\tstorage\tkernel%s",
                  partitions ? "\tbase\tpasses\tabout" : "");
    for (size_t v = 0; v < shown; v++) {
        char time[32];
        const onefold_view_fit *view = info->view[v];
        const char *route = onefold_name(ONEFOLD_NAMES_ROUTE, view->route);
        cli_table_add(&table, "%s\t%zu\t%s\t%s", view->name, view->columns,
                      onefold_name(ONEFOLD_NAMES_STORAGE, view->storage), view->kernel);
        if (!partitions)
            continue;
        if (view->landmarks)
            cli_table_add(&table, "%s, %zu landmarks", route, view->landmarks);
        else
            cli_table_add(&table, "%s", route);
        cli_table_add(&table, "%zu\t%s", view->passes, cli_seconds_text(time, view->seconds));
    }
    CLI_TRY(cli_table_show(screen, &table, "views", NULL));
    cli_left_out(screen, info->views, shown);
    return ONEFOLD_OK;
}

static void fit_lines(const cli_screen *screen, const onefold_estimate_info *info)
{
    const char *dot = cli_dot(screen);
    cli_line(screen, "fit", CLI_PLAIN, "%s%s%zu clusters", info->method, dot, info->clusters);
    if (info->iterations && info->anchors)
        cli_put(screen, CLI_PLAIN, "%s%zu dims%s%zu anchors", dot, info->dims, dot, info->anchors);
    if (info->iterations)
        cli_put(screen, CLI_PLAIN, "%s%zu restarts", dot, info->restarts);
    cli_put(screen, CLI_PLAIN, "\n");
    if (info->iterations)
        cli_line(screen, NULL, CLI_PLAIN,
                 "%zu iterations are assumed%s%zu passes over the partitions\n", info->iterations,
                 dot, info->passes);
}

static void byte_lines(const cli_screen *screen, const onefold_estimate_info *info, size_t free)
{
    char input[32], partitions[32], peak[32], room[32];
    const char *dot = cli_dot(screen);
    cli_line(screen, "memory", CLI_PLAIN, "data %s%spartitions %s%sat most %s of the %s free\n",
             cli_size_text(input, info->input_bytes), dot,
             cli_size_text(partitions, info->partition_bytes), dot,
             cli_size_text(peak, info->peak_bytes), cli_size_text(room, free));
    if (info->gpu_bytes)
        cli_line(screen, "GPU", CLI_PLAIN, "at most %s%s%s\n", cli_size_text(room, info->gpu_bytes),
                 dot, onefold_device_description());
    if (info->model_bytes)
        cli_line(screen, "model", CLI_PLAIN, "a file of about %s\n",
                 cli_size_text(room, info->model_bytes));
}

static void time_lines(const cli_screen *screen, const onefold_estimate_info *info,
                       double seconds_read)
{
    char read[32], prepare[32], base[32], fit[32], total[32];
    const char *dot = cli_dot(screen);
    cli_line(screen, "time", CLI_PLAIN, "read %s%sprepare %s", cli_seconds_text(read, seconds_read),
             dot, cli_seconds_text(prepare, info->seconds_prepare));
    if (info->has_time)
        cli_put(screen, CLI_PLAIN, "%sbase about %s%sfit about %s%stotal about %s", dot,
                cli_seconds_text(base, info->seconds_base), dot,
                cli_seconds_text(fit, info->seconds_fit), dot,
                cli_seconds_text(total, seconds_read + info->seconds));
    else
        cli_put(screen, CLI_PLAIN, "%sno estimate for this method", dot);
    cli_put(screen, CLI_PLAIN, "%s%d thread%s\n", dot, info->threads,
            info->threads == 1 ? "" : "s");
}

static onefold_status print_plan(const cli_session *session, const onefold_estimate *estimate)
{
    const onefold_estimate_info *info = onefold_estimate_describe(estimate);
    onefold_report page = cli_page(session);
    page.free_bytes = onefold_free_memory();
    page.estimate = estimate;
    page.dataset = NULL; /* the JSON is of the estimate */
    CLI_TRY(onefold_estimate_check_memory(estimate));
    if (session->call->value[CLI_JSON].given)
        return cli_json_print(&page);
    cli_screen screen = cli_screen_of(stdout);
    char name[256];
    const char *dot = cli_dot(&screen);
    errno = 0;
    cli_line(&screen, "data", CLI_PLAIN, "%s%s%zu samples%s%zu view%s\n",
             cli_data_name(session->call, name, sizeof name), dot, info->samples, dot, info->views,
             info->views == 1 ? "" : "s");
    CLI_TRY(view_table(&screen, info));
    fit_lines(&screen, info);
    byte_lines(&screen, info, page.free_bytes);
    time_lines(&screen, info, page.seconds_read);
    return cli_flush_output();
}

/* onefold fit --dry-run: prints routes, memory and time of the fit. */
static onefold_status dry_run(const cli_session *session, const onefold_fit_options *options)
{
    onefold_estimate *estimate = NULL;
    CLI_TRY(onefold_fit_estimate(&estimate, session->context, session->dataset, options, 1));
    onefold_status status = print_plan(session, estimate);
    onefold_estimate_free(estimate);
    return status;
}

/* ---- the fit -------------------------------------------------------------------------------- */

onefold_report cli_page(const cli_session *session)
{
    struct rusage usage;
    onefold_report page = ONEFOLD_REPORT_INIT;
    page.paths = session->call->operands;
    page.path_count = session->call->operand_count;
    page.dataset = session->dataset;
    page.seconds_read = session->seconds_read;
    page.seconds_total = cli_clock() - session->began;
    page.peak_bytes = getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0;
    page.threads = session->threads;
    return page;
}

/* Refuses outputs that a fit of several processes does not have, before the fit. */
static onefold_status check_split(const cli_session *session)
{
    const cli_value *value = session->call->value;
    if ((!value[CLI_EMBEDDING].given && !value[CLI_LAYOUT].given) ||
        onefold_dataset_describe(session->dataset)->samples <
            onefold_context_describe(session->context)->split_from)
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_UNSUPPORTED,
                             "--embedding and --layout are not available with several processes"),
                    "leave them out, or start one process");
}

/* The heading of a column: a coordinate, the name of a view, or a number. */
static onefold_status name_column(cli_arena *arena, const onefold_fit_info *info,
                                  cli_option_id what, size_t column, const char **name)
{
    char *text;
    if (what == CLI_LAYOUT)
        CLI_TRY(cli_arena_string(arena, &text, "%s", column ? "y" : "x"));
    else if (what == CLI_PARTS)
        CLI_TRY(cli_arena_string(arena, &text, "%s", info->view[column]->name));
    else
        CLI_TRY(cli_arena_string(arena, &text, "e%zu", column + 1));
    *name = text;
    return ONEFOLD_OK;
}

/* Fills a table under a header with the ids of the samples, or their numbers from 1. */
static onefold_status fill_table(cli_session *session, const onefold_fit_info *info,
                                 cli_option_id what, const double *values, size_t columns,
                                 onefold_dataset *table)
{
    CLI_SCRATCH(scratch);
    const onefold_dataset *names;
    const char **ids, **headings;
    CLI_TRY(CLI_NEW(&scratch, &ids, info->samples));
    CLI_TRY(CLI_NEW(&scratch, &headings, columns));
    CLI_TRY(cli_labels_names(session, &names));
    const char *const *own = onefold_dataset_describe(names)->sample_names;
    for (size_t i = 0; i < columns; i++)
        CLI_TRY(name_column(&scratch, info, what, i, &headings[i]));
    for (size_t j = 0; j < info->samples; j++) {
        char *number = NULL;
        if (!own)
            CLI_TRY(cli_arena_string(&scratch, &number, "%zu", j + 1));
        ids[j] = own ? own[j] : number;
    }
    CLI_TRY(onefold_dataset_add_dense(table, "table", values, columns, columns, 1));
    CLI_TRY(onefold_dataset_set_column_names(table, 0, headings));
    return onefold_dataset_set_sample_names(table, ids);
}

/* Writes a row for each sample: as CSV with ids and a header, otherwise the numbers alone. */
static onefold_status write_table(cli_session *session, const onefold_fit_info *info,
                                  cli_option_id what, const double *values, size_t columns)
{
    const char *path = session->call->value[what].text, *end = strrchr(path, '.');
    onefold_dataset *table = NULL;
    if (!end || strcasecmp(end, ".csv") != 0)
        return onefold_matrix_write(values, info->samples, columns, columns, session->context,
                                    path);
    CLI_TRY(onefold_dataset_create(&table, session->context, info->samples));
    onefold_status status = fill_table(session, info, what, values, columns, table);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_write(table, session->context, path);
    onefold_dataset_free(table);
    return status;
}

static onefold_status write_layout(cli_session *session, const onefold_result *result,
                                   const onefold_fit_info *info)
{
    CLI_SCRATCH(scratch);
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    double *place;
    options.seed = info->seed;
    CLI_TRY(CLI_NEW(&scratch, &place, 2 * info->samples));
    CLI_TRY(onefold_layout(place, session->context, result, &options));
    return write_table(session, info, CLI_LAYOUT, place, 2);
}

static onefold_status write_files(cli_session *session, const onefold_result *result)
{
    const cli_value *value = session->call->value;
    const onefold_dataset *names;
    const onefold_fit_info *info = onefold_result_describe(result);
    if (cli_interrupted())
        return cli_fail(ONEFOLD_INTERRUPTED, "interrupted");
    if ((value[CLI_EMBEDDING].given || value[CLI_LAYOUT].given) && !info->embedding)
        return cli_hint(
            cli_fail(ONEFOLD_UNSUPPORTED, "the method %s has no embedding to write", info->method),
            "leave out %s", value[CLI_EMBEDDING].given ? "--embedding" : "--layout");
    if (value[CLI_LABELS].given) {
        CLI_TRY(cli_labels_names(session, &names));
        CLI_TRY(onefold_labels_write(info->labels, info->confidence, info->samples, names,
                                     session->context, value[CLI_LABELS].text));
    }
    if (value[CLI_EMBEDDING].given)
        CLI_TRY(write_table(session, info, CLI_EMBEDDING, info->embedding, info->embedding_rows));
    if (value[CLI_LAYOUT].given)
        CLI_TRY(write_layout(session, result, info));
    if (value[CLI_PARTS].given)
        CLI_TRY(write_table(session, info, CLI_PARTS, info->view_parts, info->views));
    if (value[CLI_MODEL].given)
        CLI_TRY(onefold_model_write(info->model, session->context, value[CLI_MODEL].text));
    return ONEFOLD_OK;
}

/* Prints labels and summary, or JSON. */
static onefold_status print_result(const cli_session *session, const onefold_report *page)
{
    const cli_call *call = session->call;
    const onefold_fit_info *info = onefold_result_describe(page->result);
    if (call->value[CLI_JSON].given)
        return cli_json_print(page);
    if (cli_labels_printed(call)) {
        cli_labels_print(session, info->labels, info->confidence, 0, info->samples);
        CLI_TRY(cli_flush_output());
    }
    if (!cli_says(call))
        return ONEFOLD_OK;
    cli_screen screen = cli_screen_of(call->value[CLI_LABELS].given ? stdout : stderr);
    return cli_fit_summary(&screen, session, page);
}

static onefold_status fit_and_print(cli_session *session, const onefold_fit_options *options,
                                    onefold_result **result)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    int scored = 0;
    CLI_TRY(onefold_fit(result, session->context, session->dataset, options));
    if (!cli_ranks_first())
        return ONEFOLD_OK;
    CLI_TRY(cli_score_labels(session, onefold_result_describe(*result)->labels, &scores, &scored));
    CLI_TRY(write_files(session, *result));
    onefold_report page = cli_page(session);
    page.result = *result;
    page.options = options;
    page.scores = scored ? &scores : NULL;
    page.model_path = session->call->value[CLI_MODEL].text;
    CLI_TRY(cli_report_write(session, &page));
    CLI_TRY(cli_session_place(session));
    cli_progress_end(session->progress);
    return print_result(session, &page);
}

/* --clusters auto: the number that `choose` suggests; says so, and which others stand out. */
static onefold_status take_number(const cli_call *call, const onefold_choose_info *info,
                                  onefold_fit_options *options)
{
    if (!info->suggested)
        return cli_hint(cli_fail(ONEFOLD_BAD_DATA,
                                 "nothing was found: no number of clusters is more than chance"),
                        "give --clusters N to fit them all the same");
    options->clusters = info->suggested;
    if (!cli_says(call))
        return ONEFOLD_OK;
    cli_screen screen = cli_screen_of(stderr);
    cli_line(&screen, "clusters", CLI_PLAIN, "%zu, chosen from %zu to %zu", info->suggested,
             info->point[0]->clusters, info->point[info->points - 1]->clusters);
    for (size_t i = 1; i < info->numbers; i++)
        cli_put(&screen, CLI_PLAIN, "%s%zu",
                i > 1 ? ", " : "; these stand out, too: ", info->number[i]);
    cli_put(&screen, CLI_PLAIN, "\n");
    return ONEFOLD_OK;
}

static onefold_status choose_clusters(cli_session *session, onefold_fit_options *options)
{
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choice *choice = NULL;
    if (options->method && strcmp(options->method, "onefold") != 0)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--clusters auto is of the method onefold"),
                        "give the number of clusters");
    fit.kernel = options->kernel;
    fit.seed = options->seed;
    fit.landmarks = options->landmarks;
    fit.neighbours = options->neighbours;
    CLI_TRY(onefold_choose(&choice, session->context, session->dataset, &fit, NULL));
    cli_progress_end(session->progress);
    onefold_status status = take_number(session->call, onefold_choice_describe(choice), options);
    onefold_choice_free(choice);
    return status;
}

onefold_status cli_fit(cli_call *call)
{
    onefold_fit_options options;
    CLI_TRY(cli_fit_options(call, &options));
    if (!call->value[CLI_CLUSTERS].given)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--clusters is missing: how many clusters?"),
                        "add --clusters N; 'onefold choose %s%s' suggests a number",
                        call->operands[0], call->operand_count > 1 ? " ..." : "");
    CLI_TRY(cli_labels_check(call));
    CLI_TRY(cli_check_outputs(call));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(cli_session_read(&session, 0, call->operand_count));
    if (!options.clusters)
        CLI_TRY(choose_clusters(&session, &options));
    if (call->value[CLI_DRY_RUN].given)
        return dry_run(&session, &options);
    CLI_TRY(check_split(&session));
    onefold_result *result = NULL;
    onefold_status status = fit_and_print(&session, &options, &result);
    onefold_result_free(result);
    return status;
}
