/* SPDX-License-Identifier: Apache-2.0 */
#include "method/beta_bounds.h"

#include "base/random.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static double value_at(size_t p, const double *A, const double *f, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < p; i++) {
        sum += f[i] * b[i];
        for (size_t j = 0; j < p; j++)
            sum += b[i] * A[i + j * p] * b[j];
    }
    return sum;
}

/* A symmetric A and an f, entries about `shift` with spread 1; kinds of trouble by `kind`. */
static void draw(size_t p, uint64_t index, double shift, double f_scale, double *A, double *f)
{
    double raw[MOST * MOST];
    check_random(77, 2 * index, p, p, raw);
    check_random(77, 2 * index + 1, p, 1, f);
    for (size_t j = 0; j < p; j++) {
        f[j] = f_scale * (f[j] + shift);
        for (size_t i = 0; i < p; i++)
            A[i + j * p] = (raw[i + j * p] + raw[j + i * p]) / 2 + shift;
    }
}

static void feasible(size_t p, const double *b)
{
    double square = 0;
    for (size_t i = 0; i < p; i++) {
        assert_true(b[i] >= 0);
        square += b[i] * b[i];
    }
    CHECK_CLOSE(square, 1, 1e-13, 0);
}

/* First-order conditions: 2Ab + f = 2 lambda b where b > 0, and <= 0 where b = 0. */
static void meets_conditions(size_t p, const double *A, const double *f, const double *b,
                             double tolerance)
{
    double gradient[MOST], lambda = 0, scale = 1;
    for (size_t i = 0; i < p; i++) {
        gradient[i] = f[i];
        for (size_t j = 0; j < p; j++) {
            gradient[i] += 2 * A[i + j * p] * b[j];
            scale = fmax(scale, fabs(A[i + j * p]));
        }
        lambda += gradient[i] * b[i] / 2;
        scale = fmax(scale, fabs(f[i]));
    }
    for (size_t i = 0; i < p; i++) {
        if (b[i] > 1e-8)
            CHECK_CLOSE(gradient[i], 2 * lambda * b[i], 0, tolerance * scale);
        else
            assert_true(gradient[i] <= tolerance * scale);
    }
}

static void start_at(size_t p, uint64_t index, double *b)
{
    double norm = 0;
    check_random(78, index, p, 1, b);
    for (size_t i = 0; i < p; i++) {
        b[i] = fabs(b[i]);
        norm += b[i] * b[i];
    }
    for (size_t i = 0; i < p; i++)
        b[i] /= sqrt(norm);
}

/* The largest value on a grid of the non-negative part of the sphere, for p <= 4. */
static double grid_maximum(size_t p, const double *A, const double *f)
{
    const size_t steps = p == 2 ? 20000 : p == 3 ? 300 : 60;
    size_t at[3] = {0, 0, 0}, total = 1;
    double most = -INFINITY;
    for (size_t i = 0; i + 1 < p; i++)
        total *= steps + 1;
    for (size_t t = 0; t < total; t++) {
        size_t rest = t;
        double b[4], left = 1;
        for (size_t i = 0; i + 1 < p; i++, rest /= steps + 1) {
            at[i] = rest % (steps + 1);
            double angle = 1.5707963267948966 * (double)at[i] / (double)steps;
            b[i] = left * sin(angle);
            left *= cos(angle);
        }
        b[p - 1] = left;
        most = fmax(most, value_at(p, A, f, b));
    }
    return most;
}

static void beats_every_point_of_a_grid(void **state)
{
    (void)state;
    const double shift[] = {-1, -0.3, 0, 0.3, 2}, f_scale[] = {0, 0.3, 3};
    for (size_t p = 1; p <= 4; p++)
        for (size_t s = 0; s < 5; s++)
            for (size_t g = 0; g < 3; g++)
                for (uint64_t index = 0; index < 6; index++) {
                    double A[16], f[4], b[4];
                    draw(p, 1000 * p + 100 * s + 10 * g + index, shift[s], f_scale[g], A, f);
                    start_at(p, index, b);
                    CHECK_OK(of_beta_step(NULL, NULL, p, A, f, b));
                    feasible(p, b);
                    meets_conditions(p, A, f, b, 1e-9);
                    double most = p == 1 ? A[0] + f[0] : grid_maximum(p, A, f);
                    assert_true(value_at(p, A, f, b) >= most - 1e-12 * (1 + fabs(most)));
                }
}

/* Plain ascent by projected gradient steps from many starts. */
static double ascent_maximum(size_t p, const double *A, const double *f)
{
    double most = -INFINITY;
    for (uint64_t start = 0; start < 60; start++) {
        double b[MOST], step = 0.5 / (double)p;
        start_at(p, 500 + start, b);
        if (start < p)
            for (size_t i = 0; i < p; i++)
                b[i] = i == start;
        for (int t = 0; t < 600; t++) {
            double next[MOST], norm = 0;
            for (size_t i = 0; i < p; i++) {
                double gradient = f[i];
                for (size_t j = 0; j < p; j++)
                    gradient += 2 * A[i + j * p] * b[j];
                next[i] = fmax(0, b[i] + step * gradient);
                norm += next[i] * next[i];
            }
            if (norm == 0)
                break;
            for (size_t i = 0; i < p; i++)
                b[i] = next[i] / sqrt(norm);
        }
        most = fmax(most, value_at(p, A, f, b));
    }
    return most;
}

static void is_as_good_as_many_ascents(void **state)
{
    (void)state;
    const double shift[] = {-1, 0, 0.5};
    for (size_t p = 5; p <= 15; p += 5)
        for (size_t s = 0; s < 3; s++)
            for (uint64_t index = 0; index < 15; index++) {
                double A[MOST * MOST], f[MOST], b[MOST];
                draw(p, 50000 + 1000 * p + 100 * s + index, shift[s], 1, A, f);
                start_at(p, index, b);
                CHECK_OK(of_beta_step(NULL, NULL, p, A, f, b));
                feasible(p, b);
                meets_conditions(p, A, f, b, 1e-9);
                double most = ascent_maximum(p, A, f);
                assert_true(value_at(p, A, f, b) >= most - 1e-9 * fabs(most));
            }
}

static void is_exact_without_negative_entries(void **state)
{
    (void)state;
    for (size_t p = 2; p <= 15; p++)
        for (uint64_t index = 0; index < 10; index++) {
            double A[MOST * MOST], f[MOST], b[MOST], V[MOST * MOST], e[MOST];
            draw(p, 90000 + 100 * p + index, 0, index < 5 ? 1 : 1e-6, A, f);
            for (size_t i = 0; i < p * p; i++)
                A[i] = fabs(A[i]);
            for (size_t i = 0; i < p; i++)
                f[i] = fabs(f[i]);
            start_at(p, index, b);
            CHECK_OK(of_beta_step(NULL, NULL, p, A, f, b));
            feasible(p, b);
            meets_conditions(p, A, f, b, 1e-12);
            /* the global maximum over the whole sphere: lambda >= the largest eigenvalue */
            memcpy(V, A, sizeof V);
            CHECK_OK(of_eigh(NULL, p, V, e));
            double lambda = 0;
            for (size_t i = 0; i < p; i++) {
                double gradient = f[i];
                for (size_t j = 0; j < p; j++)
                    gradient += 2 * A[i + j * p] * b[j];
                lambda += gradient * b[i] / 2;
            }
            assert_true(lambda >= e[0] * (1 - 1e-13));
        }
}

/* f has no part in the top eigenspace; its multiplicity is one, two, or all of it. */
static void hard_cases(void **state)
{
    (void)state;
    { /* f = 0: the leading eigenvector */
        double A[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, f[3] = {0, 0, 0}, b[3] = {1, 0, 0};
        CHECK_OK(of_beta_step(NULL, NULL, 3, A, f, b));
        CHECK_CLOSE(b[0], 0.5, 0, 1e-14);
        CHECK_CLOSE(b[1], sqrt(0.5), 0, 1e-14);
    }
    { /* a start without any part in the top eigenspace */
        double A[9] = {1, 0, 0, 0, 5, 1, 0, 1, 5}, f[3] = {0, 0, 0}, b[3] = {1, 0, 0};
        CHECK_OK(of_beta_step(NULL, NULL, 3, A, f, b));
        CHECK_CLOSE(b[0], 0, 0, 1e-14);
        CHECK_CLOSE(b[1], sqrt(0.5), 0, 1e-14);
    }
    { /* top eigenvector (1,1,0)/sqrt 2, f along (0,0,1), short: lambda = e_1 */
        double A[9] = {2, 1, 0, 1, 2, 0, 0, 0, 1}, f[3] = {0, 0, 1}, b[3] = {0.6, 0.8, 0};
        CHECK_OK(of_beta_step(NULL, NULL, 3, A, f, b)); /* b_3 = (1/2)/(3 - 1) */
        CHECK_CLOSE(b[2], 0.25, 0, 1e-14);
        CHECK_CLOSE(b[0], sqrt((1 - 0.0625) / 2), 0, 1e-14);
        CHECK_CLOSE(b[1], b[0], 0, 1e-14);
    }
    { /* the same, f long: lambda > e_1 and b = f/||f|| */
        double A[9] = {2, 1, 0, 1, 2, 0, 0, 0, 1}, f[3] = {0, 0, 10}, b[3] = {0.6, 0.8, 0};
        CHECK_OK(of_beta_step(NULL, NULL, 3, A, f, b));
        CHECK_CLOSE(b[2], 1, 0, 1e-14);
    }
    { /* A = 3 I and f = 0: everything is best, so nothing moves */
        double A[9] = {3, 0, 0, 0, 3, 0, 0, 0, 3}, f[3] = {0, 0, 0}, b[3] = {0.6, 0, 0.8};
        CHECK_OK(of_beta_step(NULL, NULL, 3, A, f, b));
        CHECK_CLOSE(b[0], 0.6, 0, 1e-15);
        CHECK_CLOSE(b[1], 0, 0, 1e-15);
    }
    { /* nearly hard: the part of f in the top eigenspace is tiny, but decides the side */
        double A[4] = {1, 0, 0, 4}, f[2] = {0, 1e-9}, b[2] = {1, 0};
        CHECK_OK(of_beta_step(NULL, NULL, 2, A, f, b));
        CHECK_CLOSE(b[1], 1, 0, 1e-15);
    }
    { /* no view has anything */
        double A[4] = {0}, f[2] = {0}, b[2] = {0.6, 0.8};
        CHECK_OK(of_beta_step(NULL, NULL, 2, A, f, b));
        CHECK_CLOSE(b[0], 0.6, 0, 1e-15);
    }
    { /* a view without anything among others gets no weight */
        double A[9] = {3, 2, 0, 2, 3, 0, 0, 0, 0}, f[3] = {1, 1, 0}, b[3] = {0, 0, 1};
        CHECK_OK(of_beta_step(NULL, NULL, 3, A, f, b));
        assert_true(b[2] == 0);
        CHECK_CLOSE(b[0], sqrt(0.5), 0, 1e-14);
    }
    { /* everything is bad: the least bad vertex */
        double A[4] = {-5, -9, -9, -3}, f[2] = {-1, -1}, b[2] = {1, 0};
        CHECK_OK(of_beta_step(NULL, NULL, 2, A, f, b));
        CHECK_CLOSE(b[1], 1, 0, 1e-15);
    }
    { /* one view */
        double A[1] = {-2}, f[1] = {-7}, b[1] = {1};
        CHECK_OK(of_beta_step(NULL, NULL, 1, A, f, b));
        assert_true(b[0] == 1);
    }
}

static void is_never_worse_than_given_and_stays_where_it_is_best(void **state)
{
    (void)state;
    for (size_t p = 1; p <= 12; p++)
        for (uint64_t index = 0; index < 40; index++) {
            double A[MOST * MOST], f[MOST], b[MOST], again[MOST];
            draw(p, 200000 + 100 * p + index, index % 4 * 0.4 - 0.8, 1, A, f);
            double scale = pow(10, (double)(index % 7) * 4 - 12);
            for (size_t i = 0; i < p * p; i++)
                A[i] *= scale;
            for (size_t i = 0; i < p; i++)
                f[i] *= scale;
            start_at(p, index, b);
            double before = value_at(p, A, f, b);
            CHECK_OK(of_beta_step(NULL, NULL, p, A, f, b));
            double after = value_at(p, A, f, b);
            assert_true(after >= before - 1e-15 * scale * (double)(p * p));
            memcpy(again, b, sizeof b);
            CHECK_OK(of_beta_step(NULL, NULL, p, A, f, again));
            CHECK_CLOSE(value_at(p, A, f, again), after, 1e-13, 1e-14 * scale);
        }
}

static void fails_cleanly_without_memory(void **state)
{
    (void)state;
    double A[4] = {-5, -9, -9, -3}, f[2] = {-1, -1}, b[2];
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_status status = ONEFOLD_NO_MEMORY;
    long failed = 0;
    for (; status != ONEFOLD_OK; failed++) {
        b[0] = 1;
        b[1] = 0;
        atomic_store(&context->allocations_until_failure, failed);
        status = of_beta_step(context, NULL, 2, A, f, b);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
        assert_int_equal(atomic_load(&context->bytes), 0);
        if (status != ONEFOLD_OK)
            assert_true(b[0] == 1 && b[1] == 0);
    }
    assert_true(failed > 5);
    onefold_context_free(context);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beats_every_point_of_a_grid),
        cmocka_unit_test(is_as_good_as_many_ascents),
        cmocka_unit_test(is_exact_without_negative_entries),
        cmocka_unit_test(hard_cases),
        cmocka_unit_test(is_never_worse_than_given_and_stays_where_it_is_best),
        cmocka_unit_test(fails_cleanly_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
