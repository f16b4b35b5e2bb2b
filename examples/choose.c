/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many clusters? Draws the curve for a data set with the library.
 *
 *     choose                  synthetic data: 600 samples in 3 views and 6 clusters
 *     choose FILE             a .mat, .npz, ...
 *
 * examples/README.md says how to compile it.
 */
#include <onefold.h>

#include <stdio.h>

static int failed(onefold_status status)
{
    if (status == ONEFOLD_OK)
        return 0;
    fprintf(stderr, "choose: %s\n", onefold_last_error());
    return 1;
}

static onefold_status get_data(onefold_dataset **data, const char *path)
{
    if (path)
        return onefold_dataset_read(data, NULL, &path, 1, NULL);
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.samples = 600;
    options.clusters = 6;
    return onefold_dataset_synth(data, NULL, &options);
}

static void show(const onefold_choose_info *info)
{
    for (size_t i = 0; i < info->points; i++) {
        const onefold_choose_point *point = info->point[i];
        printf("%3zu clusters: agreement %.2f, neighbours tell %3.0f %% (by chance %2.0f %%), "
               "evidence %.2f ",
               point->clusters, point->agreement, 100 * point->told, 100 * point->chance,
               point->evidence);
        for (int bar = 0; bar < (int)(16 * point->evidence); bar++)
            putchar('#');
        putchar('\n');
    }
    if (info->suggested)
        printf("suggested: %zu clusters\n", info->suggested);
    for (size_t i = 0; i < info->reasons; i++)
        printf("  %s\n", info->reason[i]);
}

int main(int count, char **argument)
{
    onefold_dataset *data = NULL;
    onefold_choice *choice = NULL;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    options.most = 12;
    /* NULL in place of the options of a fit: all defaults. */
    int bad = failed(get_data(&data, count > 1 ? argument[1] : NULL)) ||
              failed(onefold_choose(&choice, NULL, data, NULL, &options));
    if (!bad)
        show(onefold_choice_describe(choice));
    onefold_choice_free(choice);
    onefold_dataset_free(data);
    return bad;
}
