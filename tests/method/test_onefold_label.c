/* SPDX-License-Identifier: Apache-2.0 */
/* Labellings of all samples: clusters weighed by their size, k-means of a joint kernel from labels
 * of some or of all samples, and a fit of joint partitions, each with the stack it is made of. */
#include "method/onefold_pool.h"
#include "oracle/evidence.h"
#include "support/check.h"
#include "support/tabled.h"

#include <math.h>
#include <string.h>

enum { N = TABLED, VIEWS = TABLED_VIEWS, MU = TABLED_CLUSTERS };

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Against plain loops. A sample between a large and a small cluster is labelled by their sizes. */
static void labels_weigh_clusters_by_the_root_of_their_size(void **state)
{
    (void)state;
    enum { K = 5, SOME = 60 };
    OF_SCRATCH(arena, NULL);
    static double H[K * SOME], C[K * MU], plain[K * MU];
    static int32_t labels[SOME];
    size_t sizes[MU] = {0}, was[MU], moved = 0, found[MU] = {0};
    check_random(21, 0, K, SOME, H);
    check_random(21, 1, K, MU, C);
    for (size_t j = 0; j < SOME; j++) {
        labels[j] = j < 45 ? 0 : 1 + (j % 2 == 0);
        sizes[labels[j]]++;
    }
    memcpy(was, sizes, sizeof was);
    memcpy(plain, C, sizeof plain);
    of_cs_result result = {.labels = labels, .C = C, .H = of_share_whole(H, K), .sizes = sizes};
    CHECK_OK(of_labelling_by_size(arena.context, SOME, K, MU, &result));
    for (size_t j = 0; j < SOME; j++) {
        double score[MU] = {0}, unweighed[MU] = {0};
        for (size_t c = 0; c < MU; c++)
            for (size_t r = 0; r < K; r++) {
                unweighed[c] += plain[c * K + r] * H[j * K + r];
                score[c] = unweighed[c] * sqrt((double)was[c]);
            }
        size_t best = 0, first = 0;
        for (size_t c = 1; c < MU; c++) {
            best = score[c] > score[best] ? c : best;
            first = unweighed[c] > unweighed[first] ? c : first;
        }
        assert_int_equal(labels[j], best);
        moved += best != first;
        found[best]++;
    }
    assert_true(moved > 0);
    assert_memory_equal(found, sizes, sizeof found);
}

/* ---- k-means --------------------------------------------------------------------------------- */

/* The labelling by k-means of columns, from these labels of samples `place`. */
static void label(tabled *t, of_joint_kind kind, size_t known, const size_t *place,
                  const int32_t *from, of_pool *pool, of_labelling *labelling)
{
    double *weights, joined[VIEWS];
    of_kernel *kernels;
    CHECK_OK(OF_NEW(&t->arena, &kernels, VIEWS, 1));
    CHECK_OK(OF_NEW(&t->arena, &weights, VIEWS, 1));
    CHECK_OK(of_pool_make(t->context, &t->arena, &t->plan.problem, 0, 0, pool));
    for (size_t v = 0; v < VIEWS; v++) {
        weights[v] = 0.5;
        CHECK_OK(of_table_kernel(t->context, &t->arena, &t->plan.kernels[v], 0, &kernels[v]));
    }
    of_recipe_weights(&t->table, kind == OF_JOINT_KERNEL ? OF_RECIPE_KERNEL : OF_RECIPE_COLUMNS,
                      weights, joined);
    *labelling = (of_labelling){.weights = weights};
    CHECK_OK(of_labelling_kmeans(t->context, &t->arena, pool, kernels, kind, joined, known, place,
                                 from, labelling));
}

/* The cluster of which the mean is nearest to sample j, by inner products. */
static int32_t nearest(const double *K, const int32_t *labels, size_t j)
{
    int32_t best = 0;
    double least = INFINITY;
    for (int32_t c = 0; c < MU; c++) {
        double size = 0, with = 0, own = 0;
        for (size_t a = 0; a < N; a++) {
            size += labels[a] == c;
            with += labels[a] == c ? K[a + j * N] : 0;
            for (size_t b = 0; b < N; b++)
                own += labels[a] == c && labels[b] == c ? K[a + b * N] : 0;
        }
        double distance = own / size / size - 2 * with / size;
        best = distance < least ? c : best;
        least = fmin(least, distance);
    }
    return best;
}

static void labels_of_all_samples_are_those_of_the_nearest_mean(void **state)
{
    (void)state;
    static double K[N * N];
    for (int kind = 0; kind < 2; kind++)
        for (int lacking = 0; lacking < 2; lacking++) {
            tabled *t = tabled_make(1, lacking, 2, 0);
            int32_t from[N];
            size_t place[N], moved = 0;
            double w[VIEWS], sum = 0;
            of_pool pool;
            of_labelling got;
            for (size_t j = 0; j < N; j++) {
                place[j] = j;
                from[j] = j % 11 == 5 ? (t->truth[j] + 1) % MU : t->truth[j];
            }
            for (size_t v = 0; v < VIEWS; v++) {
                w[v] = kind ? 1 : t->size[v];
                sum += w[v];
            }
            for (size_t v = 0; v < VIEWS; v++)
                w[v] /= sum;
            const double *const gram[] = {t->gram[0], t->gram[1]};
            evidence_join(N, VIEWS, gram, w, t->present, kind, K);
            label(t, kind ? OF_JOINT_KERNEL : OF_JOINT_COLUMNS, N, place, from, &pool, &got);
            for (size_t j = 0; j < N; j++) {
                assert_int_equal(got.result.labels[j], nearest(K, from, j));
                moved += got.result.labels[j] != from[j];
            }
            assert_true(moved > 10);
            tabled_free(t);
        }
}

/* From the labels of one sample in four, clear clusters get all their samples. */
static void labels_of_some_samples_are_extended_to_all(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        tabled *t = tabled_make(4, 0, 2, 0);
        int32_t from[N / 4];
        size_t place[N / 4], sizes[MU] = {0};
        of_pool pool;
        of_labelling got;
        of_stack X;
        for (size_t i = 0; i < N / 4; i++) {
            place[i] = 4 * i + i % 3;
            from[i] = t->truth[place[i]];
        }
        label(t, kind ? OF_JOINT_KERNEL : OF_JOINT_COLUMNS, N / 4, place, from, &pool, &got);
        assert_memory_equal(got.result.labels, t->truth, N * sizeof *t->truth);
        for (size_t j = 0; j < N; j++)
            sizes[got.result.labels[j]]++;
        assert_memory_equal(got.result.sizes, sizes, sizeof sizes);
        assert_int_equal(got.result.restarts, 0);
        CHECK_OK(of_labelling_stack(&t->arena, &pool, &got, &X)); /* the embedding */
        assert_memory_equal(X.data, got.result.H.held, got.rows * N * sizeof(double));
        for (size_t j = 0; j < N; j++)
            CHECK_CLOSE(((const double *)X.data)[j * got.rows], 1 / sqrt(N), 1e-15, 0);
        tabled_free(t);
    }
}

/* ---- fits ------------------------------------------------------------------------------------ */

/* Every sample has the cluster of its largest entry of C'H, and clear clusters are found. */
static void a_fit_labels_by_its_embedding(void **state)
{
    (void)state;
    tabled *t = tabled_make(4, 1, 2, 0);
    double weights[VIEWS] = {0.5, 0.5};
    size_t k = of_recipe_rows(&t->plan.problem);
    of_joint joint[OF_JOINT_KINDS];
    of_labelling one = {.rows = k, .weights = weights};
    of_pool pool;
    CHECK_OK(of_pool_make(t->context, &t->arena, &t->plan.problem, 1u << OF_JOINT_GRAPH, 0, &pool));
    for (unsigned kind = OF_JOINT_KERNEL; kind <= OF_JOINT_GRAPH; kind++) {
        CHECK_OK(of_joint_make(t->context, &t->arena, &pool.views, (of_joint_kind)kind, weights,
                               k - 1, &joint[kind]));
        one.part[one.parts++] = &joint[kind];
    }
    CHECK_OK(of_labelling_fit(t->context, &t->arena, &pool, &one));
    assert_true(evidence_rand(N, one.result.labels, t->truth) > 0.95);
    for (size_t j = 0; j < N; j++) {
        int32_t best = 0;
        double most = -INFINITY;
        for (int32_t c = 0; c < MU; c++) {
            double entry = 0;
            for (size_t r = 0; r < k; r++)
                entry += one.result.C[r + (size_t)c * k] * one.result.H.held[r + j * k];
            best = entry > most ? c : best;
            most = fmax(most, entry);
        }
        assert_int_equal(one.result.labels[j], best);
    }
    tabled_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_weigh_clusters_by_the_root_of_their_size),
        cmocka_unit_test(labels_of_all_samples_are_those_of_the_nearest_mean),
        cmocka_unit_test(labels_of_some_samples_are_extended_to_all),
        cmocka_unit_test(a_fit_labels_by_its_embedding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
