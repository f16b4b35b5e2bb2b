/* SPDX-License-Identifier: Apache-2.0 */
/* How many clusters: what is there is found, what is not there is not, and the parts are what they
 * say. */
#include "onefold.h"

#include "model/choose.h"
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
 * without clusters and views that take some clusters for one: right at least 9 times in 10. */
static void the_number_of_separated_clusters_is_found(void **state)
{
    (void)state;
    static const double separations[] = {4, 5, 7, 10};
    size_t right = 0, trials = check_everything() ? 20 : 10;
    for (size_t t = 0; t < trials; t++) {
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
        size_t found = suggestion(&synth, 14);
        right += found == synth.clusters;
        if (found != synth.clusters)
            print_message("trial %zu: %zu of %zu clusters\n", t, found, synth.clusters);
    }
    if (10 * right < 9 * trials)
        fail_msg("right %zu times of %zu", right, trials);
}

/* No cluster: none is suggested. One blob in each view, related or not between views. */
/* Clusters in a few columns of one view or two, ten standard deviations apart, as everyone tries
 * first: their graph falls apart into them, of equal size or not. */
static void few_columns_are_counted_by_their_graph(void **state)
{
    (void)state;
    enum { MOST = 300, COLUMNS = 3 };
    static const double centre[4][COLUMNS] = {{0, 0, 0}, {10, 0, 2}, {0, 11, 0}, {9, 9, 9}};
    static double noise[COLUMNS * MOST], x[COLUMNS * MOST];
    for (size_t i = 0; i < 8; i++) {
        size_t n = i & 1 ? MOST : 100, views = i & 2 ? 2 : 1, mu = i & 4 ? 3 : 4;
        onefold_dataset *data;
        onefold_choice *choice;
        onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
        options.most = 7;
        CHECK_OK(onefold_dataset_create(&data, NULL, n));
        for (size_t v = 0; v < views; v++) {
            check_random(i + 1, v, COLUMNS, n, noise);
            for (size_t j = 0; j < n; j++) /* the last two are half as large as the others */
                for (size_t r = 0; r < COLUMNS; r++)
                    x[r + j * COLUMNS] = centre[j % (2 * mu - 2) % mu][r] + noise[r + j * COLUMNS];
            CHECK_OK(onefold_dataset_add_dense(data, NULL, x, COLUMNS, COLUMNS, 1));
        }
        CHECK_OK(onefold_choose(&choice, NULL, data, NULL, &options));
        const onefold_choose_info *info = onefold_choice_describe(choice);
        print_message("%zu samples, %zu views, %zu clusters: %zu\n", n, views, mu, info->suggested);
        assert_int_equal(info->suggested, mu);
        assert_non_null(strstr(onefold_choice_describe(choice)->reason[0], "falls apart"));
        onefold_choice_free(choice);
        onefold_dataset_free(data);
    }
}

static void structureless_data_has_no_number(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
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

/* ---- the parts ---------------------------------------------------------------------------- */

static onefold_choose_point point(size_t clusters, double stability, double chance, double weakest,
                                  double weakest_chance)
{
    return (onefold_choose_point){.clusters = clusters,
                                  .stability = stability,
                                  .chance = chance,
                                  .weakest = weakest,
                                  .weakest_chance = weakest_chance};
}

static void evidence_and_suggestion_are_as_documented(void **state)
{
    (void)state;
    onefold_choose_point points[] = {
        point(2, 1.0, 0.1, 1.0, 0.5),   point(3, 0.6, 0.2, 0.7, 0.3),
        point(4, 0.96, 0.1, 0.88, 0.2), point(5, 0.9, 0.1, 0.3, 0.2),
        point(6, 0.2, 0.15, 0.1, 0.25),
    };
    const of_joint_pieces none = {0, 0};
    of_choose_weigh(points, 5);
    /* chance never rises: 2 has that of 3, 4 and 5 have that of 6 */
    CHECK_CLOSE(points[0].chance, 0.2, 0, 0);
    CHECK_CLOSE(points[2].chance, 0.15, 0, 0);
    CHECK_CLOSE(points[3].weakest_chance, 0.25, 0, 0);
    CHECK_CLOSE(points[0].evidence, 1, 1e-15, 0);
    CHECK_CLOSE(points[1].evidence, 0.5, 1e-14, 0); /* (0.6 - 0.2) / 0.8 < (0.7 - 0.3) / 0.7 */
    CHECK_CLOSE(points[2].evidence, (0.88 - 0.25) / 0.75, 1e-14, 0);
    CHECK_CLOSE(points[3].evidence, 0.05 / 0.75, 1e-13, 0);
    CHECK_CLOSE(points[4].evidence, 0, 0, 0);
    assert_int_equal(of_choose_suggest(points, 5, 0, none),
                     4); /* the largest of those near the best */
    assert_true(of_choose_suggest(points, 5, 0, (of_joint_pieces){3, 0}) <=
                3);           /* no more than there are pieces */
    points[1].evidence = 0.9; /* a fall from a level of evidence speaks for nothing, */
    assert_int_equal(of_choose_suggest(points, 5, 0, none), 3);
    points[2].evidence = 0.85; /* unless it is within what evidence varies by */
    assert_int_equal(of_choose_suggest(points, 5, 0, none), 4);
    points[1].evidence = 0.5;
    points[2].evidence = 0.74;
    assert_int_equal(of_choose_suggest(points, 5, 0, none), 2);
    points[0].evidence = 0.49;
    points[2].evidence = 0.45;
    points[1].evidence = 0;
    assert_int_equal(of_choose_suggest(points, 5, 0, none), 0);
    /* a graph in clear pieces needs no refits; one in more pieces than were tried says nothing */
    assert_int_equal(of_choose_suggest(points, 5, 1, (of_joint_pieces){0, 5}), 5);
    assert_int_equal(of_choose_suggest(points, 5, 1, (of_joint_pieces){0, 7}), 0);
}

/* Three runs of four samples, by hand: the first two agree, the third does not. */
static void the_run_that_agrees_best_stands_for_all(void **state)
{
    (void)state;
    enum { A = OF_CHOOSE_ABSENT };
    const int32_t labels[4 * 8] = {
        0, 0, 0, 1, 1, 1, 0, 1, /* the whole */
        1, 1, A, 0, 0, 0, 1, A, /* the same, without two, renamed */
        0, 1, 0, 1, 0, 1, 0, 1, /* another */
        1, 1, 1, 0, 0, 0, A, 0, /* the same again */
    };
    of_choose_return found;
    CHECK_OK(of_choose_compare(NULL, 2, labels, 8, 4, &found));
    CHECK_CLOSE(found.median, 1, 0, 0);
    CHECK_CLOSE(found.weakest, 1, 0, 0);
    assert_true(found.deviation > 0.3);
    /* a cluster that no run uses never comes back */
    CHECK_OK(of_choose_compare(NULL, 3, labels, 8, 4, &found));
    CHECK_CLOSE(found.weakest, 0, 0, 0);
}

/* ---- the whole ---------------------------------------------------------------------------- */

/* With a cluster for each of 4 far-apart groups, centred kernels have 3 large eigenvalues. */
static void the_points_mean_what_they_say(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    synth.samples = 240;
    synth.clusters = 4;
    synth.separation = 12;
    onefold_dataset *data = made(&synth);
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    onefold_choice *choice = NULL;
    options.least = 3;
    options.most = 6;
    CHECK_OK(onefold_choose(&choice, NULL, data, NULL, &options));
    const onefold_choose_info *info = onefold_choice_describe(choice);
    assert_int_equal(info->points, 4);
    assert_int_equal(info->samples, 240);
    assert_int_equal(info->curve_samples, 240);
    assert_int_equal(info->suggested, 4);
    for (size_t c = 0; c < 4; c++) {
        onefold_choose_point it = ask_point(choice, c), last = ask_point(choice, c ? c - 1 : 0);
        assert_int_equal(it.clusters, 3 + c);
        assert_true(it.stability >= -1 && it.stability <= 1);
        assert_true(it.weakest >= 0 && it.weakest <= 1);
        assert_true(c == 0 || it.objective > last.objective); /* more room, more of it */
        assert_true(c == 0 || it.chance <= last.chance);
    }
    CHECK_CLOSE(ask_point(choice, 1).stability, 1, 0, 0);
    CHECK_CLOSE(ask_point(choice, 1).weakest, 1, 0, 0);
    for (size_t v = 0; v < info->views; v++) {
        assert_int_equal(info->gap_clusters[v], 4);
        assert_true(ask_point(choice, 1).gap[v] > 0.5);
        assert_true(ask_point(choice, 2).gap[v] < 0.3);
    }
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
            it.gap = NULL;
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
        size_t least, most, subsamples;
        double share;
        onefold_status status;
        const char *text;
    } cases[] = {
        {1, 5, 7, 0.7, ONEFOLD_USAGE, "least number of clusters to try is 1"},
        {6, 5, 7, 0.7, ONEFOLD_USAGE, "from 6 to 5 clusters"},
        {2, 40, 7, 0.7, ONEFOLD_BAD_DATA, "40 clusters cannot be tried on 40 samples"},
        {50, 0, 7, 0.7, ONEFOLD_BAD_DATA, "50 clusters cannot be tried on 40 samples"},
        {2, 30, 7, 0.5, ONEFOLD_BAD_DATA, "subsample of 20 samples cannot make 30 clusters"},
        {2, 5, 1, 0.7, ONEFOLD_USAGE, "at least 2 subsamples"},
        {2, 5, 7, 1.5, ONEFOLD_USAGE, "1.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
        options.least = cases[i].least;
        options.most = cases[i].most;
        options.subsamples = cases[i].subsamples;
        options.share = cases[i].share;
        CHECK_FAILS(onefold_choose(&choice, NULL, data, NULL, &options), cases[i].status,
                    cases[i].text);
    }
    assert_null(choice);
    onefold_dataset_free(data);
}

/* Two views of one column: what was asked for is refused, what was not is lowered. */
static void the_rank_bounds_the_number(void **state)
{
    (void)state;
    enum { N = 60 };
    double values[2][N];
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t v = 0; v < 2; v++) {
        check_random(4, v, 1, N, values[v]);
        CHECK_OK(onefold_dataset_add_dense(data, NULL, values[v], 1, 1, 1));
    }
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    onefold_choice *choice = NULL;
    fit.kernel = "linear";
    options.most = 5;
    CHECK_FAILS(onefold_choose(&choice, NULL, data, &fit, &options), ONEFOLD_BAD_DATA,
                "the views together have rank 2");
    options.most = 0;
    CHECK_OK(onefold_choose(&choice, NULL, data, &fit, &options));
    const onefold_choose_info *info = onefold_choice_describe(choice);
    assert_int_equal(info->points, 2); /* 2 and 3 */
    onefold_choice_free(choice);
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
    CHECK_OK(onefold_context_set_threads(context, 2)); /* each has room of its own */
    CHECK_OK(onefold_context_set_memory_limit(context, 1 << 20));
    CHECK_FAILS(onefold_choose(&choice, context, data, NULL, &options), ONEFOLD_NO_MEMORY,
                "trying up to 12 clusters would need");
    assert_int_equal(context->bytes, 0);
    /* what the estimate asks for is enough, and not far from what is taken */
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
    options.most = options.subsamples = 2;
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
        it->wrong |= strcmp(progress->stage, "base") != 0;
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
        cmocka_unit_test(few_columns_are_counted_by_their_graph),
        cmocka_unit_test(structureless_data_has_no_number),
        cmocka_unit_test(evidence_and_suggestion_are_as_documented),
        cmocka_unit_test(the_run_that_agrees_best_stands_for_all),
        cmocka_unit_test(the_points_mean_what_they_say),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
        cmocka_unit_test(bad_requests_have_their_own_sentences),
        cmocka_unit_test(the_rank_bounds_the_number),
        cmocka_unit_test(memory_is_estimated),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(it_can_be_stopped_anywhere_and_says_how_far_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
