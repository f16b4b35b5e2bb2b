/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/common.h"

#include "linalg/blas.h"
#include "oracle/plain.h"
#include "support/check.h"
#include "support/paper_options.h"
#include "support/subspace.h"

#include <math.h>
#include <stdlib.h>

static void normalising_gives_unit_spectral_radius(void **state)
{
    (void)state;
    enum { N = 20 };
    double *w = plain_new(N, N), *unit = plain_new(N, 1);
    check_random(107, 0, N, N, w);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i <= j; i++)
            w[i + j * N] = w[j + i * N] = j == 4 || i == 4 ? 0 : fabs(w[i + j * N]);
    double degree[N] = {0};
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            degree[j] += w[i + j * N];
    CHECK_OK(of_affinity_normalise(subspace_context(), N, 2e-16, w));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            unit[j] += w[j + i * N] * sqrt(degree[i]); /* D^1/2 1 is the eigenvector of 1 */
    for (size_t j = 0; j < N; j++)
        CHECK_CLOSE(unit[j], sqrt(degree[j]), 1e-13, 0);
    free(w);
    free(unit);
}

/* Three groups with strong ties within and weak ties between; one sample without ties. */
static void connected_groups_get_one_label_each(void **state)
{
    (void)state;
    enum { N = 31, C = 3, ALONE = 30 };
    double *w = plain_new(N, N);
    check_random(108, 0, N, N, w);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i <= j; i++) {
            double tie = i % C == j % C ? 1 : 0.01;
            w[i + j * N] = w[j + i * N] = j == ALONE ? 0 : tie * (0.5 + fabs(w[i + j * N]));
        }
    of_view views[2] = {{.samples = N}, {.samples = N}};
    of_dataset dataset = {.samples = N, .view_count = 2, .views = views};
    onefold_fit_options options = paper_options();
    options.clusters = C;
    options.restarts = 3;
    const double end[] = {0, 10}; /* k-means++, ten replicates */
    of_problem problem = {.dataset = &dataset, .options = &options, .own = end};
    of_outcome outcome = {.arena = of_arena_make(subspace_context())};
    CHECK_OK(of_affinity_labels(subspace_context(), &problem, end, w, &outcome));
    assert_int_equal(outcome.embedding_rows, C);
    assert_non_null(outcome.views);
    for (size_t j = 0; j < N; j++) {
        double length = plain_frobenius(C, 1, outcome.embedding + j * C);
        CHECK_CLOSE(length, j != ALONE, 0, 1e-12);
        if (j != ALONE)
            assert_int_equal(outcome.labels[j], outcome.labels[j % C]);
        assert_true(outcome.labels[j] >= 0 && outcome.labels[j] < C);
    }
    assert_true(outcome.labels[0] != outcome.labels[1] && outcome.labels[1] != outcome.labels[2] &&
                outcome.labels[0] != outcome.labels[2]);
    of_arena_free(&outcome.arena);
    free(w);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalising_gives_unit_spectral_radius),
        cmocka_unit_test(connected_groups_get_one_label_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
