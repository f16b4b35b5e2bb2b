/* SPDX-License-Identifier: Apache-2.0 */
/* What neighbours tell of labels, what comes back on subsamples, and the score by its formula,
 * against their restatement over samples and pairs (tests/oracle/evidence.h). */
#include "oracle/evidence.h"
#include "support/check.h"
#include "support/mixed.h"
#include "support/tabled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = TABLED, VIEWS = TABLED_VIEWS, MU = TABLED_CLUSTERS, FEW = 4 * N / 5 };

/* ---- what neighbours tell -------------------------------------------------------------------- */

/* The restated information of a fold's voters on labels, those of links by what is shared. */
static double restated_told(const of_fold *fold, const of_dataset *set, size_t view,
                            const int32_t *labels)
{
    size_t n = fold->n;
    double *votes = calloc(n * n, sizeof *votes);
    uint8_t *has = malloc(n);
    for (size_t j = 0; j < n; j++) {
        has[j] = of_present_at(set, fold->at[j], view) != 0;
        if (fold->table->linked[view]) {
            for (size_t i = 0; i < n; i++)
                if (i != j)
                    votes[j + i * n] =
                        fold->table->linked[view][fold->at[i] * fold->table->n + fold->at[j]];
        } else {
            for (size_t e = 0; e < OF_TABLE_VOTES; e++)
                if (fold->near[view][j * OF_TABLE_VOTES + e] != UINT32_MAX)
                    votes[j + fold->near[view][j * OF_TABLE_VOTES + e] * n] = 1;
        }
    }
    double told = evidence_told(n, fold->table->mu, has, votes, labels);
    free(votes);
    free(has);
    return told;
}

/* Labels of the clusters, of chance, of one cluster for nearly all, and without one cluster. */
static void fill_labels(int kind, const int32_t *truth, const of_fold *fold, uint64_t seed,
                        int32_t *labels)
{
    for (size_t j = 0; j < fold->n; j++) {
        int32_t drawn = (int32_t)check_below(&seed, MU), own = truth[fold->at[j]];
        labels[j] = kind == 0   ? (check_uniform(&seed) < 0.2 ? drawn : own)
                    : kind == 1 ? drawn
                    : kind == 2 ? j == 20
                                : own % 2;
    }
}

static void what_neighbours_tell_is_what_it_says(void **state)
{
    (void)state;
    double room[2 * MU], told[4];
    int32_t labels[N];
    for (int lacking = 0; lacking < 2; lacking++) {
        tabled *t = tabled_make(1.5, lacking, 1, 0);
        of_fold fold;
        CHECK_OK(of_fold_make(t->context, &t->arena, &t->table, FEW, 1, OF_RECIPES_ALL, &fold));
        for (size_t v = 0; v < VIEWS; v++) {
            for (int kind = 0; kind < 4; kind++) {
                fill_labels(kind, t->truth, &fold, 3, labels);
                told[kind] = of_fold_told(&fold, v, labels, room);
                CHECK_CLOSE(told[kind], restated_told(&fold, &t->data->set, v, labels), 1e-11,
                            1e-12);
                assert_true(told[kind] >= 0 && told[kind] <= 1);
            }
            assert_true(told[0] > 0.2 && told[1] < 0.05);
        }
        tabled_free(t);
    }
}

static void links_tell_by_what_they_share(void **state)
{
    (void)state;
    enum { SOME = 90 };
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    of_arena arena = of_arena_make(context);
    onefold_dataset *data = mixed_some(SOME, 0, SOME, 5);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    of_fit_plan plan;
    of_table table;
    of_fold fold;
    int32_t labels[SOME];
    double room[2 * MIXED_CLUSTERS];
    options.clusters = MIXED_CLUSTERS;
    options.kernel = "auto,graph";
    CHECK_OK(of_fit_plan_make(context, &arena, &data->set, &options, &plan));
    CHECK_OK(of_table_make(context, &arena, &plan.problem, &table));
    CHECK_OK(of_fold_make(context, &arena, &table, 72, 1, OF_RECIPES_ALL, &fold));
    for (size_t j = 0; j < fold.n; j++)
        labels[j] = (int32_t)data->set.truth[fold.at[j]];
    for (size_t v = 0; v < 2; v++) {
        double told = of_fold_told(&fold, v, labels, room);
        CHECK_CLOSE(told, restated_told(&fold, &data->set, v, labels), 1e-11, 1e-12);
        assert_true(told > 0.02);
    }
    onefold_dataset_free(data);
    of_arena_free(&arena);
    onefold_context_free(context);
}

/* ---- the score ------------------------------------------------------------------------------- */

/* The mean adjusted Rand index of a recipe's labels between folds, over samples in both. */
static double restated_stability(size_t count, const of_fold *folds, size_t recipe)
{
    double sum = 0, pairs = 0;
    int32_t a[N], b[N];
    for (size_t f = 0; f < count; f++)
        for (size_t g = 0; g < f; g++) {
            size_t both = 0;
            for (size_t i = 0; i < folds[f].n; i++)
                for (size_t j = 0; j < folds[g].n; j++)
                    if (folds[f].at[i] == folds[g].at[j]) {
                        a[both] = folds[f].labels[recipe][i];
                        b[both++] = folds[g].labels[recipe][j];
                    }
            sum += evidence_rand(both, a, b);
            pairs += 1;
        }
    return sum / pairs;
}

/* Recipes of labels ever more by chance; what is told is any number. The last is not made. */
static void fill_folds(tabled *t, of_fold *fold)
{
    for (size_t f = 0; f < OF_TABLE_FOLDS; f++) {
        CHECK_OK(of_fold_make(t->context, &t->arena, f > OF_TABLE_DRAWS ? &t->null : &t->table,
                              f ? FEW : N, f, OF_RECIPES_ALL, &fold[f]));
        for (size_t r = 0; r + 1 < OF_RECIPES; r++) {
            uint64_t seed = 100 * f + r;
            CHECK_OK(OF_NEW(&t->arena, &fold[f].labels[r], N, 1));
            for (size_t j = 0; j < fold[f].n; j++) {
                int null = f > OF_TABLE_DRAWS, drawn = check_uniform(&seed) < 0.2 * (double)r;
                drawn = null ? r != 2 : drawn; /* the third comes back of shuffled columns */
                fold[f].labels[r][j] =
                    drawn ? (int32_t)check_below(&seed, MU) : t->truth[fold[f].at[j]];
            }
            for (size_t v = 0; v < VIEWS; v++)
                fold[f].told[r * VIEWS + v] = check_uniform(&seed) * (f > OF_TABLE_DRAWS ? 0.4 : 1);
        }
    }
}

static void the_score_is_what_comes_back_and_is_told_beyond_chance(void **state)
{
    (void)state;
    for (int lacking = 0; lacking < 2; lacking++) {
        tabled *t = tabled_make(1, lacking, 1, 0);
        of_fold fold[OF_TABLE_FOLDS];
        of_verdict verdict[OF_RECIPES];
        fill_folds(t, fold);
        CHECK_OK(of_verdicts_make(t->context, &t->arena, fold, verdict));
        const of_fold *draws = fold + 1, *nulls = draws + OF_TABLE_DRAWS;
        for (size_t r = 0; r + 1 < OF_RECIPES; r++) {
            const of_verdict *one = &verdict[r];
            double stable = restated_stability(OF_TABLE_DRAWS, draws, r),
                   chance = restated_stability(OF_TABLE_NULL_DRAWS, nulls, r), T[VIEWS],
                   S = evidence_beyond(stable, chance), mean = 0, mean_chance = 0, root = 0,
                   balance = 0, informed = 0;
            for (size_t f = 0; f < OF_TABLE_DRAWS; f++) {
                double size[MU] = {0};
                for (size_t j = 0; j < draws[f].n; j++)
                    size[draws[f].labels[r][j]] += 1 / (double)draws[f].n;
                for (size_t c = 0; c < MU; c++)
                    balance -= size[c] > 0 ? size[c] * log(size[c]) / log(MU) / OF_TABLE_DRAWS : 0;
            }
            for (size_t v = 0; v < VIEWS; v++) {
                double told = 0, by_chance = 0;
                for (size_t f = 0; f < OF_TABLE_DRAWS; f++)
                    told += draws[f].told[r * VIEWS + v] / OF_TABLE_DRAWS;
                for (size_t f = 0; f < OF_TABLE_NULL_DRAWS; f++)
                    by_chance += nulls[f].told[r * VIEWS + v] / OF_TABLE_NULL_DRAWS;
                T[v] = evidence_beyond(told, by_chance);
                root += sqrt(T[v]) / VIEWS;
                informed += sqrt(told * balance) / VIEWS;
                mean += told / VIEWS;
                mean_chance += by_chance / VIEWS;
                CHECK_CLOSE(one->T[v], T[v], 1e-12, 1e-14);
            }
            CHECK_CLOSE(one->stable, stable, 1e-12, 1e-14);
            CHECK_CLOSE(one->stable_chance, chance, 1e-12, 1e-14);
            CHECK_CLOSE(one->S, S, 1e-12, 1e-14);
            CHECK_CLOSE(one->told, mean, 1e-12, 0);
            CHECK_CLOSE(one->told_chance, mean_chance, 1e-12, 0);
            CHECK_CLOSE(one->all_T, root * root, 1e-12, 0);
            CHECK_CLOSE(one->informed, informed * informed, 1e-12, 0);
            CHECK_CLOSE(one->score, evidence_score(VIEWS, S, T), 1e-12, 0);
        }
        CHECK_CLOSE(verdict[0].stable, 1, 0, 0); /* the same on every subsample */
        CHECK_CLOSE(verdict[2].stable_chance, 1, 0,
                    0); /* more than of the data: it shows nothing */
        CHECK_CLOSE(verdict[2].S, 0, 0, 0);
        assert_true(verdict[0].S > verdict[1].S && verdict[1].S > verdict[4].S);
        assert_true(verdict[OF_RECIPES - 1].score < 0);
        tabled_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_neighbours_tell_is_what_it_says),
        cmocka_unit_test(links_tell_by_what_they_share),
        cmocka_unit_test(the_score_is_what_comes_back_and_is_told_beyond_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
