/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/common.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "oracle/lsgmc.h"
#include "oracle/plain.h"
#include "support/check.h"
#include "support/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void start(of_lsgmc *l, of_context *context, const of_lsgmc *options, subspace_made *m)
{
    *l = *options;
    CHECK_OK(of_lsgmc_start(l, context, subspace_set(m)));
}

static void same_matrices(const of_lsgmc *l, const oracle_lsgmc *o)
{
    size_t n = l->samples;
    for (size_t v = 0; v < l->view_count; v++)
        for (size_t i = 0; i < n * n; i++) {
            CHECK_CLOSE(l->views[v].self[i], o->Z[v][i], 0, 1e-10);
            if (l->rotated) {
                CHECK_CLOSE(l->views[v].left[i], o->L[v][i], 0, 1e-9);
                CHECK_CLOSE(l->views[v].right[i], o->R[v][i], 0, 1e-9);
            }
        }
    for (size_t i = 0; i < n * n; i++)
        CHECK_CLOSE(l->core[i], o->C[i], 0, 1e-10);
}

/* Objective, residuals, stop value and every matrix, at every iteration. */
static void check_against_oracle(subspace_made *m, double lambda, double power, size_t iterations,
                                 size_t least_rank)
{
    of_lsgmc options = OF_LSGMC_INIT;
    options.lambda = lambda;
    options.power = power;
    of_lsgmc l;
    oracle_lsgmc o;
    start(&l, subspace_context(), &options, m);
    oracle_lsgmc_start(&o, m->n, m->views, m->rows, (const double *const *)m->x, lambda, power);
    for (size_t t = 0; t < iterations; t++) {
        CHECK_CLOSE(l.penalty, o.u, 1e-13, 0);
        CHECK_OK(of_lsgmc_step(&l));
        oracle_lsgmc_step(&o);
        double features = 0, core = 0, mirror = 0;
        for (size_t v = 0; v < m->views; v++) {
            double residual[3];
            subspace_residuals(&l, v, residual);
            features = fmax(features, residual[0]);
            core = fmax(core, residual[1]);
            mirror = fmax(mirror, residual[2]);
            CHECK_CLOSE(l.views[v].noise_lengths, plain_lengths(m->rows[v], m->n, o.E[v]), 1e-9,
                        1e-12);
            CHECK_CLOSE(l.views[v].distance, o.distance[v], 1e-9, 1e-12);
        }
        assert_int_equal(l.spectrum.rank, o.rank);
        CHECK_CLOSE(l.now.objective, o.objective, 1e-9, 0);
        CHECK_CLOSE(features, o.residual_x, 1e-8, 1e-12);
        CHECK_CLOSE(core, o.residual_c, 1e-8, 1e-12);
        CHECK_CLOSE(mirror, o.residual_sym, 1e-8, 1e-12);
        if (t > 0)
            CHECK_CLOSE(l.stop_value, o.stop_value, 0, 1e-8);
        same_matrices(&l, &o);
    }
    assert_true(l.spectrum.rank >= least_rank);
    of_lsgmc_end(&l);
    oracle_lsgmc_end(&o);
}

static void every_iteration_equals_the_restatement(void **state)
{
    (void)state;
    static const size_t few[] = {5, 9, 7}, many[] = {40, 12}, one[] = {6};
    subspace_made a = subspace_make(61, 18, 3, few, 0.5), b = subspace_make(62, 20, 2, many, 0.8),
                  c = subspace_make(63, 15, 1, one, 1);
    check_against_oracle(&a, 0.1, 0.1, 14, 3);
    check_against_oracle(&a, 10, 0.9, 16, 3);
    check_against_oracle(&b, 1, 0.5, 14, 3);
    check_against_oracle(&c, 0.01, 0.7, 14, 3);
    check_against_oracle(&b, 1e-4, 1, 12, 12); /* soft thresholding, hardly any of it */
    subspace_unmake(&a);
    subspace_unmake(&b);
    subspace_unmake(&c);
}

static void rotations_stay_orthogonal_and_constraints_close(void **state)
{
    (void)state;
    static const size_t rows[] = {10, 30, 8};
    subspace_made m = subspace_make(64, 60, 3, rows, 0.7);
    of_lsgmc options = OF_LSGMC_INIT;
    of_lsgmc l;
    start(&l, subspace_context(), &options, &m);
    double half_way[3][3];
    while (l.now.iteration < 30) {
        CHECK_OK(of_lsgmc_step(&l));
        for (size_t v = 0; v < m.views && l.now.iteration == 30 / 2; v++)
            subspace_residuals(&l, v, half_way[v]);
    }
    for (size_t v = 0; v < m.views; v++) {
        const of_lsgmc_view *view = &l.views[v];
        double residual[3];
        subspace_residuals(&l, v, residual);
        const double *sides[] = {view->left, view->right};
        for (size_t s = 0; s < 2; s++)
            for (size_t j = 0; j < m.n; j++)
                for (size_t i = 0; i <= j; i++)
                    CHECK_CLOSE(of_dot(m.n, 1, sides[s] + i * m.n, sides[s] + j * m.n), i == j, 0,
                                1e-12);
        for (size_t k = 0; k < 3; k++)
            assert_true(residual[k] < 0.01 && residual[k] < half_way[v][k] / 2);
    }
    of_lsgmc_end(&l);
    subspace_unmake(&m);
}

/* The objective after each of some iterations. */
static void trace_of(subspace_made *m, size_t iterations, double *trace, double *self)
{
    of_lsgmc options = OF_LSGMC_INIT;
    of_lsgmc l;
    options.lambda = 1;
    options.power = 0.5;
    start(&l, subspace_context(), &options, m);
    for (size_t t = 0; t < iterations; t++) {
        CHECK_OK(of_lsgmc_step(&l));
        trace[t] = l.now.objective;
    }
    assert_true(l.spectrum.rank > 2);
    memcpy(self, l.views[0].self, m->n * m->n * sizeof *self);
    of_lsgmc_end(&l);
}

/* Reordered samples, and rotated features, also with more rows than samples. */
static void order_of_samples_and_turns_of_features_change_nothing(void **state)
{
    (void)state;
    enum { N = 24, T = 12, ROWS = 9, MORE = 31 };
    static const size_t rows[] = {ROWS, 14};
    subspace_made m = subspace_make(65, N, 2, rows, 0.6),
                  moved = subspace_make(65, N, 2, rows, 0.6),
                  turned = subspace_make(65, N, 2, rows, 0.6);
    double first[T], second[T], *self = plain_new(N, N), *other = plain_new(N, N);
    trace_of(&m, T, first, self);
    for (size_t v = 0; v < 2; v++)
        for (size_t j = 0; j < N; j++)
            memcpy(moved.x[v] + (j * 7 + 3) % N * rows[v], m.x[v] + j * rows[v],
                   rows[v] * sizeof(double));
    trace_of(&moved, T, second, other);
    for (size_t t = 0; t < T; t++)
        CHECK_CLOSE(first[t], second[t], 1e-9, 0);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            CHECK_CLOSE(self[i + j * N], other[(i * 7 + 3) % N + (j * 7 + 3) % N * N], 0, 1e-9);
    double *q = plain_new(MORE, ROWS);
    check_random(66, 0, MORE, ROWS, q);
    CHECK_OK(of_qr(subspace_context(), MORE, ROWS, q, NULL));
    free(turned.x[0]);
    turned.x[0] = plain_times(MORE, ROWS, N, q, m.x[0]);
    turned.rows[0] = MORE;
    trace_of(&turned, T, second, other);
    for (size_t t = 0; t < T; t++)
        CHECK_CLOSE(first[t], second[t], 1e-9, 0);
    for (size_t i = 0; i < N * N; i++)
        CHECK_CLOSE(self[i], other[i], 0, 1e-9);
    free(q);
    free(self);
    free(other);
    subspace_unmake(&m);
    subspace_unmake(&moved);
    subspace_unmake(&turned);
}

static void the_guarded_stop_waits_for_a_core(void **state)
{
    (void)state;
    static const size_t rows[] = {10, 12};
    subspace_made m = subspace_make(67, 30, 2, rows, 0.4);
    size_t taken[2], rank[2];
    for (int early = 0; early < 2; early++) {
        of_lsgmc options = OF_LSGMC_INIT;
        options.lambda = 1000; /* keeps the core at zero for long */
        options.early = early;
        of_lsgmc l;
        start(&l, subspace_context(), &options, &m);
        while (!l.now.converged && l.now.iteration < 30)
            CHECK_OK(of_lsgmc_step(&l));
        assert_true(l.now.converged);
        taken[early] = l.now.iteration;
        rank[early] = l.spectrum.rank;
        of_lsgmc_end(&l);
    }
    assert_true(taken[1] < taken[0]);
    assert_int_equal(rank[1], 0);
    assert_true(rank[0] > 0);
    subspace_unmake(&m);
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    static const size_t rows[] = {30, 170, 60, 20};
    for (size_t views = 3; views <= 4; views++) { /* shared out evenly by two threads, or not */
        subspace_made m = subspace_make(68, 150, views, rows, 0.9);
        double *first = NULL;
        for (int threads = 1; threads <= 3; threads++) {
            onefold_context *context;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads));
            of_lsgmc options = OF_LSGMC_INIT;
            of_lsgmc l;
            start(&l, context, &options, &m);
            for (size_t t = 0; t < 10; t++)
                CHECK_OK(of_lsgmc_step(&l));
            assert_true(l.spectrum.rank > 0);
            double *sum = plain_new(m.n, m.n), *affinity = plain_new(m.n, m.n);
            for (size_t v = 0; v < views; v++)
                plain_add(m.n * m.n, sum, 1, l.views[v].self);
            CHECK_OK(of_lsgmc_retain(context, m.n, sum, of_lsgmc_share(m.n)));
            CHECK_OK(of_lsgmc_affinity(context, m.n, sum, affinity));
            if (!first)
                first = plain_copy(m.n, m.n, affinity);
            assert_memory_equal(affinity, first, m.n * m.n * sizeof *first);
            of_lsgmc_end(&l);
            assert_int_equal(context->bytes, 0);
            onefold_context_free(context);
            free(sum);
            free(affinity);
        }
        free(first);
        subspace_unmake(&m);
    }
}

static void is_finite(size_t count, const double *x)
{
    for (size_t i = 0; i < count; i++)
        assert_true(isfinite(x[i]));
}

/* A view of zeros, a zero sample, the same view twice, one sample, one column: never NaN. */
static void odd_views_give_finite_numbers(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 9};
    for (size_t s = 0; s < 3; s++) {
        size_t n = sizes[s];
        static const size_t rows[] = {4, 1, 4, 4};
        subspace_made m = subspace_make(69, n, 4, rows, 0.5);
        memset(m.x[2], 0, 4 * n * sizeof(double));
        memcpy(m.x[3], m.x[0], 4 * n * sizeof(double));
        memset(m.x[0], 0, 4 * sizeof(double));
        of_lsgmc options = OF_LSGMC_INIT;
        of_lsgmc l;
        start(&l, subspace_context(), &options, &m);
        assert_int_equal(l.views[2].features.rank, 0);
        while (!l.now.converged && l.now.iteration < 30)
            CHECK_OK(of_lsgmc_step(&l));
        double *sum = plain_new(n, n), *affinity = plain_new(n, n);
        for (size_t v = 0; v < 4; v++) {
            is_finite(n * n, l.views[v].self);
            plain_add(n * n, sum, 1, l.views[v].self);
        }
        assert_true(isfinite(l.now.objective));
        CHECK_OK(of_lsgmc_retain(subspace_context(), n, sum, of_lsgmc_share(n)));
        CHECK_OK(of_lsgmc_affinity(subspace_context(), n, sum, affinity));
        is_finite(n * n, affinity);
        of_lsgmc_end(&l);
        free(sum);
        free(affinity);
        subspace_unmake(&m);
    }
}

static void the_share_is_one_for_few_samples(void **state)
{
    (void)state;
    CHECK_CLOSE(of_lsgmc_share(1), 1, 0, 0);
    CHECK_CLOSE(of_lsgmc_share(79), 1, 0, 0);
    CHECK_CLOSE(of_lsgmc_share(136), 1, 0, 0);
    CHECK_CLOSE(of_lsgmc_share(137), 0.032 + 1 / (0.018 * 137 - 1.42), 1e-15, 0);
    assert_true(of_lsgmc_share(137) < 1);
    CHECK_CLOSE(of_lsgmc_share(210), 0.45572881, 1e-7, 0);
}

static void strong_entries_are_kept_with_their_ties(void **state)
{
    (void)state;
    /* sums of moduli 8, 8, 0: half of it is reached by one entry, by two, at once */
    double a[9] = {-5, 2, 1, 2, -3, 3, 0, 0, 0};
    const double want[9] = {-5, 0, 0, 0, -3, 3, 0, 0, 0};
    CHECK_OK(of_lsgmc_retain(subspace_context(), 3, a, 0.5));
    for (size_t i = 0; i < 9; i++)
        CHECK_CLOSE(a[i], want[i], 0, 0);
    double tie[9] = {2, -2, 2, 4, 4, 4, 1, 1, 6};
    const double kept[9] = {2, -2, 0, 4, 4, 0, 0, 0, 6};
    CHECK_OK(of_lsgmc_retain(subspace_context(), 3, tie, 0.6));
    for (size_t i = 0; i < 9; i++)
        CHECK_CLOSE(tie[i], kept[i], 0, 0);
}

static void affinity_equals_the_restatement(void **state)
{
    (void)state;
    enum { N = 26 };
    static const double scales[] = {1, 300}; /* the second is too large for the squared route */
    for (size_t s = 0; s < 2; s++) {
        double *a = plain_new(N, N);
        check_random(70, s, N, N, a);
        for (size_t i = 0; i < N * N; i++)
            a[i] *= scales[s];
        double *kept = oracle_lsgmc_retain(N, a, 0.4);
        CHECK_OK(of_lsgmc_retain(subspace_context(), N, a, 0.4));
        assert_memory_equal(a, kept, N * N * sizeof *a);
        for (size_t j = 0; j < N; j++)
            a[4 + j * N] = kept[4 + j * N] = 0; /* a zero row */
        double *want = oracle_lsgmc_affinity(N, kept), *affinity = plain_new(N, N);
        CHECK_OK(of_lsgmc_affinity(subspace_context(), N, a, affinity));
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < N; i++) {
                double zero = i == 4 || j == 4 ? 0 : 1;
                CHECK_CLOSE(affinity[i + j * N], zero * want[i + j * N], 0, 1e-9);
                CHECK_CLOSE(affinity[i + j * N], affinity[j + i * N], 0, 0);
            }
        CHECK_CLOSE(affinity[0], 1, 1e-12, 0);
        free(a);
        free(kept);
        free(want);
        free(affinity);
    }
}

static void failed_allocations_and_cancelling_are_passed_on(void **state)
{
    (void)state;
    static const size_t rows[] = {5, 30};
    subspace_made m = subspace_make(71, 12, 2, rows, 0.5);
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    of_lsgmc options = OF_LSGMC_INIT;
    options.lambda = 0.01;
    onefold_status status = ONEFOLD_NO_MEMORY;
    for (long fail = 0; status != ONEFOLD_OK; fail += 1 + fail / 8) {
        of_lsgmc l = options;
        context->allocations_until_failure = fail;
        status = of_lsgmc_start(&l, context, subspace_set(&m));
        for (size_t t = 0; t < 5 && status == ONEFOLD_OK; t++)
            status = of_lsgmc_step(&l);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
        of_lsgmc_end(&l);
        assert_int_equal(context->bytes, 0);
    }
    onefold_context_free(context);
    subspace_unmake(&m);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_iteration_equals_the_restatement),
        cmocka_unit_test(rotations_stay_orthogonal_and_constraints_close),
        cmocka_unit_test(order_of_samples_and_turns_of_features_change_nothing),
        cmocka_unit_test(the_guarded_stop_waits_for_a_core),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(odd_views_give_finite_numbers),
        cmocka_unit_test(the_share_is_one_for_few_samples),
        cmocka_unit_test(strong_entries_are_kept_with_their_ties),
        cmocka_unit_test(affinity_equals_the_restatement),
        cmocka_unit_test(failed_allocations_and_cancelling_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
