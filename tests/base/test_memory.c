/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: alignment, counted bytes, the limit, and every way an allocation may be refused. */
#include "base/memory.h"

#include "base/random.h"
#include "support/ask.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static onefold_context *fresh(const onefold_hooks *hooks)
{
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, hooks));
    return context;
}

static size_t held(onefold_context *context)
{
    return atomic_load(&context->bytes);
}

static void blocks_are_aligned_apart_and_counted(void **state)
{
    (void)state;
    onefold_context *context = fresh(NULL);
    of_arena arena = of_arena_make(context);
    unsigned char *block[200];
    size_t asked = 0;
    for (size_t i = 0; i < 200; i++) {
        CHECK_OK(OF_NEW(&arena, &block[i], i, 3));
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
        memset(block[i], (int)i, 3 * i);
        asked += 3 * i;
    }
    assert_true(held(context) >= asked && held(context) <= asked + 200 * 256);
    assert_int_equal(ask_peak(context), held(context));
    for (size_t i = 0; i < 200; i++)
        for (size_t b = 0; b < 3 * i; b++)
            assert_int_equal(block[i][b], i);
    size_t peak = held(context);
    assert_int_equal(of_arena_bytes(&arena), peak); /* no other arena has the context */
    of_arena_free(&arena);
    assert_int_equal(of_arena_bytes(&arena), 0);
    assert_int_equal(held(context), 0);
    assert_int_equal(ask_peak(context), peak);
    of_arena_free(&arena); /* an empty arena may be freed again */
    onefold_context_free(context);
}

/* Blocks of two arenas are allocated and released in random order; at times one adopts all. */
static void blocks_can_be_released_and_adopted_in_any_order(void **state)
{
    (void)state;
    enum { BLOCKS = 40 };
    onefold_context *context = fresh(NULL);
    of_random random = of_random_make(1, OF_PURPOSE_TEST, 0);
    of_arena arena[2] = {of_arena_make(context), of_arena_make(context)};
    int *block[BLOCKS] = {NULL}, owner[BLOCKS] = {0};
    for (int round = 0; round < 5000; round++) {
        size_t i = of_random_below(&random, BLOCKS);
        int a = (int)of_random_below(&random, 2);
        if (of_random_below(&random, 50) == 0) {
            of_arena_adopt(&arena[a], &arena[1 - a]);
            for (int b = 0; b < BLOCKS; b++)
                owner[b] = a;
        } else if (block[i]) {
            assert_int_equal(block[i][0], (int)i);
            of_arena_release(&arena[owner[i]], block[i]);
            block[i] = NULL;
        } else {
            CHECK_OK(OF_NEW(&arena[a], &block[i], 1 + of_random_below(&random, 100), 1));
            block[i][0] = (int)i;
            owner[i] = a;
        }
    }
    of_arena_release(&arena[0], NULL);
    of_arena_free(&arena[0]);
    of_arena_free(&arena[1]);
    assert_int_equal(held(context), 0);
    onefold_context_free(context);
}

static onefold_status leave_early(onefold_context *context, int early)
{
    OF_SCRATCH(scratch, context);
    double *numbers;
    OF_TRY(OF_NEW(&scratch, &numbers, 10, 10));
    if (early)
        return of_fail(ONEFOLD_BAD_DATA, "early");
    return ONEFOLD_OK;
}

static void scratch_is_freed_by_any_return(void **state)
{
    (void)state;
    onefold_context *context = fresh(NULL);
    CHECK_OK(leave_early(context, 0));
    assert_int_equal(held(context), 0);
    CHECK_FAILS(leave_early(context, 1), ONEFOLD_BAD_DATA, "early");
    assert_int_equal(held(context), 0);
    onefold_context_free(context);
}

static void zeroed_memory_is_zero_even_where_memory_was_used_before(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        OF_SCRATCH(scratch, NULL);
        unsigned char *block;
        CHECK_OK(OF_NEW_ZERO(&scratch, &block, 1000, 7));
        for (int i = 0; i < 7000; i++)
            assert_int_equal(block[i], 0);
        memset(block, 0xab, 7000);
    }
}

static void the_limit_is_held_and_says_its_figures(void **state)
{
    (void)state;
    onefold_context *context = fresh(NULL);
    CHECK_OK(onefold_context_set_memory_limit(context, 1000000));
    OF_SCRATCH(scratch, context);
    char *first, *second = (char *)&first;
    CHECK_OK(OF_NEW(&scratch, &first, 600000, 1));
    size_t before = held(context);
    CHECK_FAILS(OF_NEW(&scratch, &second, 600000, 1), ONEFOLD_NO_MEMORY,
                "1.2 MB are needed, and 1.0 MB are allowed");
    assert_non_null(strstr(onefold_last_hint(), "`memory_limit`"));
    assert_ptr_equal(second, (char *)&first); /* untouched */
    assert_int_equal(held(context), before);
    assert_int_equal(ask_peak(context), before);
    of_arena_release(&scratch, first);
    CHECK_OK(OF_NEW(&scratch, &second, 600000, 1));
    CHECK_OK(onefold_context_set_memory_limit(context, 0));
    CHECK_OK(OF_NEW(&scratch, &first, 600000, 1));
    of_arena_free(&scratch);
    onefold_context_free(context);
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    onefold_context *context = fresh(NULL);
    OF_SCRATCH(scratch, context);
    double *block = NULL;
    CHECK_FAILS(OF_NEW(&scratch, &block, SIZE_MAX / 2, 3), ONEFOLD_NO_MEMORY, "overflows");
    CHECK_FAILS(OF_NEW(&scratch, &block, SIZE_MAX / 4, 1), ONEFOLD_NO_MEMORY, "overflows");
    CHECK_FAILS(OF_NEW(&scratch, &block, SIZE_MAX / 8, 1), ONEFOLD_NO_MEMORY, "overflows");
    assert_null(block);
    assert_int_equal(held(context), 0);
    size_t result = 77;
    CHECK_OK(of_size_multiply(&result, SIZE_MAX, 1));
    assert_int_equal(result, SIZE_MAX);
    CHECK_FAILS(of_size_multiply(&result, (size_t)1 << 32, (size_t)1 << 32), ONEFOLD_NO_MEMORY,
                "4294967296 times 4294967296");
    CHECK_OK(of_size_add(&result, SIZE_MAX - 1, 1));
    assert_int_equal(result, SIZE_MAX);
    CHECK_FAILS(of_size_add(&result, SIZE_MAX, 1), ONEFOLD_NO_MEMORY, "plus 1 overflows");
    onefold_context_free(context);
}

static void the_chosen_allocation_fails_and_no_other(void **state)
{
    (void)state;
    onefold_context *context = fresh(NULL);
    for (long chosen = 0; chosen < 5; chosen++) {
        OF_SCRATCH(scratch, context);
        atomic_store(&context->allocations_until_failure, chosen);
        for (long i = 0; i < 10; i++) {
            char *block;
            onefold_status status = OF_NEW(&scratch, &block, 1, 1);
            assert_int_equal(status, i == chosen ? ONEFOLD_NO_MEMORY : ONEFOLD_OK);
        }
    }
    assert_int_equal(held(context), 0);
    onefold_context_free(context);
}

typedef struct pool {
    size_t given, back;
    int empty;
} pool;

static void *pool_allocate(void *user, size_t size)
{
    pool *from = user;
    if (from->empty)
        return NULL;
    from->given++;
    /* an odd address: any alignment will do */
    char *memory = malloc(size + 1);
    return memory ? memory + 1 : NULL;
}

static void pool_release(void *user, void *memory)
{
    ((pool *)user)->back++;
    free((char *)memory - 1);
}

static void memory_comes_from_the_hooks(void **state)
{
    (void)state;
    pool from = {0, 0, 0};
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = &from;
    hooks.allocate = pool_allocate;
    hooks.release = pool_release;
    onefold_context *context = fresh(&hooks);
    of_arena arena = of_arena_make(context);
    double *block;
    for (int i = 0; i < 5; i++) {
        CHECK_OK(OF_NEW(&arena, &block, 100, 1));
        assert_int_equal((uintptr_t)block % 64, 0);
        memset(block, 0, 800);
    }
    from.empty = 1;
    size_t before = held(context);
    CHECK_FAILS(OF_NEW(&arena, &block, 1000, 1000), ONEFOLD_NO_MEMORY, "refused 8.0 MB");
    assert_int_equal(held(context), before);
    assert_int_equal(from.given, 5);
    of_arena_free(&arena);
    assert_int_equal(from.back, 5);
    onefold_context_free(context);
}

/* Numbers added one by one are kept, in at most twice their room, also after a failure. */
static void arrays_grow_as_they_are_filled(void **state)
{
    (void)state;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    of_arena arena = of_arena_make(context);
    size_t *number = NULL, room = 0;
    for (size_t i = 0; i < 1000; i++) {
        size_t before = room;
        CHECK_OK(OF_GROW(&arena, &number, i, &room, i + 1));
        assert_true(room > i && room <= 2 * (i + 1) && (room == before || i == before));
        number[i] = i * i;
    }
    CHECK_OK(OF_GROW(&arena, &number, 1000, &room, 5000));
    assert_int_equal(room, 5000);
    CHECK_FAILS(OF_GROW(&arena, &number, 1000, &room, SIZE_MAX / 4), ONEFOLD_NO_MEMORY, "times");
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(number[i], i * i);
    assert_int_equal(room, 5000);
    of_arena_free(&arena);
    onefold_context_free(context);
}

static void strings_of_any_length_are_formatted(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, NULL);
    char *text;
    CHECK_OK(of_arena_string(&scratch, &text, "%d of %s", 3, "four"));
    assert_string_equal(text, "3 of four");
    CHECK_OK(of_arena_string(&scratch, &text, "%s", ""));
    assert_string_equal(text, "");
    CHECK_OK(of_arena_string(&scratch, &text, "%5000d", 1));
    assert_int_equal(strlen(text), 5000);
}

static void bytes_for_people(void **state)
{
    (void)state;
    static const struct {
        size_t bytes;
        const char *text;
    } cases[] = {{0, "0 B"},         {999, "999 B"},     {1000, "1.0 kB"},
                 {1550, "1.6 kB"},   {9949, "9.9 kB"},   {9950, "10 kB"},
                 {999499, "999 kB"}, {999500, "1.0 MB"}, {1500000000, "1.5 GB"},
                 {SIZE_MAX, "18 EB"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[32];
        assert_string_equal(of_size_text(text, cases[c].bytes), cases[c].text);
    }
}

/* In a context that counts, blocks of numbers are counted and have no memory. */
static void counted_blocks_count_alike_and_take_nothing(void **state)
{
    (void)state;
    onefold_context *context = fresh(NULL);
    typedef struct pair {
        double x, y;
    } pair;
    for (size_t rows = 0; rows < 5000; rows += 700) {
        OF_COUNTING(counting, context);
        for (int counted = 0; counted < 2; counted++) {
            OF_SCRATCH(arena, counted ? counting : context);
            double *numbers;
            uint32_t *indices;
            pair *pairs;
            char *text;
            CHECK_OK(OF_NEW(&arena, &numbers, rows, 3));
            CHECK_OK(OF_NEW_ZERO(&arena, &indices, rows, 1));
            CHECK_OK(OF_NEW_ZERO(&arena, &pairs, rows, 1));
            CHECK_OK(of_arena_string(&arena, &text, "%zu", rows));
            for (size_t i = 0; i < rows; i++)
                pairs[i].x += 1; /* structs are there */
            of_arena_release(&arena, numbers);
            CHECK_OK(OF_NEW_THERE(&arena, &numbers, 4, 1));
            numbers[3] = 1;
        }
        assert_int_equal(held(counting), 0);
        assert_true(of_count_peak(counting) >= 28 * rows);
        if (rows == 4900) /* the largest of all */
            assert_int_equal(of_count_peak(counting), ask_peak(context));
    }
    OF_COUNTING(counting, context);
    OF_SCRATCH(arena, counting);
    double *large;
    CHECK_OK(OF_NEW(&arena, &large, (size_t)1 << 50, 1)); /* which nobody has */
    assert_true(of_count_peak(counting) > (size_t)1 << 53);
    CHECK_FAILS(OF_NEW(&arena, &large, (size_t)1 << 62, 1), ONEFOLD_NO_MEMORY, "times");
    onefold_context_free(context);
}

/* A data set of a thousand views takes more blocks than the system maps pieces of memory. */
static void any_number_of_blocks_is_counted(void **state)
{
    (void)state;
    enum { BLOCKS = 100000 };
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    {
        OF_COUNTING(counting, context);
        for (int round = 0; round < 2; round++) {
            OF_SCRATCH(arena, counting);
            for (int i = 0; i < BLOCKS; i++) {
                double *numbers;
                CHECK_OK(OF_NEW(&arena, &numbers, 1 << 20, 1));
            }
            assert_true(of_arena_bytes(&arena) >= (size_t)BLOCKS << 23);
        }
        assert_int_equal(atomic_load(&counting->bytes), 0);
    }
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_aligned_apart_and_counted),
        cmocka_unit_test(blocks_can_be_released_and_adopted_in_any_order),
        cmocka_unit_test(scratch_is_freed_by_any_return),
        cmocka_unit_test(zeroed_memory_is_zero_even_where_memory_was_used_before),
        cmocka_unit_test(the_limit_is_held_and_says_its_figures),
        cmocka_unit_test(sizes_that_do_not_fit_are_refused),
        cmocka_unit_test(the_chosen_allocation_fails_and_no_other),
        cmocka_unit_test(memory_comes_from_the_hooks),
        cmocka_unit_test(arrays_grow_as_they_are_filled),
        cmocka_unit_test(strings_of_any_length_are_formatted),
        cmocka_unit_test(counted_blocks_count_alike_and_take_nothing),
        cmocka_unit_test(any_number_of_blocks_is_counted),
        cmocka_unit_test(bytes_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
