/* SPDX-License-Identifier: Apache-2.0 */
/* While a call runs, its hooks are called on the calling thread, and on no other. */
#include "base/context.h"

#include "base/team.h"
#include "support/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

typedef struct heard {
    pthread_t thread;
    int elsewhere; /* hooks called on another thread */
    atomic_int steps, asked;
    int lines, stop_after;
    int news; /* steps that say something else than the one before */
    char stage[32], detail[32], line[64];
    double done;
} heard;

static void note_thread(heard *by)
{
    by->elsewhere += !pthread_equal(by->thread, pthread_self());
}

static void hear_line(void *user, const char *line)
{
    heard *by = user;
    note_thread(by);
    by->lines++;
    snprintf(by->line, sizeof by->line, "%s", line);
}

static void hear_progress(void *user, const onefold_progress *progress)
{
    heard *by = user;
    note_thread(by);
    by->steps++;
    by->news += strcmp(by->stage, progress->stage) != 0 || by->done != progress->done;
    by->done = progress->done;
    snprintf(by->stage, sizeof by->stage, "%s", progress->stage);
    snprintf(by->detail, sizeof by->detail, "%s", progress->detail ? progress->detail : "");
}

static int ask(void *user)
{
    heard *by = user;
    note_thread(by);
    by->asked++;
    return by->stop_after && by->asked > by->stop_after;
}

static onefold_context *make_context(heard *by)
{
    onefold_context *context;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    by->thread = pthread_self();
    hooks.user = by;
    hooks.log = hear_line;
    hooks.progress = hear_progress;
    hooks.cancel = ask;
    CHECK_OK(onefold_context_create(&context, &hooks));
    CHECK_OK(onefold_context_set_threads(context, 3));
    return context;
}

static void rest(double seconds)
{
    struct timespec time = {0, (long)(seconds * 1e9)};
    nanosleep(&time, NULL);
}

/* Until the caller has been asked and told often enough, which it is without a word of the work. */
static onefold_status rest_in_silence(of_context *context, void *arguments)
{
    heard *by = arguments;
    (void)context;
    while (atomic_load(&by->asked) < 5 || atomic_load(&by->steps) < 2)
        rest(0.01);
    return ONEFOLD_OK;
}

/* As long as one factorisation, which reports nothing. */
static void it_is_asked_and_told_while_the_work_is_silent(void **state)
{
    (void)state;
    heard by = {.steps = 0};
    onefold_context *context = make_context(&by);
    CHECK_OK(of_call(context, "rest", rest_in_silence, &by));
    assert_int_equal(by.elsewhere, 0);
    assert_in_range(by.steps, 2, by.asked); /* each time that it is told, it is asked too */
    assert_string_equal(by.stage, "rest");
    onefold_context_free(context);
}

static onefold_status piece(void *task, size_t index)
{
    (void)task;
    (void)index;
    rest(0.01);
    return ONEFOLD_OK;
}

static onefold_status work_and_tell(of_context *context, void *arguments)
{
    int *inner = arguments;
    char detail[16] = "first";
    of_context_progress(context, "one", 0, 3, detail);
    memset(detail, 0, sizeof detail); /* it was passed on, or copied */
    of_context_log(context, "line %d", 1);
    OF_TRY(of_team_run(context, 6, piece, NULL));
    of_context_progress(context, "one", 3, 3, NULL);
    of_context_progress(context, "two", 0, 2, "last");
    if (inner)
        OF_TRY(of_call(context, "inner", work_and_tell, NULL)); /* a call inside a call */
    return of_fail(ONEFOLD_BAD_DATA, "as it must");
}

static void what_the_work_says_arrives_in_order(void **state)
{
    (void)state;
    heard by = {.steps = 0};
    int inner = 1;
    onefold_context *context = make_context(&by);
    CHECK_FAILS(of_call(context, "none", work_and_tell, NULL), ONEFOLD_BAD_DATA, "as it must");
    assert_in_range(by.news, 3, 4); /* "none" is told where the work begins late */
    assert_int_equal(by.lines, 1);
    assert_string_equal(by.line, "line 1");
    assert_string_equal(by.stage, "two");
    assert_string_equal(by.detail, "last");
    CHECK_FAILS(of_call(context, "none", work_and_tell, &inner), ONEFOLD_BAD_DATA, "as it must");
    assert_int_equal(by.lines, 3);
    assert_int_equal(by.elsewhere, 0);
    onefold_context_free(context);
}

static onefold_status work_until_stopped(of_context *context, void *arguments)
{
    (void)arguments;
    for (;;) /* nothing else ends it */
        OF_TRY(of_team_run(context, 6, piece, NULL));
}

static void it_stops_when_it_is_told(void **state)
{
    (void)state;
    heard by = {.stop_after = 3};
    onefold_context *context = make_context(&by);
    CHECK_FAILS(of_call(context, "work", work_until_stopped, NULL), ONEFOLD_INTERRUPTED,
                "interrupted");
    assert_int_equal(by.elsewhere, 0);
    by.stop_after = 0; /* the context can be used again */
    CHECK_FAILS(of_call(context, "none", work_and_tell, NULL), ONEFOLD_BAD_DATA, "as it must");
    onefold_context_free(context);
}

static onefold_status who_works(of_context *context, void *thread)
{
    (void)context;
    *(pthread_t *)thread = pthread_self();
    return ONEFOLD_OK;
}

static void without_hooks_the_calling_thread_works(void **state)
{
    (void)state;
    onefold_context *context;
    pthread_t worker;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(of_call(context, "work", who_works, &worker));
    assert_true(pthread_equal(worker, pthread_self()));
    onefold_context_free(context);
}

/* As where MPI may only be called by the thread that started it. */
static void a_context_of_one_thread_is_worked_by_the_caller(void **state)
{
    (void)state;
    heard by = {.steps = 0};
    pthread_t worker;
    onefold_context *context = make_context(&by);
    context->comm.size = 2;
    context->comm.one_thread = 1;
    CHECK_OK(of_call(context, "work", who_works, &worker));
    assert_true(pthread_equal(worker, pthread_self()));
    CHECK_FAILS(of_call(context, "none", work_and_tell, NULL), ONEFOLD_BAD_DATA, "as it must");
    assert_int_equal(by.steps, 3);
    assert_int_equal(by.lines, 1);
    by.stop_after = by.asked + 1;
    CHECK_FAILS(of_call(context, "work", work_until_stopped, NULL), ONEFOLD_INTERRUPTED,
                "interrupted");
    assert_int_equal(by.elsewhere, 0);
    context->comm.size = 0;
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_asked_and_told_while_the_work_is_silent),
        cmocka_unit_test(what_the_work_says_arrives_in_order),
        cmocka_unit_test(it_stops_when_it_is_told),
        cmocka_unit_test(without_hooks_the_calling_thread_works),
        cmocka_unit_test(a_context_of_one_thread_is_worked_by_the_caller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
