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

typedef struct of_block of_block;

typedef struct of_arena {
    of_context *context;
    of_block *blocks;
} of_arena;

/* An empty arena. It takes no memory itself. Not for use by two threads at once. */
of_arena of_arena_make(of_context *context);
void of_arena_free(of_arena *arena);

/* What it holds. The context's own account is shared by every call that is given the context. */
size_t of_arena_bytes(const of_arena *arena);

/* What an allocation of rows * columns elements of `size` bytes will count for. */
onefold_status of_arena_block_bytes(size_t *bytes, size_t size, size_t rows, size_t columns);

/* Memory for rows * columns elements of `size` bytes; an empty request gives a valid pointer too.
 */
onefold_status of_arena_allocate(of_arena *arena, void **memory, size_t size, size_t rows,
                                 size_t columns);

/* The same, all zero, in a nameless file in `folder` (base/spill.h): not counted as memory. */
onefold_status of_arena_allocate_spilled(of_arena *arena, void **memory, const char *folder,
                                         size_t size, size_t rows, size_t columns);

/* Zeros, of which only `touched` rows will be used and counted: pages that nobody touches take no
 * memory. */
onefold_status of_arena_allocate_untouched(of_arena *arena, void **memory, size_t size, size_t rows,
                                           size_t columns, size_t touched);

/* An array with `count` elements in use and room for *room is given room for `need` of them, and
 * more than it had twice over, so that adding one at a time takes linear time; NULL and 0: none
 * yet. */
#define OF_GROW(arena, pointer, count, room, need)                                                 \
    of_arena_grow((arena), (void **)(pointer), sizeof **(pointer), (count), (room), (need))
onefold_status of_arena_grow(of_arena *arena, void **array, size_t size, size_t count, size_t *room,
                             size_t need);

/* Gives one block back before the arena ends. NULL is allowed. */
void of_arena_release(of_arena *arena, const void *memory);

/* Moves every block of `from` into `to`, which must share its context. */
void of_arena_adopt(of_arena *to, of_arena *from);

/* What a text that could not be formatted is: printf takes memory of its own for some numbers. */
onefold_status of_unformatted(void);

/* A copy of the string in the arena. */
onefold_status of_arena_string(of_arena *arena, char **copy, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a text that stays as it is: `copy` is a const char **. */
#define OF_TEXT(arena, copy, ...) of_arena_string((arena), (char **)(copy), __VA_ARGS__)

#define OF_NEW(arena, pointer, rows, columns)                                                      \
    of_arena_allocate((arena), (void **)(pointer), sizeof **(pointer), (rows), (columns))

/* The same, filled with zero bytes. */
#define OF_NEW_ZERO(arena, pointer, rows, columns)                                                 \
    of_arena_allocate_zero((arena), (void **)(pointer), sizeof **(pointer), (rows), (columns))
onefold_status of_arena_allocate_zero(of_arena *arena, void **memory, size_t size, size_t rows,
                                      size_t columns);

/* An arena that is freed when its scope is left. */
#define OF_SCRATCH(name, context)                                                                  \
    __attribute__((cleanup(of_arena_free))) of_arena name = of_arena_make(context)

/* a * b and a + b, or ONEFOLD_NO_MEMORY with a sentence when it does not fit in a size_t. */
onefold_status of_size_multiply(size_t *product, size_t a, size_t b);
onefold_status of_size_add(size_t *sum, size_t a, size_t b);

/* The limit of this process's address space (ulimit -v, ulimit -d), SIZE_MAX where there is none;
 * and what is left of it. */
size_t of_address_limit(void);
size_t of_address_left(void);

/* "1.5 GB": bytes for people, in a buffer of at least 32 characters that is also returned. */
const char *of_size_text(char *text, size_t bytes);

/*
 * Memory that lies in a file: mapped, so that the system may write it out and take its pages back.
 * The file has no name by the time it is used, so nothing is left behind however the program ends,
 * and its space is reserved first, so a disk that fills up is an error and not a fault.
 */

/* `size` bytes, all zero, in a nameless file in `folder`. */
onefold_status of_spill_map(of_context *context, const char *folder, size_t size, void **memory);
void of_spill_unmap(void *memory, size_t size);

/* A file that has a name for a moment only, for file systems that know no other; -1 and errno. */
int of_spill_open_unlinked(const char *folder);

#endif
