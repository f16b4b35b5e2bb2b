/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of methods, and the parser of their own options. */
#include "method/bench.h"

#include "base/nearest.h"
#include "base/number.h"
#include "base/status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OF_METHODS_MOST = 32 };

size_t of_method_count(void)
{
    const of_bench *bench = of_bench_get();
    return 2 + (bench ? bench->methods : 0);
}

/* The paper's method, those that are registered, the default. */
const of_method *of_method_at(size_t index)
{
    const of_bench *bench = of_bench_get();
    if (index == 0)
        return &of_method_os_lfmvc_cs;
    return bench && index <= bench->methods ? bench->method[index - 1] : &of_method_onefold;
}

static void describe(onefold_method_info *info, const of_method *method)
{
    *info = (onefold_method_info){.name = method->name,
                                  .title = method->title,
                                  .grid = method->grid,
                                  .options = method->option_count,
                                  .takes_missing = method->accepts_missing,
                                  .has_model = method->has_model,
                                  .has_weights = method->weights != OF_WEIGHTS_NONE,
                                  .has_view_parts = method->has_view_parts,
                                  .takes_dims = method->uses_dims,
                                  .can_split = method->can_split,
                                  .ends_in_kmeans = method->ends_in_kmeans};
}

/* A method's place does not change after libonefold-bench was found. */
const onefold_method_info *onefold_method_describe(size_t index)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static onefold_method_info infos[OF_METHODS_MOST];
    static size_t described;
    size_t count = of_method_count();
    if (index >= count || count > OF_METHODS_MOST)
        return NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; described != count && i < count; i++)
        describe(&infos[i], of_method_at(i));
    described = count;
    pthread_mutex_unlock(&lock);
    return &infos[index];
}

const onefold_method_option_info *onefold_method_option(size_t method, size_t index)
{
    return method < of_method_count() && index < of_method_at(method)->option_count
               ? &of_method_at(method)->options[index]
               : NULL;
}

/* The engine's own are found without loading others. */
onefold_status of_method_find(const of_method **method, const char *name)
{
    static const of_method *const own[] = {&of_method_onefold, &of_method_os_lfmvc_cs};
    for (size_t i = 0; i < 2; i++)
        if (!name || strcmp(own[i]->name, name) == 0) {
            *method = own[i];
            return ONEFOLD_OK;
        }
    for (size_t i = 0; i < of_method_count(); i++)
        if (strcmp(of_method_at(i)->name, name) == 0) {
            *method = of_method_at(i);
            return ONEFOLD_OK;
        }
    const char *near = of_nearest_of(name, &onefold_method_describe(0)->name,
                                     sizeof(onefold_method_info), of_method_count());
    onefold_status status = of_fail(ONEFOLD_USAGE, "there is no method '%s'", name);
    if (near)
        return of_hint(status, "did you mean '%s'?", near);
    char all[256] = "";
    for (size_t i = 0, used = 0; i < of_method_count() && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
                                 of_method_at(i)->name);
    return of_hint(status, "the methods%s are %s",
                   of_bench_get() ? "" : " without libonefold-bench, which is not here,", all);
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
