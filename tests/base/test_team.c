/* SPDX-License-Identifier: Apache-2.0 */
#include "base/team.h"

#include "base/memory.h"
#include "base/random.h"
#include "support/check.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static onefold_context *context_of(int threads)
{
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    return context;
}

static void tiles_cover_every_sample_once_and_in_order(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 31, 32, 33, 694, 1023, 2048, 3312, 65537, 1000000};
    static const size_t rows[] = {1, 54, 648, 100000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            of_tiles tiles = of_tiles_make(sizes[s], rows[r], 256 << 10);
            size_t next = 0, longest = 0;
            for (size_t i = 0; i < tiles.count; i++) {
                assert_int_equal(of_tiles_first(&tiles, i), next);
                size_t length = of_tiles_length(&tiles, i);
                next += length;
                longest = length > longest ? length : longest;
            }
            assert_int_equal(next, sizes[s]);
            assert_true(longest <= tiles.width && tiles.width <= 2048);
        }
}

/* A rank that holds half of the groups must see the whole's tiles: tile boundaries fall on group
 * boundaries, and these depend on n alone. */
static void groups_depend_on_the_number_of_samples_alone(void **state)
{
    (void)state;
    of_tiles narrow = of_tiles_make(100003, 10, 64 << 10),
             wide = of_tiles_make(100003, 777, 1 << 20);
    assert_int_equal(narrow.groups, wide.groups);
    for (size_t g = 0; g <= narrow.groups; g++)
        assert_int_equal(of_tiles_first(&narrow, g * narrow.tiles_per_group),
                         of_tiles_first(&wide, g * wide.tiles_per_group));
}

static onefold_status add_row(void *task, size_t index, double *sum)
{
    const double *values = task;
    for (int i = 0; i < 3; i++)
        sum[i] += values[3 * index + i];
    return ONEFOLD_OK;
}

static void sums_have_the_same_bits_for_any_threads_and_the_right_value(void **state)
{
    (void)state;
    enum { COUNT = 1001 };
    static double values[3 * COUNT];
    check_random(1, 1, 3, COUNT, values);
    double first[3], plain[3] = {0};
    for (size_t i = 0; i < 3 * COUNT; i++)
        plain[i % 3] += values[i];
    static const int threads[] = {1, 2, 3, 8};
    for (int t = 0; t < 4; t++) {
        onefold_context *context = context_of(threads[t]);
        double sum[3] = {NAN, NAN, NAN}; /* whatever was there before */
        CHECK_OK(of_team_sum(context, 0, add_row, values, 3, sum));
        assert_true(sum[0] == 0 && sum[1] == 0 && sum[2] == 0);
        sum[0] = NAN;
        CHECK_OK(of_team_sum(context, COUNT, add_row, values, 3, sum));
        if (t == 0)
            memcpy(first, sum, sizeof sum);
        assert_memory_equal(sum, first, sizeof sum);
        for (int i = 0; i < 3; i++)
            CHECK_CLOSE(sum[i], plain[i], 0, 1e-12);
        onefold_context_free(context);
    }
}

enum { LONG = 20001, ADDED = 70 };

static onefold_status add_long(void *task, size_t index, double *sum)
{
    const double *values = task;
    for (size_t i = 0; i < LONG; i++)
        sum[i] += values[i] * (double)(index + 1) / 3;
    return ONEFOLD_OK;
}

/* Neighbours in 64 partial sums, these in a binary tree. */
static double plain_long(double value)
{
    double partial[64] = {0};
    for (size_t g = 0; g < 64; g++)
        for (size_t i = ADDED * g / 64; i < ADDED * (g + 1) / 64; i++)
            partial[g] += value * (double)(i + 1) / 3;
    for (size_t left = 64; left > 1; left /= 2)
        for (size_t g = 0; g < left / 2; g++)
            partial[g] = partial[2 * g] + partial[2 * g + 1];
    return partial[0];
}

static void long_sums_are_those_of_the_tree_for_any_threads(void **state)
{
    (void)state;
    static double values[LONG], sum[LONG];
    check_random(1, 2, 1, LONG, values);
    for (int threads = 1; threads <= 4; threads++) {
        onefold_context *context = context_of(threads);
        memset(sum, 0xff, sizeof sum);
        CHECK_OK(of_team_sum(context, ADDED, add_long, values, LONG, sum));
        for (size_t i = 0; i < LONG; i++)
            assert_true(sum[i] == plain_long(values[i]));
        onefold_context_free(context);
    }
}

static onefold_status fail_from(void *task, size_t index)
{
    size_t from = *(size_t *)task;
    return index >= from ? of_fail(ONEFOLD_BAD_DATA, "piece %zu", index) : ONEFOLD_OK;
}

static void the_lowest_failing_piece_is_the_one_reported(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 8; threads++) {
        onefold_context *context = context_of(threads);
        for (int again = 0; again < 20; again++) {
            size_t from = 37;
            CHECK_FAILS(of_team_run(context, 100, fail_from, &from), ONEFOLD_BAD_DATA, "piece 37");
        }
        onefold_context_free(context);
    }
}

static onefold_status count_threads(void *task, size_t index)
{
    (void)index;
    onefold_context *context = task;
    return of_team_size(context) == 1 ? ONEFOLD_OK : of_fail(ONEFOLD_FAULT, "nested team");
}

static void a_team_inside_a_piece_is_one_thread(void **state)
{
    (void)state;
    onefold_context *context = context_of(3);
    assert_int_equal(of_team_size(context), 3);
    CHECK_OK(of_team_run(context, 10, count_threads, context));
    CHECK_OK(of_team_run(context, 1, count_threads, context)); /* a lone piece is a piece */
    assert_int_equal(of_team_size(context), 3);
    onefold_context_free(context);
}

static int cancel_at_once(void *user)
{
    (void)user;
    return 1;
}

typedef struct shared_task {
    onefold_context *context;
    size_t team;
    atomic_int worked[6][50];
} shared_task;

static onefold_status work_inner(void *opaque, size_t index)
{
    size_t worker = of_team_worker();
    atomic_int *worked = opaque;
    atomic_fetch_add(&worked[index], 1);
    return worker < 4 ? ONEFOLD_OK : of_fail(ONEFOLD_FAULT, "worker %zu", worker);
}

static onefold_status work_outer(void *opaque, size_t index)
{
    shared_task *task = opaque;
    of_team_share(task->context);
    if (of_team_size(task->context) != task->team)
        return of_fail(ONEFOLD_FAULT, "a team of %zu", of_team_size(task->context));
    return of_team_run(task->context, 50, work_inner, task->worked[index]);
}

/* A piece that shares has the context's threads for its own calls, each piece of which is done
 * once; beside it others do the same. */
static void a_piece_may_share_all_threads(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        shared_task task = {.context = context_of(threads), .team = threads};
        for (int again = 1; again <= 20; again++) {
            CHECK_OK(of_team_run(task.context, 6, work_outer, &task));
            for (size_t i = 0; i < 6; i++)
                for (size_t j = 0; j < 50; j++)
                    assert_int_equal(atomic_load(&task.worked[i][j]), again);
        }
        of_team_share(task.context); /* nothing outside a piece */
        assert_int_equal(of_team_inside(), 0);
        onefold_context_free(task.context);
    }
}

/* Piece i takes (i + 1) times TAKEN bytes, and leaves LEFT of them. */
enum { TAKEN = 1 << 20, LEFT = 1 << 16 };

static onefold_status take_some(void *opaque, size_t index)
{
    of_arena *kept = opaque;
    OF_SCRATCH(scratch, kept->context);
    double *some;
    OF_TRY(OF_NEW(kept, &some, LEFT / sizeof *some, 1));
    return OF_NEW(&scratch, &some, ((index + 1) * TAKEN - LEFT) / sizeof *some, 1);
}

static void pieces_that_differ_are_counted_by_those_that_take_most(void **state)
{
    (void)state;
    static const size_t want[] = {4 * TAKEN + 3 * LEFT, 7 * TAKEN + 2 * LEFT, 9 * TAKEN + LEFT,
                                  10 * TAKEN, 10 * TAKEN};
    for (int threads = 1; threads <= 5; threads++) {
        onefold_context *context = context_of(threads);
        OF_COUNTING(counting, context);
        of_arena kept = of_arena_make(counting);
        CHECK_OK(of_team_each(counting, 1, 4, take_some, &kept));
        size_t said = of_count_peak(counting);
        assert_true(said >= want[threads - 1] && said < want[threads - 1] + 4096);
        of_arena_free(&kept);
        onefold_context_free(context);
    }
}

static void the_cancel_hook_stops_a_team(void **state)
{
    (void)state;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = cancel_at_once;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, &hooks));
    size_t from = 1000;
    CHECK_FAILS(of_team_run(context, 100, fail_from, &from), ONEFOLD_INTERRUPTED, "interrupted");
    onefold_context_free(context);
}

typedef struct asked {
    pthread_t caller;
    atomic_int times, elsewhere;
} asked;

static int who_asks(void *user)
{
    asked *by = user;
    atomic_fetch_add(&by->times, 1);
    if (!pthread_equal(by->caller, pthread_self()))
        atomic_fetch_add(&by->elsewhere, 1);
    return 0;
}

/* Long pieces check for cancelling by themselves. */
static onefold_status check_again(void *task, size_t index)
{
    (void)index;
    return of_context_check(task);
}

static void the_cancel_hook_is_asked_by_the_calling_thread_alone(void **state)
{
    (void)state;
    asked by = {.caller = pthread_self()};
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = who_asks;
    hooks.user = &by;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, &hooks));
    CHECK_OK(onefold_context_set_threads(context, 4));
    for (int i = 0; i < 20; i++)
        CHECK_OK(of_team_run(context, 200, check_again, context));
    assert_true(by.times >= 20);
    assert_int_equal(by.elsewhere, 0);
    onefold_context_free(context);
}

/* ---- the pool's threads ---------------------------------------------------------- */

enum { PIECES = 5000, MOST = 4 };

typedef struct shared {
    atomic_int worked[PIECES], inside[MOST];
    atomic_int wrong, helped;
} shared;

static onefold_status work_shared(void *opaque, size_t index)
{
    size_t worker = of_team_worker();
    shared *all = opaque;
    if (worker >= MOST)
        return of_fail(ONEFOLD_FAULT, "worker %zu", worker);
    atomic_fetch_add(&all->helped, worker > 0);
    atomic_fetch_add(&all->wrong, atomic_fetch_add(&all->inside[worker], 1) != 0);
    atomic_fetch_add(&all->worked[index], 1);
    for (volatile int wait = 0; wait < 50; wait++)
        ;
    atomic_fetch_sub(&all->inside[worker], 1);
    return ONEFOLD_OK;
}

/* The number of errors in one share of the pieces. */
static int share_out(int most, int *helped)
{
    static _Thread_local shared all;
    memset(&all, 0, sizeof all);
    onefold_context *context = context_of(most);
    int wrong = of_team_run(context, PIECES, work_shared, &all) != ONEFOLD_OK;
    onefold_context_free(context);
    wrong += atomic_load(&all.wrong);
    for (size_t i = 0; i < PIECES; i++)
        wrong += atomic_load(&all.worked[i]) != 1;
    *helped += atomic_load(&all.helped);
    return wrong;
}

static void every_piece_is_worked_once(void **state)
{
    (void)state;
    for (int most = 1; most <= MOST; most++) {
        int helpers = 0;
        for (int round = 0; round < 200; round++)
            assert_int_equal(share_out(most, &helpers), 0);
        assert_true(most > 1 ? helpers > 0 : helpers == 0);
    }
}

static void *ask_often(void *opaque)
{
    int *wrong = opaque, helpers = 0;
    for (int round = 0; round < 50; round++)
        *wrong += share_out(1 + round % MOST, &helpers);
    return NULL;
}

static void many_ask_at_once(void **state)
{
    (void)state;
    enum { ASKING = 8 };
    pthread_t thread[ASKING];
    int wrong[ASKING] = {0};
    for (int i = 0; i < ASKING; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask_often, &wrong[i]), 0);
    for (int i = 0; i < ASKING; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(wrong[i], 0);
    }
}

static void a_child_of_fork_has_threads_again(void **state)
{
    (void)state;
    int helpers = 0, status = 0;
    assert_int_equal(share_out(MOST, &helpers), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int wrong = 0, own = 0;
        alarm(300);
        for (int round = 0; round < 200; round++)
            wrong += share_out(MOST, &own);
        _exit(wrong ? 1 : own > 0 ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(share_out(MOST, &helpers), 0);
}

/* ---- a caller that has no piece left --------------------------------------------------------- */

typedef struct help_task {
    onefold_context *context;
    pthread_t caller;
    atomic_int others;    /* pieces that another thread than the caller does */
    atomic_int by_caller; /* nested pieces that the caller has done */
} help_task;

static void wait_for_one(atomic_int *number)
{
    while (!atomic_load(number))
        usleep(50);
}

static onefold_status wait_for_caller(void *opaque, size_t index)
{
    help_task *task = opaque;
    (void)index;
    if (pthread_equal(pthread_self(), task->caller))
        atomic_fetch_add(&task->by_caller, 1);
    wait_for_one(&task->by_caller);
    return ONEFOLD_OK;
}

/* The caller is done when another thread has the other piece, which cannot end by itself. */
static onefold_status ask_for_help(void *opaque, size_t index)
{
    help_task *task = opaque;
    (void)index;
    if (pthread_equal(pthread_self(), task->caller)) {
        wait_for_one(&task->others);
        return ONEFOLD_OK;
    }
    atomic_fetch_add(&task->others, 1);
    usleep(2000); /* the caller may sleep by now, or not yet */
    of_team_share(task->context);
    return of_team_run(task->context, 2, wait_for_caller, task);
}

/* In a child with one other thread: those that earlier tests have started would help. */
static void a_caller_without_a_piece_helps_with_those_of_others(void **state)
{
    (void)state;
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int wrong = 0;
        alarm(300);
        for (int round = 0; round < 20 && !wrong; round++) {
            help_task task = {.context = context_of(2), .caller = pthread_self()};
            wrong += of_team_run(task.context, 2, ask_for_help, &task) != ONEFOLD_OK;
            wrong += atomic_load(&task.others) != 1 || atomic_load(&task.by_caller) == 0;
            wrong += of_team_inside();
            onefold_context_free(task.context);
        }
        _exit(wrong != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_cover_every_sample_once_and_in_order),
        cmocka_unit_test(groups_depend_on_the_number_of_samples_alone),
        cmocka_unit_test(sums_have_the_same_bits_for_any_threads_and_the_right_value),
        cmocka_unit_test(long_sums_are_those_of_the_tree_for_any_threads),
        cmocka_unit_test(the_lowest_failing_piece_is_the_one_reported),
        cmocka_unit_test(a_team_inside_a_piece_is_one_thread),
        cmocka_unit_test(a_piece_may_share_all_threads),
        cmocka_unit_test(pieces_that_differ_are_counted_by_those_that_take_most),
        cmocka_unit_test(the_cancel_hook_stops_a_team),
        cmocka_unit_test(the_cancel_hook_is_asked_by_the_calling_thread_alone),
        cmocka_unit_test(every_piece_is_worked_once),
        cmocka_unit_test(many_ask_at_once),
        cmocka_unit_test(a_child_of_fork_has_threads_again),
        cmocka_unit_test(a_caller_without_a_piece_helps_with_those_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
