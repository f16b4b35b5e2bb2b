/* SPDX-License-Identifier: Apache-2.0 */
/* Landmarks on real data: the labels of a fit score against the truth as those of the exact route
 * do. ./dev bench --scale --only nystrom measures it on every set. */
#include "onefold.h"

#include "support/ask.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double nmi_of(const onefold_dataset *data, size_t clusters, onefold_base base, uint64_t seed)
{
    onefold_fit_options options = paper_options();
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    onefold_result *result;
    options.clusters = clusters;
    options.base = base;
    options.seed = seed;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    for (size_t v = 0; v < info->views; v++)
        assert_int_equal(ask_view(result, v).route == ONEFOLD_ROUTE_NYSTROM,
                         base == ONEFOLD_BASE_NYSTROM);
    int64_t *labels = malloc(info->samples * sizeof *labels),
            *truth = malloc(info->samples * sizeof *truth);
    for (size_t j = 0; j < info->samples; j++) {
        labels[j] = onefold_result_describe(result)->labels[j];
        truth[j] = onefold_dataset_describe(data)->truth[j];
    }
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, labels, truth, info->samples));
    free(labels);
    free(truth);
    onefold_result_free(result);
    return scores.nmi;
}

static void real_labels_score_like_the_exact_routes(void **state)
{
    (void)state;
    static const struct {
        const char *files[2], *truth;
        size_t clusters;
    } sets[] = {
        {{"data/cub/cub_googlenet_doc2vec_c10.mat"}, NULL, 10},
        {{"data/snareseq/SNAREseq_atac_feat.npy", "data/snareseq/SNAREseq_rna_feat.npy"},
         "data/snareseq/SNAREseq_rna_types.txt",
         4},
        {{"data/wikipedia/Wikipedia.mat"}, NULL, 10},
    };
    enum { SETS = sizeof sets / sizeof *sets, SEEDS = 1 };
    double differs = 0;
    for (size_t s = 0; s < SETS; s++) {
        const char *paths[2] = {NULL, NULL};
        size_t count = sets[s].files[1] ? 2 : 1;
        for (size_t f = 0; f < count; f++)
            paths[f] =
                check_shared(sets[s].files[f]) ? strdup(check_shared(sets[s].files[f])) : NULL;
        if (!paths[0])
            skip();
        onefold_read_options reading = ONEFOLD_READ_OPTIONS_INIT;
        reading.truth = sets[s].truth ? check_shared(sets[s].truth) : NULL;
        onefold_dataset *data;
        CHECK_OK(onefold_dataset_read(&data, NULL, paths, count, &reading));
        double exact = 0, landmarks = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            exact += nmi_of(data, sets[s].clusters, ONEFOLD_BASE_EXACT, seed) / SEEDS;
            landmarks += nmi_of(data, sets[s].clusters, ONEFOLD_BASE_NYSTROM, seed) / SEEDS;
        }
        printf("%s: NMI %.2f exact, %.2f with landmarks\n", sets[s].files[0], 100 * exact,
               100 * landmarks);
        differs += fabs(landmarks - exact) / SETS;
        onefold_dataset_free(data);
        for (size_t f = 0; f < count; f++)
            free((void *)paths[f]);
    }
    assert_true(differs < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_labels_score_like_the_exact_routes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
