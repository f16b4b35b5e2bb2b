/* SPDX-License-Identifier: Apache-2.0 */
#include "base/distinct.h"

#include "base/random.h"
#include "support/check.h"

#include <stdlib.h>

/* Rising, every value at its place, and every place taken. */
static void check_distinct(const int64_t *values, size_t count)
{
    OF_SCRATCH(scratch, NULL);
    int64_t *distinct;
    int32_t *number = malloc((count + 1) * sizeof *number);
    size_t found, taken = 0;
    CHECK_OK(of_distinct(&scratch, values, count, &distinct, &found, number));
    for (size_t c = 1; c < found; c++)
        assert_true(distinct[c - 1] < distinct[c]);
    for (size_t i = 0; i < count; i++) {
        assert_true(number[i] >= 0 && (size_t)number[i] < found);
        assert_true(distinct[number[i]] == values[i]);
    }
    for (size_t c = 0; c < found; c++)
        for (size_t i = 0; i < count; i++)
            if (number[i] == (int32_t)c) {
                taken++;
                break;
            }
    assert_int_equal(taken, found);
    CHECK_OK(of_distinct(&scratch, values, count, &distinct, &taken, NULL));
    assert_int_equal(taken, found);
    free(number);
}

static void values_find_their_places(void **state)
{
    (void)state;
    enum { N = 300 };
    static const int64_t edges[] = {INT64_MAX, INT64_MIN, 0, -1, INT64_MAX, 1, INT64_MIN};
    int64_t values[N];
    of_random random = of_random_make(1, OF_PURPOSE_TEST, 0);
    check_distinct(values, 0);
    check_distinct(edges, sizeof edges / sizeof *edges);
    check_distinct(edges, 1);
    for (size_t spread = 1; spread < ((size_t)1 << 40); spread *= 8) { /* both ways */
        for (size_t i = 0; i < N; i++)
            values[i] = (int64_t)of_random_below(&random, spread) - (int64_t)(spread / 2);
        check_distinct(values, N);
    }
    for (size_t i = 0; i < N; i++)
        values[i] = INT64_MAX - (int64_t)(i % 7);
    check_distinct(values, N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_find_their_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
