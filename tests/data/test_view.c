/* SPDX-License-Identifier: Apache-2.0 */
#include "data/view.h"

#include "support/check.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 153, COLUMNS = 37 };

/* The value of (sample, column), one that every type can hold. */
static double value_of(size_t j, size_t i)
{
    return (double)((j * 31 + i * 17) % 120);
}

static void put(void *data, of_type type, size_t at, double value)
{
    switch (type) {
    case OF_F64:
        ((double *)data)[at] = value;
        break;
    case OF_F32:
        ((float *)data)[at] = (float)value;
        break;
    case OF_I8:
        ((int8_t *)data)[at] = (int8_t)value;
        break;
    case OF_U8:
        ((uint8_t *)data)[at] = (uint8_t)value;
        break;
    case OF_I16:
        ((int16_t *)data)[at] = (int16_t)value;
        break;
    case OF_U16:
        ((uint16_t *)data)[at] = (uint16_t)value;
        break;
    case OF_I32:
        ((int32_t *)data)[at] = (int32_t)value;
        break;
    case OF_U32:
        ((uint32_t *)data)[at] = (uint32_t)value;
        break;
    case OF_I64:
        ((int64_t *)data)[at] = (int64_t)value;
        break;
    default:
        ((uint64_t *)data)[at] = (uint64_t)value;
        break;
    }
}

static of_view dense(const void *data, of_type type, size_t sample_step, size_t column_step)
{
    of_view view = {.name = "x",
                    .storage = OF_DENSE,
                    .samples = SAMPLES,
                    .columns = COLUMNS,
                    .data = data,
                    .type = type,
                    .sample_step = sample_step,
                    .column_step = column_step};
    return view;
}

/* Every tile of the view has the values, and nothing beyond its columns is written. */
static void check_tiles(const of_view *view)
{
    enum { LDO = COLUMNS + 3 };
    static const size_t first[] = {0, 0, 7, 16, SAMPLES - 1, 20},
                        count[] = {SAMPLES, 16, 18, 0, 1, 130};
    double out[SAMPLES * LDO];
    for (size_t t = 0; t < 6; t++) {
        for (size_t e = 0; e < SAMPLES * LDO; e++)
            out[e] = -7;
        of_view_tile(view, first[t], count[t], out, LDO);
        for (size_t j = 0; j < SAMPLES; j++)
            for (size_t i = 0; i < LDO; i++) {
                double want = j < count[t] && i < COLUMNS ? value_of(first[t] + j, i) : -7;
                assert_true(out[j * LDO + i] == want);
            }
    }
}

static void tiles_of_every_type_and_order_are_the_values(void **state)
{
    (void)state;
    static const size_t steps[][2] = {{COLUMNS, 1},     {1, SAMPLES},     {COLUMNS + 5, 1},
                                      {1, SAMPLES + 2}, {2 * COLUMNS, 2}, {3, 3 * SAMPLES}};
    for (int type = 0; type < (int)OF_TYPE_COUNT; type++)
        for (size_t s = 0; s < 6; s++) {
            static uint64_t data[4 * (SAMPLES + 5) * (COLUMNS + 5)];
            for (size_t j = 0; j < SAMPLES; j++)
                for (size_t i = 0; i < COLUMNS; i++)
                    put(data, (of_type)type, j * steps[s][0] + i * steps[s][1], value_of(j, i));
            of_view view = dense(data, (of_type)type, steps[s][0], steps[s][1]);
            check_tiles(&view);
            assert_int_equal(of_view_bytes(&view), SAMPLES * COLUMNS * of_type_size((of_type)type));
            size_t nonzeros = 0;
            for (size_t j = 0; j < SAMPLES; j++)
                for (size_t i = 0; i < COLUMNS; i++)
                    nonzeros += value_of(j, i) != 0;
            assert_int_equal(of_view_signs(&view, 0, view.samples).nonzeros, nonzeros);
        }
}

static void types_keep_their_sign_and_range(void **state)
{
    (void)state;
    int8_t a[] = {-128, 127};
    uint8_t b[] = {255, 0};
    uint32_t c[] = {4294967295u, 1};
    int64_t d[] = {-9007199254740992, 5};
    float e[] = {0.1f, -3e38f};
    double out[2];
    of_view view = {.samples = 2, .columns = 1, .sample_step = 1, .column_step = 1};
    view.type = OF_I8, view.data = a, of_view_tile(&view, 0, 2, out, 1);
    assert_true(out[0] == -128 && out[1] == 127);
    view.type = OF_U8, view.data = b, of_view_tile(&view, 0, 2, out, 1);
    assert_true(out[0] == 255);
    view.type = OF_U32, view.data = c, of_view_tile(&view, 0, 2, out, 1);
    assert_true(out[0] == 4294967295.0);
    view.type = OF_I64, view.data = d, of_view_tile(&view, 0, 2, out, 1);
    assert_true(out[0] == -9007199254740992.0);
    view.type = OF_F32, view.data = e, of_view_tile(&view, 0, 2, out, 1);
    assert_true(out[0] == (double)0.1f && out[1] == (double)-3e38f);
}

static void sparse_tiles_fill_in_zeros(void **state)
{
    (void)state;
    size_t start[] = {0, 2, 2, 5};
    uint32_t index[] = {1, 3, 0, 1, 2};
    double value[] = {5, -1, 2, 0, 4}; /* one entry is stored though it is 0 */
    of_view view = {
        .storage = OF_SPARSE, .samples = 3, .columns = 4, .sparse = {3, 4, start, index, value}};
    double out[10];
    of_view_tile(&view, 1, 2, out, 5);
    double want[] = {0, 0, 0, 0, 0, 2, 0, 4, 0};
    for (int i = 0; i < 9; i++)
        if (i != 4)
            assert_true(out[i] == want[i]);
    assert_int_equal(of_view_signs(&view, 0, view.samples).nonzeros, 4);
    assert_int_equal(of_view_bytes(&view), 4 * sizeof(size_t) + 5 * 12);
    assert_true(of_view_is_finite(&view, 0, 3));
    value[3] = INFINITY;
    value[4] = NAN;
    assert_false(of_view_is_finite(&view, 0, 3));
    assert_true(of_view_is_finite(&view, 0, 2));
}

static void a_value_that_is_not_finite_is_found_anywhere(void **state)
{
    (void)state;
    enum { N = 100, D = 300 };
    static double data[N * D];
    static float single[N * D];
    for (int order = 0; order < 2; order++) {
        memset(data, 0, sizeof data);
        size_t ss = order ? 1 : D, cs = order ? N : 1;
        of_view view = {
            .samples = N, .columns = D, .data = data, .sample_step = ss, .column_step = cs};
        assert_true(of_view_is_finite(&view, 0, N));
        data[40 * ss + 200 * cs] = NAN;
        data[35 * ss + 290 * cs] = -INFINITY;
        data[99 * ss] = NAN;
        assert_false(of_view_is_finite(&view, 0, N));
        assert_false(of_view_is_finite(&view, 35, 1));
        assert_true(of_view_is_finite(&view, 36, 4));
        assert_false(of_view_is_finite(&view, 36, 5));
        assert_true(of_view_is_finite(&view, 0, 35));
        data[35 * ss + 290 * cs] = data[40 * ss + 200 * cs] = 1e308;
        assert_false(of_view_is_finite(&view, 0, N));
        assert_true(of_view_is_finite(&view, 0, N - 1));
    }
    of_view view = {.samples = N,
                    .columns = D,
                    .data = single,
                    .type = OF_F32,
                    .sample_step = D,
                    .column_step = 1};
    assert_true(of_view_is_finite(&view, 0, N));
    single[17 * D + 4] = NAN;
    assert_false(of_view_is_finite(&view, 0, N));
    view.columns =
        100; /* of every third column, from the second: that with the gap is the second */
    view.data = single + 1;
    view.column_step = 3;
    assert_false(of_view_is_finite(&view, 17, 1));
    view.data = single;
    assert_true(of_view_is_finite(&view, 0, N));
    view.column_step = 1; /* the first 100 columns of each sample, and then those before the gap */
    assert_false(of_view_is_finite(&view, 0, N));
    view.columns = 4;
    assert_true(of_view_is_finite(&view, 0, N));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_every_type_and_order_are_the_values),
        cmocka_unit_test(types_keep_their_sign_and_range),
        cmocka_unit_test(sparse_tiles_fill_in_zeros),
        cmocka_unit_test(a_value_that_is_not_finite_is_found_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
