/* SPDX-License-Identifier: Apache-2.0 */
/* The spectrum of links between samples, which are as many landmarks as samples and split over
 * processes like them, has the bits of one process. The processes are threads here. */
#include "support/ranks.h"

#include "base/random.h"
#include "partition/view_graph.h"
#include "support/check.h"

#include <string.h>

enum { N = 66001, LINKS = 6, CLUSTERS = 5, ROWS = 2, RANKS = 2 };

typedef struct found {
    double *H, value[ROWS], residual;
    size_t rank;
} found;

/* Each sample is linked to others of its cluster, and to one landmark that all share. */
static onefold_status make_links(of_arena *arena, of_sparse *links)
{
    size_t *start;
    uint32_t *index;
    double *value;
    OF_TRY(OF_NEW(arena, &start, N + 1, 1));
    OF_TRY(OF_NEW(arena, &index, N, LINKS));
    OF_TRY(OF_NEW(arena, &value, N, LINKS));
    for (size_t j = 0; j < N; j++) {
        of_random random = of_random_make(5, OF_PURPOSE_TEST, j);
        size_t step = N / (LINKS - 1) / CLUSTERS * CLUSTERS;
        start[j] = j * LINKS;
        for (size_t e = 0; e + 1 < LINKS; e++) /* by rising number */
            index[j * LINKS + e] =
                (uint32_t)(e * step + of_random_below(&random, step / CLUSTERS - 1) * CLUSTERS +
                           j % CLUSTERS);
        index[j * LINKS + LINKS - 1] = N;
        for (size_t e = 0; e < LINKS; e++)
            value[j * LINKS + e] = 1.0 / LINKS;
    }
    start[N] = N * LINKS;
    *links = (of_sparse){N, N + 1, start, index, value};
    return ONEFOLD_OK;
}

static onefold_status solve(of_context *context, found *to)
{
    OF_SCRATCH(scratch, context);
    of_sparse links;
    of_graph_spectrum spectrum;
    OF_TRY(make_links(&scratch, &links));
    OF_TRY(of_graph_spectrum_make(context, &scratch, &links, ROWS, 1e-3, to->H, ROWS, &spectrum));
    memcpy(to->value, spectrum.value, sizeof to->value);
    to->rank = spectrum.rank;
    to->residual = spectrum.residual;
    return ONEFOLD_OK;
}

static onefold_status solve_on_rank(of_context *context, int rank, void *user)
{
    found *all = user;
    return solve(context, &all[rank]);
}

static void links_have_the_bits_of_one_process(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    found alone = {0}, all[RANKS] = {{0}};
    CHECK_OK(OF_NEW_ZERO(&scratch, &alone.H, ROWS, N));
    CHECK_OK(solve(of_context_or_default(NULL), &alone));
    assert_int_equal(alone.rank, ROWS);
    assert_true(alone.value[ROWS - 1] > 0.5); /* the clusters' own, before any noise */
    for (int r = 0; r < RANKS; r++)
        CHECK_OK(OF_NEW_ZERO(&scratch, &all[r].H, ROWS, N));
    ranks_run_ok(RANKS, 1, N - 1, solve_on_rank, all);
    for (int r = 0; r < RANKS; r++) {
        assert_memory_equal(all[r].H, alone.H, sizeof(double) * ROWS * N);
        all[r].H = alone.H;
        assert_memory_equal(&all[r], &alone, sizeof alone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_have_the_bits_of_one_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
