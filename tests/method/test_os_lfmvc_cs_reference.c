/* SPDX-License-Identifier: Apache-2.0 */
/* The solver against traces that were computed elsewhere. Kernels are read and finished here, by
 * matio and LAPACK alone, so that this check stands beside the library's own readers and kernels.
 */
#include "method/os_lfmvc_cs.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "support/check.h"

#include <jansson.h>
#include <math.h>
#include <matio.h>
#include <stdlib.h>
#include <string.h>

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static double item(const json_t *array, size_t index)
{
    const json_t *value = json_array_get(array, index);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* K (n x n): symmetrised, the mean of all entries taken off, centred, normalised. */
static void finish_kernel(size_t n, const double *raw, double *K)
{
    double all = 0, *row = calloc(n, sizeof *row), *root = malloc(n * sizeof *root);
    for (size_t i = 0; i < n * n; i++)
        all += raw[i] / (double)(n * n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            K[i + j * n] = (raw[i + j * n] + raw[j + i * n]) / 2 - all;
    all = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            row[i] += K[i + j * n] / (double)n;
            all += K[i + j * n] / (double)(n * n);
        }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            K[i + j * n] += all - row[i] - row[j];
    for (size_t i = 0; i < n; i++)
        root[i] = sqrt(K[i + i * n]);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            K[i + j * n] /= root[i] * root[j];
    free(row);
    free(root);
}

/* X (pk x n) from the kernels of a file, its eigenvalues held against the reference. */
static double *make_stack(const char *path, size_t n, size_t p, size_t k, const json_t *eigenvalues)
{
    mat_t *file = Mat_Open(path, MAT_ACC_RDONLY);
    assert_non_null(file);
    matvar_t *KH = Mat_VarRead(file, "KH");
    assert_non_null(KH);
    assert_int_equal(KH->rank, 3);
    assert_true(KH->class_type == MAT_C_DOUBLE && KH->data_type == MAT_T_DOUBLE);
    assert_true(KH->dims[0] == n && KH->dims[1] == n && KH->dims[2] == p);
    double *X = malloc(p * k * n * sizeof *X), *K = malloc(n * n * sizeof *K);
    double *value = malloc((k + 1) * sizeof *value), *V = malloc(n * (k + 1) * sizeof *V);
    for (size_t d = 0; d < p; d++) {
        finish_kernel(n, (const double *)KH->data + d * n * n, K);
        CHECK_OK(of_eigh_top(NULL, n, k + 1, K, n, value, V, n));
        for (size_t r = 0; r <= k; r++)
            CHECK_CLOSE(value[r], item(json_array_get(eigenvalues, d), r), 1e-10, 0);
        for (size_t r = 0; r < k; r++)
            for (size_t j = 0; j < n; j++)
                X[d * k + r + j * p * k] = V[j + r * n];
    }
    Mat_VarFree(KH);
    Mat_Close(file);
    free(K);
    free(value);
    free(V);
    return X;
}

typedef struct trace {
    size_t p, n;
    const json_t *weights, *changed, *objective;
    int32_t *labels; /* of the iteration before */
} trace;

static onefold_status compare(void *user, of_cs_step step, size_t iteration,
                              const of_cs_state *state, double J)
{
    trace *t = user;
    size_t changed = 0;
    if (step == OF_CS_START)
        memcpy(t->labels, state->labels, t->n * sizeof *t->labels);
    if (step != OF_CS_Y)
        return ONEFOLD_OK;
    CHECK_CLOSE(J, item(t->objective, iteration - 1), iteration < 20 ? 1e-6 : 1e-8, 0);
    for (size_t d = 0; d < t->p; d++)
        CHECK_CLOSE(state->beta[d], item(json_array_get(t->weights, iteration - 1), d), 0, 1e-5);
    for (size_t j = 0; j < t->n; j++)
        changed += state->labels[j] != t->labels[j];
    assert_int_equal(changed, (size_t)item(t->changed, iteration - 1));
    memcpy(t->labels, state->labels, t->n * sizeof *t->labels);
    return ONEFOLD_OK;
}

static void follow(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "reference/os-lfmvc-cs-%s.json", name);
    const char *found = check_shared(path);
    if (!found)
        skip();
    json_error_t error;
    json_t *r = json_load_file(found, 0, &error);
    assert_non_null(r);
    size_t n = (size_t)number(r, "samples"), p = (size_t)number(r, "views"),
           k = (size_t)number(r, "k"), m = (size_t)number(r, "m"),
           mu = (size_t)number(r, "clusters");
    snprintf(path, sizeof path, "data/%s", json_string_value(json_object_get(r, "data")));
    if (!(found = check_shared(path))) {
        json_decref(r);
        skip();
    }
    double *X = make_stack(found, n, p, k, json_object_get(r, "eigenvalues"));
    of_stack stack = of_stack_double(X, p * k, n, p * k);

    OF_SCRATCH(scratch, NULL);
    double *N, *W, alignment[2];
    CHECK_OK(OF_NEW(&scratch, &N, p * k, p * k));
    CHECK_OK(OF_NEW(&scratch, &W, k, p * k));
    CHECK_OK(of_cs_gram(of_context_or_default(NULL), &stack, N));
    CHECK_OK(of_cs_align(of_context_or_default(NULL), p, k, N, W, alignment));
    CHECK_CLOSE(alignment[0], number(r, "alignment_after_eigenvectors"), 1e-6, 0);
    CHECK_CLOSE(alignment[1], number(r, "alignment_after_sweeps"), 1e-6, 0);

    const size_t anchors[] = {m, 2 * m}; /* more anchors than k change nothing */
    for (int a = 0; a < 2; a++) {
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        options.tolerance = -1; /* no stopping */
        options.max_iterations = (size_t)number(r, "iterations");
        of_cs_problem problem = {&stack, p, k, anchors[a], mu, &options};
        int32_t *start;
        CHECK_OK(OF_NEW(&scratch, &start, n, 1));
        for (size_t j = 0; j < n; j++)
            start[j] = (int32_t)(j % mu);
        trace t = {p,
                   n,
                   json_object_get(r, "weights"),
                   json_object_get(r, "labels_changed"),
                   json_object_get(r, "objective"),
                   NULL};
        CHECK_OK(OF_NEW(&scratch, &t.labels, n, 1));
        of_cs_given given = {.labels = start};
        of_cs_watch watch = {&t, compare};
        of_cs_result result;
        CHECK_OK(of_cs_run(NULL, &scratch, &problem, &given, &watch, &result));
        assert_int_equal(result.end[0].iterations, options.max_iterations);
        for (size_t j = 0; j < n; j++)
            assert_int_equal(result.labels[j], (int)item(json_object_get(r, "labels"), j));
    }
    json_decref(r);
    free(X);
}

#define FOLLOW(function, name)                                                                     \
    static void function(void **state)                                                             \
    {                                                                                              \
        (void)state;                                                                               \
        follow(name);                                                                              \
    }
FOLLOW(follows_AR10P_k10, "AR10P-k10")
FOLLOW(follows_AR10P_k20, "AR10P-k20")
FOLLOW(follows_YALE_k15, "YALE-k15")
FOLLOW(follows_YALE_k30, "YALE-k30")
FOLLOW(follows_liver_k4, "liver-k4")
FOLLOW(follows_liver_k8, "liver-k8")

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_AR10P_k10), cmocka_unit_test(follows_AR10P_k20),
        cmocka_unit_test(follows_YALE_k15),  cmocka_unit_test(follows_YALE_k30),
        cmocka_unit_test(follows_liver_k4),  cmocka_unit_test(follows_liver_k8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
