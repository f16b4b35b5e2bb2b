/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of methods, and the parser of their own options. */
#include "method/method.h"

#include "base/nearest.h"
#include "base/number.h"
#include "base/status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const of_method *const methods[] = {
    &of_method_os_lfmvc_cs, &of_method_avg_kkm, &of_method_sb_kkm,
    &of_method_mkkm,        &of_method_rmsc,    &of_method_fmkkm,
    &of_method_fmr,         &of_method_lsgmc,   &of_method_onefold,
};

size_t of_method_count(void)
{
    return sizeof methods / sizeof methods[0];
}

const of_method *of_method_at(size_t index)
{
    return methods[index];
}

static onefold_method_info infos[sizeof methods / sizeof methods[0]];

static void fill_infos(void)
{
    for (size_t i = 0; i < of_method_count(); i++)
        infos[i] = (onefold_method_info){.name = methods[i]->name,
                                         .title = methods[i]->title,
                                         .grid = methods[i]->grid,
                                         .options = methods[i]->option_count,
                                         .takes_missing = methods[i]->accepts_missing,
                                         .has_model = methods[i]->has_model,
                                         .has_weights = methods[i]->weights != OF_WEIGHTS_NONE,
                                         .has_view_parts = methods[i]->has_view_parts,
                                         .takes_dims = methods[i]->uses_dims,
                                         .can_split = methods[i]->can_split,
                                         .ends_in_kmeans = methods[i]->ends_in_kmeans};
}

const onefold_method_info *onefold_method_describe(size_t index)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_infos);
    return index < of_method_count() ? &infos[index] : NULL;
}

const onefold_method_option_info *onefold_method_option(size_t method, size_t index)
{
    return method < of_method_count() && index < methods[method]->option_count
               ? &methods[method]->options[index]
               : NULL;
}

onefold_status of_method_find(const of_method **method, const char *name)
{
    if (!name)
        name = "onefold";
    for (size_t i = 0; i < of_method_count(); i++)
        if (strcmp(methods[i]->name, name) == 0) {
            *method = methods[i];
            return ONEFOLD_OK;
        }
    const char *near =
        of_nearest_of(name, &onefold_method_describe(0)->name, sizeof *infos, of_method_count());
    onefold_status status = of_fail(ONEFOLD_USAGE, "there is no method '%s'", name);
    if (near)
        return of_hint(status, "did you mean '%s'?", near);
    char all[256] = "";
    for (size_t i = 0, used = 0; i < of_method_count() && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
                                 methods[i]->name);
    return of_hint(status, "the methods are %s", all);
}

/* The index of `word` in "a|b|c", or -1. */
static int word_index(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int index = 0;; index++) {
        size_t this = strcspn(words, "|");
        if (this == length && memcmp(words, word, length) == 0)
            return index;
        if (words[this] == '\0')
            return -1;
        words += this + 1;
    }
}

static onefold_status parse_value(const of_method *method, const of_method_option *option,
                                  const char *text, double *value)
{
    if (option->words) {
        int index = word_index(option->words, text);
        if (index < 0)
            return of_fail(ONEFOLD_USAGE, "`%s-%s` is one of %s, not '%s'", method->name,
                           option->name, option->words, text);
        *value = index;
        return ONEFOLD_OK;
    }
    double number = 0;
    const char *end = text + strlen(text), *stop = of_number_read(text, end, '.', &number);
    if (stop == text || stop != end || !(number >= option->least && number <= option->most))
        return of_fail(ONEFOLD_USAGE, "`%s-%s` is a number from %g to %g, not '%s'", method->name,
                       option->name, option->least, option->most, text);
    *value = number;
    return ONEFOLD_OK;
}

static onefold_status parse_option(const of_method *method, const char *name, const char *text,
                                   double *own)
{
    for (size_t i = 0; i < method->option_count; i++)
        if (strcmp(method->options[i].name, name) == 0)
            return parse_value(method, &method->options[i], text, &own[i]);
    const char *near = method->option_count
                           ? of_nearest_of(name, &method->options->name, sizeof *method->options,
                                           method->option_count)
                           : NULL;
    onefold_status status =
        of_fail(ONEFOLD_USAGE, "the method %s has no option '%s'", method->name, name);
    return near ? of_hint(status, "did you mean `%s-%s`?", method->name, near)
                : of_hint(status, "leave it out of `method_options`");
}

onefold_status of_method_parse_options(const of_method *method, const char *text, double *own)
{
    for (size_t i = 0; i < method->option_count; i++)
        own[i] = method->options[i].standard;
    while (text && *text) {
        char word[256];
        size_t length = strcspn(text, ",");
        if (length >= sizeof word)
            return of_fail(ONEFOLD_USAGE, "an option of %s is too long: %.32s...", method->name,
                           text);
        memcpy(word, text, length);
        word[length] = '\0';
        char *equals = strchr(word, '=');
        if (!equals)
            return of_fail(ONEFOLD_USAGE, "the options of a method are name=value, not '%s'", word);
        *equals = '\0';
        OF_TRY(parse_option(method, word, equals + 1, own));
        text += length;
        text += *text == ',';
    }
    return ONEFOLD_OK;
}
