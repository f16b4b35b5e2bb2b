/* SPDX-License-Identifier: Apache-2.0 */
/* --report FILE.html: checked before the work, written after it, with the command to copy. */
#include "report_option.h"

#include <string.h>
#include <sys/stat.h>

onefold_status cli_report_check(const cli_call *call)
{
    if (!call->value[CLI_REPORT].given)
        return ONEFOLD_OK;
    const char *const output[1][2] = {{"--report", call->value[CLI_REPORT].text}};
    if (!strstr(onefold_capabilities(), "json"))
        return cli_hint(cli_fail(ONEFOLD_UNSUPPORTED, "reports are not in this build"),
                        "build with -DONEFOLD_WITH_JSON=ON, or leave out --report");
    return cli_check_outputs(call, call->operand_count, output, 1, ".html .htm");
}

/* A word as a shell reads it back. */
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

/* The operands and the files that options name: all that was read. */
static onefold_status files_read(cli_arena *arena, const cli_call *call,
                                 onefold_json_extras *extras)
{
    static const int options[] = {CLI_TRUTH, CLI_PRESENT};
    const size_t most = sizeof options / sizeof *options;
    const char **paths;
    size_t count = extras->path_count;
    CLI_TRY(CLI_NEW(arena, &paths, count + most));
    for (size_t i = 0; i < count; i++)
        paths[i] = extras->paths[i];
    for (size_t i = 0; i < most; i++) {
        CLI_TRY(named_file(arena, call->value[options[i]].text, &paths[count]));
        count += paths[count] != NULL;
    }
    extras->paths = paths;
    extras->path_count = count;
    return ONEFOLD_OK;
}

onefold_status cli_report_write(const cli_session *session, onefold_report *report,
                                onefold_json_extras *extras)
{
    const cli_call *call = session->call;
    char *command, name[256];
    if (!call->value[CLI_REPORT].given)
        return ONEFOLD_OK;
    CLI_SCRATCH(scratch);
    CLI_TRY(command_of(&scratch, call, &command));
    CLI_TRY(files_read(&scratch, call, extras));
    if (!extras->name)
        extras->name = cli_data_name(call, name, sizeof name);
    report->extras = extras;
    report->command = command;
    return onefold_report_write(report, session->context, call->value[CLI_REPORT].text);
}
