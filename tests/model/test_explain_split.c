/* SPDX-License-Identifier: Apache-2.0 */
/* Samples that are split over processes: the explanation has the bits of one process. */
#include "onefold.h"

#include "support/ask.h"
#include "support/paper_options.h"
#include "support/ranks.h"

#include <string.h>

enum { SPLIT = 66000, ABOVE = 1000, RANKS = 3, SPLIT_COLUMNS = 7, SPLIT_CLUSTERS = 3 };

typedef struct split_case {
    int sparse;
    size_t count[RANKS + 1][2 * SPLIT_CLUSTERS], index[RANKS + 1][2 * SPLIT_CLUSTERS * 4];
    double strength[RANKS + 1][2 * SPLIT_CLUSTERS * 4];
    double agreement[RANKS + 1][2 + 4 + 2 * SPLIT_CLUSTERS]; /* all three of them */
    double confidence[RANKS + 1][SPLIT];
} split_case;

static onefold_status fit_split(onefold_context *context, split_case *c, int place)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g"};
    static const size_t columns[] = {SPLIT_COLUMNS, SPLIT_COLUMNS};
    onefold_synth_options made = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = paper_options();
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    made.samples = SPLIT;
    made.views = 2;
    made.clusters = options.clusters = SPLIT_CLUSTERS;
    made.columns = columns;
    made.density = c->sparse ? 0.2 : 1;
    options.kernel = c->sparse ? "cosine" : "linear";
    options.restarts = 1;
    options.max_iterations = 3;
    options.explain = 4;
    onefold_status status = onefold_dataset_synth(&data, context, &made);
    for (size_t v = 0; v < 2 && status == ONEFOLD_OK; v++)
        status = onefold_dataset_set_column_names(data, v, names);
    if (status == ONEFOLD_OK)
        status = onefold_fit(&result, context, data, &options);
    if (status == ONEFOLD_OK) {
        const onefold_fit_info *info = onefold_result_describe(result);
        memcpy(c->agreement[place], info->agreement, 2 * sizeof(double));
        memcpy(c->agreement[place] + 2, info->view_agreement, 4 * sizeof(double));
        memcpy(c->agreement[place] + 6, info->cluster_agreement,
               2 * SPLIT_CLUSTERS * sizeof(double));
        memcpy(c->confidence[place] + info->first, info->confidence,
               info->held * sizeof **c->confidence);
    }
    for (size_t i = 0; i < 2 * SPLIT_CLUSTERS && status == ONEFOLD_OK; i++) {
        const onefold_column *column;
        for (size_t r = 0; (column = onefold_result_column(result, i % 2, i / 2, r)); r++) {
            c->index[place][4 * i + r] = column->index;
            c->strength[place][4 * i + r] = column->strength;
            c->count[place][i] = r + 1;
        }
    }
    onefold_result_free(result);
    onefold_dataset_free(data);
    return status;
}

static onefold_status fit_on_rank(onefold_context *context, int rank, void *user)
{
    return fit_split(context, user, rank);
}

static void several_processes_say_the_same(void **state)
{
    (void)state;
    static split_case c;
    for (c.sparse = 0; c.sparse < 2; c.sparse++) {
        memset(c.count, 0, sizeof c.count);
        memset(c.index, 0, sizeof c.index);
        memset(c.strength, 0, sizeof c.strength);
        CHECK_OK(fit_split(NULL, &c, RANKS));
        size_t named = 0;
        for (size_t i = 0; i < 2 * SPLIT_CLUSTERS; i++)
            named += c.count[RANKS][i];
        assert_true(named >= 2 * SPLIT_CLUSTERS);
        assert_true(c.agreement[RANKS][0] > 0.1 && c.agreement[RANKS][2] == 1);
        ranks_run_ok(RANKS, 1, ABOVE, fit_on_rank, &c);
        for (int r = 0; r < RANKS; r++) {
            assert_memory_equal(c.count[r], c.count[RANKS], sizeof *c.count);
            assert_memory_equal(c.index[r], c.index[RANKS], sizeof *c.index);
            assert_memory_equal(c.strength[r], c.strength[RANKS], sizeof *c.strength);
            assert_memory_equal(c.agreement[r], c.agreement[RANKS], sizeof *c.agreement);
            of_range held = ranks_held(RANKS, r, ABOVE, SPLIT);
            assert_memory_equal(c.confidence[r] + held.first, c.confidence[RANKS] + held.first,
                                (held.end - held.first) * sizeof **c.confidence);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_processes_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
