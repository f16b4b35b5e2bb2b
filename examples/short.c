/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest program: reads a file, clusters it, and prints the labels. The README shows it. */
#include <onefold.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "data/digits/digits.mat";
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 10;
    if (onefold_dataset_read(&data, NULL, &path, 1, NULL) ||
        onefold_fit(&result, NULL, data, &options)) {
        fprintf(stderr, "%s\n", onefold_last_error());
        return 1;
    }
    const onefold_fit_info *fit = onefold_result_describe(result);
    for (size_t i = 0; i < fit->samples; i++)
        printf("%d\n", (int)fit->labels[i]);
    onefold_result_free(result);
    onefold_dataset_free(data);
    return 0;
}
