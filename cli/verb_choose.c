/* SPDX-License-Identifier: Apache-2.0 */
/* onefold choose: reads the data, tries every number of clusters, prints curve and suggestion. */
#include "verbs.h"

#include "outputs.h"

static void copy_options(const cli_call *call, onefold_choose_options *options)
{
    const cli_value *value = call->value;
    *options = (onefold_choose_options)ONEFOLD_CHOOSE_OPTIONS_INIT;
    cli_take_count(&value[CLI_MIN], &options->least);
    cli_take_count(&value[CLI_MAX], &options->most);
}

/* Refuses options that are wrong for any data, before the data are read. */
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

/* The mark of a row. */
static const char *mark_of(const onefold_choose_info *info, size_t clusters)
{
    int suggested = clusters == info->suggested, classes = clusters == info->classes;
    return suggested && classes ? "suggested, classes"
           : suggested          ? "suggested"
           : classes            ? "classes"
                                : "";
}

static onefold_status curve_table(const cli_screen *screen, const onefold_choose_info *info)
{
    CLI_SCRATCH(scratch);
    double *bars, most = 1; /* a bar is full at the most evidence, or at 1 */
    CLI_TRY(CLI_NEW(&scratch, &bars, info->points));
    for (size_t c = 0; c < info->points; c++)
        most = info->point[c]->evidence > most ? info->point[c]->evidence : most;
    cli_cells table = cli_cells_make(&scratch, "rrrrrlr");
    cli_table_add(&table, "clusters\tagreement\tentropy\ttold\tby chance\t\tevidence");
    for (size_t c = 0; c < info->points; c++) {
        const onefold_choose_point *point = info->point[c];
        cli_table_add(&table, "%zu\t%.2f\t%.2f\t%.0f %%\t%.0f %%\t%s\t%.2f", point->clusters,
                      point->agreement, point->entropy, 100 * point->told, 100 * point->chance,
                      mark_of(info, point->clusters), point->evidence);
        bars[c] = point->evidence / most;
    }
    return cli_table_show(screen, &table, "curve", bars);
}

static void legend_lines(const cli_screen *screen)
{
    static const char *const lines[] = {
        "agreement: of the labels of subsamples (mean adjusted Rand index)",
        "entropy: of as many clusters of equal size, in nats",
        "told: share of this entropy that neighbouring samples tell of the labels",
        "by chance: the same with the values of every column shuffled",
        "evidence: agreement^2 x root of told, both beyond chance, x entropy"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cli_line(screen, NULL, CLI_FAINT, "%s\n", lines[i]);
}

static void suggestion_lines(const cli_screen *screen, const onefold_choose_info *info)
{
    cli_margin(screen, "suggested");
    if (info->suggested)
        cli_put(screen, CLI_GOOD, "%zu clusters\n", info->suggested);
    else
        cli_put(screen, CLI_WARN, "none\n");
    for (size_t i = 0; i < info->reasons; i++)
        cli_line(screen, NULL, CLI_PLAIN, "%s\n", info->reason[i]);
    if (info->classes)
        cli_line(screen, "classes", CLI_PLAIN, "%zu by the true labels, which are not used\n",
                 info->classes);
}

static onefold_status print_result(const cli_session *session, const onefold_report *page)
{
    if (session->call->value[CLI_JSON].given)
        return cli_json_print(page);
    const onefold_choose_info *info = onefold_choice_describe(page->choice);
    cli_screen screen = cli_screen_of(stdout);
    const char *dot = cli_dot(&screen);
    char read[32], curve[32], total[32], peak[32];
    suggestion_lines(&screen, info);
    cli_data_lines(&screen, session);
    CLI_TRY(curve_table(&screen, info));
    legend_lines(&screen);
    cli_line(&screen, "time", CLI_PLAIN, "read %s%scurve %s%stotal %s%s%s peak%s%d thread%s\n",
             cli_seconds_text(read, page->seconds_read), dot,
             cli_seconds_text(curve, info->seconds_curve), dot,
             cli_seconds_text(total, page->seconds_total), dot,
             cli_size_text(peak, page->peak_bytes), dot, page->threads,
             page->threads == 1 ? "" : "s");
    return cli_flush_output();
}

static onefold_status choose_and_print(cli_session *session, const onefold_fit_options *fit,
                                       const onefold_choose_options *options,
                                       onefold_choice **choice)
{
    CLI_TRY(onefold_choose(choice, session->context, session->dataset, fit, options));
    cli_progress_end(session->progress);
    onefold_report page = cli_page(session);
    page.choice = *choice;
    page.options = fit;
    CLI_TRY(cli_report_write(session, &page));
    CLI_TRY(cli_session_place(session));
    return print_result(session, &page);
}

onefold_status cli_choose(cli_call *call)
{
    onefold_fit_options fit;
    onefold_choose_options options;
    CLI_TRY(cli_shared_options(call, &fit));
    copy_options(call, &options);
    CLI_TRY(check_options(call, &options));
    CLI_TRY(cli_check_outputs(call));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(cli_session_read(&session, 0, call->operand_count));
    onefold_choice *choice = NULL;
    onefold_status status = choose_and_print(&session, &fit, &options, &choice);
    onefold_choice_free(choice);
    return status;
}
