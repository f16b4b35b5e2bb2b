/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is linked with libonefold alone lists the methods, fits by each of those named,
 * and compares two methods. Prints what it got; a failure with its sentences. */
#include <onefold.h>
#include <stdio.h>

static int failed(const char *what, onefold_status status)
{
    if (status != ONEFOLD_OK)
        printf("%s: %s; %s\n", what, onefold_last_error(), onefold_last_hint());
    return status != ONEFOLD_OK;
}

int main(int count, char **name)
{
    static const double values[] = {1, 2, 3, 4, 6, 5};
    onefold_dataset *dataset = NULL;
    onefold_comparison *comparison = NULL;
    double numbers[4 * 40];
    for (size_t i = 0; onefold_method_describe(i); i++)
        printf("method %s\n", onefold_method_describe(i)->name);
    for (int i = 0; i < 4 * 40; i++)
        numbers[i] = i % 40 / 20 * 8 + i * 7 % 11 / 11.0;
    if (failed("data", onefold_dataset_create(&dataset, NULL, 40)) ||
        failed("view", onefold_dataset_add_dense(dataset, "a", numbers, 2, 1, 40)) ||
        failed("view", onefold_dataset_add_dense(dataset, "b", numbers + 80, 2, 1, 40)))
        return 1;
    for (int i = 1; i < count; i++) {
        onefold_result *result = NULL;
        onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
        options.clusters = 2;
        options.method = name[i];
        if (!failed(name[i], onefold_fit(&result, NULL, dataset, &options)))
            printf("%s: %zu clusters\n", name[i], onefold_result_describe(result)->clusters_used);
        onefold_result_free(result);
    }
    if (!failed("compare", onefold_compare(&comparison, NULL, values, 3, 2)))
        printf("compared %zu methods\n", onefold_comparison_describe(comparison)->methods);
    onefold_comparison_free(comparison);
    onefold_dataset_free(dataset);
    return 0;
}
