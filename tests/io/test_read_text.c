/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of text: separators, headers, words, labels, and errors with line and column. */
#include "support/ask.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double table[6] = {1, 2.5, -3, 4e-3, 5, 6}; /* 2 x 3 */

static void separators_blanks_and_ends_of_lines(void **state)
{
    static const struct {
        const char *name, *text;
    } cases[] = {
        {"a.csv", "1,2.5,-3\n4e-3,5,6\n"},
        {"a.csv", "1,2.5,-3\r\n4e-3,5,6\r\n"},
        {"a.csv", "1,2.5,-3\n4e-3,5,6"},
        {"a.csv", "\n 1 , 2.5 ,\t-3 \n\n4e-3,5,6\n\n  \n"},
        {"a.csv", "\xef\xbb\xbf"
                  "1,2.5,-3\n4e-3,5,6\n"},
        {"a.csv", "# made by hand\n%too\n1,2.5,-3\n4e-3,5,6\n"},
        {"a.csv", "1;2.5;-3\n4e-3;5;6\n"},
        {"a.csv", "1;2,5;-3\n4e-3;5;6\n"},
        {"a.csv", "\"1\",\"2.5\",\"-3\"\n\"4e-3\",5,6\n"},
        {"a.csv", "+1,2.50,-3.\n.004,5E0,0006\n"},
        {"a.tsv", "1\t2.5\t-3\n4e-3\t5\t6\n"},
        {"a.txt", "1 2.5 -3\n4e-3 5 6\n"},
        {"a.txt", "  1   2.5\t-3  \n 4e-3 \t 5    6\t\n"},
        {"a.dat", "1 2.5 -3\n4e-3 5 6"},
        {"a.CSV", "1,2.5,-3\n4e-3,5,6\n"},
    };
    onefold_read_options rows = ONEFOLD_READ_OPTIONS_INIT;
    rows.samples_are = ONEFOLD_SIDE_ROWS;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = folder_path(state, cases[i].name);
        made_file(path, cases[i].text);
        onefold_dataset *data = read_one(path, &rows);
        assert_int_equal(onefold_dataset_describe(data)->samples, 2);
        expect_view(data, 0, "a", "dense", 3, table);
        expect_truth(data, "");
        onefold_dataset_free(data);
    }
}

/* Two tabs in a row mark a missing value. */
static void tabs_with_nothing_between_them(void **state)
{
    onefold_read_options rows = ONEFOLD_READ_OPTIONS_INIT;
    rows.samples_are = ONEFOLD_SIDE_ROWS;
    rows.impute = ONEFOLD_IMPUTE_MEAN;
    const char *path = folder_path(state, "gaps.tsv");
    static const char *const texts[] = {"1\t\t3\n4\t\t6\n7\t8\t9\n", "a\tb\tc\n1\t\t3\n7\t8\t9\n",
                                        "1\t\t3\n4\t5\t\n7\t8\t9\n",
                                        "1\t2\t3\n4\t5\t6\n7\t\t9\n7\t8\t9\n"};
    static const size_t counts[] = {3, 2, 3, 4};
    for (size_t i = 0; i < 4; i++) {
        made_file(path, texts[i]);
        onefold_dataset *data = read_one(path, &rows);
        double row[3];
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        CHECK_OK(onefold_dataset_view(data, 0, &info));
        assert_int_equal(info.columns, 3);
        size_t samples = onefold_dataset_describe(data)->samples;
        assert_int_equal(samples, counts[i]);
        CHECK_OK(onefold_dataset_values(row, data, 0, samples - 1, 1));
        assert_true(row[0] == 7 && row[1] == 8 && row[2] == 9);
        onefold_dataset_free(data);
    }
    made_file(path, "1\t2\t\n3\t4\t\n5\t6\t\n"); /* but a line may end in a tab */
    onefold_dataset *ended = read_one(path, &rows);
    expect_view(ended, 0, "gaps", "dense", 2, (double[]){1, 2, 3, 4, 5, 6});
    onefold_dataset_free(ended);
}

static void headers_and_names_of_rows(void **state)
{
    static const struct {
        const char *text;
        int names; /* the columns' names are there */
    } cases[] = {
        {"a,b,c\n1,2.5,-3\n4e-3,5,6\n", 1},
        {"\"a\",\"b\",\"c\"\n1,2.5,-3\n4e-3,5,6\n", 1},
        {"id,a,b,c\ns1,1,2.5,-3\ns2,4e-3,5,6\n", 1},
        {",a,b,c\n0,1,2.5,-3\n1,4e-3,5,6\n", 1},
        {",0,1,2\n0,1,2.5,-3\n1,4e-3,5,6\n", 0},
        {"\"\",\"a\",\"b\",\"c\"\n\"1\",1,2.5,-3\n\"2\",4e-3,5,6\n", 1},
        {"a b c\ns1 1 2.5 -3\ns2 4e-3 5 6\n", 1},
        {"s1,1,2.5,-3\ns2,4e-3,5,6\n", 0},
        {"a;b;c\n1;2.5;-3\n4e-3;5;6\n", 1},
    };
    const char *path = folder_path(state, "h.csv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_file(path, cases[i].text);
        onefold_dataset *data = read_one(path, NULL);
        assert_int_equal(onefold_dataset_describe(data)->samples, 2);
        expect_view(data, 0, "h", "dense", 3, table);
        if (cases[i].names) {
            assert_true(ask_data_view(data, 0).column_names);
            assert_string_equal(ask_column_name(data, 0, 0), "a");
            assert_string_equal(ask_column_name(data, 0, 2), "c");
        }
        onefold_dataset_free(data);
    }
}

static void columns_of_labels_are_no_part_of_the_view(void **state)
{
    static const struct {
        const char *text, *truth;
    } cases[] = {
        {"a,label,b,c\n1,7,2.5,-3\n4e-3,8,5,6\n1,7,1,1\n", "7 8 7"},
        {"a,b,c,class\n1,2.5,-3,cat\n4e-3,5,6,dog\n1,1,1,cat\n", "cat dog cat"},
        {"CellType,a,b,c\n1,1,2.5,-3\n2,4e-3,5,6\n1,1,1,1\n", "1 2 1"},
        {"id,y,a,b,c\nu,0,1,2.5,-3\nv,0,4e-3,5,6\nw,1,1,1,1\n", "0 0 1"},
        {"label,a,b,c\n1,1,2.5,-3\nx,4e-3,5,6\n1,1,1,1\n", "1 x 1"}, /* a word among numbers */
        {"label,a,b,c\nx,1,2.5,-3\n1,4e-3,5,6\nx,1,1,1\n", "x 1 x"},
    };
    static const double three[9] = {1, 2.5, -3, 4e-3, 5, 6, 1, 1, 1};
    const char *path = folder_path(state, "l.csv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_file(path, cases[i].text);
        onefold_dataset *data = read_one(path, NULL);
        expect_view(data, 0, "l", "dense", 3, three);
        if (ask_data_view(data, 0).column_names)
            assert_string_equal(ask_column_name(data, 0, 1), "b");
        expect_truth(data, cases[i].truth);
        onefold_dataset_free(data);
    }
    /* y is a coordinate here, and "types" is in the middle: both are columns like others */
    made_file(path, "x,y,types,z\n1,2.5,1,4\n2,3.5,2,5\n3,1.5,1,5\n");
    onefold_dataset *data = read_one(path, NULL);
    expect_view(data, 0, "l", "dense", 4, (double[]){1, 2.5, 1, 4, 2, 3.5, 2, 5, 3, 1.5, 1, 5});
    expect_truth(data, "");
    onefold_dataset_free(data);
}

static void what_is_wrong_is_named_by_row_and_column(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"1,2\n3,x\n5,6\n", "line 2, column 2 holds \"x\", which is not a number"},
        {"a,b\n1,2\n\n3,4x\n", "line 4, column \"b\" holds \"4x\""},
        {"1,2\nabc,4\n", "line 2, column 1 holds \"abc\""},
        {"1,abc\n3,4\n", "line 1, column 2 holds \"abc\""},
        {"abc,2\n3,4\n", "line 1, column 1 holds \"abc\""},
        {"a,b\nq,2\n3,4\n", "line 2, column \"a\" holds \"q\""},
        {"1,2\n3,1.2.3\n", "column 2 holds \"1.2.3\""},
        {"1,2\n3,0x1A\n", "column 2 holds \"0x1A\""},
        {"1,2,3\n4,5\n", "line 2 has 2 cells, where the first has 3"},
        {"1,2\n4,5\n6,7,8\n", "line 3 has 3 cells, where the first has 2"},
        {"1,2\n4\n", "line 2 has 1 cell, where the first has 2"},
        {"a,b\n1,2,3,4\n", "line 2 has 4 cells, where the first has 2"},
        {"1,2\n3,\n", "w: 1 value of 1 sample is missing (NaN), the first in line 2, column 2"},
        {"1,2\nNA,4\n", "w: 1 value of 1 sample is missing (NaN), the first in line 2, column 1"},
        {"1,2\n3,nan\n", "w: 1 value of 1 sample is missing (NaN), the first in line 2, column 2"},
        {"1,2\n-Inf,4\n", "w: line 2, column 1 is infinite"},
        {"1,2\n3,1e999\n", "w: line 2, column 2 is infinite"},
        {"a\nb\nc\n", "nothing in it can be a view: w is text"},
        {"red,green\nblue,yellow\n", "all of it is words"},
        {"# only a comment\n\n", "only blanks and comments"},
        {" \n \n", "only blanks and comments"},
    };
    const char *path = folder_path(state, "w.csv");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_file(path, cases[i].text);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, cases[i].says);
        assert_non_null(strstr(onefold_last_error(), "w.csv: "));
    }
    made zeros = {0};
    made_put(&zeros, "1,2\n\0\0\n", 7);
    made_save(&zeros, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "not text");
    zeros.size = 0;
    made_put(&zeros,
             "\xff\xfe"
             "1\0,\0002\0",
             8);
    made_save(&zeros, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "UTF-16");
    made_free(&zeros);
}

static void words_are_labels_for_the_truth(void **state)
{
    const char *view = folder_path(state, "v.csv"), *truth = folder_path(state, "t.txt");
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.truth = truth;
    made_file(view, "1,2,3,4\n3,4,5,6\n5,6,7,8\n");
    static const struct {
        const char *text, *classes;
    } cases[] = {
        {"cat\ndog\ncat\n", "cat dog cat"},
        {"label\ncat\ndog\ncat\n", "cat dog cat"},
        {"computer science\nart history\nart history\n",
         "computer science art history art history"},
        {"3\n1\n3", "3 1 3"},
        {"class\n3\n1\n3\n", "3 1 3"},
        {"-1\n1\n-1\n", "-1 1 -1"},
        {"3,1,3\n", "3 1 3"},
        {"1 0\n0 1\n1 0\n", "1 2 1"},
        {"id\tcell type\nq1\tGM\nq2\tBJ\nq3\tGM\n", "GM BJ GM"},
        {"\"a,b\"\n\"c\"\n\"a,b\"\n", "a,b c a,b"},
        {"1e0\n2.000\n1\n", "1 2 1"},
        {"caf\xc3\xa9\n\xe6\x97\xa5\xf0\x9f\x98\x80\ncaf\xc3\xa9\n",
         "caf\xc3\xa9 \xe6\x97\xa5\xf0\x9f\x98\x80 caf\xc3\xa9"},
        {"\x1b[31m\ncaf\xe9\n\xc0\xaf\xed\xa0\x80\xf5\xc3\n",
         "?[31m caf\xc3\xa9 \xc3\x80\xc2\xaf\xc3\xad\xc2\xa0\xe2\x82\xac\xc3\xb5\xc3\x83"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_file(truth, cases[i].text);
        onefold_dataset *data = read_one(view, &options);
        expect_truth(data, cases[i].classes);
        onefold_dataset_free(data);
    }
    made_file(truth, "cat\ndog\n");
    read_fails(view, &options, ONEFOLD_BAD_DATA, "t has 2 labels");
    made_file(truth, "1.5\n2\n1\n");
    read_fails(view, &options, ONEFOLD_BAD_DATA, "t.txt: there are no labels in it");
    const char *paths[] = {view, truth}; /* the same file beside the view */
    made_file(truth, "cat\ndog\ncat\n");
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, 2, NULL));
    expect_truth(data, "cat dog cat");
    onefold_dataset_free(data);
}

static void packed_tables(void **state)
{
    made text = {0};
    made_text(&text, "a,b,c\n1,2.5,-3\n4e-3,5,6\n");
    made packed = made_packed(&text, "gzip");
    const char *path = folder_path(state, "p.csv.gz");
    made_save(&packed, path);
    onefold_dataset *data = read_one(path, NULL);
    expect_view(data, 0, "p", "dense", 3, table);
    onefold_dataset_free(data);
    every_allocation_fails(&path, 1, NULL);
    size_t whole = packed.size;
    for (size_t size = 2; size < whole; size++) {
        made_save_part(&packed, size, path);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, "the compressed data are truncated");
    }
    for (size_t at = 10; at < whole; at++) { /* the checksum sees every change but in the padding */
        packed.data[at] ^= 0x10;
        made_save(&packed, path);
        data = NULL;
        onefold_status status = onefold_dataset_read(&data, NULL, &path, 1, NULL);
        if (status == ONEFOLD_OK)
            expect_view(data, 0, "p", "dense", 3, table);
        else
            assert_int_equal(status, ONEFOLD_BAD_DATA);
        onefold_dataset_free(data);
        packed.data[at] ^= 0x10;
    }
    /* several members, as written by parallel packers, and padding behind them */
    made more = {0};
    made_text(&more, "7,8,9\n");
    made second = made_packed(&more, "gzip");
    made_put(&packed, second.data, second.size);
    made_put(&packed, "\0\0\0\0", 4);
    made_save(&packed, path);
    data = read_one(path, NULL);
    expect_view(data, 0, "p", "dense", 3, (double[]){1, 2.5, -3, 4e-3, 5, 6, 7, 8, 9});
    onefold_dataset_free(data);
    made_free(&packed);
    text.size = 0; /* much more unpacked than packed */
    for (int r = 0; r < 50000; r++)
        made_text(&text, "0,0,1,0,0,0,0,0,0,0\n");
    packed = made_packed(&text, "gzip");
    assert_true(packed.size * 100 < text.size);
    made_save(&packed, path);
    data = read_one(path, NULL);
    assert_int_equal(onefold_dataset_describe(data)->samples, 50000);
    assert_int_equal(ask_data_view(data, 0).nonzeros, 50000);
    onefold_dataset_free(data);
    made_free(&text);
    made_free(&packed);
    made_free(&more);
    made_free(&second);
}

/* A table of several pieces is the same matrix for any number of threads, and the first wrong cell
 * is the one that is named. */
static void pieces_and_threads_make_no_difference(void **state)
{
    enum { N = 30000, D = 12 };
    double *values = malloc(sizeof(double) * N * D), *got = malloc(sizeof(double) * N * D);
    check_random(3, 0, N, D, values);
    made text = {0};
    for (size_t e = 0; e < N * D; e++) {
        char cell[64];
        if (e % 5)
            snprintf(cell, sizeof cell, "%.18e", values[e]);
        else
            snprintf(cell, sizeof cell, "%.17g", values[e]);
        made_text(&text, cell);
        made_text(&text, (e + 1) % D ? "," : e % 7 ? "\n" : "\r\n");
    }
    assert_true(text.size > 6u << 20);
    const char *path = folder_path(state, "large.csv");
    made_save(&text, path);
    for (int threads = 1; threads <= 8; threads += threads == 3 ? 5 : 1) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        onefold_dataset *data = NULL;
        CHECK_OK(onefold_dataset_read(&data, context, &path, 1, NULL));
        assert_int_equal(onefold_dataset_describe(data)->samples, N);
        CHECK_OK(onefold_dataset_values(got, data, 0, 0, N));
        for (size_t e = 0; e < N * D; e++)
            assert_true(got[e] == values[e]);
        onefold_dataset_free(data);
        onefold_context_free(context);
    }
    for (int threads = 1; threads <= 2;
         threads++) { /* the error of what cannot be filled in comes first */
        made bad = {0};
        for (size_t r = 0; r < 9000; r++)
            made_text(&bad, r == 5000 ? "1,nan\n" : r == 8000 ? "inf,1\n" : "1,2\n");
        made_save(&bad, path);
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        onefold_dataset *data = NULL;
        CHECK_FAILS(onefold_dataset_read(&data, context, &path, 1, NULL), ONEFOLD_BAD_DATA,
                    "large: line 8001, column 1 is infinite");
        onefold_context_free(context);
        made_free(&bad);
    }
    text.data[text.size - 5] = 'x'; /* a wrong cell in the last piece, and one in an earlier */
    text.data[text.size / 2] = 'y';
    made_save(&text, path);
    char sentence[2][256];
    for (int threads = 1; threads <= 2; threads++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        onefold_dataset *data = NULL;
        assert_int_equal(onefold_dataset_read(&data, context, &path, 1, NULL), ONEFOLD_BAD_DATA);
        snprintf(sentence[threads - 1], 256, "%s", onefold_last_error());
        onefold_context_free(context);
    }
    assert_string_equal(sentence[0], sentence[1]);
    assert_non_null(strstr(sentence[0], "y"));
    made_free(&text);
    free(values);
    free(got);
}

static void long_lines_and_single_rows(void **state)
{
    enum { D = 200000 }; /* a line that is longer than a piece */
    made text = {0};
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < D; c++) {
            char cell[32];
            snprintf(cell, sizeof cell, "%d%s", r * D + c, c + 1 < D ? "," : "\n");
            made_text(&text, cell);
        }
    const char *path = folder_path(state, "wide.csv");
    made_save(&text, path);
    onefold_dataset *data = read_one(path, NULL);
    assert_int_equal(onefold_dataset_describe(data)->samples, 3);
    assert_int_equal(ask_data_view(data, 0).columns, D);
    double *values = malloc(3 * D * sizeof *values);
    CHECK_OK(onefold_dataset_values(values, data, 0, 0, 3));
    for (size_t e = 0; e < 3 * D; e++)
        assert_true(values[e] == (double)e);
    free(values);
    onefold_dataset_free(data);
    made_free(&text);
    made_file(path, "0.5,1,2\n");
    data = read_one(path, NULL);
    assert_int_equal(onefold_dataset_describe(data)->samples, 1);
    onefold_dataset_free(data);
    made_file(path, "0.5\n1\n2\n");
    data = read_one(path, NULL);
    expect_view(data, 0, "wide", "dense", 1, (double[]){0.5, 1, 2});
    onefold_dataset_free(data);
}

static void every_allocation_may_fail(void **state)
{
    const char *path = folder_path(state, "memory.csv");
    made_file(path, "id,label,a,b\nu,0,1,2.5\nv,0,4e-3,5\nw,1,1,1\n");
    every_allocation_fails(&path, 1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(separators_blanks_and_ends_of_lines, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(tabs_with_nothing_between_them, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(headers_and_names_of_rows, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(columns_of_labels_are_no_part_of_the_view, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_named_by_row_and_column, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(words_are_labels_for_the_truth, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(packed_tables, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(pieces_and_threads_make_no_difference, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(long_lines_and_single_rows, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
