/* SPDX-License-Identifier: Apache-2.0 */
/* Weights within bounds: the parser, the point along a direction, and the step, against slow
 * restatements. */
#include "method/beta_bounds.h"

#include "support/check.h"

#include <math.h>
#include <string.h>

enum { MOST = 8 };

static of_context *plain(void)
{
    return of_context_or_default(NULL);
}

/* ---- text --------------------------------------------------------------------------------- */

static void text_becomes_bounds(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, plain());
    const of_beta_bounds *b;
    CHECK_OK(of_beta_bounds_parse(&scratch, "0.5,0.2..0.6,auto", OF_WEIGHTS_SQUARES, 3, &b));
    CHECK_CLOSE(b->lower[0], 0.5, 0, 0);
    CHECK_CLOSE(b->upper[0], 0.5, 0, 0);
    CHECK_CLOSE(b->lower[1], 0.2, 0, 0);
    CHECK_CLOSE(b->upper[1], 0.6, 0, 0);
    CHECK_CLOSE(b->lower[2], 0, 0, 0);
    CHECK_CLOSE(b->upper[2], 1, 0, 0);
    CHECK_OK(
        of_beta_bounds_parse(&scratch, "3,4", OF_WEIGHTS_SQUARES, 2, &b)); /* all fixed: scaled */
    CHECK_CLOSE(b->lower[0], 0.6, 1e-15, 0);
    CHECK_CLOSE(b->upper[1], 0.8, 1e-15, 0);
    CHECK_OK(of_beta_bounds_parse(&scratch, NULL, OF_WEIGHTS_SQUARES, 2, &b));
    assert_null(b);
    CHECK_OK(of_beta_bounds_parse(&scratch, "auto,0..1", OF_WEIGHTS_SQUARES, 2, &b));
    assert_null(b);
    CHECK_OK(of_beta_bounds_parse(&scratch, ".6,.8,auto", OF_WEIGHTS_SQUARES, 3,
                                  &b)); /* nothing is left */
    assert_non_null(b);
    CHECK_OK(of_beta_bounds_parse(&scratch, "3,1", OF_WEIGHTS_SUM, 2, &b));
    CHECK_CLOSE(b->lower[0], 0.75, 1e-15, 0);
    CHECK_CLOSE(b->upper[1], 0.25, 1e-15, 0);
    CHECK_FAILS(of_beta_bounds_parse(&scratch, "0.6,0.6,auto", OF_WEIGHTS_SUM, 3, &b),
                ONEFOLD_USAGE, "too large: their lower bounds add up to 1.2");
    CHECK_FAILS(of_beta_bounds_parse(&scratch, "0.1..0.2,0.2,0.5", OF_WEIGHTS_SUM, 3, &b),
                ONEFOLD_USAGE, "too small: their upper bounds add up to 0.9");
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, plain());
    const of_beta_bounds *b;
    const struct {
        const char *text, *says;
    } bad[] = {
        {"0.5,0.5", "2 weights are given for 3 views"},
        {"1", "1 weight is given for 3 views"},
        {"1,1,1,1", "4 weights are given for 3 views"},
        {"0.5,half,auto", "'half' is not a weight"},
        {"0.5,,auto", "'' is not a weight"},
        {"0.5,-0.1,auto", "'-0.1' is not a weight"},
        {"0.5,0.6..0.2,auto", "'0.6..0.2' is not a weight"},
        {"0.5,0.6..,auto", "'0.6..' is not a weight"},
        {"0.5,1e999,auto", "'1e999' is not a weight"},
        {"nan,auto,auto", "'nan' is not a weight"},
        {"/,auto,auto", "'/' is not a weight"},
        {".,auto,auto", "'.' is not a weight"},
        {"0.5x,auto,auto", "'0.5x' is not a weight"},
        {"0.2..0.3x,auto,auto", "'0.2..0.3x' is not a weight"},
        {"0.2..x,auto,auto", "'0.2..x' is not a weight"},
        {"half_of_what_the_others_have_together_or_a_little_more,auto,auto",
         "'half_of_what_the_others_have_together_or' is not a weight"},
        {"a_word_that_is_longer_than_any_number_needs_to_be_and_so_is_not_one_at_all,auto,auto",
         "'a_word_that_is_longer_than_any_number_ne' is not a weight"},
        {"0,0,0", "all weights are 0"},
        {"0.9,0.9,auto", "too large: the squares of their lower bounds add up to 1.62"},
        {"0..0.5,0.5,0.5", "too small: the squares of their upper bounds add up to 0.75"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_FAILS(of_beta_bounds_parse(&scratch, bad[i].text, OF_WEIGHTS_SQUARES, 3, &b),
                    ONEFOLD_USAGE, bad[i].says);
}

/* ---- made problems ------------------------------------------------------------------------ */

typedef struct made {
    size_t p;
    double A[MOST * MOST], f[MOST], lower[MOST], upper[MOST], b[MOST];
    of_beta_bounds bounds;
} made;

/* Bounds around a point `b` of length 1, so that there is a solution; some fixed, some free. */
static void draw(made *of, size_t p, uint64_t index, double shift, double f_scale)
{
    double raw[MOST * MOST], u[3 * MOST], norm = 0;
    of->p = p;
    check_random(81, 3 * index, p, p, raw);
    check_random(81, 3 * index + 1, p, 1, of->f);
    check_random(81, 3 * index + 2, 3 * p, 1, u);
    for (size_t j = 0; j < p; j++) {
        of->f[j] = f_scale * (of->f[j] + shift);
        of->b[j] = fabs(u[j]);
        norm += of->b[j] * of->b[j];
        for (size_t i = 0; i < p; i++)
            of->A[i + j * p] = (raw[i + j * p] + raw[j + i * p]) / 2 + shift;
    }
    for (size_t i = 0; i < p; i++) {
        of->b[i] /= sqrt(norm);
        size_t kind = (size_t)(fabs(u[p + i]) * 1000) % 4;
        double low = 0.3 * fabs(u[p + i]), high = 0.3 * fabs(u[2 * p + i]);
        of->lower[i] = kind == 0 ? 0 : kind == 1 ? of->b[i] : fmax(0, of->b[i] - low);
        of->upper[i] = kind == 0 ? 1 : kind == 1 ? of->b[i] : fmin(1, of->b[i] + high);
    }
    of->bounds = (of_beta_bounds){.lower = of->lower, .upper = of->upper};
}

static double value_at(const made *of, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < of->p; i++) {
        sum += of->f[i] * b[i];
        for (size_t j = 0; j < of->p; j++)
            sum += b[i] * of->A[i + j * of->p] * b[j];
    }
    return sum;
}

static void is_within(const made *of, const double *b)
{
    double square = 0;
    for (size_t i = 0; i < of->p; i++) {
        assert_true(b[i] >= of->lower[i] && b[i] <= of->upper[i]);
        square += b[i] * b[i];
    }
    CHECK_CLOSE(square, 1, 2e-12, 0);
}

/* The point along a direction, slowly: the multiplier by bisection over a wide interval. */
static int slow_point(const made *of, const double *c, double *b)
{
    double low = 0, high = 1e12, square = 0;
    for (int step = 0; step < 110; step++) {
        double t = (low + high) / 2;
        square = 0;
        for (size_t i = 0; i < of->p; i++) {
            b[i] = fmin(fmax(t * fmax(c[i], 0), of->lower[i]), of->upper[i]);
            square += b[i] * b[i];
        }
        *(square < 1 ? &low : &high) = t;
    }
    return fabs(square - 1) < 1e-9;
}

static void the_point_is_the_nearest(void **state)
{
    (void)state;
    size_t none = 0;
    for (uint64_t index = 0; index < 400; index++) {
        made of;
        double c[MOST], b[MOST] = {0}, slow[MOST];
        draw(&of, 2 + index % 7, index, 0, 1);
        check_random(82, index, of.p, 1, c);
        int found = of_beta_bounds_point(&of.bounds, OF_WEIGHTS_SQUARES, of.p, c, b);
        assert_int_equal(found, slow_point(&of, c, slow));
        none += !found;
        if (!found)
            continue;
        is_within(&of, b);
        double product = 0, given = 0;
        for (size_t i = 0; i < of.p; i++) {
            CHECK_CLOSE(b[i], slow[i], 0, 1e-9);
            product += c[i] * b[i];
            given += c[i] * of.b[i];
        }
        assert_true(product >= given - 1e-12);
    }
    assert_true(none > 0 && none < 300);
}

/* ---- the step ----------------------------------------------------------------------------- */

/* 2Ab + f = 2 lambda b between the bounds, not above that at the lower, not below at the upper. */
static void meets_conditions(const made *of, const double *b)
{
    double gradient[MOST], lambda = 0, weight = 0, scale = 1;
    for (size_t i = 0; i < of->p; i++) {
        gradient[i] = of->f[i];
        for (size_t j = 0; j < of->p; j++)
            gradient[i] += 2 * of->A[i + j * of->p] * b[j];
        scale = fmax(scale, fabs(gradient[i]));
        if (b[i] > of->lower[i] + 1e-7 && b[i] < of->upper[i] - 1e-7) {
            lambda += gradient[i] * b[i] / 2;
            weight += b[i] * b[i];
        }
    }
    if (weight < 1e-6)
        return; /* a corner: any multiplier in a range will do, or it is the only point */
    lambda /= weight;
    for (size_t i = 0; i < of->p; i++) {
        double rest = gradient[i] - 2 * lambda * b[i];
        int low = b[i] <= of->lower[i] + 1e-7, high = b[i] >= of->upper[i] - 1e-7;
        if (!low)
            assert_true(rest >= -1e-6 * scale);
        if (!high)
            assert_true(rest <= 1e-6 * scale);
    }
}

/* Projected gradient ascents from many points. */
static double ascent_maximum(const made *of)
{
    double most = value_at(of, of->b);
    for (uint64_t start = 0; start < 25; start++) {
        double b[MOST], c[MOST];
        check_random(83, start, of->p, 1, c);
        for (size_t i = 0; i < of->p; i++)
            c[i] = start < of->p ? (i == start) + 1e-3 : fabs(c[i]);
        if (!slow_point(of, c, b))
            continue;
        for (int t = 0; t < 120; t++) {
            double next[MOST];
            for (size_t i = 0; i < of->p; i++) {
                double gradient = of->f[i];
                for (size_t j = 0; j < of->p; j++)
                    gradient += 2 * of->A[i + j * of->p] * b[j];
                c[i] = b[i] + 0.1 * gradient / (double)of->p;
            }
            if (!slow_point(of, c, next))
                break;
            memcpy(b, next, sizeof b);
        }
        most = fmax(most, value_at(of, b));
    }
    return most;
}

static void the_step_is_as_good_as_many_ascents(void **state)
{
    (void)state;
    const double shift[] = {-1, 0, 1.5}, f_scale[] = {0, 1};
    for (uint64_t index = 0; index < 60; index++) {
        made of;
        double b[MOST];
        draw(&of, 2 + index % 5, 1000 + index, shift[index % 3], f_scale[index % 2]);
        memcpy(b, of.b, sizeof b);
        CHECK_OK(of_beta_step(plain(), &of.bounds, of.p, of.A, of.f, b));
        is_within(&of, b);
        meets_conditions(&of, b);
        double most = ascent_maximum(&of);
        assert_true(value_at(&of, b) >= most - 1e-8 * (1 + fabs(most)));
    }
}

/* With bounds 0 and 1 it is the plain step, and a solution stays where it is. */
static void wide_bounds_are_none(void **state)
{
    (void)state;
    for (uint64_t index = 0; index < 60; index++) {
        made of;
        double b[MOST], other[MOST];
        draw(&of, 2 + index % 6, 3000 + index, index % 2 ? 0 : 1, 1);
        for (size_t i = 0; i < of.p; i++) {
            of.lower[i] = 0;
            of.upper[i] = 1;
        }
        memcpy(b, of.b, sizeof b);
        memcpy(other, of.b, sizeof b);
        CHECK_OK(of_beta_step(plain(), &of.bounds, of.p, of.A, of.f, b));
        CHECK_OK(of_beta_step(plain(), NULL, of.p, of.A, of.f, other));
        CHECK_CLOSE(value_at(&of, b), value_at(&of, other), 1e-9, 1e-9);
        double before = value_at(&of, b);
        CHECK_OK(of_beta_step(plain(), &of.bounds, of.p, of.A, of.f, b));
        assert_true(value_at(&of, b) >= before);
    }
}

static void the_start_is_as_equal_as_can_be(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, plain());
    const of_beta_bounds *bounds;
    double b[3];
    CHECK_OK(of_beta_bounds_parse(&scratch, "0.6,auto,auto", OF_WEIGHTS_SQUARES, 3, &bounds));
    of_beta_bounds_start(bounds, 3, b);
    CHECK_CLOSE(b[0], 0.6, 0, 0);
    CHECK_CLOSE(b[1], sqrt(0.32), 1e-14, 0);
    CHECK_CLOSE(b[2], sqrt(0.32), 1e-14, 0);
    of_beta_bounds_start(NULL, 3, b);
    CHECK_CLOSE(b[2], 1 / sqrt(3), 1e-15, 0);
}

/* Rounded weights of any number of views add up to 1, and none is negative or far from its share.
 */
static void rounded_weights_stay_near_their_shares(void **state)
{
    (void)state;
    enum { VIEWS = 1200 };
    static const size_t COUNT[] = {1, 2, 3, 31, 32, 64, 100, 999, VIEWS};
    static double evidence[VIEWS], weights[VIEWS];
    for (size_t i = 0; i < sizeof COUNT / sizeof *COUNT; i++)
        for (int equal = 0; equal < 2; equal++) {
            size_t p = COUNT[i];
            uint64_t seed = p;
            double all = 0, sum = 0;
            for (size_t v = 0; v < p; v++)
                all += evidence[v] = equal ? 1 : check_uniform(&seed);
            of_weights_by(p, equal ? NULL : evidence, NULL, weights);
            for (size_t v = 0; v < p; v++) {
                sum += weights[v];
                assert_true(weights[v] >= 0);
                CHECK_CLOSE(weights[v], evidence[v] / all, 0, 0.6 / (double)p);
            }
            CHECK_CLOSE(sum, 1, 0, 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_becomes_bounds),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(the_point_is_the_nearest),
        cmocka_unit_test(the_step_is_as_good_as_many_ascents),
        cmocka_unit_test(wide_bounds_are_none),
        cmocka_unit_test(the_start_is_as_equal_as_can_be),
        cmocka_unit_test(rounded_weights_stay_near_their_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
