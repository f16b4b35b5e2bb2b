/* SPDX-License-Identifier: Apache-2.0 */
/* The threads that wait for work: each piece is worked once, numbers of those inside differ, many
 * who ask at once, and a child of fork() has threads again. */
#include "base/team.h"
#include "support/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PIECES = 5000, MOST = 4 };

typedef struct shared {
    atomic_size_t next;
    atomic_int worked[PIECES], inside[MOST];
    atomic_int wrong, helpers;
} shared;

static void work(void *opaque, int number)
{
    shared *all = opaque;
    atomic_fetch_add(&all->helpers, number > 0);
    if (number < 0 || number >= MOST || atomic_fetch_add(&all->inside[number], 1))
        atomic_fetch_add(&all->wrong, 1);
    for (size_t i; (i = atomic_fetch_add(&all->next, 1)) < PIECES;) {
        atomic_fetch_add(&all->worked[i], 1);
        for (volatile int wait = 0; wait < 50; wait++)
            ;
    }
    atomic_fetch_sub(&all->inside[number < 0 ? 0 : number % MOST], 1);
}

/* How often something was wrong in one share of the pieces. */
static int share_once(int most, int *helpers)
{
    static _Thread_local shared all;
    memset(&all, 0, sizeof all);
    of_workers_share(most, work, &all);
    int wrong = atomic_load(&all.wrong);
    for (size_t i = 0; i < PIECES; i++)
        wrong += atomic_load(&all.worked[i]) != 1;
    for (int w = 0; w < MOST; w++)
        wrong += atomic_load(&all.inside[w]) != 0;
    *helpers += atomic_load(&all.helpers);
    return wrong;
}

static void every_piece_is_worked_once(void **state)
{
    (void)state;
    for (int most = 1; most <= MOST; most++) {
        int helpers = 0;
        for (int round = 0; round < 200; round++)
            assert_int_equal(share_once(most, &helpers), 0);
        assert_true(most > 1 ? helpers > 0 : helpers == 0);
    }
}

static void *ask_often(void *opaque)
{
    int *wrong = opaque, helpers = 0;
    for (int round = 0; round < 50; round++)
        *wrong += share_once(1 + round % MOST, &helpers);
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
    assert_int_equal(share_once(MOST, &helpers), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int wrong = 0, own = 0;
        alarm(60);
        for (int round = 0; round < 200; round++)
            wrong += share_once(MOST, &own);
        _exit(wrong ? 1 : own > 0 ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(share_once(MOST, &helpers), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_is_worked_once),
        cmocka_unit_test(many_ask_at_once),
        cmocka_unit_test(a_child_of_fork_has_threads_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
