/* SPDX-License-Identifier: Apache-2.0 */
/* onefold fit --dry-run: shapes, routes, passes, bytes, and an estimate of the time. */
#include "verbs.h"

#include <errno.h>

enum { MOST_VIEWS = 200 };

/* An estimate and what surrounds it. */
typedef struct plan_report {
    const onefold_estimate *estimate;
    onefold_estimate_info info;
    size_t free_bytes;
    double seconds_read;
} plan_report;

static onefold_status view_table(const cli_screen *screen, cli_arena *arena,
                                 const plan_report *report)
{
    static const char *const heading[] = {"name", "columns", "storage", "kernel",
                                          "base", "passes",  "about"};
    onefold_estimate_view_info view = ONEFOLD_ESTIMATE_VIEW_INFO_INIT;
    size_t views = report->info.views, shown = views < MOST_VIEWS ? views : MOST_VIEWS;
    CLI_TRY(onefold_estimate_view(report->estimate, 0, &view));
    int partitions = view.route != ONEFOLD_ROUTE_NONE;
    size_t columns = partitions ? 7 : 4;
    cli_table table = cli_table_make(arena, partitions ? "lrlllrr" : "lrll");
    for (size_t i = 0; i < columns; i++)
        CLI_TRY(cli_table_add(&table, "%s", heading[i]));
    for (size_t v = 0; v < shown; v++) {
        char time[32];
        CLI_TRY(onefold_estimate_view(report->estimate, v, &view));
        const char *route = onefold_name(ONEFOLD_NAMES_ROUTE, view.route);
        CLI_TRY(cli_table_add(&table, "%s", view.name));
        CLI_TRY(cli_table_add(&table, "%zu", view.columns));
        CLI_TRY(cli_table_add(&table, "%s", onefold_name(ONEFOLD_NAMES_STORAGE, view.storage)));
        CLI_TRY(cli_table_add(&table, "%s", view.kernel));
        if (!partitions)
            continue;
        if (view.landmarks)
            CLI_TRY(cli_table_add(&table, "%s, %zu landmarks", route, view.landmarks));
        else
            CLI_TRY(cli_table_add(&table, "%s", route));
        CLI_TRY(cli_table_add(&table, "%zu", view.passes));
        CLI_TRY(cli_table_add(&table, "%s", cli_seconds_text(time, view.seconds)));
    }
    cli_table_show(screen, &table, "views", NULL);
    cli_left_out(screen, views, shown);
    return ONEFOLD_OK;
}

static void fit_lines(const cli_screen *screen, const plan_report *report)
{
    const char *dot = cli_dot(screen);
    cli_margin(screen, "fit");
    cli_put(screen, CLI_PLAIN, "%s%s%zu clusters", report->info.method, dot, report->info.clusters);
    if (report->info.iterations)
        cli_put(screen, CLI_PLAIN, "%s%zu dims%s%zu anchors%s%zu restarts", dot, report->info.dims,
                dot, report->info.anchors, dot, report->info.restarts);
    cli_put(screen, CLI_PLAIN, "\n");
    if (!report->info.iterations)
        return;
    cli_margin(screen, NULL);
    cli_put(screen, CLI_PLAIN,
            "%zu iterations are assumed, as is usual: the data decide%s%zu passes over the "
            "partitions\n",
            report->info.iterations, dot, report->info.passes);
}

static void byte_lines(const cli_screen *screen, const plan_report *report, const char *folder)
{
    char input[32], partitions[32], peak[32], room[32], model[32];
    const char *dot = cli_dot(screen);
    cli_margin(screen, "memory");
    cli_put(screen, CLI_PLAIN, "data %s%spartitions %s%s%s%sat most %s of the %s free\n",
            cli_size_text(input, report->info.input_bytes), dot,
            cli_size_text(partitions, report->info.partition_bytes),
            report->info.spill_bytes ? ", spilled to " : "", report->info.spill_bytes ? folder : "",
            dot, cli_size_text(peak, report->info.peak_bytes),
            cli_size_text(room, report->free_bytes));
    if (report->info.card_bytes) {
        cli_margin(screen, "card");
        cli_put(screen, CLI_PLAIN, "at most %s%s%s\n", cli_size_text(room, report->info.card_bytes),
                dot, onefold_device_description());
    }
    if (!report->info.model_bytes)
        return;
    cli_margin(screen, "model");
    cli_put(screen, CLI_PLAIN, "a file of about %s\n",
            cli_size_text(model, report->info.model_bytes));
}

static void time_lines(const cli_screen *screen, const plan_report *report)
{
    char read[32], prepare[32], base[32], fit[32], total[32];
    const char *dot = cli_dot(screen);
    cli_margin(screen, "time");
    cli_put(screen, CLI_PLAIN, "read %s%sprepare %s", cli_seconds_text(read, report->seconds_read),
            dot, cli_seconds_text(prepare, report->info.seconds_prepare));
    if (report->info.has_time)
        cli_put(screen, CLI_PLAIN, "%sbase about %s%sfit about %s%stotal about %s", dot,
                cli_seconds_text(base, report->info.seconds_base), dot,
                cli_seconds_text(fit, report->info.seconds_fit), dot,
                cli_seconds_text(total, report->seconds_read + report->info.seconds));
    else
        cli_put(screen, CLI_PLAIN, "%sno estimate for this method", dot);
    cli_put(screen, CLI_PLAIN, "%s%d thread%s\n", dot, report->info.threads,
            report->info.threads == 1 ? "" : "s");
}

static onefold_status show(const cli_session *session, cli_arena *arena, const plan_report *report,
                           const char *folder)
{
    cli_screen screen = cli_screen_of(stdout);
    char name[256];
    const char *dot = cli_dot(&screen);
    errno = 0;
    cli_margin(&screen, "data");
    cli_put(&screen, CLI_PLAIN, "%s%s%zu samples%s%zu view%s\n",
            cli_data_name(session->call, name, sizeof name), dot, report->info.samples, dot,
            report->info.views, report->info.views == 1 ? "" : "s");
    CLI_TRY(view_table(&screen, arena, report));
    fit_lines(&screen, report);
    byte_lines(&screen, report, folder);
    time_lines(&screen, report);
    return cli_flush_output();
}

static onefold_status tell(const cli_session *session, const onefold_estimate *estimate,
                           const char *folder)
{
    plan_report report = {.estimate = estimate,
                          .info = ONEFOLD_ESTIMATE_INFO_INIT,
                          .free_bytes = onefold_free_memory(),
                          .seconds_read = session->seconds_read};
    CLI_TRY(onefold_estimate_check_memory(estimate));
    CLI_TRY(onefold_estimate_describe(estimate, &report.info));
    if (!session->call->value[CLI_JSON].given) {
        CLI_SCRATCH(scratch);
        return show(session, &scratch, &report, folder);
    }
    onefold_json_extras extras = cli_extras(session);
    char *text = NULL;
    extras.free_bytes = report.free_bytes;
    onefold_status made = onefold_estimate_json(&text, estimate, &extras);
    return cli_json_print(made, text);
}

onefold_status cli_dry_run(const cli_session *session, const onefold_fit_options *options)
{
    onefold_estimate *estimate = NULL;
    CLI_TRY(onefold_fit_estimate(&estimate, session->context, session->dataset, options, 1));
    onefold_status status = tell(session, estimate, options->spill);
    onefold_estimate_free(estimate);
    return status;
}
