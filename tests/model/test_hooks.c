/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks for progress and for cancelling are called on the calling thread, during fits of
 * several routes and methods, reading and choosing: a question whether to go on follows every
 * report, and after a "stop" the work that is under way is all that is still done. */
#include "support/check.h"
#include "support/folder.h"

#include "onefold.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct watch {
    pthread_t thread;
    size_t stop_at; /* the question that is answered with stop, from 1; 0: none */
    size_t reports, questions, elsewhere;
    size_t in_a_row, most_in_a_row; /* reports without a question between them */
    size_t news, late; /* reports that say something else than before; after the stop */
    const char *stage;
    double done;
    int stopped;
} watch;

static void on_progress(void *user, const onefold_progress *progress)
{
    watch *by = user;
    assert_non_null(progress->stage);
    by->elsewhere += !pthread_equal(by->thread, pthread_self());
    by->reports++;
    if (++by->in_a_row > by->most_in_a_row)
        by->most_in_a_row = by->in_a_row;
    if (progress->stage != by->stage || progress->done > by->done || progress->done < by->done) {
        by->news++;
        by->late += (size_t)by->stopped;
    }
    by->stage = progress->stage;
    by->done = progress->done;
}

static int on_cancel(void *user)
{
    watch *by = user;
    by->elsewhere += !pthread_equal(by->thread, pthread_self());
    by->in_a_row = 0;
    by->questions++;
    by->stopped |= by->questions == by->stop_at;
    return by->stopped;
}

static onefold_context *watched(watch *by, size_t stop_at)
{
    onefold_context *context;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    *by = (watch){.thread = pthread_self(), .stop_at = stop_at};
    hooks.user = by;
    hooks.progress = on_progress;
    hooks.cancel = on_cancel;
    CHECK_OK(onefold_context_create(&context, &hooks));
    CHECK_OK(onefold_context_set_threads(context, 2));
    return context;
}

/* What is reported last, after the work, is followed by no question. `least`: reports with news. */
static void check_watch(const char *what, const watch *by, size_t least)
{
    print_message("%-10s %zu reports, %zu with news, %zu questions\n", what, by->reports, by->news,
                  by->questions);
    assert_int_equal(by->elsewhere, 0);
    assert_in_range(by->news, least, by->reports);
    assert_in_range(by->most_in_a_row, 0, 2);
    assert_true(by->questions > 0 && by->questions >= by->reports);
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
        watch by;
        onefold_dataset *data = made(fits[i].samples, fits[i].columns);
        onefold_context *context = watched(&by, 0);
        CHECK_OK(run_fit(i, context, data));
        check_watch(fits[i].name, &by, 2);
        onefold_context_free(context);
        onefold_dataset_free(data);
    }
}

/* The first question comes before the work; those after it while it goes on. Two threads may each
 * have a report under way when the answer comes. */
static void fits_end_when_cancelled(void **state)
{
    (void)state;
    static const size_t questions[] = {1, 2, 3};
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
            watch by;
            onefold_dataset *data = made(fits[i].samples, fits[i].columns);
            onefold_context *context = watched(&by, questions[q]);
            onefold_status status = run_fit(i, context, data);
            print_message(
                "%-10s stopped at question %zu: %zu reports with news before, %zu after\n",
                fits[i].name, questions[q], by.news - by.late, by.late);
            assert_true(by.stopped);
            assert_int_equal(status, ONEFOLD_INTERRUPTED);
            assert_in_range(by.late, 0, 3);
            onefold_context_free(context);
            onefold_dataset_free(data);
        }
}

static void reading_reports_progress(void **state)
{
    watch by;
    onefold_dataset *data = made(10000, 30), *read;
    const char *path = folder_path(state, "table.csv");
    onefold_context *context = watched(&by, 0);
    CHECK_OK(onefold_dataset_write(data, context, path)); /* 10 MB */
    check_watch("write", &by, 0); /* it is told while it lasts, and has no steps */
    onefold_context_free(context);
    onefold_dataset_free(data);
    const char *paths[] = {folder_path(state, "table.1.csv"), folder_path(state, "table.2.csv")};
    context = watched(&by, 0);
    CHECK_OK(onefold_dataset_read(&read, context, paths, 2, NULL));
    check_watch("read", &by, 1);
    onefold_dataset_free(read);
    onefold_context_free(context);
}

static void choosing_reports_progress(void **state)
{
    (void)state;
    watch by;
    onefold_choice *choice;
    onefold_choose_options options = ONEFOLD_CHOOSE_OPTIONS_INIT;
    options.most = 8;
    onefold_dataset *data = made(600, 20);
    onefold_context *context = watched(&by, 0);
    CHECK_OK(onefold_choose(&choice, context, data, NULL, &options));
    check_watch("choose", &by, 2);
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
