/* SPDX-License-Identifier: Apache-2.0 */
/* The recipes of the method onefold: which a problem affords, the weights of views in them, k-means
 * on the joint kernel written out, and labels where clusters are clear. */
#include "linalg/kmeans_gram.h"
#include "method/onefold_pool.h"
#include "oracle/evidence.h"
#include "support/check.h"
#include "support/mixed.h"
#include "support/tabled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = TABLED, VIEWS = TABLED_VIEWS, MU = TABLED_CLUSTERS, FEW = 4 * N / 5 };

/* ---- which recipes --------------------------------------------------------------------------- */

static void a_problem_affords_what_its_views_have(void **state)
{
    (void)state;
    enum { SOME = 60 };
    static const struct {
        unsigned views; /* dense, words, links, kernel */
        const char *kernel;
        int fits, raw;
    } CASE[] = {{1, NULL, 1, 1},
                {2, NULL, 1, 0},
                {4, "graph", 1, 0},
                {8, "precomputed", 0, 0},
                {1, "cosine", 1, 0},
                {3, NULL, 1, 1},
                {9, "auto,precomputed", 1, 1}};
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        of_arena arena = of_arena_make(context);
        onefold_dataset *data = mixed_some(SOME, 0, SOME, CASE[i].views);
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        of_fit_plan plan;
        options.clusters = MIXED_CLUSTERS;
        options.kernel = CASE[i].kernel;
        CHECK_OK(of_fit_plan_make(context, &arena, &data->set, &options, &plan));
        for (size_t r = 0; r < OF_RECIPES; r++) {
            int want = r == OF_RECIPE_GRAPH || r == OF_RECIPE_ALL ? CASE[i].fits
                       : r == OF_RECIPE_RAW                       ? CASE[i].raw
                                                                  : 1;
            assert_int_equal(of_recipe_suits(&plan.problem, (of_recipe)r) != 0, want);
            for (size_t o = 0; o < r; o++)
                assert_string_not_equal(of_recipe_name((of_recipe)r), of_recipe_name((of_recipe)o));
        }
        onefold_dataset_free(data);
        of_arena_free(&arena);
        onefold_context_free(context);
    }
}

static void rows_are_half_way_from_the_clusters_to_dims(void **state)
{
    (void)state;
    static const size_t CASE[][3] = {{3, 6, 5}, {4, 8, 6}, {1, 2, 2}, {5, 3, 5}, {10, 20, 15}};
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        onefold_fit_options options = {.clusters = CASE[i][0], .dims = CASE[i][1]};
        of_problem problem = {.options = &options};
        assert_int_equal(of_recipe_rows(&problem), CASE[i][2]);
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

static void columns_weigh_by_their_variance_and_kernels_alike(void **state)
{
    (void)state;
    tabled *t = tabled_make(1, 0, 1, 0);
    double w[VIEWS] = {0.3, 0.7}, joined[VIEWS], none[VIEWS] = {0, 0};
    for (size_t r = OF_RECIPE_COLUMNS; r <= OF_RECIPE_RAW; r++) {
        double size[VIEWS] = {1, 1}, sum = 0;
        for (size_t v = 0; v < VIEWS && r != OF_RECIPE_KERNEL; v++)
            size[v] = r == OF_RECIPE_RAW ? t->raw_size[v] : t->size[v];
        for (size_t v = 0; v < VIEWS; v++)
            sum += w[v] * size[v];
        of_recipe_weights(&t->table, (of_recipe)r, w, joined);
        for (size_t v = 0; v < VIEWS; v++)
            CHECK_CLOSE(joined[v], w[v] * size[v] / sum, 1e-11, 0);
        of_recipe_weights(&t->table, (of_recipe)r, none, joined);
        for (size_t v = 0; v < VIEWS; v++)
            CHECK_CLOSE(joined[v], 1. / VIEWS, 1e-15, 0);
    }
    t->table.raw[1] = NULL; /* a view without columns: then views count alike */
    of_recipe_weights(&t->table, OF_RECIPE_COLUMNS, w, joined);
    CHECK_CLOSE(joined[0], w[0], 1e-15, 0);
    tabled_free(t);
}

/* ---- k-means --------------------------------------------------------------------------------- */

/* The recipe's labels from the joint kernel of the samples written out, started at random and from
 * `best`. */
static void restate(const tabled *t, const of_fold *fold, of_recipe recipe, const double *w,
                    const int32_t *best, int32_t *labels, double *K)
{
    size_t n = fold->n;
    double *part[VIEWS], share[VIEWS], sum = 0;
    uint8_t *present = malloc(n * VIEWS);
    for (size_t v = 0; v < VIEWS; v++) {
        const double *G = recipe == OF_RECIPE_RAW ? t->raw[v] : t->gram[v];
        part[v] = malloc(n * n * sizeof **part);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                part[v][i + j * n] = G[fold->at[i] + fold->at[j] * N];
        for (size_t j = 0; j < n; j++)
            present[j * VIEWS + v] = t->has[v][fold->at[j]];
        share[v] = w[v] * (recipe == OF_RECIPE_KERNEL ? 1
                           : recipe == OF_RECIPE_RAW  ? t->raw_size[v]
                                                      : t->size[v]);
        sum += share[v];
    }
    for (size_t v = 0; v < VIEWS; v++)
        share[v] /= sum;
    evidence_join(n, VIEWS, (const double *const *)part, share, present, recipe == OF_RECIPE_KERNEL,
                  K);
    of_kmeans_options options = {.clusters = MU,
                                 .replicates = OF_TABLE_STARTS + 1,
                                 .max_iterations = OF_POOL_CENTRE_STEPS,
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = t->options.seed,
                                 .index = (uint64_t)5 << 40 | fold->index << 8 | (size_t)recipe,
                                 .from_labels = best};
    of_kmeans_result result;
    CHECK_OK(of_kmeans_gram(NULL, &options, n, K, n, NULL, labels, &result));
    for (size_t v = 0; v < VIEWS; v++)
        free(part[v]);
    free(present);
}

static void kmeans_is_that_of_the_joint_kernel_from_the_best_labels_so_far(void **state)
{
    (void)state;
    double *K = malloc(sizeof *K * FEW * FEW);
    for (int lacking = 0; lacking < 2; lacking++)
        for (int null = 0; null < 2; null++) {
            tabled *t = tabled_make(0.7, lacking, 1, 0);
            double w[VIEWS] = {0.3, 0.7}, most = -1;
            of_fold fold;
            int32_t labels[FEW];
            size_t best = 0;
            CHECK_OK(of_fold_make(t->context, &t->arena, &t->table, FEW, 1 + (size_t)null,
                                  OF_RECIPES_ALL, &fold));
            CHECK_OK(of_fold_label(t->context, &t->arena, w, &fold));
            for (size_t i = 0; i < OF_RECIPES; i++) { /* fits first */
                size_t r = (i + OF_RECIPE_RAW + 1) % OF_RECIPES;
                double roots = 0;
                assert_non_null(fold.labels[r]);
                if (r <= OF_RECIPE_RAW) {
                    restate(t, &fold, (of_recipe)r, w, fold.labels[best], labels, K);
                    assert_memory_equal(labels, fold.labels[r], sizeof labels);
                }
                for (size_t v = 0; v < VIEWS; v++)
                    roots += sqrt(fold.told[r * VIEWS + v]);
                if (roots > most) {
                    most = roots;
                    best = r;
                }
            }
            tabled_free(t);
        }
    free(K);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Clear clusters are found by every recipe, with a view of weight 0 too. On shuffled columns none
 * finds them. */
static void clear_clusters_are_found_by_every_recipe(void **state)
{
    (void)state;
    for (int lacking = 0; lacking < 2; lacking++) {
        tabled *t = tabled_make(4, lacking, 2, 3);
        for (int kind = 0; kind < 3; kind++) {
            double w[VIEWS] = {kind == 1 ? 0 : 0.5, kind == 1 ? 1 : 0.5};
            const of_table *table = kind == 2 ? &t->null : &t->table;
            int32_t truth[FEW];
            of_fold fold;
            if (kind == 1 && lacking) /* samples without the only view have no place */
                continue;
            CHECK_OK(of_fold_make(t->context, &t->arena, table, FEW, 4, OF_RECIPES_ALL, &fold));
            CHECK_OK(of_fold_label(t->context, &t->arena, w, &fold));
            for (size_t j = 0; j < FEW; j++)
                truth[j] = t->truth[fold.at[j]];
            for (size_t r = 0; r < OF_RECIPES; r++) {
                double rand = evidence_rand(FEW, fold.labels[r], truth);
                if (kind == 2 ? rand > 0.2 : rand < (lacking ? 0.75 : 0.95))
                    fail_msg("%s, %d: %.3f", of_recipe_name((of_recipe)r), kind, rand);
            }
        }
        tabled_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_affords_what_its_views_have),
        cmocka_unit_test(rows_are_half_way_from_the_clusters_to_dims),
        cmocka_unit_test(columns_weigh_by_their_variance_and_kernels_alike),
        cmocka_unit_test(kmeans_is_that_of_the_joint_kernel_from_the_best_labels_so_far),
        cmocka_unit_test(clear_clusters_are_found_by_every_recipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
