/* SPDX-License-Identifier: Apache-2.0 */
/* What the table does with views of other kinds than landmarks': against its restatement, and its
 * bits against themselves. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- from stack to stack --------------------------------------------------------------------- */

/* Rows of another stack take their place, and the others are left. */
static void rows_of_another_stack(void **state)
{
    (void)state;
    enum { ROWS = 7, N = 1000, K = 3, ROW = 2 };
    double *X = gpu_numbers(ROWS, N, 51), *H = gpu_numbers(K, N, 52),
           *back = malloc(ROWS * N * sizeof *back);
    for (int doubles = 0; doubles < 2; doubles++) {
        of_device_stack *to = gpu_stack(ROWS, N, doubles, X), *from = gpu_stack(K, N, doubles, H),
                        *other = gpu_stack(K, N - 1, doubles, H);
        RUN(stack_rows(to, ROW, from));
        RUN(stack_fetch(to, 0, NULL, N, back));
        for (size_t i = 0; i < ROWS * N; i++) {
            size_t row = i % ROWS, j = i / ROWS;
            double must = row >= ROW && row < ROW + K ? H[row - ROW + j * K] : X[i];
            assert_true(back[i] == (doubles ? must : (double)(float)must));
        }
        assert_int_equal(gpu_lib->stack_rows(to, ROWS - 1, from), OF_DEVICE_FAULT);
        assert_int_equal(gpu_lib->stack_rows(to, 0, other), OF_DEVICE_FAULT);
        gpu_lib->stack_free(to);
        gpu_lib->stack_free(from);
        gpu_lib->stack_free(other);
    }
    free(X);
    free(H);
    free(back);
}

/* ---- features whose products are the kernel ------------------------------------------------- */

/* Samples in pieces of any size lie where stack_store puts them. */
static void check_pieces(of_device_stack *stack, size_t rows, size_t n, const double *x)
{
    double *back = malloc(rows * n * sizeof *back);
    int which = 0;
    for (size_t first = 0, count; first < n; first += count, which = 1 - which) {
        void *area;
        count = n - first < 77 ? n - first : 77;
        RUN(piece_staging(stack, which, count * rows * sizeof *x, &area));
        memcpy(area, x + first * rows, count * rows * sizeof *x);
        RUN(piece(stack, which, first, count));
    }
    RUN(stack_fetch(stack, 0, NULL, n, back));
    assert_memory_equal(back, x, rows * n * sizeof *x);
    assert_int_equal(gpu_lib->piece(stack, 0, n, 1), OF_DEVICE_FAULT);
    assert_int_equal(gpu_lib->piece(stack, 0, 0, n + 1), OF_DEVICE_FAULT);
    free(back);
}

static void try_features(size_t columns, size_t n, double offset)
{
    const size_t length = columns * n;
    double *x = gpu_numbers(columns, n, 61), *shift = gpu_numbers(columns, 1, 62), sum[80],
           expected[80] = {0}, largest[2], most[2] = {0, 0}, floor = 0.1,
           *f = malloc(2 * length * sizeof *f), *found = f + length;
    of_device_stack *stack;
    for (size_t i = 0; i < columns; i++)
        shift[i] += offset;
    for (size_t e = 0; e < length; e++)
        x[e] += offset;
    memcpy(x + 5 * columns, shift, columns * sizeof *x); /* one at the mean */
    RUN(stack_make(gpu_opened, columns, n, 1, &stack, NULL));
    check_pieces(stack, columns, n, x);
    RUN(stack_sum(stack, sum));
    for (size_t j = 0; j < n; j++) {
        double whole, centred;
        restate_features(columns, shift, x + j * columns, f + j * columns, &whole, &centred);
        most[0] = fmax(most[0], whole);
        most[1] = fmax(most[1], centred);
        for (size_t i = 0; i < columns; i++)
            expected[i] += x[i + j * columns];
    }
    assert_true(restate_apart(columns, sum, expected) < 1e-11 * (double)n * (1 + offset));
    RUN(features_centre(stack, shift, -1, largest));
    assert_true(restate_apart(2, largest, most) < 1e-11 * (1 + most[0]));
    RUN(stack_fetch(stack, 0, NULL, n, found));
    assert_memory_equal(found, f, length * sizeof *f);
    memset(shift, 0, columns * sizeof *shift);
    RUN(features_centre(stack, shift, floor, largest));
    assert_true(largest[0] == largest[1] && fabs(largest[0] - most[1]) < 1e-11 * (1 + most[1]));
    RUN(stack_fetch(stack, 0, NULL, n, found));
    for (size_t j = 0; j < n; j++) {
        double whole, centred, unit;
        restate_features(columns, shift, f + j * columns, f + j * columns, &whole, &centred);
        unit = centred > floor ? 1 / sqrt(centred) : 0;
        assert_true(j != 5 || unit == 0);
        for (size_t i = 0; i < columns; i++)
            assert_true(fabs(found[i + j * columns] - unit * f[i + j * columns]) < 1e-13);
    }
    gpu_lib->stack_free(stack);
    free(x);
    free(shift);
    free(f);
}

static void features_and_their_lengths(void **state)
{
    (void)state;
    try_features(5, 700, 0);
    try_features(33, 900, 1e4);
    try_features(70, 129, 0);
    try_features(1, 130, 1e3);
    /* a number that is none is said */
    enum { N = 300 };
    double *x = gpu_numbers(2, N, 66), shift[2] = {0, 0}, largest[2];
    x[2 * 200] = 1e200;
    of_device_stack *stack = gpu_stack(2, N, 1, x), *floats = gpu_stack(2, N, 0, x);
    RUN(features_centre(stack, shift, -1, largest));
    assert_true(isinf(largest[0]) && isinf(largest[1]));
    shift[0] = x[2 * 200] = INFINITY;
    RUN(stack_store(stack, 0, 2, 0, N, x, 2, 0));
    RUN(features_centre(stack, shift, -1, largest));
    assert_true(isinf(largest[0]) && isnan(largest[1]));
    assert_int_equal(gpu_lib->features_centre(floats, shift, -1, largest), OF_DEVICE_FAULT);
    gpu_lib->stack_free(stack);
    gpu_lib->stack_free(floats);
    free(x);
}

/* ---- sparse samples ------------------------------------------------------------------------- */

/* Entries of n samples: column 0 of all, others of some; one sample and one column have none. */
static of_device_entries make_entries(size_t n, size_t columns)
{
    size_t *start = malloc((n + 1) * sizeof *start), most = n * (columns / 5 + 2), at = 0;
    uint32_t *index = malloc(most * sizeof *index);
    double *value = gpu_numbers(most, 1, 91), *scale = gpu_numbers(n, 1, 92);
    start[0] = 0;
    for (size_t j = 0; j < n; j++) {
        if (j != 3)
            index[at++] = 0;
        for (size_t c = 1; j != 3 && c + 1 < columns; c++)
            if ((j * 31 + c * c * 7) % 11 == 0 && at < most)
                index[at++] = (uint32_t)(columns - 1 - c);
        start[j + 1] = at;
    }
    size_t *column_start = calloc(columns + 1, sizeof *column_start);
    uint32_t *sample = malloc((at + 1) * sizeof *sample);
    double *column_value = malloc((at + 1) * sizeof *column_value);
    for (size_t c = 0; c < columns; c++) {
        column_start[c + 1] = column_start[c];
        for (size_t j = 0; j < n; j++)
            for (size_t e = start[j]; e < start[j + 1]; e++)
                if (index[e] == c) {
                    column_value[column_start[c + 1]] = value[e];
                    sample[column_start[c + 1]++] = (uint32_t)j;
                }
    }
    return (of_device_entries){n,     columns,      start,  index,       value,
                               scale, column_start, sample, column_value};
}

static void try_sparse(size_t n, size_t columns, size_t depth)
{
    of_device_entries f = make_entries(n, columns);
    of_device_sparse *sparse;
    double *x = gpu_numbers(depth, columns, 93), *in = gpu_numbers(depth, 1, 94),
           *sum = malloc(3 * depth * (columns + 1) * sizeof *sum),
           *again = sum + depth * (columns + 1), *expected = again + depth * (columns + 1),
           *u = malloc(depth * n * sizeof *u), *H = malloc((depth + 2) * n * sizeof *H),
           *inner = malloc(depth * depth * sizeof *inner);
    RUN(sparse_make(gpu_opened, &f, &sparse));
    RUN(sparse_multiply(sparse, depth, x, in, sum));
    restate_sparse(&f, depth, x, in, 2, NULL, expected);
    assert_true(restate_apart(depth * (columns + 1), sum, expected) < 1e-11 * (double)n);
    for (size_t r = 0; r < depth; r++)
        assert_true(sum[columns * depth + r] == 0); /* the column without entries */
    RUN(sparse_multiply(sparse, depth, x, in, again));
    assert_memory_equal(sum, again, depth * (columns + 1) * sizeof *sum);
    /* the halves of a product with the kernel matrix */
    double *whole = gpu_numbers(depth, n, 95);
    RUN(sparse_gather(sparse, depth, whole, sum));
    restate_sparse(&f, depth, whole, NULL, 1, NULL, expected);
    assert_true(restate_apart(depth * (columns + 1), sum, expected) < 1e-11 * (double)n);
    RUN(sparse_gather(sparse, depth, whole, again));
    assert_memory_equal(sum, again, depth * (columns + 1) * sizeof *sum);
    restate_sparse(&f, depth, x, in, 1, u, NULL);
    RUN(sparse_spread(sparse, depth, x, in, whole));
    assert_true(restate_apart(depth * n, whole, u) < 1e-12 * (double)columns);
    free(whole);
    for (int doubles = 0; doubles < 2; doubles++) {
        of_device_stack *stack;
        RUN(stack_make(gpu_opened, depth + 2, n, doubles, &stack, NULL));
        RUN(sparse_project(sparse, stack, 1, depth, x, in));
        RUN(stack_gram(stack, 1, depth, inner));
        RUN(stack_fetch(stack, 0, NULL, n, H));
        for (size_t j = 0; j < n; j++) {
            assert_true(H[j * (depth + 2)] == 0 && H[j * (depth + 2) + depth + 1] == 0);
            assert_true(restate_apart(depth, H + j * (depth + 2) + 1, u + j * depth) <
                        (doubles ? 1e-12 : 1e-5));
        }
        for (size_t a = 0; a < depth; a++)
            for (size_t b = 0; b < depth; b++) {
                double all = 0;
                for (size_t j = 0; j < n; j++)
                    all += H[j * (depth + 2) + 1 + a] * H[j * (depth + 2) + 1 + b];
                assert_true(fabs(inner[a + b * depth] - all) < 1e-9 * (1 + fabs(all)));
            }
        assert_int_equal(gpu_lib->sparse_project(sparse, stack, 3, depth, x, in), OF_DEVICE_FAULT);
        gpu_lib->stack_free(stack);
    }
    gpu_lib->sparse_free(sparse);
    void *all[] = {(void *)f.start,
                   (void *)f.index,
                   (void *)f.value,
                   (void *)f.scale,
                   (void *)f.column_start,
                   (void *)f.sample,
                   (void *)f.column_value,
                   x,
                   in,
                   sum,
                   u,
                   H,
                   inner};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void products_with_sparse_features(void **state)
{
    (void)state;
    try_sparse(3000, 40, 8); /* segments of a column, and several chunks of samples */
    try_sparse(50, 300, 3);
    try_sparse(200, 17, 21);
    try_sparse(1, 2, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_another_stack),
                                       cmocka_unit_test(features_and_their_lengths),
                                       cmocka_unit_test(products_with_sparse_features)};
    return cmocka_run_group_tests(tests, gpu_open, gpu_close);
}
