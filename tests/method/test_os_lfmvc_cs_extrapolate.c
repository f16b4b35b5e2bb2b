/* SPDX-License-Identifier: Apache-2.0 */
/* Longer steps: the literal dense form extrapolates and undoes it with the run, J never falls, a
 * run ends where the rule says, near the end of a run without the rule. */
#include "oracle/plain.h"
#include "support/check.h"
#include "support/follow.h"
#include "support/partitions.h"
#include "support/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };

typedef struct watcher {
    follower follower;
    double *last_W[8], *last_beta;   /* of the plain step an iteration ago */
    double *plain_W[8], *plain_beta; /* of this iteration's */
    double *S;                       /* before the pass */
    int32_t *labels;
    double J[MOST + 1];
    size_t moved[MOST + 1], iteration, extrapolations, undos;
    int extrapolated, undone, undone_before;
} watcher;

static void keep(double **to, size_t count, const double *from)
{
    free(*to);
    *to = plain_copy(count, 1, from);
}

static double *polar_of(size_t k, const double *a)
{
    double *u = plain_new(k, k), *s = plain_new(k, 1), *v = plain_new(k, k);
    plain_svd(k, k, a, u, s, v);
    double *vt = plain_flip(k, k, v), *polar = plain_times(k, k, k, u, vt);
    free(u);
    free(s);
    free(v);
    free(vt);
    return polar;
}

/* What undoing an extrapolation restores. */
static void keep_plain_step(watcher *w)
{
    cs_dense *d = w->follower.dense;
    for (size_t i = 0; i < d->p; i++)
        keep(&w->plain_W[i], d->k * d->k, d->W[i]);
    keep(&w->plain_beta, d->p, d->beta);
    keep(&w->S, d->m * d->n, d->S);
    memcpy(w->labels, d->labels, d->n * sizeof *w->labels);
}

static void extrapolate(watcher *w)
{
    cs_dense *d = w->follower.dense;
    double length = 0;
    for (size_t i = 0; i < d->p; i++) {
        double *further = plain_copy(d->k, d->k, d->W[i]);
        plain_add(d->k * d->k, further, 1, d->W[i]);
        plain_add(d->k * d->k, further, -1, w->last_W[i]);
        double *polar = polar_of(d->k, further);
        memcpy(d->W[i], polar, d->k * d->k * sizeof *polar);
        free(further);
        free(polar);
        d->beta[i] += d->beta[i] - w->last_beta[i];
        d->beta[i] = d->beta[i] > 0 ? d->beta[i] : 0;
        length += d->beta[i] * d->beta[i];
    }
    for (size_t i = 0; i < d->p; i++)
        d->beta[i] /= sqrt(length);
    assert_true(w->iteration > 1 && !w->undone_before);
    w->extrapolated = 1;
    w->extrapolations++;
}

static void undo(watcher *w)
{
    cs_dense *d = w->follower.dense;
    assert_true(w->extrapolated && w->J[w->iteration] < w->J[w->iteration - 1]);
    for (size_t i = 0; i < d->p; i++)
        memcpy(d->W[i], w->plain_W[i], d->k * d->k * sizeof(double));
    memcpy(d->beta, w->plain_beta, d->p * sizeof(double));
    memcpy(d->S, w->S, d->m * d->n * sizeof(double));
    memcpy(d->labels, w->labels, d->n * sizeof *w->labels);
    w->undone = 1;
    w->undos++;
}

/* Checks the iteration before, which is complete at the first step of the next one. */
static void begin_iteration(watcher *w, size_t iteration)
{
    cs_dense *d = w->follower.dense;
    if (w->iteration > 0) {
        double J = w->J[w->iteration], before = w->J[w->iteration - 1];
        assert_true(J >= before - 1e-12 * fabs(before));
        assert_true(w->extrapolated == (w->iteration > 1 && !w->undone_before));
        assert_true(w->undone || !w->extrapolated || J >= before);
        for (size_t i = 0; i < d->p; i++)
            keep(&w->last_W[i], d->k * d->k, w->plain_W[i]);
        keep(&w->last_beta, d->p, w->plain_beta);
        w->undone_before = w->undone;
        w->extrapolated = w->undone = 0;
    }
    w->iteration = iteration;
    w->moved[iteration] = 0;
}

static void follow_labels(watcher *w, const of_cs_state *state, double J)
{
    cs_dense *d = w->follower.dense;
    int32_t *before = malloc(d->n * sizeof *before);
    memcpy(before, d->labels, d->n * sizeof *before);
    if (w->undone) /* an undo keeps the labels: neither J nor W depends on them */
        memcpy(before, w->labels + d->n, d->n * sizeof *before);
    follow_step(&w->follower, OF_CS_Y);
    for (size_t j = 0; j < d->n; j++)
        w->moved[w->iteration] += before[j] != d->labels[j];
    memcpy(w->labels + d->n, d->labels, d->n * sizeof *before);
    assert_memory_equal(state->labels, d->labels, d->n * sizeof *before);
    w->J[w->iteration] = J;
    free(before);
}

static onefold_status follow(void *user, of_cs_step step, size_t iteration,
                             const of_cs_state *state, double J)
{
    watcher *w = user;
    if (step == OF_CS_START) {
        follow_aligned_start(&w->follower, state);
        w->labels = malloc(2 * w->follower.dense->n * sizeof *w->labels);
        w->J[0] = J;
        return ONEFOLD_OK;
    }
    if (step == OF_CS_W && iteration != w->iteration)
        begin_iteration(w, iteration);
    if (step == OF_CS_EXTRAPOLATE)
        extrapolate(w);
    else if (step == OF_CS_UNDO)
        undo(w);
    else if (step == OF_CS_Y)
        follow_labels(w, state, J);
    else
        follow_step(&w->follower, step);
    if (step == OF_CS_BETA)
        keep_plain_step(w);
    follow_objective(&w->follower, step, iteration, J);
    return ONEFOLD_OK;
}

/* The rule: whether a run has converged after iteration t. */
static int is_done(const watcher *w, size_t t, size_t n, double tolerance)
{
    if (t < 3)
        return 0;
    double gain = w->J[t] - w->J[t - 2], most = 2 * tolerance * fabs(w->J[t]);
    int calm = w->moved[t] * 5000 <= n && w->moved[t - 1] * 5000 <= n;
    return gain <= most || (calm && gain <= 4 * most);
}

static void drop(watcher *w)
{
    for (size_t i = 0; i < w->follower.dense->p; i++) {
        free(w->last_W[i]);
        free(w->plain_W[i]);
    }
    free(w->last_beta);
    free(w->plain_beta);
    free(w->S);
    free(w->labels);
    cs_dense_free(w->follower.dense);
}

typedef struct size_set {
    size_t n, p, k, m, mu;
    double noise;
} size_set;

static void extrapolates_as_the_dense_form_does(void **state)
{
    (void)state;
    const size_set sizes[] = {{60, 3, 6, 6, 3, 1},    {50, 2, 6, 3, 4, 1},  {45, 3, 5, 11, 5, 2},
                              {70, 1, 7, 7, 4, 1},    {64, 2, 8, 16, 1, 1}, {80, 4, 8, 8, 4, 3},
                              {130, 6, 4, 5, 4, 0.5}, {90, 3, 3, 3, 3, 3}};
    size_t extrapolations = 0, undos = 0, ended = 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_set z = sizes[s];
        double *X = partitions_random(z.n, z.p, z.k, z.mu, z.noise, 170 + s);
        of_stack stack = of_stack_double(X, z.p * z.k, z.n);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        options.stop = ONEFOLD_STOP_SETTLED;
        options.tolerance = s % 2 ? 1e-7 : 1e-4;
        options.max_iterations = 40;
        of_cs_problem problem = {&stack, z.p, z.k, z.m, z.mu, &options, NULL};
        watcher w = {.follower = {&problem, X, NULL, 0}};
        of_cs_watch watch = {&w, follow};
        of_cs_result result;
        OF_SCRATCH(scratch, NULL);
        int32_t *labels = malloc(z.n * sizeof *labels);
        for (size_t j = 0; j < z.n; j++)
            labels[j] = (int32_t)(j / 2 % z.mu);
        of_cs_given given = {.labels = labels};
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, &given, &watch, &result));
        assert_int_equal(w.iteration, result.end[0].iterations);
        for (size_t t = 1; t <= w.iteration; t++) {
            assert_true(result.trace[t - 1] == w.J[t]);
            assert_int_equal(is_done(&w, t, z.n, options.tolerance),
                             t == w.iteration && result.end[0].converged);
        }
        extrapolations += w.extrapolations;
        undos += w.undos;
        ended += (size_t)result.end[0].converged;
        drop(&w);
        free(labels);
        free(X);
    }
    print_message("%zu extrapolations, %zu undone, %zu ended\n", extrapolations, undos, ended);
    assert_true(extrapolations > 40 && undos > 1 && ended > 3); /* or nothing was compared */
}

/* From the same start, to the end by the rule and far beyond it, on data with more rows of noise
 * than of clusters. */
static void ends_near_the_end_of_a_long_run(void **state)
{
    (void)state;
    enum { CASES = 4, N = 1500, P = 3, MU = 5 };
    size_t iterations = 0, plain = 0;
    for (size_t s = 0; s < CASES; s++) {
        size_t k = s % 2 ? 2 * MU : 3 * MU;
        double *X = partitions_random(N, P, k, MU, 3 + (double)(s / 2), 190 + s);
        of_stack stack = of_stack_double(X, P * k, N);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        of_cs_result result[3];
        OF_SCRATCH(scratch, NULL);
        options.max_iterations = 1000;
        options.restarts = 1;
        for (int way = 0; way < 3; way++) { /* by the rule, far beyond it, as in 0.1.0 */
            options.stop = way == 2 ? ONEFOLD_STOP_RELATIVE : ONEFOLD_STOP_SETTLED;
            options.tolerance = way == 1 ? 1e-10 : 1e-6;
            of_cs_problem problem = {&stack, P, k, 2 * MU, MU, &options, NULL};
            CHECK_OK(of_cs_run(NULL, &scratch, &problem, NULL, NULL, &result[way]));
            assert_true(result[way].end[0].converged);
        }
        size_t differ = 0;
        for (size_t j = 0; j < N; j++)
            differ += result[0].labels[j] != result[1].labels[j];
        double J = result[0].end[0].J, end = result[1].end[0].J;
        print_message("k = %zu: %zu and %zu iterations, plain %zu; J behind by %.1e, labels by "
                      "%.2f %%; J of plain %.1e\n",
                      k, result[0].end[0].iterations, result[1].end[0].iterations,
                      result[2].end[0].iterations, 1 - J / end, 100.0 * (double)differ / N,
                      1 - result[2].end[0].J / end);
        assert_true(J >= (1 - 1e-4) * end);
        assert_true(differ * 200 <= N);
        iterations += result[0].end[0].iterations;
        plain += result[2].end[0].iterations;
        free(X);
    }
    assert_true(iterations < plain);
}

typedef struct shared_work {
    const of_cs_problem *problem;
    int32_t *labels[3];
    double J[3][8];
} shared_work;

static onefold_status solve_on_rank(of_context *context, int rank, void *user)
{
    shared_work *work = user;
    OF_SCRATCH(scratch, context);
    of_cs_result result;
    OF_TRY(of_cs_run(context, &scratch, work->problem, NULL, NULL, &result));
    memcpy(work->labels[rank], result.labels, work->problem->X->samples * sizeof(int32_t));
    for (size_t r = 0; r < result.restarts; r++)
        work->J[rank][r] = result.end[r].J;
    return ONEFOLD_OK;
}

/* Threads, and restarts that are pruned on several processes, change no bit. */
static void ranks_and_threads_change_no_bit(void **state)
{
    (void)state;
    enum { N = 2000, P = 3, K = 40, MU = 20 };
    double *X = partitions_random(N, P, K, MU, 2, 211);
    of_stack stack = of_stack_double(X, P * K, N);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.stop = ONEFOLD_STOP_SETTLED;
    options.restarts = 5;
    options.max_iterations = 23;
    of_cs_problem problem = {&stack, P, K, K, MU, &options, NULL};
    const int ways[][2] = {{1, 1}, {1, 3}, {3, 2}, {2, 1}}; /* the last in a full run */
    const size_t count = check_everything() ? 4 : 3;
    shared_work first, work;
    for (size_t w = 0; w < count; w++) {
        work = (shared_work){.problem = &problem};
        for (int r = 0; r < 3; r++)
            work.labels[r] = calloc(N, sizeof(int32_t));
        ranks_run_ok(ways[w][0], ways[w][1], SIZE_MAX, solve_on_rank, &work);
        if (w == 0)
            first = work;
        for (int r = 0; r < ways[w][0]; r++) {
            assert_memory_equal(work.labels[r], first.labels[0], N * sizeof(int32_t));
            assert_memory_equal(work.J[r], first.J[0], 5 * sizeof(double));
        }
        for (int r = 0; w > 0 && r < 3; r++)
            free(work.labels[r]);
    }
    for (int r = 0; r < 3; r++)
        free(first.labels[r]);
    free(X);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extrapolates_as_the_dense_form_does),
        cmocka_unit_test(ends_near_the_end_of_a_long_run),
        cmocka_unit_test(ranks_and_threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
