/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters a data set with the library, and shows what came out.
 *
 *     fit                     synthetic data: 1000 samples in 3 views
 *     fit FILE                a .mat, .npz, ... with its true labels, which say how many clusters
 *     fit FILE CLUSTERS       any file
 *
 * examples/README.md says how to compile it.
 */
#include <onefold.h>

#include <stdio.h>
#include <stdlib.h>

/* Every call that can fail returns a status; the sentence for people is kept per thread. */
static int failed(onefold_status status)
{
    if (status == ONEFOLD_OK)
        return 0;
    fprintf(stderr, "fit: %s\n", onefold_last_error());
    if (onefold_last_hint()[0])
        fprintf(stderr, "     %s\n", onefold_last_hint());
    return 1;
}

/* Read from a file, or made. NULL in place of a context means all cores and no hooks. */
static onefold_status get_data(onefold_dataset **data, const char *path)
{
    if (path)
        return onefold_dataset_read(data, NULL, &path, 1, NULL);
    /* Option structs start from their initialiser, so that they can grow. */
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.noise = 0.3; /* each view takes some clusters for one: only together they suffice */
    return onefold_dataset_synth(data, NULL, &options);
}

static void show_data(const onefold_dataset *data)
{
    printf("%zu samples\n", onefold_dataset_describe(data)->samples);
    for (size_t v = 0; v < onefold_dataset_describe(data)->views; v++) {
        onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
        if (onefold_dataset_view(data, v, &view) == ONEFOLD_OK)
            printf("  %-12s %6zu columns, %s %s\n", view.name, view.columns,
                   onefold_name(ONEFOLD_NAMES_STORAGE, view.storage),
                   onefold_name(ONEFOLD_NAMES_TYPE, view.type));
    }
}

static void show_result(const onefold_result *result)
{
    const onefold_fit_info *info = onefold_result_describe(result);
    printf("%zu clusters by %s", info->clusters, info->method);
    if (info->restarts) /* the labels come from a fit that has an objective */
        printf(": objective %.6g after %zu iterations, the best of %zu starts", info->objective,
               info->iterations, info->restarts);
    printf("\nweights:");
    for (size_t v = 0; v < info->views; v++)
        printf(" %.3f", info->view[v]->weight);
    printf("\nsizes:");
    for (size_t c = 0; c < info->clusters; c++)
        printf(" %zu", info->sizes[c]);
    printf("\n");
}

/* Results and data sets have class numbers; any other integers go to onefold_score. */
static int show_scores(const onefold_dataset *data, const onefold_result *result)
{
    const int32_t *truth = onefold_dataset_describe(data)->truth;
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    if (!truth)
        return 0;
    if (failed(onefold_score(&scores, ONEFOLD_INT32, onefold_result_describe(result)->labels, truth,
                             onefold_dataset_describe(data)->samples)))
        return 1;
    printf("against the truth: ACC %.4f, NMI %.4f, purity %.4f, ARI %.4f\n", scores.acc, scores.nmi,
           scores.purity, scores.ari);
    return 0;
}

int main(int count, char **argument)
{
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    int bad = failed(get_data(&data, count > 1 ? argument[1] : NULL));
    if (!bad) {
        show_data(data);
        options.clusters = count > 2 ? (size_t)strtoull(argument[2], NULL, 10)
                                     : onefold_dataset_describe(data)->classes;
        bad = failed(onefold_fit(&result, NULL, data, &options));
    }
    if (!bad) {
        show_result(result);
        bad = show_scores(data, result);
    }
    /* Freeing NULL is fine, so there is one way out. */
    onefold_result_free(result);
    onefold_dataset_free(data);
    return bad;
}
