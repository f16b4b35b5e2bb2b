/* SPDX-License-Identifier: Apache-2.0 */
/* The simplified silhouette: by hand, against its definition, and where it is 0. */
#include "score/score.h"
#include "support/check.h"

#include <math.h>

/* Four points of the unit circle, two clusters: every distance is known. */
static void by_hand(void **state)
{
    (void)state;
    const double x[] = {2, 0, 0, 5, -1, 0, 0, -3}; /* angles 0, 90, 180, 270 */
    const int32_t labels[] = {0, 0, 1, 1};
    double found;
    CHECK_OK(of_silhouette(NULL, 2, 4, x, 2, labels, 2, NULL, &found));
    /* means (1/2, 1/2) and (-1/2, -1/2): own at sqrt(1/2), other at sqrt(5/2) */
    CHECK_CLOSE(found, 1 - sqrt(0.2), 1e-15, 0);
    const int32_t crossed[] = {0, 1, 0, 1}; /* both means are 0 */
    CHECK_OK(of_silhouette(NULL, 2, 4, x, 2, crossed, 2, NULL, &found));
    CHECK_CLOSE(found, 0, 0, 1e-15);
}

static void definition(void **state)
{
    (void)state;
    enum { ROWS = 4, SAMPLES = 60, CLUSTERS = 5 };
    double x[ROWS * SAMPLES], means[ROWS * CLUSTERS] = {0}, count[CLUSTERS] = {0}, sum = 0, found;
    int32_t labels[SAMPLES];
    check_random(3, 0, ROWS, SAMPLES, x);
    for (size_t j = 0; j < SAMPLES; j++) {
        double length = 0;
        labels[j] = x[j * ROWS] > 0 ? 0 : (int32_t)(1 + j % 3); /* cluster 4 is empty */
        for (size_t i = 0; i < ROWS; i++)
            length += x[i + j * ROWS] * x[i + j * ROWS];
        for (size_t i = 0; i < ROWS; i++)
            means[i + (size_t)labels[j] * ROWS] += x[i + j * ROWS] / sqrt(length);
        count[labels[j]]++;
    }
    for (size_t j = 0; j < SAMPLES; j++) {
        double distance[CLUSTERS], length = 0, other = INFINITY;
        for (size_t i = 0; i < ROWS; i++)
            length += x[i + j * ROWS] * x[i + j * ROWS];
        for (size_t c = 0; c < CLUSTERS; c++) {
            distance[c] = 0;
            for (size_t i = 0; i < ROWS && count[c] > 0; i++)
                distance[c] +=
                    pow(x[i + j * ROWS] / sqrt(length) - means[i + c * ROWS] / count[c], 2);
            distance[c] = sqrt(distance[c]);
            if (count[c] > 0 && (int32_t)c != labels[j] && distance[c] < other)
                other = distance[c];
        }
        double own = distance[labels[j]];
        sum += (other - own) / (other > own ? other : own);
    }
    CHECK_OK(of_silhouette(NULL, ROWS, SAMPLES, x, ROWS, labels, CLUSTERS, NULL, &found));
    CHECK_CLOSE(found, sum / SAMPLES, 1e-13, 1e-14);
    assert_true(fabs(found) > 0.01);
}

static void nothing_to_tell(void **state)
{
    (void)state;
    const double x[] = {1, 0, 0, 1, 0, 0};
    const int32_t one[] = {0, 0, 0}, alone[] = {0, 1, 2};
    double found;
    CHECK_OK(of_silhouette(NULL, 2, 3, x, 2, one, 1, NULL, &found));
    assert_true(found == 0);
    CHECK_OK(of_silhouette(NULL, 2, 3, x, 2, alone, 3, NULL, &found));
    assert_true(found == 0);
    const double same[] = {1, 1, 1, 1, 1, 1};
    const int32_t split[] = {0, 1, 1};
    CHECK_OK(of_silhouette(NULL, 2, 3, same, 2, split, 2, NULL, &found));
    assert_true(found == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(definition),
        cmocka_unit_test(nothing_to_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
