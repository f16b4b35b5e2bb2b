/* SPDX-License-Identifier: Apache-2.0 */
/* The labels of a sample's neighbours against their literal restatement, on made ties; and the
 * graphs of a pool. */
#include "data/dataset.h"
#include "method/onefold_pool.h"
#include "model/fit.h"
#include "oracle/evidence.h"
#include "support/check.h"
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>

enum { N = 60, MU = 3, TIED = 3, LANDMARKS = 12, VIEWS = 2, BARE = 7 };

/* The second view has no ties of sample 7, nor of most of the last cluster. */
static int is_tied(size_t view, size_t j)
{
    return view != 1 || (j != BARE && j % 20 != 9);
}

/* Ties of samples to three of ten landmarks; one more has only sample 3, and one has no ties. */
static void make_ties(of_arena *arena, size_t view, of_sparse *ties)
{
    enum { SHARED = 10, ALONE = 3 };
    size_t *start, at = 0;
    uint32_t *index;
    double *value, noise[TIED * N];
    check_random(30, view, TIED, N, noise);
    CHECK_OK(OF_NEW(arena, &start, N + 1, 1));
    CHECK_OK(OF_NEW(arena, &index, N * TIED + 1, 1));
    CHECK_OK(OF_NEW(arena, &value, N * TIED + 1, 1));
    for (size_t j = 0; j < N; j++) {
        start[j] = at;
        for (size_t r = 0; r < TIED && is_tied(view, j); r++) {
            index[at] = (uint32_t)((j + 3 * r + (size_t)(view && fabs(noise[j]) > 1)) % SHARED);
            value[at++] = 0.2 + fabs(noise[r * N + j]);
        }
        if (j == ALONE) {
            index[at] = SHARED;
            value[at++] = 2;
        }
    }
    start[N] = at;
    *ties = (of_sparse){N, LANDMARKS, start, index, value};
}

/* Labels of three clusters, of one that holds all but one sample, and of one that is empty. */
static int32_t label_of(int kind, size_t j)
{
    if (kind == 1)
        return j == 20;
    return j % 10 < 5 ? 0 : j % 10 < 9 || kind == 2 ? 1 : 2;
}

static void neighbours_vote_by_their_share_of_ties(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        of_arena arena = of_arena_make(context);
        of_sparse ties[VIEWS];
        int32_t labels[N], own[VIEWS * N];
        of_pool pool = {.n = N, .p = VIEWS, .mu = MU, .ties = ties};
        size_t others = 0;
        for (size_t j = 0; j < N; j++)
            labels[j] = label_of(kind, j);
        for (size_t v = 0; v < VIEWS; v++)
            make_ties(&arena, v, &ties[v]);
        CHECK_OK(of_pool_own_labels(context, &pool, labels, own));
        assert_int_equal(own[N + BARE], -1);
        for (size_t v = 0; v < VIEWS; v++) {
            double z[N * LANDMARKS] = {0};
            for (size_t j = 0; j < N; j++)
                for (size_t e = ties[v].start[j]; e < ties[v].start[j + 1]; e++)
                    z[j + ties[v].index[e] * N] += ties[v].value[e];
            for (size_t j = 0; j < N; j++) {
                int32_t best = -1;
                double most = 0;
                for (int32_t c = 0; c < MU; c++) {
                    double share = evidence_share(N, LANDMARKS, z, labels, j, c);
                    best = share > most ? c : best;
                    most = fmax(share, most);
                }
                assert_int_equal(own[v * N + j], best);
                others += best != labels[j];
            }
        }
        assert_true(others > 0);
        of_arena_free(&arena);
        onefold_context_free(context);
    }
}

/* Graphs of the kinds that are asked for, and ties of every view where there are voters; a given
 * kernel has ties and no graph, and links have one graph. */
static void a_pool_has_the_graphs_that_are_asked_for(void **state)
{
    (void)state;
    enum { SOME = 90 };
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_dataset *data = mixed_some(SOME, 0, SOME, 1 | 4 | 8);
    for (unsigned kinds = 0; kinds < 4; kinds++)
        for (int voters = 0; voters < 2; voters++) {
            of_arena arena = of_arena_make(context);
            onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
            of_fit_plan plan;
            of_pool pool;
            int graph = kinds & 1, subspace = kinds >> 1;
            options.clusters = MIXED_CLUSTERS;
            options.kernel = "auto,graph,precomputed";
            CHECK_OK(of_fit_plan_make(context, &arena, &data->set, &options, &plan));
            CHECK_OK(of_pool_make(context, &arena, &plan.problem,
                                  (unsigned)graph << OF_JOINT_GRAPH | (unsigned)subspace
                                                                          << OF_JOINT_SUBSPACE,
                                  voters, &pool));
            assert_true(of_pool_dense(&plan.problem, 0) && !of_pool_dense(&plan.problem, 1) &&
                        !of_pool_dense(&plan.problem, 2));
            assert_int_equal(pool.views.knn[0] != NULL, graph || voters);
            assert_int_equal(pool.views.subspace[0] != NULL, subspace);
            assert_int_equal(pool.views.knn[1] != NULL, kinds || voters);
            assert_ptr_equal(pool.views.subspace[1], kinds || voters ? pool.views.knn[1] : NULL);
            assert_null(pool.views.knn[2]);
            for (size_t v = 0; v < pool.p; v++)
                assert_int_equal(pool.ties[v].rows, voters ? SOME : 0);
            of_arena_free(&arena);
        }
    onefold_dataset_free(data);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_vote_by_their_share_of_ties),
        cmocka_unit_test(a_pool_has_the_graphs_that_are_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
