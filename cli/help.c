/* SPDX-License-Identifier: Apache-2.0 */
/* Help, version, and the list that completions read: all from the tables. */
#include "verbs.h"

#include <string.h>

enum { COLUMN = 26, WIDTH = 79 };
static const char not_here[] = " (not in this build)";

/* Prints a text word by word from `column` on, with lines of `width` that start at `indent`. */
static void wrap(const char *text, size_t column, size_t indent, size_t width)
{
    while (*text) {
        size_t word = strcspn(text, " \n");
        if (column > indent && column + 1 + word > width) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        }
        column += (size_t)printf("%s%.*s", column > indent ? " " : "", (int)word, text);
        text += word + (text[word] != '\0');
    }
    printf("\n");
}

void cli_help(void)
{
    printf("onefold %s: one set of labels from several views of the same samples\n\n"
           "usage: onefold VERB ... [options]\n\n",
           onefold_version());
    for (size_t v = 0; v < cli_verb_count; v++)
        printf("  %-9s %s%s\n", cli_verbs[v].name, cli_verbs[v].title,
               cli_verbs[v].run ? "" : not_here);
    printf("\n'onefold VERB --help' shows the options of a verb, with examples.\n"
           "'onefold --version' shows what this build can do. The manual: man onefold.\n\n"
           "Try it:\n"
           "  onefold synth made.npz --samples 1000 --clusters 5\n"
           "  onefold fit made.npz --clusters 5 --labels labels.csv\n");
}

static void option_line(const char *left, const char *help, const char *standard, int later)
{
    char text[512];
    snprintf(text, sizeof text, "%s%s%s%s%s", help, standard ? " [" : "", standard ? standard : "",
             standard ? "]" : "", later ? not_here : "");
    size_t length = strlen(left);
    printf("%s", left);
    if (length + 2 > COLUMN)
        printf("\n%*s", COLUMN, "");
    else
        printf("%*s", (int)(COLUMN - length), "");
    wrap(text, COLUMN, COLUMN, WIDTH);
}

static void options_of(const cli_verb *verb)
{
    const char *group = NULL;
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_options[i];
        char left[96], letter[8] = "";
        if (!(option->verbs & verb->bit))
            continue;
        if (!group || strcmp(group, option->group) != 0)
            printf("\n%s\n", option->group);
        group = option->group;
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name,
                 option->argument ? " " : "", option->argument ? option->argument : "");
        option_line(left, option->help, option->standard, option->later);
    }
}

/* Whether the verb takes this option of a method: bench has one k-means for all of them. */
static int accepts_own(const cli_verb *verb, const onefold_method_option_info *option)
{
    return !cli_option_of(verb, CLI_KMEANS_START) ||
           (strcmp(option->name, "kmeans-start") != 0 && strcmp(option->name, "replicates") != 0);
}

/* The default of a method's own option, as it would be typed. */
static void standard_text(const onefold_method_option_info *option, char *text, size_t size)
{
    const char *word = option->words;
    snprintf(text, size, "%g", option->standard);
    if (!word)
        return;
    for (int skip = (int)option->standard; skip > 0; skip--)
        word += strcspn(word, "|") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(word, "|"), word);
}

/* The methods, and the options that are a method's own. */
static void methods(const cli_verb *verb)
{
    printf("\nMethods\n");
    for (size_t m = 0; onefold_method_describe(m); m++) {
        char left[96], standard[32];
        const onefold_method_info *method = onefold_method_describe(m);
        snprintf(left, sizeof left, "  %s", method->name);
        option_line(left, method->title, NULL, 0);
        for (size_t i = 0; i < method->options; i++) {
            const onefold_method_option_info *option = onefold_method_option(m, i);
            if (!accepts_own(verb, option))
                continue;
            snprintf(left, sizeof left, "    --%s-%s %s", method->name, option->name,
                     option->words ? option->words : "X");
            standard_text(option, standard, sizeof standard);
            option_line(left, option->help, standard, 0);
        }
    }
}

void cli_help_verb(const cli_verb *verb)
{
    printf("onefold %s: %s\n\nusage: onefold %s %s\n", verb->name, verb->title, verb->name,
           verb->operands);
    if (!verb->run) {
        printf("\nThis verb is not in this build.\n");
        return;
    }
    if (verb->text) {
        printf("\n");
        wrap(verb->text, 0, 0, WIDTH);
    }
    options_of(verb);
    if (cli_accepts_methods(verb))
        methods(verb);
    if (verb->examples)
        printf("\nExamples\n%s", verb->examples);
}

void cli_version(void)
{
    printf("onefold %s\nbuilt with %s\nmethods", onefold_version(), onefold_capabilities());
    for (size_t m = 0; onefold_method_describe(m); m++)
        printf(" %s", onefold_method_describe(m)->name);
    printf("\nverbs");
    for (size_t v = 0; v < cli_verb_count; v++)
        if (cli_verbs[v].run)
            printf(" %s", cli_verbs[v].name);
    printf("\n");
    if (strstr(onefold_capabilities(), "cuda"))
        printf("card %s\n", onefold_device_description());
}

/* The argument of an option as completions want it: words to choose from, where they are known. */
static void list_argument(const cli_option *option)
{
    if (option->id == CLI_METHODS)
        printf("all%s", onefold_method_describe(0) ? "|" : "");
    if (option->id == CLI_METHOD || option->id == CLI_METHODS)
        for (size_t m = 0; onefold_method_describe(m); m++)
            printf("%s%s", m ? "|" : "", onefold_method_describe(m)->name);
    else if (option->id == CLI_KERNEL)
        for (size_t k = 0; onefold_kernel_name(k); k++)
            printf("%s%s", k ? "|" : "", onefold_kernel_name(k));
    else
        printf("%s", option->argument ? option->argument : "");
}

static void list_options(const cli_verb *verb)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        if (!(cli_options[i].verbs & verb->bit))
            continue;
        printf("--%s\t", cli_options[i].name);
        list_argument(&cli_options[i]);
        printf("\t%s%s\n", cli_options[i].help, cli_options[i].later ? not_here : "");
    }
    for (size_t m = 0; cli_accepts_methods(verb) && onefold_method_describe(m); m++) {
        const onefold_method_option_info *option;
        for (size_t i = 0; (option = onefold_method_option(m, i)); i++)
            if (accepts_own(verb, option))
                printf("--%s-%s\t%s\t%s\n", onefold_method_describe(m)->name, option->name,
                       option->words ? option->words : "X", option->help);
    }
}

void cli_list(const char *name)
{
    const cli_verb *verb = name ? cli_verb_find(name, strlen(name)) : NULL;
    for (size_t v = 0; !name && v < cli_verb_count; v++)
        printf("%s\t\t%s%s\n", cli_verbs[v].name, cli_verbs[v].title,
               cli_verbs[v].run ? "" : not_here);
    if (verb && verb->run)
        list_options(verb);
}
