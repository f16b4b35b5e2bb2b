/* SPDX-License-Identifier: Apache-2.0 */
/* Views of a single column, and names of views, through the containers and back. */
#include "onefold.h"

#include "support/ask.h"
#include "support/folder.h"

#include <string.h>

enum { SAMPLES = 30 };

static onefold_dataset *made(size_t views, const char *const *names, int labelled)
{
    onefold_dataset *data = NULL;
    double values[SAMPLES];
    int64_t truth[SAMPLES];
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    for (size_t v = 0; v < views; v++) {
        check_random(23, v, 1, SAMPLES, values);
        CHECK_OK(onefold_dataset_add_dense(data, names ? names[v] : NULL, values, 1, 1, 1));
    }
    for (size_t j = 0; j < SAMPLES; j++)
        truth[j] = (int64_t)(j % 3);
    if (labelled)
        CHECK_OK(onefold_dataset_set_truth(data, truth, NULL));
    return data;
}

static void check_back(void **state, const char *file, const onefold_dataset *data)
{
    const char *path = folder_path(state, file);
    onefold_dataset *back = NULL;
    CHECK_OK(onefold_dataset_write(data, NULL, path));
    CHECK_OK(onefold_dataset_read(&back, NULL, &path, 1, NULL));
    size_t views = onefold_dataset_describe(data)->views;
    assert_int_equal(onefold_dataset_describe(back)->views, views);
    assert_int_equal(onefold_dataset_describe(back)->samples, SAMPLES);
    assert_int_equal(onefold_dataset_describe(back)->classes,
                     onefold_dataset_describe(data)->classes);
    for (size_t v = 0; v < views; v++) {
        double ours[SAMPLES], theirs[SAMPLES];
        CHECK_OK(onefold_dataset_values(ours, data, v, 0, SAMPLES));
        CHECK_OK(onefold_dataset_values(theirs, back, v, 0, SAMPLES));
        assert_memory_equal(ours, theirs, sizeof ours);
        if (strncmp(ask_data_view(data, v).name, "view ", 5) != 0)
            assert_string_equal(ask_data_view(data, v).name, ask_data_view(back, v).name);
    }
    onefold_dataset_free(back);
}

static void single_columns_and_names_come_back(void **state)
{
    static const char *const names[] = {"weight", "X1", "h\xc3\xb6he"};
    for (size_t views = 1; views <= 3; views++)
        for (int labelled = 0; labelled < 2; labelled++)
            for (int named = 0; named < 2; named++) {
                onefold_dataset *data = made(views, named ? names : NULL, labelled);
                check_back(state, "columns.npz", data);
                check_back(state, "columns.mat", data);
                onefold_dataset_free(data);
            }
}

/* view_names of another length than the number of views is ignored, with a note. */
static void other_lists_of_names_are_passed_over(void **state)
{
    CHECK_PYTHON(state, "numpy",
                 "import numpy\n"
                 "x = numpy.arange(60.0).reshape(30, 2)\n"
                 "numpy.savez('names.npz', X1=x, X2=x * x, view_names=['a', 'b', 'c'])\n");
    const char *path = folder_path(state, "names.npz");
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, NULL));
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_dataset_view(data, 0, &info));
    assert_string_equal(info.name, "X1");
    int noted = 0;
    for (size_t i = 0; i < onefold_dataset_describe(data)->notes; i++)
        noted |= strstr(onefold_dataset_describe(data)->note[i], "view_names: passed over") != NULL;
    assert_true(noted);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_columns_and_names_come_back),
        cmocka_unit_test(other_lists_of_names_are_passed_over),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
