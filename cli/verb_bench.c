/* SPDX-License-Identifier: Apache-2.0 */
/* onefold bench: reads the data, runs the cells of every method, prints. */
#include "bench_sheet.h"
#include "verbs.h"

#include "base.h"
#include "others.h"
#include "outputs.h"
#include "study.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* The methods' own options as "method:name=value,...;method:...". */
static onefold_status join_own(const cli_call *call, const char **joined)
{
    char *text = "";
    for (size_t m = 0; onefold_method_describe(m); m++) {
        const char *before = *text ? ";" : "";
        int first = 1;
        for (size_t i = 0; i < call->own_count; i++) {
            const cli_own *own = &call->own[i];
            const char *name = own->option->name;
            if (own->method != m)
                continue;
            if (strcmp(name, "kmeans-start") == 0 || strcmp(name, "replicates") == 0)
                return cli_hint(cli_fail(ONEFOLD_USAGE,
                                         "--%s-%s: bench has one k-means for all methods",
                                         onefold_method_describe(m)->name, name),
                                "give --%s instead", name);
            CLI_TRY(first
                        ? cli_arena_string(call->arena, &text, "%s%s%s:%s=%s", text, before,
                                           onefold_method_describe(m)->name, name, own->value)
                        : cli_arena_string(call->arena, &text, "%s,%s=%s", text, name, own->value));
            first = 0;
        }
    }
    *joined = *text ? text : NULL;
    return ONEFOLD_OK;
}

onefold_status cli_bench_options(const cli_call *call, onefold_fit_options *fit,
                                 onefold_experiment_options *options)
{
    const cli_value *value = call->value;
    CLI_TRY(cli_shared_options(call, fit));
    CLI_TRY(join_own(call, &options->method_options));
    options->methods = value[CLI_METHODS].text;
    options->sensitivity = value[CLI_SENSITIVITY].text;
    options->kmeans_start = (onefold_kmeans_start)value[CLI_KMEANS_START].word;
    options->grid = value[CLI_GRID].text;
    options->store = value[CLI_RESUME].text;
    cli_take_count(&value[CLI_REPEATS], &options->repeats);
    cli_take_count(&value[CLI_REPLICATES], &options->replicates);
    if (value[CLI_LABELS_OF].given && value[CLI_JSON].given)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--labels-of goes into tables, not --json"),
                        "--csv has all numbers");
    if (value[CLI_LATEX].given &&
        value[CLI_JSON].given + value[CLI_CSV].given + value[CLI_MARKDOWN].given > 0)
        return cli_fail(ONEFOLD_USAGE, "--latex and another form of the tables are given");
    if (value[CLI_JSON].given + value[CLI_CSV].given + value[CLI_MARKDOWN].given > 1)
        return cli_hint(
            cli_fail(ONEFOLD_USAGE, "more than one of --json, --csv and --markdown is given"),
            "choose one; with --resume FILE a second run reuses the finished cells");
    return onefold_experiment_check(fit, options);
}

static onefold_status print_result(const cli_session *session, const onefold_report *page)
{
    const cli_value *value = session->call->value;
    const onefold_experiment_info *info = onefold_experiment_describe(page->experiment);
    if (value[CLI_JSON].given)
        return cli_json_print(page);
    CLI_SCRATCH(scratch);
    char shown[512];
    cli_show_text(page->name, shown, sizeof shown);
    cli_sheet sheet = cli_sheet_make(&scratch, cli_screen_of(stdout), value[CLI_MARKDOWN].given);
    return cli_bench_sheet(&sheet, shown, info);
}

/* ---- the same as a study of one set, for CSV, LaTeX, figures and labels of other methods -------
 */

static int is_study(const cli_value *value)
{
    return value[CLI_CSV].given || value[CLI_LATEX].given || value[CLI_FIGURES].given ||
           value[CLI_LABELS_OF].given;
}

/* Reads the methods of "NAME=FILE,...", and adds them to a study (NULL: only checks them). */
static onefold_status add_labels_of(const cli_session *session, cli_study *study)
{
    const cli_call *call = session->call;
    const onefold_dataset_info *data = onefold_dataset_describe(session->dataset);
    char *list, *rest, *part;
    if (!call->value[CLI_LABELS_OF].given)
        return ONEFOLD_OK;
    if (!data->truth)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--labels-of needs true labels to score with"),
                        "name them with --truth");
    CLI_TRY(cli_arena_string(call->arena, &list, "%s", call->value[CLI_LABELS_OF].text));
    for (rest = list; (part = strsep(&rest, ","));) {
        CLI_SCRATCH(scratch);
        onefold_study_other *other;
        cli_labellings made;
        char *equals = strchr(part, '=');
        if (!equals || equals == part || !equals[1])
            return cli_hint(cli_fail(ONEFOLD_USAGE, "--labels-of '%s' is not NAME=FILE", part),
                            "several are separated by commas");
        *equals = '\0';
        for (size_t m = 0; onefold_method_describe(m); m++)
            if (strcmp(onefold_method_describe(m)->name, part) == 0)
                return cli_hint(cli_fail(ONEFOLD_USAGE, "%s is the name of a method here", part),
                                "give the other method another name");
        CLI_TRY(CLI_NEW(call->arena, &other, 1));
        other->name = part;
        CLI_TRY(
            cli_labellings_read(session->context, equals + 1, session->dataset, &scratch, &made));
        if (study)
            CLI_TRY(cli_study_add_labels(study, other, made.label, made.count, data->truth,
                                         data->samples, NAN));
    }
    return ONEFOLD_OK;
}

static onefold_status make_study(const cli_session *session, const onefold_report *page,
                                 cli_study *study)
{
    const cli_value *value = session->call->value;
    const onefold_experiment_info *info = onefold_experiment_describe(page->experiment);
    const char *folder = value[CLI_FIGURES].text, **names;
    char shown[512];
    cli_show_text(page->name, shown, sizeof shown);
    *study = cli_study_make(session->call->arena, page->name);
    if (!is_study(value))
        return ONEFOLD_OK;
    if (!info->classes)
        study->wanted = ONEFOLD_WANT_TIMES | ONEFOLD_WANT_CONVERGENCE;
    CLI_TRY(cli_study_add(study, shown, info));
    CLI_TRY(add_labels_of(session, study));
    if (!folder)
        return ONEFOLD_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_fail(ONEFOLD_IO, "--figures %s: the folder cannot be made: %s", folder,
                        strerror(errno));
    return cli_study_figures(study, session->context, folder, &names);
}

static onefold_status print_study(const cli_session *session, const cli_study *study)
{
    CLI_SCRATCH(scratch);
    const cli_value *value = session->call->value;
    cli_sheet sheet = cli_sheet_make(&scratch, cli_screen_of(stdout), value[CLI_MARKDOWN].given);
    if (value[CLI_CSV].given) {
        cli_study_csv(study, stdout);
        return cli_flush_output();
    }
    if (value[CLI_LATEX].given)
        cli_sheet_latex(&sheet);
    return cli_study_sheet(study, &sheet);
}

static onefold_status run(cli_session *session, const onefold_fit_options *fit,
                          const onefold_experiment_options *options)
{
    onefold_experiment *experiment = NULL;
    const cli_value *value = session->call->value;
    cli_study study;
    char name[256];
    session->progress->announces =
        !session->call->value[CLI_QUIET].given && session->progress->mode != CLI_PROGRESS_JSON;
    CLI_TRY(add_labels_of(session, NULL));
    onefold_status status =
        onefold_experiment_run(&experiment, session->context, session->dataset, fit, options);
    cli_progress_end(session->progress);
    onefold_report page = cli_page(session);
    page.experiment = experiment;
    page.options = fit;
    page.name = cli_data_name(session->call, name, sizeof name);
    if (status == ONEFOLD_OK)
        status = cli_report_write(session, &page);
    if (status == ONEFOLD_OK)
        status = make_study(session, &page, &study);
    if (status == ONEFOLD_OK)
        status = cli_session_place(session);
    if (status == ONEFOLD_OK)
        status = value[CLI_CSV].given || value[CLI_LATEX].given || value[CLI_LABELS_OF].given
                     ? print_study(session, &study)
                     : print_result(session, &page);
    onefold_experiment_free(experiment);
    return status;
}

onefold_status cli_bench(cli_call *call)
{
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    onefold_fit_options fit;
    CLI_TRY(cli_bench_options(call, &fit, &options));
    CLI_TRY(cli_check_outputs(call));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(cli_session_read(&session, 0, call->operand_count));
    return run(&session, &fit, &options);
}
