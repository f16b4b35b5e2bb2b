/* SPDX-License-Identifier: Apache-2.0 */
/* The command: finds the verb, hands over, and turns a status into words and an exit status. */
#include "verbs.h"

#include "hints.h"
#include "interrupt.h"
#include "portable.h"
#include "ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

/* A closed standard stream would be taken by the next file that is opened; what stands in for it
 * can be neither read nor written, so using it is still an error. */
static void hold_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) == -1)
            (void)!open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

/* Whether a flag stands among the words, before "--". */
static int has_word(int count, char **words, const char *flag)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++)
        if (strcmp(words[i], flag) == 0)
            return 1;
    return 0;
}

static int exit_status(onefold_status status)
{
    return status == ONEFOLD_INTERRUPTED ? 130 : -(int)status;
}

/* Says what went wrong: as JSON on standard output where that was asked for, else in words. */
static int report_failure(onefold_status status, int json)
{
    char message[1024], hint[1024]; /* writing JSON may fail and take the last error's place */
    cli_hint_translate(cli_last_error(), message, sizeof message);
    cli_hint_translate(cli_last_hint(), hint, sizeof hint);
    if (json && cli_json_check() == ONEFOLD_OK &&
        cli_json_error(status, message, hint) == ONEFOLD_OK)
        return exit_status(status);
    cli_screen screen = cli_screen_of(stderr);
    cli_put(&screen, CLI_BAD, "onefold: ");
    cli_put(&screen, CLI_PLAIN, "%s\n", message);
    if (hint[0])
        cli_put(&screen, CLI_FAINT, "onefold: %s\n", hint);
    return exit_status(status);
}

/* An interruption is one wherever it came: in a view ("X: interrupted"), or in a system call that
 * it cut short. What says more than that is left. */
static onefold_status plain_interruption(onefold_status status)
{
    const char *message = cli_last_error(), *colon = strrchr(message, ':');
    int in_a_view = status == ONEFOLD_INTERRUPTED && colon && strcmp(colon, ": interrupted") == 0;
    if (in_a_view || status == ONEFOLD_IO)
        return cli_fail(ONEFOLD_INTERRUPTED, "interrupted");
    return status;
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
    else if (has_word(count, words, "--version"))
        cli_version();
    else if (is(words[0], "--list"))
        cli_list(count > 1 ? words[1] : NULL);
    else
        return 0;
    return 1;
}

static onefold_status run(int count, char **words)
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
    if (help || has_word(count, words, "--help") || has_word(count, words, "-h")) {
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

int main(int argc, char **argv)
{
    hold_standard_streams();
    setlocale(LC_CTYPE, "");
    if (has_word(argc - 1, argv + 1, "--portable"))
        cli_portable_start(argv);
    cli_interrupt_start();
    onefold_status status = cli_ranks_start();
    if (status == ONEFOLD_OK)
        status = run(argc - 1, argv + 1);
    if (cli_interrupted())
        status = plain_interruption(status);
    int json = has_word(argc - 1, argv + 1, "--json");
    if (status == ONEFOLD_OK && fclose(stdout) != 0) {
        status = cli_fail(ONEFOLD_IO, "standard output cannot be written: %s", strerror(errno));
        json = 0; /* there is no standard output any more */
    }
    char message[1024], hint[512]; /* agreeing may fail and take the last error's place */
    int speaks, ending = 0;
    onefold_status mine = status;
    snprintf(message, sizeof message, "%s", cli_last_error());
    snprintf(hint, sizeof hint, "%s", cli_last_hint());
    status = cli_ranks_agree(status, &speaks);
    if (mine != ONEFOLD_OK)
        cli_hint(cli_fail(mine, "%s", message), "%s", hint);
    if (status != ONEFOLD_OK)
        ending = speaks ? report_failure(status, json) : exit_status(status);
    cli_ranks_end(); /* together: the first to exit with a failure has mpirun end all the others */
    return ending;
}
