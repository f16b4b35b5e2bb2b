/* SPDX-License-Identifier: Apache-2.0 */
#include "method/missing_scale.h"

#include "support/check.h"

#include <math.h>
#include <string.h>

enum { P = 4, K = 3 };

/* With equal weights 1/sqrt(p), the weights a sample has of the views it has are of length 1. */
static void weights_have_their_length_whatever_is_missing(void **state)
{
    (void)state;
    for (unsigned bits = 1; bits < 1u << P; bits++) {
        uint8_t has[P];
        double length = 0;
        for (size_t i = 0; i < P; i++)
            has[i] = bits >> i & 1;
        double scale = of_present_sample_scale(has, P);
        for (size_t i = 0; i < P; i++)
            length += has[i] ? scale * scale / P : 0;
        CHECK_CLOSE(length, 1, 1e-15, 0);
    }
    assert_true(of_present_sample_scale((const uint8_t[]){1, 1, 1}, 3) == 1);
    assert_true(of_present_view_scale(25, 100) == 0.5 && of_present_view_scale(7, 7) == 1);
}

static void a_sample_is_scaled_block_by_block(void **state)
{
    (void)state;
    static const double view_scale[P] = {1, 0.5, 0.25, 1};
    static const uint8_t has[P] = {1, 0, 1, 0};
    double x[P * K], y[P * K];
    check_random(1, 1, P * K, 1, x);
    memcpy(y, x, sizeof x);
    y[K] = NAN; /* of a view it lacks nothing is looked at */
    of_present_scale_sample(P, K, view_scale, has, y);
    for (size_t e = 0; e < P * K; e++)
        CHECK_CLOSE(y[e], has[e / K] ? x[e] * view_scale[e / K] * sqrt(2) : 0, 1e-15, 0);
    memcpy(y, x, sizeof x);
    of_present_scale_sample(P, K, NULL, NULL, y);
    assert_memory_equal(y, x, sizeof x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_have_their_length_whatever_is_missing),
        cmocka_unit_test(a_sample_is_scaled_block_by_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
