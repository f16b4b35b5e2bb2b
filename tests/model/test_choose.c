/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing the number of clusters: true numbers are found, data without clusters give none, and the
 * terms of the evidence are as defined. */
#include "onefold.h"

#include "base/context.h"
#include "support/ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static onefold_dataset *made(const onefold_synth_options *options)
{
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_synth(&data, NULL, options));
    return data;
}

static size_t suggestion(const onefold_synth_options *synth, size_t most)
{
    onefold_dataset *data = made(synth);
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    onefold_choice *choice = NULL;
    options.most = most;
    CHECK_OK(onefold_choose(&choice, NULL, data, NULL, &options));
    const onefold_choose_info *info = onefold_choice_describe(choice);
    size_t suggested = info->suggested;
    assert_true(info->reasons > 0);
    onefold_choice_free(choice);
    onefold_dataset_free(data);
    return suggested;
}

/* 3 to 12 clusters, 2 to 4 views, several sizes and separations, and every fourth time columns
 * without clusters and views that take some clusters for one: right at least 7 times in 10, and
 * within one at least 9 times. But in a full run only every third of ten trials, and few numbers
 * beyond the right one. */
static void the_number_of_separated_clusters_is_found(void **state)
{
    (void)state;
    static const double separations[] = {4, 5, 7, 10};
    size_t right = 0, near = 0, trials = 0, all = check_everything() != 0;
    for (size_t t = 1 - all; t < (all ? 20 : 10); t += all ? 1 : 3, trials++) {
        onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
        synth.clusters = 3 + t % 10;
        synth.views = 2 + t / 3 % 3;
        synth.samples = 40 * synth.clusters + 100;
        synth.separation = separations[t / 2 % 4];
        synth.seed = 100 + t;
        if (t % 4 == 3) {
            synth.noise = 0.1;
            synth.views = 3 + t / 4 % 2;
            synth.separation = 10;
        }
        size_t found = suggestion(&synth, all ? 14 : synth.clusters + 2);
        right += found == synth.clusters;
        near += found + 1 >= synth.clusters && found <= synth.clusters + 1;
        if (found != synth.clusters)
            print_message("trial %zu: %zu of %zu clusters\n", t, found, synth.clusters);
    }
    if (10 * right < 7 * trials || 10 * near < 9 * trials)
        fail_msg("right %zu times of %zu, within one %zu times", right, trials, near);
}

/* Clusters in a few columns of one view or two, ten standard deviations apart, as everyone tries
 * first, and four of them in a line of two views with a column of noise each: right at least 8
 * times of 10, and always within one. */
static void few_columns_are_enough(void **state)
{
    (void)state;
    enum { MOST = 300, COLUMNS = 3 };
    static const double centre[4][COLUMNS] = {{0, 0, 0}, {10, 0, 2}, {0, 11, 0}, {9, 9, 9}},
                        line[4][COLUMNS] = {{0, 0, 0}, {7, 0, 0}, {14, 0, 0}, {21, 0, 0}};
    static double noise[COLUMNS * MOST], x[COLUMNS * MOST];
    size_t right = 0;
    for (size_t i = 0; i < 10; i++) {
        size_t n = i & 1 || i > 7 ? MOST : 100, views = i & 2 || i > 7 ? 2 : 1, mu = i & 4 ? 3 : 4,
               columns = i > 7 ? 2 : COLUMNS;
        const double(*at)[COLUMNS] = i < 8 ? centre : line;
        onefold_dataset *data;
        onefold_choice *choice;
        onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
        options.most = 7;
        CHECK_OK(onefold_dataset_create(&data, NULL, n));
        for (size_t v = 0; v < views; v++) {
            check_random(i + 1, v, columns, n, noise);
            for (size_t j = 0; j < n; j++) /* the last two are half as large as the others */
                for (size_t r = 0; r < columns; r++)
                    x[r + j * columns] = at[j % (2 * mu - 2) % mu][r] + noise[r + j * columns];
            CHECK_OK(onefold_dataset_add_dense(data, NULL, x, columns, columns, 1));
        }
        CHECK_OK(onefold_choose(&choice, NULL, data, NULL, &options));
        const onefold_choose_info *info = onefold_choice_describe(choice);
        print_message("%zu samples, %zu views, %zu clusters: %zu\n", n, views, mu, info->suggested);
        right += info->suggested == mu;
        assert_true(info->suggested + 1 >= mu && info->suggested <= mu + 1);
        onefold_choice_free(choice);
        onefold_dataset_free(data);
    }
    assert_true(right >= 8);
}

/* No cluster: none is suggested. One blob in each view. */
static void structureless_data_has_no_number(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (check_everything() ? 6 : 3); seed++) {
        onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
        synth.samples = 300 + 60 * seed;
        synth.views = 2 + seed % 2;
        synth.separation = 0;
        synth.seed = seed;
        size_t found = suggestion(&synth, 7);
        if (found)
            fail_msg("seed %zu: %zu clusters where there are none", (size_t)seed, found);
    }
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* A point has the values of the labelling that a fit of this number chose. */
static void points_are_those_of_fits(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    synth.samples = 240;
    synth.clusters = 4;
    synth.separation = 8;
    onefold_dataset *data = made(&synth);
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    onefold_choice *choice = NULL;
    double most = 0;
    size_t best = 0;
    options.least = 3;
    options.most = 6;
    CHECK_OK(onefold_choose(&choice, NULL, data, NULL, &options));
    const onefold_choose_info *info = onefold_choice_describe(choice);
    assert_string_equal(info->method, "onefold");
    assert_int_equal(info->points, 4);
    assert_int_equal(info->samples, 240);
    assert_int_equal(info->curve_samples, 240);
    for (size_t c = 0; c < 4; c++) {
        onefold_choose_point it = ask_point(choice, c);
        onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
        onefold_result *result = NULL;
        size_t chosen = 0;
        assert_int_equal(it.clusters, 3 + c);
        fit.clusters = it.clusters;
        CHECK_OK(onefold_fit(&result, NULL, data, &fit));
        const onefold_fit_info *fitted = onefold_result_describe(result);
        for (size_t i = 0; i < fitted->candidates; i++) {
            const onefold_candidate one = *fitted->candidate[i];
            if (!one.chosen)
                continue;
            chosen++;
            CHECK_CLOSE(it.agreement, one.agreement, 0, 0);
            CHECK_CLOSE(it.told, one.told / one.entropy, 1e-15, 0);
            CHECK_CLOSE(it.entropy, one.entropy, 0, 0);
            CHECK_CLOSE(it.evidence,
                        one.agreement_beyond * one.agreement_beyond * sqrt(one.told_beyond) *
                            one.entropy,
                        1e-12, 0);
            CHECK_CLOSE(it.agreement_beyond, one.agreement_beyond, 0, 0);
            CHECK_CLOSE(it.told_beyond, one.told_beyond, 0, 0);
            assert_true(it.agreement_beyond >= 0 && it.agreement_beyond <= 1);
            assert_true(it.chance > 0 && it.chance < 1);
        }
        assert_int_equal(chosen, 1);
        assert_int_equal(it.clusters_used, fitted->clusters_used);
        if (it.clusters == info->suggested) { /* both say the same of it */
            CHECK_CLOSE(info->finding.told, fitted->finding->told, 0, 0);
            CHECK_CLOSE(info->finding.beyond, fitted->finding->beyond, 0, 0);
            assert_true(fitted->finding->found);
        }
        onefold_result_free(result);
        best = it.evidence > most ? 3 + c : best;
        most = fmax(most, it.evidence);
    }
    assert_int_equal(info->suggested, best);
    assert_int_equal(best, 4);
    onefold_choice_free(choice);
    onefold_dataset_free(data);
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    synth.samples = 300;
    synth.separation = 2;
    onefold_dataset *data = made(&synth);
    static const int threads[] = {1, 2, 3, 8};
    onefold_choose_point first[4];
    for (int t = 0; t < 4; t++) {
        onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
        onefold_context *context = NULL;
        onefold_choice *choice = NULL;
        options.most = 5;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads[t]));
        CHECK_OK(onefold_choose(&choice, context, data, NULL, &options));
        for (size_t c = 0; c < 4; c++) {
            onefold_choose_point it = ask_point(choice, c);
            if (t == 0)
                first[c] = it;
            assert_memory_equal(&it, &first[c], sizeof it);
        }
        onefold_choice_free(choice);
        assert_int_equal(context->bytes, 0);
        onefold_context_free(context);
    }
    onefold_dataset_free(data);
}

static void bad_requests_have_their_own_sentences(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    synth.samples = 40;
    onefold_dataset *data = made(&synth);
    onefold_choice *choice = NULL;
    const struct {
        size_t least, most;
        onefold_status status;
        const char *text;
    } cases[] = {
        {1, 5, ONEFOLD_USAGE, "least number of clusters to try is 1"},
        {6, 5, ONEFOLD_USAGE, "from 6 to 5 clusters"},
        {2, 40, ONEFOLD_BAD_DATA, "40 clusters cannot be tried on 40 samples"},
        {50, 0, ONEFOLD_BAD_DATA, "50 clusters cannot be tried on 40 samples"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
        options.least = cases[i].least;
        options.most = cases[i].most;
        CHECK_FAILS(onefold_choose(&choice, NULL, data, NULL, &options), cases[i].status,
                    cases[i].text);
    }
    assert_null(choice);
    onefold_dataset_free(data);
}

static void kernels_alone_are_refused(void **state)
{
    (void)state;
    enum { N = 12 };
    static double kernel[N * N];
    onefold_dataset *data = NULL;
    onefold_choice *choice = NULL;
    for (size_t i = 0; i < N * N; i++)
        kernel[i] = i / N == i % N ? 2 : i / N % 2 == i % N % 2;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    CHECK_OK(onefold_dataset_add_kernel(data, "K", kernel));
    CHECK_FAILS(onefold_choose(&choice, NULL, data, NULL, NULL), ONEFOLD_UNSUPPORTED,
                "without columns");
    assert_null(choice);
    onefold_dataset_free(data);
}

static void memory_is_estimated(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = made(&synth);
    onefold_context *context = NULL;
    onefold_choice *choice = NULL;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    options.least = options.most = 12;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 2)); /* each has its own work space */
    CHECK_OK(onefold_context_set_memory_limit(context, 1 << 20));
    CHECK_FAILS(onefold_choose(&choice, context, data, NULL, &options), ONEFOLD_NO_MEMORY,
                "would need");
    assert_int_equal(context->bytes, 0);
    /* the estimate is enough, and not far above the memory held */
    size_t limit = 1 << 20;
    while (onefold_choose(&choice, context, data, NULL, &options) == ONEFOLD_NO_MEMORY) {
        assert_non_null(strstr(onefold_last_error(), "would need"));
        limit += limit / 16;
        CHECK_OK(onefold_context_set_memory_limit(context, limit));
    }
    assert_non_null(choice);
    assert_true(ask_peak(context) > limit / 4);
    onefold_choice_free(choice);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    synth.samples = 50;
    synth.views = 2;
    onefold_dataset *data = made(&synth);
    onefold_context *context = NULL;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    options.most = 2;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    long failing = 0;
    for (;; failing += 1 + failing / 16) {
        onefold_choice *choice = NULL;
        context->allocations_until_failure = failing;
        onefold_status status = onefold_choose(&choice, context, data, NULL, &options);
        if (status == ONEFOLD_OK) {
            onefold_choice_free(choice);
            break;
        }
        assert_int_equal(status, ONEFOLD_NO_MEMORY);
        assert_null(choice);
        assert_int_equal(context->bytes, 0);
    }
    assert_true(failing > 100);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

typedef struct watcher {
    long left;
    double done;
    int wrong;
} watcher;

static int cancel_after(void *user)
{
    return __atomic_sub_fetch(&((watcher *)user)->left, 1, __ATOMIC_RELAXED) < 0;
}

static void watch(void *user, const onefold_progress *progress)
{
    watcher *it = user;
    if (strcmp(progress->stage, "choose") != 0) {
        it->wrong = 1;
        return;
    }
    it->wrong |= progress->done < it->done || progress->done > progress->total;
    it->done = progress->done;
}

static void it_can_be_stopped_anywhere_and_says_how_far_it_is(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    synth.samples = 60;
    onefold_dataset *data = made(&synth);
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    options.most = 4;
    for (long after = 0; after < 1 << 20; after = 4 * after + 1) {
        watcher it = {after, 0, 0};
        onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
        hooks.user = &it;
        hooks.cancel = cancel_after;
        hooks.progress = watch;
        onefold_context *context = NULL;
        onefold_choice *choice = NULL;
        CHECK_OK(onefold_context_create(&context, &hooks));
        onefold_status status = onefold_choose(&choice, context, data, NULL, &options);
        assert_true(status == (choice ? ONEFOLD_OK : ONEFOLD_INTERRUPTED));
        assert_true(after > 0 || !choice);
        assert_false(it.wrong);
        assert_true(!choice || it.done > 0);
        assert_ptr_equal(context->hooks.progress, watch);
        onefold_choice_free(choice);
        assert_int_equal(context->bytes, 0);
        onefold_context_free(context);
    }
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_separated_clusters_is_found),
        cmocka_unit_test(few_columns_are_enough),
        cmocka_unit_test(structureless_data_has_no_number),
        cmocka_unit_test(points_are_those_of_fits),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(bad_requests_have_their_own_sentences),
        cmocka_unit_test(kernels_alone_are_refused),
        cmocka_unit_test(memory_is_estimated),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(it_can_be_stopped_anywhere_and_says_how_far_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
