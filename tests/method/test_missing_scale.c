/* SPDX-License-Identifier: Apache-2.0 */
#include "method/rule.h"

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
        double scale = of_missing_scale_sample(has, P);
        for (size_t i = 0; i < P; i++)
            length += has[i] ? scale * scale / P : 0;
        CHECK_CLOSE(length, 1, 1e-15, 0);
    }
    assert_true(of_missing_scale_sample((const uint8_t[]){1, 1, 1}, 3) == 1);
    assert_true(of_missing_scale_view(25, 100) == 0.5 && of_missing_scale_view(7, 7) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_have_their_length_whatever_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
