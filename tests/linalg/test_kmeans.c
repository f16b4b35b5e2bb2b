/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/kmeans.h"

#include "linalg/blas.h"
#include "support/check.h"
#include "support/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Well or badly separated groups: rows x samples, sample j around centre j mod groups. */
static double *make_groups(size_t rows, size_t samples, size_t groups, double spread, double shift,
                           uint64_t index)
{
    double *X = malloc(rows * samples * sizeof *X), *centre = malloc(rows * groups * sizeof *X);
    check_random(11, 2 * index, rows, samples, X);
    check_random(11, 2 * index + 1, rows, groups, centre);
    for (size_t j = 0; j < samples; j++)
        for (size_t i = 0; i < rows; i++)
            X[i + j * rows] = spread * X[i + j * rows] + centre[i + j % groups * rows] * 3 + shift;
    free(centre);
    return X;
}

static double naive_distance(size_t rows, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

/* ---- the slow restatement: the same draws, without tiles or products
 * ------------------------------- */

static void naive_start(const of_kmeans_options *o, size_t replicate, size_t rows, size_t n,
                        const double *X, double *centres)
{
    of_random random =
        of_random_make(o->seed, OF_PURPOSE_KMEANS, o->index * (1u << 20) + replicate);
    size_t *chosen = malloc(o->clusters * sizeof *chosen);
    double *nearest = malloc(n * sizeof *nearest);
    for (size_t c = 0; c < o->clusters; c++) {
        if (o->start == OF_KMEANS_SAMPLES) {
            size_t top = n - o->clusters + c;
            chosen[c] = of_random_below(&random, top + 1);
            for (size_t b = 0; b < c; b++)
                if (chosen[b] == chosen[c]) {
                    chosen[c] = top;
                    break;
                }
        } else if (c == 0) {
            chosen[c] = of_random_below(&random, n);
        } else {
            double total = 0, passed = 0;
            for (size_t j = 0; j < n; j++) {
                nearest[j] = INFINITY;
                for (size_t b = 0; b < c; b++)
                    nearest[j] =
                        fmin(nearest[j], naive_distance(rows, X + j * rows, X + chosen[b] * rows));
                total += nearest[j];
            }
            double target = of_random_uniform(&random) * total;
            for (size_t j = 0; j < n && passed <= target; j++) {
                passed += nearest[j];
                chosen[c] = j;
            }
        }
        memcpy(centres + c * rows, X + chosen[c] * rows, rows * sizeof *X);
    }
    free(chosen);
    free(nearest);
}

/* The means of labels that fill all clusters, and how many samples each has. */
static void naive_means(size_t clusters, size_t rows, size_t n, const double *X,
                        const int32_t *labels, double *centres, double *members)
{
    memset(centres, 0, rows * clusters * sizeof *centres);
    memset(members, 0, clusters * sizeof *members);
    for (size_t j = 0; j < n; j++) {
        members[labels[j]]++;
        for (size_t i = 0; i < rows; i++)
            centres[i + (size_t)labels[j] * rows] += X[i + j * rows];
    }
    for (size_t c = 0; c < clusters; c++)
        for (size_t i = 0; i < rows; i++)
            centres[i + c * rows] /= members[c];
}

/* One sweep of Hartigan's moves, with the means of all clusters computed for every sample. Returns
 * the moves. */
static size_t naive_sweep(size_t clusters, size_t rows, size_t n, const double *X, double total,
                          int32_t *labels)
{
    double *centres = malloc(rows * clusters * sizeof *X), *members = malloc(clusters * 8);
    size_t moves = 0;
    for (size_t j = 0; j < n; j++) {
        const double *x = X + j * rows;
        size_t own = (size_t)labels[j], to = own;
        naive_means(clusters, rows, n, X, labels, centres, members);
        if (members[own] < 2)
            continue;
        double least =
            members[own] / (members[own] - 1) * naive_distance(rows, x, centres + own * rows) -
            1e-12 * total;
        for (size_t c = 0; c < clusters; c++) {
            double into =
                members[c] / (members[c] + 1) * naive_distance(rows, x, centres + c * rows);
            if (c != own && into < least) {
                least = into;
                to = c;
            }
        }
        labels[j] = (int32_t)to;
        moves += to != own;
    }
    free(centres);
    free(members);
    return moves;
}

/* The sum of squares about the mean. */
static double naive_total(size_t rows, size_t n, const double *X)
{
    int32_t *together = calloc(n, sizeof *together);
    double *mean = malloc(rows * sizeof *mean), count, total = 0;
    naive_means(1, rows, n, X, together, mean, &count);
    for (size_t j = 0; j < n; j++)
        total += naive_distance(rows, X + j * rows, mean);
    free(together);
    free(mean);
    return total;
}

static double naive_kmeans(const of_kmeans_options *o, size_t rows, size_t n, const double *X,
                           double *centres, int32_t *labels, size_t *iterations)
{
    double *own = malloc(n * sizeof *own), *members = malloc(o->clusters * sizeof *members);
    size_t moves = 0;
    for (*iterations = 0; *iterations < o->max_iterations;) {
        int changed = *iterations == 0;
        int32_t *before = malloc(n * sizeof *before);
        memcpy(before, labels, n * sizeof *before);
        for (size_t j = 0; j < n; j++) {
            own[j] = INFINITY;
            for (size_t c = 0; c < o->clusters; c++) {
                double d = naive_distance(rows, X + j * rows, centres + c * rows);
                if (d < own[j]) {
                    own[j] = d;
                    labels[j] = (int32_t)c;
                }
            }
        }
        for (size_t c = 0; c < o->clusters; c++) {
            size_t filled = 0, far = n;
            for (size_t j = 0; j < n; j++)
                filled += labels[j] == (int32_t)c;
            if (filled)
                continue;
            for (size_t j = 0; j < n; j++) {
                size_t mates = 0;
                for (size_t i = 0; i < n; i++)
                    mates += labels[i] == labels[j];
                if (mates > 1 && (far == n || own[j] > own[far]))
                    far = j;
            }
            labels[far] = (int32_t)c;
            own[far] = 0;
        }
        for (size_t j = 0; j < n; j++)
            changed |= labels[j] != before[j];
        free(before);
        ++*iterations;
        if (!changed) {
            moves = 1;
            break;
        }
        naive_means(o->clusters, rows, n, X, labels, centres, members);
    }
    double total = naive_total(rows, n, X);
    for (; moves && !o->lloyd && *iterations < o->max_iterations; ++*iterations)
        moves = naive_sweep(o->clusters, rows, n, X, total, labels);
    naive_means(o->clusters, rows, n, X, labels, centres, members);
    double cost = 0;
    for (size_t j = 0; j < n; j++)
        cost += naive_distance(rows, X + j * rows, centres + (size_t)labels[j] * rows);
    free(own);
    free(members);
    return cost;
}

static void same_as_restatement(size_t rows, size_t n, double spread, double shift,
                                of_kmeans_options o, uint64_t index)
{
    double *X = make_groups(rows, n, o.clusters, spread, shift, index);
    double *centres = malloc(rows * o.clusters * sizeof *X), *naive = malloc(rows * o.clusters * 8);
    int32_t *labels = malloc(n * 4), *now = calloc(n, 4), *want = malloc(n * 4);
    of_kmeans_result result;
    CHECK_OK(of_kmeans(NULL, &o, rows, n, X, rows, labels, centres, &result));
    double least = INFINITY;
    size_t least_iterations = 0;
    for (size_t r = 0; r < o.replicates; r++) {
        size_t iterations;
        naive_start(&o, r, rows, n, X, naive);
        if (r == 0 && o.from)
            memcpy(naive, o.from, rows * o.clusters * sizeof *naive);
        double cost = naive_kmeans(&o, rows, n, X, naive, now, &iterations);
        if (cost < least) {
            least = cost;
            least_iterations = iterations;
            memcpy(want, now, n * 4);
        }
    }
    assert_memory_equal(labels, want, n * 4);
    assert_int_equal(result.iterations, least_iterations);
    CHECK_CLOSE(result.cost, least, 1e-12, 0);
    free(X);
    free(centres);
    free(naive);
    free(labels);
    free(now);
    free(want);
}

static void equals_the_slow_restatement(void **state)
{
    (void)state;
    const of_kmeans_start starts[] = {OF_KMEANS_PLUSPLUS, OF_KMEANS_SAMPLES};
    for (int s = 0; s < 2; s++) {
        of_kmeans_options o = {5, 4, 100, starts[s], 3, 9, 0};
        same_as_restatement(7, 400, 1.0, 0, o, 0);
        same_as_restatement(3, 50, 5.0, 0, o, 1);
        same_as_restatement(130, 321, 2.0, 0, o, 2);
        same_as_restatement(1, 90, 1.0, 0, o, 3);
        o.clusters = 2;
        same_as_restatement(200, 140, 5.0, 0, o, 7);   /* on the Gram matrix */
        same_as_restatement(2100, 130, 9.0, 50, o, 8); /* in two pieces */
        o.clusters = 5;
        o.lloyd = 1;
        same_as_restatement(300, 60, 5.0, 0, o, 7);
        same_as_restatement(3, 50, 5.0, 0, o, 1);
        o.lloyd = 0;
        o.clusters = 1;
        same_as_restatement(4, 33, 1.0, 0, o, 4);
        o.clusters = 40;
        same_as_restatement(2, 60, 3.0, 0, o, 5);
        o.clusters = 70; /* sums are made cluster by cluster */
        same_as_restatement(3, 300, 9.0, 0, o, 9);
        o.max_iterations = 2;
        same_as_restatement(2, 200, 3.0, 0, o, 6);
    }
}

/* Of two replicates the first begins from given centres: from good ones it is kept, and from one
 * place for all the other is. */
static void a_given_start_takes_the_place_of_the_first(void **state)
{
    (void)state;
    enum { ROWS = 3, N = 300, CLUSTERS = 6, WIDE = 160 };
    double given[WIDE * CLUSTERS];
    of_kmeans_options o = {CLUSTERS, 2, 100, OF_KMEANS_SAMPLES, 3, 9, 0};
    o.from = given;
    check_random(5, 1, WIDE, CLUSTERS, given);
    same_as_restatement(ROWS, N, 1.0, 0, o, 1);
    o.clusters = 2;
    same_as_restatement(WIDE, WIDE - 20, 5.0, 0, o, 4);
    o.clusters = CLUSTERS;
    memset(given, 0, sizeof given);
    same_as_restatement(ROWS, N, 1.0, 0, o, 2);
    o.replicates = 1;
    same_as_restatement(ROWS, N, 1.0, 0, o, 3);
}

/* Labels as a start are their means; a cluster without samples starts at the mean of all. */
static void a_start_from_labels_is_one_from_their_means(void **state)
{
    (void)state;
    enum { ROWS = 4, N = 240, K = 5 };
    double *X = make_groups(ROWS, N, K, 3, 0, 70), means[ROWS * K], members[K], all;
    int32_t given[N], labels[2][N], together[N] = {0};
    of_kmeans_options o = {.clusters = K, .max_iterations = 100, .from = means};
    for (int empty = 0; empty < 2; empty++) {
        for (int32_t j = 0; j < N; j++)
            given[j] = j % (K - empty);
        naive_means(K, ROWS, N, X, given, means, members);
        if (empty)
            naive_means(1, ROWS, N, X, together, means + ROWS * (K - 1), &all);
        o.from_labels = NULL;
        CHECK_OK(of_kmeans(NULL, &o, ROWS, N, X, ROWS, labels[0], NULL, NULL));
        o.from_labels = given;
        CHECK_OK(of_kmeans(NULL, &o, ROWS, N, X, ROWS, labels[1], NULL, NULL));
        assert_memory_equal(labels[0], labels[1], sizeof given);
    }
    free(X);
}

/* An offset a million times the groups' distances must not change the labels. */
static void a_large_common_part_changes_no_label(void **state)
{
    (void)state;
    enum { ROWS = 6, N = 500 };
    of_kmeans_options o = {6, 3, 100, OF_KMEANS_PLUSPLUS, 1, 0, 0};
    int32_t plain[N], shifted[N];
    double *X = make_groups(ROWS, N, 6, 0.7, 0, 20);
    CHECK_OK(of_kmeans(NULL, &o, ROWS, N, X, ROWS, plain, NULL, NULL));
    for (size_t i = 0; i < ROWS * N; i++)
        X[i] += 3e6;
    CHECK_OK(of_kmeans(NULL, &o, ROWS, N, X, ROWS, shifted, NULL, NULL));
    assert_memory_equal(plain, shifted, sizeof plain);
    free(X);
}

static void ends_where_no_sample_moves(void **state)
{
    (void)state;
    enum { ROWS = 9, N = 3000, K = 12 };
    double *X = make_groups(ROWS, N, K, 1.5, 0, 30), centres[ROWS * K], mean[ROWS * K] = {0};
    int32_t *labels = malloc(N * 4);
    size_t count[K] = {0};
    of_kmeans_options o = {K, 2, 1000, OF_KMEANS_PLUSPLUS, 1, 0, 0};
    of_kmeans_result result;
    CHECK_OK(of_kmeans(NULL, &o, ROWS, N, X, ROWS, labels, centres, &result));
    assert_true(result.converged); /* from distances in single precision too: */
    assert_int_equal(naive_sweep(K, ROWS, N, X, naive_total(ROWS, N, X), labels), 0);
    o.single = 0;
    o.seed = 5;
    CHECK_OK(of_kmeans(NULL, &o, ROWS, N, X, ROWS, labels, centres, &result));
    assert_true(result.converged);
    double cost = 0;
    assert_int_equal(naive_sweep(K, ROWS, N, X, naive_total(ROWS, N, X), labels), 0);
    for (size_t j = 0; j < N; j++) {
        double own = naive_distance(ROWS, X + j * ROWS, centres + labels[j] * ROWS);
        for (size_t c = 0; c < K; c++)
            assert_true(own <= naive_distance(ROWS, X + j * ROWS, centres + c * ROWS) + 1e-12);
        cost += own;
        count[labels[j]]++;
        for (size_t i = 0; i < ROWS; i++)
            mean[i + (size_t)labels[j] * ROWS] += X[i + j * ROWS];
    }
    for (size_t c = 0; c < K; c++) {
        assert_true(count[c] > 0);
        for (size_t i = 0; i < ROWS; i++)
            CHECK_CLOSE(centres[i + c * ROWS], mean[i + c * ROWS] / (double)count[c], 0, 1e-12);
    }
    CHECK_CLOSE(result.cost, cost, 1e-12, 0);
    free(labels);
    free(X);
}

static void finds_groups_that_are_plain_to_see(void **state)
{
    (void)state;
    enum { ROWS = 5, N = 700, K = 7 };
    double *X = make_groups(ROWS, N, K, 0.01, 0, 40);
    int32_t labels[N];
    of_kmeans_options o = {K, 10, 100, OF_KMEANS_PLUSPLUS, 0, 0, 0};
    CHECK_OK(of_kmeans(NULL, &o, ROWS, N, X, ROWS, labels, NULL, NULL));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++)
            assert_true((labels[i] == labels[j]) == (i % K == j % K));
    free(X);
}

static void duplicates_still_fill_every_cluster(void **state)
{
    (void)state;
    enum { ROWS = 3, N = 40 };
    double X[ROWS * N];
    int32_t labels[N];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < ROWS; i++)
            X[i + j * ROWS] = (double)(j % 2); /* two distinct samples */
    const size_t clusters[] = {1, 2, 3, 7, N};
    for (int s = 0; s < 2; s++)
        for (size_t t = 0; t < 5; t++) {
            size_t k = clusters[t], count[N] = {0};
            of_kmeans_options o = {k, 3, 100, s ? OF_KMEANS_SAMPLES : OF_KMEANS_PLUSPLUS, 2, 0, 0};
            of_kmeans_result result;
            CHECK_OK(of_kmeans(NULL, &o, ROWS, N, X, ROWS, labels, NULL, &result));
            for (size_t j = 0; j < N; j++)
                count[labels[j]]++;
            for (size_t c = 0; c < k; c++)
                assert_true(count[c] > 0);
            CHECK_CLOSE(result.cost, k == 1 ? 0.25 * ROWS * N : 0, 1e-12, 0);
            assert_true(result.converged);
        }
}

static void same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    enum { ROWS = 16, N = 20000, K = 9 };
    double *X = make_groups(ROWS, N, K, 2, 0, 50), centres[2][ROWS * K];
    int32_t *labels[2] = {malloc(N * 4), malloc(N * 4)};
    of_kmeans_options o = {K, 2, 20, OF_KMEANS_PLUSPLUS, 5, 0, 0};
    of_kmeans_result result[2];
    const int threads[] = {1, 2, 3, 8};
    for (int t = 0; t < 4; t++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads[t]));
        CHECK_OK(of_kmeans(context, &o, ROWS, N, X, ROWS, labels[t > 0], centres[t > 0],
                           &result[t > 0]));
        onefold_context_free(context);
        if (t == 0)
            continue;
        assert_memory_equal(labels[0], labels[1], N * 4);
        assert_memory_equal(centres[0], centres[1], sizeof centres[0]);
        assert_memory_equal(&result[0].cost, &result[1].cost, sizeof(double));
    }
    free(labels[0]);
    free(labels[1]);
    free(X);
}

static void centres_of_many_clusters_are_their_means_with_the_same_bits(void **state)
{
    (void)state;
    enum { ROWS = 7, N = 9000, K = 150 };
    static double first[ROWS * K], centres[ROWS * K], mean[ROWS * K];
    static size_t count[K];
    static int32_t labels[N];
    double *X = make_groups(ROWS, N, 20, 2, 0, 60);
    of_kmeans_options o = {K, 1, 3, OF_KMEANS_SAMPLES, 5, 0, 0};
    for (int threads = 1; threads <= 4; threads++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        CHECK_OK(of_kmeans(context, &o, ROWS, N, X, ROWS, labels, centres, NULL));
        onefold_context_free(context);
        if (threads == 1)
            memcpy(first, centres, sizeof first);
        assert_memory_equal(centres, first, sizeof first);
    }
    for (size_t j = 0; j < N; j++) {
        count[labels[j]]++;
        for (size_t i = 0; i < ROWS; i++)
            mean[i + (size_t)labels[j] * ROWS] += X[i + j * ROWS];
    }
    for (size_t c = 0; c < K; c++)
        for (size_t i = 0; i < ROWS; i++)
            CHECK_CLOSE(centres[i + c * ROWS], mean[i + c * ROWS] / (double)count[c], 1e-12, 1e-12);
    free(X);
}

enum { RANK_ROWS = 16, RANK_N = 5000, RANK_K = 40, MOST_RANKS = 4 };

typedef struct rank_case {
    const double *X;
    size_t replicates;
    int32_t labels[MOST_RANKS][RANK_N];
    double centres[MOST_RANKS][RANK_ROWS * RANK_K];
    of_kmeans_result result[MOST_RANKS];
} rank_case;

static onefold_status cluster_on_rank(of_context *context, int rank, void *user)
{
    rank_case *c = user;
    of_kmeans_options o = {RANK_K, c->replicates, 10, OF_KMEANS_PLUSPLUS, 5, 0, 1, 0};
    return of_kmeans(context, &o, RANK_ROWS, RANK_N, c->X, RANK_ROWS, c->labels[rank],
                     c->centres[rank], &c->result[rank]);
}

/* Samples that are assigned by several processes, or replicates that these share. */
static void same_bits_for_any_number_of_processes(void **state)
{
    (void)state;
    double *X = make_groups(RANK_ROWS, RANK_N, 9, 2, 0, 50);
    rank_case *alone = calloc(1, sizeof *alone), *split = calloc(1, sizeof *split);
    alone->X = split->X = X;
    for (size_t replicates = 1; replicates <= 3; replicates++) {
        alone->replicates = split->replicates = replicates;
        CHECK_OK(cluster_on_rank(of_context_or_default(NULL), 0, alone));
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            ranks_run_ok(ranks, ranks == 2 ? 3 : 1, SIZE_MAX, cluster_on_rank, split);
            for (int r = 0; r < ranks; r++) {
                assert_memory_equal(split->labels[r], alone->labels[0], sizeof alone->labels[0]);
                assert_memory_equal(split->centres[r], alone->centres[0], sizeof alone->centres[0]);
                assert_memory_equal(&split->result[r].cost, &alone->result[0].cost, sizeof(double));
                assert_int_equal(split->result[r].iterations, alone->result[0].iterations);
            }
        }
    }
    free(alone);
    free(split);
    free(X);
}

/* The leading dimension may be larger than the rows, and replicate 0 is the run without others. */
static void reads_columns_with_a_gap(void **state)
{
    (void)state;
    enum { ROWS = 5, LD = 8, N = 150, K = 4 };
    double *X = make_groups(ROWS, N, K, 1, 0, 60), gap[LD * N];
    int32_t plain[N], gapped[N];
    for (size_t i = 0; i < LD * N; i++)
        gap[i] = NAN;
    for (size_t j = 0; j < N; j++)
        memcpy(gap + j * LD, X + j * ROWS, ROWS * sizeof *X);
    of_kmeans_options o = {K, 1, 100, OF_KMEANS_PLUSPLUS, 7, 3, 0};
    CHECK_OK(of_kmeans(NULL, &o, ROWS, N, X, ROWS, plain, NULL, NULL));
    o.replicates = 0;
    CHECK_OK(of_kmeans(NULL, &o, ROWS, N, gap, LD, gapped, NULL, NULL));
    assert_memory_equal(plain, gapped, sizeof plain);
    free(X);
}

static int cancel_at_once(void *user)
{
    (void)user;
    return 1;
}

static void refuses_and_fails_cleanly(void **state)
{
    (void)state;
    enum { ROWS = 2, N = 10 };
    double X[ROWS * N];
    int32_t labels[N];
    check_random(1, 1, ROWS, N, X);
    of_kmeans_options o = {0, 1, 10, OF_KMEANS_PLUSPLUS, 0, 0, 0};
    CHECK_FAILS(of_kmeans(NULL, &o, ROWS, N, X, ROWS, labels, NULL, NULL), ONEFOLD_USAGE,
                "0 clusters of 10 samples");
    o.clusters = 11;
    CHECK_FAILS(of_kmeans(NULL, &o, ROWS, N, X, ROWS, labels, NULL, NULL), ONEFOLD_USAGE,
                "11 clusters of 10 samples");
    o.clusters = 3;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_status status = ONEFOLD_NO_MEMORY;
    long failed = 0;
    while (status != ONEFOLD_OK) {
        atomic_store(&context->allocations_until_failure, failed);
        status = of_kmeans(context, &o, ROWS, N, X, ROWS, labels, NULL, NULL);
        assert_int_equal(atomic_load(&context->bytes), 0);
        if (status != ONEFOLD_OK)
            assert_int_equal(status, ONEFOLD_NO_MEMORY);
        failed++;
    }
    assert_true(failed > 10);
    onefold_context_free(context);
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = cancel_at_once;
    CHECK_OK(onefold_context_create(&context, &hooks));
    assert_int_equal(of_kmeans(context, &o, ROWS, N, X, ROWS, labels, NULL, NULL),
                     ONEFOLD_INTERRUPTED);
    onefold_context_free(context);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_slow_restatement),
        cmocka_unit_test(a_given_start_takes_the_place_of_the_first),
        cmocka_unit_test(a_start_from_labels_is_one_from_their_means),
        cmocka_unit_test(a_large_common_part_changes_no_label),
        cmocka_unit_test(ends_where_no_sample_moves),
        cmocka_unit_test(finds_groups_that_are_plain_to_see),
        cmocka_unit_test(duplicates_still_fill_every_cluster),
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(centres_of_many_clusters_are_their_means_with_the_same_bits),
        cmocka_unit_test(same_bits_for_any_number_of_processes),
        cmocka_unit_test(reads_columns_with_a_gap),
        cmocka_unit_test(refuses_and_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
