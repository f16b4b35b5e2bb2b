/* SPDX-License-Identifier: Apache-2.0 */
/* Elements come out in the order asked for, whatever the steps they are held with. */
#include "io/write.h"

#include "support/check.h"
#include "support/written.h"

#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    unsigned char *memory;
    size_t size, room;
} bytes;

static onefold_status keep(void *to, const void *from, size_t size)
{
    bytes *kept = to;
    assert_true(kept->size + size <= kept->room);
    memcpy(kept->memory + kept->size, from, size);
    kept->size += size;
    return ONEFOLD_OK;
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

static void check_both_orders(const of_view *view)
{
    size_t room = view->samples * view->columns * of_type_size(view->type);
    unsigned char *expected = malloc(room);
    bytes got = {malloc(room), 0, room};
    of_sink sink = {keep, &got};
    of_context *context = of_context_or_default(NULL);
    for (of_order order = OF_ORDER_ROWS; order <= OF_ORDER_COLUMNS; order++) {
        got.size = 0;
        CHECK_OK(of_write_elements(context, sink, view, view->type, order));
        assert_int_equal(got.size, room);
        restate(view, order, expected);
        assert_memory_equal(got.memory, expected, room);
    }
    free(expected);
    free(got.memory);
}

static void any_type_and_steps_in_both_orders(void **state)
{
    (void)state;
    for (int type = 0; type < (int)OF_TYPE_COUNT; type++)
        for (int columns_first = 0; columns_first < 2; columns_first++) {
            of_view view = written_dense((of_type)type, 13, 8, columns_first);
            check_both_orders(&view);
            view.columns = 3; /* a part of each sample: gaps between lines */
            check_both_orders(&view);
            view.columns = 4;
            view.column_step *= 2;
            check_both_orders(&view);
            free((void *)view.data);
        }
}

/* More than is gathered at a time: many lines, and lines longer than that by themselves. */
static void large_views_in_pieces(void **state)
{
    (void)state;
    of_view tall = written_dense(OF_F32, 1200000, 3, 0), wide = written_dense(OF_U8, 3, 5000000, 1);
    check_both_orders(&tall);
    check_both_orders(&wide);
    free((void *)tall.data);
    free((void *)wide.data);
}

static void any_view_as_doubles(void **state)
{
    (void)state;
    onefold_dataset *dataset = written_mixed();
    of_context *context = of_context_or_default(NULL);
    for (size_t v = 0; v < 4; v++) {
        const of_view *view = &dataset->set.views[v];
        size_t room = 25 * view->columns * sizeof(double);
        double *expected = malloc(room);
        bytes got = {malloc(room), 0, room};
        of_sink sink = {keep, &got};
        CHECK_OK(of_write_elements(context, sink, view, OF_F64, OF_ORDER_ROWS));
        assert_int_equal(got.size, room);
        for (size_t j = 0; j < 25; j++)
            for (size_t i = 0; i < view->columns; i++) {
                int number = (int)((7 * j + 3 * i) % 11) - 5;
                expected[j * view->columns + i] = v == 2                 ? number * number
                                                  : v == 3 && number < 0 ? 0
                                                                         : number / 4.0;
            }
        assert_memory_equal(got.memory, expected, room);
        free(expected);
        free(got.memory);
    }
    onefold_dataset_free(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_type_and_steps_in_both_orders),
        cmocka_unit_test(large_views_in_pieces),
        cmocka_unit_test(any_view_as_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
