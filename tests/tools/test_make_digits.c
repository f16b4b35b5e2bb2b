/* SPDX-License-Identifier: Apache-2.0 */
/* The bundled digits: what the file holds, and that tools/make_digits.py makes it to the byte. */
#include "data/dataset.h"

#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

#define DIGITS OF_TEST_SOURCE "/data/digits/digits.mat"

static void the_file_holds_four_views_and_the_digits(void **state)
{
    (void)state;
    static const size_t columns[4] = {64, 32, 25, 64};
    /* how often each digit comes, as the UCI repository states for this part */
    static const size_t expected[10] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
    const char *path = DIGITS;
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_read(&dataset, NULL, &path, 1, NULL));
    assert_int_equal(onefold_dataset_samples(dataset), 1797);
    assert_int_equal(onefold_dataset_view_count(dataset), 4);
    assert_int_equal(onefold_dataset_class_count(dataset), 10);
    for (size_t v = 0; v < 4; v++) {
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        CHECK_OK(onefold_dataset_view(dataset, v, &info));
        assert_int_equal(info.columns, columns[v]);
        assert_string_equal(info.storage, "dense");
    }
    size_t count[10] = {0};
    for (size_t j = 0; j < 1797; j++)
        count[onefold_dataset_truth(dataset)[j]]++;
    assert_memory_equal(count, expected, sizeof expected);
    onefold_dataset_free(dataset);
}

/* The first digit is a 0; its pixels, and what they have in the other views, by hand. */
static void the_first_digit_is_as_it_should_be(void **state)
{
    (void)state;
    static const double image[8][8] = {{0, 0, 5, 13, 9, 1, 0, 0},   {0, 0, 13, 15, 10, 15, 5, 0},
                                       {0, 3, 15, 2, 0, 11, 8, 0},  {0, 4, 12, 0, 0, 8, 8, 0},
                                       {0, 5, 8, 0, 0, 9, 8, 0},    {0, 4, 11, 0, 1, 12, 7, 0},
                                       {0, 2, 14, 5, 10, 12, 0, 0}, {0, 0, 6, 13, 10, 0, 0, 0}};
    const char *path = DIGITS;
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_read(&dataset, NULL, &path, 1, NULL));
    double row[64];
    of_view_tile(&dataset->set.views[0], 0, 1, row, 64);
    assert_memory_equal(row, image, sizeof image);
    of_view_tile(&dataset->set.views[3], 0, 1, row, 64);
    static const double ink[8] = {28, 58, 39, 32, 30, 35, 43, 29};
    for (int i = 0; i < 8; i++)
        assert_true(row[i] == ink[i]);
    for (int i = 0; i < 8; i++) {
        int count = 0;
        for (int c = 1; c < 8; c++)
            count += (image[i][c] >= 8) != (image[i][c - 1] >= 8);
        assert_true(row[8 + i] == count);
    }
    /* the amplitude of frequency (0, 0) is all the ink there is: log(1 + 294) */
    of_view_tile(&dataset->set.views[2], 0, 1, row, 64);
    assert_true(row[0] == 5687);
    onefold_dataset_free(dataset);
}

static void the_script_makes_the_same_bytes(void **state)
{
    CHECK_PYTHON(
        state, "numpy,scipy.io,sklearn.datasets",
        "import subprocess, sys\n"
        "root = '" OF_TEST_SOURCE "'\n"
        "subprocess.run([sys.executable, '-B', root + '/tools/make_digits.py', 'new.mat'],\n"
        "               check=True)\n"
        "new, old = (open(p, 'rb').read() for p in\n"
        "            ('new.mat', root + '/data/digits/digits.mat'))\n"
        "assert len(new) < 1000000 and new == old\n");
    assert_int_equal(folder_count(state), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_holds_four_views_and_the_digits),
        cmocka_unit_test(the_first_digit_is_as_it_should_be),
        cmocka_unit_test_setup_teardown(the_script_makes_the_same_bytes, folder_make,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
