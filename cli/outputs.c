/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs: checks before the work starts; labels on standard output; the report page. */
#include "outputs.h"
#include "base.h"
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies the folder of a path to a buffer. */
static onefold_status folder_of(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (length >= size)
        return cli_fail(ONEFOLD_USAGE, "the name of the output is too long");
    if (!slash)
        strcpy(folder, ".");
    else if (slash == path)
        strcpy(folder, "/");
    else {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return ONEFOLD_OK;
}

/* Whether a path is an existing device or pipe. */
static int is_stream(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static onefold_status check_ending(const char *option, const char *path, const char *endings)
{
    if (!endings || is_stream(path)) /* CSV without an ending */
        return ONEFOLD_OK;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (const char *at = endings; dot && *at;) {
        size_t length = strcspn(at, " ");
        if (strlen(dot) == length && strncasecmp(dot, at, length) == 0)
            return ONEFOLD_OK;
        at += length + (at[length] == ' ');
    }
    return cli_hint(cli_fail(ONEFOLD_USAGE, "%s %s: the ending names no format", option, path),
                    "end the name in one of %s", endings);
}

static onefold_status check_place(const char *option, const char *path)
{
    char folder[4096];
    struct stat about;
    CLI_TRY(folder_of(path, folder, sizeof folder));
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        return cli_hint(cli_fail(ONEFOLD_IO, "%s %s: that is a folder", option, path),
                        "name a file in it");
    if (is_stream(path))
        return access(path, W_OK) == 0 ? ONEFOLD_OK
                                       : cli_fail(ONEFOLD_IO, "%s %s: it cannot be written: %s",
                                                  option, path, strerror(errno));
    if (stat(folder, &about) != 0)
        return cli_hint(cli_fail(ONEFOLD_IO, "%s %s: there is no folder %s", option, path, folder),
                        "make it first: mkdir -p %s", folder);
    if (!S_ISDIR(about.st_mode))
        return cli_fail(ONEFOLD_IO, "%s %s: %s is not a folder", option, path, folder);
    if (access(folder, W_OK) != 0)
        return cli_fail(ONEFOLD_IO, "%s %s: the folder %s cannot be written: %s", option, path,
                        folder, strerror(errno));
    return ONEFOLD_OK;
}

/* Follows links to where a file will be made. Links that go round stay as they are. */
static void follow_links(const char *path, char place[4096])
{
    char target[4096];
    ssize_t length;
    snprintf(place, 4096, "%s", path);
    for (int links = 0; links < 40 && (length = readlink(place, target, sizeof target)) >= 0;
         links++) {
        char *slash = target[0] == '/' ? NULL : strrchr(place, '/');
        size_t kept = slash ? (size_t)(slash - place) + 1 : 0;
        if (kept + (size_t)length >= 4096)
            return;
        memcpy(place + kept, target, (size_t)length);
        place[kept + (size_t)length] = '\0';
    }
}

/* Whether two paths name the same file, existing or not. Two outputs may share a device. */
static int same_file(const char *first, const char *second)
{
    struct stat one, other;
    char a[4096], b[4096];
    follow_links(first, a);
    follow_links(second, b);
    int there = stat(first, &one) == 0, other_there = stat(second, &other) == 0;
    if (is_stream(first))
        return 0;
    if (there && other_there)
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    if (there != other_there)
        return 0;
    char folder[4096];
    const char *slash = strrchr(a, '/'), *other_slash = strrchr(b, '/');
    if (strcmp(slash ? slash + 1 : a, other_slash ? other_slash + 1 : b) != 0)
        return 0;
    return folder_of(a, folder, sizeof folder) == ONEFOLD_OK && stat(folder, &one) == 0 &&
           folder_of(b, folder, sizeof folder) == ONEFOLD_OK && stat(folder, &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* The options that name a file to be read. */
static const cli_option_id read_options[] = {CLI_TRUTH, CLI_PRESENT};
enum { READ_OPTIONS = sizeof read_options / sizeof *read_options };

static int is_read_by_option(const cli_call *call, const char *path)
{
    struct stat about;
    for (size_t i = 0; i < READ_OPTIONS; i++) {
        const char *named = call->value[read_options[i]].text;
        if (named && stat(named, &about) == 0 && same_file(path, named))
            return 1;
    }
    return 0;
}

/* Every option that names a file to be written. */
static const struct {
    cli_option_id id;
    const char *name, *endings; /* NULL: any */
} outputs[] = {{CLI_LABELS, "--labels", ".npy .csv .tsv .txt .mat .npz"},
               {CLI_EMBEDDING, "--embedding", ".npy .csv .txt .mat"},
               {CLI_LAYOUT, "--layout", ".npy .csv .txt .mat"},
               {CLI_PARTS, "--parts", ".npy .csv .txt .mat"},
               {CLI_MODEL, "--model", NULL},
               {CLI_REPORT, "--report", ".html .htm"},
               {CLI_RESUME, "--resume", NULL}};
enum { OUTPUTS = sizeof outputs / sizeof *outputs };

int cli_writes_files(const cli_call *call)
{
    int any = 0;
    for (size_t i = 0; i < OUTPUTS; i++)
        any |= call->value[outputs[i].id].given;
    return any;
}

static onefold_status refuse_overwriting(const char *option, const char *path)
{
    return cli_hint(cli_fail(ONEFOLD_USAGE, "%s %s would overwrite the data itself", option, path),
                    "give it another name");
}

onefold_status cli_check_read(const cli_session *session)
{
    const cli_value *value = session->call->value;
    for (size_t i = 0; i < OUTPUTS; i++)
        if (value[outputs[i].id].given &&
            onefold_context_check_output(session->context, value[outputs[i].id].text) != ONEFOLD_OK)
            return refuse_overwriting(outputs[i].name, value[outputs[i].id].text);
    if (onefold_context_check_output(session->context, "/dev/stdout") != ONEFOLD_OK)
        return cli_hint(
            cli_fail(ONEFOLD_USAGE, "standard output is one of the files that are read"),
            "send it to another file");
    return ONEFOLD_OK;
}

onefold_status cli_check_output(const cli_call *call, size_t inputs, const char *option,
                                const char *path, const char *endings)
{
    CLI_TRY(check_place(option, path));
    CLI_TRY(check_ending(option, path, endings));
    for (size_t j = 0; j < inputs; j++)
        if (same_file(path, call->operands[j]))
            return refuse_overwriting(option, path);
    return is_read_by_option(call, path) ? refuse_overwriting(option, path) : ONEFOLD_OK;
}

onefold_status cli_check_outputs(const cli_call *call)
{
    const cli_value *value = call->value;
    for (size_t i = 0; i < OUTPUTS && cli_ranks_first(); i++) {
        const char *path = value[outputs[i].id].text;
        if (!value[outputs[i].id].given)
            continue;
        CLI_TRY(
            cli_check_output(call, call->operand_count, outputs[i].name, path, outputs[i].endings));
        for (size_t j = 0; j < i; j++)
            if (value[outputs[j].id].given && same_file(path, value[outputs[j].id].text))
                return cli_hint(cli_fail(ONEFOLD_USAGE, "%s and %s would write the same file, %s",
                                         outputs[j].name, outputs[i].name, path),
                                "give them different names");
    }
    return ONEFOLD_OK;
}

/* ---- labels on standard output -------------------------------------------------------------- */

onefold_status cli_labels_check(cli_call *call)
{
    cli_value *value = call->value;
    if (value[CLI_LABELS].given && (strcmp(value[CLI_LABELS].text, "-") == 0 ||
                                    strcmp(value[CLI_LABELS].text, "/dev/stdout") == 0)) {
        if (value[CLI_JSON].given)
            return cli_hint(cli_fail(ONEFOLD_USAGE,
                                     "--labels %s and --json both write to standard output",
                                     value[CLI_LABELS].text),
                            "leave --labels out: the JSON has them");
        value[CLI_LABELS] = (cli_value){0};
        value[CLI_NAMES].given = 1;
    }
    if (!value[CLI_NAMES].given)
        return ONEFOLD_OK;
    if (value[CLI_LABELS].given)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--names is for labels on standard output, and "
                                                "--labels writes them to a file"),
                        "leave --names out: a file that ends in .csv or .tsv has the names");
    if (value[CLI_JSON].given)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--names and --json both write to standard output"),
                        "leave --names out: the JSON has them as sample_names");
    return ONEFOLD_OK;
}

int cli_labels_printed(const cli_call *call)
{
    const cli_value *value = call->value;
    return !value[CLI_LABELS].given && !value[CLI_JSON].given &&
           (value[CLI_NAMES].given || !cli_writes_files(call) || !isatty(STDOUT_FILENO));
}

const char *cli_labels_place(const cli_call *call)
{
    if (call->value[CLI_LABELS].given)
        return call->value[CLI_LABELS].text;
    return cli_labels_printed(call) ? "on standard output"
                                    : "not shown: --labels FILE writes them, --labels - shows them";
}

onefold_status cli_labels_names(cli_session *session, const onefold_dataset **names)
{
    const onefold_dataset_info *info = onefold_dataset_describe(session->dataset);
    size_t samples = info->samples;
    *names = session->guarded ? session->guarded : session->dataset;
    if (!session->call->value[CLI_GUARD].given || !info->sample_names || session->guarded)
        return ONEFOLD_OK;
    CLI_SCRATCH(scratch);
    const char **list;
    CLI_TRY(CLI_NEW(&scratch, &list, samples));
    for (size_t j = 0; j < samples; j++) {
        char *guarded;
        list[j] = info->sample_names[j];
        if (!cli_is_formula(list[j]))
            continue;
        CLI_TRY(cli_arena_string(&scratch, &guarded, "'%s", list[j]));
        list[j] = guarded;
    }
    CLI_TRY(onefold_dataset_create(&session->guarded, session->context, samples));
    *names = session->guarded;
    return onefold_dataset_set_sample_names(session->guarded, list);
}

void cli_labels_print(const cli_session *session, const int32_t *labels, const double *confidence,
                      size_t first, size_t count)
{
    int names = session->call->value[CLI_NAMES].given;
    int how = (isatty(STDOUT_FILENO) ? CLI_CELL_SHOWN : 0) |
              (session->call->value[CLI_GUARD].given ? CLI_CELL_GUARDED : 0);
    const char *const *own = onefold_dataset_describe(session->dataset)->sample_names;
    errno = 0;
    if (names && first == 0)
        puts(confidence ? "sample,cluster,confidence" : "sample,cluster");
    for (size_t i = 0; i < count && !ferror(stdout); i++) {
        if (names && own)
            cli_print_cell(stdout, own[first + i], how);
        else if (names)
            printf("%zu", first + i + 1);
        printf(names ? ",%d" : "%d", (int)labels[i]);
        if (names && confidence)
            cli_print(stdout, ",%.6g", confidence[i]);
        putchar('\n');
    }
}

/* ---- --report FILE.html, with the command to copy ------------------------------------------- */

/* A word with quotes, as a shell needs them. */
static onefold_status quoted(cli_arena *arena, const char *word, char **out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (*word && word[strspn(word, plain)] == '\0')
        return cli_arena_string(arena, out, "%s", word);
    char *text, *to;
    CLI_TRY(CLI_NEW(arena, &text, 4 * strlen(word) + 3));
    to = text;
    *to++ = '\'';
    for (const char *at = word; *at; at++) {
        if (*at == '\'') {
            memcpy(to, "'\\''", 4);
            to += 4;
        } else {
            *to++ = *at;
        }
    }
    strcpy(to, "'");
    *out = text;
    return ONEFOLD_OK;
}

/* "onefold fit data.mat ...", as it was typed. */
static onefold_status command_of(cli_arena *arena, const cli_call *call, char **command)
{
    CLI_TRY(cli_arena_string(arena, command, "onefold %s", call->verb->name));
    for (int i = 0; i < call->word_count; i++) {
        char *word, *longer;
        CLI_TRY(quoted(arena, call->words[i], &word));
        CLI_TRY(cli_arena_string(arena, &longer, "%s %s", *command, word));
        *command = longer;
    }
    return ONEFOLD_OK;
}

/* The file that `text` names, or FILE of FILE:COLUMN; NULL where it names a variable. */
static onefold_status named_file(cli_arena *arena, const char *text, const char **file)
{
    struct stat about;
    char *copy, *colon;
    *file = NULL;
    if (!text)
        return ONEFOLD_OK;
    CLI_TRY(cli_arena_string(arena, &copy, "%s", text));
    colon = strrchr(copy, ':');
    if (stat(copy, &about) != 0 && colon)
        *colon = '\0';
    if (stat(copy, &about) == 0 && S_ISREG(about.st_mode))
        *file = copy;
    return ONEFOLD_OK;
}

onefold_status cli_report_write(const cli_session *session, const onefold_report *report)
{
    const cli_call *call = session->call;
    onefold_report page = *report;
    char *command, name[256];
    const char **paths; /* all files read: the operands, and the files that options name */
    if (!call->value[CLI_REPORT].given)
        return ONEFOLD_OK;
    CLI_SCRATCH(scratch);
    CLI_TRY(command_of(&scratch, call, &command));
    CLI_TRY(CLI_NEW(&scratch, &paths, page.path_count + READ_OPTIONS));
    memcpy(paths, page.paths, page.path_count * sizeof *paths);
    for (size_t i = 0; i < READ_OPTIONS; i++) {
        CLI_TRY(named_file(&scratch, call->value[read_options[i]].text, &paths[page.path_count]));
        page.path_count += paths[page.path_count] != NULL;
    }
    page.paths = paths;
    if (!page.name)
        page.name = cli_data_name(call, name, sizeof name);
    page.command = command;
    return onefold_report_write(&page, session->context, call->value[CLI_REPORT].text);
}
