/* SPDX-License-Identifier: Apache-2.0 */
/* Given kernels after centring and normalising, against reference numbers. */
#include "data/dataset.h"
#include "kernel/kernel.h"

#include "support/check.h"
#include "support/reference.h"

#include <math.h>
#include <stdlib.h>

/* Reads the kernels of one data set, and compares each, finished, with the file's numbers. */
static void check_set(const char *name)
{
    char json[128], mat[128];
    snprintf(json, sizeof json, "avg-kkm-%s.json", name);
    snprintf(mat, sizeof mat, "data/kernels/%s_Kmatrix.mat", name);
    reference *numbers = reference_open(json);
    const char *path = numbers ? check_shared(mat) : NULL;
    if (!path)
        skip();
    onefold_dataset *data;
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, NULL));
    size_t n = data->set.samples;
    assert_int_equal(data->set.view_count,
                     reference_length(numbers, "input.kernels_after_preprocessing"));
    double *matrix = malloc(n * n * sizeof *matrix);
    for (size_t v = 0; v < data->set.view_count; v++) {
        OF_SCRATCH(arena, NULL);
        of_kernel kernel;
        CHECK_OK(
            of_kernel_make(arena.context, &arena, &data->set.views[v], OF_KERNEL_AUTO, &kernel));
        assert_int_equal(kernel.kind, OF_KERNEL_PRECOMPUTED);
        CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_CENTRED_NORMALISED, matrix));
        double square = 0, sum = 0, least = INFINITY;
        for (size_t i = 0; i < n * n; i++) {
            square += matrix[i] * matrix[i];
            sum += fabs(matrix[i]);
            least = fmin(least, matrix[i]);
        }
        char at[128];
        const struct {
            const char *what;
            double value;
        } check[] = {{"frobenius", sqrt(square)},
                     {"sum_abs", sum},
                     {"min", least},
                     {"entry_1_2", matrix[n]},
                     {"entry_1_last", matrix[(n - 1) * n]}};
        for (size_t c = 0; c < sizeof check / sizeof *check; c++) {
            snprintf(at, sizeof at, "input.kernels_after_preprocessing.%zu.%s", v, check[c].what);
            CHECK_CLOSE(check[c].value, reference_number(numbers, "%s", at), 1e-10, 0);
        }
    }
    free(matrix);
    onefold_dataset_free(data);
    reference_close(numbers);
}

/* View 6 of AR10P lies within 1e-9 of all ones. */
static void real_AR10P(void **state)
{
    (void)state;
    check_set("AR10P");
}

static void real_YALE(void **state)
{
    (void)state;
    check_set("YALE");
}

static void real_liver(void **state)
{
    (void)state;
    check_set("liver");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_AR10P),
        cmocka_unit_test(real_YALE),
        cmocka_unit_test(real_liver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
