/* SPDX-License-Identifier: Apache-2.0 */
/* Names of columns, read and written: headers, names of rows, lists in containers. */
#include "io/find.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/written.h"

#include <string.h>

static onefold_dataset *read_files(const char *first, const char *second, onefold_side side)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    const char *paths[] = {first, second};
    options.samples_are = side;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, second ? 2 : 1, &options));
    return data;
}

static void expect_names(const onefold_dataset *data, size_t view, const char *const *names)
{
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_dataset_view(data, view, &info));
    assert_int_equal(info.column_names != NULL, names != NULL);
    for (size_t i = 0; names && i < info.columns; i++)
        assert_string_equal(ask_column_name(data, view, i), names[i]);
}

/* Two tables transposed, genes x samples: the names are those of the rows. */
static void names_of_rows_serve_where_samples_are_columns(void **state)
{
    static const char *const genes[] = {"TP53", "BRCA1", "MYC"}, *const sites[] = {"cg1", "cg2"};
    const char *a = folder_path(state, "a.csv"), *b = folder_path(state, "b.tsv");
    made_file(a, "gene,s1,s2,s3,s4\nTP53,1,2,3,4\nBRCA1,5,6,7,8\nMYC,9,1,2,3\n");
    made_file(b, "s1\ts2\ts3\ts4\ncg1\t1\t2\t3\t4\ncg2\t5\t6\t7\t8\n");
    onefold_dataset *data = read_files(a, b, ONEFOLD_SIDE_COLUMNS);
    assert_int_equal(onefold_dataset_describe(data)->samples, 4);
    expect_names(data, 0, genes);
    expect_names(data, 1, sites);
    onefold_dataset_free(data);
}

static void headers_serve_where_samples_are_rows(void **state)
{
    static const char *const names[] = {"height", "weight"}, *const words[] = {"x", "y", "z"};
    const char *a = folder_path(state, "a.csv"), *b = folder_path(state, "b.tsv"),
               *c = folder_path(state, "c.csv");
    made_file(a, "id,height,weight,class\np,1,2,1\nq,3,4,1\nr,5,6,2\ns,7,8,2\n");
    made_file(b, "x\ty\tz\n1\t2\t3\n4\t5\t6\n7\t8\t9\n1\t3\t5\n");
    made_file(c, "1,2,3\n4,5,6\n7,8,9\n1,3,5\n");
    onefold_dataset *data = read_files(a, b, ONEFOLD_SIDE_AUTO);
    expect_names(data, 0, names); /* neither the names of rows nor the labels are columns */
    expect_names(data, 1, words);
    onefold_dataset_free(data);
    data = read_files(c, NULL, ONEFOLD_SIDE_ROWS);
    expect_names(data, 0, NULL);
    onefold_dataset_free(data);
}

/* Names are written and read back in every format that has them. */
static void names_come_back_as_they_were_written(void **state)
{
    static const char *const four[] = {"a", "", "K\xc3\xb6ln", "with, comma"};
    static const char *const containers[] = {"d.mat", "d.npz"};
    char text[40][16];
    const char *forty[40];
    for (size_t i = 0; i < 40; i++) {
        snprintf(text[i], sizeof text[i], "word %zu", i);
        forty[i] = text[i];
    }
    onefold_dataset *written = written_mixed();
    CHECK_OK(onefold_dataset_set_column_names(written, 0, four));
    CHECK_OK(onefold_dataset_set_column_names(written, 3, forty));
    for (size_t f = 0; f < 2; f++) {
        const char *path = folder_path(state, containers[f]);
        CHECK_OK(onefold_dataset_write(written, NULL, path));
        onefold_dataset *data = read_files(path, NULL, ONEFOLD_SIDE_AUTO);
        assert_int_equal(onefold_dataset_describe(data)->views, 4);
        expect_names(data, 0, four);
        expect_names(data, 1, NULL);
        expect_names(data, 2, NULL);
        expect_names(data, 3, forty);
        for (size_t i = 0; i < onefold_dataset_describe(data)->notes; i++)
            assert_null(strstr(onefold_dataset_describe(data)->note[i], "passed over"));
        onefold_dataset_free(data);
    }
    CHECK_OK(onefold_dataset_write(written, NULL, folder_path(state, "d.csv")));
    onefold_dataset_free(written);
    onefold_dataset *data = read_files(folder_path(state, "d.1.csv"), NULL, ONEFOLD_SIDE_ROWS);
    expect_names(data, 0, four);
    onefold_dataset_free(data);
}

static void put_texts(made *to, const char *name, size_t count, const char *const *text)
{
    made parts = {0};
    for (size_t i = 0; i < count; i++)
        made_mat_text(&parts, "", 1, strlen(text[i]), text[i]);
    made_mat_array(to, MADE_CELL, (size_t[3]){count, 1, 0}, name, &parts, 0);
    made_free(&parts);
}

static const char *const words[] = {"goal", "vote", "gene"}, *const tags[] = {"red", "blue"};

/* Views of 3 and 2 columns of 4 samples, or transposed, with what `put` adds. */
static onefold_dataset *read_mat(void **state, int turned, void (*put)(made *to))
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
    made file = {0}, views = {0};
    const char *path = folder_path(state, "m.mat");
    made_mat_header(&file, 0);
    made_mat_dense(&views, "", turned ? 3 : 4, turned ? 4 : 3, OF_F64, values, 0);
    made_mat_dense(&views, "", turned ? 2 : 4, turned ? 4 : 2, OF_F64, values, 0);
    made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, "X", &views, 0);
    made_mat_dense(&file, "Y", 4, 1, OF_F64, (const double[]){1, 1, 2, 2}, 0);
    put(&file);
    made_save(&file, path);
    made_free(&file);
    made_free(&views);
    return read_files(path, NULL, ONEFOLD_SIDE_AUTO);
}

static void put_usual(made *to)
{
    put_texts(to, "words", 3, words);
}

static void put_numbered(made *to)
{
    put_texts(to, "feature_names2", 2, tags);
    put_texts(to, "feature_names1", 3, words);
}

static void put_cell(made *to)
{
    made lists = {0};
    put_texts(&lists, "", 3, words);
    put_texts(&lists, "", 2, tags);
    made_mat_array(to, MADE_CELL, (size_t[3]){1, 2, 0}, "column_names", &lists, 0);
    made_free(&lists);
}

static void put_others(made *to)
{
    put_texts(to, "authors", 3, words);       /* not a name under which columns are named */
    put_texts(to, "terms", 2, words);         /* the first two, as many as the other view has */
    put_texts(to, "column_names1", 2, words); /* too few for the first */
    put_texts(to, "column_names7", 3, words); /* of no view */
}

static void containers_name_columns_by_rule(void **state)
{
    for (int turned = 0; turned < 2; turned++) {
        onefold_dataset *data = read_mat(state, turned, put_usual);
        expect_names(data, 0, words);
        expect_names(data, 1, NULL);
        onefold_dataset_free(data);
        data = read_mat(state, turned, put_numbered);
        expect_names(data, 0, words);
        expect_names(data, 1, tags);
        onefold_dataset_free(data);
        data = read_mat(state, turned, put_cell);
        expect_names(data, 0, words);
        expect_names(data, 1, tags);
        onefold_dataset_free(data);
        const char *path = folder_path(state, "m.mat"); /* the same, with the option `views` */
        onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
        options.views = "X";
        CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, &options));
        expect_names(data, 0, words);
        expect_names(data, 1, tags);
        onefold_dataset_free(data);
        options.views = "X{2}";
        CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, &options));
        expect_names(data, 0, tags);
        onefold_dataset_free(data);
        data = read_mat(state, turned, put_others);
        expect_names(data, 0, NULL);
        expect_names(data, 1, words);
        onefold_dataset_free(data);
    }
}

/* As NumPy users save them: arrays of strings beside the matrices, dense and sparse. */
static void arrays_of_strings_name_columns(void **state)
{
    static const char *const terms[] = {"goal", "vote", "\xc3\xa9t\xc3\xa9"};
    CHECK_PYTHON(
        state, "numpy,scipy",
        "import numpy as np, scipy.sparse as sp\n"
        "x = np.arange(15.0).reshape(5, 3) % 7\n"
        "s = sp.csr_matrix(x % 2)\n"
        "np.savez('n.npz', X1=x, column_names1=np.array(['goal', 'vote', '\\u00e9t\\u00e9']),\n"
        "         **{'X2.data': s.data, 'X2.indices': s.indices, 'X2.indptr': s.indptr,\n"
        "            'X2.shape': s.shape, 'X2.format': 'csr'},\n"
        "         column_names2=np.array([b'goal', b'vote', b'x']))\n");
    onefold_dataset *data = read_files(folder_path(state, "n.npz"), NULL, ONEFOLD_SIDE_ROWS);
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    expect_names(data, 0, terms);
    assert_string_equal(ask_column_name(data, 1, 2), "x");
    onefold_dataset_free(data);
}

/* A matrix without names, a list of names beside it, and a list that fits nothing. */
static void a_file_of_words_names_columns(void **state)
{
    const char *counts = folder_path(state, "counts.mtx"), *list = folder_path(state, "words.txt"),
               *other = folder_path(state, "other.csv"), *wrong = folder_path(state, "four.txt"),
               *labels = folder_path(state, "labels.txt");
    made_file(counts, "%%MatrixMarket matrix coordinate integer general\n5 3 4\n1 1 2\n2 2 1\n"
                      "4 3 7\n5 1 1\n");
    made_file(other, "1,2\n3,4\n5,6\n7,8\n9,1\n");
    made_file(list, "goal\nvote\ngene\n");
    made_file(wrong, "a\nb\nc\nd\n");
    made_file(labels, "x\ny\nx\ny\nx\n");
    const char *paths[] = {counts, list, other, labels};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, 4, NULL));
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    assert_int_equal(onefold_dataset_describe(data)->classes, 2);
    expect_names(data, 0, words);
    expect_names(data, 1, NULL);
    int noted = 0;
    for (size_t i = 0; i < onefold_dataset_describe(data)->notes; i++)
        noted |= strcmp(onefold_dataset_describe(data)->note[i],
                        "words: names of the columns of counts") == 0;
    assert_true(noted);
    onefold_dataset_free(data);
    data = NULL;
    paths[1] = wrong;
    CHECK_FAILS(onefold_dataset_read(&data, NULL, paths, 4, NULL), ONEFOLD_BAD_DATA, "four.txt");
    assert_non_null(strstr(onefold_last_hint(), "a side of 4"));
    paths[0] = list; /* an error where there is no matrix to name */
    CHECK_FAILS(onefold_dataset_read(&data, NULL, paths, 1, NULL), ONEFOLD_BAD_DATA, "words.txt");
    assert_null(data);
}

static void names_of_lists_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int is;
        size_t number;
    } cases[] = {
        {"column_names", 1, 0},
        {"ColumnNames", 1, 0},
        {"feature_names_12", 1, 12},
        {"words", 1, 0},
        {"Genes2", 1, 2},
        {"vocabulary", 1, 0},
        {"names", 0, 0},
        {"class_names", 0, 0},
        {"X1", 0, 1},
        {"view_names", 0, 0},
        {"", 0, 0},
        {"12", 0, 12},
        {"words99999999999", 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t number;
        assert_int_equal(of_name_of_columns(cases[i].name, &number), cases[i].is);
        assert_int_equal(number, cases[i].number);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_of_rows_serve_where_samples_are_columns, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(headers_serve_where_samples_are_rows, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(names_come_back_as_they_were_written, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(containers_name_columns_by_rule, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(arrays_of_strings_name_columns, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_file_of_words_names_columns, folder_make, folder_remove),
        cmocka_unit_test(names_of_lists_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
