/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the columns that set clusters apart: the right ones, from the whole of a fit. */
#include "onefold.h"

#include "support/ask.h"
#include "support/memory.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 240, CLUSTERS = 3, TERMS = 60 };

static const char *const measures[] = {"height", "weight", "", "age", "constant", "luck"};
enum { MEASURES = sizeof measures / sizeof *measures };

/* Cluster 0 is tall and young, cluster 1 is heavy, cluster 2 has much in the third column, which
 * has no name. */
static void add_measures(onefold_dataset *data, double scale, double shift)
{
    static double values[N * MEASURES];
    check_random(31, 0, MEASURES, N, values);
    for (size_t j = 0; j < N; j++) {
        double *x = values + j * MEASURES;
        size_t cluster = j % CLUSTERS;
        x[cluster] += 8;
        x[3] -= cluster == 0 ? 5 : 0;
        x[4] = 7;
        for (size_t i = 0; i < MEASURES; i++)
            x[i] = shift + scale * x[i];
    }
    CHECK_OK(onefold_dataset_add_dense(data, "measures", values, MEASURES, MEASURES, 1));
    CHECK_OK(onefold_dataset_set_column_names(data, onefold_dataset_describe(data)->views - 1,
                                              measures));
}

/* Counts of 60 words, of which cluster c alone has words 20c to 20c + 4, and all have the last. */
static void add_words(onefold_dataset *data)
{
    static size_t start[N + 1];
    static uint32_t column[N * TERMS];
    static double value[N * TERMS];
    static char text[TERMS][16];
    const char *names[TERMS];
    size_t count = 0;
    for (size_t j = 0; j < N; j++) {
        uint64_t random = 3000 + j;
        size_t cluster = j % CLUSTERS;
        for (uint32_t i = 0; i < TERMS; i++) {
            int own = i / 20 == cluster && i % 20 < 5;
            double chance = own ? 0.7 : i % 20 < 5 && i != 0 ? 0 : 0.08;
            if (i + 1 == TERMS || check_uniform(&random) < chance) {
                column[count] = i;
                value[count++] = 1 + floor(4 * check_uniform(&random));
            }
        }
        start[j + 1] = count;
    }
    for (size_t i = 0; i < TERMS; i++) {
        snprintf(text[i], sizeof text[i], "word%zu", i);
        names[i] = text[i];
    }
    CHECK_OK(onefold_dataset_add_sparse(data, "words", TERMS, start, column, value));
    CHECK_OK(
        onefold_dataset_set_column_names(data, onefold_dataset_describe(data)->views - 1, names));
}

static onefold_result *fitted(const onefold_dataset *data, size_t explain, const char *method,
                              onefold_fit_info *info)
{
    onefold_result *result = NULL;
    onefold_fit_options options = paper_options();
    options.clusters = CLUSTERS;
    options.method = method;
    options.explain = explain;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    *info = *onefold_result_describe(result);
    return result;
}

/* The columns of the cluster that sample j, whose true cluster is j, is in. */
static const onefold_column *columns_of(const onefold_fit_info *info, const onefold_result *result,
                                        size_t j, size_t view, size_t *count)
{
    static onefold_column columns[64];
    size_t cluster = (size_t)onefold_result_describe(result)->labels[j];
    const onefold_column *column;
    for (*count = 0; (column = onefold_result_column(result, view, cluster, *count)); ++*count) {
        assert_true(*count < info->explain && *count < 64);
        columns[*count] = *column;
    }
    return columns;
}

static void check_measures(const onefold_fit_info *info, const onefold_result *result, size_t view)
{
    size_t count;
    const onefold_column *it = columns_of(info, result, 0, view, &count);
    assert_true(count >= 2);
    assert_string_equal(it[0].name, "height");
    assert_true(it[0].strength > 0.8 && it[0].index == 0);
    assert_string_equal(it[1].name, "age");
    assert_true(it[1].strength < -0.7 && it[1].index == 3);
    it = columns_of(info, result, 1, view, &count);
    assert_string_equal(it[0].name, "weight");
    assert_true(it[0].strength > 0.8);
    it = columns_of(info, result, 2, view, &count);
    assert_string_equal(it[0].name, "column 3");
    for (size_t c = 0; c < CLUSTERS; c++) {
        it = columns_of(info, result, c, view, &count);
        for (size_t r = 0; r < count; r++)
            assert_true(strcmp(it[r].name, "luck") != 0 && strcmp(it[r].name, "constant") != 0);
    }
}

static void check_words(const onefold_fit_info *info, const onefold_result *result, size_t view)
{
    for (size_t c = 0; c < CLUSTERS; c++) {
        size_t count, own = 0;
        const onefold_column *it = columns_of(info, result, c, view, &count);
        assert_true(count >= 5);
        for (size_t r = 0; r < 5; r++) /* its own words come before what it lacks of the others */
            own += it[r].index / 20 == c && it[r].index % 20 < 5 && it[r].strength > 0.4;
        assert_int_equal(own, 5);
        for (size_t r = 0; r < count; r++) {
            char name[16];
            snprintf(name, sizeof name, "word%zu", it[r].index);
            assert_string_equal(it[r].name, name);
            assert_true(it[r].index + 1 != TERMS); /* a word in all samples separates none */
            assert_true(r == 0 || fabs(it[r].strength) <= fabs(it[r - 1].strength));
        }
    }
}

static void the_right_columns_are_named(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        static const char *const methods[] = {NULL, "avg-kkm", "mkkm"};
        onefold_dataset *data = NULL;
        onefold_fit_info info;
        CHECK_OK(onefold_dataset_create(&data, NULL, N));
        add_measures(data, 1, 0);
        add_words(data);
        onefold_result *result = fitted(data, 6, methods[m], &info);
        onefold_dataset_free(data); /* the result has names of its own */
        assert_int_equal(info.explain, 6);
        assert_true(ask_view(result, 0).named && ask_view(result, 1).named);
        check_measures(&info, result, 0);
        check_words(&info, result, 1);
        onefold_result_free(result);
    }
}

/* Neither unit nor origin of a column matters, up to rounding. */
static void units_do_not_matter(void **state)
{
    (void)state;
    onefold_dataset *data[2] = {NULL, NULL};
    onefold_fit_info info[2];
    onefold_result *result[2];
    for (int i = 0; i < 2; i++) {
        CHECK_OK(onefold_dataset_create(&data[i], NULL, N));
        add_measures(data[i], i ? 1e-3 : 1, i ? 5 : 0);
        result[i] = fitted(data[i], MEASURES, NULL, &info[i]);
        check_measures(&info[i], result[i], 0);
    }
    for (size_t c = 0; c < CLUSTERS; c++) {
        size_t count[2];
        const onefold_column *a = columns_of(&info[0], result[0], c, 0, &count[0]),
                             *b = columns_of(&info[1], result[1], c, 0, &count[1]);
        assert_int_equal(count[0], count[1]);
        for (size_t r = 0; r < count[0]; r++) {
            assert_string_equal(a[r].name, b[r].name);
            CHECK_CLOSE(a[r].strength, b[r].strength, 0, 1e-9);
        }
    }
    for (int i = 0; i < 2; i++) {
        onefold_result_free(result[i]);
        onefold_dataset_free(data[i]);
    }
}

/* Values of a view for samples that lack it have no effect. */
static void samples_that_lack_a_view_are_left_out(void **state)
{
    (void)state;
    onefold_dataset *data = NULL;
    onefold_fit_info info;
    static double values[N * MEASURES];
    static uint8_t present[N * 2];
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    check_random(31, 0, MEASURES, N, values);
    for (size_t j = 0; j < N; j++) {
        double *x = values + j * MEASURES;
        x[j % CLUSTERS] += 8;
        x[3] -= j % CLUSTERS == 0 ? 5 : 0;
        x[4] = 7;
        present[2 * j] = j % 5 != 0;
        present[2 * j + 1] = j % 7 != 1 || j % 5 == 0;
        for (size_t i = 0; i < MEASURES && !present[2 * j]; i++)
            x[i] = 1e5 * (double)(j % 3) * (i == 5); /* luck would explain all */
    }
    CHECK_OK(onefold_dataset_add_dense(data, "measures", values, MEASURES, MEASURES, 1));
    CHECK_OK(onefold_dataset_set_column_names(data, 0, measures));
    add_words(data);
    CHECK_OK(onefold_dataset_set_present(data, present));
    onefold_result *result = fitted(data, 8, NULL, &info);
    assert_int_equal(ask_view(result, 0).missing, N / 5);
    check_measures(&info, result, 0);
    check_words(&info, result, 1);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* A view of noise names hardly anything; one without names nothing; none asked for, none there. */
static void what_is_not_there_is_not_named(void **state)
{
    (void)state;
    enum { WIDE = 40 };
    static double noise[N * WIDE];
    static char text[WIDE][8];
    const char *names[WIDE];
    onefold_dataset *data = NULL;
    onefold_fit_info info;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    add_measures(data, 1, 0);
    check_random(8, 1, WIDE, N, noise);
    CHECK_OK(onefold_dataset_add_dense(data, "noise", noise, WIDE, WIDE, 1));
    for (size_t i = 0; i < WIDE; i++) {
        snprintf(text[i], sizeof text[i], "n%zu", i);
        names[i] = text[i];
    }
    CHECK_OK(onefold_dataset_set_column_names(data, 1, names));
    for (size_t j = 0; j < N; j++)
        noise[j * WIDE + j % CLUSTERS] += 9; /* what would be named, had it names */
    CHECK_OK(onefold_dataset_add_dense(data, "nameless", noise, 4, WIDE, 1));
    onefold_result *result = fitted(data, SIZE_MAX, NULL, &info);
    assert_int_equal(info.explain, WIDE); /* no more than there are */
    assert_true(ask_view(result, 0).named && ask_view(result, 1).named &&
                !ask_view(result, 2).named);
    check_measures(&info, result, 0);
    for (size_t c = 0; c < CLUSTERS; c++) {
        assert_null(onefold_result_column(result, 1, c, 0));
        assert_null(onefold_result_column(result, 2, c, 0));
    }
    onefold_result_free(result);
    result = fitted(data, 0, NULL, &info);
    assert_int_equal(info.explained, 0);
    assert_null(onefold_result_column(result, 0, 0, 0));
    assert_int_equal(info.explain, 0);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

static void an_older_caller_gets_none(void **state)
{
    (void)state;
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = paper_options();
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    add_measures(data, 1, 0);
    options.clusters = CLUSTERS;
    options.explain = 3;
    options.struct_size = offsetof(onefold_fit_options, explain);
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    assert_int_equal(info->explained, 0);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* The estimate has room for it, and every allocation may fail. */
static void memory_is_estimated_and_may_fail(void **state)
{
    (void)state;
    onefold_dataset *data = NULL;
    memory_watch memory;
    onefold_context *context = memory_context(&memory);
    onefold_estimate_info plain, cost;
    onefold_fit_options options = paper_options();
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    add_measures(data, 1, 0);
    add_words(data);
    CHECK_OK(onefold_context_set_threads(context, 1));
    options.clusters = CLUSTERS;
    options.restarts = 1;
    plain = ask_estimate(context, data, &options);
    options.explain = 10;
    cost = ask_estimate(context, data, &options);
    assert_true(cost.peak_bytes >= plain.peak_bytes); /* it takes what the fit has given back */
    CHECK_OK(onefold_context_set_memory_limit(context, cost.peak_bytes));
    long failing = 0;
    for (;; failing += 1 + failing / 16) {
        onefold_result *result = NULL;
        memory.until_failure = failing;
        onefold_status status = onefold_fit(&result, context, data, &options);
        if (status == ONEFOLD_OK) {
            onefold_result_free(result);
            break;
        }
        assert_int_equal(status, ONEFOLD_NO_MEMORY);
        assert_null(result);
        assert_int_equal(memory_left(&memory), 0);
    }
    assert_true(failing > 50);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_columns_are_named),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(samples_that_lack_a_view_are_left_out),
        cmocka_unit_test(what_is_not_there_is_not_named),
        cmocka_unit_test(an_older_caller_gets_none),
        cmocka_unit_test(memory_is_estimated_and_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
