/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs that cannot be written are refused before the work starts, not after it. */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of a path, in a buffer. */
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

/* A device or a pipe that is there. */
static int is_stream(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

static onefold_status check_ending(const char *option, const char *path, const char *endings)
{
    if (!endings || is_stream(path)) /* CSV where no ending says otherwise */
        return ONEFOLD_OK;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (const char *at = endings; dot && *at;) {
        size_t length = strcspn(at, " ");
        if (strlen(dot) == length && strncasecmp(dot, at, length) == 0)
            return ONEFOLD_OK;
        at += length + (at[length] == ' ');
    }
    return cli_hint(
        cli_fail(ONEFOLD_USAGE, "%s %s: the ending does not say what to write", option, path),
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
                                       : cli_fail(ONEFOLD_IO, "%s %s: it cannot be written to: %s",
                                                  option, path, strerror(errno));
    if (stat(folder, &about) != 0)
        return cli_hint(cli_fail(ONEFOLD_IO, "%s %s: there is no folder %s", option, path, folder),
                        "make it first: mkdir -p %s", folder);
    if (!S_ISDIR(about.st_mode))
        return cli_fail(ONEFOLD_IO, "%s %s: %s is not a folder", option, path, folder);
    if (access(folder, W_OK) != 0)
        return cli_fail(ONEFOLD_IO, "%s %s: the folder %s cannot be written to: %s", option, path,
                        folder, strerror(errno));
    return ONEFOLD_OK;
}

/* Whether two paths name the same file, there already or not. What goes to a device can be two. */
static int same_file(const char *a, const char *b)
{
    struct stat one, other;
    int there = stat(a, &one) == 0, other_there = stat(b, &other) == 0;
    if (is_stream(a))
        return 0;
    if (there && other_there)
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    if (there != other_there)
        return 0;
    char folders[2][4096];
    const char *slash = strrchr(a, '/'), *other_slash = strrchr(b, '/');
    if (strcmp(slash ? slash + 1 : a, other_slash ? other_slash + 1 : b) != 0)
        return 0;
    return folder_of(a, folders[0], sizeof folders[0]) == ONEFOLD_OK &&
           folder_of(b, folders[1], sizeof folders[1]) == ONEFOLD_OK &&
           stat(folders[0], &one) == 0 && stat(folders[1], &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* A file that is read because an option names it, or NULL. */
static const char *read_by_option(const cli_call *call, const char *path)
{
    static const int options[] = {CLI_TRUTH, CLI_PRESENT};
    struct stat about;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *named = call->value[options[i]].text;
        if (named && stat(named, &about) == 0 && same_file(path, named))
            return named;
    }
    return NULL;
}

onefold_status cli_check_read(const cli_session *session)
{
    static const struct {
        cli_option_id id;
        const char *name;
    } outputs[] = {{CLI_LABELS, "--labels"}, {CLI_EMBEDDING, "--embedding"},
                   {CLI_LAYOUT, "--layout"}, {CLI_PARTS, "--parts"},
                   {CLI_MODEL, "--model"},   {CLI_REPORT, "--report"},
                   {CLI_RESUME, "--resume"}};
    const cli_value *value = session->call->value;
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (value[outputs[i].id].given &&
            onefold_context_check_output(session->context, value[outputs[i].id].text) != ONEFOLD_OK)
            return cli_hint(cli_fail(ONEFOLD_USAGE, "%s %s would overwrite the data itself",
                                     outputs[i].name, value[outputs[i].id].text),
                            "give it another name");
    if (onefold_context_check_output(session->context, "/dev/stdout") != ONEFOLD_OK)
        return cli_hint(
            cli_fail(ONEFOLD_USAGE, "standard output is one of the files that are read"),
            "send it to another file");
    return ONEFOLD_OK;
}

onefold_status cli_check_outputs(const cli_call *call, size_t inputs,
                                 const char *const (*outputs)[2], size_t count, const char *endings)
{
    for (size_t i = 0; i < count; i++) {
        const char *option = outputs[i][0], *path = outputs[i][1];
        CLI_TRY(check_place(option, path));
        CLI_TRY(check_ending(option, path, endings));
        for (size_t j = 0; j < i; j++)
            if (same_file(path, outputs[j][1]))
                return cli_hint(cli_fail(ONEFOLD_USAGE, "%s and %s would write the same file, %s",
                                         outputs[j][0], option, path),
                                "give them different names");
        for (size_t j = 0; j < inputs; j++)
            if (same_file(path, call->operands[j]))
                return cli_hint(
                    cli_fail(ONEFOLD_USAGE, "%s %s would overwrite the data itself", option, path),
                    "give it another name");
        if (read_by_option(call, path))
            return cli_hint(
                cli_fail(ONEFOLD_USAGE, "%s %s would overwrite the data itself", option, path),
                "give it another name");
    }
    return ONEFOLD_OK;
}
