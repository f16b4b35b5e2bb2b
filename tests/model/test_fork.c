/* SPDX-License-Identifier: Apache-2.0 */
/* A child of fork() can read, fit and predict, whatever its parent has done before, with the bits
 * of the parent; and so can a child of the child. */
#include "support/check.h"
#include "support/whole.h"

#include <sys/wait.h>
#include <unistd.h>

static const char digits[] = OF_TEST_SOURCE "/data/digits/digits.mat";

static int never(void *user)
{
    (void)user;
    return 0;
}

/* By the kernel that is formed and the one that is not. */
static whole one_round(const char *kernel, int hooked)
{
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = never;
    return whole_round(digits, 10, kernel, 2, hooked ? &hooks : NULL);
}

static int is_same(const whole *a, const whole *b)
{
    return a->status == ONEFOLD_OK && b->status == ONEFOLD_OK && a->read == b->read &&
           a->fit == b->fit && a->predicted == b->predicted;
}

/* A child that hangs is ended, and the parent sees this. */
static int fork_and_work(const char *kernel, const whole *want, int hooked, int depth)
{
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        alarm(300);
        whole got = one_round(kernel, hooked);
        int code = !is_same(&got, want);
        if (!code && depth)
            code = fork_and_work(kernel, want, hooked, depth - 1) != 0;
        _exit(code);
    }
    int how = 0;
    if (waitpid(child, &how, 0) != child)
        return -1;
    return WIFSIGNALED(how) ? 1000 + WTERMSIG(how) : WEXITSTATUS(how);
}

static void a_child_works_after_its_parent_did(void **state)
{
    (void)state;
    whole parent = one_round("rbf", 0);
    whole linear = one_round("linear", 0);
    assert_string_equal(parent.error, "");
    assert_int_equal(fork_and_work("rbf", &parent, 0, 0), 0);
    assert_int_equal(fork_and_work("linear", &linear, 1, 0), 0);
    whole again = one_round("linear", 0); /* and the parent goes on */
    assert_true(is_same(&again, &linear));
}

static void a_child_of_a_child_works(void **state)
{
    (void)state;
    whole parent = one_round("linear", 0);
    assert_int_equal(fork_and_work("linear", &parent, 0, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_works_after_its_parent_did),
        cmocka_unit_test(a_child_of_a_child_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
