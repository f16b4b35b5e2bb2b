/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onefold experiment: many data sets x many methods, by a file. Every set is a call of bench with
 * a file of finished cells. First all sets are planned, then the defaults are run, which are kept
 * and say how long the rest takes, then the rest.
 */
#include "base/number.h"
#include "others.h"
#include "outputs.h"
#include "study.h"
#include "verbs.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct job {
    const cli_call *call;
    cli_arena *arena;
    const onefold_study_info *about;
    const char *file;
    char *out, *folder; /* of the results; of the file */
    cli_call *sets;     /* calls of bench */
    double *expected;   /* seconds of each set, once they are known */
    cli_study study;
} job;

/* ---- the call of bench for a set --------------------------------------------------------------
 */

/* Puts the name of the set before the last error. */
static onefold_status blame(const job *j, size_t set, onefold_status status)
{
    char message[1024], hint[512];
    if (status == ONEFOLD_OK || status == ONEFOLD_INTERRUPTED)
        return status;
    snprintf(message, sizeof message, "%s", cli_last_error());
    snprintf(hint, sizeof hint, "%s", cli_last_hint());
    cli_fail(status, "%s, %s: %s", j->file, j->about->set[set]->name, message);
    return cli_hint(status, "%s", hint);
}

/* Options of a set as words; those that the command itself sets, or that have no meaning for many
 * sets, are refused. */
static onefold_status add_options(cli_arena *arena, const onefold_study_option *const *option,
                                  size_t count, char **words, size_t *at)
{
    static const char *const own[] = {"json",   "csv",      "markdown", "report",
                                      "resume", "progress", "quiet",    "portable"};
    for (size_t i = 0; i < count; i++) {
        const char *name = option[i]->name, *value = option[i]->value;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            if (strcmp(name, own[k]) == 0)
                return cli_hint(cli_fail(ONEFOLD_USAGE, "%s is no option of a data set", name),
                                "leave it out of the file");
        const char *blank = value && strcmp(name, "as") == 0 ? strchr(value, ' ') : NULL;
        if (blank) { /* "category a,b" is two words */
            CLI_TRY(
                cli_arena_string(arena, &words[(*at)++], "--as=%.*s", (int)(blank - value), value));
            CLI_TRY(cli_arena_string(arena, &words[(*at)++], "%s", blank + 1));
            continue;
        }
        CLI_TRY(cli_arena_string(arena, &words[(*at)++], "--%s%s%s", name, value ? "=" : "",
                                 value ? value : ""));
    }
    return ONEFOLD_OK;
}

static onefold_status make_folder(const job *j, const char *name)
{
    CLI_SCRATCH(scratch);
    char *path;
    CLI_TRY(cli_arena_string(&scratch, &path, "%s%s%s", j->out, *name ? "/" : "", name));
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_IO, "the folder %s cannot be made: %s", path, strerror(errno)),
                    "name another one with --out FOLDER");
}

/* Options of this command that hold for every set, as words. */
static onefold_status forwarded(const job *j, char **words, size_t *count)
{
    static const cli_option_id ids[] = {CLI_THREADS, CLI_MAX_MEMORY, CLI_PROGRESS, CLI_QUIET};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const cli_value *value = &j->call->value[ids[i]];
        const cli_option *option = cli_option_of(j->call->verb, ids[i]);
        if (!value->given || !option)
            continue;
        CLI_TRY(cli_arena_string(j->arena, &words[(*count)++], "--%s%s%s", option->name,
                                 option->kind == CLI_FLAG ? "" : "=",
                                 option->kind == CLI_FLAG ? "" : value->text));
    }
    return ONEFOLD_OK;
}

static onefold_status make_call(job *j, size_t s)
{
    enum { MORE = 16 };
    const onefold_study_set *set = j->about->set[s];
    cli_call *call = &j->sets[s];
    char **words;
    size_t count = 0;
    CLI_TRY(CLI_NEW(j->arena, &words, 2 * (j->about->options + set->options) + set->paths + MORE));
    CLI_TRY(add_options(j->arena, j->about->option, j->about->options, words, &count));
    CLI_TRY(add_options(j->arena, set->option, set->options, words, &count));
    CLI_TRY(forwarded(j, words, &count));
    CLI_TRY(cli_arena_string(j->arena, &words[count++], "--resume=%s/cells/%s.cells", j->out,
                             set->name));
    CLI_TRY(cli_arena_string(j->arena, &words[count++], "--report=%s/pages/%s.html", j->out,
                             set->name));
    CLI_TRY(cli_arena_string(j->arena, &words[count++], "--"));
    for (size_t i = 0; i < set->paths; i++)
        CLI_TRY(cli_arena_string(j->arena, &words[count++], "%s", set->path[i]));
    *call = (cli_call){.arena = j->arena,
                       .verb = cli_verb_find("bench", strlen("bench")),
                       .words = words,
                       .word_count = (int)count};
    return cli_parse(call);
}

/* The options of a set; its data in the session. */
static onefold_status open_set(const job *j, size_t s, cli_session *session,
                               onefold_fit_options *fit, onefold_experiment_options *options)
{
    const cli_call *call = &j->sets[s];
    onefold_experiment_options made = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    CLI_TRY(cli_session_start(session, call));
    CLI_TRY(cli_bench_options(call, fit, &made));
    CLI_TRY(cli_session_read(session, 0, call->operand_count));
    *options = made;
    if (onefold_dataset_describe(session->dataset)->truth)
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_USAGE, "the data has no true labels to score with"),
                    "name them in the file: \"truth\": VARIABLE or FILE:COLUMN");
}

/* ---- planning and measuring -------------------------------------------------------------------
 */

static void say(const job *j, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const job *j, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    of_number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_screen screen = cli_screen_of(stderr);
    if (!j->call->value[CLI_QUIET].given)
        cli_put(&screen, CLI_FAINT, "%s\n", text);
}

/* The parts of "method:...;method:..." that are about these methods. */
static onefold_status parts_of(cli_arena *arena, const char *parts, const char *methods,
                               const char **some)
{
    char *made = "", *list, *rest, *part;
    *some = NULL;
    if (!parts)
        return ONEFOLD_OK;
    CLI_TRY(cli_arena_string(arena, &list, "%s", parts));
    for (rest = list; (part = strsep(&rest, ";"));) {
        size_t length = strcspn(part, ":");
        for (const char *at = methods; *at; at += strcspn(at, ","), at += *at == ',')
            if (strcspn(at, ",") == length && strncmp(at, part, length) == 0)
                CLI_TRY(cli_arena_string(arena, &made, "%s%s%s", made, *made ? ";" : "", part));
    }
    *some = *made ? made : NULL;
    return ONEFOLD_OK;
}

/* A setting of a cell as a grid has it: "k=4,m=8" is "dims=4,anchors=8". */
static onefold_status grid_setting(cli_arena *arena, const onefold_experiment_cell_info *cell,
                                   char **text)
{
    const char *own = cell->setting;
    int sized = strncmp(own, "k=", 2) == 0 || strncmp(own, "m=", 2) == 0;
    if (!sized)
        return cli_arena_string(arena, text, "%s", own);
    while (strncmp(own, "k=", 2) == 0 || strncmp(own, "m=", 2) == 0) {
        own += strcspn(own, ",");
        own += *own == ',';
    }
    CLI_TRY(cli_arena_string(arena, text, "dims=%zu", cell->dims));
    if (cell->anchors)
        CLI_TRY(cli_arena_string(arena, text, "%s,anchors=%zu", *text, cell->anchors));
    return *own ? cli_arena_string(arena, text, "%s,%s", *text, own) : ONEFOLD_OK;
}

/* Whether a cell is one of a method's grid, and not its default. */
static int is_of_grid(const onefold_experiment_cell_info *cell, size_t method)
{
    return cell->method == method && (cell->roles & ONEFOLD_CELL_GRID) &&
           !(cell->roles & ONEFOLD_CELL_STANDARD);
}

/* Up to three cells of a method's grid, evenly spread, appended as "method:a=1,b=2/a=3,b=4". Cells
 * of one grid can take very different numbers of iterations. */
static onefold_status add_some_cells(cli_arena *arena, const onefold_experiment_info *plan,
                                     size_t method, char **grids)
{
    size_t count = 0, taken = 0, place = 0;
    for (size_t c = 0; c < plan->cells; c++)
        count += is_of_grid(plan->cell[c], method);
    size_t some = count > 5 ? 3 : (count + 3) / 4;
    for (size_t c = 0; c < plan->cells; c++) {
        char *setting;
        if (!is_of_grid(plan->cell[c], method) || place++ != (2 * taken + 1) * count / (2 * some))
            continue;
        CLI_TRY(grid_setting(arena, plan->cell[c], &setting));
        if (taken++)
            CLI_TRY(cli_arena_string(arena, grids, "%s/%s", *grids, setting));
        else
            CLI_TRY(cli_arena_string(arena, grids, "%s%s%s:%s", *grids, **grids ? ";" : "",
                                     plan->method[method]->name, setting));
    }
    return ONEFOLD_OK;
}

/* The cell of an experiment that is this one of the plan, or NULL. */
static const onefold_experiment_cell_info *same_cell(const onefold_experiment_info *info,
                                                     const onefold_experiment_info *plan,
                                                     const onefold_experiment_cell_info *cell)
{
    for (size_t c = 0; c < info->cells; c++) {
        unsigned standard = (info->cell[c]->roles | cell->roles) & ONEFOLD_CELL_STANDARD;
        if (strcmp(info->method[info->cell[c]->method]->name, plan->method[cell->method]->name) ==
                0 &&
            (standard ? info->cell[c]->roles & cell->roles & ONEFOLD_CELL_STANDARD
                      : strcmp(info->cell[c]->setting, cell->setting) == 0))
            return info->cell[c];
    }
    return NULL;
}

/* Seconds for the cells of a method that are not finished: as those took that were run (of `times`
 * as many repeats as they had), by the operations that are counted in both. */
static double still_takes(const onefold_experiment_info *plan, size_t method,
                          const onefold_experiment_info *info, double times)
{
    double took = 0, operations = 0, count = 0, left = 0, cells = 0;
    for (size_t c = 0; c < plan->cells; c++) {
        const onefold_experiment_cell_info *cell = plan->cell[c], *ran;
        if (cell->method != method)
            continue;
        ran = same_cell(info, plan, cell);
        if (ran) {
            took += ran->seconds * times;
            operations += cell->seconds_expected;
            count++;
        }
        if (!cell->kept && !(ran && times == 1)) {
            left += cell->seconds_expected;
            cells++;
        }
    }
    return operations > 0 ? took * left / operations : count > 0 ? took * cells / count : 0;
}

/* Runs the defaults and some cells of the grids: of the methods that end in k-means with all
 * repeats, of the others one run. What the former give is kept. Adds what the cells that are not
 * finished will take to j->expected: as long as these, by the operations of both. */
static onefold_status measure(job *j, size_t s, cli_session *session,
                              const onefold_fit_options *fit,
                              const onefold_experiment_options *options,
                              const onefold_experiment_info *plan, int kmeans)
{
    CLI_SCRATCH(scratch);
    onefold_experiment_options some = *options;
    onefold_experiment *experiment = NULL;
    char *methods = "", *grids = "";
    int sized = 0;
    for (size_t i = 0; i < plan->methods; i++)
        if ((plan->method[i]->ends_in_kmeans != 0) == kmeans) {
            CLI_TRY(cli_arena_string(&scratch, &methods, "%s%s%s", methods, *methods ? "," : "",
                                     plan->method[i]->name));
            CLI_TRY(add_some_cells(&scratch, plan, i, &grids));
            sized |= plan->cell[plan->method[i]->standard]->anchors > 0;
        }
    if (!*methods)
        return ONEFOLD_OK;
    some.methods = methods;
    some.grid = *grids ? grids : "none";
    some.sensitivity = sized && *grids ? "2" : NULL; /* its default, and not all of the table */
    CLI_TRY(parts_of(&scratch, options->method_options, methods, &some.method_options));
    some.repeats = kmeans ? options->repeats : 1;
    onefold_status status =
        onefold_experiment_run(&experiment, session->context, session->dataset, fit, &some);
    if (status == ONEFOLD_INTERRUPTED)
        return status;
    const onefold_experiment_info *info = onefold_experiment_describe(experiment);
    for (size_t i = 0; info && i < plan->methods; i++) /* where all failed, so will they later */
        if ((plan->method[i]->ends_in_kmeans != 0) == kmeans)
            j->expected[s] += still_takes(plan, i, info, kmeans ? 1 : (double)options->repeats);
    onefold_experiment_free(experiment);
    return ONEFOLD_OK;
}

/* The run of another method's command on a set. */
static onefold_status other_run(const job *j, size_t s, const onefold_study_other *other,
                                size_t clusters, size_t repeats, uint64_t seed, cli_other_run *run)
{
    char *out;
    CLI_TRY(cli_arena_string(j->arena, &out, "%s/labels/%s", j->out, other->name));
    *run = (cli_other_run){.other = other,
                           .folder = j->folder,
                           .out = out,
                           .set = j->about->set[s],
                           .clusters = clusters,
                           .repeats = repeats,
                           .seed = seed};
    return ONEFOLD_OK;
}

/* Times the first repeat of each command. */
static onefold_status measure_others(job *j, size_t s, const cli_session *session,
                                     const onefold_experiment_info *plan)
{
    for (size_t o = 0; o < j->about->others; o++) {
        CLI_SCRATCH(scratch);
        cli_other_run run;
        cli_labellings made;
        double seconds;
        if (!j->about->other[o]->command)
            continue;
        CLI_TRY(
            other_run(j, s, j->about->other[o], plan->clusters, plan->repeats, plan->seed, &run));
        run.stop_after = 1;
        onefold_status status =
            cli_other_labels(session->context, &run, session->dataset, &scratch, &made, &seconds);
        if (status == ONEFOLD_INTERRUPTED)
            return status;
        if (status == ONEFOLD_OK)
            j->expected[s] += seconds * (double)(plan->repeats - 1);
    }
    return ONEFOLD_OK;
}

/* The labels of other methods in files, before anything is run. */
static onefold_status check_others(const job *j, size_t s, const cli_session *session)
{
    for (size_t o = 0; o < j->about->others; o++) {
        const onefold_study_other *other = j->about->other[o];
        for (size_t f = 0; f < other->files; f++) {
            CLI_SCRATCH(scratch);
            cli_labellings made;
            if (strcmp(other->set[f], j->about->set[s]->name) == 0)
                CLI_TRY(cli_labellings_read(session->context, other->file[f], session->dataset,
                                            &scratch, &made));
        }
    }
    return ONEFOLD_OK;
}

static onefold_status plan_set(job *j, size_t s, int measured, size_t *cells, double *counts)
{
    CLI_SESSION(session);
    onefold_fit_options fit;
    onefold_experiment_options options;
    onefold_experiment *plan = NULL;
    double began = cli_clock();
    CLI_TRY(open_set(j, s, &session, &fit, &options));
    CLI_TRY(onefold_experiment_plan(&plan, session.context, session.dataset, &fit, &options));
    const onefold_experiment_info *info = onefold_experiment_describe(plan);
    onefold_status status = ONEFOLD_OK;
    if (measured) {
        j->expected[s] += cli_clock() - began; /* the data is read and planned again */
        status = measure(j, s, &session, &fit, &options, info, 0);
        if (status == ONEFOLD_OK)
            status = measure(j, s, &session, &fit, &options, info, 1);
        if (status == ONEFOLD_OK)
            status = measure_others(j, s, &session, info);
    } else {
        status = check_others(j, s, &session);
        *cells += info->cells;
        *counts += info->expected_seconds;
    }
    onefold_experiment_free(plan);
    return status;
}

/* ---- running -------------------------------------------------------------------------------- */

/* Adds the labels of the methods of others on the set that was added last. */
static onefold_status add_others(job *j, size_t s, const cli_session *session,
                                 const onefold_experiment_info *info)
{
    const onefold_dataset_info *data = onefold_dataset_describe(session->dataset);
    for (size_t o = 0; o < j->about->others; o++) {
        CLI_SCRATCH(scratch);
        const onefold_study_other *other = j->about->other[o];
        cli_labellings made;
        double seconds = NAN;
        onefold_status status = ONEFOLD_OK;
        if (other->command) {
            cli_other_run run;
            CLI_TRY(other_run(j, s, other, info->clusters, info->repeats, info->seed, &run));
            status = cli_other_labels(session->context, &run, session->dataset, &scratch, &made,
                                      &seconds);
        } else {
            size_t f = 0;
            while (f < other->files && strcmp(other->set[f], j->about->set[s]->name) != 0)
                f++;
            if (f == other->files)
                continue;
            seconds = other->seconds[f];
            CLI_TRY(cli_labellings_read(session->context, other->file[f], session->dataset,
                                        &scratch, &made));
        }
        if (status == ONEFOLD_INTERRUPTED)
            return status;
        if (status == ONEFOLD_OK)
            CLI_TRY(cli_study_add_labels(&j->study, other, made.label, made.count, data->truth,
                                         data->samples, seconds));
        else
            CLI_TRY(cli_study_add_failure(&j->study, other, status, cli_last_error()));
    }
    return ONEFOLD_OK;
}

static onefold_status run_set(job *j, size_t s)
{
    CLI_SESSION(session);
    onefold_fit_options fit;
    onefold_experiment_options options;
    onefold_experiment *experiment = NULL;
    CLI_TRY(open_set(j, s, &session, &fit, &options));
    CLI_TRY(onefold_experiment_run(&experiment, session.context, session.dataset, &fit, &options));
    cli_progress_end(session.progress);
    const onefold_experiment_info *info = onefold_experiment_describe(experiment);
    onefold_report page = cli_page(&session);
    page.experiment = experiment;
    page.options = &fit;
    page.name = j->about->set[s]->name;
    onefold_status status = cli_study_add(&j->study, page.name, info);
    if (status == ONEFOLD_OK) {
        j->study.set[j->study.sets - 1].about = j->about->set[s];
        status = add_others(j, s, &session, info);
    }
    if (status == ONEFOLD_OK)
        status = cli_report_write(&session, &page);
    if (status == ONEFOLD_OK)
        status = cli_session_place(&session);
    onefold_experiment_free(experiment);
    return status;
}

/* ---- what is written ------------------------------------------------------------------------- */

typedef enum text_kind { CSV, TABLES, REPORT, METHODS, BIBTEX, DOCUMENT } text_kind;

static onefold_status put_text(const job *j, text_kind kind, const char *const *figures, FILE *out)
{
    CLI_SCRATCH(scratch);
    cli_sheet sheet = cli_sheet_make(&scratch, (cli_screen){.file = out}, kind == REPORT);
    switch (kind) {
    case CSV:
        cli_study_csv(&j->study, out);
        break;
    case TABLES:
        cli_sheet_latex(&sheet);
        return cli_study_sheet(&j->study, &sheet);
    case REPORT:
        CLI_TRY(cli_study_sheet(&j->study, &sheet));
        fputs("\n## Figures\n\n", out);
        for (size_t i = 0; figures[i]; i++)
            fprintf(out, "![%s](<figures/%s.svg>)\n\n", figures[i], figures[i]);
        break;
    case METHODS:
        cli_study_methods(&j->study, out);
        break;
    case BIBTEX:
        cli_study_bibtex(&j->study, out);
        break;
    case DOCUMENT:
        cli_study_document(figures, out);
    }
    return ONEFOLD_OK;
}

static onefold_status write_text(const job *j, onefold_context *context, text_kind kind,
                                 const char *name, const char *const *figures)
{
    CLI_SCRATCH(scratch);
    char *text = NULL, *path;
    size_t size = 0;
    CLI_TRY(cli_arena_string(&scratch, &path, "%s/%s", j->out, name));
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return cli_fail(ONEFOLD_NO_MEMORY, "there is no memory for %s", path);
    onefold_status status = put_text(j, kind, figures, out);
    if (fclose(out) != 0 && status == ONEFOLD_OK)
        status = cli_fail(ONEFOLD_NO_MEMORY, "there is no memory for %s", path);
    if (status == ONEFOLD_OK)
        status = onefold_text_write(text, size, context, path);
    free(text);
    return status;
}

/* All files appear together. */
static onefold_status write_all(const job *j, onefold_context *context)
{
    static const struct {
        text_kind kind;
        const char *name;
    } texts[] = {{CSV, "results.csv"},     {TABLES, "tables.tex"},     {REPORT, "report.md"},
                 {METHODS, "methods.tex"}, {BIBTEX, "references.bib"}, {DOCUMENT, "document.tex"}};
    CLI_SCRATCH(scratch);
    const char **figures;
    char *folder;
    CLI_TRY(onefold_context_hold_outputs(context));
    CLI_TRY(cli_arena_string(&scratch, &folder, "%s/figures", j->out));
    CLI_TRY(cli_study_figures(&j->study, context, folder, &figures));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CLI_TRY(write_text(j, context, texts[i].kind, texts[i].name, figures));
    return onefold_context_place_outputs(context);
}

static onefold_status print_all(const job *j)
{
    const cli_value *value = j->call->value;
    if (value[CLI_CSV].given) {
        cli_study_csv(&j->study, stdout);
        return cli_flush_output();
    }
    CLI_SCRATCH(scratch);
    cli_sheet sheet = cli_sheet_make(&scratch, cli_screen_of(stdout), value[CLI_MARKDOWN].given);
    if (value[CLI_LATEX].given)
        cli_sheet_latex(&sheet);
    return cli_study_sheet(&j->study, &sheet);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static onefold_status prepare(job *j)
{
    const char *slash = strrchr(j->file, '/'), *stem = slash ? slash + 1 : j->file,
               *dot = strrchr(stem, '.');
    const cli_value *out = &j->call->value[CLI_OUT];
    CLI_TRY(cli_arena_string(j->arena, &j->folder, "%.*s", slash ? (int)(slash - j->file) + 1 : 0,
                             j->file));
    if (out->given)
        CLI_TRY(cli_arena_string(j->arena, &j->out, "%s", out->text));
    else
        CLI_TRY(cli_arena_string(j->arena, &j->out, "%.*s%s",
                                 dot && dot > stem ? (int)(dot - j->file) : (int)strlen(j->file),
                                 j->file, dot && dot > stem ? "" : ".out"));
    CLI_TRY(CLI_NEW(j->arena, &j->sets, j->about->sets));
    CLI_TRY(CLI_NEW(j->arena, &j->expected, j->about->sets));
    for (size_t s = 0; s < j->about->sets; s++)
        CLI_TRY(blame(j, s, make_call(j, s)));
    for (size_t o = 0; o < j->about->others; o++)
        for (size_t m = 0; onefold_method_describe(m); m++)
            if (strcmp(onefold_method_describe(m)->name, j->about->other[o]->name) == 0)
                return cli_hint(cli_fail(ONEFOLD_USAGE, "%s: %s is the name of a method here",
                                         j->file, j->about->other[o]->name),
                                "give the other method another name");
    static const char *const folders[] = {"", "cells", "labels", "figures", "pages"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        CLI_TRY(make_folder(j, folders[i]));
    j->study = cli_study_make(j->arena, j->about->name);
    j->study.wanted = j->about->wanted;
    return ONEFOLD_OK;
}

/* An interruption says how the experiment goes on. */
static onefold_status stopped(const job *j, size_t set, onefold_status status)
{
    if (status != ONEFOLD_INTERRUPTED)
        return blame(j, set, status);
    return cli_hint(cli_fail(status, "interrupted at %s, set %zu of %zu", j->about->set[set]->name,
                             set + 1, j->about->sets),
                    "what is finished is kept in %s; the same command goes on from there", j->out);
}

static onefold_status run(job *j)
{
    char time[32], took[32], rest[32];
    double counts = 0, expected = 0, left;
    size_t cells = 0, sets = j->about->sets;
    double began = cli_clock();
    CLI_TRY(prepare(j));
    for (size_t s = 0; s < sets; s++)
        CLI_TRY(stopped(j, s, plan_set(j, s, 0, &cells, &counts)));
    const char *plural[2] = {sets == 1 ? "" : "s", cells == 1 ? "" : "s"};
    say(j, "%zu set%s, %zu cell%s", sets, plural[0], cells, plural[1]);
    if (j->call->value[CLI_DRY_RUN].given) {
        printf("%zu set%s, %zu cell%s: %s by counting operations; a run measures it\n", sets,
               plural[0], cells, plural[1], cli_seconds_text(time, counts));
        return cli_flush_output();
    }
    for (size_t s = 0; s < sets; s++) {
        CLI_TRY(stopped(j, s, plan_set(j, s, 1, NULL, NULL)));
        expected += j->expected[s];
    }
    say(j, "about %s left, measured on some cells", cli_seconds_text(time, expected));
    left = expected;
    double since = cli_clock();
    for (size_t s = 0; s < sets; s++) {
        say(j, "set %zu of %zu, %s: about %s left", s + 1, sets, j->about->set[s]->name,
            cli_seconds_text(time, left));
        CLI_TRY(stopped(j, s, run_set(j, s)));
        left -= j->expected[s];
    }
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, j->call));
    CLI_TRY(write_all(j, session.context));
    say(j,
        "took %s, %s of it since the estimate of %s; %s has the tables, results.csv, figures "
        "and pages",
        cli_seconds_text(took, cli_clock() - began), cli_seconds_text(rest, cli_clock() - since),
        cli_seconds_text(time, expected), j->out);
    return print_all(j);
}

onefold_status cli_experiment(cli_call *call)
{
    onefold_study *study = NULL;
    job j = {.call = call, .arena = call->arena, .file = call->operands[0]};
    const cli_value *value = call->value;
    if (value[CLI_CSV].given + value[CLI_MARKDOWN].given + value[CLI_LATEX].given > 1)
        return cli_fail(ONEFOLD_USAGE, "more than one of --csv, --markdown and --latex is given");
    CLI_TRY(onefold_study_read(&study, NULL, j.file));
    j.about = onefold_study_describe(study);
    onefold_status status = run(&j);
    onefold_study_free(study);
    return status;
}
