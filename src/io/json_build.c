/* SPDX-License-Identifier: Apache-2.0 */
/* Writing and reading JSON. Numbers have 17 digits, so that they are read back bit for bit. */
#include "io/json_build.h"

#include "base/number.h"
#include "base/status.h"
#include "base/utf8.h"
#include "io/build.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- writing -------------------------------------------------------------------------------- */

static void add(of_json *to, const char *bytes, size_t size)
{
    if (!to->arena.context)
        to->arena = of_arena_make(NULL);
    if (to->failed ||
        OF_GROW(&to->arena, &to->text, to->length, &to->room, to->length + size + 1)) {
        to->failed = 1;
        return;
    }
    memcpy(to->text + to->length, bytes, size);
    to->length += size;
    to->text[to->length] = '\0';
}

static void add_text(of_json *to, const char *text)
{
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    add(to, "\"", 1);
    while (*text) {
        size_t length = of_utf8_length(text);
        const char *special = strchr(plain, *text);
        char escaped[8];
        if (special)
            add(to, (char[]){'\\', letter[special - plain]}, 2);
        else if ((unsigned char)*text < ' ')
            add(to, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\u%04X", (unsigned)*text));
        else
            add(to, length ? text : "\xef\xbf\xbd", length ? length : 3);
        text += length ? length : 1;
    }
    add(to, "\"", 1);
}

/* Writes the comma and the key before a value. */
static void begin(of_json *to, const char *key)
{
    char last = to->length ? to->text[to->length - 1] : '[';
    if (last != '{' && last != '[')
        add(to, ", ", to->in_page ? 1 : 2);
    if (key) {
        add_text(to, key);
        add(to, ": ", to->in_page ? 1 : 2);
    }
}

void of_json_drop(of_json *from)
{
    of_arena_free(&from->arena);
    *from = (of_json){.in_page = from->in_page};
}

onefold_status of_json_check(const of_json *made)
{
    if (made->failed)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the JSON text");
    return ONEFOLD_OK;
}

static void print(of_json *to, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void print(of_json *to, const char *key, const char *format, ...)
{
    char text[64];
    va_list list;
    va_start(list, format);
    int length = of_number_print_list(text, sizeof text, format, list);
    va_end(list);
    begin(to, key);
    if (length < 0) /* printf allocates memory for some numbers */
        to->failed = 1;
    else
        add(to, text, (size_t)length);
}

static void put_text(of_json *to, const char *key, const char *text)
{
    begin(to, key);
    if (text)
        add_text(to, text);
    else
        add(to, "null", 4);
}

/* A number always has a point or an exponent, which has no '+' and no leading zero. */
static void put_real(of_json *to, const char *key, double number)
{
    char text[64] = "";
    if (!isfinite(number)) {
        put_text(to, key, NULL);
        return;
    }
    to->failed |= of_number_print(text, sizeof text, "%.17g", number) < 0;
    char *point = strchr(text, '.'), *exponent = strchr(text, 'e');
    if (exponent) {
        char *sign = exponent + 1, *digits = sign + 1 + strspn(sign + 1, "0");
        memmove(sign + (*sign == '-'), digits, strlen(digits) + 1);
    }
    print(to, key, "%s%s", text, point || exponent ? "" : ".0");
}

static void put_whole(of_json *to, const char *key, uint64_t number)
{
    print(to, key, number <= INT64_MAX ? "%llu" : "\"%llu\"", (unsigned long long)number);
}

static void put_list(of_json *to, const char *key, char kind, const void *array, size_t count)
{
    print(to, key, "[");
    for (size_t i = 0; array && i < count; i++)
        if (kind == 'R')
            put_real(to, NULL, ((const double *)array)[i]);
        else if (kind == 'N')
            put_whole(to, NULL, ((const size_t *)array)[i]);
        else if (kind == 'I')
            print(to, NULL, "%d", (int)((const int32_t *)array)[i]);
        else
            put_text(to, NULL, ((const char *const *)array)[i]);
    add(to, "]", 1);
}

static void put_rows(of_json *to, const char *key, char kind, const char *array, size_t rows,
                     size_t count)
{
    size_t size = kind == 'M' ? sizeof(double) : sizeof(size_t);
    print(to, key, "[");
    for (size_t r = 0; r < rows; r++)
        put_list(to, NULL, kind == 'M' ? 'R' : 'N', array + r * count * size, count);
    add(to, "]", 1);
}

/* Takes the next value off "key:kind ...": its key, or "", to `name`. Returns its kind; '\0' at the
 * end. */
static char next_value(const char **values, char name[32])
{
    const char *at = *values;
    size_t length = strcspn(at, " "), key = strcspn(at, ": ");
    snprintf(name, 32, "%.*s", at[key] == ':' ? (int)key : 0, at);
    *values = at + length + strspn(at + length, " ");
    return length ? at[length - 1] : '\0';
}

static void put_value(of_json *to, const char *key, char kind, va_list *list)
{
    if (kind == 't' || kind == 'o') {
        const char *text = va_arg(*list, const char *);
        if (kind == 't' || text)
            put_text(to, key, text);
    } else if (kind == 'r' || kind == 's') {
        double number = va_arg(*list, double);
        if (kind == 'r' || number >= 0)
            put_real(to, key, number);
    } else if (kind == 'n' || kind == 'g') {
        size_t number = va_arg(*list, size_t);
        if (kind == 'n' || number)
            put_whole(to, key, number);
    } else if (strchr("TRNIMW", kind)) {
        const void *array = va_arg(*list, const void *);
        size_t count = va_arg(*list, size_t);
        if (strchr("MW", kind))
            put_rows(to, key, kind, array, count, va_arg(*list, size_t));
        else
            put_list(to, key, kind, array, count);
    } else if (kind == 'u') {
        put_whole(to, key, va_arg(*list, uint64_t));
    } else if (kind == 'i') {
        print(to, key, "%d", va_arg(*list, int));
    } else if (kind == 'f') {
        print(to, key, "%s", va_arg(*list, int) ? "true" : "false");
    } else if (kind == '{' || kind == '[') {
        print(to, key, "%c", kind);
    } else {
        add(to, &kind, 1);
    }
}

void of_json_put(of_json *to, const char *values, ...)
{
    char name[32], kind;
    va_list list;
    va_start(list, values);
    while ((kind = next_value(&values, name))) {
        const char *key = *name ? name : NULL;
        if (strcmp(name, "*") == 0)
            key = va_arg(list, const char *);
        put_value(to, key, kind, &list);
    }
    va_end(list);
}

void of_json_raw(of_json *to, const char *key, of_span text)
{
    begin(to, key);
    add(to, text.at, text.size);
}

/* ---- reading: past_... returns the end of a thing, or NULL where it is not one -------------- */

enum { DEEPEST = 64 };

static const char *past_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static const char *past_string(const char *p)
{
    if (*p++ != '"')
        return NULL;
    while (*p != '"') {
        size_t length = of_utf8_length(p);
        if ((unsigned char)*p < ' ' || length == 0)
            return NULL;
        if (*p == '\\') {
            if (p[1] == 'u' && strspn(p + 2, "0123456789abcdefABCDEF") < 4)
                return NULL;
            if (!p[1] || !strchr("\"\\/bfnrtu", p[1]))
                return NULL;
            length = 2;
        }
        p += length;
    }
    return p + 1;
}

static const char *past_digits(const char *p)
{
    size_t length = strspn(p, "0123456789");
    return length ? p + length : NULL;
}

static const char *past_value(const char *p, int depth);

static const char *past_member(const char *p, char closing, int first, int depth, of_span *key,
                               of_span *value)
{
    *value = (of_span){NULL, 0};
    p = past_space(p);
    if (*p == closing)
        return p + 1;
    if (!first && *p++ != ',')
        return NULL;
    p = past_space(p);
    if (closing == '}') {
        const char *end = past_string(p);
        if (!end)
            return NULL;
        *key = (of_span){p + 1, (size_t)(end - p) - 2};
        p = past_space(end);
        if (*p++ != ':')
            return NULL;
        p = past_space(p);
    }
    const char *end = past_value(p, depth);
    if (end)
        *value = (of_span){p, (size_t)(end - p)};
    return end;
}

static const char *past_value(const char *p, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    of_span key, value = {p, 1};
    if (*p == '"')
        return past_string(p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0)
            return p + strlen(words[i]);
    if (*p != '{' && *p != '[') { /* a number */
        p += *p == '-';
        p = *p == '0' ? p + 1 : past_digits(p);
        if (p && *p == '.')
            p = past_digits(p + 1);
        if (p && (*p == 'e' || *p == 'E'))
            p = past_digits(p + 1 + (p[1] == '+' || p[1] == '-'));
        return p;
    }
    char closing = *p++ == '{' ? '}' : ']';
    if (depth >= DEEPEST)
        return NULL;
    for (int first = 1; p && value.at; first = 0)
        p = past_member(p, closing, first, depth + 1, &key, &value);
    return p;
}

onefold_status of_json_members(of_arena *arena, const char *text, of_members *members)
{
    of_member one = {{NULL, 0}, {text, 1}};
    *members = (of_members){.end = *text == '{' ? text + 1 : NULL};
    while (members->end && one.value.at) {
        members->end = past_member(members->end, '}', !members->count, 0, &one.key, &one.value);
        if (!members->end || !one.value.at)
            break;
        OF_TRY(OF_GROW(arena, &members->list, members->count, &members->room, members->count + 1));
        members->list[members->count++] = one;
    }
    members->wrong = !members->end;
    return ONEFOLD_OK;
}

of_span of_json_member(const of_members *members, const char *name)
{
    for (size_t i = members->count; i-- > 0;)
        if (of_span_is(members->list[i].key, name))
            return members->list[i].value;
    return (of_span){"", 0};
}

int of_json_value(of_span value, char kind, void *to)
{
    const char *end = value.at + value.size;
    double real = NAN;
    size_t whole = 0;
    int good = kind == 'v' || (kind == 'r' && *value.at == 'n') ||
               (value.size && (kind == 'r' ? of_number_read(value.at, end, '.', &real) != value.at
                                           : of_number_read_size(value.at, end, &whole) == end));
    if (kind == 'v')
        *(of_span *)to = value;
    else if (kind == 'r')
        *(double *)to = real;
    else if (kind == 'n')
        *(size_t *)to = good ? whole : 0;
    else
        *(int32_t *)to = (int32_t)whole;
    return good && (kind != 'i' || whole <= INT32_MAX);
}

static uint32_t four_digits(const char *at)
{
    return (uint32_t)strtoul((char[]){at[0], at[1], at[2], at[3], '\0'}, NULL, 16);
}

/* The text between the quotes of a value. */
static onefold_status read_text(of_arena *arena, of_span value, const char **text)
{
    static const char letter[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
    char *to;
    OF_TRY(OF_NEW(arena, &to, value.size, 1));
    *text = to;
    for (const char *from = value.at + 1; *from != '"'; from++) {
        const char *escape = *from == '\\' ? strchr(letter, *++from) : from;
        if (escape == from) {
            *to++ = *from;
        } else if (escape) {
            *to++ = plain[escape - letter];
        } else { /* \u and four digits, or two of them for one character */
            uint32_t code = four_digits(from + 1);
            from += 4;
            if (code >= 0xd800 && code < 0xdc00 && from[1] == '\\' && from[2] == 'u') {
                code = 0x10000 + ((code & 0x3ff) << 10) + (four_digits(from + 3) & 0x3ff);
                from += 6;
            }
            to = of_text_put(to, code);
        }
    }
    *to = '\0';
    return ONEFOLD_OK;
}

size_t of_json_count(of_span text)
{
    const char *p = *text.at == '[' ? text.at + 1 : NULL;
    of_span key, value;
    size_t count = 0;
    while (p && (p = past_member(p, ']', count == 0, 0, &key, &value)) && value.at)
        count++;
    return count;
}

onefold_status of_json_array(of_arena *arena, of_span text, char kind, size_t count, void *array)
{
    size_t size = kind == 'r'   ? sizeof(double)
                  : kind == 'i' ? sizeof(int32_t)
                  : kind == 'n' ? sizeof(size_t)
                  : kind == 't' ? sizeof(char *)
                                : sizeof(of_span);
    const char *p = *text.at == '[' ? text.at + 1 : NULL;
    of_span key, value;
    char *made = NULL;
    if (p && count < text.size)
        OF_TRY(of_arena_allocate(arena, (void **)&made, size, count, 1));
    for (size_t i = 0; made && i <= count; i++) {
        p = past_member(p, ']', i == 0, 0, &key, &value);
        int good = p && (value.at != NULL) == (i < count);
        if (good && i < count && kind == 't') {
            good = *value.at == '"';
            if (good)
                OF_TRY(read_text(arena, value, (const char **)(void *)made + i));
        } else if (good && i < count) {
            good = of_json_value(value, kind, made + i * size);
        }
        if (!good)
            made = NULL;
    }
    *(char **)array = made;
    return ONEFOLD_OK;
}

onefold_status of_json_get(of_arena *arena, of_members *from, const char *values, ...)
{
    onefold_status status = ONEFOLD_OK;
    char name[32], kind;
    va_list list;
    va_start(list, values);
    while (status == ONEFOLD_OK && (kind = next_value(&values, name))) {
        of_span value = of_json_member(from, name);
        void *to = va_arg(list, void *);
        if (kind == 'f')
            *(int *)to = *value.at == 't';
        else if (kind == 't' && *value.at == '"')
            status = read_text(arena, value, to);
        else
            from->wrong |= kind == 't' || !of_json_value(value, kind, to);
    }
    va_end(list);
    return status;
}

/* ---- scores ---------------------------------------------------------------------------------- */

const of_score_figure of_score_figures[OF_SCORE_FIGURES] = {
    {"acc", offsetof(onefold_scores, acc)},
    {"nmi", offsetof(onefold_scores, nmi)},
    {"nmi_max", offsetof(onefold_scores, nmi_max)},
    {"nmi_sum", offsetof(onefold_scores, nmi_sum)},
    {"nmi_sqrt", offsetof(onefold_scores, nmi_sqrt)},
    {"purity", offsetof(onefold_scores, purity)},
    {"ari", offsetof(onefold_scores, ari)},
    {"f", offsetof(onefold_scores, f)},
    {"precision", offsetof(onefold_scores, precision)},
    {"recall", offsetof(onefold_scores, recall)},
};

void of_json_scores(of_json *to, const onefold_scores *const *scores, size_t repeats)
{
    of_json_put(to, "scores:{");
    for (size_t p = 0; p < OF_SCORE_FIGURES; p++) {
        if (repeats)
            of_json_put(to, "*:[", of_score_figures[p].name);
        for (size_t r = 0; r < repeats || r == 0; r++)
            of_json_put(to, "*:r", repeats ? NULL : of_score_figures[p].name,
                        *(const double *)((const char *)scores[r] + of_score_figures[p].place));
        if (repeats)
            of_json_put(to, "]");
    }
    if (repeats)
        of_json_put(to, "clusters:[");
    for (size_t r = 0; r < repeats || r == 0; r++)
        of_json_put(to, "*:n", repeats ? NULL : "clusters", scores[r]->clusters);
    of_json_put(to, repeats ? "] classes:n }" : "classes:n }", scores[0]->classes);
}
