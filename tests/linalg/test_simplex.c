/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/common.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The textbook algorithm: sort, find the number of positive entries, shift. */
static void project_by_sorting(size_t length, const double *x, double *out)
{
    double *sorted = malloc(length * sizeof *sorted);
    memcpy(sorted, x, length * sizeof *sorted);
    qsort(sorted, length, sizeof *sorted, descending);
    long double sum = 0, shift = 0;
    for (size_t i = 0; i < length; i++) {
        sum += sorted[i];
        long double candidate = (sum - 1) / (long double)(i + 1);
        if (sorted[i] > candidate)
            shift = candidate;
    }
    for (size_t i = 0; i < length; i++)
        out[i] = x[i] > shift ? (double)(x[i] - shift) : 0;
    free(sorted);
}

static void check_projection(size_t length, const double *x, double relative)
{
    double *fast = malloc(length * sizeof *fast), *slow = malloc(length * sizeof *slow), sum = 0;
    memcpy(fast, x, length * sizeof *fast);
    of_simplex_project(length, fast);
    project_by_sorting(length, x, slow);
    for (size_t i = 0; i < length; i++) {
        CHECK_CLOSE(fast[i], slow[i], 0, relative);
        assert_true(fast[i] >= 0);
        sum += fast[i];
    }
    CHECK_CLOSE(sum, 1, 0, 1e-14 * (double)(length + 10));
    free(fast);
    free(slow);
}

static void random_vectors_go_where_sorting_says(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 2, 3, 10, 257, 1000};
    static const double scales[] = {1e-8, 1e-3, 0.1, 1, 1000};
    for (size_t l = 0; l < 6; l++)
        for (size_t s = 0; s < 5; s++)
            for (uint64_t draw = 0; draw < 20; draw++) {
                double x[1000];
                check_random(draw, 10 * l + s, lengths[l], 1, x);
                for (size_t i = 0; i < lengths[l]; i++)
                    x[i] = x[i] * scales[s] + (double)draw;
                check_projection(lengths[l], x, 1e-12 * fmax(1, scales[s]));
            }
}

static void what_is_on_the_simplex_stays(void **state)
{
    (void)state;
    double vertex[3] = {0, 1, 0}, centre[4] = {0.25, 0.25, 0.25, 0.25}, one[1] = {-3e300};
    of_simplex_project(3, vertex);
    assert_true(vertex[0] == 0 && vertex[1] == 1 && vertex[2] == 0);
    of_simplex_project(4, centre);
    for (int i = 0; i < 4; i++)
        assert_true(centre[i] == 0.25);
    of_simplex_project(1, one);
    assert_true(one[0] == 1);
}

static void ties_and_far_shifts_lose_no_digits(void **state)
{
    (void)state;
    double ties[6] = {2, 2, 2, 1, 1, -5}, huge[3] = {1e15 + 0.5, 1e15, 1e15 - 3};
    of_simplex_project(6, ties);
    for (int i = 0; i < 6; i++)
        CHECK_CLOSE(ties[i], i < 3 ? 1.0 / 3 : 0, 0, 1e-16);
    of_simplex_project(3, huge);
    assert_true(huge[0] == 0.75 && huge[1] == 0.25 && huge[2] == 0);
}

/* The projection y is the point with <x - y, z - y> <= 0 for every z of the simplex; the corners
 * suffice. */
static void no_corner_lies_on_the_far_side(void **state)
{
    (void)state;
    enum { LENGTH = 40 };
    for (uint64_t draw = 0; draw < 50; draw++) {
        double x[LENGTH], y[LENGTH], along = 0;
        check_random(draw, 99, LENGTH, 1, x);
        memcpy(y, x, sizeof y);
        of_simplex_project(LENGTH, y);
        for (int i = 0; i < LENGTH; i++)
            along += (x[i] - y[i]) * y[i];
        for (int i = 0; i < LENGTH; i++)
            assert_true(x[i] - y[i] <= along + 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_vectors_go_where_sorting_says),
        cmocka_unit_test(what_is_on_the_simplex_stays),
        cmocka_unit_test(ties_and_far_shifts_lose_no_digits),
        cmocka_unit_test(no_corner_lies_on_the_far_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
