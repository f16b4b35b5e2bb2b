/* SPDX-License-Identifier: Apache-2.0 */
/* The same functions in a build without a JSON library: each says so. */
#include "report/json_build.h"

#include "base/status.h"

#include <stdlib.h>

#ifdef ONEFOLD_WITH_JSON

#include "base/structs.h"
#include "base/utf8.h"

#include <math.h>
#include <string.h>

json_t *of_json_text(const char *text)
{
    if (!text)
        return json_null();
    json_t *plain = json_string(text);
    if (plain)
        return plain;
    char *clean = malloc(3 * strlen(text) + 1), *to = clean;
    if (!clean)
        return NULL;
    for (const char *from = text; *from;) {
        size_t length = of_utf8_length(from);
        memcpy(to, length ? from : "\xef\xbf\xbd", length ? length : 3);
        to += length ? length : 3;
        from += length ? length : 1;
    }
    *to = '\0';
    json_t *made = json_string(clean);
    free(clean);
    return made;
}

json_t *of_json_real(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

json_t *of_json_whole(uint64_t number)
{
    if (number <= INT64_MAX)
        return json_integer((json_int_t)number);
    return json_sprintf("%llu", (unsigned long long)number);
}

/* Appends and takes over; a missing value or array ends in NULL. */
static json_t *append(json_t *array, json_t *value)
{
    return of_json_keep(array, json_array_append_new(array, value) != 0);
}

json_t *of_json_reals(const double *numbers, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; numbers && array && i < count; i++)
        array = append(array, of_json_real(numbers[i]));
    return array;
}

json_t *of_json_sizes(const size_t *numbers, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; numbers && array && i < count; i++)
        array = append(array, of_json_whole(numbers[i]));
    return array;
}

json_t *of_json_labels(const int32_t *labels, size_t count, size_t clusters)
{
    json_t *names = json_array(), *array = json_array();
    for (size_t c = 0; names && c < clusters; c++)
        names = append(names, json_integer((json_int_t)c));
    for (size_t i = 0; names && array && i < count; i++)
        array = append(array, json_incref(json_array_get(names, (size_t)labels[i])));
    int failed = !names;
    json_decref(names);
    return of_json_keep(array, failed);
}

int of_json_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) != 0;
}

json_t *of_json_keep(json_t *value, int failed)
{
    if (!failed)
        return value;
    json_decref(value);
    return NULL;
}

int of_json_put_seconds(json_t *object, const char *key, double seconds)
{
    return seconds >= 0 && of_json_put(object, key, of_json_real(seconds));
}

char *of_json_dump(const json_t *value, size_t flags)
{
    flags |= JSON_REAL_PRECISION(17);
    size_t size = json_dumpb(value, NULL, 0, flags);
    char *text = size ? malloc(size + 1) : NULL;
    if (text && json_dumpb(value, text, size, flags) != size) {
        free(text);
        return NULL;
    }
    if (text)
        text[size] = '\0';
    return text;
}

onefold_status of_json_made(json_t **object, json_t *made, int failed)
{
    made = of_json_keep(made, failed);
    if (!made)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the JSON text");
    *object = made;
    return ONEFOLD_OK;
}

#endif
