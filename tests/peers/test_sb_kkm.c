/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/plain_eigen.h"
#include "peers/common.h"
#include "support/check.h"
#include "support/problem.h"
#include "support/sample_kernels.h"

#include <stdlib.h>
#include <string.h>

/* The share of its trace that a kernel's c leading eigenvalues hold, by Jacobi. */
static double share_of(size_t n, size_t c, const double *kernel)
{
    double *value = malloc(c * sizeof *value), *u = malloc(n * c * sizeof *u), share = 0, trace = 0;
    plain_eigen_top(n, c, kernel, value, u);
    for (size_t j = 0; j < n; j++)
        trace += kernel[j + j * n];
    for (size_t k = 0; k < c; k++)
        share += value[k] / trace;
    free(value);
    free(u);
    return share;
}

static void the_view_of_largest_share_is_taken(void **state)
{
    (void)state;
    enum { N = 36, P = 3, C = 3 };
    double **given = sample_raw_kernels(5, N, P, C), **kernel = sample_kernels(5, N, P, C),
           share[P];
    int best = 0;
    for (int i = 0; i < P; i++) {
        share[i] = share_of(N, C, kernel[i]);
        best = share[i] > share[best] ? i : best;
    }
    int other = (best + 1) % P;
    char words[32];
    problem_case of;
    of_outcome outcome;
    problem_of_kernels(&of, N, P, (const double *const *)given, C, 1);
    problem_defaults(&of, &of_method_sb_kkm);
    problem_run(&of, &of_method_sb_kkm, &outcome);
    for (int i = 0; i < P; i++)
        assert_true(outcome.views[i].weight == (i == best));
    CHECK_CLOSE(outcome.objective, N * (1 - share[best]), 1e-11, 0);
    snprintf(words, sizeof words, "view %d ", best + 1);
    assert_non_null(strstr(outcome.note, words));
    assert_non_null(strstr(outcome.note, "without labels"));
    of_arena_free(&outcome.arena);

    problem_set(&of, &of_method_sb_kkm, "view", other + 1);
    problem_run(&of, &of_method_sb_kkm, &outcome);
    assert_true(outcome.views[other].weight == 1 && outcome.views[best].weight == 0);
    CHECK_CLOSE(outcome.objective, N * (1 - share[other]), 1e-11, 0);
    assert_null(outcome.note);
    of_arena_free(&outcome.arena);

    problem_set(&of, &of_method_sb_kkm, "view", 4);
    outcome = (of_outcome){.arena = of_arena_make(of.context)};
    CHECK_FAILS(of_method_sb_kkm.run(of.context, &of.problem, &outcome), ONEFOLD_USAGE,
                "asked for view 4, and there are 3");
    of_arena_free(&outcome.arena);
    problem_close(&of);
    sample_free(P, given);
    sample_free(P, kernel);
}

static void check_view(problem_case *of, const reference *from, size_t view, const double *kernel)
{
    size_t n = of->problem.dataset->samples, c = of->options.clusters;
    double *value, *u, sum = 0, trace = reference_number(from, "views.%zu.trace", view);
    CHECK_OK(OF_NEW(&of->arena, &value, c + 1, 1));
    CHECK_OK(OF_NEW(&of->arena, &u, n, c + 1));
    CHECK_OK(of_spectral_top(of->context, n, c + 1, kernel, value, u));
    for (size_t i = 0; i <= c; i++) {
        CHECK_CLOSE(value[i],
                    reference_number(from, "views.%zu.eigenvalues_top_c_plus_1.%zu", view, i),
                    1e-10, 0);
        sum += i < c ? value[i] : 0;
    }
    double share = reference_number(from, "views.%zu.top_c_share_of_trace", view);
    CHECK_CLOSE(sum / trace, share, 1e-10, 0);
    char place[64];
    snprintf(place, sizeof place, "views.%zu.projector", view);
    problem_check_projector(from, place, n, c, u);

    of_outcome outcome;
    problem_set(of, &of_method_sb_kkm, "view", (double)(view + 1));
    problem_run(of, &of_method_sb_kkm, &outcome);
    CHECK_CLOSE(outcome.objective, trace * (1 - share), 1e-9, 1e-9 * trace);
    snprintf(place, sizeof place, "views.%zu.labels", view);
    problem_check_labels(of, c, outcome.embedding, OF_KMEANS_SAMPLES, from, place);
    problem_check_labels(of, c, outcome.embedding, OF_KMEANS_PLUSPLUS, from, place);
    of_arena_free(&outcome.arena);
}

static void check_reference(const char *set)
{
    problem_case of;
    reference *from = problem_open_reference(&of, &of_method_sb_kkm, set);
    double **kernel = problem_kernels(&of, OF_CENTRED_NORMALISED);
    problem_check_kernels(&of, kernel, from);
    problem_defaults(&of, &of_method_sb_kkm);
    for (size_t i = 0; i < of.problem.dataset->view_count; i++)
        check_view(&of, from, i, kernel[i]);

    of_outcome outcome;
    problem_set(&of, &of_method_sb_kkm, "view", 0);
    problem_run(&of, &of_method_sb_kkm, &outcome);
    size_t chosen = (size_t)reference_number(from, "view_of_largest_share");
    assert_true(outcome.views[chosen - 1].weight == 1);
    of_arena_free(&outcome.arena);
    problem_close(&of);
    reference_close(from);
}

static void real_sets_are_as_referenced(void **state)
{
    (void)state;
    problem_check_sets(check_reference);
}

static void the_method_keeps_its_promises(void **state)
{
    (void)state;
    problem_check_promises(&of_method_sb_kkm, 560, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_view_of_largest_share_is_taken),
        cmocka_unit_test(real_sets_are_as_referenced),
        cmocka_unit_test(the_method_keeps_its_promises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
