/* SPDX-License-Identifier: Apache-2.0 */
/* What the table does with views of other kinds than landmarks': against its restatement, and its
 * bits against themselves. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- views that samples lack ---------------------------------------------------------------- */

/* Every third sample lacks the view; what lay in its rows before is gone, and other rows are left.
 */
static void partitions_are_spread(void **state)
{
    (void)state;
    enum { ROWS = 7, N = 1000, K = 3, ROW = 2, FIRST = 130, COUNT = 777, HELD = 2 * COUNT / 3 + 1 };
    double *X = gpu_numbers(ROWS, N, 51), *H = gpu_numbers(K, HELD, 52), scale[COUNT],
           *back = malloc(2 * ROWS * N * sizeof *back), *again = back + ROWS * N;
    size_t place[COUNT], at = 0;
    for (size_t j = 0; j < COUNT; j++) {
        scale[j] = j % 3 == 1 ? 0 : 0.5 + 0.25 * (double)(j % 4); /* exact in single precision */
        place[j] = j % 3 == 1 ? 0 : at++;
    }
    assert_true(at <= HELD);
    H[0] = NAN; /* of which nothing comes to who lacks the view */
    for (int doubles = 0; doubles < 2; doubles++) {
        for (int piece = 0; piece < 2; piece++) {
            of_device_stack *to = gpu_stack(ROWS, N, doubles, X),
                            *from = gpu_stack(K, HELD, doubles, H);
            double *into = piece ? again : back;
            gpu_lib->set_piece(gpu_opened, piece ? 128 * 16 : 0);
            RUN(stack_spread(to, ROW, FIRST, COUNT, from, place, scale));
            RUN(stack_fetch(to, 0, NULL, N, into));
            gpu_lib->set_piece(gpu_opened, 0);
            gpu_lib->stack_free(to);
            gpu_lib->stack_free(from);
        }
        assert_memory_equal(back, again, ROWS * N * sizeof *back);
        for (size_t j = 0; j < N; j++) {
            double rows[K];
            int meant = j >= FIRST && j < FIRST + COUNT;
            if (meant)
                restate_spread(K, H, place[j - FIRST], scale[j - FIRST], rows);
            for (size_t i = 0; i < ROWS; i++) {
                double is = back[i + j * ROWS],
                       must = meant && i >= ROW && i < ROW + K ? rows[i - ROW] : X[i + j * ROWS];
                assert_true(isnan(must) ? isnan(is)
                                        : fabs(is - must) <= (doubles ? 0 : 1e-7 * fabs(must)));
            }
        }
    }
    of_device_stack *to = gpu_stack(ROWS, N, 1, X), *from = gpu_stack(K, HELD, 1, H);
    assert_int_equal(gpu_lib->stack_spread(to, ROWS - 1, 0, 1, from, place, scale),
                     OF_DEVICE_FAULT);
    assert_int_equal(gpu_lib->stack_spread(to, 0, N, 1, from, place, scale), OF_DEVICE_FAULT);
    gpu_lib->stack_free(to);
    gpu_lib->stack_free(from);
    free(X);
    free(H);
    free(back);
}

/* ---- features whose products are the kernel ------------------------------------------------- */

typedef struct feature_case {
    size_t columns, raw_columns, n, rows;
    int unit, raw_double, doubles, prepared;
    double offset;
} feature_case;

/* One pass: samples in pieces of `piece`, or those that were kept. */
static void feature_pass(of_device_stack *stack, const of_device_features *told, size_t n,
                         size_t piece, const void *raw, int again,
                         const of_device_features_pass *pass, double *sum)
{
    size_t row = told->raw_columns * (told->raw_double ? sizeof(double) : sizeof(float));
    int which = 0;
    RUN(features_start(stack, pass));
    for (size_t first = 0; first < n; first += piece, which = 1 - which) {
        size_t count = n - first < piece ? n - first : piece;
        void *area;
        if (again) {
            RUN(piece(stack, -1, first, count));
            continue;
        }
        RUN(piece_staging(stack, which, &area));
        memcpy(area, (const char *)raw + first * row, count * row);
        RUN(piece(stack, which, first, count));
    }
    RUN(features_end(stack, sum));
}

/* What the four passes leave: d sums, 2 lengths, d x d, rows x rows, and the stack. */
static void feature_passes(const feature_case *z, const of_device_features *told, size_t piece,
                           const void *raw, int keep, const double *mean, double floor,
                           const double *weight, double *out)
{
    size_t d = z->columns, kept_row = 1;
    of_device_stack *stack;
    int kept = keep, again;
    of_device_features_pass pass = {OF_DEVICE_SUM_MEAN, mean, floor, weight, kept_row, z->rows};
    RUN(stack_make(gpu_opened, z->rows + 2, z->n, z->doubles, &stack, NULL));
    RUN(features_begin(
        stack, told,
        piece * told->raw_columns * (told->raw_double ? sizeof(double) : sizeof(float)), &kept));
    assert_int_equal(kept, keep);
    again = 0;
    feature_pass(stack, told, z->n, piece, raw, again, &pass, out);
    again = kept;
    out += d;
    pass.sum = OF_DEVICE_SUM_LARGEST;
    feature_pass(stack, told, z->n, piece, raw, again, &pass, out);
    out += 2;
    pass.sum = OF_DEVICE_SUM_GRAM;
    feature_pass(stack, told, z->n, piece, raw, again, &pass, out);
    out += d * d;
    pass.sum = OF_DEVICE_SUM_ROWS;
    feature_pass(stack, told, z->n, piece, raw, again, &pass, out);
    out += z->rows * z->rows;
    RUN(stack_fetch(stack, 0, NULL, z->n, out));
    if (kept)
        assert_int_equal(gpu_lib->piece(stack, -1, 0, 1), OF_DEVICE_FAULT); /* let go */
    gpu_lib->stack_free(stack);
}

static void restate_passes(const feature_case *z, const of_device_features *told, const double *raw,
                           const double *mean, double floor, const double *weight, double *out)
{
    size_t d = z->columns, rows = z->rows;
    double *sum = out, *largest = sum + d, *gram = largest + 2, *inner = gram + d * d,
           *H = inner + rows * rows, *f = malloc(d * sizeof *f), whole, centred;
    memset(out, 0, (d + 2 + d * d + rows * rows + (rows + 2) * z->n) * sizeof *out);
    for (size_t j = 0; j < z->n; j++) {
        double *h = H + j * (rows + 2) + 1;
        restate_features(told, mean, raw + j * z->raw_columns, f, &whole, &centred);
        largest[0] = fmax(largest[0], centred);
        largest[1] = fmax(largest[1], whole);
        for (size_t i = 0; i < d; i++) {
            sum[i] += f[i];
            f[i] = centred > floor ? f[i] / sqrt(centred) : 0;
        }
        for (size_t a = 0; a < d; a++)
            for (size_t b = 0; b < d; b++)
                gram[a + b * d] += f[a] * f[b];
        restate_product(rows, d, 1, weight, f, h);
        for (size_t a = 0; a < rows; a++)
            for (size_t b = 0; b < rows; b++)
                inner[a + b * rows] += h[a] * h[b];
    }
    free(f);
}

static void try_features(const feature_case *z)
{
    size_t d = z->columns, length = d + 2 + d * d + z->rows * z->rows + (z->rows + 2) * z->n;
    double *raw = gpu_numbers(z->raw_columns, z->n, 61), *shift = gpu_numbers(d, 1, 62),
           *factor = gpu_numbers(d, 1, 63), *mean = gpu_numbers(d, 1, 64),
           *weight = gpu_numbers(z->rows, d, 65), *out = malloc(3 * length * sizeof *out),
           *again = out + length, *expected = again + length, floor = 1e-3;
    float *single = malloc(z->raw_columns * z->n * sizeof *single);
    uint32_t *kept = malloc(d * sizeof *kept);
    for (size_t i = 0; i < d; i++) {
        kept[i] = (uint32_t)(i + (z->raw_columns - d) * i / d);
        mean[i] = z->unit ? 0.1 * mean[i] : mean[i] + z->offset;
    }
    for (size_t e = 0; e < z->raw_columns * z->n; e++) {
        raw[e] += z->offset;
        single[e] = (float)raw[e];
        raw[e] = z->raw_double ? raw[e] : (double)single[e];
    }
    for (size_t c = 0; z->unit && c < z->raw_columns; c++) { /* no length, and one that is tiny */
        raw[3 * z->raw_columns + c] = 0;
        single[3 * z->raw_columns + c] = 0;
        raw[4 * z->raw_columns + c] = z->raw_double ? 1e-200 * (double)(c % 3) : 0;
        single[4 * z->raw_columns + c] = 0;
    }
    for (size_t c = 0; !z->unit && !z->prepared && c < z->raw_columns; c++) /* one at the mean */
        raw[5 * z->raw_columns + c] = single[5 * z->raw_columns + c] = (float)mean[c];
    of_device_features told = {z->raw_columns, d, NULL, NULL, NULL, z->unit, z->raw_double};
    if (z->prepared) {
        told.kept = kept;
        told.shift = shift;
        told.factor = factor;
    }
    const void *from = z->raw_double ? (const void *)raw : (const void *)single;
    restate_passes(z, &told, raw, mean, floor, weight, expected);
    feature_passes(z, &told, 256, from, 0, mean, floor, weight, out);
    double near = 1e-11 * (double)z->n;
    assert_true(restate_apart(d, out, expected) < near);
    assert_true(restate_apart(2, out + d, expected + d) < 1e-11 * (1 + expected[d + 1]));
    assert_true(restate_apart(d * d, out + d + 2, expected + d + 2) < near);
    assert_true(restate_apart(length - d - 2 - d * d, out + d + 2 + d * d,
                              expected + d + 2 + d * d) < (z->doubles ? near : 2e-4));
    /* other pieces, and samples that are kept: the same bits */
    feature_passes(z, &told, 128, from, 1, mean, floor, weight, again);
    assert_memory_equal(out, again, length * sizeof *out);
    feature_passes(z, &told, 1024, from, 0, mean, floor, weight, again);
    assert_memory_equal(out, again, length * sizeof *out);
    void *all[] = {raw, shift, factor, mean, weight, out, single, kept};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void features_and_their_products(void **state)
{
    (void)state;
    static const feature_case cases[] = {
        {5, 5, 700, 3, 0, 1, 1, 0, 0},   {33, 33, 900, 20, 0, 0, 1, 0, 1e4},
        {70, 75, 300, 9, 1, 1, 0, 1, 0}, {64, 64, 129, 8, 1, 0, 1, 0, 0},
        {1, 3, 130, 1, 0, 1, 0, 1, 1e3}, {33, 35, 300, 7, 0, 0, 1, 1, 0},
        {4, 4, 260, 2, 1, 1, 1, 0, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        try_features(&cases[c]);
    /* a number that is none is said, and pieces out of turn are refused */
    enum { N = 300 };
    double *raw = gpu_numbers(2, N, 66), mean[2] = {0, 0}, most[2];
    of_device_features told = {2, 2, NULL, NULL, NULL, 0, 1};
    of_device_features_pass pass = {.sum = OF_DEVICE_SUM_LARGEST, .mean = mean};
    of_device_stack *stack;
    int keep = 0;
    raw[2 * 200] = 1e200;
    RUN(stack_make(gpu_opened, 1, N, 1, &stack, NULL));
    RUN(features_begin(stack, &told, N * 2 * sizeof(double), &keep));
    feature_pass(stack, &told, N, 256, raw, 0, &pass, most);
    assert_true(isinf(most[0]) && isinf(most[1]));
    mean[0] = INFINITY;
    raw[2 * 200] = INFINITY;
    feature_pass(stack, &told, N, 256, raw, 0, &pass, most);
    assert_true(isnan(most[0]));
    RUN(features_start(stack, &pass));
    assert_int_equal(gpu_lib->piece(stack, 0, 128, 128), OF_DEVICE_FAULT);
    assert_int_equal(gpu_lib->features_end(stack, most), OF_DEVICE_FAULT);
    gpu_lib->stack_free(stack);
    free(raw);
}

/* ---- sparse samples ------------------------------------------------------------------------- */

/* A piece of dense samples as entries. */
static void as_entries(const double *x, size_t columns, size_t count, void *area, size_t room)
{
    uint64_t *start = area;
    size_t entries = 0, at = 0;
    for (size_t e = 0; e < columns * count; e++)
        entries += x[e] != 0;
    assert_true(OF_DEVICE_SPARSE_BYTES(count, entries) <= room);
    double *value = (double *)(start + count + 1);
    uint32_t *column = (uint32_t *)(value + entries);
    start[0] = 0;
    for (size_t j = 0; j < count; j++) {
        for (size_t i = columns; i-- > 0;) /* in any order */
            if (x[i + j * columns] != 0) {
                value[at] = x[i + j * columns];
                column[at++] = (uint32_t)i;
            }
        start[j + 1] = at;
    }
}

/* What is worked of entries is what is worked of the same samples as they lie: the same bits. */
static void entries_are_spread_out(void **state)
{
    (void)state;
    enum { D = 70, N = 400, L = 33, ROWS = 4, PIECE = 256, ROOM = PIECE * D * 8 };
    double *x = gpu_numbers(D, N, 81), *at = gpu_numbers(D, L, 82), half[L], kbar[L],
           *weight = gpu_numbers(ROWS + 1, L, 83), inner[2][ROWS * ROWS], sum[2][D],
           *H = malloc(2 * ROWS * N * sizeof *H), mean[D] = {0};
    for (size_t e = 0; e < D * N; e++)
        x[e] = e % 7 == 2 && e / D != 5 ? x[e] : 0; /* sample 5 has none */
    for (size_t l = 0; l < L; l++) {
        half[l] = kbar[l] = 0.4;
        weight[ROWS + l * (ROWS + 1)] *= 0.005;
    }
    for (int sparse = 0; sparse < 2; sparse++) {
        of_device_projection told = {.landmarks = {D, L, at, half},
                                     .raw_columns = D,
                                     .scale = 0.3,
                                     .kbar = kbar,
                                     .weight = weight,
                                     .rows = ROWS,
                                     .mean = 0.25,
                                     .raw_double = 1,
                                     .sparse = sparse};
        of_device_features features = {
            .raw_columns = D, .columns = D, .raw_double = 1, .sparse = sparse};
        of_device_features_pass pass = {.sum = OF_DEVICE_SUM_MEAN, .mean = mean};
        of_device_stack *stack;
        void *area;
        RUN(stack_make(gpu_opened, ROWS, N, 1, &stack, NULL));
        RUN(project_begin(stack, &told, ROOM));
        for (int kept = -1; kept < 2; kept++) { /* the projection; features, sent and kept */
            int keep = kept;
            if (kept >= 0) {
                RUN(features_begin(stack, &features, ROOM, &keep));
                RUN(features_start(stack, &pass));
            }
            for (size_t first = 0; first < N; first += PIECE) {
                size_t count = N - first < PIECE ? N - first : PIECE;
                int which = (int)(first / PIECE % 2);
                RUN(piece_staging(stack, which, &area));
                if (sparse)
                    as_entries(x + first * D, D, count, area, ROOM);
                else
                    memcpy(area, x + first * D, count * D * sizeof *x);
                if (kept < 0)
                    RUN(piece(stack, which, first, count));
                else
                    RUN(piece(stack, which, first, count));
            }
            if (kept < 0)
                RUN(project_end(stack, inner[sparse]));
            else
                RUN(features_end(stack, sum[sparse]));
        }
        RUN(stack_fetch(stack, 0, NULL, N, H + sparse * ROWS * N));
        if (sparse) { /* more entries than an area has room for are refused */
            ((uint64_t *)area)[1] = ROOM / 8;
            assert_int_equal(gpu_lib->piece(stack, 1, 0, 1), OF_DEVICE_FAULT);
        }
        gpu_lib->stack_free(stack);
    }
    assert_memory_equal(H, H + ROWS * N, ROWS * N * sizeof *H);
    assert_memory_equal(inner[0], inner[1], sizeof inner[0]);
    assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
    for (size_t i = 0; i < D; i++) {
        double all = 0;
        for (size_t j = 0; j < N; j++)
            all += x[i + j * D];
        assert_true(fabs(sum[1][i] - all) < 1e-11);
    }
    free(x);
    free(at);
    free(weight);
    free(H);
}

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
    return (of_device_entries){n, columns, start, index, value, scale};
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
        RUN(sparse_project(sparse, stack, 1, depth, x, in, inner));
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
        assert_int_equal(gpu_lib->sparse_project(sparse, stack, 3, depth, x, in, inner),
                         OF_DEVICE_FAULT);
        gpu_lib->stack_free(stack);
    }
    gpu_lib->sparse_free(sparse);
    void *all[] = {(void *)f.start,
                   (void *)f.index,
                   (void *)f.value,
                   (void *)f.scale,
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_are_spread), cmocka_unit_test(features_and_their_products),
        cmocka_unit_test(entries_are_spread_out), cmocka_unit_test(products_with_sparse_features)};
    return cmocka_run_group_tests(tests, gpu_open, gpu_close);
}
