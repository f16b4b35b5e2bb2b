/* SPDX-License-Identifier: Apache-2.0 */
/* The solver against traces that were computed elsewhere. Kernels are read by matio and prepared by
 * LAPACK, independently of the library's readers and kernels. */
#include "method/os_lfmvc_cs.h"

#include "linalg/blas.h"
#include "support/check.h"
#include "support/partitions.h"

#include <jansson.h>
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
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/reference/os-lfmvc-cs-%s.json", OF_TEST_SOURCE, name);
    json_error_t error;
    json_t *r = json_load_file(path, 0, &error);
    assert_non_null(r);
    size_t n = (size_t)number(r, "samples"), p = (size_t)number(r, "views"),
           k = (size_t)number(r, "k"), m = (size_t)number(r, "m"),
           mu = (size_t)number(r, "clusters");
    snprintf(path, sizeof path, "data/%s", json_string_value(json_object_get(r, "data")));
    size_t rows, views;
    double *value = malloc((k + 1) * p * sizeof *value);
    double *X = partitions_from_kernels(path, &rows, &views, k, value);
    if (!X) {
        free(value);
        json_decref(r);
        skip();
    }
    assert_true(rows == n && views == p);
    for (size_t d = 0; d < p; d++)
        for (size_t i = 0; i <= k; i++)
            CHECK_CLOSE(value[i + d * (k + 1)],
                        item(json_array_get(json_object_get(r, "eigenvalues"), d), i), 1e-10, 0);
    of_stack stack = of_stack_double(X, p * k, n);

    OF_SCRATCH(scratch, NULL);
    double *N, *W, alignment[2];
    CHECK_OK(OF_NEW(&scratch, &N, p * k, p * k));
    CHECK_OK(OF_NEW(&scratch, &W, k, p * k));
    CHECK_OK(of_cs_backend_of(&stack)->gram(of_context_or_default(NULL), &stack, N));
    CHECK_OK(of_cs_align(of_context_or_default(NULL), p, k, N, W, alignment));
    CHECK_CLOSE(alignment[0], number(r, "alignment_after_eigenvectors"), 1e-6, 0);
    CHECK_CLOSE(alignment[1], number(r, "alignment_after_sweeps"), 1e-6, 0);

    const size_t anchors[] = {m, 2 * m}; /* more anchors than k change nothing */
    for (int a = 0; a < 2; a++) {
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        options.tolerance = -1; /* no stopping */
        options.max_iterations = (size_t)number(r, "iterations");
        of_cs_problem problem = {&stack, p, k, anchors[a], mu, &options, NULL};
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
    free(value);
    free(X);
}

#define FOLLOW(function, name)                                                                     \
    static void function(void **state)                                                             \
    {                                                                                              \
        (void)state;                                                                               \
        follow(name);                                                                              \
    }
FOLLOW(real_AR10P_k10, "AR10P-k10")
FOLLOW(real_AR10P_k20, "AR10P-k20")
FOLLOW(real_YALE_k15, "YALE-k15")
FOLLOW(real_YALE_k30, "YALE-k30")
FOLLOW(real_liver_k4, "liver-k4")
FOLLOW(real_liver_k8, "liver-k8")

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_AR10P_k10), cmocka_unit_test(real_AR10P_k20),
        cmocka_unit_test(real_YALE_k15),  cmocka_unit_test(real_YALE_k30),
        cmocka_unit_test(real_liver_k4),  cmocka_unit_test(real_liver_k8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
