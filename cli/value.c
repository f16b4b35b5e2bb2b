/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: the whole text must be what the option takes, or the error says why not. */
#include "call.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int all_digits(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static onefold_status hint_range(onefold_status status, uint64_t least, uint64_t most)
{
    if (most >= INT32_MAX && most < UINT64_MAX)
        return cli_hint(status, "give a whole number from %llu up", (unsigned long long)least);
    return cli_hint(status, "give a whole number from %llu to %llu", (unsigned long long)least,
                    (unsigned long long)most);
}

onefold_status cli_whole_read(const char *what, const char *text, uint64_t least, uint64_t most,
                              uint64_t *whole)
{
    if (text[0] == '-' && all_digits(text + 1))
        return hint_range(cli_fail(ONEFOLD_USAGE, "%s %s is negative", what, text), least, most);
    if (!all_digits(text))
        return hint_range(cli_fail(ONEFOLD_USAGE, "%s '%s' is not a whole number", what, text),
                          least, most);
    errno = 0;
    unsigned long long read = strtoull(text, NULL, 10);
    if (errno == ERANGE || read > most)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "%s %s is too large", what, text),
                        "the most is %llu", (unsigned long long)most);
    if (read < least)
        return hint_range(cli_fail(ONEFOLD_USAGE, "%s %s is too small", what, text), least, most);
    *whole = read;
    return ONEFOLD_OK;
}

/* A decimal number at the start of the text: what follows it, or NULL where there is none. */
static const char *decimal(const char *text, double *number)
{
    const char *first = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)first[first[0] == '.']))
        return NULL; /* strtod would also take words: inf, nan, 0x1p3 */
    if (first[0] == '0' && (first[1] == 'x' || first[1] == 'X'))
        return NULL;
    char *end;
    *number = strtod(text, &end);
    return end;
}

static onefold_status number_read(const cli_option *option, const char *text, double *number)
{
    double read = 0;
    const char *end = decimal(text, &read);
    onefold_status status = ONEFOLD_OK;
    if (!end || *end)
        status = cli_fail(ONEFOLD_USAGE, "--%s '%s' is not a number", option->name, text);
    else if (!(read >= option->least && read <= option->most))
        status = cli_fail(ONEFOLD_USAGE, "--%s %s is out of range", option->name, text);
    if (status != ONEFOLD_OK)
        return cli_hint(status, "give a number from %g to %g", option->least, option->most);
    *number = read;
    return ONEFOLD_OK;
}

/* Words of a list "a|b|c", at most 8 of up to 15 letters. */
static size_t split_words(const char *list, char words[8][16])
{
    size_t count = 0;
    while (*list && count < 8) {
        size_t length = strcspn(list, "|");
        snprintf(words[count++], 16, "%.*s", (int)length, list);
        list += length + (list[length] == '|');
    }
    return count;
}

static onefold_status word_read(const cli_option *option, const char *text, int *word)
{
    char words[8][16], all[160] = "";
    size_t count = split_words(option->argument, words), used = 0;
    const char *list[8];
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0) {
            *word = (int)i;
            return ONEFOLD_OK;
        }
        list[i] = words[i];
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : " or ",
                                 words[i]);
    }
    onefold_status status = cli_fail(ONEFOLD_USAGE, "--%s '%s' is not known", option->name, text);
    const char *near = onefold_nearest(text, list, count);
    if (near)
        return cli_hint(status, "did you mean %s? It takes %s", near, all);
    return cli_hint(status, "it takes %s", all);
}

/* Bytes in a unit of memory: "", B, k, kB, KiB, M, ...; 0 where it is none. */
static double unit_bytes(const char *unit)
{
    static const char letters[] = "kmgt";
    if (!*unit || strcasecmp(unit, "b") == 0)
        return 1;
    const char *letter = strchr(letters, tolower((unsigned char)*unit));
    if (!letter)
        return 0;
    double base = 1000;
    if (strcasecmp(unit + 1, "ib") == 0)
        base = 1024;
    else if (unit[1] && strcasecmp(unit + 1, "b") != 0)
        return 0;
    return pow(base, (double)(letter - letters) + 1);
}

static onefold_status size_read(const cli_option *option, const char *text, size_t *bytes)
{
    double number = 0, wanted = 0;
    const char *unit = decimal(text, &number);
    if (unit && strcmp(unit, "%") == 0 && number <= 100)
        wanted = number / 100 * (double)onefold_free_memory();
    else if (unit)
        wanted = number * unit_bytes(unit);
    if (!(wanted >= 1 && wanted < 9e18))
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--%s '%s' is not a size", option->name, text),
                        "give it as 500M, 2GiB or 50%% (of what is free)");
    *bytes = (size_t)wanted;
    return ONEFOLD_OK;
}

onefold_status cli_value_read(const cli_option *option, const char *text, cli_value *value)
{
    cli_value read = {.given = 1, .text = text};
    char what[64];
    snprintf(what, sizeof what, "--%s", option->name);
    if (option->later)
        return cli_fail(ONEFOLD_UNSUPPORTED, "--%s is not in this build", option->name);
    if (option->kind != CLI_FLAG && !*text)
        return cli_fail(ONEFOLD_USAGE, "--%s was given an empty value", option->name);
    switch (option->kind) {
    case CLI_COUNT:
        CLI_TRY(cli_whole_read(what, text, (uint64_t)option->least, (uint64_t)option->most,
                               &read.whole));
        break;
    case CLI_WHOLE:
        CLI_TRY(cli_whole_read(what, text, 0, UINT64_MAX, &read.whole));
        break;
    case CLI_NUMBER:
        CLI_TRY(number_read(option, text, &read.number));
        break;
    case CLI_WORD:
        CLI_TRY(word_read(option, text, &read.word));
        break;
    case CLI_SIZE:
        CLI_TRY(size_read(option, text, &read.bytes));
        break;
    case CLI_FLAG:
    case CLI_TEXT:
    case CLI_AS_LIST:
    case CLI_FILE:
        break;
    }
    *value = read;
    return ONEFOLD_OK;
}
