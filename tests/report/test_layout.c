/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts: components by their definition, neighbours by counting, forces and descent held to t-SNE
 * over all pairs, the same bits for any number of threads, and what is refused. */
#include "report/layout.h"

#include "base/random.h"
#include "oracle/tsne.h"
#include "support/check.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const onefold_layout_options standard = ONEFOLD_LAYOUT_OPTIONS_INIT;

/* n samples around `clusters` random centres in `rows` dimensions. */
static double *blobs(size_t rows, size_t n, size_t clusters, double apart)
{
    double *x = malloc(rows * n * sizeof *x), *centre = malloc(rows * clusters * sizeof *centre);
    check_random(5, 1, rows, clusters, centre);
    check_random(5, 2, rows, n, x);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < rows; i++)
            x[j * rows + i] += apart * centre[j % clusters * rows + i];
    free(centre);
    return x;
}

static void components_have_the_variance_and_no_correlation(void **state)
{
    (void)state;
    enum { ROWS = 6, N = 3000 };
    double *x = blobs(ROWS, N, 3, 5), *y = malloc(2 * N * sizeof *y), sum[5] = {0};
    CHECK_OK(of_layout_pca(of_context_or_default(NULL), ROWS, N, x, ROWS, y));
    for (size_t j = 0; j < N; j++) {
        sum[0] += y[2 * j];
        sum[1] += y[2 * j + 1];
        sum[2] += y[2 * j] * y[2 * j];
        sum[3] += y[2 * j + 1] * y[2 * j + 1];
        sum[4] += y[2 * j] * y[2 * j + 1];
    }
    CHECK_CLOSE(sum[0] / N, 0, 0, 1e-10);
    CHECK_CLOSE(sum[1] / N, 0, 0, 1e-10);
    CHECK_CLOSE(sum[4] / sum[2], 0, 0, 1e-10);
    assert_true(sum[2] >= sum[3]);
    /* No direction has more variance than the first: try the axes and their halves. */
    for (size_t a = 0; a < ROWS; a++)
        for (size_t b = 0; b < ROWS; b++) {
            double mean = 0, square = 0, unit = a == b ? 1 : sqrt(0.5);
            for (size_t j = 0; j < N; j++) {
                double v = unit * (x[j * ROWS + a] + (a == b ? 0 : x[j * ROWS + b]));
                mean += v / N;
                square += v * v;
            }
            assert_true(square - N * mean * mean <= sum[2] * (1 + 1e-10));
        }
    free(x);
    free(y);
}

static void neighbours_are_those_a_count_finds(void **state)
{
    (void)state;
    enum { ROWS = 3, N = 1100, COUNT = 7, QUERIES = 45 };
    double *x = blobs(ROWS, N, 4, 2), *distance = malloc(N * COUNT * sizeof *distance);
    uint32_t *index = malloc(N * COUNT * sizeof *index);
    memcpy(x + 40 * ROWS, x + 8 * ROWS, ROWS * sizeof *x); /* two that coincide */
    for (int self = 0; self < 2; self++) {
        size_t queries = self ? N : QUERIES;
        CHECK_OK(of_layout_neighbours(of_context_or_default(NULL), ROWS, N, x, queries, x, self,
                                      COUNT, index, distance));
        for (size_t q = 0; q < queries; q += self ? 17 : 1) {
            size_t nearer = 0;
            double last = distance[q * COUNT + COUNT - 1];
            for (size_t k = 0; k < COUNT; k++) {
                double d = 0;
                for (size_t i = 0; i < ROWS; i++)
                    d += pow(x[q * ROWS + i] - x[index[q * COUNT + k] * ROWS + i], 2);
                CHECK_CLOSE(distance[q * COUNT + k], d, 1e-12, 0);
                assert_true(k == 0 || distance[q * COUNT + k] >= distance[q * COUNT + k - 1]);
                assert_true(!self || index[q * COUNT + k] != q);
            }
            for (size_t j = 0; j < N; j++) {
                double d = 0;
                for (size_t i = 0; i < ROWS; i++)
                    d += (x[q * ROWS + i] - x[j * ROWS + i]) * (x[q * ROWS + i] - x[j * ROWS + i]);
                nearer += !(self && j == q) && d < last;
            }
            assert_true(nearer < COUNT);
        }
    }
    free(x);
    free(distance);
    free(index);
}

static void affinities_are_those_of_all_pairs(void **state)
{
    (void)state;
    enum { ROWS = 4, N = 120, COUNT = 30 };
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    double *x = blobs(ROWS, N, 3, 3), *want = malloc(N * N * sizeof *want), total = 0;
    double *distance = malloc(N * COUNT * sizeof *distance);
    uint32_t *index = malloc(N * COUNT * sizeof *index);
    of_sparse p;
    CHECK_OK(of_layout_neighbours(scratch.context, ROWS, N, x, N, x, 1, COUNT, index, distance));
    CHECK_OK(of_affinity_make(scratch.context, &scratch, N, COUNT, index, distance, 10, &p));
    tsne_affinities(N, ROWS, x, COUNT, 10, want);
    for (size_t i = 0; i < N; i++) {
        size_t e = p.start[i];
        for (size_t j = 0; j < N; j++) {
            double got = e < p.start[i + 1] && p.index[e] == j ? p.value[e++] : 0;
            CHECK_CLOSE(got, want[i * N + j], 1e-6, 1e-12);
            total += got;
        }
        assert_int_equal(e, p.start[i + 1]);
    }
    CHECK_CLOSE(total, 1, 1e-12, 0);
    free(x);
    free(want);
    free(distance);
    free(index);
}

/* Forces of the tree at theta against those over all pairs: the largest error, relative. */
static double tree_error(size_t n, const double *y, double theta)
{
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    double *force = malloc(4 * n * sizeof *force), *want = force + 2 * n, z, want_z, error = 0,
           largest = 0;
    CHECK_OK(of_layout_forces(scratch.context, n, theta, y, NULL, force, NULL, &z));
    tsne_forces(n, y, NULL, want, NULL, &want_z);
    for (size_t e = 0; e < 2 * n; e++) {
        error = fmax(error, fabs(force[e] - want[e]));
        largest = fmax(largest, fabs(want[e]));
    }
    error = largest > 0 ? error / largest : error;
    double z_error = want_z > 0 ? fabs(z - want_z) / want_z : fabs(z);
    free(force);
    return fmax(error, z_error);
}

static void without_cells_forces_are_those_of_all_pairs(void **state)
{
    (void)state;
    for (size_t n = 1; n < 1500; n = n * 2 + 1) {
        double *y = blobs(2, n, 5, 20);
        assert_true(tree_error(n, y, 0) < 1e-12);
        assert_true(tree_error(n, y, 0.7) < 0.02);
        for (size_t e = 0; e < 2 * n; e++)
            y[e] = e % 2; /* all in one place: cells that cannot be cut */
        assert_true(tree_error(n, y, 0) < 1e-12);
        assert_true(tree_error(n, y, 1) < 1e-12);
        free(y);
    }
}

static void descent_lowers_the_divergence_and_keeps_neighbours(void **state)
{
    (void)state;
    enum { ROWS = 8, N = 300, CLUSTERS = 8, COUNT = 90, NEAR = 10 };
    of_context *context = of_context_or_default(NULL);
    double *x = blobs(ROWS, N, CLUSTERS, 3), *p = malloc(N * N * sizeof *p);
    double *pca = malloc(2 * N * sizeof *pca), *y = malloc(2 * N * sizeof *y);
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    tsne_affinities(N, ROWS, x, COUNT, 30, p);
    CHECK_OK(of_layout_pca(context, ROWS, N, x, ROWS, pca));
    double last = INFINITY;
    static const size_t steps[] = {150, 300, 750};
    for (size_t s = 0; s < 3; s++) {
        options.iterations = steps[s];
        memcpy(y, pca, 2 * N * sizeof *y);
        CHECK_OK(of_layout_tsne(context, ROWS, N, x, &options, y));
        double divergence = tsne_divergence(N, y, p);
        assert_true(divergence < last);
        last = divergence;
    }
    assert_true(last < tsne_divergence(N, pca, p) / 2);
    /* A descent over all pairs comes to the same depth. */
    options.theta = 0;
    memcpy(y, pca, 2 * N * sizeof *y);
    CHECK_OK(of_layout_tsne(context, ROWS, N, x, &options, y));
    CHECK_CLOSE(tsne_divergence(N, y, p), last, 0.05, 0);
    double kept = tsne_kept(N, ROWS, x, y, NEAR), kept_pca = tsne_kept(N, ROWS, x, pca, NEAR);
    print_message("neighbours kept: t-SNE %.3f, components %.3f; divergence %.3f\n", kept, kept_pca,
                  last);
    assert_true(kept > kept_pca + 0.15);
    free(x);
    free(p);
    free(pca);
    free(y);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    enum { ROWS = 5, N = 3000 };
    double *x = blobs(ROWS, N, 7, 3), *first = malloc(2 * N * sizeof *first),
           *y = malloc(2 * N * sizeof *y);
    static const int threads[] = {1, 2, 3, 8};
    for (int drawn = 0; drawn < 2; drawn++)
        for (size_t t = 0; t < 4; t++) {
            onefold_context *context;
            onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
            onefold_layout_kind kind;
            options.iterations = 60;
            options.most = drawn ? 700 : N;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads[t]));
            CHECK_OK(of_layout_make(context, ROWS, N, x, ROWS, 7, &options, t ? y : first, &kind));
            assert_int_equal(kind, ONEFOLD_LAYOUT_TSNE);
            assert_true(t == 0 || memcmp(first, y, 2 * N * sizeof *y) == 0);
            onefold_context_free(context);
        }
    free(x);
    free(first);
    free(y);
}

static void others_lie_beside_their_nearest(void **state)
{
    (void)state;
    enum { ROWS = 5, N = 2000, CLUSTERS = 5 };
    double *x = blobs(ROWS, N, CLUSTERS, 8), *y = malloc(2 * N * sizeof *y);
    double centre[2 * CLUSTERS] = {0};
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    options.most = 400;
    CHECK_OK(
        of_layout_make(of_context_or_default(NULL), ROWS, N, x, ROWS, CLUSTERS, &options, y, NULL));
    for (size_t j = 0; j < N; j++)
        for (size_t r = 0; r < 2; r++)
            centre[j % CLUSTERS * 2 + r] += y[2 * j + r] * CLUSTERS / N;
    size_t right = 0;
    for (size_t j = 0; j < N; j++) {
        size_t best = 0;
        double least = INFINITY;
        for (size_t c = 0; c < CLUSTERS; c++) {
            double d = hypot(y[2 * j] - centre[2 * c], y[2 * j + 1] - centre[2 * c + 1]);
            best = d < least ? c : best;
            least = fmin(d, least);
        }
        right += best == j % CLUSTERS;
    }
    assert_true(right > N * 99 / 100);
    free(x);
    free(y);
}

static void few_samples_and_samples_alike(void **state)
{
    (void)state;
    double x[3 * 40], y[2 * 40];
    for (size_t n = 1; n <= 40; n += n < 6 ? 1 : 17)
        for (int alike = 0; alike < 2; alike++) {
            check_random(7, n, 3, n, x);
            for (size_t e = 0; alike && e < 3 * n; e++)
                x[e] = 0.1;
            CHECK_OK(
                of_layout_make(of_context_or_default(NULL), 3, n, x, 3, 9, &standard, y, NULL));
            for (size_t e = 0; e < 2 * n; e++)
                assert_true(isfinite(y[e]));
        }
    CHECK_OK(of_layout_make(of_context_or_default(NULL), 1, 40, x, 1, 2, &standard, y, NULL));
    for (size_t j = 0; j < 40; j++)
        CHECK_CLOSE(y[2 * j + 1], 0, 0, 0);
}

static int stop_at_once(void *user)
{
    (void)user;
    return 1;
}

static void what_is_refused(void **state)
{
    (void)state;
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_context *context;
    onefold_fit_options fit = paper_options();
    onefold_synth_options made = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    double y[2 * 60];
    made.samples = 60;
    fit.clusters = 5;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &made));
    CHECK_OK(onefold_fit(&result, NULL, data, &fit));
    CHECK_OK(onefold_layout(y, NULL, result, NULL));
    CHECK_FAILS(onefold_layout(NULL, NULL, result, NULL), ONEFOLD_USAGE, "needs a result");
    onefold_layout_options options = ONEFOLD_LAYOUT_OPTIONS_INIT;
    options.theta = NAN;
    CHECK_FAILS(onefold_layout(y, NULL, result, &options), ONEFOLD_USAGE, "theta");
    options = standard;
    options.perplexity = 0.5;
    CHECK_FAILS(onefold_layout(y, NULL, result, &options), ONEFOLD_USAGE, "perplexity");
    options = standard;
    options.most = 3;
    CHECK_FAILS(onefold_layout(y, NULL, result, &options), ONEFOLD_USAGE, "4 to 1000000");
    options = standard;
    options.kind = (onefold_layout_kind)9;
    CHECK_FAILS(onefold_layout(y, NULL, result, &options), ONEFOLD_USAGE, "kind 9");
    hooks.cancel = stop_at_once;
    CHECK_OK(onefold_context_create(&context, &hooks));
    options = standard;
    options.kind = ONEFOLD_LAYOUT_TSNE;
    CHECK_FAILS(onefold_layout(y, context, result, &options), ONEFOLD_INTERRUPTED, "");
    onefold_context_free(context);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_have_the_variance_and_no_correlation),
        cmocka_unit_test(neighbours_are_those_a_count_finds),
        cmocka_unit_test(affinities_are_those_of_all_pairs),
        cmocka_unit_test(without_cells_forces_are_those_of_all_pairs),
        cmocka_unit_test(descent_lowers_the_divergence_and_keeps_neighbours),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(others_lie_beside_their_nearest),
        cmocka_unit_test(few_samples_and_samples_alike),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
