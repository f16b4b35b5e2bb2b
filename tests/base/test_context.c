/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: their hooks, threads and limits, the default one, and the clock. */
#include "base/context.h"

#include "support/check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct heard {
    char line[600];
    onefold_progress progress;
    int lines, steps, stop;
} heard;

static void hear_line(void *user, const char *line)
{
    heard *by = user;
    snprintf(by->line, sizeof by->line, "%s", line);
    by->lines++;
}

static void hear_progress(void *user, const onefold_progress *progress)
{
    heard *by = user;
    by->progress = *progress;
    by->steps++;
}

static int say_stop(void *user)
{
    return ((heard *)user)->stop;
}

static void hooks_are_called_with_what_is_said(void **state)
{
    (void)state;
    heard by = {.stop = 0};
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = &by;
    hooks.log = hear_line;
    hooks.progress = hear_progress;
    hooks.cancel = say_stop;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, &hooks));
    memset(&hooks, 0, sizeof hooks); /* they were copied */
    of_context_log(context, "%s is %d", "seven", 7);
    assert_string_equal(by.line, "seven is 7");
    of_context_log(context, "%2000d", 1); /* longer than a line may be: cut, not overrun */
    assert_int_equal(strlen(by.line), 511);
    assert_int_equal(by.lines, 2);
    of_context_progress(context, "fit", 3, 10, "detail");
    assert_string_equal(by.progress.stage, "fit");
    assert_true(by.progress.done == 3 && by.progress.total == 10);
    assert_string_equal(by.progress.detail, "detail");
    assert_int_equal(by.steps, 1);
    CHECK_OK(of_context_check(context));
    by.stop = 1;
    CHECK_FAILS(of_context_check(context), ONEFOLD_INTERRUPTED, "interrupted");
    onefold_context_free(context);
}

static void no_hooks_are_no_harm(void **state)
{
    (void)state;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    of_context_log(context, "unheard");
    of_context_progress(context, "fit", 0, 0, NULL);
    CHECK_OK(of_context_check(context));
    onefold_context_free(context);
    onefold_context_free(NULL);
}

/* As many as `nproc` prints: the cores that taskset or a container allows. */
static int allowed_cores(void)
{
    int cores = 0;
    FILE *said = popen("env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc", "r");
    assert_non_null(said);
    assert_int_equal(fscanf(said, "%d", &cores), 1);
    pclose(said);
    return cores;
}

static void threads_are_as_set_and_all_cores_for_none(void **state)
{
    (void)state;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    int cores = allowed_cores();
    assert_int_equal(context->threads, cores);
    CHECK_OK(onefold_context_set_threads(context, 3));
    assert_int_equal(context->threads, 3);
    CHECK_OK(onefold_context_set_threads(context, 0));
    assert_int_equal(context->threads, cores);
    CHECK_FAILS(onefold_context_set_threads(context, -1), ONEFOLD_USAGE, "-1 is not a number");
    assert_int_equal(context->threads, cores);
    CHECK_FAILS(onefold_context_set_threads(NULL, 1), ONEFOLD_USAGE, "threads");
    CHECK_FAILS(onefold_context_set_memory_limit(NULL, 1), ONEFOLD_USAGE, "context");
    onefold_context_free(context);
}

static void the_default_context_is_one_and_usable(void **state)
{
    (void)state;
    of_context *context = of_context_or_default(NULL), other;
    assert_non_null(context);
    assert_ptr_equal(context, of_context_or_default(NULL));
    assert_ptr_equal(of_context_or_default(&other), &other);
    assert_int_equal(context->threads, allowed_cores());
    assert_int_equal(context->memory_limit, 0);
    CHECK_OK(of_context_check(context));
}

/* A caller compiled against a header with fewer hooks gives a shorter struct. */
static void hooks_of_an_older_caller_are_taken(void **state)
{
    (void)state;
    heard by = {.stop = 1};
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = &by;
    hooks.log = hear_line;
    hooks.cancel = say_stop;
    hooks.struct_size = offsetof(onefold_hooks, progress);
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, &hooks));
    of_context_log(context, "heard");
    assert_int_equal(by.lines, 1);
    CHECK_OK(of_context_check(context)); /* its cancel hook lies beyond its size */
    onefold_context_free(context);
}

static void *give_nothing(void *user, size_t size)
{
    (void)user;
    (void)size;
    return NULL;
}

static void hooks_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.allocate = give_nothing;
    onefold_context *context = NULL;
    CHECK_FAILS(onefold_context_create(&context, &hooks), ONEFOLD_USAGE,
                "need both allocate and release");
    assert_null(context);
    CHECK_FAILS(onefold_context_create(NULL, NULL), ONEFOLD_USAGE, "no place");
}

static void the_clock_goes_forward(void **state)
{
    (void)state;
    double before = of_clock_seconds();
    usleep(20000);
    double passed = of_clock_seconds() - before;
    assert_true(passed >= 0.02); /* how much more is the machine's affair */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hooks_are_called_with_what_is_said),
        cmocka_unit_test(no_hooks_are_no_harm),
        cmocka_unit_test(threads_are_as_set_and_all_cores_for_none),
        cmocka_unit_test(the_default_context_is_one_and_usable),
        cmocka_unit_test(hooks_of_an_older_caller_are_taken),
        cmocka_unit_test(hooks_that_make_no_sense_are_refused),
        cmocka_unit_test(the_clock_goes_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
