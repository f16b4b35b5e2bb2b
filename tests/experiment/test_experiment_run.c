/* SPDX-License-Identifier: Apache-2.0 */
/* How experiments run: bits over threads, failures that end nothing, interruption, refusals. */
#include "experiment/experiment.h"
#include "support/check.h"
#include "support/experiments.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

static void same_for_any_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    onefold_context *contexts[4];
    of_experiment *experiments[4];
    onefold_dataset *data = experiments_data(90, 2, 3, 0.8);
    of_experiment_options options = experiments_options("all", "os-lfmvc-cs:paper;sb-kkm:paper", 3);
    for (size_t t = 0; t < 4; t++) {
        CHECK_OK(onefold_context_create(&contexts[t], NULL));
        CHECK_OK(onefold_context_set_threads(contexts[t], threads[t]));
        CHECK_OK(experiments_run(&experiments[t], contexts[t], data, &options));
        experiments_same(experiments[0], experiments[t]);
    }
    for (size_t t = 0; t < 4; t++) {
        onefold_experiment_free(experiments[t]);
        onefold_context_free(contexts[t]);
    }
    onefold_dataset_free(data);
}

/* A method that needs too much is a dash with its bytes; the others have their figures. */
static void failures_end_nothing(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(900, 2, 3, 2);
    of_experiment_options options = experiments_options("all", "none", 2);
    of_experiment *experiment = NULL;
    onefold_context *context;
    size_t failed = 0, limit = 12 << 20;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_memory_limit(context, limit));
    options.fit.kernel = "linear"; /* the paper's method needs no matrix of all pairs for it */
    CHECK_OK(experiments_run(&experiment, context, data, &options));
    for (size_t i = 0; i < experiment->contender_count; i++) {
        const of_contender *contender = &experiment->contenders[i];
        const of_cell *cell = &experiment->cells[contender->info.standard];
        if (contender->info.peak_bytes <= limit) {
            assert_int_equal(cell->result.status, ONEFOLD_OK);
            assert_int_equal(cell->result.repeats, 2);
            assert_true(cell->result.peak_bytes <= limit);
            continue;
        }
        failed++;
        assert_int_equal(cell->result.status, ONEFOLD_NO_MEMORY);
        assert_non_null(strstr(cell->result.reason, "would need"));
        assert_null(cell->result.scores);
    }
    assert_int_equal(failed > 0, of_method_count() > 1);
    onefold_experiment_free(experiment);

    CHECK_OK(onefold_context_set_memory_limit(context, 100 << 10));
    experiment = NULL;
    CHECK_FAILS(experiments_run(&experiment, context, data, &options), ONEFOLD_NO_MEMORY, "");
    assert_null(experiment);
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

/* Every allocation is made to fail once: an error or a dash, and nothing is left behind. */
static void no_allocation_is_taken_for_granted(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(30, 2, 2, 3);
    of_experiment_options options = experiments_options("os-lfmvc-cs", "none", 1);
    onefold_context *context;
    size_t dashes = 0, errors = 0;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    options.fit.restarts = 1;
    for (long at = 0;; at++) {
        of_experiment *experiment = NULL;
        atomic_store(&context->allocations_until_failure, at);
        onefold_status status = experiments_run(&experiment, context, data, &options);
        int reached = atomic_load(&context->allocations_until_failure) < 0;
        if (status == ONEFOLD_OK) {
            assert_false(reached && experiment->cells[0].result.status == ONEFOLD_OK);
            dashes += experiment->cells[0].result.status != ONEFOLD_OK;
        } else {
            assert_int_equal(status, ONEFOLD_NO_MEMORY);
            assert_null(experiment);
            errors++;
        }
        onefold_experiment_free(experiment);
        assert_int_equal(atomic_load(&context->bytes), 0);
        if (!reached)
            break;
    }
    assert_int_equal(dashes, 0); /* one method only: its failure is the whole run's */
    assert_true(errors > 50);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

/* ---- interruption --------------------------------------------------------------------------- */

typedef struct watcher {
    size_t told, runs;
    char detail[160];
    const char *store;
} watcher;

static void count_progress(void *user, const onefold_progress *progress)
{
    watcher *to = user;
    to->told++;
    assert_string_equal(progress->stage, "bench");
    assert_true(progress->total >= progress->done && progress->done >= 0);
    snprintf(to->detail, sizeof to->detail, "%s", progress->detail);
    to->runs += strstr(to->detail, ", run 2 of 2") != NULL;
}

/* Cells that are kept, each with both repeats. */
static size_t count_kept(const char *path)
{
    size_t size, kept = 0;
    char *text = folder_read(path, &size);
    for (const char *at = text; (at = strstr(at, "\"repeats\": 2,")); at++)
        kept++;
    free(text);
    return kept;
}

static int cancel_fit(void *user)
{
    const watcher *to = user;
    return count_kept(to->store) >= 4;
}

static void progress_and_interruption(void **state)
{
    watcher watch = {.store = folder_path(state, "cells")};
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = &watch;
    hooks.progress = count_progress;
    hooks.cancel = cancel_fit;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, &hooks));
    onefold_dataset *data = experiments_data(60, 2, 3, 2);
    of_experiment_options options = experiments_options("os-lfmvc-cs", "default", 2);
    options.bench.store = watch.store;
    of_experiment *experiment = NULL;
    CHECK_FAILS(experiments_run(&experiment, context, data, &options), ONEFOLD_INTERRUPTED,
                "after 4 of 9 cells");
    assert_null(experiment);
    assert_non_null(strstr(onefold_last_hint(), "run the same command to continue"));
    assert_int_equal(count_kept(watch.store), 4);
    assert_true(watch.told >= 5);
    assert_non_null(strstr(watch.detail, ": os-lfmvc-cs k="));
    assert_non_null(strstr(watch.detail, "cell 5 of 9"));
    assert_non_null(strstr(watch.detail, " left, "));
    assert_true(watch.runs > 0); /* a cell of whole fits says which */
    assert_true(context->hooks.user == &watch && context->hooks.progress == count_progress);
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

/* ---- refusals ------------------------------------------------------------------------------- */

#define REFUSED(field, value, status, text)                                                        \
    do {                                                                                           \
        bad = good;                                                                                \
        bad.field = value;                                                                         \
        CHECK_FAILS(experiments_run(&experiment, NULL, data, &bad), status, text);                 \
    } while (0)

static void refused(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(40, 2, 2, 3);
    of_experiment *experiment = NULL;
    of_experiment_options good = experiments_options("os-lfmvc-cs", "none", 1), bad = good;
    REFUSED(bench.repeats, 0, ONEFOLD_USAGE, "0 repeats");
    REFUSED(bench.replicates, 0, ONEFOLD_USAGE, "0 replicates");
    REFUSED(bench.methods, "os-lfmcv-cs", ONEFOLD_USAGE, "no method 'os-lfmcv-cs'");
    assert_non_null(strstr(onefold_last_hint(), "'os-lfmvc-cs'"));
    REFUSED(bench.methods, "", ONEFOLD_USAGE, "empty name");
    REFUSED(bench.methods, "os-lfmvc-cs,", ONEFOLD_USAGE, "empty name");
    REFUSED(bench.grid, "papr", ONEFOLD_USAGE, "'papr'");
    assert_non_null(strstr(onefold_last_hint(), "paper"));
    REFUSED(bench.grid, "os-lfmvc-cs:", ONEFOLD_USAGE, "no cells");
    REFUSED(bench.grid, "os-lfmvc-cs:dims=1", ONEFOLD_USAGE, "less than the 2 clusters");
    REFUSED(bench.grid, "nothing:dims=4", ONEFOLD_USAGE, "no method 'nothing'");
    REFUSED(bench.sensitivity, "", ONEFOLD_USAGE, "no cells");
    REFUSED(bench.sensitivity, "1,x", ONEFOLD_USAGE, "'1,x'");
    REFUSED(bench.sensitivity, "0", ONEFOLD_USAGE, "'0'");
    REFUSED(bench.sensitivity, "1,,2", ONEFOLD_USAGE, "'1,,2'");
    REFUSED(bench.sensitivity, "2,2", ONEFOLD_USAGE, "twice");
    REFUSED(fit.clusters, 41, ONEFOLD_BAD_DATA, "40 samples cannot make 41 clusters");
    REFUSED(fit.kernel, "rfb", ONEFOLD_USAGE, "rfb");
    REFUSED(fit.kernel, "rbf,rbf,rbf", ONEFOLD_USAGE, "3 kernels are given for 2 views");
    data->set.truth = NULL;
    data->set.class_count = 0;
    REFUSED(fit.clusters, 0, ONEFOLD_USAGE, "no true labels");
    assert_null(experiment);
    onefold_dataset_free(data);
}

/* Without labels: every method at its default, agreement and silhouettes instead of scores. */
static void without_labels(void **state)
{
    (void)state;
    onefold_dataset *data = experiments_data(60, 2, 3, 8);
    of_experiment_options options = experiments_options("all", "paper", 2);
    of_experiment *experiment;
    data->set.truth = NULL;
    data->set.class_count = 0;
    options.fit.clusters = 3;
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    size_t count = experiment->contender_count;
    assert_int_equal(experiment->cell_count, count);
    assert_null(experiment->info.sensitivity);
    for (size_t i = 0; i < count; i++) {
        const of_cell *cell = &experiment->cells[experiment->contenders[i].info.standard];
        assert_null(cell->result.scores);
        assert_true(cell->result.silhouette > 0.2); /* the clusters lie far apart */
        CHECK_CLOSE(experiment->info.agreement[i * count + i], 1, 1e-14, 0);
        for (size_t j = 0; j < count; j++)
            CHECK_CLOSE(experiment->info.agreement[i * count + j],
                        experiment->info.agreement[j * count + i], 1e-14, 0);
    }
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

/* A plan has the cells of the run, with an estimate and without results; those of the store. */
static void plans(void **state)
{
    onefold_dataset *data = experiments_data(60, 2, 3, 1);
    of_experiment_options options = experiments_options("os-lfmvc-cs,mkkm", "os-lfmvc-cs:paper", 2);
    onefold_experiment *made[3];
    const onefold_experiment_info *info[3];
    options.bench.store = folder_path(state, "cells");
    CHECK_OK(onefold_experiment_plan(&made[0], NULL, data, &options.fit, &options.bench));
    CHECK_OK(onefold_experiment_run(&made[1], NULL, data, &options.fit, &options.bench));
    CHECK_OK(onefold_experiment_plan(&made[2], NULL, data, &options.fit, &options.bench));
    for (int i = 0; i < 3; i++)
        info[i] = onefold_experiment_describe(made[i]);
    assert_int_equal(info[0]->cells, 10);
    assert_int_equal(info[1]->cells, 10);
    assert_true(info[0]->expected_seconds > 0 && info[0]->method[0]->seconds > 0);
    for (size_t c = 0; c < 10; c++) {
        const onefold_experiment_cell_info *run = info[1]->cell[c], *later = info[2]->cell[c];
        assert_string_equal(info[0]->cell[c]->setting, run->setting);
        assert_true(!info[0]->cell[c]->kept && info[0]->cell[c]->repeats == 0);
        assert_true(later->kept && later->repeats == 2);
        assert_true(later->scores[1]->acc == run->scores[1]->acc);
    }
    for (int i = 0; i < 3; i++)
        onefold_experiment_free(made[i]);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(plans, folder_make, folder_remove),
        cmocka_unit_test(same_for_any_threads),
        cmocka_unit_test(failures_end_nothing),
        cmocka_unit_test(no_allocation_is_taken_for_granted),
        cmocka_unit_test_setup_teardown(progress_and_interruption, folder_make, folder_remove),
        cmocka_unit_test(refused),
        cmocka_unit_test(without_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
