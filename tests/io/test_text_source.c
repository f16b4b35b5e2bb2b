/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is read a few rows at a time: the same values as when it is read whole, in any pieces
 * and by any number of threads; rows that are wrong are told with their line as they come up; what
 * has to be looked at as a whole first is read whole. */
#include "data/dataset.h"
#include "io/file.h"

#include "support/check.h"
#include "support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5000, D = 17 };

/* Missing values stay as they are. */
static onefold_dataset *read_as(const char *path, int pass_once, onefold_side side)
{
    onefold_dataset *data = NULL;
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.samples_are = side;
    options.pass_once = pass_once;
    options.no_truth = 1;
    options.impute = ONEFOLD_IMPUTE_MODEL;
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, &options));
    return data;
}

static onefold_dataset *whole(const char *path)
{
    return read_as(path, 0, ONEFOLD_SIDE_ROWS);
}

static onefold_dataset *passed(const char *path)
{
    return read_as(path, 1, ONEFOLD_SIDE_ROWS);
}

/* A table that has something of everything: a header, blank lines, carriage returns, quotes, empty
 * cells, and no end of line at its end. */
static const char *odd_table(void **state, const char *name, size_t rows, char separator)
{
    const char *path = folder_path(state, name);
    FILE *file = fopen(path, "w");
    for (size_t i = 0; i < D; i++)
        fprintf(file, "%s\"c %zu\"", i ? (char[]){separator, 0} : "", i);
    for (size_t j = 0; j < rows; j++) {
        fputs(j % 97 == 5 ? "\r\n\r\n" : j % 31 == 1 ? "\n  \n" : "\n", file);
        for (size_t i = 0; i < D; i++) {
            double x = sin((double)(j * D + i)) * pow(10, (double)(j % 9) - 4);
            if (i)
                fputc(separator, file);
            if ((j * D + i) % 1013 == 7)
                fputs("NA", file);
            else
                fprintf(file, (j + i) % 53 == 0 ? "\"%.17g\"" : "%.17g", x);
        }
    }
    fclose(file);
    return path;
}

static void compare(const of_view *all, const of_view *some, size_t first, size_t count)
{
    double *a = malloc(count * D * sizeof *a), *b = malloc(count * (D + 2) * sizeof *b);
    of_view_tile(all, first, count, a, D);
    CHECK_OK(of_view_read(some, first, count, b, D + 2));
    for (size_t j = 0; j < count * D; j++) {
        double x = a[j], y = b[j / D * (D + 2) + j % D];
        assert_true(x == y || (isnan(x) && isnan(y)));
    }
    free(a);
    free(b);
}

static void any_rows_are_those_of_the_whole(void **state)
{
    static const char separators[] = {',', '\t', ';'};
    for (size_t s = 0; s < 3; s++) {
        const char *path = odd_table(state, s == 1 ? "x.tsv" : "x.csv", N, separators[s]);
        onefold_dataset *all = whole(path), *some = passed(path);
        const of_view *a = &all->set.views[0], *b = &some->set.views[0];
        assert_null(a->source);
        assert_non_null(b->source);
        assert_int_equal(a->samples, N);
        assert_int_equal(b->samples, N);
        assert_int_equal(b->columns, D);
        assert_string_equal(b->name, a->name);
        for (size_t i = 0; i < D; i++)
            assert_string_equal(b->column_names[i], a->column_names[i]);
        compare(a, b, 0, N);
        for (size_t first = 0; first < N; first += 61)
            compare(a, b, first, N - first < 200 ? N - first : 200);
        for (size_t first = 0; first < N; first += 1000) { /* released, and asked for again */
            of_view_release(b, first, 1000);
            compare(a, b, first, 3);
            compare(a, b, first ? first - 1 : 0, 5);
        }
        compare(a, b, N - 1, 1);
        onefold_dataset_free(all);
        onefold_dataset_free(some);
    }
}

/* Lines longer than the pieces the text is cut in, and a text of one row. */
static void long_and_few_lines(void **state)
{
    enum { WIDE = 40000 };
    for (size_t rows = 1; rows < 6; rows += 2) {
        const char *path = folder_path(state, "wide.csv");
        FILE *file = fopen(path, "w");
        for (size_t j = 0; j < rows; j++)
            for (size_t i = 0; i < WIDE; i++)
                fprintf(file, "%s%zu.5", i ? "," : j ? "\n" : "", j * WIDE + i);
        fclose(file);
        onefold_dataset *data = passed(path);
        const of_view *view = &data->set.views[0];
        assert_int_equal(view->samples, rows);
        double *x = malloc(WIDE * sizeof *x);
        for (size_t j = rows; j-- > 0;) {
            CHECK_OK(of_view_read(view, j, 1, x, WIDE));
            for (size_t i = 0; i < WIDE; i++)
                assert_true(x[i] == (double)(j * WIDE + i) + 0.5);
        }
        free(x);
        onefold_dataset_free(data);
    }
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
}

static void wrong_rows_are_told_as_they_come_up(void **state)
{
    const char *path = folder_path(state, "wrong.csv");
    put(path, "1,2,3,4\n5,6,7,8\n\n9,10,eleven,12\n13,14,15\n16,17,18,19\n20,21,22,23\n");
    onefold_dataset *data = passed(path);
    const of_view *view = &data->set.views[0];
    double x[8];
    assert_int_equal(view->samples, 6);
    CHECK_OK(of_view_read(view, 0, 2, x, 4));
    assert_true(x[7] == 8);
    CHECK_FAILS(of_view_read(view, 1, 2, x, 4), ONEFOLD_BAD_DATA,
                "wrong.csv: line 4, column 3 holds \"eleven\", which is not a number");
    CHECK_FAILS(of_view_read(view, 3, 1, x, 4), ONEFOLD_BAD_DATA,
                "wrong.csv: line 5 has 3 cells, where the first has 4");
    CHECK_OK(of_view_read(view, 4, 2, x, 4));
    assert_true(x[0] == 16 && x[7] == 23);
    of_view_tile(view, 2, 1, x, 4); /* which cannot fail */
    assert_true(isnan(x[0]) && isnan(x[3]));
    onefold_dataset_free(data);
}

/* What takes a look at all of it. */
static void other_tables_are_read_whole(void **state)
{
    static const char *const texts[][2] = {
        {"words.csv", "a,b,c,d,e\nx,1,2,3,4\ny,5,6,7,8\nx,9,10,11,12\n"},
        {"classes.csv", "a,b,c,d,label\n1,2,3,4,0\n5,6,7,8,1\n9,1,2,3,0\n"},
        {"narrow.csv", "1,2,3\n4,5,6\n7,8,9\n1,1,1\n"},
        {"square.csv", "9,2,3,4\n2,5,6,7\n3,6,8,9\n4,7,9,1\n"},
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        const char *path = folder_path(state, texts[t][0]);
        put(path, texts[t][1]);
        onefold_dataset *data = passed(path), *all = whole(path);
        assert_null(data->set.views[0].source);
        assert_int_equal(data->set.views[0].columns, all->set.views[0].columns);
        onefold_dataset_free(data);
        onefold_dataset_free(all);
    }
    /* samples that are columns lie across all lines */
    const char *path = odd_table(state, "x.csv", 40, ',');
    onefold_dataset *data = read_as(path, 1, ONEFOLD_SIDE_COLUMNS), *all = whole(path);
    const of_view *view = &data->set.views[0];
    assert_null(view->source);
    assert_int_equal(view->samples, D);
    double turned[40], row[D];
    of_view_tile(view, 3, 1, turned, 40);
    for (size_t j = 0; j < 40; j++) {
        of_view_tile(&all->set.views[0], j, 1, row, D);
        assert_true(turned[j] == row[3] || isnan(row[3]));
    }
    onefold_dataset_free(data);
    onefold_dataset_free(all);
}

/* Data that is passed is for predicting; nothing else falls over it. */
static void what_else_may_be_asked(void **state)
{
    const char *path = odd_table(state, "x.csv", 200, ',');
    onefold_dataset *data = passed(path);
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    onefold_estimate *estimate = NULL;
    uint8_t present[200];
    options.clusters = 2;
    CHECK_OK(onefold_dataset_view(data, 0, &info));
    assert_int_equal(info.nonzeros, 0);
    CHECK_FAILS(onefold_fit(&result, NULL, data, &options), ONEFOLD_USAGE,
                "read for onefold_predict");
    CHECK_FAILS(onefold_fit_estimate(&estimate, NULL, data, &options, 0), ONEFOLD_USAGE,
                "read for onefold_predict");
    memset(present, 1, sizeof present);
    CHECK_OK(onefold_dataset_set_present(data, present));
    CHECK_FAILS(onefold_dataset_write(data, NULL, folder_path(state, "out.npy")), ONEFOLD_USAGE,
                "view 'x' is streamed");
    onefold_dataset_free(data);
}

static void every_allocation_fails_once(void **state)
{
    const char *path = odd_table(state, "x.csv", 50, ',');
    onefold_context *context = NULL;
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.pass_once = 1;
    options.samples_are = ONEFOLD_SIDE_ROWS;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    onefold_status status = ONEFOLD_NO_MEMORY;
    for (long at = 1; status != ONEFOLD_OK; at++) {
        onefold_dataset *data = NULL;
        atomic_store(&context->allocations_until_failure, at);
        status = onefold_dataset_read(&data, context, &path, 1, &options);
        atomic_store(&context->allocations_until_failure, -1);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
        onefold_dataset_free(data);
        assert_int_equal(atomic_load(&context->bytes), 0);
    }
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_rows_are_those_of_the_whole, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(long_and_few_lines, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(wrong_rows_are_told_as_they_come_up, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(other_tables_are_read_whole, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_else_may_be_asked, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_allocation_fails_once, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
