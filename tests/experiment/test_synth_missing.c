/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic data with missing views: how many are missing, and that other values are the same. */
#include "data/dataset.h"
#include "support/ask.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

/* Who is present where, into `present`. */
static onefold_status lack(double share, size_t samples, size_t views, uint8_t *present)
{
    static const size_t columns[] = {1, 1, 1, 1};
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    options.samples = samples;
    options.views = views;
    options.columns = columns;
    options.clusters = 2;
    options.missing = share;
    options.seed = 7;
    OF_TRY(onefold_dataset_synth(&data, NULL, &options));
    memcpy(present, onefold_dataset_describe(data)->present, samples * views);
    onefold_dataset_free(data);
    return ONEFOLD_OK;
}

static void the_share_is_what_was_asked_for(void **state)
{
    (void)state;
    enum { N = 20000, P = 4 };
    static uint8_t present[N * P];
    static const double shares[] = {0.1, 0.3, 0.5, 0.75};
    for (size_t s = 0; s < 4; s++)
        for (size_t views = 2; views <= P; views += 2) {
            if (shares[s] > 1 - 1 / (double)views)
                continue;
            CHECK_OK(lack(shares[s], N, views, present));
            size_t missing = 0;
            for (size_t j = 0; j < N; j++) {
                size_t has = 0;
                for (size_t i = 0; i < views; i++)
                    has += present[j * views + i];
                assert_true(has > 0);
                missing += views - has;
            }
            double share = (double)missing / (double)(N * views);
            CHECK_CLOSE(share, shares[s], 0, 4 * sqrt(0.25 / (N * (double)views)));
        }
    CHECK_FAILS(lack(0.51, N, 2, present), ONEFOLD_USAGE, "every sample needs one");
    CHECK_FAILS(lack(0.01, N, 1, present), ONEFOLD_USAGE, "of 1 view:");
    CHECK_OK(lack(0.5, 3, 2, present)); /* few samples: a view keeps two */
    for (size_t i = 0; i < 2; i++)
        assert_true(present[i] + present[2 + i] + present[4 + i] >= 2);
}

static void what_is_not_missing_is_the_same(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
        onefold_dataset *whole = NULL, *data = NULL;
        options.samples = 300;
        options.density = sparse ? 0.2 : 1;
        CHECK_OK(onefold_dataset_synth(&whole, NULL, &options));
        options.missing = 0.4;
        CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
        assert_memory_equal(onefold_dataset_describe(data)->truth,
                            onefold_dataset_describe(whole)->truth, 300 * sizeof(int32_t));
        size_t missing = 0;
        for (size_t v = 0; v < 3; v++)
            for (size_t j = 0; j < 300; j++) {
                double x[20], y[20];
                of_view_tile(&whole->set.views[v], j, 1, x, 20);
                of_view_tile(&data->set.views[v], j, 1, y, 20);
                if (ask_present(data, j, v)) {
                    assert_memory_equal(x, y, sizeof x);
                    continue;
                }
                missing++;
                for (size_t i = 0; i < 20; i++)
                    assert_true(sparse ? y[i] == 0 : isnan(y[i]) != 0);
            }
        assert_true(missing > 300 && missing < 420);
        onefold_dataset_free(whole);
        onefold_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_share_is_what_was_asked_for),
        cmocka_unit_test(what_is_not_missing_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
