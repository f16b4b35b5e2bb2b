/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why these labels: how far each view agrees, which view sees which cluster, how sure the labels
 * are, and the columns that set each cluster apart.
 *
 *     explain                 synthetic data: 300 texts with pictures, and a view of noise
 *     explain FILE CLUSTERS   a .csv with a header, a .mat, ...
 *
 * docs/explain.md says what the figures are; examples/README.md says how to compile it.
 */
#include <onefold.h>

#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 300, TOPICS = 3, WORDS = 9, COLOURS = 3, NOISE = 5 };

static int failed(onefold_status status)
{
    if (status == ONEFOLD_OK)
        return 0;
    fprintf(stderr, "explain: %s\n", onefold_last_error());
    if (onefold_last_hint()[0])
        fprintf(stderr, "         %s\n", onefold_last_hint());
    return 1;
}

/* A number from 0 to 1 that depends on its place alone. */
static double chance(unsigned place)
{
    unsigned x = (place ^ 0x5bd1e995u) * 2654435761u;
    for (int round = 0; round < 3; round++)
        x = (x ^ (x >> 15)) * 2246822519u;
    return x / 4294967296.0;
}

/* Words of sample j, sparse: three of each topic, mostly those of its own. */
static size_t write_words(unsigned j, uint32_t *column, double *value)
{
    size_t count = 0;
    for (unsigned w = 0; w < WORDS; w++)
        if (chance(j * WORDS + w) < (w / 3 == j % TOPICS ? 0.9 : 0.1)) {
            column[count] = w;
            value[count++] = 1 + (double)(j % 2);
        }
    return count;
}

static onefold_status make_data(onefold_dataset **data)
{
    static const char *const words[WORDS] = {"goal", "match", "coach", "vote", "party",
                                             "law",  "gene",  "cell",  "virus"};
    static const char *const colours[COLOURS] = {"red", "green", "blue"};
    static size_t start[SAMPLES + 1];
    static uint32_t column[SAMPLES * WORDS];
    static double value[SAMPLES * WORDS], colour[SAMPLES * COLOURS], noise[SAMPLES * NOISE];
    for (unsigned j = 0; j < SAMPLES; j++) {
        start[j + 1] = start[j] + write_words(j, column + start[j], value + start[j]);
        for (unsigned i = 0; i < COLOURS; i++) /* sport is green, the others are alike */
            colour[j * COLOURS + i] =
                chance(5000 + j * COLOURS + i) + (i == 1 && j % TOPICS == 0 ? 2 : 0);
        for (unsigned i = 0; i < NOISE; i++)
            noise[j * NOISE + i] = chance(9000 + j * NOISE + i);
    }
    onefold_status status = onefold_dataset_create(data, NULL, SAMPLES);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_add_sparse(*data, "words", WORDS, start, column, value);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_add_dense(*data, "colours", colour, COLOURS, COLOURS, 1);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_add_dense(*data, "noise", noise, NOISE, NOISE, 1);
    /* Names are what explanations speak of; a view without them, as the last, has none to give. */
    if (status == ONEFOLD_OK)
        status = onefold_dataset_set_column_names(*data, 0, words);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_set_column_names(*data, 1, colours);
    return status;
}

static void show_views(const onefold_fit_info *info)
{
    for (size_t v = 0; v < info->views; v++) {
        const onefold_view_fit *view = info->view[v];
        printf("%-8s weight %.2f, agrees with the labels to %.2f, with the views to", view->name,
               view->weight, info->agreement[v]);
        for (size_t other = 0; other < info->views; other++)
            printf(" %.2f", info->view_agreement[v + other * info->views]);
        printf("\n");
    }
}

/* The view whose own labels have a cluster best. */
static size_t best_view(const onefold_fit_info *info, size_t cluster)
{
    const double *agreement = info->cluster_agreement + cluster * info->views;
    size_t best = 0;
    for (size_t v = 1; v < info->views; v++)
        best = agreement[v] > agreement[best] ? v : best;
    return best;
}

/* The columns of a view that set a cluster apart, strongest first. */
static void show_columns(const onefold_result *result, size_t view, size_t cluster)
{
    const onefold_column *column;
    size_t rank = 0;
    printf("  %s:", onefold_result_describe(result)->view[view]->name);
    for (; (column = onefold_result_column(result, view, cluster, rank)); rank++)
        printf(" %s %+.2f", column->name, column->strength);
    printf("%s\n", rank ? "" : " nothing above chance");
}

static void show_clusters(const onefold_result *result, const onefold_fit_info *info)
{
    for (size_t c = 0; c < info->clusters; c++) {
        size_t best = best_view(info, c);
        printf("cluster %zu: %zu samples, seen best by %s (%.2f)\n", c, info->sizes[c],
               info->view[best]->name, info->cluster_agreement[c * info->views + best]);
        for (size_t v = 0; v < info->views; v++)
            if (info->view[v]->named)
                show_columns(result, v, c);
    }
}

static void show_confidence(const onefold_fit_info *info)
{
    double mean = 0;
    size_t least = 0;
    for (size_t j = 0; j < info->samples; j++) {
        mean += info->confidence[j] / (double)info->samples;
        least = info->confidence[j] < info->confidence[least] ? j : least;
    }
    printf("confidence: %.2f on average, least for sample %zu: %.2f\n", mean, least + 1,
           info->confidence[least]);
}

int main(int count, char **argument)
{
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    const char *path = count > 2 ? argument[1] : NULL;
    options.clusters = path ? (size_t)strtoull(argument[2], NULL, 10) : TOPICS;
    options.method = "os-lfmvc-cs"; /* one partition of each view: what it says is the view's own */
    options.explain = 3;
    int bad = failed(path ? onefold_dataset_read(&data, NULL, &path, 1, NULL) : make_data(&data)) ||
              failed(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    /* Above 1024 clusters, or split over processes, there is no agreement to show. */
    if (!bad && info->agreement) {
        show_views(info);
        show_clusters(result, info);
        show_confidence(info);
    }
    onefold_result_free(result);
    onefold_dataset_free(data);
    return bad;
}
