/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the method onefold against plain loops: Gram matrices of views that samples lack,
 * shuffled columns, subsamples with their neighbours, and the same bits for any number of threads.
 */
#include "linalg/blas.h"
#include "oracle/evidence.h"
#include "support/check.h"
#include "support/mixed.h"
#include "support/tabled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = TABLED, D = TABLED_COLUMNS, VIEWS = TABLED_VIEWS, FEW = 4 * N / 5 };

/* ---- Gram matrices --------------------------------------------------------------------------- */

static void gram_matrices_are_those_of_their_definition(void **state)
{
    (void)state;
    for (int lacking = 0; lacking < 2; lacking++) {
        tabled *t = tabled_make(1, lacking, 1, 0);
        assert_int_equal(t->table.n, N);
        for (size_t v = 0; v < VIEWS; v++) {
            CHECK_CLOSE(t->table.size[v], t->size[v], 1e-11, 0);
            CHECK_CLOSE(t->table.raw_size[v], t->raw_size[v], 1e-11, 0);
            CHECK_CLOSE(t->table.width[v], t->plan.kernels[v].width / t->size[v], 1e-11, 0);
            for (size_t e = 0; e < (size_t)N * N; e++) {
                CHECK_CLOSE(t->table.gram[v][e], t->gram[v][e], 0, 1e-11);
                CHECK_CLOSE(t->table.raw[v][e], t->raw[v][e], 0, 1e-11);
            }
            for (size_t j = 0; j < N; j++)
                CHECK_CLOSE(t->table.unit[v][j], t->has[v][j] ? 1 / sqrt(t->gram[v][j + j * N]) : 0,
                            1e-9, 0);
        }
        /* 5 numbers and a category: six columns' variance; the constant column is none */
        CHECK_CLOSE(t->table.size[0], 6, 1e-11, 0);
        CHECK_CLOSE(t->table.size[1], D - 1, 1e-11, 0);
        tabled_free(t);
    }
}

/* A view of links keeps the shares of links in common before they are centred; these have a mean.
 */
static void links_in_common_are_kept(void **state)
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
    double *K = malloc(sizeof *K * SOME * SOME);
    options.clusters = MIXED_CLUSTERS;
    options.kernel = "auto,graph";
    CHECK_OK(of_fit_plan_make(context, &arena, &data->set, &options, &plan));
    CHECK_OK(of_table_make(context, &arena, &plan.problem, &table));
    assert_null(table.linked[0]);
    assert_null(table.raw[1]);
    CHECK_OK(of_kernel_matrix(context, &plan.kernels[1], OF_RAW, K));
    for (size_t e = 0; e < (size_t)SOME * SOME; e++)
        CHECK_CLOSE(table.linked[1][e], K[e], 1e-12, 1e-12);
    double mean[SOME], trace = 0;
    of_fold_centre(SOME, K, mean);
    for (size_t j = 0; j < SOME; j++)
        trace += K[j + j * SOME] / SOME;
    CHECK_CLOSE(table.size[1], trace, 1e-12, 0);
    for (size_t e = 0; e < (size_t)SOME * SOME; e++)
        CHECK_CLOSE(table.gram[1][e], K[e] / trace, 1e-11, 1e-11);
    free(K);
    onefold_dataset_free(data);
    of_arena_free(&arena);
    onefold_context_free(context);
}

/* At least 625 samples, 75 for each cluster, at most 2500, and no more than there are. */
static void the_size_of_a_table(void **state)
{
    (void)state;
    static const size_t CASE[][3] = {
        {400, 3, 400}, {900, 3, 625}, {900, 10, 750}, {5000, 20, 1500}, {5000, 50, 2500}};
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        of_dataset set = {.samples = CASE[i][0]};
        onefold_fit_options options = {.clusters = CASE[i][1]};
        of_problem problem = {.dataset = &set, .options = &options};
        assert_int_equal(of_table_size(&problem), CASE[i][2]);
    }
}

/* ---- shuffled columns ------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The samples of a column that changed places. Its values are the same. */
static size_t check_column(size_t n, size_t columns, const double *x, const double *y)
{
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    size_t changed = 0;
    for (size_t j = 0; j < n; j++) {
        a[j] = x[j * columns];
        b[j] = y[j * columns];
        changed += a[j] != b[j];
    }
    qsort(a, n, sizeof *a, by_value);
    qsort(b, n, sizeof *b, by_value);
    assert_memory_equal(a, b, n * sizeof *a);
    free(a);
    free(b);
    return changed;
}

static void shuffled_columns_keep_their_values_and_categories_stay_whole(void **state)
{
    (void)state;
    for (int lacking = 0; lacking < 2; lacking++) {
        tabled *t = tabled_make(1, lacking, 1, 0);
        const of_problem *shuffled = &t->shuffled.problem;
        size_t pairs = 0;
        for (size_t v = 0; v < VIEWS; v++) {
            size_t m = shuffled->kernels[v].view->samples;
            double *x = malloc(m * D * sizeof *x), *y = malloc(m * D * sizeof *y);
            CHECK_OK(of_view_read(t->plan.kernels[v].view, 0, m, x, D));
            CHECK_OK(of_view_read(shuffled->kernels[v].view, 0, m, y, D));
            for (size_t c = 0; c < D; c++) {
                size_t changed = check_column(m, D, x + c, y + c);
                assert_true(v == 1 && c == D - 1 ? changed == 0 : changed > m / 3);
            }
            for (size_t j = 0; j < m; j++) {
                double whole = 0;
                for (size_t c = 0; c < TABLED_LEVELS; c++)
                    whole += y[j * D + TABLED_CATEGORY + c];
                assert_true(v == 1 || whole == 1);
                for (size_t i = 0; i < m; i++) /* columns do not move together */
                    pairs += y[j * D] == x[i * D] && y[j * D + 1] == x[i * D + 1];
            }
            free(x);
            free(y);
        }
        assert_true(pairs < N / 10);
        tabled *other = tabled_make(1, lacking, 1, 1);
        assert_memory_not_equal(other->null.gram[0], t->null.gram[0], N * N * sizeof(double));
        assert_memory_equal(other->table.gram[0], t->table.gram[0], N * N * sizeof(double));
        tabled_free(other);
        tabled_free(t);
    }
}

/* Columns that a view repeats are shuffled as in the first: all alike where no sample lacks a view,
 * and nearly all elsewhere. Another view of as many columns is shuffled by itself. */
static void copies_of_a_view_stay_copies(void **state)
{
    (void)state;
    enum { SOME = 200, WIDTH = 3, COPY = 2, COPIES = 3 };
    static double x[COPIES][SOME * WIDTH], y[COPIES][SOME * WIDTH];
    uint8_t present[SOME * COPIES];
    for (size_t v = 0; v < COPIES; v++)
        check_random(50 + v % COPY, 0, WIDTH, SOME, x[v]); /* the third is the first */
    for (int lacking = 0; lacking < 2; lacking++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        of_arena arena = of_arena_make(context);
        onefold_dataset *data;
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        of_fit_plan plan;
        of_sample shuffled;
        size_t row[COPIES] = {0}, both = 0, alike = 0;
        options.clusters = 2;
        CHECK_OK(onefold_dataset_create(&data, context, SOME));
        for (size_t v = 0; v < COPIES; v++)
            CHECK_OK(onefold_dataset_add_dense(data, NULL, x[v], WIDTH, WIDTH, 1));
        for (size_t e = 0; e < SOME * COPIES; e++)
            present[e] = !lacking || e / COPIES % 20 != 4 * (e % COPIES);
        CHECK_OK(onefold_dataset_set_present(data, present));
        CHECK_OK(of_fit_plan_make(context, &arena, &data->set, &options, &plan));
        CHECK_OK(of_table_shuffle(context, &arena, &plan.problem, &shuffled));
        for (size_t v = 0; v < COPIES; v++)
            CHECK_OK(of_view_read(shuffled.problem.kernels[v].view, 0,
                                  shuffled.problem.kernels[v].view->samples, y[v], WIDTH));
        for (size_t j = 0; j < SOME; j++) {
            if (present[j * COPIES] && present[j * COPIES + COPY]) {
                both++;
                alike += memcmp(y[0] + row[0] * WIDTH, y[COPY] + row[COPY] * WIDTH,
                                WIDTH * sizeof(double)) == 0;
            }
            for (size_t v = 0; v < COPIES; v++)
                row[v] += present[j * COPIES + v];
        }
        assert_true(lacking ? alike > both * 3 / 5 : alike == both);
        assert_memory_not_equal(y[0], y[1], sizeof y[0]);
        for (size_t v = 0; v < COPIES && !lacking; v++)
            for (size_t c = 0; c < WIDTH; c++)
                assert_true(check_column(SOME, WIDTH, x[v] + c, y[v] + c) > SOME / 2);
        onefold_dataset_free(data);
        of_arena_free(&arena);
        onefold_context_free(context);
    }
}

/* ---- subsamples ------------------------------------------------------------------------------ */

static double distance(const tabled *t, size_t view, size_t i, size_t j)
{
    const double *G = t->gram[view];
    return G[i + i * N] + G[j + j * N] - 2 * G[i + j * N];
}

/* How many samples of the fold have the view and are nearer to sample j than sample i. */
static size_t nearer(const tabled *t, const of_fold *fold, size_t view, size_t j, size_t i)
{
    size_t count = 0;
    for (size_t o = 0; o < fold->n; o++)
        count += o != j && o != i && t->has[view][fold->at[o]] &&
                 distance(t, view, fold->at[j], fold->at[o]) <
                     distance(t, view, fold->at[j], fold->at[i]) - 1e-9;
    return count;
}

static void check_neighbours(const tabled *t, const of_fold *fold, size_t view)
{
    enum { TIES = 8 };
    const of_sparse *knn = &fold->knn[view];
    for (size_t j = 0; j < fold->n; j++) {
        const uint32_t *near = fold->near[view] + j * OF_TABLE_VOTES;
        int has = t->has[view][fold->at[j]], own = 0;
        for (size_t e = 0; e < OF_TABLE_VOTES; e++) {
            assert_true((near[e] != UINT32_MAX) == has);
            if (!has)
                continue;
            assert_true(near[e] != j && t->has[view][fold->at[near[e]]]);
            assert_true(nearer(t, fold, view, j, near[e]) < OF_TABLE_VOTES);
            for (size_t o = 0; o < e; o++)
                assert_true(near[o] != near[e]);
        }
        assert_int_equal(knn->start[j + 1] - knn->start[j], has ? TIES : 0);
        double sum = 0;
        for (size_t e = knn->start[j]; e < knn->start[j + 1]; e++) {
            own += knn->index[e] == j;
            sum += knn->value[e];
            assert_true(t->has[view][fold->at[knn->index[e]]]);
            assert_true(nearer(t, fold, view, j, knn->index[e]) < TIES);
        }
        assert_int_equal(own, has);
        CHECK_CLOSE(sum, has, 1e-12, 1e-12);
    }
}

/* Rows of orthogonal directions of unit length in the space of the samples that have the view. */
static void check_base(const tabled *t, const of_fold *fold, size_t view)
{
    size_t k = t->plan.options.dims;
    const double *H = fold->H[view];
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t j = 0; j < fold->n; j++)
                sum += H[a + j * k] * H[b + j * k];
            CHECK_CLOSE(sum, a == b, 0, 1e-9);
        }
}

static void subsamples_are_of_different_samples_with_their_own_neighbours(void **state)
{
    (void)state;
    for (int lacking = 0; lacking < 2; lacking++) {
        tabled *t = tabled_make(1, lacking, 1, 0);
        of_fold fold[3];
        size_t together = 0;
        CHECK_OK(of_fold_make(t->context, &t->arena, &t->table, N, 0, OF_RECIPES_ALL, &fold[0]));
        for (size_t f = 1; f < 3; f++)
            CHECK_OK(
                of_fold_make(t->context, &t->arena, &t->table, FEW, f, OF_RECIPES_ALL, &fold[f]));
        for (size_t j = 0; j < N; j++)
            assert_int_equal(fold[0].at[j], j);
        for (size_t f = 1; f < 3; f++)
            for (size_t j = 0; j < FEW; j++)
                assert_true(fold[f].at[j] < N && (j == 0 || fold[f].at[j] > fold[f].at[j - 1]));
        for (size_t i = 0, j = 0; i < FEW; i++) {
            while (j < FEW && fold[2].at[j] < fold[1].at[i])
                j++;
            together += j < FEW && fold[2].at[j] == fold[1].at[i];
        }
        assert_true(together > FEW / 2 && together < FEW); /* 64 % of all samples */
        for (size_t v = 0; v < VIEWS; v++) {
            check_neighbours(t, &fold[0], v);
            check_neighbours(t, &fold[1], v);
            check_base(t, &fold[1], v);
        }
        tabled_free(t);
    }
}

/* As many as a cluster of mean size has beside a sample, at least 2 and at most 16. */
static void no_more_neighbours_vote_than_a_cluster_has(void **state)
{
    (void)state;
    static const size_t CASE[][2] = {{3, 16}, {20, 13}, {40, 6}, {70, 3}, {140, 2}};
    tabled *t = tabled_make(1, 0, 1, 0);
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        of_fold fold;
        t->table.mu = CASE[i][0];
        CHECK_OK(of_fold_make(t->context, &t->arena, &t->table, N, 0, OF_RECIPES_ALL, &fold));
        for (size_t e = 0; e < OF_TABLE_VOTES; e++)
            for (size_t j = 0; j < N; j++)
                assert_int_equal(fold.near[0][j * OF_TABLE_VOTES + e] != UINT32_MAX,
                                 e < CASE[i][1]);
    }
    tabled_free(t);
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* A matrix of known eigenvectors: cosines. Few samples by all eigenvectors, more by a block. */
static void leading_eigenvectors_and_centring(void **state)
{
    (void)state;
    enum { ROWS = 5 };
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (size_t n = 120; n <= 400; n += 280) {
        double *Q = malloc(n * ROWS * sizeof *Q), *K = calloc(n * n, sizeof *K),
               *H = malloc(n * ROWS * sizeof *H), *mean = malloc(n * sizeof *mean);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t j = 0; j < n; j++)
                Q[j + r * n] = sqrt(2 / (double)n) *
                               cos(acos(-1) / (double)n * ((double)j + 0.5) * (double)(r + 1));
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                for (size_t r = 0; r < ROWS; r++)
                    K[i + j * n] += pow(0.5, (double)r) * Q[i + r * n] * Q[j + r * n];
        CHECK_OK(of_fold_lead(context, n, K, ROWS - 1, H));
        for (size_t r = 0; r + 1 < ROWS; r++) {
            double along = 0;
            for (size_t j = 0; j < n; j++)
                along += Q[j + r * n] * H[r + j * (ROWS - 1)];
            CHECK_CLOSE(fabs(along), 1, 1e-3, 0);
        }
        for (size_t e = 0; e < n * n; e++)
            K[e] += 3; /* cosines have mean 0: centring takes the constant off */
        of_fold_centre(n, K, mean);
        double sum = 0;
        for (size_t r = 0; r < ROWS; r++)
            sum += pow(0.5, (double)r) * Q[r * n] * Q[n - 1 + r * n];
        CHECK_CLOSE(K[n - 1], sum, 1e-10, 1e-12);
        free(Q);
        free(K);
        free(H);
        free(mean);
    }
    onefold_context_free(context);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void subsamples_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const int THREADS[] = {1, 2, 3, 8};
    tabled *first = tabled_make(0.5, 1, 1, 0);
    of_fold one;
    double weights[VIEWS] = {0.6, 0.4};
    CHECK_OK(
        of_fold_make(first->context, &first->arena, &first->null, FEW, 5, OF_RECIPES_ALL, &one));
    CHECK_OK(of_fold_label(first->context, &first->arena, weights, &one));
    for (size_t i = 1; i < sizeof THREADS / sizeof *THREADS; i++) {
        tabled *t = tabled_make(0.5, 1, THREADS[i], 0);
        of_fold fold;
        CHECK_OK(of_fold_make(t->context, &t->arena, &t->null, FEW, 5, OF_RECIPES_ALL, &fold));
        CHECK_OK(of_fold_label(t->context, &t->arena, weights, &fold));
        assert_memory_equal(fold.at, one.at, FEW * sizeof *one.at);
        for (size_t v = 0; v < VIEWS; v++) {
            assert_memory_equal(t->null.gram[v], first->null.gram[v], N * N * sizeof(double));
            assert_memory_equal(fold.H[v], one.H[v], t->plan.options.dims * FEW * sizeof(double));
            assert_memory_equal(fold.near[v], one.near[v], OF_TABLE_VOTES * FEW * sizeof(uint32_t));
        }
        for (size_t r = 0; r < OF_RECIPES; r++)
            assert_memory_equal(fold.labels[r], one.labels[r], FEW * sizeof(int32_t));
        assert_memory_equal(fold.told, one.told, OF_RECIPES * VIEWS * sizeof(double));
        tabled_free(t);
    }
    tabled_free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_matrices_are_those_of_their_definition),
        cmocka_unit_test(links_in_common_are_kept),
        cmocka_unit_test(the_size_of_a_table),
        cmocka_unit_test(shuffled_columns_keep_their_values_and_categories_stay_whole),
        cmocka_unit_test(copies_of_a_view_stay_copies),
        cmocka_unit_test(subsamples_are_of_different_samples_with_their_own_neighbours),
        cmocka_unit_test(no_more_neighbours_vote_than_a_cluster_has),
        cmocka_unit_test(leading_eigenvectors_and_centring),
        cmocka_unit_test(subsamples_have_the_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
