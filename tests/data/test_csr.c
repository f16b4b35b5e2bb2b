/* SPDX-License-Identifier: Apache-2.0 */
#include "data/gaps.h"

#include "support/check.h"

/* Every combination of types reads as the same matrix, and becomes the same native one. */
static void every_type_reads_the_same(void **state)
{
    (void)state;
    static const size_t start[] = {0, 2, 2, 3};
    static const uint32_t narrow_start[] = {0, 2, 2, 3}, index[] = {1, 4, 0};
    static const uint64_t wide_index[] = {1, 4, 0};
    static const double value[] = {0.5, -2, 3};
    static const float single[] = {0.5f, -2, 3};
    for (int kind = 0; kind < 8; kind++) {
        int narrow = kind & 1, wide = kind >> 1 & 1, one = kind >> 2;
        of_csr held = {.rows = 3,
                       .columns = 5,
                       .start = narrow ? (const void *)narrow_start : start,
                       .index = wide ? (const void *)wide_index : index,
                       .value = one ? (const void *)single : value,
                       .narrow_start = (unsigned char)narrow,
                       .wide_index = (unsigned char)wide,
                       .single_value = (unsigned char)one};
        OF_SCRATCH(scratch, of_context_or_default(NULL));
        of_sparse native;
        CHECK_OK(of_csr_native(&scratch, &held, &native));
        assert_memory_equal(native.start, start, sizeof start);
        assert_memory_equal(native.index, index, sizeof index);
        assert_memory_equal(native.value, value, sizeof value);
        assert_true(native.rows == 3 && native.columns == 5);
        assert_true((native.start == start) == !narrow && (native.index == index) == !wide &&
                    (native.value == value) == !one); /* no copy without need */
        assert_int_equal(of_csr_entries(&held), 3);
        assert_int_equal(of_csr_bytes(&held),
                         4 * (narrow ? 4 : 8) + 3 * ((wide ? 8 : 4) + (one ? 4 : 8)));
        of_csr back = of_csr_of(&native);
        assert_true(of_csr_value(&back, 1) == -2 && of_csr_index(&back, 1) == 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_reads_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
