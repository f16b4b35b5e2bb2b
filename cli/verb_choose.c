/* SPDX-License-Identifier: Apache-2.0 */
/* onefold choose: read, try every number of clusters, draw the curve, suggest. */
#include "verbs.h"

#include "outputs.h"

static void copy_options(const cli_call *call, onefold_choose_options *options)
{
    const cli_value *value = call->value;
    *options = (onefold_choose_options)ONEFOLD_CHOOSE_OPTIONS_INIT;
    cli_take_count(&value[CLI_MIN], &options->least);
    cli_take_count(&value[CLI_MAX], &options->most);
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
    double *bars, most = 1; /* a bar is full at the most evidence, or at 1 */
    CLI_TRY(CLI_NEW(&scratch, &bars, info->points));
    for (size_t c = 0; c < info->points; c++) {
        most = info->point[c]->evidence > most ? info->point[c]->evidence : most;
    }
    cli_cells table = cli_cells_make(&scratch, "rrrrrlr");
    CLI_TRY(cli_table_add(&table, "clusters\tagreement\tentropy\ttold\tby chance\t\tevidence"));
    for (size_t c = 0; c < info->points; c++) {
        const onefold_choose_point *point = info->point[c];
        CLI_TRY(cli_table_add(&table, "%zu\t%.2f\t%.2f\t%.0f %%\t%.0f %%\t%s\t%.2f",
                              point->clusters, point->agreement, point->entropy, 100 * point->told,
                              100 * point->chance, mark_of(report, point->clusters),
                              point->evidence));
        bars[c] = point->evidence / most;
    }
    cli_table_show(screen, &table, "curve", bars);
    return ONEFOLD_OK;
}

static void legend_lines(const cli_screen *screen)
{
    static const char *const lines[] = {
        "agreement: mean NMI of the labels with the half of the other labellings that agrees most",
        "entropy: of the sizes of the clusters, in nats",
        "told: share of the labels' entropy that neighbouring samples explain",
        "by chance: the same for samples with the same covariances and no clusters",
        "evidence: agreement x entropy x log((1 - chance) / (1 - told))"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cli_line(screen, NULL, CLI_FAINT, "%s\n", lines[i]);
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
        cli_line(screen, "classes", CLI_PLAIN, "%zu by the true labels, which are not used\n",
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
    char read[32], curve[32], total[32], peak[32];
    cli_data_lines(&screen, session);
    CLI_TRY(curve_table(&screen, report));
    legend_lines(&screen);
    suggestion_lines(&screen, report);
    cli_line(&screen, "time", CLI_PLAIN, "read %s%scurve %s%stotal %s%s%s peak%s%d thread%s\n",
             cli_seconds_text(read, session->seconds_read), dot,
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
    copy_options(call, &options);
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
