/* SPDX-License-Identifier: Apache-2.0 */
/* onefold fit --dry-run: shapes, routes, passes, bytes, and an estimate of the time. */
#include "verbs.h"

#include "data/dataset.h"
#include "model/fit.h"

#include <errno.h>

enum { MOST_VIEWS = 200 };

static onefold_status view_rows(of_arena *arena, const of_fit_plan *plan,
                                const of_method_estimate *estimate, const of_estimate_view **rows)
{
    const of_dataset *dataset = plan->problem.dataset;
    of_estimate_view *row;
    OF_TRY(OF_NEW_ZERO(arena, &row, dataset->view_count, 1));
    for (size_t v = 0; v < dataset->view_count; v++) {
        row[v].name = dataset->views[v].name;
        row[v].storage = of_storage_name(dataset->views[v].storage);
        row[v].kernel = of_kernel_name(plan->kernels[v].kind);
        row[v].columns = dataset->views[v].columns;
        if (!estimate->views)
            continue;
        row[v].base = of_route_name(estimate->views[v].route);
        row[v].passes = estimate->views[v].passes;
        row[v].landmarks = estimate->views[v].landmarks;
        row[v].seconds = estimate->views[v].seconds;
    }
    *rows = row;
    return ONEFOLD_OK;
}

static onefold_status view_table(const cli_screen *screen, of_arena *arena,
                                 const of_estimate_report *report)
{
    static const char *const heading[] = {"name", "columns", "storage", "kernel",
                                          "base", "passes",  "about"};
    int partitions = report->views && report->view[0].base;
    size_t columns = partitions ? 7 : 4,
           shown = report->views < MOST_VIEWS ? report->views : MOST_VIEWS;
    cli_table table = cli_table_make(arena, partitions ? "lrlllrr" : "lrll");
    for (size_t i = 0; i < columns; i++)
        OF_TRY(cli_table_add(&table, "%s", heading[i]));
    for (size_t v = 0; v < shown; v++) {
        const of_estimate_view *view = &report->view[v];
        char time[32];
        OF_TRY(cli_table_add(&table, "%s", view->name));
        OF_TRY(cli_table_add(&table, "%zu", view->columns));
        OF_TRY(cli_table_add(&table, "%s", view->storage));
        OF_TRY(cli_table_add(&table, "%s", view->kernel));
        if (!partitions)
            continue;
        if (view->landmarks)
            OF_TRY(cli_table_add(&table, "%s, %zu landmarks", view->base, view->landmarks));
        else
            OF_TRY(cli_table_add(&table, "%s", view->base));
        OF_TRY(cli_table_add(&table, "%zu", view->passes));
        OF_TRY(cli_table_add(&table, "%s", cli_seconds_text(time, view->seconds)));
    }
    cli_table_show(screen, &table, "views", NULL);
    cli_left_out(screen, report->views, shown);
    return ONEFOLD_OK;
}

static void fit_lines(const cli_screen *screen, const of_estimate_report *report)
{
    const char *dot = cli_dot(screen);
    cli_margin(screen, "fit");
    cli_put(screen, CLI_PLAIN, "%s%s%zu clusters", report->method, dot, report->clusters);
    if (report->iterations)
        cli_put(screen, CLI_PLAIN, "%s%zu dims%s%zu anchors%s%zu restarts", dot, report->dims, dot,
                report->anchors, dot, report->restarts);
    cli_put(screen, CLI_PLAIN, "\n");
    if (!report->iterations)
        return;
    cli_margin(screen, NULL);
    cli_put(screen, CLI_PLAIN,
            "%zu iterations are assumed, as is usual: the data decide%s%zu passes over the "
            "partitions\n",
            report->iterations, dot, report->passes);
}

static void byte_lines(const cli_screen *screen, const of_estimate_report *report,
                       const char *folder)
{
    char input[32], partitions[32], peak[32], room[32], model[32];
    const char *dot = cli_dot(screen);
    cli_margin(screen, "memory");
    cli_put(screen, CLI_PLAIN, "data %s%spartitions %s%s%s%sat most %s of the %s free\n",
            of_size_text(input, report->estimate->input_bytes), dot,
            of_size_text(partitions, report->estimate->partition_bytes),
            report->estimate->spill_bytes ? ", spilled to " : "",
            report->estimate->spill_bytes ? folder : "", dot,
            of_size_text(peak, report->estimate->peak_bytes),
            of_size_text(room, report->free_bytes));
    if (!report->estimate->model_bytes)
        return;
    cli_margin(screen, "model");
    cli_put(screen, CLI_PLAIN, "a file of about %s\n",
            of_size_text(model, report->estimate->model_bytes));
}

static void time_lines(const cli_screen *screen, const of_estimate_report *report)
{
    char read[32], prepare[32], base[32], fit[32], total[32];
    const char *dot = cli_dot(screen);
    double work = report->seconds_base + report->seconds_fit;
    cli_margin(screen, "time");
    cli_put(screen, CLI_PLAIN, "read %s%sprepare %s", cli_seconds_text(read, report->seconds_read),
            dot, cli_seconds_text(prepare, report->seconds_prepare));
    if (work > 0)
        cli_put(screen, CLI_PLAIN, "%sbase about %s%sfit about %s%stotal about %s", dot,
                cli_seconds_text(base, report->seconds_base), dot,
                cli_seconds_text(fit, report->seconds_fit), dot,
                cli_seconds_text(total, report->seconds_read + report->seconds_prepare + work));
    else
        cli_put(screen, CLI_PLAIN, "%sno estimate for this method", dot);
    cli_put(screen, CLI_PLAIN, "%s%d thread%s\n", dot, report->threads,
            report->threads == 1 ? "" : "s");
}

static onefold_status show(const cli_session *session, of_arena *arena,
                           const of_estimate_report *report, const char *folder)
{
    cli_screen screen = cli_screen_of(stdout);
    char name[256];
    const char *dot = cli_dot(&screen);
    errno = 0;
    cli_margin(&screen, "data");
    cli_put(&screen, CLI_PLAIN, "%s%s%zu samples%s%zu view%s\n",
            cli_data_name(session->call, name, sizeof name), dot, report->samples, dot,
            report->views, report->views == 1 ? "" : "s");
    OF_TRY(view_table(&screen, arena, report));
    fit_lines(&screen, report);
    byte_lines(&screen, report, folder);
    time_lines(&screen, report);
    return cli_flush_output();
}

onefold_status cli_dry_run(const cli_session *session, const onefold_fit_options *options)
{
    OF_SCRATCH(scratch, session->context);
    of_fit_plan plan;
    of_method_estimate estimate;
    OF_TRY(of_fit_plan_make(session->context, &scratch, &session->dataset->set, options, &plan));
    OF_TRY(of_fit_plan_check_memory(session->context, &plan));
    OF_TRY(of_fit_plan_estimate_time(session->context, &scratch, &plan, &estimate));
    of_estimate_report report = {
        .method = plan.method->name,
        .samples = plan.problem.dataset->samples,
        .clusters = plan.options.clusters,
        .dims = plan.options.dims,
        .anchors = plan.options.anchors,
        .restarts = plan.options.restarts,
        .iterations = estimate.iterations,
        .passes = estimate.passes,
        .views = plan.problem.dataset->view_count,
        .estimate = &plan.estimate,
        .free_bytes = cli_free_memory(),
        .threads = session->threads,
        .seconds_read = session->seconds_read,
        .seconds_prepare = plan.seconds_kernels,
        .seconds_base = estimate.seconds_base,
        .seconds_fit = estimate.seconds_fit,
    };
    OF_TRY(view_rows(&scratch, &plan, &estimate, &report.view));
    if (session->call->value[CLI_JSON].given)
        return of_json_estimate(stdout, &report);
    return show(session, &scratch, &report, options->spill);
}
