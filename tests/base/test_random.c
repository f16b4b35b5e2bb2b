/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include "support/check.h"

#include <math.h>

/* The three vectors published with the generator (Random123's known-answer file). */
static void philox_gives_the_published_words(void **state)
{
    (void)state;
    static const uint32_t vector[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1},
    };
    for (int v = 0; v < 3; v++) {
        uint32_t out[4];
        of_philox(vector[v], vector[v] + 4, out);
        for (int i = 0; i < 4; i++)
            assert_int_equal(out[i], vector[v][6 + i]);
    }
}

static void streams_differ_by_each_part_of_their_key(void **state)
{
    (void)state;
    of_random streams[] = {of_random_make(0, OF_PURPOSE_TEST, 0),
                           of_random_make(1, OF_PURPOSE_TEST, 0),
                           of_random_make(0, OF_PURPOSE_KMEANS, 0),
                           of_random_make(0, OF_PURPOSE_TEST, 1),
                           of_random_make(1ull << 40, OF_PURPOSE_TEST, 0),
                           of_random_make(0, OF_PURPOSE_TEST, 1ull << 40)};
    double first[6];
    for (int i = 0; i < 6; i++) {
        first[i] = of_random_uniform(&streams[i]);
        for (int j = 0; j < i; j++)
            assert_true(first[i] != first[j]);
    }
}

static void distributions_have_their_moments(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    of_random random = of_random_make(7, OF_PURPOSE_TEST, 3);
    double uniform = 0, normal = 0, square = 0;
    size_t below[7] = {0};
    for (int i = 0; i < COUNT; i++) {
        double u = of_random_uniform(&random), z = of_random_normal(&random);
        assert_true(u >= 0 && u < 1 && isfinite(z));
        uniform += u / COUNT;
        normal += z / COUNT;
        square += z * z / COUNT;
        below[of_random_below(&random, 7)]++;
    }
    /* five standard errors */
    CHECK_CLOSE(uniform, 0.5, 0, 5 * sqrt(1.0 / 12 / COUNT));
    CHECK_CLOSE(normal, 0, 0, 5 / sqrt(COUNT));
    CHECK_CLOSE(square, 1, 0, 5 * sqrt(2.0 / COUNT));
    for (int i = 0; i < 7; i++)
        CHECK_CLOSE((double)below[i], COUNT / 7.0, 0, 5 * sqrt(COUNT / 7.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_published_words),
        cmocka_unit_test(streams_differ_by_each_part_of_their_key),
        cmocka_unit_test(distributions_have_their_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
