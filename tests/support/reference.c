/* SPDX-License-Identifier: Apache-2.0 */
/* Reference numbers by their place in a JSON file. */
#include "support/reference.h"

#include "support/check.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE = 256 };

reference *reference_open(const char *path)
{
    char full[4096];
    snprintf(full, sizeof full, "%s/tests/reference/%s", OF_TEST_SOURCE, path);
    json_error_t error;
    json_t *root = json_load_file(full, 0, &error);
    if (!root)
        fail_msg("%s: line %d: %s", path, error.line, error.text);
    return (reference *)root;
}

void reference_close(reference *from)
{
    json_decref((json_t *)from);
}

/* The item at the place, or NULL. */
static const json_t *item_at(const reference *from, const char *place)
{
    char part[PLACE];
    snprintf(part, sizeof part, "%s", place);
    const json_t *item = (const json_t *)from;
    for (char *rest, *name = strtok_r(part, ".", &rest); name && item;
         name = strtok_r(NULL, ".", &rest))
        item = json_is_array(item) ? json_array_get(item, strtoul(name, NULL, 10))
                                   : json_object_get(item, name);
    return item && !json_is_null(item) ? item : NULL;
}

__attribute__((format(printf, 2, 0))) static void place_text(char *text, const char *place,
                                                             va_list arguments)
{
    int length = vsnprintf(text, PLACE, place, arguments);
    if (length < 0 || length >= PLACE)
        fail_msg("%s: too long a place", place);
}

#define PLACE_TEXT(text, place)                                                                    \
    char text[PLACE];                                                                              \
    do {                                                                                           \
        va_list arguments_;                                                                        \
        va_start(arguments_, place);                                                               \
        place_text(text, place, arguments_);                                                       \
        va_end(arguments_);                                                                        \
    } while (0)

double reference_number(const reference *from, const char *place, ...)
{
    PLACE_TEXT(text, place);
    const json_t *item = item_at(from, text);
    if (!json_is_number(item))
        fail_msg("%s is not a number there", text);
    return json_number_value(item);
}

const char *reference_text(const reference *from, const char *place, ...)
{
    PLACE_TEXT(text, place);
    const json_t *item = item_at(from, text);
    if (!json_is_string(item))
        fail_msg("%s is not a text there", text);
    return json_string_value(item);
}

int reference_true(const reference *from, const char *place, ...)
{
    PLACE_TEXT(text, place);
    const json_t *item = item_at(from, text);
    if (!json_is_boolean(item))
        fail_msg("%s is not true or false there", text);
    return json_is_true(item);
}

size_t reference_length(const reference *from, const char *place, ...)
{
    PLACE_TEXT(text, place);
    const json_t *item = item_at(from, text);
    if (!json_is_array(item))
        fail_msg("%s is not a list there", text);
    return json_array_size(item);
}

int reference_has(const reference *from, const char *place, ...)
{
    PLACE_TEXT(text, place);
    return item_at(from, text) != NULL;
}
