/* SPDX-License-Identifier: Apache-2.0 */
/* Elements are written in either order, for any steps. */
#include "io/atomic_file.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The `size` bytes that are written for a view. */
static unsigned char *written(void **state, const of_view *view, of_type type, of_order order,
                              size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    const char *path = folder_path(state, "elements");
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, NULL, path));
    CHECK_OK(of_write_elements(&file, view, type, order));
    CHECK_OK(of_atomic_commit(&file));
    FILE *made = fopen(path, "rb");
    assert_non_null(made);
    assert_int_equal(fread(bytes, 1, size + 1, made), size);
    fclose(made);
    return bytes;
}

/* One element after the other, straight from the definition of a view. */
static void restate(const of_view *view, of_order order, unsigned char *out)
{
    size_t size = of_type_size(view->type),
           count = order == OF_ORDER_ROWS ? view->samples : view->columns,
           length = order == OF_ORDER_ROWS ? view->columns : view->samples;
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < length; b++) {
            size_t j = order == OF_ORDER_ROWS ? a : b, i = order == OF_ORDER_ROWS ? b : a;
            memcpy(out + (a * length + b) * size,
                   (const unsigned char *)view->data +
                       (j * view->sample_step + i * view->column_step) * size,
                   size);
        }
}

static void check_both_orders(void **state, const of_view *view)
{
    size_t size = view->samples * view->columns * of_type_size(view->type);
    unsigned char *expected = malloc(size);
    for (of_order order = OF_ORDER_ROWS; order <= OF_ORDER_COLUMNS; order++) {
        unsigned char *got = written(state, view, view->type, order, size);
        restate(view, order, expected);
        assert_memory_equal(got, expected, size);
        free(got);
    }
    free(expected);
}

static void any_type_and_steps_in_both_orders(void **state)
{
    for (int type = 0; type < (int)OF_TYPE_COUNT; type++)
        for (int columns_first = 0; columns_first < 2; columns_first++) {
            of_view view = written_dense((of_type)type, 13, 8, columns_first);
            check_both_orders(state, &view);
            view.columns = 3; /* a part of each sample: gaps between lines */
            check_both_orders(state, &view);
            view.columns = 4;
            view.column_step *= 2;
            check_both_orders(state, &view);
            free((void *)view.data);
        }
}

/* More than one batch: many lines, and lines longer than a batch. */
static void large_views_in_pieces(void **state)
{
    of_view tall = written_dense(OF_F32, 1200000, 3, 0), wide = written_dense(OF_U8, 3, 5000000, 1);
    check_both_orders(state, &tall);
    check_both_orders(state, &wide);
    free((void *)tall.data);
    free((void *)wide.data);
}

static void any_view_as_doubles(void **state)
{
    onefold_dataset *dataset = written_mixed();
    for (size_t v = 0; v < 4; v++) {
        const of_view *view = &dataset->set.views[v];
        size_t room = 25 * view->columns * sizeof(double);
        double *expected = malloc(room);
        unsigned char *got = written(state, view, OF_F64, OF_ORDER_ROWS, room);
        for (size_t j = 0; j < 25; j++)
            for (size_t i = 0; i < view->columns; i++) {
                int number = (int)((7 * j + 3 * i) % 11) - 5;
                expected[j * view->columns + i] = v == 2                 ? number * number
                                                  : v == 3 && number < 0 ? 0
                                                                         : number / 4.0;
            }
        assert_memory_equal(got, expected, room);
        free(expected);
        free(got);
    }
    onefold_dataset_free(dataset);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(any_type_and_steps_in_both_orders),
        IN_FOLDER(large_views_in_pieces),
        IN_FOLDER(any_view_as_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
