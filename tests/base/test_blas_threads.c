/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS has one thread while any call runs, and then the host's number. */
#include "base/blas_threads.h"

#include "base/memory.h"
#include "support/check.h"

#include <cblas.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern void openblas_set_num_threads(int) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

static int is_there(void)
{
    if (openblas_set_num_threads && openblas_get_num_threads)
        return 1;
    of_blas_enter(); /* another BLAS: nothing happens */
    of_blas_leave();
    return 0;
}

static void it_is_one_inside_calls_and_put_back_after(void **state)
{
    (void)state;
    if (!is_there())
        return;
    for (int threads = 1; threads <= 2; threads++) {
        openblas_set_num_threads(threads);
        int host = openblas_get_num_threads();
        of_blas_enter();
        assert_int_equal(openblas_get_num_threads(), 1);
        of_blas_enter(); /* a call inside a call, or beside it */
        of_blas_leave();
        assert_int_equal(openblas_get_num_threads(), 1);
        of_blas_leave();
        assert_int_equal(openblas_get_num_threads(), host);
    }
}

static void what_the_host_sets_meanwhile_stays(void **state)
{
    (void)state;
    if (!is_there())
        return;
    openblas_set_num_threads(2);
    if (openblas_get_num_threads() != 2)
        return; /* this OpenBLAS has one thread only */
    of_blas_enter();
    openblas_set_num_threads(2);
    of_blas_leave();
    assert_int_equal(openblas_get_num_threads(), 2);
}

static void *enter_and_leave(void *seen)
{
    int *most = seen;
    for (int i = 0; i < 20000; i++) {
        of_blas_enter();
        int threads = openblas_get_num_threads();
        *most = threads > *most ? threads : *most;
        of_blas_leave();
    }
    return NULL;
}

static void it_is_one_for_every_one_of_eight_threads(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    pthread_t thread[THREADS];
    int most[THREADS] = {0};
    if (!is_there())
        return;
    openblas_set_num_threads(2);
    int host = openblas_get_num_threads();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, enter_and_leave, &most[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(most[i], 1);
    assert_int_equal(openblas_get_num_threads(), host);
}

/* Another thread's call does not go on in a child, and cannot end there. */
static void a_child_of_fork_puts_back_what_its_parent_held(void **state)
{
    (void)state;
    if (!is_there())
        return;
    openblas_set_num_threads(2);
    int host = openblas_get_num_threads(), how = 0;
    of_blas_enter();
    pid_t child = fork();
    if (child == 0) {
        of_blas_enter();
        int inside = openblas_get_num_threads();
        of_blas_leave();
        _exit(!(inside == 1 && openblas_get_num_threads() == host));
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
    assert_int_equal(openblas_get_num_threads(), 1);
    of_blas_leave();
    assert_int_equal(openblas_get_num_threads(), host);
}

/* In a process with 200 MB of address space left: what holds of its limits, a bit for each that
 * does not. */
static int look_under_a_limit(void)
{
    enum { LEFT = 200 << 20 };
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%lu", &pages) != 1)
        return 0;
    fclose(statm);
    size_t most = pages * (size_t)sysconf(_SC_PAGESIZE) + LEFT;
    struct rlimit limit = {most, most};
    onefold_context *context;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 0;
    int wrong = of_address_limit() != most;
    wrong |= (onefold_free_memory() > LEFT) << 1;
    wrong |= (of_blas_room(100) != ONEFOLD_NO_MEMORY) << 2;
    wrong |= (!strstr(onefold_last_error(), "limit of address space")) << 3;
    wrong |= (of_blas_room(1) != ONEFOLD_OK) << 4;
    void *rest =
        malloc(LEFT - (140 << 20)); /* OpenBLAS has its buffer already, and asks for none */
    double a[64 * 64] = {0}, b[64 * 64] = {0}, c[64 * 64];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 64, 64, 64, 1, a, 64, b, 64, 0, c, 64);
    free(rest);
    if (onefold_context_create(&context, NULL) == ONEFOLD_OK) {
        size_t buffers = most / 2 / OF_BLAS_BUFFER;
        wrong |= (onefold_context_describe(context)->threads > (buffers ? (int)buffers : 1)) << 5;
        onefold_context_free(context);
    }
    return wrong;
}

static void a_limit_of_address_space_is_seen(void **state)
{
    (void)state;
    int how = 0;
#ifdef ONEFOLD_SANITIZED
    return; /* which have taken all of it */
#endif
    if (!is_there())
        return;
    openblas_set_num_threads(1);
    pid_t child = fork();
    if (child == 0) {
        alarm(300); /* asking for ever would be the fault */
        _exit(look_under_a_limit());
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_of_address_space_is_seen),
        cmocka_unit_test(it_is_one_inside_calls_and_put_back_after),
        cmocka_unit_test(what_the_host_sets_meanwhile_stays),
        cmocka_unit_test(it_is_one_for_every_one_of_eight_threads),
        cmocka_unit_test(a_child_of_fork_puts_back_what_its_parent_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
