/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/common.h"

#include "base/random.h"
#include "linalg/blas.h"
#include "oracle/fmr.h"
#include "oracle/plain.h"
#include "support/check.h"
#include "support/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Uniform numbers in [0, 1). */
static double *uniform(uint64_t index, size_t rows, size_t columns)
{
    double *h = plain_new(rows, columns);
    of_random random = of_random_make(81, OF_PURPOSE_TEST, index);
    for (size_t i = 0; i < rows * columns; i++)
        h[i] = of_random_uniform(&random);
    return h;
}

static double *stack(const subspace_made *m, size_t *rows)
{
    *rows = 0;
    for (size_t v = 0; v < m->views; v++)
        *rows += m->rows[v];
    double *all = plain_new(*rows, m->n);
    for (size_t v = 0, done = 0; v < m->views; done += m->rows[v++])
        for (size_t j = 0; j < m->n; j++)
            memcpy(all + done + j * *rows, m->x[v] + j * m->rows[v], m->rows[v] * sizeof *all);
    return all;
}

static void start(of_fmr *f, of_context *context, const of_fmr *options, subspace_made *m, size_t d,
                  const double *h)
{
    *f = *options;
    CHECK_OK(of_fmr_start(f, context, subspace_set(m), d, h));
}

/* Options that keep H of moderate size, as the explicit inverse of the restatement needs it. */
static of_fmr moderate(double level)
{
    of_fmr options = OF_FMR_INIT;
    options.level = level;
    options.step = 1;
    return options;
}

static void same_iteration(const of_fmr *f, const oracle_fmr *o)
{
    size_t n = o->n, d = o->d;
    double *self = plain_new(n, n), residual;
    assert_int_equal(f->steps, o->steps);
    assert_int_equal(f->rank, o->rank);
    CHECK_CLOSE(f->latent_value, o->f, 1e-8, 0);
    CHECK_CLOSE(f->agreement, o->hsic, 1e-8, 0);
    CHECK_CLOSE(f->low_values, o->nuclear_j, 1e-8, 0);
    CHECK_CLOSE(f->noise_lengths, o->e_lengths, 1e-8, 1e-10);
    CHECK_CLOSE(f->residual_latent, o->residual_h, 1e-6, 1e-9);
    CHECK_OK(of_fmr_low_residual(f, &residual));
    CHECK_CLOSE(residual, o->residual_z, 1e-8, 1e-10);
    assert_true(f->residual_low <= residual * (1 + 1e-12));
    CHECK_OK(of_fmr_self(f, self));
    for (size_t i = 0; i < n * n; i++)
        CHECK_CLOSE(self[i], o->Z[i], 0, 1e-9);
    for (size_t i = 0; i < d * n; i++) {
        CHECK_CLOSE(f->latent[i], o->H[i], 0, 1e-9);
        CHECK_CLOSE(f->noise[i], o->E[i], 0, 1e-8);
    }
    free(self);
}

/* The last width of the basis, and how many iterations moved H. */
static size_t check_against_oracle(subspace_made *m, size_t d, const of_fmr *options,
                                   size_t iterations, size_t *moves)
{
    size_t rows;
    double *M = stack(m, &rows), *h = uniform(d, d, m->n);
    of_fmr f;
    oracle_fmr o;
    start(&f, subspace_context(), options, m, d, h);
    oracle_fmr_start(&o, rows, m->n, M, d, h);
    o.l1 = options->low_weight;
    o.l2 = options->noise_weight;
    o.eps = options->level;
    o.alpha = options->step;
    o.u = options->penalty;
    o.most_steps = options->max_steps;
    *moves = 0;
    for (size_t t = 0; t < iterations; t++) {
        CHECK_CLOSE(f.penalty, o.u, 1e-12, 0);
        CHECK_OK(of_fmr_step(&f));
        oracle_fmr_step(&o);
        same_iteration(&f, &o);
        *moves += f.steps > 0;
    }
    size_t width = f.width;
    of_fmr_end(&f);
    oracle_fmr_end(&o);
    free(M);
    free(h);
    return width;
}

static void every_iteration_equals_the_restatement(void **state)
{
    (void)state;
    static const size_t few[] = {5, 6}, many[] = {20, 12};
    of_fmr options = moderate(-20);
    subspace_made a = subspace_make(82, 24, 2, few, 0.5), b = subspace_make(83, 24, 2, many, 0.8);
    size_t moves;
    assert_int_equal(check_against_oracle(&a, 8, &options, 110, &moves), 8);
    assert_int_equal(moves, 1);
    assert_int_equal(check_against_oracle(&b, 8, &options, 110, &moves), 8);
    assert_int_equal(check_against_oracle(&b, 30, &options, 110, &moves), 24);
    options.low_weight = 1e-2; /* J stays zero for longer, then has small rank */
    options.noise_weight = 1e-4;
    check_against_oracle(&a, 8, &options, 110, &moves);
    subspace_unmake(&a);
    subspace_unmake(&b);
}

/* A start that is below the level already is left alone. */
static void nothing_moves_below_the_level(void **state)
{
    (void)state;
    static const size_t rows[] = {5, 6};
    of_fmr options = moderate(1e9);
    subspace_made m = subspace_make(84, 20, 2, rows, 0.5);
    size_t moves;
    check_against_oracle(&m, 7, &options, 40, &moves);
    assert_int_equal(moves, 0);
    subspace_unmake(&m);
}

/* With a level that is never reached H changes in every iteration, by the most steps, and the basis
 * is completed. */
static void a_latent_representation_that_moves_again_is_followed(void **state)
{
    (void)state;
    enum { ITERATIONS = 30 };
    static const size_t few[] = {5, 6}, many[] = {20, 9};
    of_fmr options = moderate(-1e12);
    options.max_steps = 3;
    options.penalty = 1e-3; /* so that its terms count and J is not zero for long */
    options.low_weight = 1e-3;
    options.noise_weight = 1e-3;
    subspace_made a = subspace_make(85, 22, 2, few, 0.5), b = subspace_make(85, 22, 2, many, 0.5);
    size_t moves;
    assert_int_equal(check_against_oracle(&a, 9, &options, ITERATIONS, &moves), 22);
    assert_int_equal(moves, ITERATIONS);
    assert_int_equal(check_against_oracle(&b, 25, &options, ITERATIONS, &moves), 22);
    assert_int_equal(moves, ITERATIONS);
    subspace_unmake(&a);
    subspace_unmake(&b);
}

/* At the limit H = HZ + E and Z = J, and the optimality of E: where a column of E is not zero its
 * multiplier has length l2, elsewhere at most that. */
static void constraints_and_optimality_hold_at_the_end(void **state)
{
    (void)state;
    enum { N = 60, D = 20 };
    static const size_t rows[] = {30, 25};
    of_fmr options = OF_FMR_INIT;
    options.level = -1e5;
    subspace_made m = subspace_make(87, N, 2, rows, 0.7);
    double *h = uniform(2, D, N);
    of_fmr f;
    start(&f, subspace_context(), &options, &m, D, h);
    while (!f.now.converged && f.now.iteration < 500)
        CHECK_OK(of_fmr_step(&f));
    assert_true(f.now.converged && f.now.iteration > 50);
    assert_true(f.residual_low < 1e-4 && f.residual_latent < 1e-4);
    for (size_t j = 0; j < N; j++) {
        double dual = f.penalty * plain_frobenius(D, 1, f.noise_dual + j * D);
        double length = plain_frobenius(D, 1, f.noise + j * D);
        assert_true(dual <= options.noise_weight * (1 + 1e-9));
        if (length > 0)
            CHECK_CLOSE(dual, options.noise_weight, 1e-9, 0);
    }
    of_fmr_end(&f);
    free(h);
    subspace_unmake(&m);
}

/* Reordered samples with a reordered start, and rotated latent rows, give the same Z. */
static void order_of_samples_changes_nothing_else(void **state)
{
    (void)state;
    enum { N = 30, D = 9 };
    static const size_t rows[] = {6, 40};
    of_fmr options = moderate(-100);
    subspace_made m = subspace_make(88, N, 2, rows, 0.6),
                  moved = subspace_make(88, N, 2, rows, 0.6);
    double *h = uniform(3, D, N), *g = plain_new(D, N), *a = plain_new(N, N), *b = plain_new(N, N);
    for (size_t j = 0; j < N; j++) {
        size_t to = (j * 7 + 3) % N;
        memcpy(g + to * D, h + j * D, D * sizeof *g);
        for (size_t v = 0; v < 2; v++)
            memcpy(moved.x[v] + to * rows[v], m.x[v] + j * rows[v], rows[v] * sizeof *g);
    }
    of_fmr f, k;
    start(&f, subspace_context(), &options, &m, D, h);
    start(&k, subspace_context(), &options, &moved, D, g);
    for (size_t t = 0; t < 80; t++) {
        CHECK_OK(of_fmr_step(&f));
        CHECK_OK(of_fmr_step(&k));
        CHECK_CLOSE(f.now.objective, k.now.objective, 1e-10, 0);
    }
    CHECK_OK(of_fmr_self(&f, a));
    CHECK_OK(of_fmr_self(&k, b));
    assert_true(f.rank > 2);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            CHECK_CLOSE(a[i + j * N], b[(i * 7 + 3) % N + (j * 7 + 3) % N * N], 0, 1e-9);
    of_fmr_end(&f);
    of_fmr_end(&k);
    free(h);
    free(g);
    free(a);
    free(b);
    subspace_unmake(&m);
    subspace_unmake(&moved);
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    enum { N = 150, D = 60 };
    static const size_t few[] = {30, 60}, many[] = {100, 120};
    for (int kind = 0; kind < 2; kind++) {
        subspace_made m = subspace_make(89, N, 2, kind ? many : few, 0.9);
        double *h = uniform(4, D, N), *first = NULL;
        for (int threads = 1; threads <= 3; threads++) {
            onefold_context *context;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads));
            of_fmr options = OF_FMR_INIT;
            options.level = -1e6;
            of_fmr f;
            start(&f, context, &options, &m, D, h);
            for (size_t t = 0; t < 40; t++)
                CHECK_OK(of_fmr_step(&f));
            assert_true(f.rank > 3);
            double *self = plain_new(N, N);
            CHECK_OK(of_fmr_self(&f, self));
            if (!first)
                first = plain_copy(N, N, self);
            assert_memory_equal(self, first, N * N * sizeof *first);
            of_fmr_end(&f);
            assert_int_equal(context->bytes, 0);
            onefold_context_free(context);
            free(self);
        }
        free(h);
        free(first);
        subspace_unmake(&m);
    }
}

static void views_that_do_not_let_it_grow_are_refused(void **state)
{
    (void)state;
    static const size_t rows[] = {4, 4};
    subspace_made m = subspace_make(90, 12, 2, rows, 0.5);
    double *h = uniform(5, 6, 12);
    for (size_t v = 0; v < 2; v++)
        for (size_t i = 0; i < 4 * 12; i++)
            m.x[v][i] = 0.5; /* every sample alike: nothing is left once centred */
    of_fmr options = OF_FMR_INIT;
    of_fmr f;
    start(&f, subspace_context(), &options, &m, 6, h);
    CHECK_FAILS(of_fmr_step(&f), ONEFOLD_BAD_DATA, "does not grow");
    of_fmr_end(&f);
    m.n = 1;
    f = options;
    CHECK_FAILS(of_fmr_start(&f, subspace_context(), subspace_set(&m), 6, h), ONEFOLD_BAD_DATA,
                "two samples");
    of_fmr_end(&f);
    free(h);
    subspace_unmake(&m);
}

/* A zero view, a zero sample, a view twice, two samples, one latent row: never NaN. */
static void odd_views_give_finite_numbers(void **state)
{
    (void)state;
    static const size_t sizes[] = {2, 3, 20}, rows[] = {4, 3, 4, 4};
    for (size_t s = 0; s < 3; s++)
        for (size_t d = 1; d <= 9; d += 4) {
            size_t n = sizes[s];
            subspace_made m = subspace_make(91, n, 4, rows, 0.5);
            memset(m.x[1], 0, 3 * n * sizeof(double));
            memcpy(m.x[3], m.x[0], 4 * n * sizeof(double));
            memset(m.x[2], 0, 4 * sizeof(double));
            double *h = uniform(6, d, n), *self = plain_new(n, n);
            of_fmr options = OF_FMR_INIT;
            of_fmr f;
            start(&f, subspace_context(), &options, &m, d, h);
            while (!f.now.converged && f.now.iteration < 500)
                CHECK_OK(of_fmr_step(&f));
            CHECK_OK(of_fmr_self(&f, self));
            of_fmr_affinity(n, self);
            for (size_t i = 0; i < n * n; i++)
                assert_true(isfinite(self[i]) && self[i] >= 0);
            assert_true(isfinite(f.now.objective));
            of_fmr_end(&f);
            free(h);
            free(self);
            subspace_unmake(&m);
        }
}

static void affinity_is_the_sum_of_moduli(void **state)
{
    (void)state;
    double a[9] = {1, -2, 3, 4, -5, 6, -7, 8, 0};
    const double want[9] = {2, 6, 10, 6, 10, 14, 10, 14, 0};
    of_fmr_affinity(3, a);
    for (size_t i = 0; i < 9; i++)
        CHECK_CLOSE(a[i], want[i], 0, 0);
}

static void failed_allocations_are_passed_on(void **state)
{
    (void)state;
    static const size_t rows[] = {5, 6};
    subspace_made m = subspace_make(92, 16, 2, rows, 0.5);
    double *h = uniform(7, 5, 16);
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    of_fmr options = moderate(-1e12);
    options.penalty = 1e-2; /* so that J is not zero; and H moves in every iteration */
    options.max_steps = 2;
    onefold_status status = ONEFOLD_NO_MEMORY;
    for (long fail = 0; status != ONEFOLD_OK; fail += 1 + fail / 16) {
        of_fmr f = options;
        context->allocations_until_failure = fail;
        status = of_fmr_start(&f, context, subspace_set(&m), 5, h);
        for (size_t t = 0; t < 6 && status == ONEFOLD_OK; t++)
            status = of_fmr_step(&f);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
        of_fmr_end(&f);
        assert_int_equal(context->bytes, 0);
    }
    onefold_context_free(context);
    free(h);
    subspace_unmake(&m);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_iteration_equals_the_restatement),
        cmocka_unit_test(nothing_moves_below_the_level),
        cmocka_unit_test(a_latent_representation_that_moves_again_is_followed),
        cmocka_unit_test(constraints_and_optimality_hold_at_the_end),
        cmocka_unit_test(order_of_samples_changes_nothing_else),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(views_that_do_not_let_it_grow_are_refused),
        cmocka_unit_test(odd_views_give_finite_numbers),
        cmocka_unit_test(affinity_is_the_sum_of_moduli),
        cmocka_unit_test(failed_allocations_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
