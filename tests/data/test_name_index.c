/* SPDX-License-Identifier: Apache-2.0 */
#include "data/dataset.h"

#include "support/check.h"

enum { MANY = 5000 };

static void names_are_found_where_they_are(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    const char **names;
    CHECK_OK(OF_NEW(&scratch, &names, MANY, 1));
    for (size_t i = 0; i < MANY; i++) {
        char *text;
        CHECK_OK(of_arena_string(&scratch, &text, "sample-%zu", i * 7919 % MANY));
        names[i] = text;
    }
    of_name_index index;
    CHECK_OK(of_name_index_make(&scratch, names, MANY, &index));
    assert_true(index.repeated == 0 && index.empty == 0 && index.first_twin == SIZE_MAX);
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(of_name_index_find(&index, names[i]), i);
    assert_int_equal(of_name_index_find(&index, "sample-5000"), SIZE_MAX);
    assert_int_equal(of_name_index_find(&index, ""), SIZE_MAX);
}

static void twins_and_empty_names_are_counted(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "", "b", "a", "", "a"};
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    of_name_index index;
    CHECK_OK(of_name_index_make(&scratch, names, 6, &index));
    assert_true(index.repeated == 3 && index.empty == 2 && index.first_twin == 3);
    assert_int_equal(of_name_index_find(&index, "a"), 0);
    CHECK_OK(of_name_index_make(&scratch, names, 0, &index));
    assert_int_equal(of_name_index_find(&index, "a"), SIZE_MAX);
}

/* Names whose FNV hashes, which anybody can compute, all end in the same bits. */
static void chosen_names_do_not_meet_in_one_place(void **state)
{
    (void)state;
    enum { CHOSEN = 1000, BITS = 2047 };
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    const char **names;
    CHECK_OK(OF_NEW(&scratch, &names, CHOSEN, 1));
    for (size_t found = 0, i = 0; found < CHOSEN; i++) {
        char text[32];
        uint64_t value = 0xcbf29ce484222325u;
        snprintf(text, sizeof text, "%zx", i);
        for (const char *at = text; *at; at++)
            value = (value ^ (unsigned char)*at) * 0x100000001b3u;
        if (((value ^ value >> 29) & BITS) == 0)
            CHECK_OK(of_arena_string(&scratch, (char **)&names[found++], "%s", text));
    }
    of_name_index index;
    CHECK_OK(of_name_index_make(&scratch, names, CHOSEN, &index));
    assert_int_equal(index.mask, BITS);
    size_t longest = 0, run = 0;
    for (size_t s = 0; s <= index.mask; s++) {
        run = index.slot[s] == UINT32_MAX ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    assert_true(longest < CHOSEN / 4);
    for (size_t i = 0; i < CHOSEN; i++)
        assert_int_equal(of_name_index_find(&index, names[i]), i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_where_they_are),
        cmocka_unit_test(twins_and_empty_names_are_counted),
        cmocka_unit_test(chosen_names_do_not_meet_in_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
