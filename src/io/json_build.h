/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON text value by value, and reading it. */
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

/* A text that is being written, zero-initialised. Commas are added between values. Keys are NULL in
 * arrays. After a failed allocation nothing is written, and of_json_check returns the error. */
typedef struct of_json {
    of_arena arena;
    char *text; /* zero-terminated; NULL: empty */
    size_t length, room;
    int in_page; /* of the report page: without spaces, and values of samples are in blocks */
    int failed;
} of_json;

/* ONEFOLD_OK where everything was written. */
OF_PRIVATE onefold_status of_json_check(const of_json *made);

/* Frees a text; as the cleanup of a variable. */
OF_PRIVATE void of_json_drop(of_json *from);
#define OF_JSON(name) __attribute__((cleanup(of_json_drop))) of_json name

/* Writes values. `values` lists them, separated by blanks: "key:kind", or a kind alone in an array.
 * Each kind but a bracket takes an argument; lists and rows also take their lengths:
 *
 *     t  text of any bytes (const char *): what is not UTF-8 becomes U+FFFD; NULL is null
 *     r  number (double); null where it is not finite, which JSON cannot represent
 *     n  size (size_t); u  seed (uint64_t): above 2^63 - 1 a text, as readers of JSON differ there
 *     i  number (int); f  truth value (int)
 *     o  text; g  size; s  time (double): no member where NULL, 0, or below 0
 *     T  R  N  I  list of texts, doubles, sizes, int32_t, and its length (size_t); NULL is empty
 *     M  W        rows of doubles, of sizes; their number and their length (size_t)
 *     {  [        the values that follow are inside; }  ]  end it
 *
 * The key "*" is an argument before the value; NULL: no key. */
OF_PRIVATE void of_json_put(of_json *to, const char *values, ...);

/* Writes text that is JSON already. */
void of_json_raw(of_json *to, const char *key, of_span text);

/* ---- reading -------------------------------------------------------------------------------- */

static inline int of_span_is(of_span span, const char *text)
{
    return span.size == strlen(text) && memcmp(span.at, text, span.size) == 0;
}

/* Texts are zero-terminated. */

typedef struct of_member {
    of_span key, value; /* the key without its quotes */
} of_member;

typedef struct of_members {
    of_member *list;
    size_t count, room;
    const char *end; /* of the object; NULL: the text is no object */
    int wrong;       /* the text is no object, or of_json_get did not find a member of its kind */
} of_members;

/* Lists the members of the object that starts at `text`. */
OF_PRIVATE onefold_status of_json_members(of_arena *arena, const char *text, of_members *members);

/* The value of the last member with a name; an empty text where there is none. */
OF_PRIVATE of_span of_json_member(const of_members *members, const char *name);

/* Reads members of the kinds t, r, n and f, listed as for of_json_put, to the places that the
 * arguments point to; texts are from `arena`. */
OF_PRIVATE onefold_status of_json_get(of_arena *arena, of_members *from, const char *values, ...);

/* Reads a value of kind r (null is NaN), n or i (both from 0), or v (any) to a double, size_t,
 * int32_t or of_span. Returns whether the value is of the kind. */
OF_PRIVATE int of_json_value(of_span value, char kind, void *to);

/* The number of elements of an array; 0 where it is none. */
OF_PRIVATE size_t of_json_count(of_span text);

/* Reads an array of these kinds, or of t. `array` points to a pointer, which becomes NULL where the
 * array does not have `count` values of the kind. */
OF_PRIVATE onefold_status of_json_array(of_arena *arena, of_span text, char kind, size_t count,
                                        void *array);

/* ---- scores ---------------------------------------------------------------------------------- */

/* A figure of onefold_scores: its name in JSON, and its place in the struct. */
enum { OF_SCORE_FIGURES = 10 };
typedef struct of_score_figure {
    const char *name;
    size_t place;
} of_score_figure;
OF_PRIVATE extern const of_score_figure of_score_figures[OF_SCORE_FIGURES];

/* "scores": one number for each figure; with `repeats` not 0, an array of these many. */
OF_PRIVATE void of_json_scores(of_json *to, const onefold_scores *const *scores, size_t repeats);

#endif
