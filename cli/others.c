/* SPDX-License-Identifier: Apache-2.0 */
/* Reads labellings, and runs the commands of other people's methods. */
#include "others.h"

#include "base/number.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- files of labels ------------------------------------------------------------------------- */

/* Brings labels into the order of `with`, and copies them to the next place. */
static onefold_status place_labels(onefold_dataset *labels, const onefold_dataset *with,
                                   const char *path, cli_labellings *made)
{
    size_t before = onefold_dataset_describe(labels)->samples;
    if (with)
        CLI_TRY(onefold_labels_match(labels, with, &made->matched));
    const onefold_dataset_info *info = onefold_dataset_describe(labels);
    size_t wanted = with ? onefold_dataset_describe(with)->samples : info->samples;
    made->ignored = before - info->samples;
    if (info->samples != wanted)
        return cli_hint(cli_fail(ONEFOLD_BAD_DATA, "%s has %zu labels, and the data has %zu", path,
                                 info->samples, wanted),
                        "both must be of the same samples, in the same order");
    memcpy(made->label + made->count++ * wanted, info->truth, wanted * sizeof *made->label);
    made->samples = wanted;
    return ONEFOLD_OK;
}

/* One column of a matrix as a file of labels. */
static onefold_status place_column(onefold_context *context, const onefold_dataset *matrix,
                                   const double *values, size_t step, const onefold_dataset *with,
                                   const char *path, int64_t *label, cli_labellings *made)
{
    const onefold_dataset_info *info = onefold_dataset_describe(matrix);
    onefold_dataset *labels = NULL;
    for (size_t j = 0; j < info->samples; j++) {
        double value = values[j * step];
        if (!(fabs(value) < 1e15) || value != floor(value))
            return cli_hint(cli_fail(ONEFOLD_BAD_DATA,
                                     "%s: %g in row %zu is no label: labels are whole numbers",
                                     path, value, j + 1),
                            "a file of many labellings has a row for each sample and a column for "
                            "each labelling");
        label[j] = (int64_t)value;
    }
    CLI_TRY(onefold_dataset_create(&labels, context, info->samples));
    onefold_status status = onefold_dataset_set_truth(labels, label, NULL);
    if (status == ONEFOLD_OK && info->sample_names)
        status = onefold_dataset_set_sample_names(labels, info->sample_names);
    if (status == ONEFOLD_OK)
        status = place_labels(labels, with, path, made);
    onefold_dataset_free(labels);
    return status;
}

static onefold_status place_matrix(onefold_context *context, const onefold_dataset *matrix,
                                   const onefold_dataset *with, const char *path, cli_arena *arena,
                                   cli_labellings *made)
{
    CLI_SCRATCH(scratch);
    onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
    size_t samples = onefold_dataset_describe(matrix)->samples;
    double *values;
    int64_t *label;
    if (onefold_dataset_describe(matrix)->views != 1)
        return cli_hint(cli_fail(ONEFOLD_BAD_DATA, "%s holds more than one matrix", path),
                        "name the labels: FILE:NAME");
    CLI_TRY(onefold_dataset_view(matrix, 0, &view));
    CLI_TRY(CLI_NEW(&scratch, &values, samples * view.columns));
    CLI_TRY(CLI_NEW(&scratch, &label, samples));
    CLI_TRY(CLI_NEW(arena, &made->label, samples * view.columns));
    CLI_TRY(onefold_dataset_values(values, matrix, 0, 0, samples));
    for (size_t c = 0; c < view.columns; c++)
        CLI_TRY(place_column(context, matrix, values + c, view.columns, with, path, label, made));
    return ONEFOLD_OK;
}

/* Splits "FILE:NAME" where FILE exists and the whole does not. */
static onefold_status split_name(cli_arena *arena, const char *path, char **file, const char **name)
{
    const char *colon = strrchr(path, ':');
    CLI_TRY(cli_arena_string(arena, file, "%s", path));
    *name = NULL;
    if (!colon || colon == path || !colon[1] || access(path, F_OK) == 0)
        return ONEFOLD_OK;
    (*file)[colon - path] = '\0';
    *name = colon + 1;
    return ONEFOLD_OK;
}

static onefold_status read_matrix(onefold_context *context, const char *path,
                                  const onefold_dataset *with, cli_arena *arena,
                                  cli_labellings *made)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    onefold_dataset *matrix = NULL;
    char *file;
    CLI_TRY(split_name(arena, path, &file, &options.views));
    const char *const paths[] = {file};
    options.no_truth = 1;
    options.samples_are = ONEFOLD_SIDE_ROWS;
    CLI_TRY(onefold_dataset_read(&matrix, context, paths, 1, &options));
    onefold_status status = place_matrix(context, matrix, with, path, arena, made);
    onefold_dataset_free(matrix);
    return status;
}

onefold_status cli_labellings_read(onefold_context *context, const char *path,
                                   const onefold_dataset *with, cli_arena *arena,
                                   cli_labellings *made)
{
    onefold_dataset *labels = NULL;
    *made = (cli_labellings){0};
    onefold_status status = onefold_labels_read(&labels, context, path);
    if (status == ONEFOLD_OK) {
        size_t samples = onefold_dataset_describe(labels)->samples;
        status = CLI_NEW(arena, &made->label, samples);
        if (status == ONEFOLD_OK)
            status = place_labels(labels, with, path, made);
        onefold_dataset_free(labels);
        return status;
    }
    if (status != ONEFOLD_BAD_DATA)
        return status;
    char message[1024], hint[512]; /* of the file as one labelling */
    snprintf(message, sizeof message, "%s", cli_last_error());
    snprintf(hint, sizeof hint, "%s", cli_last_hint());
    status = read_matrix(context, path, with, arena, made);
    if (status == ONEFOLD_BAD_DATA && made->samples == 0 && !strstr(cli_last_error(), "no label") &&
        !strstr(cli_last_error(), "labels, and"))
        return cli_hint(cli_fail(status, "%s", message), "%s", hint);
    return status;
}

/* ---- commands ------------------------------------------------------------------------------- */

static onefold_status make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return ONEFOLD_OK;
    return cli_fail(ONEFOLD_IO, "the folder %s cannot be made: %s", path, strerror(errno));
}

static onefold_status absolute(cli_arena *arena, const char *path, char **made)
{
    char here[4096];
    if (*path == '/')
        return cli_arena_string(arena, made, "%s", path);
    if (!getcwd(here, sizeof here))
        return cli_fail(ONEFOLD_IO, "the present folder has no name: %s", strerror(errno));
    return cli_arena_string(arena, made, "%s/%s", here, path);
}

/* In the child: the command by sh, in its folder, with its output in a file. */
static void become(const cli_other_run *run, char *const *variables, const char *log)
{
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666),
        in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    if (out < 0 || in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
        _exit(126);
    if (*run->folder && chdir(run->folder) != 0)
        _exit(126);
    for (size_t i = 0; variables[i]; i++)
        if (putenv(variables[i]) != 0)
            _exit(126);
    for (int s = 1; s < 32; s++)
        signal(s, SIG_DFL);
    execl("/bin/sh", "sh", "-c", run->other->command, (char *)NULL);
    _exit(127);
}

/* Waits for the child; an interruption ends it and all that it started. */
static onefold_status wait_for(pid_t child, int *ending)
{
    enum { STEP_NS = 10 * 1000 * 1000 };
    const struct timespec step = {0, STEP_NS};
    pid_t done;
    while ((done = waitpid(child, ending, WNOHANG)) == 0 || (done < 0 && errno == EINTR)) {
        if (cli_interrupted()) {
            kill(-child, SIGTERM);
            kill(child, SIGTERM);
            waitpid(child, ending, 0);
            return cli_fail(ONEFOLD_INTERRUPTED, "interrupted");
        }
        nanosleep(&step, NULL);
    }
    return done == child
               ? ONEFOLD_OK
               : cli_fail(ONEFOLD_IO, "a command cannot be waited for: %s", strerror(errno));
}

/* The files of a repeat. */
typedef struct place {
    char *labels, *working, *seconds, *log;
} place;

static onefold_status place_of(cli_arena *arena, const cli_other_run *run, size_t repeat,
                               place *made)
{
    char *stem;
    CLI_TRY(cli_arena_string(arena, &stem, "%s/%s-%zu", run->out, run->set->name, repeat + 1));
    CLI_TRY(absolute(arena, stem, &stem));
    CLI_TRY(cli_arena_string(arena, &made->labels, "%s%s", stem, run->other->ending));
    CLI_TRY(cli_arena_string(arena, &made->working, "%s.part%s", stem, run->other->ending));
    CLI_TRY(cli_arena_string(arena, &made->seconds, "%s.seconds", stem));
    return cli_arena_string(arena, &made->log, "%s.log", stem);
}

static onefold_status variables_of(cli_arena *arena, const cli_other_run *run, size_t repeat,
                                   const place *files, char **variable)
{
    char *all = "", *path, *first = NULL;
    for (size_t i = 0; i < run->set->paths; i++) {
        CLI_TRY(absolute(arena, run->set->path[i], &path));
        CLI_TRY(cli_arena_string(arena, &all, "%s%s%s", all, i ? "\n" : "", path));
        first = first ? first : path;
    }
    CLI_TRY(cli_arena_string(arena, &variable[0], "ONEFOLD_SET=%s", run->set->name));
    CLI_TRY(cli_arena_string(arena, &variable[1], "ONEFOLD_DATA=%s", first));
    CLI_TRY(cli_arena_string(arena, &variable[2], "ONEFOLD_FILES=%s", all));
    CLI_TRY(cli_arena_string(arena, &variable[3], "ONEFOLD_CLUSTERS=%zu", run->clusters));
    CLI_TRY(cli_arena_string(arena, &variable[4], "ONEFOLD_REPEAT=%zu", repeat + 1));
    CLI_TRY(cli_arena_string(arena, &variable[5], "ONEFOLD_SEED=%llu",
                             (unsigned long long)(run->seed + repeat)));
    return cli_arena_string(arena, &variable[6], "ONEFOLD_LABELS=%s", files->working);
}

/* Runs a repeat. Its labels and seconds appear at once, when it has succeeded. */
static onefold_status run_repeat(const cli_other_run *run, size_t repeat, const place *files)
{
    CLI_SCRATCH(scratch);
    char *variable[8] = {NULL}, *temporary;
    int ending = 0;
    CLI_TRY(variables_of(&scratch, run, repeat, files, variable));
    unlink(files->working);
    double began = cli_clock();
    pid_t child = fork();
    if (child < 0)
        return cli_fail(ONEFOLD_IO, "a command cannot be started: %s", strerror(errno));
    if (child == 0)
        become(run, variable, files->log);
    setpgid(child, child);
    CLI_TRY(wait_for(child, &ending));
    double took = cli_clock() - began;
    if (ending != 0)
        return cli_hint(cli_fail(ONEFOLD_BAD_DATA, "the command of %s %s %d", run->other->name,
                                 WIFSIGNALED(ending) ? "was ended by signal" : "ended with status",
                                 WIFSIGNALED(ending) ? WTERMSIG(ending) : WEXITSTATUS(ending)),
                        "%s has what it said", files->log);
    if (access(files->working, R_OK) != 0)
        return cli_hint(
            cli_fail(ONEFOLD_BAD_DATA, "the command of %s wrote no labels", run->other->name),
            "it has to write them to the file that ONEFOLD_LABELS names, %s", files->working);
    CLI_TRY(cli_arena_string(&scratch, &temporary, "%s.part", files->seconds));
    FILE *out = fopen(temporary, "w");
    if (out)
        cli_print(out, "%.6f\n", took);
    int bad = !out || ferror(out);
    bad |= out && fclose(out) != 0;
    if (bad || rename(temporary, files->seconds) != 0 || rename(files->working, files->labels) != 0)
        return cli_fail(ONEFOLD_IO, "%s cannot be written: %s", files->labels, strerror(errno));
    return ONEFOLD_OK;
}

/* The seconds of a finished repeat; 0: it is not finished. */
static int is_finished(const place *files, double *seconds)
{
    FILE *in = access(files->labels, R_OK) == 0 ? fopen(files->seconds, "r") : NULL;
    char text[64] = "";
    if (!in)
        return 0;
    int read = fgets(text, sizeof text, in) != NULL;
    fclose(in);
    *seconds = 0;
    of_number_read(text, text + strlen(text), '.', seconds);
    return read;
}

/* Labels of another command are not taken: they are made again. */
static onefold_status check_command(const cli_other_run *run, int *same)
{
    CLI_SCRATCH(scratch);
    char *path, before[4096] = "";
    CLI_TRY(cli_arena_string(&scratch, &path, "%s/%s.command", run->out, run->set->name));
    FILE *file = fopen(path, "r");
    if (file) {
        before[fread(before, 1, sizeof before - 1, file)] = '\0';
        fclose(file);
    }
    char now[4096];
    snprintf(now, sizeof now, "%s\nseed %llu, %zu clusters\n", run->other->command,
             (unsigned long long)run->seed, run->clusters);
    *same = strcmp(before, now) == 0;
    if (*same)
        return ONEFOLD_OK;
    file = fopen(path, "w");
    int bad = !file || fputs(now, file) < 0;
    bad |= file && fclose(file) != 0;
    return bad ? cli_fail(ONEFOLD_IO, "%s cannot be written: %s", path, strerror(errno))
               : ONEFOLD_OK;
}

onefold_status cli_other_labels(onefold_context *context, const cli_other_run *run,
                                const onefold_dataset *with, cli_arena *arena, cli_labellings *made,
                                double *seconds)
{
    size_t repeats = run->stop_after ? run->stop_after : run->repeats,
           samples = onefold_dataset_describe(with)->samples;
    double took = 0;
    int same;
    CLI_TRY(make_folder(run->out));
    CLI_TRY(check_command(run, &same));
    *made = (cli_labellings){.samples = samples, .count = repeats};
    *seconds = 0;
    CLI_TRY(CLI_NEW(arena, &made->label, samples * repeats));
    for (size_t r = 0; r < run->repeats && !same; r++) {
        CLI_SCRATCH(scratch);
        place files;
        CLI_TRY(place_of(&scratch, run, r, &files));
        unlink(files.labels);
    }
    for (size_t r = 0; r < repeats; r++) {
        CLI_SCRATCH(scratch);
        place files;
        cli_labellings one;
        CLI_TRY(place_of(&scratch, run, r, &files));
        if (!is_finished(&files, &took)) {
            CLI_TRY(run_repeat(run, r, &files));
            CLI_TRY(is_finished(&files, &took)
                        ? ONEFOLD_OK
                        : cli_fail(ONEFOLD_IO, "%s cannot be read", files.seconds));
        }
        CLI_TRY(cli_labellings_read(context, files.labels, with, &scratch, &one));
        if (one.count != 1)
            return cli_fail(ONEFOLD_BAD_DATA, "%s has %zu labellings, and one is wanted",
                            files.labels, one.count);
        memcpy(made->label + r * samples, one.label, samples * sizeof *made->label);
        *seconds += took / (double)repeats;
    }
    return ONEFOLD_OK;
}
