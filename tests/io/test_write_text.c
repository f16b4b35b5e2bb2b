/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are read back from their digits, and names in quotes. */
#include "io/atomic_file.h"

#include "base/number.h"
#include "base/random.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/written.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void digits_read_back_to_the_same_number(void **state)
{
    (void)state;
    of_random random = of_random_make(5, OF_PURPOSE_TEST, 0);
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = (uint64_t)of_random_bits(&random) << 32 | of_random_bits(&random);
        double number;
        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number))
            continue;
        char text[33];
        int length = of_number_text(text, number, 0);
        assert_int_equal(length, strlen(text));
        assert_true(strtod(text, NULL) == number);
        float single = (float)number;
        if (!isfinite(single))
            continue;
        length = of_number_text(text, single, 1);
        assert_int_equal(length, strlen(text));
        assert_true(strtof(text, NULL) == single);
    }
}

static void digits_are_no_more_than_needed(void **state)
{
    (void)state;
    static const struct {
        double number;
        int single;
        const char *text;
    } cases[] = {{0, 0, "0"},
                 {-0.0, 0, "0"},
                 {0.1, 0, "0.1"},
                 {0.1f, 1, "0.1"},
                 {0.1f, 0, "0.10000000149011612"},
                 {-17, 0, "-17"},
                 {1e15 - 1, 0, "999999999999999"},
                 {1e15, 0, "1e+15"},
                 {0x1.fffffffffffffp+1023, 0, "1.7976931348623157e+308"},
                 {5e-324, 0, "4.94065645841247e-324"},
                 {0x1.fffffep+127, 1, "3.4028235e+38"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[33];
        of_number_text(text, cases[c].number, cases[c].single);
        assert_string_equal(text, cases[c].text);
    }
}

static void names_are_quoted_where_they_must_be(void **state)
{
    static const char *const names[3] = {"plain name", "a,b", "say \"hi\"\nnow"};
    of_view view = written_dense(OF_I32, 2, 3, 0);
    view.column_names = names;
    const char *path = folder_path(state, "d.csv");
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, NULL, path));
    CHECK_OK(of_write_text(&file, &view, NULL, ','));
    CHECK_OK(of_atomic_commit(&file));
    char *text = folder_read(path, NULL);
    assert_string_equal(text, "plain name,\"a,b\",\"say \"\"hi\"\"\nnow\"\n-5,-2,1\n2,5,-3\n");
    free(text);
    free((void *)view.data);
}

static void class_names_are_written_for_each_sample(void **state)
{
    static const char *names[3] = {"sport", "a,b", "news"};
    onefold_dataset *dataset = written_mixed();
    dataset->set.class_names = names;
    CHECK_OK(onefold_dataset_write(dataset, NULL, folder_path(state, "d.csv")));
    onefold_dataset_free(dataset);
    char *text = folder_read(folder_path(state, "d.truth.txt"), NULL);
    assert_memory_equal(text, "sport\n\"a,b\"\nnews\nsport\n", 23);
    free(text);
}

static void matrix_market_in_both_forms(void **state)
{
    of_view view = written_dense(OF_F64, 2, 3, 1);
    static const size_t start[3] = {0, 2, 3};
    static const uint32_t index[3] = {0, 4, 2};
    static const double value[3] = {0.5, -1, 1e-7};
    of_view sparse = {
        .storage = OF_SPARSE, .samples = 2, .columns = 5, .sparse = {2, 5, start, index, value}};
    const char *texts[2] = {"%%MatrixMarket matrix array real general\n2 3\n"
                            "-1.25\n0.5\n-0.5\n1.25\n0.25\n-0.75\n",
                            "%%MatrixMarket matrix coordinate real general\n2 5 3\n"
                            "1 1 0.5\n1 5 -1\n2 3 1e-07\n"};
    for (int i = 0; i < 2; i++) {
        const char *path = folder_path(state, "d.mtx");
        OF_ATOMIC_FILE(file);
        CHECK_OK(of_atomic_open(&file, NULL, path));
        CHECK_OK(of_write_mtx(&file, i == 0 ? &view : &sparse));
        CHECK_OK(of_atomic_commit(&file));
        char *text = folder_read(path, NULL);
        assert_string_equal(text, texts[i]);
        free(text);
    }
    free((void *)view.data);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_read_back_to_the_same_number),
        cmocka_unit_test(digits_are_no_more_than_needed),
        IN_FOLDER(names_are_quoted_where_they_must_be),
        IN_FOLDER(class_names_are_written_for_each_sample),
        IN_FOLDER(matrix_market_in_both_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
