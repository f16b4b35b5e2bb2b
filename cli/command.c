/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the command: finds the verb, hands over. */
#include "command.h"

#include "portable.h"
#include "ranks.h"
#include "verbs.h"

#include <errno.h>
#include <string.h>

int cli_command_has(int count, char **words, const char *flag)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], flag) == 0)
            return 1;
    return 0;
}

static onefold_status find_verb(const cli_verb **verb, const char *name)
{
    *verb = cli_verb_find(name, strlen(name));
    if (*verb)
        return ONEFOLD_OK;
    const char *names[16];
    for (size_t v = 0; v < cli_verb_count; v++)
        names[v] = cli_verbs[v].name;
    const char *near = onefold_nearest(name, names, cli_verb_count);
    if (name[0] == '-')
        return cli_hint(cli_fail(ONEFOLD_USAGE, "%s stands where a verb should be", name),
                        "write it after the verb: onefold fit DATA ... %s", name);
    onefold_status status = cli_fail(ONEFOLD_USAGE, "'%s' is not a verb of onefold", name);
    if (near)
        return cli_hint(status, "did you mean %s?", near);
    return cli_hint(status, "'onefold --help' lists the verbs");
}

static int is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

/* Answers what is asked about the command as a whole; 0 where a verb is meant. */
static int tell_about(int count, char **words)
{
    if (is(words[0], "--help") || is(words[0], "-h") || (is(words[0], "help") && count == 1))
        cli_help();
    else if (cli_command_has(count, words, "--version"))
        cli_version();
    else if (is(words[0], "--list"))
        cli_list(count > 1 ? words[1] : NULL);
    else
        return 0;
    return 1;
}

onefold_status cli_command_run(int count, char **words)
{
    const cli_verb *verb;
    if (count == 0)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "no verb was given"),
                        "'onefold --help' lists them; to cluster: onefold fit DATA --clusters N");
    errno = 0;
    if (tell_about(count, words))
        return cli_flush_output();
    int help = is(words[0], "help"); /* "help fit" */
    CLI_TRY(find_verb(&verb, words[help]));
    if (help || cli_command_has(count, words, "--help") || cli_command_has(count, words, "-h")) {
        cli_help_verb(verb);
        return cli_flush_output();
    }
    if (!verb->run)
        return cli_fail(ONEFOLD_UNSUPPORTED, "the verb %s is not in this build", verb->name);
    CLI_SCRATCH(arena);
    cli_call call = {.arena = &arena, .verb = verb, .words = words + 1, .word_count = count - 1};
    CLI_TRY(cli_ranks_check(verb->name));
    CLI_TRY(cli_parse(&call, count - 1, words + 1));
    if (call.value[CLI_JSON].given)
        CLI_TRY(cli_json_check());
    if (call.value[CLI_PORTABLE].given)
        CLI_TRY(cli_portable_check());
    return verb->run(&call);
}
