/* SPDX-License-Identifier: Apache-2.0 */
/* onefold choose: read, try every number of clusters, draw the curve, suggest. */
#include "verbs.h"

#include "outputs.h"

static void copy_options(const cli_call *call, onefold_choose_options *options,
                         onefold_fit_options *fit)
{
    const cli_value *value = call->value;
    *options = (onefold_choose_options)ONEFOLD_CHOOSE_OPTIONS_INIT;
    cli_take_count(&value[CLI_MIN], &options->least);
    cli_take_count(&value[CLI_MAX], &options->most);
    cli_take_count(&value[CLI_SUBSAMPLES], &options->subsamples);
    options->method = value[CLI_CHOOSE_METHOD].text;
    if (!value[CLI_RESTARTS].given)
        fit->restarts = 1;
}

/* What is wrong whatever the data, before it is read. */
static onefold_status check_options(const cli_call *call, const onefold_choose_options *options)
{
    if (options->least < 2)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--min is %zu", options->least),
                        "give 2 or more: one cluster cannot be compared with anything");
    if (call->value[CLI_MAX].given && options->most < options->least)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--max %zu is less than --min %zu", options->most,
                                 options->least),
                        "give a --max of %zu or more", options->least);
    if (options->subsamples < 2)
        return cli_fail(ONEFOLD_USAGE, "--subsamples is %zu; labels are compared over 2 or more",
                        options->subsamples);
    return ONEFOLD_OK;
}

/* A choice and what surrounds it. */
typedef struct choose_report {
    const onefold_choice *choice;
    const onefold_choose_info *info;
    double seconds_total;
    size_t peak_bytes;
} choose_report;

/* What is remarkable about a number. */
static const char *mark_of(const choose_report *report, size_t clusters)
{
    int suggested = clusters == report->info->suggested,
        classes = clusters == report->info->classes;
    return suggested && classes ? "both" : suggested ? "suggested" : classes ? "classes" : "";
}

static onefold_status curve_table(const cli_screen *screen, const choose_report *report)
{
    CLI_SCRATCH(scratch);
    const onefold_choose_info *info = report->info;
    double *bars;
    CLI_TRY(CLI_NEW(&scratch, &bars, info->points));
    cli_cells table = cli_cells_make(&scratch, "rrrrrrlr");
    CLI_TRY(cli_table_add(&table,
                          "clusters\tstability\tchance\tweakest\tchance\tobjective\t\tevidence"));
    for (size_t c = 0; c < info->points; c++) {
        const onefold_choose_point *point = report->info->point[c];
        CLI_TRY(cli_table_add(&table, "%zu\t%.2f\t%.2f\t%.2f\t%.2f\t%.5g\t%s\t%.2f",
                              point->clusters, point->stability, point->chance, point->weakest,
                              point->weakest_chance, point->objective,
                              mark_of(report, point->clusters), point->evidence));
        bars[c] = point->evidence;
    }
    cli_table_show(screen, &table, "curve", bars);
    return ONEFOLD_OK;
}

/* What the columns are, a line each; and the numbers that say nothing. */
static onefold_status legend_lines(const cli_screen *screen, const choose_report *report)
{
    static const char *const lines[] = {
        "stability: how far labels agree when some of the samples are fitted again, median ARI",
        "weakest: how well the least stable cluster is found again, median Jaccard index",
        "chance: the same for samples with the same correlations and no clusters",
        "objective: of the fit to all samples; it rises with the number and is not used",
        "evidence: how much of the range above chance was reached, the smaller of the two"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        cli_line(screen, NULL, CLI_FAINT, "%s\n", lines[i]);
    }
    size_t told = 0;
    for (size_t c = 0; c < report->info->points; c++) {
        const onefold_choose_point *point = report->info->point[c];
        if (point->stability > point->chance - 0.005)
            continue;
        if (!told)
            cli_margin(screen, NULL);
        cli_put(screen, CLI_FAINT, "%s%zu", told++ ? ", " : "chance above stability at ",
                point->clusters);
    }
    if (told)
        cli_put(screen, CLI_FAINT,
                ": data without clusters are as stable there, so this is no evidence\n");
    return ONEFOLD_OK;
}

static onefold_status gap_line(const cli_screen *screen, const choose_report *report)
{
    const onefold_choose_info *info = report->info;
    enum { SHOWN = 8 };
    cli_line(screen, "gaps", CLI_PLAIN, "eigenvalues fall most at:");
    for (size_t v = 0; v < info->views && v < SHOWN; v++) {
        const onefold_view_fit *view = report->info->view[v];
        cli_put(screen, CLI_PLAIN, "%s%s %zu", v ? cli_dot(screen) : " ", view->name,
                info->gap_clusters[v]);
    }
    if (info->views > SHOWN)
        cli_put(screen, CLI_PLAIN, "%sand %zu more: see --json", cli_dot(screen),
                info->views - SHOWN);
    cli_put(screen, CLI_PLAIN, "\n");
    return ONEFOLD_OK;
}

static void suggestion_lines(const cli_screen *screen, const choose_report *report)
{
    const onefold_choose_info *info = report->info;
    cli_margin(screen, "suggested");
    if (info->suggested)
        cli_put(screen, CLI_GOOD, "%zu clusters\n", info->suggested);
    else
        cli_put(screen, CLI_WARN, "none\n");
    for (size_t i = 0; i < info->reasons; i++) {
        cli_line(screen, NULL, CLI_PLAIN, "%s\n", report->info->reason[i]);
    }
    if (report->info->classes)
        cli_line(screen, "classes", CLI_PLAIN, "%zu, by the true labels, which were not used\n",
                 report->info->classes);
}

static onefold_status tell(const cli_session *session, const choose_report *report)
{
    if (session->call->value[CLI_JSON].given) {
        onefold_report page = cli_page(session);
        char *text = NULL;
        page.choice = report->choice;
        onefold_status made = onefold_report_json(&text, &page);
        return cli_json_print(made, text);
    }
    cli_screen screen = cli_screen_of(stdout);
    const char *dot = cli_dot(&screen);
    char read[32], base[32], curve[32], total[32], peak[32];
    cli_data_lines(&screen, session);
    CLI_TRY(curve_table(&screen, report));
    CLI_TRY(legend_lines(&screen, report));
    CLI_TRY(gap_line(&screen, report));
    suggestion_lines(&screen, report);
    cli_line(&screen, "time", CLI_PLAIN,
             "read %s%sbase %s%scurve %s%stotal %s%s%s peak%s%d thread%s\n",
             cli_seconds_text(read, session->seconds_read), dot,
             cli_seconds_text(base, report->info->seconds_base), dot,
             cli_seconds_text(curve, report->info->seconds_curve), dot,
             cli_seconds_text(total, report->seconds_total), dot,
             cli_size_text(peak, report->peak_bytes), dot, session->threads,
             session->threads == 1 ? "" : "s");
    return cli_flush_output();
}

static onefold_status choose_and_tell(cli_session *session, const onefold_fit_options *fit,
                                      const onefold_choose_options *options,
                                      onefold_choice **choice)
{
    choose_report report = {0};
    CLI_TRY(onefold_choose(choice, session->context, session->dataset, fit, options));
    report.info = onefold_choice_describe(*choice);
    cli_progress_end(&session->progress);
    report.choice = *choice;
    report.seconds_total = cli_clock() - session->began;
    report.peak_bytes = cli_peak_bytes();
    onefold_report page = cli_page(session);
    page.choice = *choice;
    page.dataset = session->dataset;
    page.options = fit;
    CLI_TRY(cli_report_write(session, &page));
    CLI_TRY(cli_session_place(session));
    return tell(session, &report);
}

onefold_status cli_choose(cli_call *call)
{
    onefold_fit_options fit;
    onefold_choose_options options;
    CLI_TRY(cli_shared_options(call, &fit));
    copy_options(call, &options, &fit);
    CLI_TRY(check_options(call, &options));
    CLI_TRY(cli_report_check(call));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(cli_session_read(&session, call->operand_count));
    onefold_choice *choice = NULL;
    onefold_status status = choose_and_tell(&session, &fit, &options, &choice);
    onefold_choice_free(choice);
    return status;
}
