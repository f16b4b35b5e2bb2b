/* SPDX-License-Identifier: Apache-2.0 */
/* Views far from zero and views of tiny values: rbf kernels do not change, and a kernel that is
 * lost to rounding is refused. */
#include "onefold.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 90, COLUMNS = 4, CLUSTERS = 3 };

/* Three groups, rounded to 1/32 so that adding 1e14 is exact. */
static void make(double *x, double offset, double factor)
{
    check_random(5, 1, COLUMNS, SAMPLES, x);
    for (size_t j = 0; j < SAMPLES; j++)
        for (size_t i = 0; i < COLUMNS; i++) {
            double *at = x + j * COLUMNS + i, centre = (double)((j % CLUSTERS) * (i + 1)) - 2;
            *at = (rint((centre + 0.4 * *at) * 32) / 32) * factor + offset;
        }
}

static onefold_dataset *dataset_of(const double *x)
{
    onefold_dataset *data;
    double *other = malloc(SAMPLES * COLUMNS * sizeof *other);
    make(other, 0, 1);
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    CHECK_OK(onefold_dataset_add_dense(data, "A", x, COLUMNS, COLUMNS, 1));
    CHECK_OK(onefold_dataset_add_dense(data, "B", other, COLUMNS, COLUMNS, 1));
    free(other);
    return data;
}

/* The status of a fit; labels where it is ONEFOLD_OK. */
static onefold_status fit(const double *x, const char *method, const char *kernels, int32_t *labels)
{
    onefold_dataset *data = dataset_of(x);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    options.method = method;
    options.clusters = CLUSTERS;
    options.kernel = kernels;
    onefold_status status = onefold_fit(&result, NULL, data, &options);
    if (status == ONEFOLD_OK)
        memcpy(labels, onefold_result_describe(result)->labels, SAMPLES * sizeof *labels);
    onefold_result_free(result);
    onefold_dataset_free(data);
    return status;
}

static const struct {
    double offset, factor;
} kinds[] = {{0, 1}, {1e14, 1}, {-1e14, 1}, {0, 0x1p-390}};

static void scales_and_offsets_change_no_label(void **state)
{
    (void)state;
    static const char *const methods[] = {"os-lfmvc-cs", "onefold"};
    double x[SAMPLES * COLUMNS];
    int32_t labels[SAMPLES];
    for (size_t m = 0; m < 2; m++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            make(x, kinds[k].offset, kinds[k].factor);
            CHECK_OK(fit(x, methods[m], NULL, labels));
            for (size_t j = 0; j < SAMPLES; j++) /* the same groups; their numbers may differ */
                assert_int_equal(labels[j], labels[j % CLUSTERS]);
            assert_true(labels[0] != labels[1] && labels[1] != labels[2] && labels[2] != labels[0]);
        }
}

static void the_reason_is_said(void **state)
{
    (void)state;
    double x[SAMPLES * COLUMNS];
    int32_t labels[SAMPLES];
    make(x, 1e14, 1);
    CHECK_FAILS(fit(x, "os-lfmvc-cs", "linear", labels), ONEFOLD_BAD_DATA,
                "view 'A' does not distinguish its samples");
    CHECK_FAILS(fit(x, "os-lfmvc-cs", "cosine", labels), ONEFOLD_BAD_DATA, "does not distinguish");
    for (int tiny = 0; tiny < 2; tiny++) {
        make(x, 0, tiny ? 0x1p-1000 : 0x1p-660);
        CHECK_FAILS(fit(x, "os-lfmvc-cs", "linear", labels), ONEFOLD_BAD_DATA,
                    "does not distinguish");
        CHECK_FAILS(fit(x, "os-lfmvc-cs", NULL, labels), ONEFOLD_BAD_DATA, "does not distinguish");
        CHECK_FAILS(fit(x, "onefold", NULL, labels), ONEFOLD_BAD_DATA, "does not distinguish");
    }
    for (size_t i = 0; i < SAMPLES * COLUMNS; i++)
        x[i] = 3;
    CHECK_FAILS(fit(x, "os-lfmvc-cs", NULL, labels), ONEFOLD_BAD_DATA,
                "view 'A' does not distinguish its samples");
    CHECK_FAILS(fit(x, "onefold", NULL, labels), ONEFOLD_BAD_DATA,
                "view 'A' does not distinguish its samples");
    /* rounding errors of a constant count as a constant */
    for (size_t i = 0; i < SAMPLES * COLUMNS; i++)
        x[i] = nextafter(3, i % 3 ? 4 : 2);
    CHECK_FAILS(fit(x, "os-lfmvc-cs", NULL, labels), ONEFOLD_BAD_DATA, "does not distinguish");
}

/* A method's labels of both views at a scale. */
static onefold_status fit_twice(double factor, const char *method, int32_t *labels)
{
    double x[SAMPLES * COLUMNS];
    onefold_dataset *data;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    make(x, 0, factor);
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    CHECK_OK(onefold_dataset_add_dense(data, "A", x, COLUMNS, COLUMNS, 1));
    CHECK_OK(onefold_dataset_add_dense(data, "B", x, COLUMNS, COLUMNS, 1));
    options.method = method;
    options.clusters = CLUSTERS;
    onefold_status status = onefold_fit(&result, NULL, data, &options);
    if (status == ONEFOLD_OK)
        memcpy(labels, onefold_result_describe(result)->labels, SAMPLES * sizeof *labels);
    onefold_result_free(result);
    onefold_dataset_free(data);
    return status;
}

/* Numbers with 13 digits, in every view: no method gives poor labels in silence. */
static void subnormal_numbers_are_right_or_refused(void **state)
{
    (void)state;
    for (size_t m = 0; onefold_method_describe(m); m++) {
        const char *method = onefold_method_describe(m)->name;
        int32_t usual[SAMPLES], tiny[SAMPLES];
        CHECK_OK(fit_twice(1, method, usual));
        onefold_status status = fit_twice(0x1p-1030, method, tiny);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_BAD_DATA);
        size_t other = 0;
        for (size_t j = 0; status == ONEFOLD_OK && j < SAMPLES; j++) /* as one group or another */
            for (size_t i = 0; i < j; i++)
                other += (usual[i] == usual[j]) != (tiny[i] == tiny[j]);
        if (other > 0)
            fail_msg("%s parts %zu pairs of samples otherwise", method, other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subnormal_numbers_are_right_or_refused),
        cmocka_unit_test(scales_and_offsets_change_no_label),
        cmocka_unit_test(the_reason_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
