/* SPDX-License-Identifier: Apache-2.0 */
/* The block eigensolver against LAPACK and against known spectra. */
#include "linalg/eigen_block.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "support/ask.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct dense {
    size_t n;
    const double *a;
} dense;

static onefold_status apply_nothing(void *task, size_t depth, const double *x, double *y)
{
    (void)task;
    (void)depth;
    (void)x;
    (void)y;
    return ONEFOLD_OK;
}

static onefold_status apply_dense(void *task, size_t depth, const double *x, double *y)
{
    const dense *matrix = task;
    size_t n = matrix->n;
    of_gemm('N', 'N', depth, n, n, 1, x, depth, matrix->a, n, 0, y, depth);
    return ONEFOLD_OK;
}

/* A = Q diag(spectrum) Q' for a random orthogonal Q. */
static double *matrix_of(size_t n, const double *spectrum, uint64_t seed)
{
    of_context *context = of_context_or_default(NULL);
    double *q = malloc(n * n * sizeof *q), *scaled = malloc(n * n * sizeof *q),
           *a = malloc(n * n * sizeof *q);
    check_random(seed, 0, n, n, q);
    CHECK_OK(of_qr(context, n, n, q, NULL));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            scaled[j * n + i] = q[j * n + i] * spectrum[j];
    of_gemm('N', 'T', n, n, n, 1, scaled, n, q, n, 0, a, n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++)
            a[i * n + j] = a[j * n + i] = (a[i * n + j] + a[j * n + i]) / 2;
    free(q);
    free(scaled);
    return a;
}

/* The pairs satisfy the definition: A V' = V' diag, V V' = I, and no eigenvalue is missing:
 * `spectrum` is the known one, descending. */
static void check_pairs(size_t n, const double *a, size_t count, size_t rank, const double *value,
                        const double *vector, const double *spectrum, double tolerance)
{
    double *image = malloc(n * count * sizeof *image);
    of_gemm('N', 'N', count, n, n, 1, vector, count, a, n, 0, image, count);
    for (size_t i = 0; i < count; i++) {
        double square = 0;
        for (size_t j = 0; j < n; j++)
            square += pow(image[j * count + i] - value[i] * vector[j * count + i], 2);
        assert_true(sqrt(square) <= 2 * tolerance * fabs(spectrum[0]));
        CHECK_CLOSE(value[i], i < rank ? spectrum[i] : 0, 0,
                    1e-10 * fabs(spectrum[0]) + 1e-15 * fabs(spectrum[n - 1]) * (double)n);
        for (size_t l = 0; l <= i; l++) {
            double product = 0;
            for (size_t j = 0; j < n; j++)
                product += vector[j * count + i] * vector[j * count + l];
            CHECK_CLOSE(product, i == l && i < rank ? 1 : 0, 0, 1e-12);
        }
    }
    free(image);
}

static of_eigen_result solve(size_t n, const double *spectrum, of_eigen_options options,
                             size_t rank, uint64_t seed)
{
    double *a = matrix_of(n, spectrum, seed);
    double *value = malloc(options.count * sizeof *value),
           *vector = malloc(options.count * n * sizeof *vector);
    dense matrix = {n, a};
    of_eigen_result result;
    CHECK_OK(of_eigen_block(of_context_or_default(NULL), n, apply_dense, &matrix, &options, value,
                            of_share_whole(vector, options.count), &result));
    assert_true(result.converged && result.residual <= options.tolerance);
    assert_int_equal(result.rank, rank);
    check_pairs(n, a, options.count, rank, value, vector, spectrum, options.tolerance);
    free(a);
    free(value);
    free(vector);
    return result;
}

static of_eigen_options wanted(size_t count)
{
    return (of_eigen_options){.count = count, .tolerance = 1e-8, .aim = 1e-10};
}

static void decaying_spectra_are_found(void **state)
{
    (void)state;
    enum { N = 400 };
    double spectrum[N];
    const double power[] = {0.5, 1, 3};
    for (int p = 0; p < 3; p++) {
        for (int i = 0; i < N; i++)
            spectrum[i] = pow(i + 1, -power[p]);
        for (size_t count = 1; count <= 40; count = 3 * count + 1)
            solve(N, spectrum, wanted(count), count, 1);
    }
    for (int i = 0; i < N; i++) /* fast decay: most of the matrix is rounding */
        spectrum[i] = pow(0.5, i);
    solve(N, spectrum, wanted(20), 20, 2);
    solve(N, spectrum, wanted(60), 34, 3); /* 2^-33 is above 1e-10, 2^-34 is not */
}

/* Small bases restart; the answer is the same. */
static void restarts_lose_nothing(void **state)
{
    (void)state;
    enum { N = 600 };
    double spectrum[N];
    for (int i = 0; i < N; i++)
        spectrum[i] = 1 - 0.7 * sqrt(i / (double)N);
    of_eigen_options options = wanted(10);
    options.most = 60;
    of_eigen_result result = solve(N, spectrum, options, 10, 4);
    assert_true(result.restarts > 0);
}

/* An eigenvalue that occurs more often than the block has rows, above, among and below others. */
static void every_copy_of_an_eigenvalue_is_found(void **state)
{
    (void)state;
    enum { N = 500 };
    double spectrum[N];
    for (int copies = 5; copies <= 40; copies += 5)
        for (int above = 0; above <= 6; above += 3) {
            for (int i = 0; i < N; i++)
                spectrum[i] = i < above            ? 3 - 0.1 * i
                              : i < above + copies ? 1
                                                   : 0.9 * pow(0.99, i - above - copies);
            if (copies % 2) /* nearly equal ones */
                for (int i = above; i < above + copies; i++)
                    spectrum[i] -= 1e-8 * (i - above);
            of_eigen_options options = wanted((size_t)(above + copies + 3));
            options.block = 4;
            solve(N, spectrum, options, options.count, (uint64_t)(100 * copies + above));
        }
}

/* Projections: the Krylov space ends after one step, again and again. */
static void few_distinct_eigenvalues_are_no_trouble(void **state)
{
    (void)state;
    enum { N = 300 };
    double spectrum[N] = {0};
    for (int rank = 1; rank <= 100; rank += 33) {
        for (int i = 0; i < N; i++)
            spectrum[i] = i < rank ? 2 : 0;
        solve(N, spectrum, wanted((size_t)rank), (size_t)rank, (uint64_t)rank);
        solve(N, spectrum, wanted((size_t)rank + 30), (size_t)rank, (uint64_t)rank + 1);
    }
    for (int i = 0; i < N; i++)
        spectrum[i] = 5;
    solve(N, spectrum, wanted(20), 20, 7);
}

static void indefinite_and_zero_operators_have_their_rank(void **state)
{
    (void)state;
    enum { N = 200 };
    double spectrum[N];
    for (int i = 0; i < N; i++)
        spectrum[i] = i < 5 ? 1.0 / (i + 1) : -10 * i / (double)N;
    solve(N, spectrum, wanted(12), 5, 8);
    for (int i = 0; i < N; i++)
        spectrum[i] = 0;
    solve(N, spectrum, wanted(12), 0, 9);
    for (int i = 0; i < N; i++) /* one positive value far inside the norm */
        spectrum[i] = i ? -1 - i : 1e-3;
    solve(N, spectrum, wanted(3), 1, 15);
    for (int i = 0; i < N; i++)
        spectrum[i] = -1 - i;
    double *a = matrix_of(N, spectrum, 10), value[3], vector[3 * N];
    dense matrix = {N, a};
    of_eigen_options options = wanted(3);
    of_eigen_result result;
    CHECK_OK(of_eigen_block(of_context_or_default(NULL), N, apply_dense, &matrix, &options, value,
                            of_share_whole(vector, 3), &result));
    assert_int_equal(result.rank, 0);
    for (int i = 0; i < 3 * N; i++)
        assert_true(vector[i] == 0);
    free(a);
}

static void small_matrices_and_all_their_pairs_are_found(void **state)
{
    (void)state;
    double spectrum[40];
    for (int i = 0; i < 40; i++)
        spectrum[i] = 1.0 / (1 + i);
    for (size_t n = 1; n <= 40; n += n < 12 ? 1 : 7)
        for (size_t count = 1; count <= n; count += count < 4 ? 1 : 5)
            solve(n, spectrum, wanted(count), count, n);
}

static void scaling_the_operator_scales_the_values(void **state)
{
    (void)state;
    enum { N = 150 };
    double spectrum[N];
    const double factor[] = {1e-150, 1e-9, 1e120};
    for (int f = 0; f < 3; f++) {
        for (int i = 0; i < N; i++)
            spectrum[i] = factor[f] * exp(-0.1 * i);
        solve(N, spectrum, wanted(12), 12, 11);
    }
}

/* The largest ||A v - value v|| in units of the first value. */
static double true_residual(size_t n, const double *a, size_t count, const double *value,
                            const double *vector)
{
    double most = 0, *image = malloc(n * count * sizeof *image);
    of_gemm('N', 'N', count, n, n, 1, vector, count, a, n, 0, image, count);
    for (size_t i = 0; i < count; i++) {
        double square = 0;
        for (size_t j = 0; j < n; j++)
            square += pow(image[j * count + i] - value[i] * vector[j * count + i], 2);
        most = fmax(most, sqrt(square) / value[0]);
    }
    free(image);
    return most;
}

static void too_few_applications_are_told(void **state)
{
    (void)state;
    enum { N = 500 };
    double spectrum[N], value[10], *vector = malloc(10 * N * sizeof *vector);
    for (int i = 0; i < N; i++)
        spectrum[i] = 1 - i / (double)N;
    double *a = matrix_of(N, spectrum, 12);
    dense matrix = {N, a};
    of_eigen_options options = wanted(10);
    options.most_applications = 4;
    of_eigen_result result;
    CHECK_OK(of_eigen_block(of_context_or_default(NULL), N, apply_dense, &matrix, &options, value,
                            of_share_whole(vector, 10), &result));
    assert_false(result.converged);
    assert_true(result.residual > 1e-8 && result.applications == 5);
    CHECK_CLOSE(result.residual, true_residual(N, a, 10, value, vector), 1e-6, 0);
    free(vector);
    free(a);
}

/* The iteration stops by its own estimate of the residuals. Where these fall slowly, an estimate
 * that is too small would show. */
static void it_does_not_stop_before_it_is_there(void **state)
{
    (void)state;
    enum { N = 300, K = 6 };
    double spectrum[N], value[K], *vector = malloc(K * N * sizeof *vector);
    for (int i = 0; i < N; i++)
        spectrum[i] = 1 - i / (double)N;
    double *a = matrix_of(N, spectrum, 15);
    dense matrix = {N, a};
    for (size_t block = 2; block <= 8; block += 2)
        for (double aim = 0.03; aim > 1e-4; aim *= 0.8) {
            of_eigen_options options = {
                .count = K, .block = block, .tolerance = aim, .aim = aim, .most = 120};
            of_eigen_result result;
            CHECK_OK(of_eigen_block(of_context_or_default(NULL), N, apply_dense, &matrix, &options,
                                    value, of_share_whole(vector, K), &result));
            assert_true(result.residual <= aim * (1 + 1e-6) && result.rank == K);
        }
    free(vector);
    free(a);
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    enum { N = 700, K = 12 };
    double spectrum[N], *first = malloc(K * N * sizeof *first),
                        *again = malloc(K * N * sizeof *again), value[K];
    for (int i = 0; i < N; i++)
        spectrum[i] = exp(-0.02 * i);
    double *a = matrix_of(N, spectrum, 13);
    dense matrix = {N, a};
    for (int t = 0; t < 4; t++) {
        static const int threads[] = {1, 2, 3, 8};
        of_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads[t]));
        of_eigen_options options = wanted(K);
        of_eigen_result result;
        CHECK_OK(of_eigen_block(context, N, apply_dense, &matrix, &options, value,
                                of_share_whole(t ? again : first, K), &result));
        if (t)
            assert_memory_equal(first, again, K * N * sizeof *first);
        OF_COUNTING(counting, context);
        CHECK_OK(of_eigen_block(counting, N, apply_nothing, NULL, &options, NULL,
                                of_share_whole(NULL, K), &result));
        size_t peak = ask_peak(context), counted = of_count_peak(counting);
        assert_true(peak <= counted && counted <= peak + peak / 4 + 100000);
        onefold_context_free(context);
    }
    free(first);
    free(again);
    free(a);
}

static void running_out_of_memory_is_an_error_and_no_more(void **state)
{
    (void)state;
    enum { N = 60 };
    double spectrum[N] = {3, 2, 1}, value[5], vector[5 * N], *a = matrix_of(N, spectrum, 14);
    dense matrix = {N, a};
    of_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    long failed = 0;
    for (onefold_status status = ONEFOLD_FAULT; status != ONEFOLD_OK; failed++) {
        of_eigen_options options = wanted(5);
        of_eigen_result result;
        atomic_store(&context->allocations_until_failure, failed);
        status = of_eigen_block(context, N, apply_dense, &matrix, &options, value,
                                of_share_whole(vector, 5), &result);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
        assert_int_equal(atomic_load(&context->bytes), 0);
    }
    assert_true(failed > 10);
    onefold_context_free(context);
    free(a);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decaying_spectra_are_found),
        cmocka_unit_test(restarts_lose_nothing),
        cmocka_unit_test(every_copy_of_an_eigenvalue_is_found),
        cmocka_unit_test(few_distinct_eigenvalues_are_no_trouble),
        cmocka_unit_test(indefinite_and_zero_operators_have_their_rank),
        cmocka_unit_test(small_matrices_and_all_their_pairs_are_found),
        cmocka_unit_test(scaling_the_operator_scales_the_values),
        cmocka_unit_test(too_few_applications_are_told),
        cmocka_unit_test(it_does_not_stop_before_it_is_there),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
