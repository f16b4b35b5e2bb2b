/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas of aligned, counted blocks. Each block starts with a header that links it to its arena. */
#include "base/memory.h"

#include "base/number.h"
#include "onefold.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- free memory: the system's figure, within the limits of the control group and process ---- */

/* The number after `word` at the start of a line of a file; `none` where there is none ("max"). */
static size_t number_after(const char *path, const char *word, size_t none)
{
    FILE *file = fopen(path, "r");
    char line[128];
    unsigned long long number = 0;
    size_t length = strlen(word);
    int found = 0;
    while (file && !found && fgets(line, sizeof line, file))
        found = strncmp(line, word, length) == 0 && sscanf(line + length, " %llu", &number) == 1;
    if (file)
        fclose(file);
    return found ? (size_t)number : none;
}

size_t of_address_limit(void)
{
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit now;
        if (getrlimit(limits[i], &now) == 0 && now.rlim_cur != RLIM_INFINITY &&
            now.rlim_cur < least)
            least = (size_t)now.rlim_cur;
    }
    return least;
}

size_t of_address_used(void)
{
    return number_after("/proc/self/statm", "", 0) * (size_t)sysconf(_SC_PAGESIZE);
}

size_t of_address_left(void)
{
    size_t limit = of_address_limit(), used = limit == SIZE_MAX ? 0 : of_address_used();
    return limit > used ? limit - used : 0;
}

void onefold_free(void *memory)
{
    free(memory);
}

size_t onefold_free_memory(void)
{
    static const struct {
        const char *limit, *used, *statistics, *cache; /* the system can reclaim cache */
    } groups[] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
         "inactive_file"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat",
         "total_inactive_file"},
    };
    size_t available = number_after("/proc/meminfo", "MemAvailable:", SIZE_MAX / 1024) * 1024,
           left = of_address_left(), room = left < available ? left : available;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        size_t limit = number_after(groups[i].limit, "", SIZE_MAX),
               used = number_after(groups[i].used, "", SIZE_MAX);
        if (limit == SIZE_MAX || used == SIZE_MAX)
            continue;
        size_t cache = number_after(groups[i].statistics, groups[i].cache, 0);
        used -= cache < used ? cache : used;
        left = limit > used ? limit - used : 0;
        room = left < room ? left : room;
    }
    return room;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64, LARGE_BLOCK = 64 << 20, LARGE_PAGE = 2 << 20 };

struct of_block {
    of_block *next, *previous;
    void *raw;      /* from the allocator */
    size_t counted; /* bytes, header included */
    int mapped;     /* two pages of a context that counts (count_block) */
};

of_arena of_arena_make(of_context *context)
{
    of_arena arena = {of_context_or_default(context), NULL};
    return arena;
}

onefold_status of_size_multiply(size_t *product, size_t a, size_t b)
{
    if (__builtin_mul_overflow(a, b, product))
        return of_fail(ONEFOLD_NO_MEMORY, "%zu times %zu overflows", a, b);
    return ONEFOLD_OK;
}

onefold_status of_size_add(size_t *sum, size_t a, size_t b)
{
    if (__builtin_add_overflow(a, b, sum))
        return of_fail(ONEFOLD_NO_MEMORY, "%zu plus %zu overflows", a, b);
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
    of_number_print(text, 32, u && value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit[u]);
    return text;
}

/* Large blocks use large pages: page faults of small ones take longer than the work on them. */
static void *allocate_large(size_t size)
{
    char *raw = malloc(size);
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)raw + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE,
              end = ((uintptr_t)raw + size) / LARGE_PAGE * LARGE_PAGE;
    if (raw && end > first)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#endif
    return raw;
}

size_t of_arena_bytes(const of_arena *arena)
{
    size_t bytes = 0;
    for (const of_block *block = arena->blocks; block; block = block->next)
        bytes += block->counted;
    return bytes;
}

/* Counts `size` more bytes as held, or refuses them. */
static onefold_status count_bytes(of_context *context, size_t size)
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

/* Makes raw memory a block of the arena. *memory is its body. Where `raw` is NULL, its bytes are no
 * longer counted. */
static onefold_status link_block(of_arena *arena, void **memory, char *raw, size_t counted,
                                 int mapped)
{
    if (!raw) {
        char text[32];
        atomic_fetch_sub(&arena->context->bytes, counted);
        return of_fail(ONEFOLD_NO_MEMORY, "out of memory: the system refused %s",
                       of_size_text(text, counted));
    }
    uintptr_t body = ((uintptr_t)raw + sizeof(of_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    of_block *block = (of_block *)(body - sizeof(of_block));
    *block = (of_block){arena->blocks, NULL, raw, counted, mapped};
    if (block->next)
        block->next->previous = block;
    arena->blocks = block;
    *memory = (void *)body;
    return ONEFOLD_OK;
}

of_context of_counting_make(of_context *context)
{
    context = of_context_or_default(context);
    of_context counting = {.threads = context->threads,
                           .chunk = context->chunk,
                           .comm = context->comm,
                           .counted_for = context};
    atomic_store(&counting.allocations_until_failure, -1);
    atomic_store(&counting.lapack_until_failure, -1);
    return counting;
}

void of_counting_end(of_context *counting)
{
    for (of_block *block = counting->spare, *next; block; block = next) {
        next = block->next;
        munmap(block->raw, 2 * (size_t)sysconf(_SC_PAGESIZE));
    }
}

size_t of_count_peak(const of_context *counting)
{
    return atomic_load(&counting->peak);
}

/* A block with a header alone, followed by a page without access. The system allows a process some
 * 65000 pieces of memory, of which each block is two: beyond MOST, blocks have no such page. */
static onefold_status count_block(of_arena *arena, void **memory, size_t counted)
{
    enum { MOST = 1 << 12 };
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    OF_TRY(count_bytes(arena->context, counted));
    of_block *spare = arena->context->spare;
    if (!spare && arena->context->mapped == MOST)
        return link_block(arena, memory, malloc(sizeof(of_block) + ALIGNMENT), counted, 0);
    char *raw =
        spare ? spare->raw
              : mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (spare)
        arena->context->spare = spare->next;
    else if (raw == MAP_FAILED || mprotect(raw + page, page, PROT_NONE) != 0) {
        if (raw != MAP_FAILED)
            munmap(raw, 2 * page);
        return of_fail(ONEFOLD_NO_MEMORY, "out of memory while estimating memory");
    } else {
        arena->context->mapped++;
    }
    OF_TRY(link_block(arena, memory, raw + page - sizeof(of_block), counted, 1));
    ((of_block *)*memory - 1)->raw = raw;
    return ONEFOLD_OK;
}

onefold_status of_arena_new(of_arena *arena, void **memory, size_t size, size_t rows,
                            size_t columns, int what)
{
    const onefold_hooks *hooks = &arena->context->hooks;
    size_t total;
    void *raw;
    OF_TRY(of_size_multiply(&total, rows, columns));
    OF_TRY(of_size_multiply(&total, total, size));
    OF_TRY(of_size_add(&total, total, sizeof(of_block) + 2 * ALIGNMENT));
    if ((what & OF_BLOCK_NUMBERS) && of_counts(arena->context))
        return count_block(arena, memory, total);
    OF_TRY(count_bytes(arena->context, total));
    if (hooks->allocate)
        raw = hooks->allocate(hooks->user, total);
    else
        raw = total < LARGE_BLOCK ? malloc(total) : allocate_large(total);
    OF_TRY(link_block(arena, memory, raw, total, 0));
    if (what & OF_BLOCK_ZERO)
        memset(*memory, 0, size * rows * columns);
    return ONEFOLD_OK;
}

onefold_status of_arena_numbers(of_arena *arena, int zero, const of_numbers *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        OF_TRY(of_arena_new(arena, (void **)list[i].numbers, sizeof(double), list[i].rows,
                            list[i].columns, OF_BLOCK_NUMBERS | (zero ? OF_BLOCK_ZERO : 0)));
    return ONEFOLD_OK;
}

onefold_status of_arena_list(of_arena *arena, void *list, const void *array, size_t size,
                             size_t count)
{
    char *made;
    OF_TRY(OF_NEW_THERE(arena, &made, sizeof(void *), count));
    for (size_t i = 0; i < count; i++) {
        const void *at = (const char *)array + i * size;
        memcpy(made + i * sizeof at, &at, sizeof at);
    }
    memcpy(list, &made, sizeof made);
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
    if (count && !of_counts(arena->context))
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
    const onefold_hooks *hooks = &arena->context->hooks;
    of_block *block = (of_block *)((uintptr_t)memory - sizeof(of_block));
    if (block->previous)
        block->previous->next = block->next;
    else
        arena->blocks = block->next;
    if (block->next)
        block->next->previous = block->previous;
    atomic_fetch_sub(&arena->context->bytes, block->counted);
    if (block->mapped) { /* kept for the next block: mapping takes long */
        block->next = arena->context->spare;
        arena->context->spare = block;
    } else if (hooks->release)
        hooks->release(hooks->user, block->raw);
    else
        free(block->raw);
}

void of_arena_free(of_arena *arena)
{
    of_arena all = *arena; /* a copy: the arena may lie in one of its own blocks */
    arena->blocks = NULL;
    while (all.blocks)
        of_arena_release(&all, (const char *)all.blocks + sizeof(of_block));
}

onefold_status of_object_make(of_context *context, void **object, size_t size)
{
    of_arena arena = of_arena_make(context);
    OF_TRY(of_arena_new(&arena, object, size, 1, 1, OF_BLOCK_ZERO));
    *(of_arena *)*object = arena;
    return ONEFOLD_OK;
}

void of_object_free(void *object)
{
    if (object)
        of_arena_free(object);
}

onefold_status of_object_give(void *place, void *object, onefold_status status)
{
    if (status == ONEFOLD_OK)
        *(void **)place = object;
    else
        of_object_free(object);
    return status;
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
    if (errno == ENOMEM) /* the C library allocates for long numbers */
        return of_fail(ONEFOLD_NO_MEMORY, "out of memory while formatting a text");
    return of_fail(ONEFOLD_FAULT, "a text could not be formatted");
}

onefold_status of_arena_string(of_arena *arena, char **copy, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = of_number_print_list(NULL, 0, format, arguments);
    va_end(arguments);
    onefold_status status =
        length < 0 ? of_unformatted() : OF_NEW_THERE(arena, copy, (size_t)length + 1, 1);
    if (status == ONEFOLD_OK &&
        of_number_print_list(*copy, (size_t)length + 1, format, again) != length)
        status = of_unformatted();
    va_end(again);
    return status;
}
