/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas of aligned, counted blocks. Each block starts with a header that links it to its arena. */
#include "base/memory.h"

#include "base/spill.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ALIGNMENT = 64, LARGE_BLOCK = 64 << 20, LARGE_PAGE = 2 << 20 };

struct of_block {
    of_block *next, *previous;
    void *raw;      /* what the allocator gave */
    size_t size;    /* what was taken from it, header included */
    size_t counted; /* what of it is in the account */
    int mapped;     /* by the system, not the allocator */
};

of_arena of_arena_make(of_context *context)
{
    of_arena arena = {of_context_or_default(context), NULL};
    return arena;
}

onefold_status of_size_multiply(size_t *product, size_t a, size_t b)
{
    if (__builtin_mul_overflow(a, b, product))
        return of_fail(ONEFOLD_NO_MEMORY, "%zu times %zu is more than this machine can count", a,
                       b);
    return ONEFOLD_OK;
}

onefold_status of_size_add(size_t *sum, size_t a, size_t b)
{
    if (__builtin_add_overflow(a, b, sum))
        return of_fail(ONEFOLD_NO_MEMORY, "%zu plus %zu is more than this machine can count", a, b);
    return ONEFOLD_OK;
}

const char *of_size_text(char *text, size_t bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    int u = 0;
    while (value >= 999.5 && u < 6) {
        value /= 1000;
        u++;
    }
    snprintf(text, 32, u && value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit[u]);
    return text;
}

/* Large blocks ask for large pages: the first touch of a small one takes longer than what is then
 * done with it. */
static void *allocate_large(size_t size)
{
    char *raw = malloc(size);
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)raw + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE,
              end = ((uintptr_t)raw + size) / LARGE_PAGE * LARGE_PAGE;
    if (raw && end > first)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE); /* or small ones, as before */
#endif
    return raw;
}

static void *context_allocate(of_context *context, size_t size)
{
    if (context->hooks.allocate)
        return context->hooks.allocate(context->hooks.user, size);
    return size < LARGE_BLOCK ? malloc(size) : allocate_large(size);
}

size_t of_arena_bytes(const of_arena *arena)
{
    size_t bytes = 0;
    for (const of_block *block = arena->blocks; block; block = block->next)
        bytes += block->counted;
    return bytes;
}

static void context_release(of_context *context, void *memory)
{
    if (context->hooks.release)
        context->hooks.release(context->hooks.user, memory);
    else
        free(memory);
}

/* Takes `size` bytes out of the account, or refuses them. */
static onefold_status account_add(of_context *context, size_t size)
{
    if (atomic_load(&context->allocations_until_failure) >= 0 &&
        atomic_fetch_sub(&context->allocations_until_failure, 1) == 0)
        return of_fail(ONEFOLD_NO_MEMORY, "an allocation was made to fail");
    size_t held = atomic_fetch_add(&context->bytes, size) + size;
    if (context->memory_limit && held > context->memory_limit) {
        atomic_fetch_sub(&context->bytes, size);
        char need[32], limit[32];
        return of_hint(of_fail(ONEFOLD_NO_MEMORY, "%s are needed, and %s are allowed",
                               of_size_text(need, held),
                               of_size_text(limit, context->memory_limit)),
                       "allow more with `memory_limit`, or use fewer samples or columns");
    }
    size_t peak = atomic_load(&context->peak);
    while (held > peak && !atomic_compare_exchange_weak(&context->peak, &peak, held))
        ;
    return ONEFOLD_OK;
}

/* The whole of a block: its elements, header and what aligning may cost. */
onefold_status of_arena_block_bytes(size_t *total, size_t size, size_t rows, size_t columns)
{
    size_t count, bytes;
    OF_TRY(of_size_multiply(&count, rows, columns));
    OF_TRY(of_size_multiply(&bytes, count, size));
    return of_size_add(total, bytes, sizeof(of_block) + 2 * ALIGNMENT);
}

/* Makes raw memory a block of the arena; returns its body. */
static void *link_block(of_arena *arena, char *raw, size_t total, size_t counted, int mapped)
{
    uintptr_t body = ((uintptr_t)raw + sizeof(of_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    of_block *block = (of_block *)(body - sizeof(of_block));
    block->raw = raw;
    block->size = total;
    block->counted = counted;
    block->mapped = mapped;
    block->previous = NULL;
    block->next = arena->blocks;
    if (block->next)
        block->next->previous = block;
    arena->blocks = block;
    return (void *)body;
}

onefold_status of_arena_allocate(of_arena *arena, void **memory, size_t size, size_t rows,
                                 size_t columns)
{
    size_t total;
    OF_TRY(of_arena_block_bytes(&total, size, rows, columns));
    OF_TRY(account_add(arena->context, total));
    char *raw = context_allocate(arena->context, total);
    if (!raw) {
        atomic_fetch_sub(&arena->context->bytes, total);
        char text[32];
        return of_fail(ONEFOLD_NO_MEMORY, "the system has no %s of memory to give",
                       of_size_text(text, total));
    }
    *memory = link_block(arena, raw, total, total, 0);
    return ONEFOLD_OK;
}

onefold_status of_arena_allocate_spilled(of_arena *arena, void **memory, const char *folder,
                                         size_t size, size_t rows, size_t columns)
{
    size_t total;
    void *raw;
    OF_TRY(of_arena_block_bytes(&total, size, rows, columns));
    OF_TRY(of_spill_map(arena->context, folder, total, &raw));
    *memory = link_block(arena, raw, total, 0, 1);
    return ONEFOLD_OK;
}

onefold_status of_arena_allocate_untouched(of_arena *arena, void **memory, size_t size, size_t rows,
                                           size_t columns, size_t touched)
{
    size_t total, counted;
    OF_TRY(of_arena_block_bytes(&total, size, rows, columns));
    OF_TRY(of_arena_block_bytes(&counted, size, touched, columns));
    OF_TRY(account_add(arena->context, counted));
    void *raw = mmap(NULL, total, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) {
        atomic_fetch_sub(&arena->context->bytes, counted);
        return of_fail(ONEFOLD_NO_MEMORY, "the system has no room for an array of %zu x %zu", rows,
                       columns);
    }
    *memory = link_block(arena, raw, total, counted, 1);
    return ONEFOLD_OK;
}

onefold_status of_arena_allocate_zero(of_arena *arena, void **memory, size_t size, size_t rows,
                                      size_t columns)
{
    OF_TRY(of_arena_allocate(arena, memory, size, rows, columns));
    memset(*memory, 0, size * rows * columns);
    return ONEFOLD_OK;
}

onefold_status of_arena_grow(of_arena *arena, void **array, size_t size, size_t count, size_t *room,
                             size_t need)
{
    if (need <= *room)
        return ONEFOLD_OK;
    size_t twice;
    void *larger = NULL;
    OF_TRY(of_size_multiply(&twice, *room, 2));
    twice = twice > need ? twice : need;
    OF_TRY(of_arena_allocate(arena, &larger, size, twice, 1));
    if (count)
        memcpy(larger, *array, count * size);
    of_arena_release(arena, *array);
    *array = larger;
    *room = twice;
    return ONEFOLD_OK;
}

void of_arena_release(of_arena *arena, const void *memory)
{
    if (!memory)
        return;
    of_block *block = (of_block *)((uintptr_t)memory - sizeof(of_block));
    if (block->previous)
        block->previous->next = block->next;
    else
        arena->blocks = block->next;
    if (block->next)
        block->next->previous = block->previous;
    atomic_fetch_sub(&arena->context->bytes, block->counted);
    if (block->mapped)
        of_spill_unmap(block->raw, block->size);
    else
        context_release(arena->context, block->raw);
}

void of_arena_free(of_arena *arena)
{
    while (arena->blocks)
        of_arena_release(arena, (const char *)arena->blocks + sizeof(of_block));
}

void of_arena_adopt(of_arena *to, of_arena *from)
{
    of_block *last = from->blocks;
    if (!last)
        return;
    while (last->next)
        last = last->next;
    last->next = to->blocks;
    if (to->blocks)
        to->blocks->previous = last;
    to->blocks = from->blocks;
    from->blocks = NULL;
}

onefold_status of_unformatted(void)
{
    if (errno == ENOMEM) /* the C library takes some for long numbers */
        return of_fail(ONEFOLD_NO_MEMORY, "the system has no memory to format a text");
    return of_fail(ONEFOLD_FAULT, "a text could not be formatted");
}

onefold_status of_arena_string(of_arena *arena, char **copy, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    onefold_status status =
        length < 0 ? of_unformatted() : OF_NEW(arena, copy, (size_t)length + 1, 1);
    if (status == ONEFOLD_OK && vsnprintf(*copy, (size_t)length + 1, format, again) != length)
        status = of_unformatted();
    va_end(again);
    return status;
}
