/* SPDX-License-Identifier: Apache-2.0 */
/* From words to a call: options by the table, a method's own options by the registry. */
#include "call.h"

#include <stdio.h>
#include <string.h>

/* The verbs an option of this name serves, as "fit and info"; empty where there are none. */
static void serving_verbs(const char *name, size_t length, char *text, size_t size)
{
    size_t used = 0, found = 0;
    text[0] = '\0';
    for (size_t v = 0; v < cli_verb_count; v++)
        if (cli_verbs[v].run && cli_option_find(&cli_verbs[v], name, length) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", found++ ? ", " : "",
                                     cli_verbs[v].name);
}

/* The method whose name and a dash begin the option's name; past the last where there is none. */
static size_t method_of(const cli_verb *verb, const char *name, size_t length)
{
    size_t m = 0;
    for (const onefold_method_info *info; (info = onefold_method_describe(m)); m++) {
        const char *method = info->name;
        size_t own = strlen(method);
        if (cli_accepts_methods(verb) && length > own + 1 && memcmp(name, method, own) == 0 &&
            name[own] == '-')
            break;
    }
    return m;
}

/* Every option the verb takes, by its whole name, a method's own among them. */
static onefold_status list_options(const cli_call *call, const char ***names, size_t *count)
{
    const onefold_method_option_info *option;
    size_t room = cli_option_count;
    for (size_t m = 0; onefold_method_describe(m); m++)
        for (size_t i = 0; onefold_method_option(m, i); i++)
            room++;
    CLI_TRY(CLI_NEW(call->arena, names, room));
    *count = 0;
    for (size_t i = 0; i < cli_option_count; i++)
        if (cli_options[i].verbs & call->verb->bit)
            (*names)[(*count)++] = cli_options[i].name;
    for (size_t m = 0; cli_accepts_methods(call->verb) && onefold_method_describe(m); m++)
        for (size_t i = 0; (option = onefold_method_option(m, i)); i++) {
            char *full;
            CLI_TRY(cli_arena_string(call->arena, &full, "%s-%s", onefold_method_describe(m)->name,
                                     option->name));
            (*names)[(*count)++] = full;
        }
    return ONEFOLD_OK;
}

static onefold_status unknown_option(const cli_call *call, const char *name, size_t length)
{
    const cli_verb *verb = call->verb;
    char typed[80], serving[80];
    const char **names;
    size_t count;
    snprintf(typed, sizeof typed, "%.*s", (int)(length < 79 ? length : 79), name);
    serving_verbs(name, length, serving, sizeof serving);
    CLI_TRY(list_options(call, &names, &count));
    const char *near = onefold_nearest(typed, names, count);
    onefold_status status =
        cli_fail(ONEFOLD_USAGE, "--%s is not an option of %s", typed, verb->name);
    if (serving[0])
        return cli_hint(status, "it belongs to: %s", serving);
    if (near)
        return cli_hint(status, "did you mean --%s?", near);
    return cli_hint(status, "'onefold %s --help' lists its options", verb->name);
}

/* The value of an option that takes one: after its "=", or the next word. */
static onefold_status find_value(const cli_verb *verb, const char *name, size_t length,
                                 const char *argument, int *at, int count, char **words,
                                 const char **value)
{
    if (name[length] == '=') {
        *value = name + length + 1;
        return ONEFOLD_OK;
    }
    const char *next = *at + 1 < count ? words[*at + 1] : NULL;
    if (!next || (strncmp(next, "--", 2) == 0 &&
                  (!next[2] || cli_option_find(verb, next + 2, strcspn(next + 2, "=")))))
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--%.*s needs a value", (int)length, name),
                        "write it as --%.*s %s", (int)length, name, argument);
    *value = next;
    ++*at;
    return ONEFOLD_OK;
}

static onefold_status own_option(cli_call *call, size_t method, const char *name, size_t length,
                                 int *at, int count, char **words)
{
    const char *own = name + strlen(onefold_method_describe(method)->name) + 1;
    size_t own_length = length - (size_t)(own - name);
    const onefold_method_option_info *option;
    for (size_t i = 0; (option = onefold_method_option(method, i)); i++) {
        if (strlen(option->name) != own_length || memcmp(option->name, own, own_length) != 0)
            continue;
        const char *value;
        CLI_TRY(find_value(call->verb, name, length, option->words ? option->words : "X", at, count,
                           words, &value));
        if (!*value || strpbrk(value, ",=;"))
            return cli_fail(ONEFOLD_USAGE, "--%.*s '%s' is not a number or a word", (int)length,
                            name, value);
        call->own[call->own_count++] = (cli_own){method, option, value};
        return ONEFOLD_OK;
    }
    return unknown_option(call, name, length);
}

/* "--as category a,b": a word, and then the columns. */
static onefold_status as_list(cli_call *call, const cli_option *option, const char *word, int *at,
                              int count, char **words)
{
    int number = strcmp(word, "number") == 0;
    if (!number && strcmp(word, "category") != 0)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--as '%s' is not known", word),
                        "write it as --as %s", option->argument);
    if (*at + 1 >= count || strncmp(words[*at + 1], "--", 2) == 0)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--as %s needs the columns that are", word),
                        "write it as --as %s", option->argument);
    ++*at;
    return cli_value_read(option, words[*at], &call->value[number ? CLI_AS_NUMBER : CLI_AS]);
}

static onefold_status long_option(cli_call *call, int *at, int count, char **words)
{
    const char *name = words[*at] + 2;
    size_t length = strcspn(name, "=");
    const cli_option *option = cli_option_find(call->verb, name, length);
    if (!option) {
        size_t method = method_of(call->verb, name, length);
        return onefold_method_describe(method)
                   ? own_option(call, method, name, length, at, count, words)
                   : unknown_option(call, name, length);
    }
    const char *value = "";
    if (option->kind == CLI_FLAG && name[length] == '=')
        return cli_fail(ONEFOLD_USAGE, "--%s takes no value", option->name);
    if (option->kind != CLI_FLAG)
        CLI_TRY(find_value(call->verb, name, length, option->argument, at, count, words, &value));
    if (option->kind == CLI_AS_LIST)
        return as_list(call, option, value, at, count, words);
    return cli_value_read(option, value, &call->value[option->id]);
}

/* "-qv": flags by letter. */
static onefold_status letter_options(cli_call *call, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const cli_option *found = NULL;
        for (size_t i = 0; i < cli_option_count; i++)
            if ((cli_options[i].verbs & call->verb->bit) && cli_options[i].letter == *letter)
                found = &cli_options[i];
        if (!found)
            return cli_hint(
                cli_fail(ONEFOLD_USAGE, "-%c is not an option of %s", *letter, call->verb->name),
                "'onefold %s --help' lists its options; a file whose name starts with "
                "a dash is written ./%s",
                call->verb->name, word);
        CLI_TRY(cli_value_read(found, "", &call->value[found->id]));
    }
    return ONEFOLD_OK;
}

/* Whether an operand is data, which may come from standard input: not a model, labels or an output.
 */
static int may_be_input(const cli_call *call, size_t operand)
{
    switch (call->verb->bit) {
    case CLI_SCORE:
    case CLI_SYNTH:
        return 0;
    case CLI_CONVERT:
        return operand + 1 < call->operand_count;
    case CLI_PREDICT:
        return operand > 0;
    default:
        return 1;
    }
}

static onefold_status check_operands(const cli_call *call)
{
    const cli_verb *verb = call->verb;
    onefold_status status = ONEFOLD_OK;
    if (call->operand_count == 0)
        status = cli_fail(ONEFOLD_USAGE, "%s was given nothing to work on", verb->name);
    else if (call->operand_count < verb->least)
        status = cli_fail(ONEFOLD_USAGE, "%s needs more than '%s'", verb->name, call->operands[0]);
    else if (call->operand_count > verb->most)
        status = cli_fail(ONEFOLD_USAGE, "%s does not know what to do with '%s'", verb->name,
                          call->operands[verb->most]);
    for (size_t i = 0; status == ONEFOLD_OK && i < call->operand_count; i++) {
        if (!*call->operands[i])
            status = cli_fail(ONEFOLD_USAGE, "%s was given an empty file name", verb->name);
        else if (strcmp(call->operands[i], "-") == 0 && !may_be_input(call, i))
            status = cli_fail(ONEFOLD_USAGE, "%s works on files, not on standard input or output",
                              verb->name);
    }
    if (status != ONEFOLD_OK)
        return cli_hint(status, "usage: onefold %s %s", verb->name, verb->operands);
    return ONEFOLD_OK;
}

onefold_status cli_parse(cli_call *call, int count, char **words)
{
    CLI_TRY(CLI_NEW(call->arena, &call->operands, (size_t)count + 1));
    CLI_TRY(CLI_NEW(call->arena, &call->own, (size_t)count + 1));
    int options = 1; /* until "--" */
    for (int at = 0; at < count; at++) {
        const char *word = words[at];
        if (options && strcmp(word, "--") == 0)
            options = 0;
        else if (options && strncmp(word, "--", 2) == 0)
            CLI_TRY(long_option(call, &at, count, words));
        else if (options && word[0] == '-' && word[1])
            CLI_TRY(letter_options(call, word));
        else
            call->operands[call->operand_count++] = word;
    }
    return check_operands(call);
}
