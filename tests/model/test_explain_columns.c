/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that set clusters apart: those of a literal restatement, bit for bit over threads. */
#include "model/fit.h"

#include "base/random.h"
#include "support/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 260, D = 24, CLUSTERS = 5, MOST = 6 };

/* ---- the restatement ---------------------------------------------------------------------- */

/* Pearson's correlation of x with a 0/1 list, as its definition has it; 0 where either is constant.
 */
static double correlation(size_t n, const double *x, size_t step, const int32_t *labels,
                          int32_t cluster)
{
    long double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0, size = 0;
    for (size_t j = 0; j < n; j++) {
        mean_x += x[j * step] / (long double)n;
        mean_y += (labels[j] == cluster) / (long double)n;
        size += (long double)x[j * step] * x[j * step];
    }
    for (size_t j = 0; j < n; j++) {
        long double a = x[j * step] - mean_x, b = (labels[j] == cluster) - mean_y;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return xx > 1e-24L * size && yy > 0 ? (double)(xy / sqrtl(xx * yy)) : 0;
}

static int varies(size_t n, const double *x, size_t step)
{
    for (size_t j = 1; j < n; j++)
        if (fabs(x[j * step] - x[0]) > 1e-9 * fabs(x[0]))
            return 1;
    return 0;
}

/* What must pass: the level of chance, written again. */
static double level(size_t n, size_t columns)
{
    double z = sqrt(2 * log(2 * (double)columns / 0.05));
    return (exp(2 * z / sqrt((double)n - 3)) - 1) / (exp(2 * z / sqrt((double)n - 3)) + 1);
}

/* Columns by falling |r|, found one after the other. */
static size_t literal(const of_kernel *kernel, const int32_t *labels, int32_t cluster, size_t most,
                      onefold_column *found)
{
    size_t n = kernel->view->samples, d = of_kernel_columns(kernel), count = 0, varying = 0;
    double *all = malloc(n * of_kernel_tile_rows(kernel) * sizeof *all), *r = malloc(d * sizeof *r);
    assert_true(all && r);
    of_kernel_tile(kernel, 0, n, all);
    for (size_t i = 0; i < d; i++) {
        r[i] = correlation(n, all + i, d, labels, cluster);
        varying += (size_t)varies(n, all + i, d);
    }
    while (count < most) {
        size_t best = 0;
        for (size_t i = 1; i < d; i++)
            best = fabs(r[i]) > fabs(r[best]) + 1e-13 ? i : best;
        if (!(fabs(r[best]) > level(n, varying)))
            break;
        found[count++] =
            (onefold_column){NULL, kernel->prep.kept ? kernel->prep.kept[best] : best, r[best]};
        r[best] = 0;
    }
    free(all);
    free(r);
    return count;
}

/* ---- data --------------------------------------------------------------------------------- */

static int32_t labels[N];

/* Cluster c has more in columns 3c and 3c + 1 than the others; column 3 is constant, columns 17 and
 * 18 are the same. No sample is in the last cluster. */
static void make_values(double *values)
{
    check_random(77, 0, D, N, values);
    for (size_t j = 0; j < N; j++) {
        labels[j] = (int32_t)(j * j % 7 % (CLUSTERS - 1));
        values[j * D + 3 * (size_t)labels[j]] += 2;
        values[j * D + 3 * (size_t)labels[j] + 1] -= 1;
        values[j * D + 17] += labels[j] == 1;
        values[j * D + 18] = values[j * D + 17];
        values[j * D + 3] = 12.5;
        values[j * D + 7] = values[j * D + 7] * 1e-3 + 400; /* small changes of something large */
    }
}

/* Counts, mostly 0. */
static void make_counts(double *values)
{
    make_values(values);
    for (size_t e = 0; e < N * D; e++)
        values[e] = values[e] > 1 && e % D != 7 && e % D != 3 ? floor(2 * values[e]) : 0;
}

static onefold_dataset *dataset_of(const double *values, int sparse)
{
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    if (!sparse) {
        CHECK_OK(onefold_dataset_add_dense(data, "dense", values, D, D, 1));
        return data;
    }
    static size_t start[N + 1];
    static uint32_t column[N * D];
    static double value[N * D];
    size_t count = 0;
    for (size_t j = 0; j < N; j++) {
        for (size_t i = 0; i < D; i++)
            if (values[j * D + i] != 0) {
                column[count] = (uint32_t)i;
                value[count++] = values[j * D + i];
            }
        start[j + 1] = count;
    }
    CHECK_OK(onefold_dataset_add_sparse(data, "sparse", D, start, column, value));
    return data;
}

/* ---- tests -------------------------------------------------------------------------------- */

/* What rounding may do: sparse features are not shifted before they are added, so it goes with how
 * large a column is beside its deviation. */
static double rounding(const of_kernel *kernel, size_t raw_column)
{
    double mean = 0, square = 0, x[D];
    for (size_t j = 0; j < N; j++) {
        of_view_tile(kernel->view, j, 1, x, D);
        mean += x[raw_column] / N;
        square += x[raw_column] * x[raw_column] / N;
    }
    return 1e-12 + 4 * DBL_EPSILON * fabs(mean) / sqrt(square - mean * mean);
}

static void check_kernel(const of_kernel *kernel, size_t *named)
{
    size_t count[CLUSTERS];
    onefold_column found[CLUSTERS * MOST], want[MOST];
    CHECK_OK(of_explain_columns(of_context_or_default(NULL), kernel, labels, CLUSTERS, MOST, 1,
                                count, found));
    for (size_t c = 0; c < CLUSTERS; c++) {
        assert_int_equal(count[c], literal(kernel, labels, (int32_t)c, MOST, want));
        for (size_t r = 0; r < count[c]; r++) {
            assert_int_equal(found[c * MOST + r].index, want[r].index);
            CHECK_CLOSE(found[c * MOST + r].strength, want[r].strength, 0,
                        rounding(kernel, want[r].index));
            assert_true(found[c * MOST + r].index != 3); /* constant */
        }
        *named += count[c];
    }
    assert_int_equal(count[CLUSTERS - 1], 0); /* the empty cluster */
}

static void strengths_are_those_of_a_literal_restatement(void **state)
{
    (void)state;
    static double values[N * D];
    static const struct {
        of_kernel_kind kind;
        int counts, sparse;
    } cases[] = {
        {OF_KERNEL_RBF, 0, 0},    {OF_KERNEL_LINEAR, 0, 0}, {OF_KERNEL_COSINE, 0, 0},
        {OF_KERNEL_AUTO, 1, 0},   {OF_KERNEL_AUTO, 1, 1},   {OF_KERNEL_LINEAR, 1, 1},
        {OF_KERNEL_COSINE, 1, 1}, {OF_KERNEL_RBF, 1, 1},    {OF_KERNEL_RBF, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OF_SCRATCH(scratch, of_context_or_default(NULL));
        of_kernel kernel;
        size_t named = 0;
        if (cases[i].counts)
            make_counts(values);
        else
            make_values(values);
        onefold_dataset *data = dataset_of(values, cases[i].sparse);
        CHECK_OK(
            of_kernel_make(scratch.context, &scratch, &data->set.views[0], cases[i].kind, &kernel));
        if (cases[i].kind == OF_KERNEL_AUTO)
            assert_int_equal(kernel.prep.kind, OF_PREP_TFIDF);
        check_kernel(&kernel, &named);
        assert_true(named >= 8); /* what was planted stands out */
        onefold_dataset_free(data);
    }
}

/* A link to the members of one's own cluster sets it apart. */
static void a_graph_is_explained_too(void **state)
{
    (void)state;
    enum { SIDE = 40 };
    static double values[SIDE * SIDE];
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    onefold_dataset *data = NULL;
    of_kernel kernel;
    for (size_t j = 0; j < SIDE; j++) {
        labels[j] = (int32_t)(j % 2);
        for (size_t i = 0; i < 6; i++)
            values[j * SIDE + i] = i % 2 == j % 2; /* six hubs, known in their own cluster only */
    }
    CHECK_OK(onefold_dataset_create(&data, NULL, SIDE));
    CHECK_OK(onefold_dataset_add_dense(data, "links", values, SIDE, SIDE, 1));
    CHECK_OK(
        of_kernel_make(scratch.context, &scratch, &data->set.views[0], OF_KERNEL_GRAPH, &kernel));
    size_t count[2];
    onefold_column found[2 * MOST], want[MOST];
    CHECK_OK(
        of_explain_columns(of_context_or_default(NULL), &kernel, labels, 2, MOST, 1, count, found));
    for (size_t c = 0; c < 2; c++) {
        assert_int_equal(count[c], literal(&kernel, labels, (int32_t)c, MOST, want));
        assert_int_equal(count[c], 6);
        for (size_t r = 0; r < 6; r++) {
            assert_true(found[c * MOST + r].index < 6);
            CHECK_CLOSE(fabs(found[c * MOST + r].strength), fabs(want[r].strength), 0, 1e-12);
            assert_int_equal(found[c * MOST + r].strength > 0, found[c * MOST + r].index % 2 == c);
        }
    }
    onefold_dataset_free(data);
}

static void equal_columns_come_in_their_order(void **state)
{
    (void)state;
    static double values[N * D];
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    of_kernel kernel;
    size_t count[CLUSTERS];
    onefold_column found[CLUSTERS * D];
    make_values(values);
    onefold_dataset *data = dataset_of(values, 0);
    CHECK_OK(
        of_kernel_make(scratch.context, &scratch, &data->set.views[0], OF_KERNEL_RBF, &kernel));
    CHECK_OK(of_explain_columns(of_context_or_default(NULL), &kernel, labels, CLUSTERS, D, 1, count,
                                found));
    size_t at = 0;
    while (at < count[1] && found[D + at].index != 17)
        at++;
    assert_true(at + 1 < count[1]);
    assert_int_equal(found[D + at + 1].index, 18);
    assert_true(found[D + at].strength == found[D + at + 1].strength);
    onefold_dataset_free(data);
}

/* Clusters and columns whose sums take several blocks: the same as one by one. */
static void many_clusters_take_several_passes(void **state)
{
    (void)state;
    enum { WIDE = 3 << 19, SAMPLES = 48, PARTS = 3 };
    static size_t start[SAMPLES + 1];
    static uint32_t column[2 * SAMPLES];
    static double value[2 * SAMPLES];
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    onefold_dataset *data = NULL;
    of_kernel kernel;
    for (size_t j = 0; j < SAMPLES; j++) {
        labels[j] = (int32_t)(j % PARTS);
        column[2 * j] = (uint32_t)(100 * (j % PARTS) + 5); /* of its own cluster, but for one */
        column[2 * j + 1] = (uint32_t)(WIDE - 1 - j);      /* of its own */
        value[2 * j] = 1 + (double)(j % 4);
        value[2 * j + 1] = 1;
        start[j + 1] = 2 * j + 2;
    }
    column[0] = 105;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    CHECK_OK(onefold_dataset_add_sparse(data, "wide", WIDE, start, column, value));
    CHECK_OK(
        of_kernel_make(scratch.context, &scratch, &data->set.views[0], OF_KERNEL_LINEAR, &kernel));
    size_t count[PARTS];
    onefold_column found[PARTS * 2];
    CHECK_OK(of_explain_columns(of_context_or_default(NULL), &kernel, labels, PARTS, 2, 1, count,
                                found));
    for (size_t c = 0; c < PARTS; c++) {
        double x[SAMPLES] = {0};
        assert_true(count[c] >= 1);
        assert_int_equal(found[2 * c].index, 100 * c + 5);
        for (size_t j = 0; j < SAMPLES; j++)
            x[j] = column[2 * j] == 100 * c + 5 ? value[2 * j] : 0;
        CHECK_CLOSE(found[2 * c].strength, correlation(SAMPLES, x, 1, labels, (int32_t)c), 0,
                    1e-12);
    }
    onefold_dataset_free(data);
}

/* Of columns that are independent of the clusters, one is above the level in few of many trials. */
static void chance_rarely_passes_its_level(void **state)
{
    (void)state;
    enum { TRIES = 400, SAMPLES = 60, COLUMNS = 30 };
    static double values[SAMPLES * COLUMNS];
    size_t passed = 0;
    for (size_t j = 0; j < SAMPLES; j++)
        labels[j] = j % 3 == 0;
    for (size_t t = 0; t < TRIES; t++) {
        double largest = 0;
        check_random(5, t, COLUMNS, SAMPLES, values);
        for (size_t i = 0; i < COLUMNS; i++)
            largest = fmax(largest, fabs(correlation(SAMPLES, values + i, COLUMNS, labels, 1)));
        passed += largest > of_explain_chance(SAMPLES, COLUMNS);
    }
    assert_true(passed <= TRIES / 20);
    assert_true(of_explain_chance(SAMPLES, COLUMNS) < 0.55); /* and it is no wall either */
    assert_true(of_explain_chance(3, 1) >= 1);
    assert_true(of_explain_chance(6, 10) < 1);
    assert_true(of_explain_chance(1000000, 100) < 0.005);
    for (size_t columns = 1; columns < 1000; columns *= 3)
        CHECK_CLOSE(of_explain_chance(500, columns), level(500, columns), 1e-12, 0);
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    static double values[N * D];
    static const int threads[] = {1, 2, 3, 8};
    for (int sparse = 0; sparse < 2; sparse++) {
        size_t first_count[CLUSTERS];
        onefold_column first[CLUSTERS * MOST];
        make_counts(values);
        onefold_dataset *data = dataset_of(values, sparse);
        for (size_t t = 0; t < 4; t++) {
            onefold_context *context = NULL;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads[t]));
            OF_SCRATCH(scratch, context);
            of_kernel kernel;
            size_t count[CLUSTERS];
            onefold_column found[CLUSTERS * MOST];
            memset(found, 0, sizeof found);
            CHECK_OK(of_kernel_make(context, &scratch, &data->set.views[0],
                                    sparse ? OF_KERNEL_COSINE : OF_KERNEL_RBF, &kernel));
            CHECK_OK(of_explain_columns(context, &kernel, labels, CLUSTERS, MOST, 1, count, found));
            if (t == 0) {
                memcpy(first_count, count, sizeof count);
                memcpy(first, found, sizeof found);
            }
            assert_memory_equal(count, first_count, sizeof count);
            assert_memory_equal(found, first, sizeof found);
            of_arena_free(&scratch);
            onefold_context_free(context);
        }
        onefold_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strengths_are_those_of_a_literal_restatement),
        cmocka_unit_test(a_graph_is_explained_too),
        cmocka_unit_test(equal_columns_come_in_their_order),
        cmocka_unit_test(many_clusters_take_several_passes),
        cmocka_unit_test(chance_rarely_passes_its_level),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
