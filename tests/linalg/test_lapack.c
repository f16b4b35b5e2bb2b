/* SPDX-License-Identifier: Apache-2.0 */
/* The checks around LAPACK: sizes beyond its ints, failure codes, and NaN. */
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "support/check.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double *symmetric(size_t n)
{
    double *a = calloc(n * n, sizeof *a);
    check_random(7, n, n, n, a);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++)
            a[j + i * n] = a[i + j * n];
    return a;
}

/* Nothing is touched: the pointers lead nowhere. */
static void what_cannot_be_counted_is_refused(void **state)
{
    (void)state;
    double *nowhere = NULL, one;
    size_t too_long = (size_t)INT_MAX + 1;
    CHECK_FAILS(of_eigh(NULL, OF_EIGH_MOST + 1, nowhere, nowhere), ONEFOLD_UNSUPPORTED,
                "dsyevd needs 2.15e+09 numbers of workspace");
    enum { LONG = 46342 }; /* its square is more than an int */
    CHECK_FAILS(of_svd(NULL, LONG, LONG, nowhere, nowhere, nowhere, nowhere), ONEFOLD_UNSUPPORTED,
                "dgesvd needs 2.15e+09 numbers of workspace");
    CHECK_FAILS(of_lapack_dgeqrf(NULL, too_long, 1, nowhere, &one), ONEFOLD_UNSUPPORTED,
                "a matrix has a side of 2147483648, more than LAPACK can count");
    CHECK_FAILS(of_lapack_dgesv(NULL, too_long, nowhere, NULL), ONEFOLD_UNSUPPORTED,
                "more than LAPACK can count");
    double largest = 1 + 6.0 * OF_EIGH_MOST + 2.0 * OF_EIGH_MOST * OF_EIGH_MOST;
    assert_true(largest <= INT_MAX);
}

static void vectors_are_added(void **state)
{
    (void)state;
    double x[23], y[23], plain[23];
    for (size_t i = 0; i < 23; i++) {
        x[i] = (double)i + 1;
        y[i] = plain[i] = 1 / x[i];
    }
    of_add(23, 0.5, x, y);
    for (size_t i = 0; i < 23; i++)
        assert_true(y[i] == plain[i] + 0.5 * x[i]);
}

/* Each call of each factorisation fails once with a code. */
static void every_code_is_heard(void **state)
{
    (void)state;
    enum { N = 30 };
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (int which = 0; which < 4; which++)
        for (long until = 0;; until++) {
            double *a = symmetric(N), value[N], u[N * N], vt[N * N];
            atomic_store(&context->lapack_until_failure, until);
            onefold_status status = which == 0   ? of_eigh(context, N, a, value)
                                    : which == 1 ? of_eigh_top(context, N, 3, a, value, u)
                                    : which == 2 ? of_svd(context, N, N, a, value, u, vt)
                                                 : of_qr(context, N, N, a, NULL);
            int reached = atomic_load(&context->lapack_until_failure) < 0;
            atomic_store(&context->lapack_until_failure, -1);
            free(a);
            if (!reached) {
                assert_int_equal(status, ONEFOLD_OK);
                assert_true(until >= 1);
                break;
            }
            if (which == 1 && until == 0) /* another way is taken */
                assert_int_equal(status, ONEFOLD_OK);
            else
                CHECK_FAILS(status, ONEFOLD_FAULT, "(code 1)");
        }
    onefold_context_free(context);
}

/* ---- NaN --------------------------------------------------------------------- */

enum { SIDE = 6 };

/* The operands of a routine: a positive definite matrix, a right hand side. */
typedef struct operands {
    double a[SIDE * SIDE], tau[SIDE], b[SIDE];
    double value[SIDE], u[SIDE * SIDE], vt[SIDE * SIDE];
    int failed;
} operands;

static onefold_status by_dsyevd(of_context *c, operands *o, size_t n)
{
    return of_eigh(c, n, o->a, o->value);
}

static onefold_status by_dsyevr(of_context *c, operands *o, size_t n)
{
    return of_eigh_top(c, n, n, o->a, o->value, o->u);
}

static onefold_status by_dgesvd(of_context *c, operands *o, size_t n)
{
    return of_svd(c, n, n, o->a, o->value, o->u, o->vt);
}

static onefold_status by_dgeqrf(of_context *c, operands *o, size_t n)
{
    return of_lapack_dgeqrf(c, n, n, o->a, o->tau);
}

static onefold_status by_dorgqr(of_context *c, operands *o, size_t n)
{
    return of_lapack_dorgqr(c, n, n, n, o->a, o->tau);
}

static onefold_status by_dgesv(of_context *c, operands *o, size_t n)
{
    return of_lapack_dgesv(c, n, o->a, o->b);
}

static void fill(operands *o)
{
    *o = (operands){0};
    for (size_t i = 0; i < SIDE; i++) {
        for (size_t j = 0; j < SIDE; j++)
            o->a[i + j * SIDE] = 1 / (double)(i + j + 1) + (i == j);
        o->b[i] = 1;
    }
}

/* Every routine refuses a NaN in any operand that it reads, and succeeds without. */
static void numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    static const struct {
        onefold_status (*call)(of_context *, operands *, size_t);
        size_t read[4]; /* places of operands that it reads; 0 ends them, and is `a` as the first */
    } rows[] = {
        {by_dsyevd, {offsetof(operands, a)}},
        {by_dsyevr, {offsetof(operands, a)}},
        {by_dgesvd, {offsetof(operands, a)}},
        {by_dgeqrf, {offsetof(operands, a)}},
        {by_dorgqr, {offsetof(operands, a), offsetof(operands, tau)}},
        {by_dgesv, {offsetof(operands, a), offsetof(operands, b)}},
    };
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        operands o;
        fill(&o);
        CHECK_OK(rows[r].call(context, &o, SIDE));
        for (size_t i = 0; i < 4 && (i == 0 || rows[r].read[i]); i++) {
            fill(&o);
            ((double *)((char *)&o + rows[r].read[i]))[i == 0 ? 1 : 0] = NAN;
            if (rows[r].call(context, &o, SIDE) != ONEFOLD_FAULT)
                fail_msg("row %zu takes a NaN in operand %zu", r, i);
            assert_non_null(strstr(onefold_last_error(), "(code "));
        }
    }
    onefold_context_free(context);
}

/* From a side of 257 on, by divide and conquer: the factors are right, and a NaN is refused. */
static void large_decompositions_are_divided(void **state)
{
    (void)state;
    enum { N = 257 };
    double *a = symmetric(N), *kept = symmetric(N), *value = calloc(N, sizeof *value),
           *u = calloc(N * N, sizeof *u), *vt = calloc(N * N, sizeof *vt);
    CHECK_OK(of_svd(NULL, N, N, a, value, u, vt));
    for (size_t j = 0; j < N; j++)
        cblas_dscal(N, value[j], u + j * N, 1);
    of_gemm('N', 'N', N, N, N, 1, u, N, vt, N, 0, a, N);
    for (size_t i = 0; i < N * N; i++)
        CHECK_CLOSE(a[i], kept[i], 0, 1e-11);
    a[1] = NAN;
    CHECK_FAILS(of_svd(NULL, N, N, a, value, u, vt), ONEFOLD_FAULT, "dgesdd");
    free(a);
    free(kept);
    free(value);
    free(u);
    free(vt);
}

/* The smallest problems: one number is its own eigenvalue and pivot. */
static void sides_of_one(void **state)
{
    (void)state;
    onefold_context *context;
    operands o;
    CHECK_OK(onefold_context_create(&context, NULL));
    fill(&o);
    CHECK_OK(by_dsyevd(context, &o, 1));
    CHECK_CLOSE(o.value[0], 2, 1e-15, 0);
    fill(&o);
    CHECK_OK(by_dgesv(context, &o, 1));
    CHECK_CLOSE(o.b[0], 0.5, 1e-15, 0);
    fill(&o);
    CHECK_OK(by_dgeqrf(context, &o, 1));
    CHECK_CLOSE(fabs(o.a[0]), 2, 1e-15, 0);
    o.a[0] = 4;
    CHECK_OK(of_lapack_dpotrf(context, 1, o.a, &o.failed));
    assert_int_equal(o.failed, 0);
    CHECK_CLOSE(o.a[0], 2, 1e-15, 0);
    o.a[0] = -4; /* not positive: its order is returned, without an error */
    CHECK_OK(of_lapack_dpotrf(context, 1, o.a, &o.failed));
    assert_int_equal(o.failed, 1);
    onefold_context_free(context);
}

/* Each call that a fit makes fails once: an error with a sentence, or another way to a result, and
 * nothing is left behind. */
static void every_call_of_a_fit_may_fail(void **state)
{
    (void)state;
    enum { SAMPLES = 36, COLUMNS = 3 };
    static const char *const methods[] = {"os-lfmvc-cs", "onefold", "rmsc",    "fmr",
                                          "lsgmc",       "mkkm",    "avg-kkm", "fmkkm"};
    double x[2][SAMPLES * COLUMNS];
    long refused = 0; /* where no other way is taken */
    for (size_t v = 0; v < 2; v++) {
        check_random(9, v, COLUMNS, SAMPLES, x[v]);
        for (size_t i = 0; i < SAMPLES * COLUMNS; i++)
            x[v][i] += 4.0 * (double)(i / COLUMNS % 3);
    }
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        long failed = 0;
        for (long until = 0;; until += until < 30 ? 1 : until / 4) {
            onefold_context *context;
            onefold_dataset *data;
            onefold_result *result = NULL;
            onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
            options.method = methods[m];
            options.clusters = 3;
            if (strcmp(methods[m], "onefold") != 0) /* it has no use for it */
                options.max_iterations = 5;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, 1));
            CHECK_OK(onefold_dataset_create(&data, context, SAMPLES));
            CHECK_OK(onefold_dataset_add_dense(data, "A", x[0], COLUMNS, COLUMNS, 1));
            CHECK_OK(onefold_dataset_add_dense(data, "B", x[1], COLUMNS, COLUMNS, 1));
            atomic_store(&context->lapack_until_failure, until);
            onefold_status status = onefold_fit(&result, context, data, &options);
            int reached = atomic_load(&context->lapack_until_failure) < 0;
            assert_true(status == ONEFOLD_OK || status == ONEFOLD_FAULT);
            assert_true((status == ONEFOLD_OK) == (result != NULL));
            if (status != ONEFOLD_OK)
                assert_non_null(strstr(onefold_last_error(), "code 1"));
            failed += reached;
            refused += status != ONEFOLD_OK;
            onefold_result_free(result);
            onefold_dataset_free(data);
            assert_int_equal(atomic_load(&context->bytes), 0);
            onefold_context_free(context);
            if (!reached) {
                assert_int_equal(status, ONEFOLD_OK);
                break;
            }
        }
        if (failed == 0)
            fail_msg("no call of %s was made to fail", methods[m]);
    }
    assert_true(refused > 20);
}

static void *allocate(void *user, size_t size)
{
    *(size_t *)user += size;
    return malloc(size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* DSYEVD takes 2 n^2 numbers besides the matrix: from the caller's allocator, within its limit, and
 * as is said before. */
static void workspaces_are_the_callers_and_limited(void **state)
{
    (void)state;
    enum { N = 200 };
    size_t need = 2 * N * N * sizeof(double), taken = 0;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    onefold_context *context;
    hooks.user = &taken;
    hooks.allocate = allocate;
    hooks.release = release;
    CHECK_OK(onefold_context_create(&context, &hooks));
    double *a = symmetric(N), *kept = malloc(N * N * sizeof *kept), value[N];
    memcpy(kept, a, N * N * sizeof *kept);
    OF_COUNTING(counting, context);
    CHECK_OK(of_eigh(counting, N, NULL, NULL));
    CHECK_OK(onefold_context_set_memory_limit(context, need));
    CHECK_FAILS(of_eigh(context, N, a, value), ONEFOLD_NO_MEMORY, "are needed, and");
    assert_memory_equal(a, kept, N * N * sizeof *kept);
    size_t said = of_count_peak(counting);
    CHECK_OK(onefold_context_set_memory_limit(context, said));
    taken = 0;
    CHECK_OK(of_eigh(context, N, a, value));
    assert_true(need < taken && taken <= said && said < need + need / 10);
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
    free(kept);
    free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_counted_is_refused),
        cmocka_unit_test(every_code_is_heard),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(large_decompositions_are_divided),
        cmocka_unit_test(sides_of_one),
        cmocka_unit_test(every_call_of_a_fit_may_fail),
        cmocka_unit_test(vectors_are_added),
        cmocka_unit_test(workspaces_are_the_callers_and_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
