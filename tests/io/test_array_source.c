/* SPDX-License-Identifier: Apache-2.0 */
/* Files of numbers that are passed: the values of the mapping, in any pieces and of any type, with
 * nothing of the file left in memory; a file that is cut short meanwhile is told, not crashed on.
 */
#include "data/dataset.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static onefold_dataset *passed(const char *path)
{
    onefold_dataset *data = NULL;
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.samples_are = ONEFOLD_SIDE_ROWS;
    options.pass_once = 1;
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, &options));
    return data;
}

static const char *saved(void **state, const char *type, const char *shape, const void *x,
                         size_t size)
{
    made bytes = {0};
    const char *path = folder_path(state, "x.npy");
    made_npy_header(&bytes, type, 0, shape);
    made_put(&bytes, x, size);
    made_save(&bytes, path);
    made_free(&bytes);
    return path;
}

/* Every value through the source is the one in the mapping. */
static void compare(const of_view *view, size_t step)
{
    size_t d = view->columns, ldo = d + 3;
    double *a = malloc(step * d * sizeof *a), *b = malloc(step * ldo * sizeof *b);
    assert_non_null(view->source);
    for (size_t first = 0; first < view->samples; first += step) {
        size_t count = view->samples - first < step ? view->samples - first : step;
        of_view_tile(view, first, count, a, d);
        CHECK_OK(of_view_read(view, first, count, b, ldo));
        for (size_t j = 0; j < count; j++)
            assert_memory_equal(a + j * d, b + j * ldo, d * sizeof *a);
    }
    free(a);
    free(b);
}

static void any_type_and_any_piece(void **state)
{
    enum { N = 700, D = 37 };
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"<f8", 8}, {"<f4", 4}, {"|i1", 1}, {"|u1", 1}, {"<i2", 2},
                 {"<u2", 2}, {"<i4", 4}, {"<u4", 4}, {"<i8", 8}, {"<u8", 8}};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        unsigned char *x = malloc(N * D * types[t].size);
        for (size_t i = 0; i < N * D * types[t].size; i++)
            x[i] = (unsigned char)((i * 2654435761u >> 9) & 0x3f); /* no NaN among floats */
        onefold_dataset *data =
            passed(saved(state, types[t].name, "(700, 37)", x, N * D * types[t].size));
        static const size_t steps[] = {1, 7, 256, N};
        for (size_t s = 0; s < 4; s++)
            compare(&data->set.views[0], steps[s]);
        onefold_dataset_free(data);
        free(x);
    }
}

/* Rows longer than what is read at a time. */
static void long_rows(void **state)
{
    enum { N = 3, D = 30001 };
    float *x = malloc(sizeof(float) * N * D);
    for (size_t i = 0; i < N * D; i++)
        x[i] = (float)i + 0.5f;
    onefold_dataset *data = passed(saved(state, "<f4", "(3, 30001)", x, sizeof(float) * N * D));
    compare(&data->set.views[0], 1);
    compare(&data->set.views[0], 3);
    onefold_dataset_free(data);
    free(x);
}

static void a_file_that_shrinks(void **state)
{
    enum { N = 5000, D = 16 };
    double *x = calloc(N * D, sizeof *x), row[2 * D];
    const char *path = saved(state, "<f8", "(5000, 16)", x, sizeof *x * N * D);
    onefold_dataset *data = passed(path);
    assert_int_equal(truncate(path, 4096 + sizeof *x * D * 100), 0);
    CHECK_OK(of_view_read(&data->set.views[0], 0, 2, row, D));
    CHECK_FAILS(of_view_read(&data->set.views[0], 4000, 2, row, D), ONEFOLD_IO,
                "x.npy: the file was truncated while it was read");
    onefold_dataset_free(data);
    free(x);
}

/* Samples that are columns, or turned byte by byte, have to be held or mapped. */
static void what_cannot_be_passed(void **state)
{
    double x[60];
    for (size_t i = 0; i < 60; i++)
        x[i] = (double)i;
    onefold_dataset *data = passed(saved(state, ">f8", "(10, 6)", x, sizeof x));
    assert_null(data->set.views[0].source);
    onefold_dataset_free(data);
    made bytes = {0};
    made_npy_header(&bytes, "<f8", 1, "(10, 6)");
    made_put(&bytes, x, sizeof x);
    made_save(&bytes, folder_path(state, "x.npy"));
    made_free(&bytes);
    data = passed(folder_path(state, "x.npy"));
    assert_null(data->set.views[0].source);
    double row[6];
    CHECK_OK(of_view_read(&data->set.views[0], 3, 1, row, 6));
    assert_true(row[0] == 3 && row[5] == 53);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_type_and_any_piece, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(long_rows, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_file_that_shrinks, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_cannot_be_passed, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
