/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks for progress and for cancelling are called often on the calling thread, during fits of
 * several routes and methods, reading and choosing. The longest gaps are printed; their limits
 * leave room for a busy machine. */
#include "support/check.h"
#include "support/folder.h"

#include "onefold.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct watch {
    pthread_t thread;
    double began, ended;
    double progress_at, cancel_at;   /* of the last call */
    double progress_gap, cancel_gap; /* the longest time between two calls */
    size_t progress_count, cancel_count, elsewhere;
    double stop_at; /* seconds after the beginning; 0: never */
    double stopped;
} watch;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double longer(double gap, double since)
{
    double time = now() - since;
    return time > gap ? time : gap;
}

static void on_progress(void *user, const onefold_progress *progress)
{
    watch *by = user;
    assert_non_null(progress->stage);
    by->elsewhere += !pthread_equal(by->thread, pthread_self());
    by->progress_gap = longer(by->progress_gap, by->progress_at);
    by->progress_at = now();
    by->progress_count++;
}

static int on_cancel(void *user)
{
    watch *by = user;
    by->elsewhere += !pthread_equal(by->thread, pthread_self());
    by->cancel_gap = longer(by->cancel_gap, by->cancel_at);
    by->cancel_at = now();
    by->cancel_count++;
    if (!by->stop_at || by->cancel_at - by->began < by->stop_at)
        return 0;
    by->stopped = by->stopped ? by->stopped : by->cancel_at;
    return 1;
}

static onefold_context *watched(watch *by)
{
    onefold_context *context;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    *by = (watch){.thread = pthread_self(), .stop_at = by->stop_at};
    hooks.user = by;
    hooks.progress = on_progress;
    hooks.cancel = on_cancel;
    CHECK_OK(onefold_context_create(&context, &hooks));
    CHECK_OK(onefold_context_set_threads(context, 2));
    by->began = by->progress_at = by->cancel_at = now();
    return context;
}

static void check_watch(const char *what, watch *by)
{
    by->ended = now();
    by->progress_gap = longer(by->progress_gap, by->progress_at);
    by->cancel_gap = longer(by->cancel_gap, by->cancel_at);
    double took = by->ended - by->began;
    print_message(
        "%-10s %6.2f s: progress %zu times, at most %.3f s apart; cancel %zu times, %.3f s\n", what,
        took, by->progress_count, by->progress_gap, by->cancel_count, by->cancel_gap);
    assert_int_equal(by->elsewhere, 0);
    assert_true(by->progress_gap < 2 && by->cancel_gap < 2);
    assert_true((double)by->progress_count >= 2 * (took - 1));
    assert_true((double)by->cancel_count >= 4 * (took - 1));
}

static onefold_dataset *made(size_t samples, size_t columns)
{
    onefold_dataset *data;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    size_t all[] = {columns, columns};
    options.samples = samples;
    options.views = 2;
    options.columns = all;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    return data;
}

static const struct {
    const char *name, *method, *kernel;
    size_t samples, columns;
    onefold_base base;
    size_t iterations;
} fits[] = {
    {"dense", "os-lfmvc-cs", "rbf", 1800, 20, ONEFOLD_BASE_EXACT, 100},
    {"tiles", "os-lfmvc-cs", "rbf", 5900, 4, ONEFOLD_BASE_EXACT, 100},
    {"nystrom", "os-lfmvc-cs", "rbf", 3000, 20, ONEFOLD_BASE_NYSTROM, 100},
    {"default", NULL, "rbf", 1800, 20, ONEFOLD_BASE_AUTO, 100},
    {"rmsc", "rmsc", NULL, 500, 20, ONEFOLD_BASE_AUTO, 12},
    {"lsgmc", "lsgmc", NULL, 400, 20, ONEFOLD_BASE_AUTO, 12},
    {"fmr", "fmr", NULL, 400, 20, ONEFOLD_BASE_AUTO, 3},
};

static onefold_status run_fit(size_t i, onefold_context *context, const onefold_dataset *data)
{
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 3;
    options.method = fits[i].method;
    options.kernel = fits[i].kernel;
    options.base = fits[i].base;
    options.landmarks = fits[i].base == ONEFOLD_BASE_NYSTROM ? 600 : 0;
    options.max_iterations = fits[i].iterations;
    onefold_status status = onefold_fit(&result, context, data, &options);
    onefold_result_free(result);
    return status;
}

static void fits_report_progress(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        watch by = {.stop_at = 0};
        onefold_dataset *data = made(fits[i].samples, fits[i].columns);
        onefold_context *context = watched(&by);
        CHECK_OK(run_fit(i, context, data));
        check_watch(fits[i].name, &by);
        onefold_context_free(context);
        onefold_dataset_free(data);
    }
}

static void fits_end_when_cancelled(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
        watch by = {.stop_at = 0.05};
        onefold_dataset *data = made(fits[i].samples, fits[i].columns);
        onefold_context *context = watched(&by);
        onefold_status status = run_fit(i, context, data);
        double late = now() - by.stopped;
        if (by.stopped > 0) { /* it had not ended before */
            print_message("%-10s ended %.3f s after it was cancelled\n", fits[i].name, late);
            assert_true(late < 5);
            assert_true(status == ONEFOLD_INTERRUPTED || late < 0.5);
        }
        onefold_context_free(context);
        onefold_dataset_free(data);
    }
}

static void reading_reports_progress(void **state)
{
    watch by = {.stop_at = 0};
    onefold_dataset *data = made(10000, 30), *read;
    const char *path = folder_path(state, "table.csv");
    onefold_context *context = watched(&by);
    CHECK_OK(onefold_dataset_write(data, context, path)); /* 10 MB */
    check_watch("write", &by);
    onefold_context_free(context);
    onefold_dataset_free(data);
    const char *paths[] = {folder_path(state, "table.1.csv"), folder_path(state, "table.2.csv")};
    context = watched(&by);
    CHECK_OK(onefold_dataset_read(&read, context, paths, 2, NULL));
    check_watch("read", &by);
    onefold_dataset_free(read);
    onefold_context_free(context);
}

static void choosing_reports_progress(void **state)
{
    (void)state;
    watch by = {.stop_at = 0};
    onefold_choice *choice;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    options.most = 8;
    onefold_dataset *data = made(600, 20);
    onefold_context *context = watched(&by);
    CHECK_OK(onefold_choose(&choice, context, data, NULL, &options));
    check_watch("choose", &by);
    onefold_choice_free(choice);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

static void note_fit(void *user, const onefold_progress *progress)
{
    int *fitting = user;
    *fitting |= strcmp(progress->stage, "fit") == 0;
}

/* Whichever of several threads takes the runs of a fit that is over in a moment. */
static void short_fits_report_progress(void **state)
{
    (void)state;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 3;
    options.method = "os-lfmvc-cs";
    onefold_dataset *data = made(60, 3);
    for (int i = 0; i < 200; i++) {
        int fitting = 0;
        onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
        hooks.user = &fitting;
        hooks.progress = note_fit;
        onefold_context *context;
        onefold_result *result = NULL;
        CHECK_OK(onefold_context_create(&context, &hooks));
        CHECK_OK(onefold_context_set_threads(context, 4));
        CHECK_OK(onefold_fit(&result, context, data, &options));
        assert_true(fitting);
        onefold_result_free(result);
        onefold_context_free(context);
    }
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_report_progress),      cmocka_unit_test(short_fits_report_progress),
        cmocka_unit_test(fits_end_when_cancelled),   cmocka_unit_test(reading_reports_progress),
        cmocka_unit_test(choosing_reports_progress),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
