/* SPDX-License-Identifier: Apache-2.0 */
/* Restarts: the choice among them, the same bits for any threads and either division of the work,
 * edge cases, refusals, failures of memory. */
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "method/os_lfmvc_cs.h"
#include "support/ask.h"
#include "support/check.h"
#include "support/paper_options.h"
#include "support/partitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct size_set {
    size_t n, p, k, m, mu;
    double noise;
} size_set;

static of_cs_problem make_problem(of_stack *stack, const double *X, const size_set *z,
                                  const onefold_fit_options *options)
{
    *stack = of_stack_double(X, z->p * z->k, z->n);
    of_cs_problem problem = {stack, z->p, z->k, z->m, z->mu, options, NULL};
    return problem;
}

static of_context *make_context(int threads)
{
    of_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    return context;
}

/* Everything in the result is finite, in range and consistent. */
static void sound(const of_cs_result *r, const of_cs_problem *q)
{
    size_t n = q->X->samples, used = 0, *count = calloc(q->mu, sizeof *count);
    double square = 0;
    for (size_t j = 0; j < n; j++) {
        assert_in_range(r->labels[j], 0, q->mu - 1);
        count[r->labels[j]]++;
    }
    for (size_t c = 0; c < q->mu; c++) {
        assert_int_equal(count[c], r->sizes[c]);
        used += count[c] > 0;
    }
    const of_cs_end *end = &r->end[r->best_restart];
    assert_int_equal(end->clusters_used, used);
    assert_true(end->iterations >= 1 && end->iterations <= q->options->max_iterations);
    for (size_t t = 0; t < end->iterations; t++)
        assert_true(isfinite(r->trace[t]));
    assert_true(r->trace[end->iterations - 1] == end->J);
    for (size_t i = 0; i < q->p; i++) {
        assert_true(r->beta[i] >= 0);
        square += r->beta[i] * r->beta[i];
    }
    CHECK_CLOSE(square, 1, 0, 1e-10);
    for (size_t i = 0; i < q->k * n; i++)
        assert_true(isfinite(r->H.held[i]));
    for (size_t i = 0; i < q->k * q->k * q->p; i++)
        assert_true(isfinite(r->W[i]));
    free(count);
}

/* ---- the choice among restarts --------------------------------------------------------------- */

static void keeps_the_best_restart(void **state)
{
    (void)state;
    size_set z = {300, 3, 6, 6, 5, 3};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 41);
    onefold_fit_options options = solver_options();
    options.restarts = 7;
    options.seed = 4;
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, &z, &options);
    for (int start = 0; start < 2; start++) {
        options.start = (onefold_start)start;
        OF_SCRATCH(scratch, NULL);
        of_cs_result all, one;
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &all));
        sound(&all, &problem);
        assert_int_equal(all.restarts, 7);
        const of_cs_end *best = &all.end[all.best_restart];
        double lowest = INFINITY;
        for (size_t r = 0; r < 7; r++) {
            const of_cs_end *a = &all.end[r];
            of_cs_given given = {.restart = r};
            CHECK_OK(of_cs_run(NULL, &scratch, &problem, &given, NULL, &one));
            /* a restart among others is the restart alone, to the last bit */
            assert_memory_equal(&one.end[0].J, &a->J, sizeof(double));
            assert_int_equal(one.end[0].iterations, a->iterations);
            assert_int_equal(one.end[0].converged, a->converged);
            if (r == all.best_restart) {
                assert_memory_equal(one.labels, all.labels, z.n * sizeof(int32_t));
                assert_memory_equal(one.H.held, all.H.held, z.k * z.n * sizeof(double));
            }
            assert_true(a->J <= best->J || a->clusters_used < best->clusters_used);
            lowest = fmin(lowest, a->J);
        }
        assert_true(lowest < best->J); /* there was something to choose */
    }
    free(X);
}

/* Where runs take long, some are pruned: far behind, and rightly, with the iterations that they
 * have alone. The best one is always finished. */
static void gives_up_runs_that_cannot_win(void **state)
{
    (void)state;
    enum { RESTARTS = 30 };
    size_set z = {500, 5, 30, 30, 15, 3};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 46);
    onefold_fit_options options = solver_options();
    options.restarts = RESTARTS; /* many, so that restarts are pruned */
    options.max_iterations = 25;
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, &z, &options);
    of_context *context = make_context(1);
    of_arena arena = of_arena_make(context);
    of_cs_result all, one;
    CHECK_OK(of_cs_run(context, &arena, &problem, NULL, NULL, &all));
    sound(&all, &problem);
    const of_cs_end *best = &all.end[all.best_restart];
    size_t given_up = 0;
    for (size_t r = 0; r < RESTARTS; r++) {
        const of_cs_end *a = &all.end[r];
        of_cs_given given = {.restart = r};
        CHECK_OK(of_cs_run(context, &arena, &problem, &given, NULL, &one));
        assert_true(a->iterations <= one.end[0].iterations);
        assert_memory_equal(&one.trace[a->iterations - 1], &a->J, sizeof(double));
        if (a->iterations == one.end[0].iterations)
            continue;
        given_up++;
        assert_int_not_equal(r, all.best_restart);
        assert_false(a->converged);
        assert_true(one.end[0].J <= best->J); /* it would not have won */
    }
    assert_true(given_up > 0);
    of_arena_free(&arena);
    onefold_context_free(context);
    free(X);
}

/* Labels are the ones that C and H give. */
static void labels_are_read_off_the_embedding(void **state)
{
    (void)state;
    size_set z = {500, 3, 6, 6, 5, 1};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 42);
    onefold_fit_options options = solver_options();
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, &z, &options);
    OF_SCRATCH(scratch, NULL);
    of_cs_result r;
    CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &r));
    for (size_t j = 0; j < z.n; j++) {
        double h[6] = {0}, best = -INFINITY;
        size_t who = 0;
        for (size_t i = 0; i < z.p; i++)
            cblas_dgemv(CblasColMajor, CblasNoTrans, 6, 6, r.beta[i], r.W + i * 36, 6,
                        X + i * 6 + j * 18, 1, 1, h, 1);
        for (size_t c = 0; c < z.mu; c++) {
            double score = cblas_ddot(6, r.C + c * 6, 1, h, 1);
            if (score > best) {
                best = score;
                who = c;
            }
        }
        assert_int_equal(r.labels[j], who);
        for (size_t i = 0; i < z.k; i++)
            CHECK_CLOSE(r.H.held[i + j * z.k], h[i], 0, 1e-14);
    }
    free(X);
}

/* Clusters that stand out in every view are found, whatever the seed. */
static void finds_clusters_that_are_plain_to_see(void **state)
{
    (void)state;
    size_set z = {240, 3, 8, 8, 4, 0.05};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 43);
    onefold_fit_options options = solver_options();
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, &z, &options);
    for (options.seed = 0; options.seed < 5; options.seed++)
        for (options.nonneg = 0; options.nonneg < 2; options.nonneg++) {
            OF_SCRATCH(scratch, NULL);
            of_cs_result r;
            CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &r));
            assert_true(r.end[r.best_restart].converged);
            for (size_t j = 0; j < z.n; j++)
                assert_int_equal(r.labels[j], r.labels[j % z.mu]);
            for (size_t c = 1; c < z.mu; c++)
                assert_int_not_equal(r.labels[c], r.labels[c - 1]);
        }
    free(X);
}

static void stops_by_either_rule(void **state)
{
    (void)state;
    size_set z = {200, 3, 6, 6, 4, 2};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 44);
    onefold_fit_options options = solver_options();
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, &z, &options);
    options.restarts = 1;
    const double tolerance[] = {1e-3, 1e-6, 1e-9};
    for (int t = 0; t < 4; t++) {
        options.stop = t < 3 ? ONEFOLD_STOP_RELATIVE : ONEFOLD_STOP_PAPER;
        options.tolerance = t < 3 ? tolerance[t] : 0;
        options.max_iterations = 1000;
        OF_SCRATCH(scratch, NULL);
        of_cs_result r;
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &r));
        size_t last = r.end[0].iterations - 1;
        assert_true(r.end[0].converged);
        for (size_t i = 1; i <= last; i++) { /* it stops the first time the rule holds */
            double change = r.trace[i] - r.trace[i - 1];
            int holds =
                t < 3 ? fabs(change) <= tolerance[t] * fabs(r.trace[i]) : change * change < 1e-3;
            assert_int_equal(holds, i == last);
        }
        options.max_iterations = last; /* one fewer */
        of_cs_result shorter;
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &shorter));
        assert_false(shorter.end[0].converged);
        assert_memory_equal(shorter.trace, r.trace, last * sizeof(double));
    }
    free(X);
}

/* ---- the same bits ----------------------------------------------------------------------------
 */

static void compare_bits(const of_cs_result *a, const of_cs_result *b, const size_set *z)
{
    assert_int_equal(a->best_restart, b->best_restart);
    assert_memory_equal(a->labels, b->labels, z->n * sizeof(int32_t));
    assert_memory_equal(a->W, b->W, z->k * z->k * z->p * sizeof(double));
    assert_memory_equal(a->beta, b->beta, z->p * sizeof(double));
    assert_memory_equal(a->C, b->C, z->k * z->mu * sizeof(double));
    assert_memory_equal(a->H.held, b->H.held, z->k * z->n * sizeof(double));
    for (size_t r = 0; r < a->restarts; r++) {
        assert_memory_equal(&a->end[r].J, &b->end[r].J, sizeof(double));
        assert_int_equal(a->end[r].iterations, b->end[r].iterations);
        assert_int_equal(a->end[r].clusters_used, b->end[r].clusters_used);
    }
    assert_memory_equal(a->trace, b->trace, a->end[a->best_restart].iterations * sizeof(double));
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    const size_set sizes[] = {{700, 3, 6, 6, 4, 2}, {9000, 2, 7, 5, 6, 3}};
    for (int s = 0; s < 2; s++) {
        size_set z = sizes[s];
        double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 50);
        onefold_fit_options options = solver_options();
        options.restarts = 5;
        options.max_iterations = 12;
        of_stack stack;
        of_cs_problem problem = make_problem(&stack, X, &z, &options);
        for (int start = 0; start < 2; start++)
            for (int restarts = 1; restarts <= 5; restarts += 4) {
                const int threads[] = {1, 3, 8, 2}; /* the last in a full run */
                const int count = check_everything() ? 4 : 3;
                of_cs_result r[4];
                of_context *context[4];
                of_arena arena[4];
                options.start = (onefold_start)start;
                options.restarts = (size_t)restarts;
                for (int t = 0; t < count; t++) {
                    context[t] = make_context(threads[t]);
                    arena[t] = of_arena_make(context[t]);
                    CHECK_OK(of_cs_run(context[t], &arena[t], &problem, NULL, NULL, &r[t]));
                    compare_bits(&r[0], &r[t], &z);
                }
                for (int t = 0; t < count; t++) {
                    of_arena_free(&arena[t]);
                    assert_int_equal(atomic_load(&context[t]->bytes), 0);
                    onefold_context_free(context[t]);
                }
            }
        free(X);
    }
}

/* Restarts in parallel have the bits of restarts alone. */
static void other_restarts_change_no_bit(void **state)
{
    (void)state;
    size_set z = {150000, 2, 15, 4, 3, 4};
    double *X = malloc(z.n * z.p * z.k * sizeof *X);
    check_random(9, 9, z.p * z.k, z.n, X);
    for (size_t i = 0; i < z.n * z.p * z.k; i++)
        X[i] /= sqrt((double)z.n);
    onefold_fit_options options = solver_options();
    options.start = ONEFOLD_START_PAPER;
    options.restarts = 3;
    options.max_iterations = 3;
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, &z, &options);
    OF_SCRATCH(scratch, NULL);
    of_cs_result all, one;
    CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &all));
    for (size_t r = 0; r < 3; r++) {
        of_cs_given given = {.restart = r};
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, &given, NULL, &one));
        assert_memory_equal(&one.end[0].J, &all.end[r].J, sizeof(double));
        if (r == all.best_restart)
            assert_memory_equal(one.labels, all.labels, z.n * sizeof(int32_t));
    }
    free(X);
}

/* A stack of singles gives what the doubles of the same values give. */
static void singles_are_read_as_doubles(void **state)
{
    (void)state;
    size_set z = {400, 3, 5, 5, 4, 1};
    size_t count = z.n * z.p * z.k;
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 51);
    float *single = malloc(count * sizeof *single);
    for (size_t i = 0; i < count; i++) {
        single[i] = (float)X[i];
        X[i] = (double)single[i];
    }
    onefold_fit_options options = solver_options();
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, &z, &options);
    of_stack narrow = stack;
    narrow.type = OF_STACK_SINGLE;
    narrow.data = single;
    for (int start = 0; start < 2; start++) {
        options.start = (onefold_start)start;
        OF_SCRATCH(scratch, NULL);
        of_cs_result a, b;
        problem.X = &stack;
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &a));
        problem.X = &narrow;
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &b));
        compare_bits(&a, &b, &z);
    }
    free(X);
    free(single);
}

/* ---- edges ------------------------------------------------------------------------------------
 */

/* Solves with every start, variant and nonneg; the result must be sound. */
static void solve_every_way(const double *X, const size_set *z)
{
    onefold_fit_options options = solver_options();
    options.restarts = 3;
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, z, &options);
    for (int way = 0; way < 8; way++) {
        options.start = (onefold_start)(way & 1);
        options.nonneg = way >> 1 & 1;
        options.variant = (onefold_variant)(way >> 2);
        OF_SCRATCH(scratch, NULL);
        of_cs_result r;
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &r));
        sound(&r, &problem);
    }
}

static void edge_sizes(void **state)
{
    (void)state;
    const size_set sizes[] = {
        {50, 1, 4, 4, 3, 1},   /* p = 1 */
        {50, 3, 4, 4, 4, 1},   /* k = mu */
        {50, 3, 4, 1, 2, 1},   /* m = 1 */
        {12, 2, 12, 12, 3, 1}, /* n = k */
        {40, 2, 3, 3, 1, 1},   /* mu = 1 */
        {9, 2, 9, 9, 9, 1},    /* mu = n = k */
        {1, 1, 1, 1, 1, 1},    /* one of everything */
        {2, 3, 1, 1, 1, 1},    /* k = 1 */
        {20, 2, 5, 40, 3, 1},  /* m > n */
    };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        double *X = partitions_random(sizes[s].n, sizes[s].p, sizes[s].k, sizes[s].mu, 1, 60 + s);
        solve_every_way(X, &sizes[s]);
        free(X);
    }
}

/* A view of zeros gets no weight, and the rest comes out as without it. */
static void a_view_of_zeros_changes_nothing(void **state)
{
    (void)state;
    size_set z = {120, 2, 5, 5, 4, 1}, with = {120, 3, 5, 5, 4, 1};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 70),
           *Z = calloc(z.n * 15, sizeof *Z);
    for (size_t j = 0; j < z.n; j++) { /* the zeros in the middle */
        memcpy(Z + j * 15, X + j * 10, 5 * sizeof *X);
        memcpy(Z + j * 15 + 10, X + j * 10 + 5, 5 * sizeof *X);
    }
    solve_every_way(Z, &with);
    onefold_fit_options options = solver_options();
    of_stack stack[2];
    of_cs_problem without = make_problem(&stack[0], X, &z, &options),
                  full = make_problem(&stack[1], Z, &with, &options);
    OF_SCRATCH(scratch, NULL);
    of_cs_result a, b;
    int32_t *labels;
    CHECK_OK(OF_NEW(&scratch, &labels, z.n, 1));
    for (size_t j = 0; j < z.n; j++)
        labels[j] = (int32_t)(j / 5 % z.mu);
    const double root = sqrt(0.5), beta[] = {root, 0, root};
    of_cs_given given = {.labels = labels}, weighed = {.labels = labels, .beta = beta};
    CHECK_OK(of_cs_run(NULL, &scratch, &without, &given, NULL, &a));
    CHECK_OK(of_cs_run(NULL, &scratch, &full, &weighed, NULL, &b));
    assert_true(b.beta[1] == 0);
    CHECK_CLOSE(a.end[0].J, b.end[0].J, 1e-9, 0);
    assert_memory_equal(a.labels, b.labels, z.n * sizeof(int32_t));
    /* from equal weights the first beta-step takes the view's weight away for good */
    CHECK_OK(of_cs_run(NULL, &scratch, &full, &given, NULL, &b));
    assert_true(b.beta[1] == 0);
    free(X);
    free(Z);
}

static void nothing_but_zeros(void **state)
{
    (void)state;
    size_set z = {30, 2, 3, 3, 2, 0};
    double *X = calloc(z.n * 6, sizeof *X);
    solve_every_way(X, &z);
    free(X);
}

/* Samples without a view join the largest cluster, and do not affect the others. */
static void samples_of_zeros_join_the_largest_cluster(void **state)
{
    (void)state;
    size_set z = {90, 2, 5, 5, 3, 0.1};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 71),
           *Z = malloc(100 * 10 * sizeof *Z);
    for (size_t j = 0; j < 60; j++) /* cluster 0 becomes the largest: 50, 20, 20 and 10 of zeros */
        memcpy(Z + j * 10, X + j * 10, 10 * sizeof *X);
    for (size_t j = 60; j < 90; j++)
        memcpy(Z + j * 10, X + j / 3 * 3 * 10, 10 * sizeof *X);
    memset(Z + 900, 0, 100 * sizeof *Z);
    size_set with = z;
    with.n = 100;
    solve_every_way(Z, &with);
    onefold_fit_options options = solver_options();
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, Z, &with, &options);
    OF_SCRATCH(scratch, NULL);
    of_cs_result r;
    CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &r));
    for (size_t j = 90; j < 100; j++) {
        assert_int_equal(r.labels[j], r.labels[0]);
        for (size_t i = 0; i < z.k; i++)
            assert_true(r.H.held[i + j * z.k] == 0);
    }
    assert_int_equal(r.sizes[r.labels[0]], 60);
    free(X);
    free(Z);
}

static void duplicates(void **state)
{
    (void)state;
    size_set z = {60, 2, 4, 1, 3, 2};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 72),
           *Z = malloc(120 * 16 * sizeof *Z);
    /* every sample twice, and every view twice */
    for (size_t j = 0; j < 120; j++)
        for (size_t i = 0; i < 16; i++)
            Z[i + j * 16] = X[i % 8 + j % 60 * 8] * sqrt(0.5);
    size_set twice = {120, 4, 4, 4, 3, 1};
    solve_every_way(Z, &twice);
    onefold_fit_options options = solver_options();
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, Z, &twice, &options);
    OF_SCRATCH(scratch, NULL);
    of_cs_result r;
    CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &r));
    for (size_t j = 0; j < 60; j++)
        assert_int_equal(r.labels[j], r.labels[j + 60]);
    for (size_t j = 0; j < 120; j++) /* one sample over and over */
        for (size_t i = 0; i < 16; i++)
            Z[i + j * 16] = (double)(i % 3) / 30;
    solve_every_way(Z, &twice);
    free(X);
    free(Z);
}

/* A view of low rank has rows of zeros: its surplus rows do no harm. */
static void surplus_rows_of_zeros(void **state)
{
    (void)state;
    size_set z = {80, 3, 6, 6, 4, 1};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 73);
    for (size_t j = 0; j < z.n; j++)
        for (size_t i = 2; i < 6; i++)
            X[6 + i + j * 18] = 0; /* the second view has rank 2 */
    solve_every_way(X, &z);
    for (size_t j = 0; j < z.n; j++)
        for (size_t i = 0; i < 18; i++)
            if (i % 6 > 2)
                X[i + j * 18] = 0; /* all views have rank 3: C must complete beyond it */
    solve_every_way(X, &z);
    free(X);
}

/* A result that uses all clusters is preferred, even to one of larger J that does not. */
static void empty_clusters_are_counted_and_avoided(void **state)
{
    (void)state;
    enum { RESTARTS = 5 };
    size_set z = {14, 2, 12, 12, 12, 1}; /* hardly more samples than clusters */
    onefold_fit_options options = solver_options();
    options.start = ONEFOLD_START_PAPER; /* random labels lose some on the way */
    options.restarts = RESTARTS;
    size_t decided = 0, none_full = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 2000 + seed);
        of_stack stack;
        of_cs_problem problem = make_problem(&stack, X, &z, &options);
        OF_SCRATCH(scratch, NULL);
        of_cs_result r;
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &r));
        sound(&r, &problem);
        double most_full = -INFINITY, most = -INFINITY;
        for (size_t i = 0; i < RESTARTS; i++) {
            most = fmax(most, r.end[i].J);
            if (r.end[i].clusters_used == z.mu)
                most_full = fmax(most_full, r.end[i].J);
        }
        const of_cs_end *best = &r.end[r.best_restart];
        if (isfinite(most_full)) {
            assert_int_equal(best->clusters_used, z.mu);
            assert_true(best->J == most_full);
            decided += most_full < most;
        } else {
            assert_true(best->J == most);
            none_full++;
        }
        free(X);
    }
    assert_true(decided > 0 && none_full > 0); /* both happened */
}

/* ---- refusals and failures ---------------------------------------------------------------------
 */

static void refuses_what_makes_no_sense(void **state)
{
    (void)state;
    size_set z = {20, 2, 4, 4, 3, 1};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 80);
    onefold_fit_options options = solver_options();
    of_stack stack;
    of_cs_problem bad = make_problem(&stack, X, &z, &options);
    OF_SCRATCH(scratch, NULL);
    of_cs_result r = {0};
    of_stack few = of_stack_double(X, 8, 2);
    bad.X = &few;
    CHECK_FAILS(of_cs_run(NULL, &scratch, &bad, NULL, NULL, &r), ONEFOLD_BAD_DATA, "2 samples");
    assert_null(r.labels); /* a failed call leaves its result alone */
    free(X);
}

/* Every allocation fails once: the error comes back, and nothing is left behind. */
static void fails_cleanly_without_memory(void **state)
{
    (void)state;
    size_set z = {40, 2, 4, 4, 3, 1};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 81);
    onefold_fit_options options = solver_options();
    options.restarts = 2;
    options.max_iterations = 2;
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, &z, &options);
    for (int way = 0; way < 4; way++) {
        options.start = (onefold_start)(way & 1);
        of_context *context = make_context(way & 2 ? 2 : 1);
        onefold_status status = ONEFOLD_NO_MEMORY;
        long failed = 0;
        for (; status != ONEFOLD_OK; failed++) {
            of_arena arena = of_arena_make(context);
            of_cs_result r;
            atomic_store(&context->allocations_until_failure, failed);
            status = of_cs_run(context, &arena, &problem, NULL, NULL, &r);
            assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
            if (status != ONEFOLD_OK)
                assert_int_equal(atomic_load(&context->bytes), 0);
            of_arena_free(&arena);
            assert_int_equal(atomic_load(&context->bytes), 0);
        }
        assert_true(failed > 60);
        onefold_context_free(context);
    }
    free(X);
}

static int cancel_after(void *user)
{
    return __atomic_sub_fetch((int *)user, 1, __ATOMIC_RELAXED) < 0;
}

static void stops_when_asked_to(void **state)
{
    (void)state;
    size_set z = {40, 2, 4, 4, 3, 1};
    double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 82);
    onefold_fit_options options = solver_options();
    of_stack stack;
    of_cs_problem problem = make_problem(&stack, X, &z, &options);
    for (int after = 0; after < 200; after += 13) {
        int left = after;
        onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
        hooks.user = &left;
        hooks.cancel = cancel_after;
        of_context *context;
        CHECK_OK(onefold_context_create(&context, &hooks));
        CHECK_OK(onefold_context_set_threads(context, 1));
        of_arena arena = of_arena_make(context);
        of_cs_result r;
        assert_int_equal(of_cs_run(context, &arena, &problem, NULL, NULL, &r), ONEFOLD_INTERRUPTED);
        assert_int_equal(atomic_load(&context->bytes), 0);
        onefold_context_free(context);
    }
    free(X);
}

/* The most bytes of_cs_run holds at once on `threads` threads, its result included, X not. */
static onefold_status count_bytes(size_t *bytes, size_t n, size_t p, size_t k, size_t m, size_t mu,
                                  size_t restarts, int threads)
{
    OF_COUNTING(counting, NULL);
    OF_SCRATCH(arena, counting);
    onefold_fit_options options = solver_options();
    size_t rows;
    OF_TRY(of_size_multiply(&rows, p, k));
    of_stack X = of_stack_double(NULL, rows, n);
    of_cs_problem problem = {&X, p, k, m, mu, &options, NULL};
    of_cs_result result;
    options.restarts = restarts;
    counting->threads = threads;
    OF_TRY(of_cs_run(counting, &arena, &problem, NULL, NULL, &result));
    *bytes = of_count_peak(counting);
    return ONEFOLD_OK;
}

/* The counted bytes are enough, and not far above the bytes held. */
static void the_estimate_covers_what_is_allocated(void **state)
{
    (void)state;
    const size_set sizes[] = {{3000, 3, 20, 20, 10, 2},
                              {400, 6, 30, 30, 15, 2},
                              {20000, 2, 6, 6, 3, 2},
                              {140000, 2, 6, 6, 3, 2}}; /* the last by a sample of them first */
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_set z = sizes[s];
        double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 83);
        onefold_fit_options options = solver_options();
        options.max_iterations = 2;
        of_stack stack;
        of_cs_problem problem = make_problem(&stack, X, &z, &options);
        of_context *context = make_context(2);
        of_arena arena = of_arena_make(context);
        of_cs_result r;
        size_t bytes;
        CHECK_OK(of_cs_run(context, &arena, &problem, NULL, NULL, &r));
        CHECK_OK(count_bytes(&bytes, z.n, z.p, z.k, z.m, z.mu, options.restarts, 2));
        size_t peak = ask_peak(context);
        assert_true(peak <= bytes);
        assert_true(bytes <= peak + peak / 2 + (1u << 20));
        of_arena_free(&arena);
        onefold_context_free(context);
        free(X);
    }
    size_t bytes = 7, more;
    CHECK_OK(count_bytes(&bytes, 60000, 20, 60, 60, 30, 10, 2)); /* N alone is 11.5 MB */
    CHECK_OK(count_bytes(&more, 60000, 20, 60, 60, 30, 20, 2));
    assert_true(bytes > (100u << 20) && bytes < (1u << 30) && more > bytes);
    bytes = 7;
    CHECK_FAILS(count_bytes(&bytes, (size_t)1 << 60, 9, 9, 9, 9, 9, 2), ONEFOLD_NO_MEMORY, "times");
    assert_int_equal(bytes, 7);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_best_restart),
        cmocka_unit_test(gives_up_runs_that_cannot_win),
        cmocka_unit_test(labels_are_read_off_the_embedding),
        cmocka_unit_test(finds_clusters_that_are_plain_to_see),
        cmocka_unit_test(stops_by_either_rule),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(other_restarts_change_no_bit),
        cmocka_unit_test(singles_are_read_as_doubles),
        cmocka_unit_test(edge_sizes),
        cmocka_unit_test(a_view_of_zeros_changes_nothing),
        cmocka_unit_test(nothing_but_zeros),
        cmocka_unit_test(samples_of_zeros_join_the_largest_cluster),
        cmocka_unit_test(duplicates),
        cmocka_unit_test(surplus_rows_of_zeros),
        cmocka_unit_test(empty_clusters_are_counted_and_avoided),
        cmocka_unit_test(refuses_what_makes_no_sense),
        cmocka_unit_test(fails_cleanly_without_memory),
        cmocka_unit_test(stops_when_asked_to),
        cmocka_unit_test(the_estimate_covers_what_is_allocated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
