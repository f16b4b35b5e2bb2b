/* SPDX-License-Identifier: Apache-2.0 */
/* From the text of a grid to its settings: split into names and values, then counted through. */
#include "experiment/grid.h"

#include "base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 16, MOST_SETTINGS = 100000 };

/* A name and the values it takes. */
typedef struct axis {
    const char *name;
    char **values;
    size_t count;
} axis;

typedef struct reader {
    of_arena *arena;
    const of_method *method;
    size_t clusters, views;
} reader;

static const char *const sizes[] = {"dims", "anchors"};

static int is_size(const reader *in, const char *name)
{
    return in->method->uses_dims && (strcmp(name, sizes[0]) == 0 || strcmp(name, sizes[1]) == 0);
}

static onefold_status check_name(const reader *in, const char *name)
{
    of_nearest_search near = of_nearest_start(name);
    for (size_t i = 0; i < in->method->option_count; i++) {
        if (strcmp(in->method->options[i].name, name) == 0)
            return ONEFOLD_OK;
        of_nearest_offer(&near, in->method->options[i].name);
    }
    for (size_t i = 0; in->method->uses_dims && i < 2; i++)
        of_nearest_offer(&near, sizes[i]);
    if (is_size(in, name))
        return ONEFOLD_OK;
    onefold_status status = of_fail(ONEFOLD_USAGE,
                                    "the grid of %s names '%s', which it has no "
                                    "option for",
                                    in->method->name, name);
    return near.best ? of_hint(status, "did you mean '%s'?", near.best) : status;
}

/* "2c" as a number of clusters, anything else as it stands. */
static onefold_status read_value(const reader *in, const char *name, const char *text, char **value)
{
    char *end;
    unsigned long long times = strtoull(text, &end, 10);
    int counts = end > text && text[0] != '-' && text[0] != '+';
    if (counts && strcmp(end, "c") == 0 && times > 0 && times < 1u << 20)
        return of_arena_string(in->arena, value, "%zu", (size_t)times * in->clusters);
    if (is_size(in, name) && !(counts && *end == '\0' && times > 0 && times < 1u << 31))
        return of_fail(ONEFOLD_USAGE, "the grid of %s has %s=%s, which is no number of them",
                       in->method->name, name, text);
    if (strcmp(name, sizes[0]) == 0 && is_size(in, name) && times < in->clusters)
        return of_fail(ONEFOLD_USAGE, "the grid of %s has dims=%s, less than the %zu clusters",
                       in->method->name, text, in->clusters);
    return of_arena_string(in->arena, value, "%s", text);
}

/* The values of an axis from "a|b|c" or "*". `text` is cut up. */
static onefold_status read_values(const reader *in, axis *into, char *text)
{
    int all = strcmp(text, "*") == 0;
    into->count = all ? in->views : 1;
    for (const char *at = text; !all && *at; at++)
        into->count += *at == '|';
    OF_TRY(OF_NEW(in->arena, &into->values, into->count, 1));
    for (size_t i = 0; i < into->count; i++) {
        if (all) {
            OF_TRY(of_arena_string(in->arena, &into->values[i], "%zu", i + 1));
            continue;
        }
        size_t length = strcspn(text, "|");
        char *next = text + length + (text[length] == '|');
        text[length] = '\0';
        if (!length)
            return of_hint(of_fail(ONEFOLD_USAGE, "the grid of %s gives %s no value",
                                   in->method->name, into->name),
                           "write it as %s=1|2|4", into->name);
        OF_TRY(read_value(in, into->name, text, &into->values[i]));
        text = next;
    }
    return ONEFOLD_OK;
}

/* The axes of "name=values,name=values". `text` is cut up. */
static onefold_status read_axes(const reader *in, char *text, axis *axes, size_t *count)
{
    for (*count = 0; *text; ++*count) {
        size_t length = strcspn(text, ",");
        char *next = text + length + (text[length] == ',');
        text[length] = '\0';
        char *equals = strchr(text, '=');
        if (!equals)
            return of_hint(of_fail(ONEFOLD_USAGE,
                                   "the grid of %s has '%s' where name=values "
                                   "should stand",
                                   in->method->name, text),
                           "write it as l1=2|4|8,l2=16|32");
        if (*count == AXES)
            return of_fail(ONEFOLD_USAGE, "the grid of %s has more than %d names", in->method->name,
                           AXES);
        *equals = '\0';
        axes[*count].name = text;
        for (size_t a = 0; a < *count; a++)
            if (strcmp(axes[a].name, text) == 0)
                return of_fail(ONEFOLD_USAGE, "the grid of %s names '%s' twice", in->method->name,
                               text);
        OF_TRY(check_name(in, text));
        OF_TRY(read_values(in, &axes[*count], equals + 1));
        text = next;
    }
    return ONEFOLD_OK;
}

/* The setting with this number: the last axis moves fastest. */
static onefold_status make_setting(const reader *in, const axis *axes, size_t count, size_t number,
                                   of_setting *setting)
{
    const char *chosen[AXES];
    char *own = NULL;
    for (size_t a = count; a-- > 0; number /= axes[a].count)
        chosen[a] = axes[a].values[number % axes[a].count];
    *setting = (of_setting){0, 0, ""};
    for (size_t a = 0; a < count; a++) {
        char *longer;
        if (is_size(in, axes[a].name)) {
            size_t value = (size_t)strtoull(chosen[a], NULL, 10);
            *(strcmp(axes[a].name, sizes[0]) == 0 ? &setting->dims : &setting->anchors) = value;
            continue;
        }
        OF_TRY(of_arena_string(in->arena, &longer, "%s%s%s=%s", own ? own : "", own ? "," : "",
                               axes[a].name, chosen[a]));
        own = longer;
    }
    if (own)
        setting->own = own;
    OF_SCRATCH(scratch, in->arena->context);
    double *values;
    OF_TRY(OF_NEW(&scratch, &values, in->method->option_count, 1));
    return of_method_parse_options(in->method, setting->own, values);
}

onefold_status of_grid_expand(of_arena *arena, const of_method *method, const char *grid,
                              size_t clusters, size_t views, of_setting **settings, size_t *count)
{
    reader in = {arena, method, clusters, views};
    of_setting *made = NULL;
    size_t total = 0, room = 0;
    char *text, *next;
    OF_TRY(of_arena_string(arena, &text, "%s", grid));
    for (; *text; text = next) {
        axis axes[AXES];
        size_t axis_count, product = 1, length = strcspn(text, "/");
        next = text + length + (text[length] == '/');
        text[length] = '\0';
        OF_TRY(read_axes(&in, text, axes, &axis_count));
        for (size_t a = 0; a < axis_count; a++)
            OF_TRY(of_size_multiply(&product, product, axes[a].count));
        if (product > MOST_SETTINGS || total + product > MOST_SETTINGS)
            return of_fail(ONEFOLD_USAGE, "the grid of %s has more than %d cells", method->name,
                           MOST_SETTINGS);
        if (axis_count == 0)
            continue;
        OF_TRY(OF_GROW(arena, &made, total, &room, total + product));
        for (size_t i = 0; i < product; i++)
            OF_TRY(make_setting(&in, axes, axis_count, i, &made[total++]));
    }
    if (total == 0)
        return of_hint(of_fail(ONEFOLD_USAGE, "the grid of %s has no cells", method->name),
                       "write it as name=1|2|4,name=3|5, or leave the method out of `grid`");
    *settings = made;
    *count = total;
    return ONEFOLD_OK;
}
