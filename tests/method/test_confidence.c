/* SPDX-License-Identifier: Apache-2.0 */
/* The confidence of a label: known cases, and what must not change it. */
#include "method/rule.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>

static void known_scores_have_known_margins(void **state)
{
    (void)state;
    CHECK_CLOSE(of_confidence((double[]){0, 0.25, 0}, 3), 1, 0, 0);
    CHECK_CLOSE(of_confidence((double[]){3, 4}, 2), 0.2, 1e-15, 0);
    CHECK_CLOSE(of_confidence((double[]){4, 3}, 2), 0.2, 1e-15, 0);
    CHECK_CLOSE(of_confidence((double[]){2, 2, 1}, 3), 0, 0, 0);
    CHECK_CLOSE(of_confidence((double[]){1, -1, -1}, 3), 1, 0, 0); /* 2 / sqrt(3), cut */
    CHECK_CLOSE(of_confidence((double[]){-1, -2, -2}, 3), 1.0 / 3, 1e-15, 0);
    CHECK_CLOSE(of_confidence((double[]){0, 0, 0}, 3), 0, 0, 0);
    CHECK_CLOSE(of_confidence((double[]){-7}, 1), 1, 0, 0);
    CHECK_CLOSE(of_confidence((double[]){0}, 1), 0, 0, 0);
    CHECK_CLOSE(of_confidence((double[]){3e-300, 4e-300}, 2), 0.2, 1e-15, 0);
    CHECK_CLOSE(of_confidence((double[]){3e300, 4e300}, 2), 0.2, 1e-15, 0);
}

static int falling(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Against sorting. Neither scale nor order of the clusters changes it. */
static void it_equals_its_definition_on_random_scores(void **state)
{
    (void)state;
    enum { MOST = 9 };
    for (uint64_t trial = 0; trial < 400; trial++) {
        double scores[MOST], sorted[MOST], scaled[MOST], square = 0;
        size_t clusters = 2 + trial % (MOST - 1);
        check_random(3, trial, clusters, 1, scores);
        for (size_t c = 0; c < clusters; c++) {
            sorted[c] = scores[c];
            scaled[clusters - 1 - c] = 1e-7 * scores[c];
            square += scores[c] * scores[c];
        }
        qsort(sorted, clusters, sizeof *sorted, falling);
        double margin = (sorted[0] - sorted[1]) / sqrt(square);
        CHECK_CLOSE(of_confidence(scores, clusters), margin < 1 ? margin : 1, 0, 1e-15);
        CHECK_CLOSE(of_confidence(scaled, clusters), of_confidence(scores, clusters), 0, 1e-15);
        assert_true(scores[of_first_largest(scores, clusters)] == sorted[0]);
    }
    assert_int_equal(of_first_largest((const double[]){-1, 2, 0, 2}, 4), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_scores_have_known_margins),
        cmocka_unit_test(it_equals_its_definition_on_random_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
