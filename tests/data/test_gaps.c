/* SPDX-License-Identifier: Apache-2.0 */
/* Missing values: counted, distinguished from missing samples, and filled by column. */
#include "data/dataset.h"

#include "base/random.h"
#include "support/ask.h"
#include "support/check.h"
#include "support/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2600, D = 5 };

/* Numbers: some are NaN, some samples are NaN alone, and about half are 0. */
static void make(uint64_t seed, double *x, uint8_t *present)
{
    of_random random = of_random_make(seed, OF_PURPOSE_TEST, 1);
    for (size_t j = 0; j < N; j++) {
        int gone = of_random_below(&random, 10) == 0;
        present[2 * j] = of_random_below(&random, 7) != 0;
        for (size_t i = 0; i < D; i++) {
            double value = of_random_below(&random, 2) ? floor(4 * of_random_normal(&random)) : 0;
            x[j * D + i] = gone || of_random_below(&random, 20) == 0 ? NAN : value;
        }
    }
}

static void gaps_are_those_of_a_plain_count(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double *x = malloc(N * D * sizeof *x);
    uint8_t *present = malloc(2 * N), keep[N];
    for (uint64_t seed = 0; seed < 4; seed++) {
        make(seed, x, present);
        if (seed == 3)
            x[2500 * D + 1] = -INFINITY;
        present[2 * 2500] = 1;
        of_view view = views_dense(N, D, x);
        of_gaps gaps;
        size_t gone = 0, entries = 0, samples = 0, first = 0;
        CHECK_OK(of_gaps_find(arena.context, &view, NULL, 1, keep, &gaps));
        assert_true(gaps.entries > 0);
        for (size_t j = 0; j < N; j++) {
            size_t nan = 0;
            for (size_t i = 0; i < D; i++)
                nan += isnan(x[j * D + i]) != 0;
            assert_int_equal(keep[j], nan < D);
            gone += nan == D;
            if (seed % 2 ? !present[2 * j] : nan == D)
                continue;
            if (nan && entries == 0)
                first = j;
            entries += nan;
            samples += nan > 0;
        }
        assert_int_equal(gaps.empty, gone);
        assert_true(gone > 100 && entries > 100);
        CHECK_OK(of_gaps_find(arena.context, &view, seed % 2 ? present : keep, 1 + seed % 2, NULL,
                              &gaps));
        assert_int_equal(gaps.entries, entries);
        assert_int_equal(gaps.samples, samples);
        assert_int_equal(gaps.infinite, seed == 3);
        assert_int_equal(gaps.sample, seed == 3 ? 2500 : first);
        assert_true(seed == 3 ? gaps.column == 1 : isnan(x[first * D + gaps.column]));
    }
    memset(x, 0, N * D * sizeof *x);
    of_view zeros = views_dense(N, D, x);
    of_gaps gaps;
    CHECK_OK(of_gaps_find(arena.context, &zeros, NULL, 1, keep, &gaps));
    assert_true(gaps.entries == 0 && !gaps.infinite && gaps.empty == 0);
    x[2599 * D + 4] = NAN;
    CHECK_OK(of_gaps_find(arena.context, &zeros, NULL, 1, keep, &gaps));
    assert_true(gaps.entries == 1 && gaps.empty == 0);
    free(x);
    free(present);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that fills a column, by its definition. */
static double literal(const double *x, const uint8_t *present, size_t column, onefold_impute how)
{
    double *known = malloc(N * sizeof *known), sum = 0;
    size_t count = 0;
    for (size_t j = 0; j < N; j++)
        if (present[2 * j] && !isnan(x[j * D + column])) {
            known[count++] = x[j * D + column];
            sum += x[j * D + column];
        }
    qsort(known, count, sizeof *known, compare);
    double middle = (known[(count - 1) / 2] + known[count / 2]) / 2;
    free(known);
    return how == ONEFOLD_IMPUTE_MEAN ? sum / (double)count : middle;
}

static void check_filled(const of_view *view, const double *x, const uint8_t *present,
                         onefold_impute how)
{
    double *got = malloc(N * D * sizeof *got);
    of_view_tile(view, 0, N, got, D);
    for (size_t i = 0; i < D; i++) {
        double value = literal(x, present, i, how);
        for (size_t j = 0; j < N; j++)
            if (!isnan(x[j * D + i]))
                assert_true(got[j * D + i] == x[j * D + i]);
            else if (present[2 * j])
                CHECK_CLOSE(got[j * D + i], value, 1e-12, 1e-12);
    }
    free(got);
}

static void gaps_are_filled_by_column(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double *x = malloc(N * D * sizeof *x), *turned = malloc(N * D * sizeof *x);
    float *single = malloc(N * D * sizeof *single);
    uint8_t *present = malloc(2 * N);
    make(9, x, present);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < D; i++) {
            turned[i * N + j] = x[j * D + i];
            single[j * D + i] = (float)x[j * D + i];
        }
    for (int how = ONEFOLD_IMPUTE_MEAN; how <= ONEFOLD_IMPUTE_MEDIAN; how++) {
        of_view views[] = {views_dense(N, D, x), views_sparse(&arena, N, D, x),
                           views_dense(N, D, turned), views_dense(N, D, x)};
        views[2].sample_step = 1;
        views[2].column_step = N;
        views[3].data = single;
        views[3].type = OF_F32;
        for (size_t v = 0; v < 4; v++) {
            CHECK_OK(of_gaps_fill(&arena, &views[v], present, 2, (onefold_impute)how));
            check_filled(&views[v], x, present, (onefold_impute)how);
        }
    }
    for (size_t j = 0; j < N; j++)
        x[j * D + 3] = present[2 * j] ? NAN : 1;
    of_view empty = views_dense(N, D, x);
    empty.name = "v";
    CHECK_FAILS(of_gaps_fill(&arena, &empty, present, 2, ONEFOLD_IMPUTE_MEAN), ONEFOLD_BAD_DATA,
                "column 4 of v has no value to fill it with");
    free(x);
    free(turned);
    free(single);
    free(present);
}

static void views_added_by_hand_are_filled_where_asked(void **state)
{
    (void)state;
    double x[] = {1, 2, NAN, 4, 5, 9, NAN, NAN};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 4));
    CHECK_FAILS(onefold_dataset_add_dense(data, "v", x, 2, 2, 1), ONEFOLD_BAD_DATA,
                "v: 1 value of 1 sample is missing (NaN), the first in sample 2, column 1");
    assert_non_null(strstr(onefold_last_hint(), "`impute`"));
    CHECK_OK(onefold_dataset_set_impute(data, ONEFOLD_IMPUTE_MEAN));
    CHECK_OK(onefold_dataset_add_dense(data, "v", x, 2, 2, 1));
    double got[8];
    of_view_tile(&data->set.views[0], 0, 3, got, 2);
    static const double want[] = {1, 2, 3, 4, 5, 9};
    for (size_t e = 0; e < 6; e++)
        CHECK_CLOSE(got[e], want[e], 1e-15, 0);
    assert_int_equal(ask_present(data, 3, 0), 0);
    CHECK_FAILS(onefold_dataset_set_impute(NULL, ONEFOLD_IMPUTE_MEAN), ONEFOLD_USAGE, "no data");
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_are_those_of_a_plain_count),
        cmocka_unit_test(gaps_are_filled_by_column),
        cmocka_unit_test(views_added_by_hand_are_filled_where_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
