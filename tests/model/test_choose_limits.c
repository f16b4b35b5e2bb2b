/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the number of clusters at the limits: one column, noise, data of every kind. */
#include "onefold.h"

#include "support/check.h"
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 60, KERNEL_ALONE = 8 };

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
                             const char *kernel, size_t least, size_t most)
{
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    fit.restarts = 2;
    fit.kernel = kernel;
    options.least = least;
    options.most = most;
    return onefold_choose(choice, NULL, data, &fit, &options);
}

static onefold_choose_info check_choice(const onefold_choice *choice, size_t least)
{
    const onefold_choose_info *info = onefold_choice_describe(choice);
    assert_true(info->points >= 1 && info->samples == SAMPLES);
    for (size_t i = 0; i < info->points; i++) {
        const onefold_choose_point *point = info->point[i];
        assert_int_equal(point->clusters, least + i);
        assert_true(point->clusters_used <= point->clusters);
        assert_true(point->clusters_used >= 1 || point->evidence == 0); /* too few samples */
        assert_true(point->agreement >= 0 && point->agreement <= 1 + 1e-12);
        assert_true(point->told >= 0 && point->told < 1 && point->chance >= 0 &&
                    point->chance <= 1);
        assert_true(point->evidence >= 0 && isfinite(point->evidence));
    }
    assert_true(info->suggested == 0 ||
                (info->suggested >= least && info->suggested < least + info->points));
    assert_true(info->reasons >= 1);
    assert_non_null(info->reason[0]);
    if (!info->suggested)
        assert_true(!strncmp(info->reason[0], "nothing was found", 17) ||
                    !strcmp(info->reason[0], "there are too few samples to judge any number"));
    return *info;
}

/* One column, of any values or of three: the curve goes as far as the samples do. */
static void one_column(void **state)
{
    (void)state;
    onefold_dataset *data = plain(1, 0);
    onefold_choice *choice = NULL;
    CHECK_OK(choose(&choice, data, "linear", 2, 0));
    assert_int_equal(check_choice(choice, 2).points, SAMPLES / 3 - 1);
    onefold_choice_free(choice);
    onefold_dataset_free(data);
}

/* Choices on clusters and on noise are consistent. */
static void clusters_and_noise(void **state)
{
    (void)state;
    onefold_dataset *clear = plain(6, 12), *noise = plain(6, 0);
    onefold_choice *choice = NULL;
    CHECK_OK(choose(&choice, clear, NULL, 2, 6));
    onefold_choose_info info = check_choice(choice, 2);
    assert_int_equal(info.points, 5);
    assert_int_equal(info.suggested, 3);
    onefold_choice_free(choice);
    choice = NULL;
    CHECK_OK(choose(&choice, noise, NULL, 2, 6));
    assert_int_equal(check_choice(choice, 2).suggested, 0);
    onefold_choice_free(choice);
    onefold_dataset_free(clear);
    onefold_dataset_free(noise);
}

static void data_of_every_kind(void **state)
{
    (void)state;
    for (unsigned views = 1; views < 16; views += views == 1 ? 1 : 3) {
        onefold_dataset *data = mixed_some(SAMPLES, 0, SAMPLES, views);
        onefold_choice *choice = NULL, *again = NULL;
        if (views == KERNEL_ALONE) {
            CHECK_FAILS(choose(&choice, data, NULL, 2, 5), ONEFOLD_UNSUPPORTED, "kernels alone");
            onefold_dataset_free(data);
            continue;
        }
        CHECK_OK(choose(&choice, data, NULL, 2, 5));
        CHECK_OK(choose(&again, data, NULL, 2, 5));
        onefold_choose_info one = check_choice(choice, 2), two = check_choice(again, 2);
        assert_int_equal(one.suggested, two.suggested);
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
    CHECK_OK(choose(&choice, data, NULL, 3, 3));
    check_choice(choice, 3);
    assert_null(onefold_choice_describe(NULL));
    onefold_choice_free(choice);
    onefold_choice_free(NULL);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_column),
        cmocka_unit_test(clusters_and_noise),
        cmocka_unit_test(data_of_every_kind),
        cmocka_unit_test(a_choice_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
