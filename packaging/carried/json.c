/* SPDX-License-Identifier: Apache-2.0 */
/* Values of JSON, their text, and how it is read. An object keeps its keys in the order they came.
 */
#include "jansson.h"

#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------- */

static json_t *make(json_type type)
{
    json_t *value = calloc(1, sizeof *value);
    if (value) {
        value->type = type;
        value->holders = 1;
    }
    return value;
}

json_t *json_object(void)
{
    return make(JSON_OBJECT);
}

json_t *json_array(void)
{
    return make(JSON_ARRAY);
}

json_t *json_true(void)
{
    static json_t it = {JSON_TRUE, 0, {0}};
    return &it;
}

json_t *json_false(void)
{
    static json_t it = {JSON_FALSE, 0, {0}};
    return &it;
}

json_t *json_null(void)
{
    static json_t it = {JSON_NULL, 0, {0}};
    return &it;
}

json_t *json_integer(json_int_t number)
{
    json_t *value = make(JSON_INTEGER);
    if (value)
        value->is.integer = number;
    return value;
}

json_t *json_real(double number)
{
    json_t *value = isfinite(number) ? make(JSON_REAL) : NULL;
    if (value)
        value->is.real = number;
    return value;
}

static json_t *own_text(char *text)
{
    json_t *value = text ? make(JSON_STRING) : NULL;
    if (value)
        value->is.text = text;
    else
        free(text);
    return value;
}

json_t *json_string(const char *text)
{
    for (const char *at = text; at && *at;) {
        size_t length = of_utf8_length(at);
        if (!length)
            return NULL;
        at += length;
    }
    return text ? own_text(strdup(text)) : NULL;
}

json_t *json_sprintf(const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return length >= 0 && length < (int)sizeof text ? json_string(text) : NULL;
}

static int is_list(const json_t *value)
{
    return value && (value->type == JSON_OBJECT || value->type == JSON_ARRAY);
}

json_t *json_incref(json_t *value)
{
    if (value && value->holders)
        value->holders++;
    return value;
}

void json_decref(json_t *value)
{
    if (!value || !value->holders || --value->holders)
        return;
    if (value->type == JSON_STRING)
        free(value->is.text);
    if (is_list(value)) {
        for (size_t i = 0; i < value->is.list.count; i++) {
            if (value->type == JSON_OBJECT)
                free(value->is.list.key[i]);
            json_decref(value->is.list.value[i]);
        }
        free(value->is.list.key);
        free(value->is.list.value);
    }
    free(value);
}

/* Room for one more value, and for its key. */
static int has_room(json_t *list)
{
    if (list->is.list.count < list->is.list.room)
        return 1;
    size_t room = list->is.list.room ? 2 * list->is.list.room : 8;
    if (room > SIZE_MAX / sizeof(json_t *))
        return 0;
    json_t **value = realloc(list->is.list.value, room * sizeof *value);
    if (!value)
        return 0;
    list->is.list.value = value;
    if (list->type == JSON_OBJECT) {
        char **key = realloc(list->is.list.key, room * sizeof *key);
        if (!key)
            return 0;
        list->is.list.key = key;
    }
    list->is.list.room = room;
    return 1;
}

int json_array_append_new(json_t *array, json_t *value)
{
    if (!array || array->type != JSON_ARRAY || !value || value == array || !has_room(array)) {
        json_decref(value);
        return -1;
    }
    array->is.list.value[array->is.list.count++] = value;
    return 0;
}

static size_t place_of(const json_t *object, const char *key)
{
    if (object && object->type == JSON_OBJECT && key)
        for (size_t i = 0; i < object->is.list.count; i++)
            if (strcmp(object->is.list.key[i], key) == 0)
                return i;
    return SIZE_MAX;
}

int json_object_set_new(json_t *object, const char *key, json_t *value)
{
    size_t place = place_of(object, key);
    char *copy = NULL;
    if (place != SIZE_MAX && value && value != object) {
        json_decref(object->is.list.value[place]);
        object->is.list.value[place] = value;
        return 0;
    }
    if (!object || object->type != JSON_OBJECT || !key || !value || value == object ||
        !has_room(object) || !(copy = strdup(key))) {
        json_decref(value);
        return -1;
    }
    object->is.list.key[object->is.list.count] = copy;
    object->is.list.value[object->is.list.count++] = value;
    return 0;
}

json_t *json_object_get(const json_t *object, const char *key)
{
    size_t place = place_of(object, key);
    return place == SIZE_MAX ? NULL : object->is.list.value[place];
}

int json_object_del(json_t *object, const char *key)
{
    size_t place = place_of(object, key);
    if (place == SIZE_MAX)
        return -1;
    size_t after = --object->is.list.count - place;
    free(object->is.list.key[place]);
    json_decref(object->is.list.value[place]);
    memmove(object->is.list.key + place, object->is.list.key + place + 1, after * sizeof(char *));
    memmove(object->is.list.value + place, object->is.list.value + place + 1,
            after * sizeof(json_t *));
    return 0;
}

size_t json_array_size(const json_t *array)
{
    return array && array->type == JSON_ARRAY ? array->is.list.count : 0;
}

json_t *json_array_get(const json_t *array, size_t place)
{
    return place < json_array_size(array) ? array->is.list.value[place] : NULL;
}

const char *json_string_value(const json_t *value)
{
    return value && value->type == JSON_STRING ? value->is.text : NULL;
}

json_int_t json_integer_value(const json_t *value)
{
    return json_is_integer(value) ? value->is.integer : 0;
}

double json_number_value(const json_t *value)
{
    if (json_is_integer(value))
        return (double)value->is.integer;
    return value && value->type == JSON_REAL ? value->is.real : 0;
}

/* ---- to text ------------------------------------------------------------------------------ */

typedef struct writer {
    char *text;
    size_t size, length; /* what there is room for, and what there would be */
    const char *comma, *colon;
    int digits;
} writer;

static void put(writer *to, const char *text, size_t length)
{
    if (to->length + length <= to->size)
        memcpy(to->text + to->length, text, length);
    to->length += length;
}

static void put_text(writer *to, const char *text)
{
    put(to, "\"", 1);
    for (; *text; text++) {
        static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
        const char *special = strchr(plain, *text);
        char escaped[8];
        if (special)
            put(to, (char[]){'\\', letter[special - plain]}, 2);
        else if ((unsigned char)*text < 0x20)
            put(to, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\u%04X", (unsigned)*text));
        else
            put(to, text, 1);
    }
    put(to, "\"", 1);
}

/* As %g has it, with a point or an exponent in any case, and no "+" or leading zero in that. The
 * point may be another character where somebody has set a locale. */
static void put_real(writer *to, double number)
{
    char text[64];
    int length = snprintf(text, sizeof text - 3, "%.*g", to->digits ? to->digits : 17, number);
    char *point = strpbrk(text, ".,"), *exponent = strchr(text, 'e');
    if (point)
        *point = '.';
    if (!point && !exponent) {
        memcpy(text + length, ".0", 3);
    } else if (exponent) {
        char *from = exponent + 1, *at = exponent + 1;
        if (*from == '-')
            at++, from++;
        while (*from == '+' || *from == '0')
            from++;
        memmove(at, from, strlen(from) + 1);
    }
    put(to, text, strlen(text));
}

static void put_value(writer *to, const json_t *value)
{
    char text[32];
    switch (value->type) {
    case JSON_TRUE:
        put(to, "true", 4);
        return;
    case JSON_FALSE:
        put(to, "false", 5);
        return;
    case JSON_NULL:
        put(to, "null", 4);
        return;
    case JSON_STRING:
        put_text(to, value->is.text);
        return;
    case JSON_REAL:
        put_real(to, value->is.real);
        return;
    case JSON_INTEGER:
        put(to, text, (size_t)snprintf(text, sizeof text, "%lld", value->is.integer));
        return;
    case JSON_OBJECT:
    case JSON_ARRAY:
        break;
    }
    put(to, value->type == JSON_OBJECT ? "{" : "[", 1);
    for (size_t i = 0; i < value->is.list.count; i++) {
        if (i)
            put(to, to->comma, strlen(to->comma));
        if (value->type == JSON_OBJECT) {
            put_text(to, value->is.list.key[i]);
            put(to, to->colon, strlen(to->colon));
        }
        put_value(to, value->is.list.value[i]);
    }
    put(to, value->type == JSON_OBJECT ? "}" : "]", 1);
}

size_t json_dumpb(const json_t *value, char *text, size_t size, size_t flags)
{
    writer to = {.text = text,
                 .size = text ? size : 0,
                 .comma = flags & JSON_COMPACT ? "," : ", ",
                 .colon = flags & JSON_COMPACT ? ":" : ": ",
                 .digits = (int)(flags >> 11 & 0x1F)};
    if (value)
        put_value(&to, value);
    return to.length;
}

/* ---- from text ---------------------------------------------------------------------------- */

enum { DEEPEST = 200 };

typedef struct reader {
    const char *at, *end;
    int depth, no_memory;
} reader;

static json_t *read_value(reader *from);

static void skip(reader *from)
{
    while (from->at < from->end && strchr(" \t\r\n", *from->at) && *from->at)
        from->at++;
}

static int takes(reader *from, const char *word)
{
    size_t length = strlen(word);
    skip(from);
    if ((size_t)(from->end - from->at) < length || memcmp(from->at, word, length) != 0)
        return 0;
    from->at += length;
    return 1;
}

/* Four hexadecimal digits; -1 where they are not. */
static long read_hex(reader *from)
{
    long code = 0;
    if (from->end - from->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = *from->at ? strchr(digits, *from->at++) : NULL;
        if (!digit)
            return -1;
        code = code * 16 + (digit - digits) % 16;
    }
    return code;
}

static char *put_code(char *to, long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* What follows a backslash; NULL where it is nothing that JSON knows. */
static char *read_escape(reader *from, char *to)
{
    static const char letter[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
    if (from->at == from->end || !*from->at)
        return NULL;
    const char *known = strchr(letter, *from->at);
    if (known) {
        from->at++;
        *to++ = plain[known - letter];
        return to;
    }
    if (*from->at++ != 'u')
        return NULL;
    long code = read_hex(from);
    if (code >= 0xD800 && code < 0xDC00) { /* the first half of a pair */
        if (from->end - from->at < 2 || from->at[0] != '\\' || from->at[1] != 'u')
            return NULL;
        from->at += 2;
        long second = read_hex(from);
        if (second < 0xDC00 || second > 0xDFFF)
            return NULL;
        code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        return NULL;
    }
    return code > 0 ? put_code(to, code) : NULL;
}

/* The text after its first quote, up to and with its last; free() ends it. */
static char *read_text(reader *from)
{
    const char *close = from->at;
    while (close < from->end && *close != '"')
        close += *close == '\\' && from->end - close > 1 ? 2 : 1;
    char *text = close < from->end ? malloc((size_t)(close - from->at) + 1) : NULL, *to = text;
    from->no_memory |= close < from->end && !text;
    while (to && from->at < close) {
        if ((unsigned char)*from->at < 0x20) {
            to = NULL;
        } else if (*from->at == '\\') {
            from->at++;
            to = read_escape(from, to);
        } else {
            *to++ = *from->at++;
        }
    }
    if (!to || from->at != close) {
        free(text);
        return NULL;
    }
    *to = '\0';
    from->at = close + 1;
    return text;
}

static json_t *read_number(reader *from)
{
    char text[64], *end;
    size_t length = 0;
    while (from->at + length < from->end && length < sizeof text - 1 && from->at[length] &&
           strchr("+-.0123456789eE", from->at[length]))
        length++;
    memcpy(text, from->at, length);
    text[length] = '\0';
    const char *digits = text + (*text == '-');
    if (*digits < '0' || *digits > '9' || (*digits == '0' && digits[1] >= '0' && digits[1] <= '9'))
        return NULL;
    json_t *made;
    errno = 0;
    if (strpbrk(text, ".eE")) {
        double number = strtod(text, &end);
        made = isfinite(number) ? json_real(number) : NULL;
        from->no_memory |= isfinite(number) && !made;
    } else {
        json_int_t number = strtoll(text, &end, 10);
        made = errno ? NULL : json_integer(number);
        from->no_memory |= !errno && !made;
    }
    if (*end) {
        json_decref(made);
        return NULL;
    }
    from->at += length;
    return made;
}

/* One value of a list, with its key before it in an object; non-zero where that failed. */
static int read_member(reader *from, json_t *list)
{
    char *key = NULL;
    if (list->type == JSON_OBJECT && (!takes(from, "\"") || !(key = read_text(from)))) {
        return 1;
    }
    int failed = key && !takes(from, ":");
    json_t *value = failed ? NULL : read_value(from);
    if (value) {
        failed = list->type == JSON_OBJECT ? json_object_set_new(list, key, value)
                                           : json_array_append_new(list, value);
        from->no_memory |= failed;
    }
    free(key);
    return failed || !value;
}

static json_t *read_list(reader *from, json_type type, const char *close)
{
    json_t *list = make(type);
    from->no_memory |= !list;
    int failed = !list || ++from->depth > DEEPEST;
    if (!failed && !takes(from, close)) {
        do
            failed = read_member(from, list);
        while (!failed && takes(from, ","));
        failed = failed || !takes(from, close);
    }
    from->depth--;
    if (!failed)
        return list;
    json_decref(list);
    return NULL;
}

static json_t *read_value(reader *from)
{
    if (takes(from, "{"))
        return read_list(from, JSON_OBJECT, "}");
    if (takes(from, "["))
        return read_list(from, JSON_ARRAY, "]");
    if (takes(from, "true"))
        return json_true();
    if (takes(from, "false"))
        return json_false();
    if (takes(from, "null"))
        return json_null();
    if (takes(from, "\"")) {
        char *text = read_text(from);
        json_t *made = text ? json_string(text) : NULL;
        free(text);
        return made;
    }
    return read_number(from);
}

json_t *json_loadb(const char *text, size_t size, size_t flags, json_error_t *error)
{
    reader from = {text, text + size, 0, 0};
    (void)flags;
    json_t *value = read_value(&from);
    skip(&from);
    if (value && (!is_list(value) || from.at != from.end)) {
        json_decref(value);
        value = NULL;
    }
    error->code = from.no_memory ? json_error_out_of_memory : json_error_invalid_syntax;
    snprintf(error->text, sizeof error->text, "%s", value ? "" : "this is no JSON");
    return value;
}
