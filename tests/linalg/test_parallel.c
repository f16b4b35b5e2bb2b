/* SPDX-License-Identifier: Apache-2.0 */

#include "linalg/blas.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

static double entry(char op, const double *a, size_t lda, size_t i, size_t j)
{
    return op == 'T' ? a[j + i * lda] : a[i + j * lda];
}

/* One entry of alpha op(A) op(B) + beta C by its definition. */
static double product_entry(char op_a, char op_b, size_t inner, double alpha, const double *a,
                            size_t lda, const double *b, size_t ldb, double beta, double before,
                            size_t i, size_t j)
{
    double sum = 0;
    for (size_t l = 0; l < inner; l++)
        sum += entry(op_a, a, lda, i, l) * entry(op_b, b, ldb, l, j);
    return alpha * sum + beta * before;
}

static onefold_context *context_of(int threads)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    return context;
}

typedef struct shape {
    size_t rows, columns, inner;
} shape;

static void a_product_is_its_definition(void **state)
{
    (void)state;
    static const shape shapes[] = {{1, 1, 1},    {3, 2, 5},    {96, 96, 7},   {97, 95, 33},
                                   {400, 5, 19}, {5, 400, 19}, {210, 193, 64}};
    onefold_context *context = context_of(2);
    OF_SCRATCH(scratch, context);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int ops = 0; ops < 4; ops++) {
            size_t m = shapes[s].rows, n = shapes[s].columns, k = shapes[s].inner;
            char op_a = ops & 1 ? 'T' : 'N', op_b = ops & 2 ? 'T' : 'N';
            size_t lda = (ops & 1 ? k : m) + 3, ldb = (ops & 2 ? n : k) + 1, ldc = m + 2;
            double *a, *b, *c, *before;
            CHECK_OK(OF_NEW(&scratch, &a, lda, ops & 1 ? m : k));
            CHECK_OK(OF_NEW(&scratch, &b, ldb, ops & 2 ? k : n));
            CHECK_OK(OF_NEW(&scratch, &c, ldc, n));
            CHECK_OK(OF_NEW(&scratch, &before, ldc, n));
            check_random(1, s, lda, ops & 1 ? m : k, a);
            check_random(2, s, ldb, ops & 2 ? k : n, b);
            check_random(3, s, ldc, n, before);
            memcpy(c, before, ldc * n * sizeof *c);
            CHECK_OK(of_team_gemm(context, op_a, op_b, m, n, k, 0.7, a, lda, b, ldb, -1.3, c, ldc));
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < ldc; i++) {
                    double old = before[i + j * ldc];
                    if (i < m)
                        CHECK_CLOSE(
                            c[i + j * ldc],
                            product_entry(op_a, op_b, k, 0.7, a, lda, b, ldb, -1.3, old, i, j), 0,
                            1e-13 * (double)(k + 10));
                    else
                        assert_true(c[i + j * ldc] == old); /* padding is left alone */
                }
        }
    of_arena_free(&scratch);
    onefold_context_free(context);
}

/* A A': mirrored tiles equal tiles that are computed. */
static void a_symmetric_product_is_whole_and_exactly_symmetric(void **state)
{
    (void)state;
    static const size_t sides[] = {1, 2, 95, 96, 97, 193, 300};
    onefold_context *context = context_of(3);
    OF_SCRATCH(scratch, context);
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++) {
        size_t n = sides[s], k = 37, ldc = n + 1;
        double *a, *c, *plain, *gram;
        CHECK_OK(OF_NEW(&scratch, &a, n, k));
        CHECK_OK(OF_NEW(&scratch, &c, ldc, n));
        CHECK_OK(OF_NEW(&scratch, &plain, ldc, n));
        check_random(4, s, n, k, a);
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                c[i + j * ldc] = plain[i + j * ldc] = (double)(i + j) + (double)(i * j % 7);
        CHECK_OK(of_team_syrk(context, 'N', n, k, 0.5, a, n, 2, c, ldc));
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) {
                CHECK_CLOSE(
                    c[i + j * ldc],
                    product_entry('N', 'T', k, 0.5, a, n, a, n, 2, plain[i + j * ldc], i, j), 1e-13,
                    1e-11);
                assert_true(c[i + j * ldc] == c[j + i * ldc]);
            }
        CHECK_OK(OF_NEW(&scratch, &gram, k, k));
        CHECK_OK(of_team_syrk(context, 'T', k, n, 1, a, n, 0, gram, k));
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < k; i++)
                CHECK_CLOSE(gram[i + j * k], product_entry('T', 'N', n, 1, a, n, a, n, 0, 0, i, j),
                            1e-13, 1e-11);
    }
    of_arena_free(&scratch);
    onefold_context_free(context);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    enum { N = 611, C = 13 };
    static const int threads[] = {1, 2, 3, 8};
    onefold_context *owner = context_of(1);
    OF_SCRATCH(scratch, owner);
    double *a, *b, *first[3], *again[3];
    CHECK_OK(OF_NEW(&scratch, &a, N, N));
    CHECK_OK(OF_NEW(&scratch, &b, N, C));
    check_random(5, 0, N, N, a);
    check_random(6, 0, N, C, b);
    for (int i = 0; i < 3; i++) {
        CHECK_OK(OF_NEW_ZERO(&scratch, &first[i], N, N));
        CHECK_OK(OF_NEW_ZERO(&scratch, &again[i], N, N));
    }
    for (int t = 0; t < 4; t++) {
        onefold_context *context = context_of(threads[t]);
        double **out = t ? again : first;
        CHECK_OK(of_team_gemm(context, 'N', 'N', N, C, N, 1, a, N, b, N, 0, out[0], N));
        CHECK_OK(of_team_syrk(context, 'N', N, N, 1, a, N, 0, out[1], N));
        CHECK_OK(of_team_gemm(context, 'T', 'T', N, N, N, 1, a, N, a, N, 0, out[2], N));
        for (int i = 0; i < 3 && t; i++)
            assert_memory_equal(first[i], again[i], N * N * sizeof(double));
        onefold_context_free(context);
    }
    of_arena_free(&scratch);
    onefold_context_free(owner);
}

static void a_transpose_moves_every_entry_once(void **state)
{
    (void)state;
    enum { ROWS = 131, COLUMNS = 203, LDA = 140, LDB = 205 };
    onefold_context *context = context_of(2);
    OF_SCRATCH(scratch, context);
    double *a, *b;
    CHECK_OK(OF_NEW(&scratch, &a, LDA, COLUMNS));
    CHECK_OK(OF_NEW_ZERO(&scratch, &b, LDB, ROWS));
    check_random(7, 0, LDA, COLUMNS, a);
    of_transpose(ROWS, COLUMNS, a, LDA, b, LDB);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < LDB; j++)
            assert_true(b[j + i * LDB] == (j < COLUMNS ? a[i + j * LDA] : 0));
    of_arena_free(&scratch);
    onefold_context_free(context);
}

static int stop_at_once(void *user)
{
    (void)user;
    return 1;
}

static void a_product_stops_when_asked(void **state)
{
    (void)state;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = stop_at_once;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, &hooks));
    double a[4] = {1, 2, 3, 4}, c[4];
    CHECK_FAILS(of_team_gemm(context, 'N', 'N', 2, 2, 2, 1, a, 2, a, 2, 0, c, 2),
                ONEFOLD_INTERRUPTED, "interrupted");
    onefold_context_free(context);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_is_its_definition),
        cmocka_unit_test(a_symmetric_product_is_whole_and_exactly_symmetric),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(a_transpose_moves_every_entry_once),
        cmocka_unit_test(a_product_stops_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
