/* SPDX-License-Identifier: Apache-2.0 */
/* Samples matched by id: with any order of rows, columns and files, every id has the same values,
 * and the same cluster where clusters are far apart. */
#include "onefold.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 24, VIEWS = 3, D = 4 };

static size_t shuffled(uint64_t seed, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t i = count; seed && i > 1; i--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        size_t with = (size_t)(seed >> 33) % i, kept = order[i - 1];
        order[i - 1] = order[with];
        order[with] = kept;
    }
    return count;
}

static double number(size_t view, size_t sample, size_t column)
{
    return 20.0 * (double)((sample % 3 + view + column) % 3) + 0.01 * (double)(sample + column);
}

/* Writes view `view` of `count` samples, rows and columns in an order of their own; samples are
 * columns where `turned`. */
static void put_table(const char *path, size_t view, uint64_t seed, size_t count, int turned)
{
    size_t row[N], column[D];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    shuffled(seed, N, row);
    shuffled(seed ? seed + 5 : 0, D, column);
    fprintf(file, "sample");
    for (size_t i = 0; i < (turned ? count : D); i++)
        turned ? fprintf(file, ",id%02zu", row[i]) : fprintf(file, ",v%zu_%zu", view, column[i]);
    fprintf(file, "\n");
    for (size_t i = 0; i < (turned ? D : count); i++) {
        turned ? fprintf(file, "v%zu_%zu", view, column[i]) : fprintf(file, "id%02zu", row[i]);
        for (size_t k = 0; k < (turned ? count : D); k++)
            fprintf(file, ",%.17g",
                    turned ? number(view, row[k], column[i]) : number(view, row[i], column[k]));
        fprintf(file, "\n");
    }
    fclose(file);
}

static size_t place_of(const onefold_dataset *data, size_t sample)
{
    char id[16];
    snprintf(id, sizeof id, "id%02zu", sample);
    for (size_t j = 0; j < onefold_dataset_describe(data)->samples; j++)
        if (strcmp(ask_sample_name(data, j), id) == 0)
            return j;
    fail_msg("%s is not there", id);
    return 0;
}

static void labels_by_id(const onefold_dataset *data, int32_t *label)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    options.clusters = 3;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    for (size_t s = 0; s < N; s++)
        label[s] = onefold_result_describe(result)->labels[place_of(data, s)];
    onefold_result_free(result);
}

static void any_permutation_gives_the_same(void **state)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        char path[VIEWS][256];
        const char *paths[VIEWS];
        size_t order[VIEWS];
        shuffled(seed, VIEWS, order);
        for (size_t v = 0; v < VIEWS; v++) {
            char name[16];
            snprintf(name, sizeof name, "v%zu.csv", v);
            snprintf(path[v], sizeof path[v], "%s", folder_path(state, name));
            put_table(path[v], v, seed ? seed * 10 + v : 0, N, seed >= 6 && v == 1);
        }
        for (size_t v = 0; v < VIEWS; v++)
            paths[v] = path[order[v]];
        onefold_dataset *data = NULL;
        CHECK_OK(onefold_dataset_read(&data, NULL, paths, VIEWS, NULL));
        assert_int_equal(onefold_dataset_describe(data)->samples, N);
        int32_t label[N];
        labels_by_id(data, label);
        for (size_t a = 0; a < N; a++)
            for (size_t b = 0; b < a; b++)
                assert_int_equal(label[a] == label[b], a % 3 == b % 3);
        onefold_dataset_free(data);
    }
}

static void who_lacks_a_file_lacks_the_view(void **state)
{
    char first[256], second[256];
    snprintf(first, sizeof first, "%s", folder_path(state, "a.csv"));
    snprintf(second, sizeof second, "%s", folder_path(state, "b.csv"));
    put_table(first, 0, 3, 20, 0);
    put_table(second, 1, 4, 18, 0);
    const char *paths[] = {first, second};
    size_t row[2][N];
    shuffled(3, N, row[0]);
    shuffled(4, N, row[1]);
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, 2, NULL));
    size_t all = 0;
    for (size_t s = 0; s < N; s++) {
        int in[2] = {0, 0};
        for (size_t i = 0; i < 20; i++)
            in[0] |= row[0][i] == s;
        for (size_t i = 0; i < 18; i++)
            in[1] |= row[1][i] == s;
        if (!in[0] && !in[1])
            continue;
        all++;
        for (size_t v = 0; v < 2; v++)
            assert_int_equal(ask_present(data, place_of(data, s), v), in[v]);
    }
    assert_int_equal(onefold_dataset_describe(data)->samples, all);
    for (size_t j = 0; j < 20; j++) { /* the first file gives the order */
        char id[16];
        snprintf(id, sizeof id, "id%02zu", row[0][j]);
        assert_string_equal(ask_sample_name(data, j), id);
    }
    assert_int_equal(onefold_dataset_describe(data)->assumptions, 1);
    assert_non_null(strstr(onefold_dataset_describe(data)->assumption[0], "matched by id"));
    onefold_dataset_free(data);
}

static void names_can_be_given(void **state)
{
    (void)state;
    static const char *const names[] = {"x", NULL, "z"};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 3));
    assert_null(ask_sample_name(data, 0));
    CHECK_FAILS(onefold_dataset_set_sample_names(data, NULL), ONEFOLD_USAGE, "names");
    CHECK_FAILS(onefold_dataset_set_sample_names(NULL, names), ONEFOLD_USAGE, "data set");
    CHECK_OK(onefold_dataset_set_sample_names(data, names));
    assert_string_equal(ask_sample_name(data, 0), "x");
    assert_string_equal(ask_sample_name(data, 1), "");
    assert_null(ask_sample_name(data, 3));
    static const int64_t truth[] = {7, -2, 7};
    CHECK_OK(onefold_dataset_set_truth(data, truth, NULL));
    assert_string_equal(onefold_dataset_describe(data)->class_names[0], "-2");
    CHECK_OK(onefold_dataset_set_truth(data, truth, names));
    assert_string_equal(onefold_dataset_describe(data)->class_names[0], "x");
    assert_string_equal(onefold_dataset_describe(data)->class_names[1], "");
    assert_int_equal(onefold_dataset_describe(data)->classes, 2);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_permutation_gives_the_same, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(who_lacks_a_file_lacks_the_view, folder_make,
                                        folder_remove),
        cmocka_unit_test(names_can_be_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
