/* SPDX-License-Identifier: Apache-2.0 */
/* Means and variances in one pass against two passes in long double, on data made to be hard;
 * tf-idf against its formula; the same bits for any threads. */

#include "kernel/kernel.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 9 };

/* A column each: plain; far from zero; constant; sorted; an outlier at the end, and at the start;
 * steps of 1 at 1e9; tiny; huge. */
static double *hard(size_t n)
{
    double *x = malloc(n * COLUMNS * sizeof *x);
    check_random(3, n, COLUMNS, n, x);
    for (size_t j = 0; j < n; j++) {
        double *row = x + j * COLUMNS;
        row[1] += 1e8;
        row[2] = 0.1;
        row[3] = (double)j * 1e3 + row[3];
        row[4] = j + 1 == n ? 1e12 : row[4];
        row[5] = j == 0 ? -1e12 : row[5];
        row[6] = 1e9 + (double)(j % 3);
        row[7] *= 1e-150;
        row[8] *= 1e150;
    }
    return x;
}

/* Two passes in long double. */
static void restate(size_t n, const double *x, long double *mean, long double *variance)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        mean[i] = variance[i] = 0;
        for (size_t j = 0; j < n; j++)
            mean[i] += x[j * COLUMNS + i];
        mean[i] /= (long double)n;
        for (size_t j = 0; j < n; j++)
            variance[i] += (x[j * COLUMNS + i] - mean[i]) * (x[j * COLUMNS + i] - mean[i]);
        variance[i] /= (long double)n;
    }
}

static void check_moments(size_t n, const double *x, const of_view *view)
{
    long double mean[COLUMNS], variance[COLUMNS];
    double got[3 * COLUMNS], first[3 * COLUMNS];
    static const int threads[] = {1, 2, 3, 8};
    restate(n, x, mean, variance);
    for (size_t t = 0; t < 4; t++) {
        onefold_context *context = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads[t]));
        CHECK_OK(of_moments(context, view, got, got + COLUMNS, got + 2 * COLUMNS));
        if (t == 0)
            memcpy(first, got, sizeof first);
        assert_memory_equal(first, got, sizeof got);
        onefold_context_free(context);
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        double deviation = (double)sqrtl(variance[i]), size = (double)fabsl(mean[i]);
        CHECK_CLOSE(got[i], (double)mean[i], 2e-15, 1e-14 * deviation);
        CHECK_CLOSE(got[COLUMNS + i], (double)variance[i], 1e-13, 1e-30 * size * size);
        CHECK_CLOSE(got[2 * COLUMNS + i], (double)(variance[i] + mean[i] * mean[i]), 1e-13, 0);
    }
}

static const size_t sizes[] = {1, 2, 63, 64, 65, 1000, 70000};

static void dense_moments_are_those_of_two_passes(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        double *x = hard(n);
        of_view view = {.samples = n,
                        .columns = COLUMNS,
                        .data = x,
                        .type = OF_F64,
                        .sample_step = COLUMNS,
                        .column_step = 1};
        check_moments(n, x, &view);
        free(x);
    }
}

/* The same numbers, and with four in five of them 0, as sparse views. */
static void sparse_moments_are_those_of_two_passes(void **state)
{
    (void)state;
    for (size_t s = 0; s < 2 * (sizeof sizes / sizeof *sizes); s++) {
        size_t n = sizes[s / 2], entries = 0;
        double *x = hard(n), *value = malloc(n * COLUMNS * sizeof *value);
        size_t *start = malloc((n + 1) * sizeof *start);
        uint32_t *index = malloc(n * COLUMNS * sizeof *index);
        for (size_t j = 0; j < n; j++) {
            start[j] = entries;
            for (size_t i = 0; i < COLUMNS; i++) {
                if (s % 2 && (j * COLUMNS + i) * 7 % 5)
                    x[j * COLUMNS + i] = 0;
                if (s % 2 && x[j * COLUMNS + i] == 0)
                    continue;
                index[entries] = (uint32_t)i;
                value[entries++] = x[j * COLUMNS + i];
            }
        }
        start[n] = entries;
        of_view view = {.storage = OF_SPARSE,
                        .samples = n,
                        .columns = COLUMNS,
                        .sparse = {n, COLUMNS, start, index, value}};
        check_moments(n, x, &view);
        free(x);
        free(value);
        free(start);
        free(index);
    }
}

static void what_cannot_be_squared_is_not_finite(void **state)
{
    (void)state;
    double x[] = {1e200, -1e200, 1e200, 1e200}, got[3];
    of_view view = {
        .samples = 4, .columns = 1, .data = x, .type = OF_F64, .sample_step = 1, .column_step = 1};
    CHECK_OK(of_moments(of_context_or_default(NULL), &view, got, got + 1, got + 2));
    assert_false(isfinite(got[1]) && isfinite(got[2]));
}

/* Counts, three in four of them 0, and some zeros stored. */
static void tfidf_is_its_formula(void **state)
{
    (void)state;
    enum { N = 3000, D = 40 };
    static double x[N * D], value[N * D];
    static uint32_t index[N * D];
    size_t start[N + 1], entries = 0, seen[D] = {0};
    for (size_t j = 0; j < N; j++) {
        start[j] = entries;
        for (size_t i = 0; i < D; i++) {
            size_t r = (j * 7919 + i * 104729) % 997;
            x[j * D + i] = j % 50 == 7 ? 0 : r % 4 == 0 ? (double)(r % 11) : 0;
            if (j == 11)
                x[j * D + i] *= 1e306; /* its square is no double */
            seen[i] += x[j * D + i] != 0;
            if (r % 4 == 0 || r % 13 == 0) {
                index[entries] = (uint32_t)i;
                value[entries++] = x[j * D + i];
            }
        }
    }
    start[N] = entries;
    of_view views[] = {
        {.storage = OF_SPARSE, .samples = N, .columns = D, .sparse = {N, D, start, index, value}},
        {.samples = N,
         .columns = D,
         .data = x,
         .type = OF_F64,
         .sample_step = D,
         .column_step = 1}};
    of_kernel kernel[4];
    OF_SCRATCH(arena, NULL);
    for (int k = 0; k < 4; k++) {
        onefold_context *context = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, k < 2 ? 1 : 3));
        kernel[k] = (of_kernel){.view = &views[k % 2]};
        CHECK_OK(of_prep_tfidf(context, &arena, &kernel[k]));
        onefold_context_free(context);
        const of_sparse *a = &kernel[0].features, *b = &kernel[k].features;
        assert_memory_equal(a->start, b->start, (N + 1) * sizeof *a->start);
        assert_memory_equal(a->index, b->index, a->start[N] * sizeof *a->index);
        assert_memory_equal(a->value, b->value, a->start[N] * sizeof *a->value);
    }
    const of_sparse *features = &kernel[0].features;
    for (size_t j = 0, e = 0; j < N; j++) {
        long double length = 0, expected[D];
        for (size_t i = 0; i < D; i++) {
            expected[i] =
                seen[i] ? sqrtl(x[j * D + i]) * logl((long double)N / (long double)seen[i]) : 0;
            length += expected[i] * expected[i];
        }
        for (size_t i = 0; i < D; i++) {
            if (x[j * D + i] == 0)
                continue;
            assert_true(e < features->start[j + 1] && features->index[e] == i);
            CHECK_CLOSE(features->value[e++], (double)(expected[i] / sqrtl(length)), 1e-14, 0);
        }
        assert_int_equal(e, features->start[j + 1]);
    }
}

/* Several threads at once, each with a tile of its own: samples are wide, so that threads do run in
 * parallel, again and again. */
static void threads_do_not_share_a_tile(void **state)
{
    (void)state;
    enum { MANY = 6000, WIDE = 2000, ROUNDS = 12 };
    uint8_t *x = malloc((size_t)MANY * WIDE);
    double *first = malloc(3 * WIDE * sizeof *first), *got = malloc(3 * WIDE * sizeof *got);
    for (size_t e = 0; e < (size_t)MANY * WIDE; e++)
        x[e] = (uint8_t)((e * 2654435761u >> 7) % 100 + e / WIDE * 150 / MANY);
    of_view view = {.samples = MANY,
                    .columns = WIDE,
                    .data = x,
                    .type = OF_U8,
                    .sample_step = WIDE,
                    .column_step = 1};
    for (int round = 0; round <= ROUNDS; round++) {
        onefold_context *context = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, round ? 2 + 2 * (round % 2) : 1));
        CHECK_OK(of_moments(context, &view, got, got + WIDE, got + 2 * WIDE));
        if (round)
            assert_memory_equal(got, first, 3 * WIDE * sizeof *got);
        memcpy(first, got, 3 * WIDE * sizeof *got);
        onefold_context_free(context);
    }
    free(x);
    free(first);
    free(got);
}

/* Single precision has the bits of the same numbers in doubles. */
static void single_precision_has_the_same_bits(void **state)
{
    (void)state;
    enum { MANY = 5000, WIDE = 70, STEP = 75 };
    float *x = malloc((size_t)MANY * STEP * sizeof *x);
    double *same = malloc((size_t)MANY * STEP * sizeof *same), want[3 * WIDE], got[3 * WIDE];
    for (size_t e = 0; e < (size_t)MANY * STEP; e++)
        same[e] = x[e] = (float)(e * 2654435761u % 1000003) / 997 - (float)(e % STEP);
    of_view view = {.samples = MANY,
                    .columns = WIDE,
                    .data = same,
                    .type = OF_F64,
                    .sample_step = STEP,
                    .column_step = 1};
    of_context *context = of_context_or_default(NULL);
    CHECK_OK(of_moments(context, &view, want, want + WIDE, want + 2 * WIDE));
    view.data = x;
    view.type = OF_F32;
    CHECK_OK(of_moments(context, &view, got, got + WIDE, got + 2 * WIDE));
    assert_memory_equal(got, want, sizeof got);
    assert_true(want[0] != want[WIDE - 1] && want[WIDE] > 0);
    free(x);
    free(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_precision_has_the_same_bits),
        cmocka_unit_test(threads_do_not_share_a_tile),
        cmocka_unit_test(dense_moments_are_those_of_two_passes),
        cmocka_unit_test(sparse_moments_are_those_of_two_passes),
        cmocka_unit_test(what_cannot_be_squared_is_not_finite),
        cmocka_unit_test(tfidf_is_its_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
