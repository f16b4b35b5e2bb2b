/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic data have the clusters, distances and density of the options, for any number of
 * threads. */
#include "data/dataset.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static of_dataset *make(onefold_context *context, const onefold_synth_options *options)
{
    onefold_dataset *dataset = NULL;
    CHECK_OK(onefold_dataset_synth(&dataset, context, options));
    return &dataset->set;
}

static void drop(of_dataset *dataset)
{
    onefold_dataset_free((onefold_dataset *)dataset);
}

static const double *dense(const of_view *view)
{
    assert_int_equal(view->storage, OF_DENSE);
    assert_int_equal(view->type, OF_F64);
    assert_int_equal(view->sample_step, view->columns);
    assert_int_equal(view->column_step, 1);
    return view->data;
}

/* Means of each class, columns x classes. free() it. */
static double *class_means(const of_dataset *dataset, const of_view *view)
{
    const double *value = dense(view);
    double *mean = calloc(view->columns * dataset->class_count, sizeof *mean);
    size_t *count = calloc(dataset->class_count, sizeof *count);
    for (size_t j = 0; j < dataset->samples; j++) {
        count[dataset->truth[j]]++;
        for (size_t i = 0; i < view->columns; i++)
            mean[i + (size_t)dataset->truth[j] * view->columns] += value[i + j * view->columns];
    }
    for (size_t e = 0; e < view->columns * dataset->class_count; e++)
        mean[e] /= (double)count[e / view->columns];
    free(count);
    return mean;
}

static double squared_distance(const double *mean, size_t columns, size_t a, size_t b)
{
    double total = 0;
    for (size_t i = 0; i < columns; i++)
        total += pow(mean[i + a * columns] - mean[i + b * columns], 2);
    return total;
}

static void the_defaults_are_those_of_the_header(void **state)
{
    (void)state;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    of_dataset *a = make(NULL, NULL), *b = make(NULL, &options);
    assert_int_equal(a->samples, 1000);
    assert_int_equal(a->view_count, 3);
    assert_int_equal(a->class_count, 5);
    for (size_t v = 0; v < 3; v++) {
        assert_int_equal(a->views[v].columns, 20);
        assert_memory_equal(dense(&a->views[v]), dense(&b->views[v]), 20 * 1000 * sizeof(double));
    }
    assert_string_equal(a->views[2].name, "view 3");
    assert_memory_equal(a->truth, b->truth, 1000 * sizeof *a->truth);
    drop(a);
    drop(b);
}

/* Noise has unit variance about the class means, whose distance is `separation`. */
static void noise_and_distances_are_as_asked(void **state)
{
    (void)state;
    size_t columns[2] = {10, 3};
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.samples = 40000;
    options.views = 2;
    options.clusters = 4;
    options.columns = columns;
    options.separation = 7;
    of_dataset *set = make(NULL, &options);
    for (size_t v = 0; v < 2; v++) {
        size_t d = columns[v], n = options.samples;
        assert_int_equal(set->views[v].columns, d);
        const double *value = dense(&set->views[v]);
        double *mean = class_means(set, &set->views[v]), within = 0, between = 0;
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < d; i++)
                within += pow(value[i + j * d] - mean[i + (size_t)set->truth[j] * d], 2);
        for (size_t a = 0; a < 4; a++)
            for (size_t b = 0; b < a; b++)
                between += squared_distance(mean, d, a, b) / 6;
        /* variance: five standard errors; distance: five, and what the noise in the means adds */
        CHECK_CLOSE(within / (double)((n - 4) * d), 1, 0, 5 * sqrt(2.0 / (double)(n * d)));
        CHECK_CLOSE(sqrt(between), 7, 0,
                    5 * sqrt(2.0 * 4 / (double)n) + 2.0 * (double)d * 4 / (double)n);
        free(mean);
    }
    drop(set);
}

static void clusters_are_all_there_and_alike_in_size(void **state)
{
    (void)state;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.views = 1;
    for (size_t n = 7; n < 40; n++) {
        options.samples = n;
        options.clusters = 7;
        of_dataset *set = make(NULL, &options);
        assert_int_equal(set->class_count, 7);
        drop(set);
    }
    options.samples = 50000;
    options.clusters = 10;
    of_dataset *set = make(NULL, &options);
    size_t count[10] = {0};
    for (size_t j = 0; j < 50000; j++)
        count[set->truth[j]]++;
    for (int c = 0; c < 10; c++)
        CHECK_CLOSE((double)count[c], 5000, 0, 5 * sqrt(50000 * 0.1 * 0.9));
    drop(set);
}

/* With noise, view v merges clusters e and e + 1 where e mod views = v; some view separates any two
 * clusters; and a share of the columns has the same mean in every class. */
static void noisy_views_take_different_pairs_for_one(void **state)
{
    (void)state;
    enum { CLUSTERS = 7, VIEWS = 3, COLUMNS = 10, SAMPLES = 70000 };
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.samples = SAMPLES;
    options.views = VIEWS;
    options.clusters = CLUSTERS;
    options.columns = (const size_t[]){COLUMNS, COLUMNS, COLUMNS};
    options.noise = 0.25; /* at most 2 pairs a view, 2 columns of 10 */
    options.separation = 5;
    of_dataset *set = make(NULL, &options);
    int apart[CLUSTERS][CLUSTERS] = {{0}};
    for (size_t v = 0; v < VIEWS; v++) {
        double *mean = class_means(set, &set->views[v]);
        for (size_t a = 0; a < CLUSTERS; a++)
            for (size_t b = 0; b < a; b++) {
                /* twice the variance of a mean of 10000, times a chi-square with 10 degrees */
                int same = squared_distance(mean, COLUMNS, a, b) < 2e-4 * 60;
                int expected = a == b + 1 && b % VIEWS == v;
                assert_int_equal(same, expected);
                apart[a][b] |= !same;
                for (size_t i = COLUMNS - 2; i < COLUMNS; i++)
                    CHECK_CLOSE(mean[i + a * COLUMNS], mean[i + b * COLUMNS], 0, 6 * sqrt(2e-4));
            }
        free(mean);
    }
    for (size_t a = 0; a < CLUSTERS; a++)
        for (size_t b = 0; b < a; b++)
            assert_true(apart[a][b]);
    drop(set);
}

static void one_view_tells_all_clusters_apart(void **state)
{
    (void)state;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.samples = 20000;
    options.views = 1;
    options.clusters = 2;
    options.noise = 0.5;
    of_dataset *set = make(NULL, &options);
    double *mean = class_means(set, &set->views[0]);
    CHECK_CLOSE(sqrt(squared_distance(mean, 20, 0, 1)), 4, 0, 0.1);
    free(mean);
    drop(set);
}

static void check_rows(const of_sparse *sparse)
{
    assert_int_equal(sparse->start[0], 0);
    for (size_t j = 0; j < sparse->rows; j++) {
        size_t first = sparse->start[j], end = sparse->start[j + 1];
        assert_true(end > first);
        for (size_t e = first; e < end; e++) {
            double value = sparse->value[e];
            assert_true(sparse->index[e] < sparse->columns);
            assert_true(e == first || sparse->index[e] > sparse->index[e - 1]);
            assert_true(value >= 1 && value == floor(value));
        }
    }
}

/* The density in a cluster's own columns, in those of others, and in those of noise. */
static void counts_are_as_dense_and_as_telling_as_asked(void **state)
{
    (void)state;
    static const struct {
        double density, separation, low, high;
    } cases[] = {{0.02, 4, 0.02 / 1.8, 0.1 / 1.8},
                 {0.3, 0, 0.3, 0.3},
                 {0.9, 4, 0.875, 1} /* no more than all */};
    enum { SAMPLES = 4000, COLUMNS = 200, CLUSTERS = 5 };
    for (int c = 0; c < 3; c++) {
        onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
        options.samples = SAMPLES;
        options.views = 1;
        options.clusters = CLUSTERS;
        options.columns = (const size_t[]){COLUMNS};
        options.density = cases[c].density;
        options.separation = cases[c].separation;
        options.noise = 0.25;
        of_dataset *set = make(NULL, &options);
        const of_sparse *sparse = &set->views[0].sparse;
        assert_int_equal(set->views[0].storage, OF_SPARSE);
        check_rows(&set->views[0].sparse);
        double own = 0, other = 0, none = 0, sum = 0;
        for (size_t j = 0; j < SAMPLES; j++)
            for (size_t e = sparse->start[j]; e < sparse->start[j + 1]; e++) {
                double *to = sparse->index[e] >= 150                               ? &none
                             : (int)(sparse->index[e] % CLUSTERS) == set->truth[j] ? &own
                                                                                   : &other;
                *to += 1;
                sum += sparse->value[e];
            }
        double entries = own + other + none;
        own /= SAMPLES * 30;
        other /= SAMPLES * 120;
        none /= SAMPLES * 50;
        /* five standard errors, and the entry that an empty sample is given */
        CHECK_CLOSE(own, cases[c].high, 0, 5 * sqrt(cases[c].high / (SAMPLES * 30)) + 1e-3);
        CHECK_CLOSE(other, cases[c].low, 0, 5 * sqrt(cases[c].low / (SAMPLES * 120)));
        CHECK_CLOSE(none, cases[c].density, 0, 5 * sqrt(cases[c].density / (SAMPLES * 50)));
        CHECK_CLOSE(sum / entries, 2, 0, 5 * sqrt(2 / entries)); /* 1 + geometric */
        drop(set);
    }
}

/* Time and memory depend on the entries: these views have 4 * 10^12 elements. */
static void very_wide_sparse_views_are_cheap(void **state)
{
    (void)state;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.views = 1;
    options.clusters = 3;
    options.columns = (const size_t[]){UINT32_MAX};
    options.density = 1e-8;
    of_dataset *set = make(NULL, &options);
    check_rows(&set->views[0].sparse);
    double entries = (double)set->views[0].sparse.start[1000];
    CHECK_CLOSE(entries, 42949.67, 0, 5 * sqrt(42949.67));
    drop(set);
}

/* Fewer columns than clusters: some clusters have no column of their own. */
static void few_columns_will_do(void **state)
{
    (void)state;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.views = 2;
    options.columns = (const size_t[]){1, 2};
    options.noise = 0.99;
    options.density = 0.1;
    of_dataset *set = make(NULL, &options);
    check_rows(&set->views[0].sparse);
    check_rows(&set->views[1].sparse);
    drop(set);
    options.density = 1;
    set = make(NULL, &options);
    for (size_t v = 0; v < set->view_count; v++)
        assert_true(of_view_is_finite(&set->views[v], 0, set->samples));
    drop(set);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (int sparse = 0; sparse < 2; sparse++) {
        onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
        options.samples = 20011;
        options.noise = 0.3;
        options.density = sparse ? 0.1 : 1;
        options.seed = 99;
        CHECK_OK(onefold_context_set_threads(context, 1));
        of_dataset *first = make(context, &options);
        static const int threads[] = {2, 3, 8};
        for (int t = 0; t < 3; t++) {
            CHECK_OK(onefold_context_set_threads(context, threads[t]));
            of_dataset *set = make(context, &options);
            assert_memory_equal(first->truth, set->truth, options.samples * sizeof *set->truth);
            for (size_t v = 0; v < 3; v++) {
                const of_view *a = &first->views[v], *b = &set->views[v];
                if (!sparse) {
                    assert_memory_equal(dense(a), dense(b), 20 * options.samples * sizeof(double));
                    continue;
                }
                size_t entries = of_sparse_entries(&a->sparse);
                assert_memory_equal(a->sparse.start, b->sparse.start,
                                    (options.samples + 1) * sizeof(size_t));
                assert_memory_equal(a->sparse.index, b->sparse.index, entries * sizeof(uint32_t));
                assert_memory_equal(a->sparse.value, b->sparse.value, entries * sizeof(double));
            }
            drop(set);
        }
        drop(first);
    }
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
}

static void seeds_and_views_differ_and_more_samples_only_add(void **state)
{
    (void)state;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    of_dataset *zero = make(NULL, &options);
    options.seed = 1;
    of_dataset *one = make(NULL, &options);
    assert_memory_not_equal(dense(&zero->views[0]), dense(&one->views[0]), 8);
    assert_memory_not_equal(dense(&zero->views[0]), dense(&zero->views[1]), 8);
    options.samples = 2000;
    of_dataset *more = make(NULL, &options);
    assert_memory_equal(dense(&one->views[2]), dense(&more->views[2]), 20 * 1000 * sizeof(double));
    assert_memory_equal(one->truth, more->truth, 1000 * sizeof *one->truth);
    drop(zero);
    drop(one);
    drop(more);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    onefold_dataset *dataset = (onefold_dataset *)&dataset, *untouched = dataset;
#define REFUSED(member, bad, status, text)                                                         \
    do {                                                                                           \
        onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;                                \
        options.member = bad;                                                                      \
        CHECK_FAILS(onefold_dataset_synth(&dataset, NULL, &options), status, text);                \
        assert_ptr_equal(dataset, untouched);                                                      \
    } while (0)
    REFUSED(samples, 0, ONEFOLD_USAGE, "at least one sample");
    REFUSED(views, 0, ONEFOLD_USAGE, "at least one sample, one view");
    REFUSED(clusters, 0, ONEFOLD_USAGE, "one cluster");
    REFUSED(samples, 4, ONEFOLD_USAGE, "5 clusters cannot be made from 4 samples");
    REFUSED(views, 1 << 20, ONEFOLD_USAGE, "more than can be made");
    REFUSED(columns, ((const size_t[]){3, 0, 3}), ONEFOLD_USAGE, "view 2 cannot have 0 columns");
    REFUSED(separation, -1, ONEFOLD_USAGE, "separation is a number from 0 up, not -1");
    REFUSED(separation, NAN, ONEFOLD_USAGE, "separation is a number from 0 up");
    REFUSED(noise, 1, ONEFOLD_USAGE, "noise is a share");
    REFUSED(density, 0, ONEFOLD_USAGE, "density is a share");
    REFUSED(density, NAN, ONEFOLD_USAGE, "density is a share");
    REFUSED(missing, -0.1, ONEFOLD_USAGE, "missing is a share");
    REFUSED(missing, 0.9, ONEFOLD_USAGE, "every sample needs one");
    CHECK_FAILS(onefold_dataset_synth(NULL, NULL, NULL), ONEFOLD_USAGE, "no place");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (int sparse = 0; sparse < 2; sparse++) {
        onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
        options.density = sparse ? 0.5 : 1;
        onefold_dataset *dataset = NULL;
        for (long failing = 0;; failing++) {
            atomic_store(&context->allocations_until_failure, failing);
            onefold_status status = onefold_dataset_synth(&dataset, context, &options);
            if (status == ONEFOLD_OK)
                break;
            assert_int_equal(status, ONEFOLD_NO_MEMORY);
            assert_null(dataset);
            assert_int_equal(atomic_load(&context->bytes), 0);
        }
        onefold_dataset_free(dataset);
        assert_int_equal(atomic_load(&context->bytes), 0);
    }
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_defaults_are_those_of_the_header),
        cmocka_unit_test(noise_and_distances_are_as_asked),
        cmocka_unit_test(clusters_are_all_there_and_alike_in_size),
        cmocka_unit_test(noisy_views_take_different_pairs_for_one),
        cmocka_unit_test(one_view_tells_all_clusters_apart),
        cmocka_unit_test(counts_are_as_dense_and_as_telling_as_asked),
        cmocka_unit_test(very_wide_sparse_views_are_cheap),
        cmocka_unit_test(few_columns_will_do),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(seeds_and_views_differ_and_more_samples_only_add),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
