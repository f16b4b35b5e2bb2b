/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the number of clusters at the limits: views of little rank, noise, two subsamples, data
 * of every kind. What must hold of a choice holds. */
#include "onefold.h"

#include "support/check.h"
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 60 };

/* A view of so many columns; samples of one of three clusters are `apart` from the others. */
static onefold_dataset *plain(size_t columns, double apart)
{
    onefold_dataset *data = NULL;
    double *values = malloc(SAMPLES * columns * sizeof *values);
    check_random(5, columns, columns, SAMPLES, values);
    for (size_t j = 0; j < SAMPLES; j++)
        values[j * columns + j % 3 % columns] += apart;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    CHECK_OK(onefold_dataset_add_dense(data, "x", values, columns, columns, 1));
    free(values);
    return data;
}

static onefold_status choose(onefold_choice **choice, const onefold_dataset *data,
                             const char *method, const char *kernel, size_t least, size_t most,
                             size_t subsamples)
{
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    fit.restarts = 2;
    fit.kernel = kernel;
    options.method = method;
    options.least = least;
    options.most = most;
    options.subsamples = subsamples;
    return onefold_choose(choice, NULL, data, &fit, &options);
}

static onefold_choose_info check_choice(const onefold_choice *choice, size_t least)
{
    const onefold_choose_info *info = onefold_choice_describe(choice);
    assert_true(info->points >= 1 && info->samples == SAMPLES);
    for (size_t i = 0; i < info->points; i++) {
        const onefold_choose_point *point = info->point[i];
        assert_int_equal(point->clusters, least + i);
        assert_true(point->clusters_used >= 1 && point->clusters_used <= point->clusters);
        assert_true(point->evidence >= 0 && point->evidence <= 1);
        assert_true(point->stability <= 1 && point->deviation >= 0);
        for (size_t v = 0; v < info->views; v++)
            assert_true(point->gap[v] >= -1e-12 && point->gap[v] <= 1 + 1e-12);
    }
    assert_true(info->suggested == 0 ||
                (info->suggested >= least && info->suggested < least + info->points));
    assert_true(info->reasons >= 1);
    assert_non_null(info->reason[0]);
    if (!info->suggested)
        assert_non_null(strstr(info->reason[0], "nothing stands out"));
    return *info;
}

/* One column tells two clusters apart along a linear kernel. */
static void rank_is_a_limit(void **state)
{
    (void)state;
    onefold_dataset *data = plain(1, 0);
    onefold_choice *choice = NULL;
    CHECK_FAILS(choose(&choice, data, NULL, "linear", 2, 5, 3), ONEFOLD_BAD_DATA,
                "5 clusters cannot be distinguished: the views together have rank 1, enough for 2");
    CHECK_FAILS(choose(&choice, data, NULL, "linear", 3, 0, 3), ONEFOLD_BAD_DATA,
                "3 clusters cannot be distinguished");
    assert_null(choice);
    CHECK_OK(choose(&choice, data, NULL, "linear", 2, 0, 3));
    assert_int_equal(check_choice(choice, 2).points, 1);
    onefold_choice_free(choice);
    onefold_dataset_free(data);
}

/* Whatever is found in clusters and in noise is said as it must be. */
static void clusters_and_noise(void **state)
{
    (void)state;
    static const char *const methods[] = {"os-lfmvc-cs", "onefold"};
    for (size_t m = 0; m < 2; m++)
        for (size_t subsamples = 2; subsamples < 6; subsamples += 3) {
            onefold_dataset *clear = plain(6, 12), *noise = plain(6, 0);
            onefold_choice *choice = NULL;
            CHECK_OK(choose(&choice, clear, methods[m], NULL, 2, 6, subsamples));
            assert_int_equal(check_choice(choice, 2).points, 5);
            onefold_choice_free(choice);
            choice = NULL;
            CHECK_OK(choose(&choice, noise, methods[m], NULL, 2, 6, subsamples));
            check_choice(choice, 2);
            onefold_choice_free(choice);
            onefold_dataset_free(clear);
            onefold_dataset_free(noise);
        }
}

static void data_of_every_kind(void **state)
{
    (void)state;
    static const char *const methods[] = {"os-lfmvc-cs", "onefold"};
    for (size_t m = 0; m < 2; m++)
        for (unsigned views = 1; views < 16; views += views == 1 ? 1 : 3) {
            onefold_dataset *data = mixed_some(SAMPLES, 0, SAMPLES, views);
            onefold_choice *choice = NULL, *again = NULL;
            CHECK_OK(choose(&choice, data, methods[m], NULL, 2, 5, 3));
            CHECK_OK(choose(&again, data, methods[m], NULL, 2, 5, 3));
            onefold_choose_info one = check_choice(choice, 2), two = check_choice(again, 2);
            assert_int_equal(one.suggested, two.suggested);
            for (size_t v = 0; v < one.views; v++)
                assert_int_equal(one.gap_clusters[v], two.gap_clusters[v]);
            onefold_choice_free(choice);
            onefold_choice_free(again);
            onefold_dataset_free(data);
        }
}

static void a_choice_that_is_not_there(void **state)
{
    (void)state;
    onefold_dataset *data = plain(4, 9);
    onefold_choice *choice = NULL;
    CHECK_OK(choose(&choice, data, NULL, NULL, 3, 3, 2));
    check_choice(choice, 3);
    assert_null(onefold_choice_describe(NULL));
    onefold_choice_free(choice);
    onefold_choice_free(NULL);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_is_a_limit),
        cmocka_unit_test(clusters_and_noise),
        cmocka_unit_test(data_of_every_kind),
        cmocka_unit_test(a_choice_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
