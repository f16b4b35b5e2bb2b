/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the words of a call, by the table of options and the methods' own options, and runs the
 * verb. */
#include "command.h"

#include "base.h"
#include "base/number.h"
#include "session.h"
#include "verbs.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- values of options ---------------------------------------------------------------------- */

static int all_digits(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static onefold_status hint_range(onefold_status status, uint64_t min, uint64_t max)
{
    if (max >= INT32_MAX && max < UINT64_MAX)
        return cli_hint(status, "give a whole number from %llu up", (unsigned long long)min);
    return cli_hint(status, "give a whole number from %llu to %llu", (unsigned long long)min,
                    (unsigned long long)max);
}

onefold_status cli_whole_read(const char *what, const char *text, uint64_t min, uint64_t max,
                              uint64_t *whole)
{
    if (text[0] == '-' && all_digits(text + 1))
        return hint_range(cli_fail(ONEFOLD_USAGE, "%s %s is negative", what, text), min, max);
    if (!all_digits(text))
        return hint_range(cli_fail(ONEFOLD_USAGE, "%s '%s' is not a whole number", what, text), min,
                          max);
    errno = 0;
    unsigned long long read = strtoull(text, NULL, 10);
    if (errno == ERANGE || read > max)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "%s %s is too large", what, text),
                        "the largest value is %llu", (unsigned long long)max);
    if (read < min)
        return hint_range(cli_fail(ONEFOLD_USAGE, "%s %s is too small", what, text), min, max);
    *whole = read;
    return ONEFOLD_OK;
}

/* Reads a decimal number at the start of the text. Returns what follows it; NULL: no number. */
static const char *decimal(const char *text, double *number)
{
    const char *first = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)first[first[0] == '.']))
        return NULL;
    return of_number_read(text, text + strlen(text), '.', number);
}

static onefold_status number_read(const cli_option *option, const char *text, double *number)
{
    double read = 0;
    const char *end = decimal(text, &read);
    onefold_status status = ONEFOLD_OK;
    if (!end || *end)
        status = cli_fail(ONEFOLD_USAGE, "--%s '%s' is not a number", option->name, text);
    else if (!(read >= option->min && read <= option->max))
        status = cli_fail(ONEFOLD_USAGE, "--%s %s is out of range", option->name, text);
    if (status != ONEFOLD_OK)
        return cli_hint(status, "give a number from %g to %g", option->min, option->max);
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
    if ((unit[1] == 'i' || unit[1] == 'I') && strcasecmp(unit + 2, "b") == 0)
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

/* Checks and converts one value; the message names the option. */
static onefold_status value_read(const cli_option *option, const char *text, cli_value *value)
{
    cli_value read = {.given = 1, .text = text};
    char what[64];
    snprintf(what, sizeof what, "--%s", option->name);
    if (option->kind != CLI_FLAG && !*text)
        return cli_fail(ONEFOLD_USAGE, "--%s was given an empty value", option->name);
    switch (option->kind) {
    case CLI_COUNT: /* "auto" is 0, where the argument has it */
        if (strcmp(text, "auto") == 0 && strstr(option->argument, "|auto"))
            break;
        CLI_TRY(
            cli_whole_read(what, text, (uint64_t)option->min, (uint64_t)option->max, &read.whole));
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

/* ---- from words to a call ------------------------------------------------------------------- */

/* The verbs that have an option of this name, as "fit, info"; empty: none. */
static void serving_verbs(const char *name, size_t length, char *text, size_t size)
{
    size_t used = 0, found = 0;
    text[0] = '\0';
    for (size_t v = 0; v < cli_verb_count; v++)
        if (cli_option_find(&cli_verbs[v], name, length) && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", found++ ? ", " : "",
                                     cli_verbs[v].name);
}

/* The method whose name and a dash begin the option's name; past the last: none. */
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

/* The names of all options of the verb, methods' own options included. */
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
        return cli_hint(status, "it is an option of: %s", serving);
    if (near)
        return cli_hint(status, "did you mean --%s?", near);
    return cli_hint(status, "'onefold %s --help' lists its options", verb->name);
}

/* The value of an option: what follows its "=", or the next word. */
static onefold_status find_value(cli_call *call, const char *name, size_t length,
                                 const char *argument, const char **value)
{
    if (name[length] == '=') {
        *value = name + length + 1;
        return ONEFOLD_OK;
    }
    const char *next = call->at + 1 < call->word_count ? call->words[call->at + 1] : NULL;
    if (!next || (strncmp(next, "--", 2) == 0 &&
                  (!next[2] || cli_option_find(call->verb, next + 2, strcspn(next + 2, "=")))))
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--%.*s needs a value", (int)length, name),
                        "write it as --%.*s %s", (int)length, name, argument);
    *value = next;
    call->at++;
    return ONEFOLD_OK;
}

static onefold_status own_option(cli_call *call, size_t method, const char *name, size_t length)
{
    const char *own = name + strlen(onefold_method_describe(method)->name) + 1;
    size_t own_length = length - (size_t)(own - name);
    const onefold_method_option_info *option;
    for (size_t i = 0; (option = onefold_method_option(method, i)); i++) {
        if (strlen(option->name) != own_length || memcmp(option->name, own, own_length) != 0)
            continue;
        const char *value;
        CLI_TRY(find_value(call, name, length, option->words ? option->words : "X", &value));
        if (!*value || strpbrk(value, ",=;"))
            return cli_fail(ONEFOLD_USAGE, "--%.*s '%s' is not a number or a word", (int)length,
                            name, value);
        call->own[call->own_count++] = (cli_own){method, option, value};
        return ONEFOLD_OK;
    }
    return unknown_option(call, name, length);
}

/* "--as category a,b": a word, then the columns. */
static onefold_status as_list(cli_call *call, const cli_option *option, const char *word)
{
    int number = strcmp(word, "number") == 0;
    if (!number && strcmp(word, "category") != 0)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--as '%s' is not known", word),
                        "write it as --as %s", option->argument);
    if (++call->at >= call->word_count || strncmp(call->words[call->at], "--", 2) == 0)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--as %s needs names of columns", word),
                        "write it as --as %s", option->argument);
    return value_read(option, call->words[call->at], &call->value[number ? CLI_AS_NUMBER : CLI_AS]);
}

static onefold_status long_option(cli_call *call)
{
    const char *name = call->words[call->at] + 2;
    size_t length = strcspn(name, "=");
    const cli_option *option = cli_option_find(call->verb, name, length);
    if (!option) {
        size_t method = method_of(call->verb, name, length);
        return onefold_method_describe(method) ? own_option(call, method, name, length)
                                               : unknown_option(call, name, length);
    }
    const char *value = "";
    if (option->kind == CLI_FLAG && name[length] == '=')
        return cli_fail(ONEFOLD_USAGE, "--%s takes no value", option->name);
    if (option->kind != CLI_FLAG)
        CLI_TRY(find_value(call, name, length, option->argument, &value));
    if (option->kind == CLI_AS_LIST)
        return as_list(call, option, value);
    return value_read(option, value, &call->value[option->id]);
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
        CLI_TRY(value_read(found, "", &call->value[found->id]));
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
    if (call->value[CLI_MACHINE].given && call->operand_count)
        status = cli_fail(ONEFOLD_USAGE, "%s --machine: unexpected argument '%s'", verb->name,
                          call->operands[0]);
    else if (call->operand_count == 0 && !call->value[CLI_MACHINE].given)
        status = cli_fail(ONEFOLD_USAGE, "%s: no file was given", verb->name);
    else if (call->operand_count && call->operand_count < verb->min)
        status = cli_fail(ONEFOLD_USAGE, "%s needs more than '%s': onefold %s %s", verb->name,
                          call->operands[0], verb->name, verb->operands);
    else if (call->operand_count > verb->max)
        status = cli_fail(ONEFOLD_USAGE, "%s: unexpected argument '%s'", verb->name,
                          call->operands[verb->max]);
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

onefold_status cli_parse(cli_call *call)
{
    CLI_TRY(CLI_NEW(call->arena, &call->operands, (size_t)call->word_count + 1));
    CLI_TRY(CLI_NEW(call->arena, &call->own, (size_t)call->word_count + 1));
    int options = 1; /* until "--" */
    for (call->at = 0; call->at < call->word_count; call->at++) {
        const char *word = call->words[call->at];
        if (options && strcmp(word, "--") == 0)
            options = 0;
        else if (options && strncmp(word, "--", 2) == 0)
            CLI_TRY(long_option(call));
        else if (options && word[0] == '-' && word[1])
            CLI_TRY(letter_options(call, word));
        else
            call->operands[call->operand_count++] = word;
    }
    return check_operands(call);
}

/* ---- portable ------------------------------------------------------------------------------- */

/*
 * OpenBLAS picks its kernels by the processor, glibc its exp, log and cos by whether the processor
 * has fused multiply-adds. Both read the environment once, when they are loaded. Our own code is
 * compiled without contraction and adds in a fixed order, so the vector width does not change its
 * results.
 */

#if defined(__x86_64__)
static const char core[] = "Prescott", tunables[] = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4";
#elif defined(__aarch64__)
static const char core[] = "ARMV8", tunables[] = "";
#else
static const char core[] = "", tunables[] = "";
#endif

/* OpenBLAS's name of the kernels that it has picked; another BLAS lacks the function. */
extern char *openblas_get_corename(void) __attribute__((weak));

/* The product of the BLAS that runs. The name says little where another BLAS was loaded before. */
extern void cblas_dgemm(int order, int op_a, int op_b, int rows, int columns, int inner,
                        double alpha, const double *a, int lda, const double *b, int ldb,
                        double beta, double *c, int ldc) __attribute__((weak));

/* Whether a product has the bits that the kernels of that name give: they depend on the order of
 * its sums. Of other architectures than x86-64 the bits are not known here. */
static int has_known_bits(void)
{
    enum { SIDE = 12, INNER = 150, BY_COLUMN = 102, PLAIN = 111 };
    static double factor[SIDE * INNER], product[SIDE * SIDE];
    uint64_t hash = 14695981039346656037u;
    if (strcmp(core, "Prescott") != 0)
        return 1;
    if (!cblas_dgemm)
        return 0;
    for (uint32_t i = 0; i < SIDE * INNER; i++)
        factor[i] = (double)(i * 2654435761u) / 4294967296.0 - 0.5;
    cblas_dgemm(BY_COLUMN, PLAIN, PLAIN, SIDE, SIDE, INNER, 1, factor, SIDE, factor, INNER, 0,
                product, SIDE);
    for (size_t i = 0; i < sizeof product; i++) /* FNV-1a */
        hash = (hash ^ ((const unsigned char *)product)[i]) * 1099511628211u;
    return hash == 0xc2ba51c4d303f534u;
}

static int is_set(const char *name, const char *value)
{
    const char *now = getenv(name);
    return now && strcmp(now, value) == 0;
}

void cli_portable_start(char **argv)
{
    if (!core[0] || (is_set("OPENBLAS_CORETYPE", core) && is_set("GLIBC_TUNABLES", tunables)))
        return;
    if (setenv("OPENBLAS_CORETYPE", core, 1) == 0 && setenv("GLIBC_TUNABLES", tunables, 1) == 0)
        execv("/proc/self/exe", argv);
}

/* Refuses --portable if the libraries have not followed the environment. */
static onefold_status portable_check(void)
{
    int named = core[0] && openblas_get_corename && strcmp(openblas_get_corename(), core) == 0;
    if (named && is_set("GLIBC_TUNABLES", tunables) && has_known_bits())
        return ONEFOLD_OK;
    if (named)
        return cli_hint(cli_fail(ONEFOLD_UNSUPPORTED,
                                 "--portable: products do not have the bits of OpenBLAS's kernels "
                                 "for \"%s\": another BLAS runs, or another release",
                                 core),
                        "leave out what is loaded before OpenBLAS (LD_PRELOAD), or --portable");
    return cli_hint(
        cli_fail(ONEFOLD_UNSUPPORTED,
                 "--portable needs OpenBLAS with kernels for \"%s\", and this build has "
                 "%s",
                 core, openblas_get_corename ? openblas_get_corename() : "another BLAS"),
        "leave it out: labels do not depend on threads and processes in any case");
}

/* ---- the command ---------------------------------------------------------------------------- */

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
        return cli_hint(cli_fail(ONEFOLD_USAGE, "expected a verb, found %s", name),
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

/* Handles --help, --version and --list; 0: the words begin with something else. */
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
    CLI_SCRATCH(arena);
    cli_call call = {.arena = &arena, .verb = verb, .words = words + 1, .word_count = count - 1};
    CLI_TRY(cli_ranks_check(verb->name));
    CLI_TRY(cli_parse(&call));
    if (call.value[CLI_PORTABLE].given)
        CLI_TRY(portable_check());
    return verb->run(&call);
}
