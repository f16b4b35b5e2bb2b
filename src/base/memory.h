/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checked memory. Blocks are 64-byte aligned, counted against the context's limit, and belong to an
 * arena that frees them all at once, so an error path needs no clean-up of its own:
 *
 *     OF_SCRATCH(scratch, context);               freed when the scope is left, by any return
 *     double *G;
 *     OF_TRY(OF_NEW(&scratch, &G, k, k));         k * k doubles, product checked
 */
#ifndef OF_BASE_MEMORY_H
#define OF_BASE_MEMORY_H

#include "base/context.h"

#include <stdint.h>

typedef struct of_block of_block;

typedef struct of_arena {
    of_context *context;
    of_block *blocks;
} of_arena;

/* An empty arena. It takes no memory itself. Not for use by two threads at once. */
OF_PRIVATE of_arena of_arena_make(of_context *context);
OF_PRIVATE void of_arena_free(of_arena *arena);

/* An object in an arena of its own, which is its first member. of_object_make fills it with zeros.
 * of_object_free frees it with the whole arena; NULL is allowed. of_object_give stores it in *place
 * where `status` is ONEFOLD_OK, and else frees it. */
#define OF_OBJECT(context, object) of_object_make((context), (void **)(object), sizeof **(object))
OF_PRIVATE onefold_status of_object_make(of_context *context, void **object, size_t size);
OF_PRIVATE void of_object_free(void *object);
OF_PRIVATE onefold_status of_object_give(void *place, void *object, onefold_status status);

/* Bytes of its blocks. */
size_t of_arena_bytes(const of_arena *arena);

/*
 * The bytes that some code will take are found by running it in a context that counts. There a
 * block of numbers is counted but has no memory: an access to it ends the process. Blocks of
 * structs and pointers have memory. A team runs no piece, and LAPACK does nothing. Code that
 * accesses numbers returns before it does (OF_COUNTED), or skips that (of_counts). A size that
 * depends on the data, such as a rank, is the largest possible.
 *
 *     OF_COUNTING(counting, context);             like `context`, with a count of its own
 *     OF_TRY(make_something(counting, ...));
 *     bytes = of_count_peak(counting);
 */
#define OF_COUNTING(name, context)                                                                 \
    __attribute__((cleanup(of_counting_end))) of_context name##_itself =                           \
        of_counting_make(context);                                                                 \
    of_context *name = &name##_itself
of_context of_counting_make(of_context *context);
void of_counting_end(of_context *counting);
size_t of_count_peak(const of_context *counting);

static inline int of_counts(const of_context *context)
{
    return context->counted_for != NULL;
}

/* Returns where the context counts: what follows is work on numbers. */
#define OF_COUNTED(context)                                                                        \
    do {                                                                                           \
        if (of_counts(context))                                                                    \
            return ONEFOLD_OK;                                                                     \
    } while (0)

/* Memory for rows * columns elements of `size` bytes; an empty request gives a valid pointer too.
 * OF_BLOCK_NUMBERS: no memory where the context counts. OF_BLOCK_ZERO: filled with zeros. */
enum { OF_BLOCK_NUMBERS = 1, OF_BLOCK_ZERO = 2 };
OF_PRIVATE onefold_status of_arena_new(of_arena *arena, void **memory, size_t size, size_t rows,
                                       size_t columns, int what);
#define of_arena_allocate(arena, memory, size, rows, columns)                                      \
    of_arena_new((arena), (memory), (size), (rows), (columns), OF_BLOCK_NUMBERS)

/* Grows an array of `count` elements from room for *room to room for `need`, or for twice *room if
 * that is more, so that adding one at a time takes linear time. NULL and 0: an empty array. */
#define OF_GROW(arena, pointer, count, room, need)                                                 \
    of_arena_grow((arena), (void **)(pointer), sizeof **(pointer), (count), (room), (need))
OF_PRIVATE onefold_status of_arena_grow(of_arena *arena, void **array, size_t size, size_t count,
                                        size_t *room, size_t need);

/* Frees one block before the arena ends. NULL is allowed. */
OF_PRIVATE void of_arena_release(of_arena *arena, const void *memory);

/* Moves every block of `from` into `to`, which must share its context. */
OF_PRIVATE void of_arena_adopt(of_arena *to, of_arena *from);

/* The error of a printf that failed: it allocates for some numbers. */
onefold_status of_unformatted(void);

/* A formatted string from the arena. */
OF_PRIVATE onefold_status of_arena_string(of_arena *arena, char **copy, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same where `copy` is a const char **. */
#define OF_TEXT(arena, copy, ...) of_arena_string((arena), (char **)(copy), __VA_ARGS__)

#define OF_IS_NUMBER(pointer)                                                                      \
    _Generic((pointer), double ** : 1, float ** : 1, size_t ** : 1, int ** : 1, uint32_t ** : 1,   \
             uint8_t ** : 1, default : 0)
#define OF_NEW(arena, pointer, rows, columns)                                                      \
    of_arena_new((arena), (void **)(pointer), sizeof **(pointer), (rows), (columns),               \
                 OF_IS_NUMBER(pointer))

/* The same, filled with zeros. */
#define OF_NEW_ZERO(arena, pointer, rows, columns)                                                 \
    of_arena_new((arena), (void **)(pointer), sizeof **(pointer), (rows), (columns),               \
                 OF_IS_NUMBER(pointer) | OF_BLOCK_ZERO)

/* Numbers with memory also where the context counts: sizes may depend on them. */
#define OF_NEW_THERE(arena, pointer, rows, columns)                                                \
    of_arena_new((arena), (void **)(pointer), sizeof **(pointer), (rows), (columns), 0)

/* Several arrays of doubles, each a block of its own:
 *
 *     OF_TRY(OF_NEW_ALL(&scratch, {&G, k, k}, {&value, k, 1}));
 */
typedef struct of_numbers {
    double **numbers;
    size_t rows, columns;
} of_numbers;
#define OF_NEW_ALL(arena, ...) OF_NUMBERS(arena, 0, __VA_ARGS__)
#define OF_NEW_ALL_ZERO(arena, ...) OF_NUMBERS(arena, 1, __VA_ARGS__)
#define OF_NUMBERS(arena, zero, ...)                                                               \
    of_arena_numbers((arena), (zero), (const of_numbers[]){__VA_ARGS__},                           \
                     sizeof((const of_numbers[]){__VA_ARGS__}) / sizeof(of_numbers))
OF_PRIVATE onefold_status of_arena_numbers(of_arena *arena, int zero, const of_numbers *list,
                                           size_t count);

/* Pointers to the `count` elements of an array: the public form of structs that may grow. */
#define OF_LIST(arena, list, array, count)                                                         \
    of_arena_list((arena), (list), (array), sizeof *(array), (count))
OF_PRIVATE onefold_status of_arena_list(of_arena *arena, void *list, const void *array, size_t size,
                                        size_t count);

/* An arena that is freed when its scope is left. */
#define OF_SCRATCH(name, context)                                                                  \
    __attribute__((cleanup(of_arena_free))) of_arena name = of_arena_make(context)

/* a * b and a + b, or ONEFOLD_NO_MEMORY with a sentence when it does not fit in a size_t. */
OF_PRIVATE onefold_status of_size_multiply(size_t *product, size_t a, size_t b);
OF_PRIVATE onefold_status of_size_add(size_t *sum, size_t a, size_t b);

static inline size_t of_size_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Bytes of this process's address space: its limit (ulimit -v, ulimit -d), SIZE_MAX: none; those
 * used, 0 where that is not known; and those left. */
size_t of_address_limit(void);
size_t of_address_used(void);
size_t of_address_left(void);

/* "1.5 GB": bytes for people, in a buffer of at least 32 characters that is also returned. */
const char *of_size_text(char *text, size_t bytes);

#endif
