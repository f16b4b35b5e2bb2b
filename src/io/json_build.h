/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as text, written value by value and taken apart again. */
#ifndef OF_IO_JSON_BUILD_H
#define OF_IO_JSON_BUILD_H

#include "base/memory.h"

#include <string.h>

/* A piece of a text. */
typedef struct of_span {
    const char *at; /* NULL: nothing */
    size_t size;
} of_span;

/* ---- writing -------------------------------------------------------------------------------- */

/* A text under way, all zero at first. Commas come by themselves. Where there is no memory nothing
 * more is written, and of_json_check says so. Keys are NULL in arrays. */
typedef struct of_json {
    of_arena arena;
    char *text; /* with a closing zero; NULL: nothing yet */
    size_t length, room;
    int in_page; /* without spaces, and without values for every sample, which are in blocks */
    int failed;
} of_json;

/* ONEFOLD_OK where all was written. */
onefold_status of_json_check(const of_json *made);

/* Forgets a text; for the cleanup of a variable. */
void of_json_drop(of_json *from);
#define OF_JSON(name) __attribute__((cleanup(of_json_drop))) of_json name

/* Several values, with spaces between them: "key:kind", or a kind alone in an array. Each kind but
 * a bracket takes an argument, lists and rows the numbers behind it besides:
 *
 *     t  text of any bytes (const char *): what is not UTF-8 becomes U+FFFD; NULL is null
 *     r  number (double); null where it is not finite, which JSON cannot say
 *     n  size (size_t); u  seed (uint64_t): beyond 2^63 - 1 text, as readers of JSON differ there
 *     i  number (int); f  truth (int)
 *     o  text, where it is not NULL; g  size, where it is not 0; s  time (double), where it is not
 *        below 0: else there is no such member
 *     T  R  N  I  list of so many (size_t) texts, doubles, sizes, int32_t; NULL is an empty one
 *     M  W        so many rows (size_t) with so many doubles or sizes (size_t) each
 *     {  [        what follows is inside of it; }  ]  its end
 *
 * The key "*" is an argument, before the value; NULL: none. */
void of_json_put(of_json *to, const char *values, ...);

/* What is JSON already. */
void of_json_raw(of_json *to, const char *key, of_span text);

/* ---- reading -------------------------------------------------------------------------------- */

static inline int of_span_is(of_span span, const char *text)
{
    return span.size == strlen(text) && memcmp(span.at, text, span.size) == 0;
}

/* Texts end with a zero. */

typedef struct of_member {
    of_span key, value; /* the key without its quotes */
} of_member;

typedef struct of_members {
    of_member *list;
    size_t count, room;
    const char *end; /* behind the object; NULL: it is none */
    int wrong;       /* it is none, or has not had all that was asked for */
} of_members;

/* Takes apart the object that starts at `text`. */
onefold_status of_json_members(of_arena *arena, const char *text, of_members *members);

/* The value of the last member with the name; an empty text where there is none. */
of_span of_json_member(const of_members *members, const char *name);

/* Several members, in words as of_json_put has them, of the kinds t, r, n and f: into places for
 * them, texts from `arena`. */
onefold_status of_json_get(of_arena *arena, of_members *from, const char *values, ...);

/* Whether a value is of a kind, r (null is NaN), or n or i from 0 on, as of_json_put writes them,
 * or v, any: then it is put to `to`, a double, size_t, int32_t or of_span. */
int of_json_value(of_span value, char kind, void *to);

/* The values of an array, of these kinds or texts, t, into the place for a pointer that `array` is:
 * NULL where there are not `count` of the kind. */
onefold_status of_json_array(of_arena *arena, of_span text, char kind, size_t count, void *array);

#endif
