/* SPDX-License-Identifier: Apache-2.0 */
#include "score/score.h"

#include "base/random.h"
#include "support/check.h"

#include <stdlib.h>

/* How many samples have both labels, by looking at each. */
static size_t meet(const int64_t *a, int64_t x, const int64_t *b, int64_t y, size_t samples)
{
    size_t count = 0;
    for (size_t i = 0; i < samples; i++)
        count += (!a || a[i] == x) && (!b || b[i] == y);
    return count;
}

/* The distinct labels, rising, by looking for the next larger one. */
static size_t distinct(const int64_t *labels, size_t samples, int64_t *out)
{
    size_t count = 0;
    for (;;) {
        int found = 0;
        int64_t next = 0;
        for (size_t i = 0; i < samples; i++)
            if ((count == 0 || labels[i] > out[count - 1]) && (!found || labels[i] < next)) {
                next = labels[i];
                found = 1;
            }
        if (!found)
            return count;
        out[count++] = next;
    }
}

static void check_table(const int64_t *a, const int64_t *b, size_t samples)
{
    OF_SCRATCH(scratch, NULL);
    of_contingency table;
    CHECK_OK(of_contingency_make(&scratch, &table, a, b, NULL, samples));
    int64_t *rows = malloc(samples * sizeof *rows), *columns = malloc(samples * sizeof *columns);
    assert_int_equal(table.samples, samples);
    assert_int_equal(table.rows, distinct(a, samples, rows));
    assert_int_equal(table.columns, distinct(b, samples, columns));
    assert_int_equal(table.start[0], 0);
    for (size_t j = 0; j < table.columns; j++)
        assert_int_equal(table.column_sum[j], meet(NULL, 0, b, columns[j], samples));
    for (size_t i = 0; i < table.rows; i++) {
        assert_int_equal(table.row_sum[i], meet(a, rows[i], NULL, 0, samples));
        size_t e = table.start[i];
        for (size_t j = 0; j < table.columns; j++) {
            size_t count = meet(a, rows[i], b, columns[j], samples);
            if (count == 0)
                continue;
            assert_true(e < table.start[i + 1]);
            assert_int_equal(table.column[e], j);
            assert_int_equal(table.count[e++], count);
        }
        assert_int_equal(e, table.start[i + 1]);
    }
    free(rows);
    free(columns);
}

static void random_labellings_are_counted(void **state)
{
    (void)state;
    of_random random = of_random_make(1, OF_PURPOSE_TEST, 0);
    int64_t a[60], b[60];
    for (int round = 0; round < 200; round++) {
        size_t samples = 1 + of_random_below(&random, 60), wide = round % 2 ? 1 : 1000000007;
        size_t clusters = 1 + of_random_below(&random, 12);
        for (size_t i = 0; i < samples; i++) {
            a[i] = ((int64_t)of_random_below(&random, clusters) - 3) * (int64_t)wide;
            b[i] = (int64_t)of_random_below(&random, 7) * 2 - 5;
        }
        check_table(a, b, samples);
    }
}

static void labels_may_be_any_integers(void **state)
{
    (void)state;
    static const int64_t a[6] = {INT64_MIN, INT64_MAX, 0, INT64_MIN, -1, INT64_MAX};
    static const int64_t b[6] = {INT64_MAX, INT64_MAX - 1, INT64_MAX,
                                 INT64_MAX, INT64_MAX - 1, INT64_MAX - 1};
    check_table(a, b, 6);
    check_table(b, a, 6);
}

/* A dense table of these would have 10^11 cells. */
static void any_number_of_clusters_fits(void **state)
{
    (void)state;
    enum { SAMPLES = 300000 };
    int64_t *labels = malloc(SAMPLES * sizeof *labels), *truth = malloc(SAMPLES * sizeof *truth);
    for (int64_t i = 0; i < SAMPLES; i++) {
        labels[i] = i * 7919 % SAMPLES;
        truth[i] = -i;
    }
    OF_SCRATCH(scratch, NULL);
    of_contingency table;
    CHECK_OK(of_contingency_make(&scratch, &table, labels, truth, NULL, SAMPLES));
    assert_int_equal(table.rows, SAMPLES);
    assert_int_equal(table.columns, SAMPLES);
    assert_int_equal(table.start[SAMPLES], SAMPLES);
    free(labels);
    free(truth);
}

static void an_entry_may_stand_for_many_samples(void **state)
{
    (void)state;
    static const int64_t a[] = {5, 9, 5}, b[] = {1, 1, 7};
    static const size_t times[] = {2, 3, 4};
    OF_SCRATCH(scratch, NULL);
    of_contingency table;
    CHECK_OK(of_contingency_make(&scratch, &table, a, b, times, 3));
    assert_int_equal(table.samples, 9);
    assert_true(table.row_sum[0] == 6 && table.row_sum[1] == 3);
    assert_true(table.column_sum[0] == 5 && table.column_sum[1] == 4);
    assert_true(table.count[0] == 2 && table.count[1] == 4 && table.count[2] == 3);
}

static void no_samples_are_refused(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, NULL);
    of_contingency table;
    CHECK_FAILS(of_contingency_make(&scratch, &table, NULL, NULL, NULL, 0), ONEFOLD_BAD_DATA,
                "there are no labels");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_labellings_are_counted),
        cmocka_unit_test(labels_may_be_any_integers),
        cmocka_unit_test(any_number_of_clusters_fits),
        cmocka_unit_test(an_entry_may_stand_for_many_samples),
        cmocka_unit_test(no_samples_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
