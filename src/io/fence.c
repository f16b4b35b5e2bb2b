/* SPDX-License-Identifier: Apache-2.0 */
/* The child process that reads a file first: its start, its limits, and what its end means. */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BESIDE = 48 << 20 }; /* address space for the library itself, beside the variables */

/* The result that the child sends. */
typedef struct report {
    of_error error;
    long allocations_until_failure;
} report;

/* ---- the child ------------------------------------------------------------------------------ */

/* The time limit for a file. A megabyte takes much less than two seconds. libhdf5 loops for ever in
 * some damaged files. */
static size_t seconds_for(const of_file *file)
{
    return 10 + 2 * (file->size >> 20);
}

static void limit(int resource, size_t most)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return;
    if (now.rlim_cur == RLIM_INFINITY || most < now.rlim_cur)
        now.rlim_cur = most;
    (void)setrlimit(resource, &now);
}

/* A crash of the child has no effect outside: no handler of the host runs, no core is written,
 * nothing is printed. The parent handles signals of the terminal, and ends the child. */
static void become_a_child(const of_file *file)
{
    static const int parents[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    sigset_t none;
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
        signal(parents[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds_for(file));
    /* address space for all variables within the memory limit, and as much for the library */
    size_t used = of_address_used(), memory_limit = file->context->memory_limit,
           all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    if (used)
        limit(RLIMIT_AS, used + 2 * (memory_limit ? memory_limit : all) + BESIDE);
#if !defined(ONEFOLD_SANITIZED)
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
#endif
}

static void work_in_child(of_file *file, of_fence_work work, void *user, pid_t parent, int out)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    become_a_child(file);
    of_context *context = file->context;
    context->hooks.cancel = NULL; /* no hook of the caller is called, and no thread is started */
    context->hooks.progress = NULL;
    context->hooks.log = NULL;
    context->call = NULL;
    context->change_progress = NULL;
    context->threads = 1;
    report result = {.allocations_until_failure = 0};
    of_error_save(&result.error, work(file, user));
    result.allocations_until_failure = atomic_load(&context->allocations_until_failure);
    of_file_close(file); /* crashes here if the library overwrote memory */
    _exit(write(out, &result, sizeof result) != sizeof result);
}

/* ---- the parent ----------------------------------------------------------------------------- */

/* The library reports a lack of memory as a damaged file. Under a limit of address space that
 * leaves it little, the error becomes one of memory. */
static onefold_status by_limit(const of_file *file, onefold_status status)
{
    enum { TIMES = 4 };
    size_t need = 2 * (size_t)BESIDE + TIMES * file->size;
    char limit[32], sentence[512];
    if (status != ONEFOLD_BAD_DATA || of_address_limit() == SIZE_MAX || of_address_left() > need)
        return status;
    snprintf(sentence, sizeof sentence, "%s", onefold_last_error());
    return of_hint(of_fail(ONEFOLD_NO_MEMORY, "%s, under a limit of address space (%s)", sentence,
                           of_size_text(limit, of_address_limit())),
                   "raise the limit (ulimit -v); a file that fails without one is damaged");
}

static onefold_status took_too_long(const of_file *file)
{
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA, "HDF5 was still reading it after %zu seconds", seconds_for(file)),
        "the file is damaged: copy or download it again");
}

/* The error for a child that ends without a result. `how` is waitpid's status; -1: the host waited
 * for the child first. */
static onefold_status ended_early(const of_file *file, int how)
{
    int number = how >= 0 && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (number == SIGXCPU)
        return took_too_long(file);
    if (number == SIGKILL)
        return of_hint(of_fail(ONEFOLD_NO_MEMORY, "the process that read it was killed"),
                       "the system may have run out of memory");
    if (number)
        return of_damaged("HDF5 crashed while it read the file (%s), which is damaged",
                          strsignal(number));
    return of_fail(ONEFOLD_FAULT, "the process that read it ended without a result");
}

/* Receives the result; *got is less than its size where the child ends without one. */
static onefold_status receive(const of_file *file, int in, report *result, size_t *got)
{
    ssize_t some = 1;
    struct timespec began, now;
    struct pollfd pipe = {.fd = in, .events = POLLIN};
    clock_gettime(CLOCK_MONOTONIC, &began);
    while (poll(&pipe, 1, 50) <= 0) {
        OF_TRY(of_context_check(file->context));
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((size_t)(now.tv_sec - began.tv_sec) > 10 * seconds_for(file))
            return took_too_long(file); /* it waits, and uses no processor time */
    }
    for (*got = 0; *got < sizeof *result && some > 0; *got += (size_t)some) {
        some = read(in, (char *)result + *got, sizeof *result - *got);
        if (some < 0)
            return of_fail(ONEFOLD_IO, "the process that reads it sends no result (%s)",
                           strerror(errno));
    }
    return ONEFOLD_OK;
}

/* The status of `work` in a child process; ONEFOLD_OK where there can be no child. */
static onefold_status try_in_child(of_file *file, of_fence_work work, void *user)
{
    int ends[2], how = -1;
    report result;
    size_t got = 0;
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return ONEFOLD_OK;
    pid_t child = fork();
    if (child == 0)
        work_in_child(file, work, user, parent, ends[1]);
    close(ends[1]);
    onefold_status status = child > 0 ? receive(file, ends[0], &result, &got) : ONEFOLD_OK;
    close(ends[0]);
    if (status != ONEFOLD_OK)
        kill(child, SIGKILL);
    while (child > 0 && waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || status != ONEFOLD_OK)
        return status;
    if (got < sizeof result)
        return ended_early(file, how);
    if (result.error.status != ONEFOLD_OK)
        atomic_store(&file->context->allocations_until_failure, result.allocations_until_failure);
    return of_error_restore(&result.error);
}

onefold_status of_fence_read(of_file *file, of_fence_work work, void *user)
{
    onefold_status status = ONEFOLD_OK;
    if (!file->context->unfenced && file->context->comm.size <= 1)
        status = by_limit(file, try_in_child(file, work, user));
    return status == ONEFOLD_OK ? work(file, user) : status;
}
