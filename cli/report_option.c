/* SPDX-License-Identifier: Apache-2.0 */
/* --report FILE.html: checked before the work, written after it, with the command to copy. */
#include "report_option.h"

#include <string.h>

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

onefold_status cli_report_write(const cli_session *session, onefold_report *report,
                                onefold_json_extras *extras)
{
    const cli_call *call = session->call;
    char *command, name[256];
    if (!call->value[CLI_REPORT].given)
        return ONEFOLD_OK;
    CLI_SCRATCH(scratch);
    CLI_TRY(command_of(&scratch, call, &command));
    if (!extras->name)
        extras->name = cli_data_name(call, name, sizeof name);
    report->extras = extras;
    report->command = command;
    return onefold_report_write(report, session->context, call->value[CLI_REPORT].text);
}
