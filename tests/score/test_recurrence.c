/* SPDX-License-Identifier: Apache-2.0 */
/* The recurrence of clusters: known cases, and a literal count over all pairs of clusters. */
#include "score/score.h"

#include "base/random.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

static void known_cases(void **state)
{
    (void)state;
    double jaccard[3];
    const int32_t one[6] = {0, 0, 1, 1, 2, 2}, renamed[6] = {2, 2, 0, 0, 1, 1},
                  split[6] = {0, 0, 1, 1, 1, 2}, all[6] = {0, 0, 0, 0, 0, 0};
    CHECK_OK(of_recurrence(NULL, one, 3, renamed, 3, 6, 0, NULL, jaccard));
    for (int c = 0; c < 3; c++)
        CHECK_CLOSE(jaccard[c], 1, 0, 0);
    CHECK_OK(of_recurrence(NULL, one, 3, split, 3, 6, 0, NULL, jaccard));
    CHECK_CLOSE(jaccard[0], 1, 0, 0);
    CHECK_CLOSE(jaccard[1], 2.0 / 3, 0, 0);
    CHECK_CLOSE(jaccard[2], 0.5, 0, 0);
    CHECK_OK(of_recurrence(NULL, all, 3, one, 3, 6, 0, NULL, jaccard));
    CHECK_CLOSE(jaccard[0], 1.0 / 3, 0, 0);
    assert_true(isnan(jaccard[1]) && isnan(jaccard[2]));
}

/* Samples in cluster a of the first and b of the second, or in either. */
static double jaccard_of(const int32_t *first, const int32_t *second, size_t n, int a, int b)
{
    double both = 0, either = 0;
    for (size_t j = 0; j < n; j++) {
        both += first[j] == a && second[j] == b;
        either += first[j] == a || second[j] == b;
    }
    return either > 0 ? both / either : 0;
}

static void random_labels_agree_with_a_literal_count(void **state)
{
    (void)state;
    enum { N = 60, MOST = 7 };
    for (uint64_t trial = 0; trial < 200; trial++) {
        of_random random = of_random_make(11, OF_PURPOSE_TEST, trial);
        size_t p = 1 + of_random_below(&random, MOST), q = 1 + of_random_below(&random, MOST);
        int32_t first[N], second[N];
        int64_t wide[2][N];
        for (size_t j = 0; j < N; j++) {
            wide[0][j] = first[j] = (int32_t)of_random_below(&random, p);
            int same = of_random_uniform(&random) < 0.7;
            second[j] = (int32_t)(same ? (size_t)first[j] % q : of_random_below(&random, q));
            wide[1][j] = second[j];
        }
        double nmi, jaccard[MOST];
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        CHECK_OK(of_recurrence(NULL, first, p, second, q, N, 0, &nmi, jaccard));
        CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, wide[0], wide[1], N));
        CHECK_CLOSE(nmi, scores.nmi, 1e-12, 1e-14);
        for (size_t a = 0; a < p; a++) {
            double best = 0, size = 0;
            for (size_t j = 0; j < N; j++)
                size += (size_t)first[j] == a;
            for (size_t b = 0; b < q; b++)
                best = fmax(best, jaccard_of(first, second, N, (int)a, (int)b));
            if (size > 0)
                CHECK_CLOSE(jaccard[a], best, 0, 0);
            else
                assert_true(isnan(jaccard[a]));
        }
    }
}

/* Samples without a label in one of the two change nothing, at any place. */
static void samples_without_a_label_are_left_out(void **state)
{
    (void)state;
    const int32_t first[5] = {0, 0, 1, 1, 2}, second[5] = {1, 0, 1, 1, 0};
    const int32_t more_first[9] = {-1, 0, 0, 2, 1, -1, 1, 2, 1},
                  more_second[9] = {0, 1, 0, -1, 1, -1, 1, 0, -1};
    double nmi[2], jaccard[2][3];
    CHECK_OK(of_recurrence(NULL, first, 3, second, 2, 5, 0, &nmi[0], jaccard[0]));
    CHECK_OK(of_recurrence(NULL, more_first, 3, more_second, 2, 9, 0, &nmi[1], jaccard[1]));
    assert_memory_equal(&nmi[0], &nmi[1], sizeof nmi[0]);
    assert_memory_equal(jaccard[0], jaccard[1], sizeof jaccard[0]);
    CHECK_CLOSE(jaccard[0][1], 2.0 / 3, 0, 0);
}

static void nothing_shared(void **state)
{
    (void)state;
    const int32_t first[2] = {0, -1}, second[2] = {-1, 1};
    double nmi, jaccard[2];
    CHECK_OK(of_recurrence(NULL, first, 2, second, 2, 2, 0, &nmi, jaccard));
    CHECK_CLOSE(nmi, 0, 0, 0);
    assert_true(isnan(jaccard[0]) && isnan(jaccard[1]));
}

/* Several threads count many samples: all of them have the same pair of labels. */
static void many_samples_are_a_few_many_times(void **state)
{
    (void)state;
    enum { FEW = 7, MANY = FEW * 30011 };
    static const int32_t first[FEW] = {0, 1, 1, 2, 2, 2, -1}, second[FEW] = {1, 1, 0, 2, 2, 0, 1};
    int32_t *labels = malloc(2 * MANY * sizeof *labels);
    double few[4], many[4], few_nmi, many_nmi;
    for (size_t j = 0; j < MANY; j++) {
        labels[j] = first[j % FEW];
        labels[MANY + j] = second[j % FEW];
    }
    CHECK_OK(of_recurrence(NULL, first, 3, second, 3, FEW, 0, &few_nmi, few));
    CHECK_OK(of_recurrence(NULL, labels, 3, labels + MANY, 3, MANY, 0, &many_nmi, many));
    CHECK_CLOSE(many_nmi, few_nmi, 1e-12, 0);
    for (int c = 0; c < 3; c++)
        CHECK_CLOSE(many[c], few[c], 0, 0);
    free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_cases),
        cmocka_unit_test(random_labels_agree_with_a_literal_count),
        cmocka_unit_test(samples_without_a_label_are_left_out),
        cmocka_unit_test(nothing_shared),
        cmocka_unit_test(many_samples_are_a_few_many_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
