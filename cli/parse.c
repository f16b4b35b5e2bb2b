/* SPDX-License-Identifier: Apache-2.0 */
/* From words to a call: options by the table, a method's own options by the registry. */
#include "call.h"

#include "base/nearest.h"

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

/* The method whose name and a dash begin the option's name. */
static const of_method *method_of(const cli_verb *verb, const char *name, size_t length)
{
    for (size_t m = 0; cli_accepts_methods(verb) && m < of_method_count(); m++) {
        const of_method *method = of_method_at(m);
        size_t own = strlen(method->name);
        if (length > own + 1 && memcmp(name, method->name, own) == 0 && name[own] == '-')
            return method;
    }
    return NULL;
}

static onefold_status unknown_option(const cli_verb *verb, const char *name, size_t length)
{
    char typed[80], near_own[160] = "", serving[80];
    snprintf(typed, sizeof typed, "%.*s", (int)(length < 79 ? length : 79), name);
    serving_verbs(name, length, serving, sizeof serving);
    onefold_status status =
        of_fail(ONEFOLD_USAGE, "--%s is not an option of %s", typed, verb->name);
    if (serving[0])
        return of_hint(status, "it belongs to: %s", serving);
    of_nearest_search near = of_nearest_start(typed);
    for (size_t i = 0; i < cli_option_count; i++)
        if (cli_options[i].verbs & verb->bit)
            of_nearest_offer(&near, cli_options[i].name);
    for (size_t m = 0; cli_accepts_methods(verb) && m < of_method_count(); m++) {
        const of_method *method = of_method_at(m);
        for (size_t i = 0; i < method->option_count; i++) {
            char full[80];
            snprintf(full, sizeof full, "%s-%s", method->name, method->options[i].name);
            of_nearest_offer(&near, full);
            if (near.best == full) {
                snprintf(near_own, sizeof near_own, "%s", full);
                near.best = near_own;
            }
        }
    }
    if (near.best)
        return of_hint(status, "did you mean --%s?", near.best);
    return of_hint(status, "'onefold %s --help' lists its options", verb->name);
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
        return of_hint(of_fail(ONEFOLD_USAGE, "--%.*s needs a value", (int)length, name),
                       "write it as --%.*s %s", (int)length, name, argument);
    *value = next;
    ++*at;
    return ONEFOLD_OK;
}

static onefold_status own_option(cli_call *call, const of_method *method, const char *name,
                                 size_t length, int *at, int count, char **words)
{
    const char *own = name + strlen(method->name) + 1;
    size_t own_length = length - strlen(method->name) - 1;
    for (size_t i = 0; i < method->option_count; i++) {
        const of_method_option *option = &method->options[i];
        if (strlen(option->name) != own_length || memcmp(option->name, own, own_length) != 0)
            continue;
        const char *value;
        OF_TRY(find_value(call->verb, name, length, option->words ? option->words : "X", at, count,
                          words, &value));
        if (!*value || strpbrk(value, ",="))
            return of_fail(ONEFOLD_USAGE, "--%.*s '%s' is not a number or a word", (int)length,
                           name, value);
        call->own[call->own_count++] = (cli_own){method, option, value};
        return ONEFOLD_OK;
    }
    return unknown_option(call->verb, name, length);
}

static onefold_status long_option(cli_call *call, int *at, int count, char **words)
{
    const char *name = words[*at] + 2;
    size_t length = strcspn(name, "=");
    const cli_option *option = cli_option_find(call->verb, name, length);
    if (!option) {
        const of_method *method = method_of(call->verb, name, length);
        return method ? own_option(call, method, name, length, at, count, words)
                      : unknown_option(call->verb, name, length);
    }
    const char *value = "";
    if (option->kind == CLI_FLAG && name[length] == '=')
        return of_fail(ONEFOLD_USAGE, "--%s takes no value", option->name);
    if (option->kind != CLI_FLAG)
        OF_TRY(find_value(call->verb, name, length, option->argument, at, count, words, &value));
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
            return of_hint(
                of_fail(ONEFOLD_USAGE, "-%c is not an option of %s", *letter, call->verb->name),
                "'onefold %s --help' lists its options; a file whose name starts with "
                "a dash is written ./%s",
                call->verb->name, word);
        OF_TRY(cli_value_read(found, "", &call->value[found->id]));
    }
    return ONEFOLD_OK;
}

static onefold_status check_operands(const cli_call *call)
{
    const cli_verb *verb = call->verb;
    onefold_status status = ONEFOLD_OK;
    if (call->operand_count == 0)
        status = of_fail(ONEFOLD_USAGE, "%s was given nothing to work on", verb->name);
    else if (call->operand_count < verb->least)
        status = of_fail(ONEFOLD_USAGE, "%s needs more than '%s'", verb->name, call->operands[0]);
    else if (call->operand_count > verb->most)
        status = of_fail(ONEFOLD_USAGE, "%s does not know what to do with '%s'", verb->name,
                         call->operands[verb->most]);
    for (size_t i = 0; status == ONEFOLD_OK && i < call->operand_count; i++) {
        if (!*call->operands[i])
            status = of_fail(ONEFOLD_USAGE, "%s was given an empty file name", verb->name);
        else if (strcmp(call->operands[i], "-") == 0)
            status = of_fail(ONEFOLD_USAGE, "%s works on files, not on standard input or output",
                             verb->name);
    }
    if (status != ONEFOLD_OK)
        return of_hint(status, "usage: onefold %s %s", verb->name, verb->operands);
    return ONEFOLD_OK;
}

onefold_status cli_parse(cli_call *call, int count, char **words)
{
    OF_TRY(OF_NEW(call->arena, &call->operands, (size_t)count + 1, 1));
    OF_TRY(OF_NEW(call->arena, &call->own, (size_t)count + 1, 1));
    int options = 1; /* until "--" */
    for (int at = 0; at < count; at++) {
        const char *word = words[at];
        if (options && strcmp(word, "--") == 0)
            options = 0;
        else if (options && strncmp(word, "--", 2) == 0)
            OF_TRY(long_option(call, &at, count, words));
        else if (options && word[0] == '-' && word[1])
            OF_TRY(letter_options(call, word));
        else
            call->operands[call->operand_count++] = word;
    }
    return check_operands(call);
}
