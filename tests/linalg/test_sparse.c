/* SPDX-License-Identifier: Apache-2.0 */
#include "linalg/sparse.h"

#include "base/random.h"
#include "support/check.h"

#include <string.h>

enum { ROWS = 301, COLUMNS = 57, DEPTH = 5 };

/* Rows of 0 to 12 entries, some of them stored zeros, and an empty column; dense gets the same. */
static of_sparse random_matrix(of_arena *arena, double *dense)
{
    size_t *start;
    uint32_t *index;
    double *value;
    CHECK_OK(OF_NEW(arena, &start, ROWS + 1, 1));
    CHECK_OK(OF_NEW(arena, &index, ROWS * COLUMNS, 1));
    CHECK_OK(OF_NEW(arena, &value, ROWS * COLUMNS, 1));
    memset(dense, 0, ROWS * COLUMNS * sizeof *dense);
    of_random random = of_random_make(1, OF_PURPOSE_TEST, 0);
    size_t entries = 0;
    for (size_t j = 0; j < ROWS; j++) {
        start[j] = entries;
        for (uint32_t c = 0; c < COLUMNS; c++)
            if (c != 11 && j % 7 && of_random_below(&random, COLUMNS) < 6) {
                index[entries] = c;
                value[entries] = of_random_below(&random, 9) ? of_random_normal(&random) : 0;
                dense[j * COLUMNS + c] = value[entries++];
            }
    }
    start[ROWS] = entries;
    return (of_sparse){ROWS, COLUMNS, start, index, value};
}

static void a_transpose_has_the_same_entries_the_other_way(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static double dense[ROWS * COLUMNS], back[ROWS * COLUMNS];
    of_sparse matrix = random_matrix(&arena, dense), transpose, twice;
    CHECK_OK(of_sparse_transpose(&arena, &matrix, &transpose));
    assert_int_equal(transpose.rows, COLUMNS);
    assert_int_equal(transpose.columns, ROWS);
    assert_int_equal(transpose.start[COLUMNS], matrix.start[ROWS]);
    for (size_t c = 0; c < COLUMNS; c++)
        for (size_t e = transpose.start[c]; e < transpose.start[c + 1]; e++) {
            assert_true(e == transpose.start[c] || transpose.index[e] > transpose.index[e - 1]);
            back[transpose.index[e] * COLUMNS + c] = transpose.value[e];
        }
    assert_memory_equal(back, dense, sizeof dense);
    CHECK_OK(of_sparse_transpose(&arena, &transpose, &twice));
    assert_memory_equal(twice.start, matrix.start, (ROWS + 1) * sizeof *matrix.start);
    assert_memory_equal(twice.index, matrix.index, matrix.start[ROWS] * sizeof *matrix.index);
    assert_memory_equal(twice.value, matrix.value, matrix.start[ROWS] * sizeof *matrix.value);
}

/* Enough entries for several blocks of rows, some of them empty. */
static void a_large_transpose_is_the_plain_one_for_any_threads(void **state)
{
    (void)state;
    enum { TALL = 40000, NARROW = 300, EACH = 5 };
    static size_t start[TALL + 1], next[NARROW + 1];
    static uint32_t index[TALL * EACH], want[TALL * EACH];
    static double value[TALL * EACH], want_value[TALL * EACH];
    size_t entries = 0;
    for (size_t j = 0; j < TALL; j++) {
        start[j] = entries;
        for (size_t e = 0; e < j % (EACH + 1); e++, entries++) {
            index[entries] = (uint32_t)((j * 7 + e * 61) % NARROW);
            value[entries] = (double)entries + 0.5;
        }
    }
    start[TALL] = entries;
    for (size_t e = 0; e < entries; e++)
        next[index[e] + 1]++;
    for (size_t c = 0; c < NARROW; c++)
        next[c + 1] += next[c];
    for (size_t j = 0; j < TALL; j++)
        for (size_t e = start[j]; e < start[j + 1]; e++) {
            want[next[index[e]]] = (uint32_t)j;
            want_value[next[index[e]]++] = value[e];
        }
    of_sparse matrix = {TALL, NARROW, start, index, value}, transpose;
    for (int threads = 1; threads <= 4; threads++) {
        of_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        OF_SCRATCH(arena, context);
        CHECK_OK(of_sparse_transpose(&arena, &matrix, &transpose));
        assert_int_equal(transpose.start[0], 0);
        for (size_t c = 0; c < NARROW; c++) /* each has reached the start of the next */
            assert_int_equal(transpose.start[c + 1], next[c]);
        assert_memory_equal(transpose.index, want, entries * sizeof *want);
        assert_memory_equal(transpose.value, want_value, entries * sizeof *want_value);
        of_arena_free(&arena);
        onefold_context_free(context);
    }
}

static void a_product_is_the_sum_it_stands_for(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static double dense[ROWS * COLUMNS], x[DEPTH * COLUMNS], y[DEPTH * ROWS], again[DEPTH * ROWS];
    of_sparse matrix = random_matrix(&arena, dense);
    check_random(2, 0, DEPTH, COLUMNS, x);
    for (int threads = 1; threads <= 8; threads++) {
        of_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        CHECK_OK(of_sparse_apply(context, &matrix, DEPTH, x, threads == 1 ? y : again));
        if (threads > 1)
            assert_memory_equal(y, again, sizeof y);
        onefold_context_free(context);
    }
    for (size_t j = 0; j < ROWS; j++)
        for (size_t i = 0; i < DEPTH; i++) {
            double sum = 0;
            for (size_t c = 0; c < COLUMNS; c++)
                sum += dense[j * COLUMNS + c] * x[c * DEPTH + i];
            CHECK_CLOSE(y[j * DEPTH + i], sum, 1e-13, 1e-13);
        }
    /* eight rows, the eigensolver's block, are summed in registers: the bits of each row alone */
    enum { BLOCK = 8 };
    static double wide[BLOCK * COLUMNS], product[BLOCK * ROWS], row[COLUMNS], alone[ROWS];
    check_random(9, 2, BLOCK, COLUMNS, wide);
    CHECK_OK(of_sparse_apply(of_context_or_default(NULL), &matrix, BLOCK, wide, product));
    for (size_t i = 0; i < BLOCK; i++) {
        for (size_t c = 0; c < COLUMNS; c++)
            row[c] = wide[c * BLOCK + i];
        CHECK_OK(of_sparse_apply(of_context_or_default(NULL), &matrix, 1, row, alone));
        for (size_t j = 0; j < ROWS; j++)
            assert_memory_equal(&product[j * BLOCK + i], &alone[j], sizeof *alone);
    }
}

static void gram_rows_are_inner_products_and_symmetric_to_the_bit(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static double dense[ROWS * COLUMNS], gram[ROWS * ROWS];
    of_sparse matrix = random_matrix(&arena, dense), transpose;
    CHECK_OK(of_sparse_transpose(&arena, &matrix, &transpose));
    memset(gram, 0, sizeof gram);
    for (size_t j = 0; j < ROWS; j++)
        of_sparse_gram_row(&matrix, &transpose, j, gram + j * ROWS);
    for (size_t j = 0; j < ROWS; j++)
        for (size_t i = 0; i < ROWS; i++) {
            double sum = 0;
            for (size_t c = 0; c < COLUMNS; c++)
                sum += dense[j * COLUMNS + c] * dense[i * COLUMNS + c];
            CHECK_CLOSE(gram[j * ROWS + i], sum, 1e-13, 1e-13);
            assert_true(gram[j * ROWS + i] == gram[i * ROWS + j]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_transpose_has_the_same_entries_the_other_way),
        cmocka_unit_test(a_large_transpose_is_the_plain_one_for_any_threads),
        cmocka_unit_test(a_product_is_the_sum_it_stands_for),
        cmocka_unit_test(gram_rows_are_inner_products_and_symmetric_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
