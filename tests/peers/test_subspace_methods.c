/* SPDX-License-Identifier: Apache-2.0 */
/* FMR and LSGMC as methods: from a data set to labels, whatever the views are. */
#include "experiment/experiment.h"
#include "linalg/blas.h"
#include "method/method.h"
#include "support/check.h"
#include "support/problem.h"
#include "support/rates.h"
#include "support/sample_kernels.h"
#include "support/subspace.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const of_method *const METHODS[] = {&of_method_fmr, &of_method_lsgmc};

typedef enum kind { DENSE, SPARSE, KERNEL } kind;

static void add_sparse(onefold_dataset *dataset, size_t n, size_t rows, const double *x)
{
    size_t *begin = malloc((n + 1) * sizeof *begin), count = 0;
    uint32_t *column = malloc(n * rows * sizeof *column);
    double *value = malloc(n * rows * sizeof *value);
    for (size_t j = 0; j < n; j++) {
        begin[j] = count;
        for (size_t i = 0; i < rows; i++)
            if (x[i + j * rows] != 0) {
                column[count] = (uint32_t)i;
                value[count++] = x[i + j * rows];
            }
    }
    begin[n] = count;
    CHECK_OK(onefold_dataset_add_sparse(dataset, NULL, rows, begin, column, value));
    free(begin);
    free(column);
    free(value);
}

/* A problem over views x[v], rows[v] x n each. */
static void open(problem_case *of, const subspace_made *m, kind how, size_t clusters, int threads)
{
    memset(of, 0, sizeof *of);
    of_blas_enter();
    CHECK_OK(onefold_context_create(&of->context, NULL));
    CHECK_OK(onefold_context_set_threads(of->context, threads));
    CHECK_OK(onefold_dataset_create(&of->dataset, of->context, m->n));
    of->arena = of_arena_make(of->context);
    for (size_t v = 0; v < m->views; v++)
        if (how == SPARSE)
            add_sparse(of->dataset, m->n, m->rows[v], m->x[v]);
        else if (how == KERNEL)
            CHECK_OK(onefold_dataset_add_kernel(of->dataset, NULL, m->x[v]));
        else
            CHECK_OK(
                onefold_dataset_add_dense(of->dataset, NULL, m->x[v], m->rows[v], m->rows[v], 1));
    of->options = (onefold_fit_options)ONEFOLD_FIT_OPTIONS_INIT;
    of->options.clusters = clusters;
    of->options.restarts = 2;
    of->problem =
        (of_problem){.dataset = &of->dataset->set, .options = &of->options, .own = of->own};
}

/* Defaults, but for iterations enough to see a core and a low-rank part, and no more. */
static void few_iterations(problem_case *of, const of_method *method)
{
    problem_defaults(of, method);
    problem_set(of, method, "iterations", method == &of_method_fmr ? 40 : 12);
}

/* Everything that a run gives, to be compared bit by bit. */
static void same_outcome(size_t n, const of_outcome *a, const of_outcome *b)
{
    assert_int_equal(a->iterations, b->iterations);
    assert_memory_equal(a->trace, b->trace, a->iterations * sizeof *a->trace);
    assert_int_equal(a->embedding_rows, b->embedding_rows);
    assert_memory_equal(a->embedding, b->embedding, n * a->embedding_rows * sizeof(double));
    assert_memory_equal(a->labels, b->labels, n * sizeof *a->labels);
}

static void threads_and_storage_do_not_change_bits(void **state)
{
    (void)state;
    enum { N = 150, C = 3 };
    static const size_t rows[] = {40, 170, 25};
    subspace_made m = subspace_make(101, N, 3, rows, 0.8);
    for (size_t v = 0; v < 3; v++)
        for (size_t i = 0; i < rows[v] * N; i++)
            m.x[v][i] = fabs(m.x[v][i]) < 0.05 ? 0 : m.x[v][i];
    for (size_t k = 0; k < 2; k++) {
        problem_case first, other;
        of_outcome want, got;
        open(&first, &m, DENSE, C, 1);
        few_iterations(&first, METHODS[k]);
        problem_run(&first, METHODS[k], &want);
        for (int threads = 1; threads <= 3; threads++) {
            open(&other, &m, threads == 2 ? DENSE : SPARSE, C, threads);
            few_iterations(&other, METHODS[k]);
            problem_run(&other, METHODS[k], &got);
            same_outcome(N, &want, &got);
            of_arena_free(&got.arena);
            problem_close(&other);
        }
        of_arena_free(&want.arena);
        problem_close(&first);
    }
    subspace_unmake(&m);
}

/* Rows of a kernel are its features. */
static void kernels_are_taken_by_their_rows(void **state)
{
    (void)state;
    enum { N = 60, C = 3, P = 2 };
    double **kernel = sample_raw_kernels(5, N, P, C);
    subspace_made m = {.n = N, .views = P, .rows = {N, N}, .x = {kernel[0], kernel[1]}};
    for (size_t k = 0; k < 2; k++) {
        problem_case as_kernel, as_rows;
        of_outcome want, got;
        open(&as_kernel, &m, KERNEL, C, 2);
        open(&as_rows, &m, DENSE, C, 2);
        few_iterations(&as_kernel, METHODS[k]);
        few_iterations(&as_rows, METHODS[k]);
        problem_run(&as_kernel, METHODS[k], &want);
        problem_run(&as_rows, METHODS[k], &got);
        same_outcome(N, &want, &got);
        of_arena_free(&want.arena);
        of_arena_free(&got.arena);
        problem_close(&as_kernel);
        problem_close(&as_rows);
    }
    sample_free(P, kernel);
}

/* Groups far apart are found, whatever the start. */
static void clear_groups_are_found(void **state)
{
    (void)state;
    enum { N = 90, C = 3 };
    static const size_t rows[] = {12, 30};
    subspace_made m = subspace_make(102, N, 2, rows, 0.15);
    for (size_t k = 0; k < 2; k++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            problem_case of;
            of_outcome outcome;
            open(&of, &m, DENSE, C, 1);
            of.options.seed = seed;
            problem_defaults(&of, METHODS[k]);
            problem_run(&of, METHODS[k], &outcome);
            assert_true(outcome.converged && outcome.embedding_rows);
            assert_int_equal(outcome.embedding_rows, C);
            assert_int_equal(outcome.restarts, 2);
            CHECK_CLOSE(outcome.objective, outcome.trace[outcome.iterations - 1], 0, 0);
            for (size_t j = 0; j < N; j++)
                assert_int_equal(outcome.labels[j], outcome.labels[j % C]);
            assert_true(outcome.labels[0] != outcome.labels[1] &&
                        outcome.labels[0] != outcome.labels[2] &&
                        outcome.labels[1] != outcome.labels[2]);
            for (size_t v = 0; v < 2; v++)
                CHECK_CLOSE(outcome.views[v].weight, 0, 0, 0);
            of_arena_free(&outcome.arena);
            problem_close(&of);
        }
    subspace_unmake(&m);
}

/* The seed draws FMR's start; LSGMC's iterations have none. */
static void the_seed_is_fmrs_start(void **state)
{
    (void)state;
    static const size_t rows[] = {12, 30};
    subspace_made m = subspace_make(103, 50, 2, rows, 0.5);
    double objective[2][3];
    for (size_t k = 0; k < 2; k++)
        for (size_t run = 0; run < 3; run++) {
            problem_case of;
            of_outcome outcome;
            open(&of, &m, DENSE, 3, 1);
            of.options.seed = run == 1 ? 8 : 7;
            few_iterations(&of, METHODS[k]);
            problem_run(&of, METHODS[k], &outcome);
            objective[k][run] = outcome.objective;
            of_arena_free(&outcome.arena);
            problem_close(&of);
        }
    assert_true(objective[0][0] == objective[0][2] && objective[0][0] != objective[0][1]);
    assert_true(objective[1][0] == objective[1][2] && objective[1][0] == objective[1][1]);
    subspace_unmake(&m);
}

/* The memory of views in parallel depends on whether threads overlap. Here they always do: a thread
 * that allocates a square matrix in a piece of work waits until another thread does so, too. */
typedef struct meeting {
    size_t least, most; /* bytes of a square matrix, and of its block */
    pthread_mutex_t lock;
    pthread_cond_t met;
    int waiting;
    size_t meetings;
} meeting;

static void *allocate_together(void *user, size_t size)
{
    meeting *m = user;
    if (!of_team_inside() || size < m->least || size > m->most)
        return malloc(size);
    pthread_mutex_lock(&m->lock);
    if (m->waiting) {
        m->waiting = 0;
        m->meetings++;
        pthread_cond_broadcast(&m->met);
    } else {
        size_t before = m->meetings;
        m->waiting = 1;
        while (m->meetings == before)
            pthread_cond_wait(&m->met, &m->lock);
    }
    pthread_mutex_unlock(&m->lock);
    return malloc(size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* A machine twice as fast. */
static const of_work rates_doubled = {
    .product = 2e10, .memory = 2e10, .factor = 6e9, .copied = 2e10};

/* The estimate is enough, and not far above the memory held. */
static void estimates_bound_what_is_held(void **state)
{
    (void)state;
    static const size_t few[] = {20, 25, 30}, many[] = {400, 700};
    const struct {
        size_t n, views;
        const size_t *rows;
        double latent;
    } cases[] = {{400, 3, few, 200}, {220, 2, many, 200}, {300, 2, few, 20}};
    for (size_t c = 0; c < 3; c++) {
        subspace_made m = subspace_make(104, cases[c].n, cases[c].views, cases[c].rows, 0.7);
        for (size_t k = 0; k < 2; k++)
            for (int threads = 1; threads <= (METHODS[k] == &of_method_fmr ? 1 : 2); threads++) {
                problem_case of;
                of_outcome outcome;
                size_t bytes;
                double said, half;
                open(&of, &m, DENSE, 3, threads);
                few_iterations(&of, METHODS[k]);
                if (METHODS[k] == &of_method_fmr)
                    problem_set(&of, METHODS[k], "latent", cases[c].latent);
                CHECK_OK(problem_bytes(of.context, METHODS[k], &of.problem, &bytes));
                of_method_estimate estimate = {0};
                METHODS[k]->work(of.context, &of.problem, &estimate);
                said = of_work_seconds(&estimate.fit, &rates_made);
                half = of_work_seconds(&estimate.fit, &rates_doubled);
                size_t before = of.context->bytes, square = m.n * m.n * sizeof(double);
                meeting both = {
                    square, square + 256, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0,
                    0};
                int at_once = threads == 2 && m.views == 2;
                if (at_once) {
                    of.context->hooks.user = &both;
                    of.context->hooks.allocate = allocate_together;
                    of.context->hooks.release = release;
                }
                of.context->peak = before;
                problem_run(&of, METHODS[k], &outcome);
                size_t taken = of.context->peak - before;
                assert_true(at_once == (both.meetings > 0));
                printf("%s n=%zu threads %d: %zu bytes said, %zu taken, %.2f s said, %.2f taken\n",
                       METHODS[k]->name, m.n, threads, bytes, taken, said,
                       outcome.seconds_base + outcome.seconds_fit);
                assert_true(bytes >= taken && bytes < 2 * taken);
                assert_true(said > 0);
                CHECK_CLOSE(half, said / 2, 1e-12, 0);
                of_arena_free(&outcome.arena);
                problem_close(&of);
            }
        subspace_unmake(&m);
    }
}

static void estimates_refuse_what_cannot_be_counted(void **state)
{
    (void)state;
    of_view views[] = {{.samples = SIZE_MAX / 4, .columns = 7}};
    of_dataset dataset = {.samples = SIZE_MAX / 4, .view_count = 1, .views = views};
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 3;
    for (size_t k = 0; k < 2; k++) {
        problem_case of = {0};
        size_t bytes;
        problem_defaults(&of, METHODS[k]);
        of.problem = (of_problem){.dataset = &dataset, .options = &options, .own = of.own};
        CHECK_FAILS(problem_bytes(subspace_context(), METHODS[k], &of.problem, &bytes),
                    ONEFOLD_NO_MEMORY, "overflows");
    }
}

/* The published settings, every one within the options' ranges. */
static void grids_are_the_published_ones(void **state)
{
    (void)state;
    OF_SCRATCH(arena, subspace_context());
    of_setting *settings;
    size_t count;
    double own[PROBLEM_OWN];
    CHECK_OK(of_grid_expand(&arena, &of_method_fmr, of_method_fmr.grid, 5, 3, &settings, &count));
    assert_int_equal(count, 5);
    CHECK_OK(of_method_parse_options(&of_method_fmr, settings[3].own, own));
    CHECK_CLOSE(own[1], 1e-7, 1e-15, 0);
    CHECK_CLOSE(own[2], -5e5, 1e-15, 0);
    CHECK_CLOSE(own[4], 800, 0, 0);
    CHECK_OK(
        of_grid_expand(&arena, &of_method_lsgmc, of_method_lsgmc.grid, 5, 3, &settings, &count));
    assert_int_equal(count, 8 * 10);
    CHECK_OK(of_method_parse_options(&of_method_lsgmc, settings[79].own, own));
    CHECK_CLOSE(own[0], 100, 0, 0);
    CHECK_CLOSE(own[1], 0.9, 1e-15, 0);
}

static int stop_after(void *user)
{
    return __atomic_sub_fetch((long *)user, 1, __ATOMIC_RELAXED) < 0;
}

static void cancelling_stops_at_any_moment(void **state)
{
    (void)state;
    static const size_t rows[] = {12, 30};
    subspace_made m = subspace_make(105, 40, 2, rows, 0.5);
    for (size_t k = 0; k < 2; k++) {
        onefold_status status = ONEFOLD_INTERRUPTED;
        for (long after = 0; status != ONEFOLD_OK; after += 1 + after) {
            problem_case of;
            of_outcome outcome;
            long left = after;
            open(&of, &m, DENSE, 3, 2);
            few_iterations(&of, METHODS[k]);
            of.context->hooks.user = &left;
            of.context->hooks.cancel = stop_after;
            size_t before = of.context->bytes;
            outcome = (of_outcome){.arena = of_arena_make(of.context)};
            status = METHODS[k]->run(of.context, &of.problem, &outcome);
            assert_true(status == ONEFOLD_OK || status == ONEFOLD_INTERRUPTED);
            assert_true(after > 0 || status == ONEFOLD_INTERRUPTED);
            of_arena_free(&outcome.arena);
            assert_int_equal(of.context->bytes, before);
            problem_close(&of);
        }
    }
    subspace_unmake(&m);
}

static void a_core_that_stays_zero_is_said(void **state)
{
    (void)state;
    static const size_t rows[] = {12, 30};
    subspace_made m = subspace_make(106, 40, 2, rows, 0.4);
    for (int early = 0; early < 2; early++) {
        problem_case of;
        of_outcome outcome;
        open(&of, &m, DENSE, 3, 1);
        problem_defaults(&of, &of_method_lsgmc);
        problem_set(&of, &of_method_lsgmc, "lambda", 1000);
        problem_set(&of, &of_method_lsgmc, "stop", early);
        problem_run(&of, &of_method_lsgmc, &outcome);
        assert_int_equal(outcome.note != NULL, early);
        of_arena_free(&outcome.arena);
        problem_close(&of);
    }
    subspace_unmake(&m);
}

/* The whole way on real data: trace and labels of the reference. */
static void real_lsgmc_runs_as_referenced(void **state)
{
    (void)state;
    reference *r = reference_open("lsgmc-MSRC.json");
    problem_case of;
    of_outcome outcome;
    if (!r || !problem_open(&of, "data/msrc/MSRC_v1.mat", OF_KERNEL_LINEAR, 1))
        skip();
    problem_defaults(&of, &of_method_lsgmc);
    problem_set(&of, &of_method_lsgmc, "lambda", 0.1);
    problem_set(&of, &of_method_lsgmc, "q", 0.1);
    problem_run(&of, &of_method_lsgmc, &outcome);
    assert_int_equal(outcome.iterations, (size_t)reference_number(r, "iterations"));
    for (size_t t = 0; t < outcome.iterations; t++)
        CHECK_CLOSE(outcome.trace[t], reference_number(r, "objective_trace.%zu", t), 1e-8, 0);
    CHECK_CLOSE(outcome.restart_objective[outcome.best_restart],
                reference_number(r, "least_kmeans_cost"), 1e-6, 0);
    int32_t name[7] = {0}, names = 0;
    for (size_t j = 0; j < 210; j++) {
        if (name[outcome.labels[j]] == 0)
            name[outcome.labels[j]] = ++names;
        assert_int_equal(name[outcome.labels[j]],
                         (int)reference_number(r, "labels_of_least_cost.%zu", j));
    }
    of_arena_free(&outcome.arena);
    problem_close(&of);
    reference_close(r);
}

/* FMR draws its start; over random starts the reference has ACC from 0.71 to 0.78. */
static void real_fmr_scores_like_the_references_random_starts(void **state)
{
    (void)state;
    reference *r = reference_open("fmr-MSRC.json");
    problem_case of;
    of_outcome outcome;
    if (!r || !problem_open(&of, "data/msrc/MSRC_v1.mat", OF_KERNEL_LINEAR, 1))
        skip();
    double acc[2] = {1, 0}, norm[2] = {INFINITY, 0};
    for (size_t i = 0; i < reference_length(r, "random_starts.rows"); i++) {
        double a = reference_number(r, "random_starts.rows.%zu.4", i);
        double h = reference_number(r, "random_starts.rows.%zu.0", i);
        acc[0] = fmin(acc[0], a);
        acc[1] = fmax(acc[1], a);
        norm[0] = fmin(norm[0], h);
        norm[1] = fmax(norm[1], h);
    }
    problem_defaults(&of, &of_method_fmr);
    problem_run(&of, &of_method_fmr, &outcome);
    assert_true(outcome.converged);
    assert_true((double)outcome.iterations >= norm[0] - 2 &&
                (double)outcome.iterations <= norm[1] + 2);
    int64_t mine[210], truth[210];
    for (size_t j = 0; j < 210; j++) {
        mine[j] = outcome.labels[j];
        truth[j] = onefold_dataset_describe(of.dataset)->truth[j];
    }
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, mine, truth, 210));
    assert_true(scores.acc > acc[0] - 0.04 && scores.acc < acc[1] + 0.04);
    of_arena_free(&outcome.arena);
    problem_close(&of);
    reference_close(r);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_storage_do_not_change_bits),
        cmocka_unit_test(kernels_are_taken_by_their_rows),
        cmocka_unit_test(clear_groups_are_found),
        cmocka_unit_test(the_seed_is_fmrs_start),
        cmocka_unit_test(estimates_bound_what_is_held),
        cmocka_unit_test(estimates_refuse_what_cannot_be_counted),
        cmocka_unit_test(grids_are_the_published_ones),
        cmocka_unit_test(cancelling_stops_at_any_moment),
        cmocka_unit_test(a_core_that_stays_zero_is_said),
        cmocka_unit_test(real_lsgmc_runs_as_referenced),
        cmocka_unit_test(real_fmr_scores_like_the_references_random_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
