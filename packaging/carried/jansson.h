/* SPDX-License-Identifier: Apache-2.0 */
/* JSON values under the names that jansson gives them: what libonefold calls of it, and no more,
 * for packages that are built where jansson is not. Texts come out with the same bytes. */
#ifndef OF_CARRIED_JANSSON_H
#define OF_CARRIED_JANSSON_H

#include <stddef.h>
#include <stdio.h>

typedef enum {
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_STRING,
    JSON_INTEGER,
    JSON_REAL,
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
} json_type;

typedef long long json_int_t;
typedef struct json_t json_t;

struct json_t {
    json_type type;
    size_t holders; /* of true, false and null: none, and they are never freed */
    union {
        json_int_t integer;
        double real;
        char *text;
        struct {
            char **key; /* of an object, as many as there are values */
            json_t **value;
            size_t count, room;
        } list;
    } is;
};

enum { json_error_unknown, json_error_out_of_memory, json_error_invalid_syntax };

typedef struct json_error_t {
    int code;
    char text[80];
} json_error_t;

#define json_error_code(error) ((error)->code)

#define JSON_COMPACT 0x20
#define JSON_REAL_PRECISION(digits) (((size_t)(digits)&0x1F) << 11)

json_t *json_object(void);
json_t *json_array(void);
json_t *json_string(const char *text); /* NULL where it is not UTF-8 */
json_t *json_sprintf(const char *format, ...);
json_t *json_integer(json_int_t number);
json_t *json_real(double number);
json_t *json_true(void);
json_t *json_false(void);
json_t *json_null(void);
#define json_boolean(yes) ((yes) ? json_true() : json_false())

json_t *json_incref(json_t *value);
void json_decref(json_t *value);

#define json_typeof(value) ((value)->type)
#define json_is_true(value) ((value) && (value)->type == JSON_TRUE)
#define json_is_null(value) ((value) && (value)->type == JSON_NULL)
#define json_is_integer(value) ((value) && (value)->type == JSON_INTEGER)
#define json_is_number(value)                                                                      \
    ((value) && ((value)->type == JSON_INTEGER || (value)->type == JSON_REAL))

/* The value is taken over, also where that fails; 0 where it did not. */
int json_object_set_new(json_t *object, const char *key, json_t *value);
int json_array_append_new(json_t *array, json_t *value);

json_t *json_object_get(const json_t *object, const char *key);
int json_object_del(json_t *object, const char *key);
size_t json_array_size(const json_t *array);
json_t *json_array_get(const json_t *array, size_t place);
#define json_array_foreach(array, place, value)                                                    \
    for (place = 0; place < json_array_size(array) && (value = json_array_get(array, place));      \
         place++)

const char *json_string_value(const json_t *value);
json_int_t json_integer_value(const json_t *value);
double json_number_value(const json_t *value);

/* The length of the text, which is written where `size` has room for it. */
size_t json_dumpb(const json_t *value, char *text, size_t size, size_t flags);
json_t *json_loadb(const char *text, size_t size, size_t flags, json_error_t *error);

#endif
