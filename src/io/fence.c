/* SPDX-License-Identifier: Apache-2.0 */
/* The child process: how it is started, what it may use up, and how its end is understood. */
#include "io/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern void __gcov_dump(void) __attribute__((weak)); /* what a build for coverage has counted */

/* The first bytes of the room: what the child says at its end. */
typedef struct report {
    atomic_int done;
    onefold_status status;
    of_error error;
    long allocations_until_failure;
    size_t peak;
    size_t used, at, size;
} report;

typedef struct fence {
    of_file *file;
    of_fence_room room;
    report *report;
    pid_t child;
    int ended; /* the child's end can be waited for no more */
    int how;   /* as waitpid has it; -1: somebody else has asked for it before */
} fence;

/* ---- shared memory -------------------------------------------------------------------------- */

static size_t machine_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)1 << 32;
}

enum { BESIDE = 48 << 20 }; /* what the other library is left at least, beside the room */

/* Room for all that may be allowed, of which only what is touched takes memory. Where the address
 * space is limited it is a third of what is left: as much goes to what is copied out of it, and to
 * the other library. */
static int make_room(of_fence_room *room, const of_context *context)
{
    enum { USUAL = 64 << 20, PAGES = 1 << 16 };
    size_t most = machine_bytes(), left = of_address_left(), smallest = USUAL;
    if (context->memory_limit && context->memory_limit < most)
        most = context->memory_limit + USUAL;
    if (left != SIZE_MAX) {
        smallest = BESIDE / 2;
        left = left < 3 * (size_t)BESIDE ? left > BESIDE ? (left - BESIDE) / 2 : 0 : left / 3;
        most = left < most ? left : most;
    }
    for (size_t size = most / PAGES * PAGES; size >= smallest; size = size / 2 / PAGES * PAGES) {
        void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            *room = (of_fence_room){base, size, (sizeof(report) + 63) / 64 * 64};
            return 1;
        }
    }
    return 0;
}

enum { AHEAD = 16 }; /* before each piece: its size */

static void *room_allocate(void *user, size_t size)
{
    of_fence_room *room = user;
    size_t whole;
    if (__builtin_add_overflow(size, (size_t)AHEAD + 15, &whole))
        return NULL;
    whole = whole / 16 * 16;
    if (whole > room->size - room->used)
        return NULL;
    char *made = room->base + room->used;
    memcpy(made, &whole, sizeof whole);
    room->used += whole;
    return made + AHEAD;
}

/* The last piece is used again; of a large one at least the pages are. What was allocated before
 * the fork is the parent's. */
static void room_release(void *user, void *memory)
{
    enum { LARGE = 1 << 20, PAGES = 1 << 16 };
    of_fence_room *room = user;
    size_t whole, at = (size_t)((char *)memory - AHEAD - room->base);
    if ((char *)memory < room->base || at >= room->used)
        return;
    memcpy(&whole, room->base + at, sizeof whole);
    if (at + whole == room->used)
        room->used = at;
    size_t from = (at + PAGES - 1) / PAGES * PAGES, to = (at + whole) / PAGES * PAGES;
    if (whole >= LARGE && from < to)
        (void)madvise(room->base + from, to - from, MADV_REMOVE);
}

/* ---- the child ------------------------------------------------------------------------------ */

/* Seconds of work that a file can be worth: a megabyte of it takes a small part of one, and a
 * packed one more. libhdf5 goes round for ever in some damaged files, so small ones are not given
 * long. */
static size_t seconds_for(const of_file *file)
{
    return 10 + 2 * (file->size >> 20);
}

static void limit(int what, size_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0)
        return;
    if (now.rlim_cur == RLIM_INFINITY || most < now.rlim_cur)
        now.rlim_cur = most;
    (void)setrlimit(what, &now);
}

/* What is mapped already, and as much again as the room has: that much the other library may take
 * beside it. */
static void limit_memory(const of_fence_room *room)
{
    char text[64] = "";
    unsigned long long pages = 0;
    int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (statm >= 0 && read(statm, text, sizeof text - 1) > 0 && sscanf(text, "%llu", &pages) == 1)
        limit(RLIMIT_AS, (size_t)pages * (size_t)sysconf(_SC_PAGESIZE) +
                             (room->size > BESIDE ? room->size : (size_t)BESIDE));
    if (statm >= 0)
        close(statm);
}

/* Its crash is nobody else's: no handler of the host runs in it, no core is left, nothing is
 * printed. A signal to all processes of a terminal is for the parent, which ends the child. */
static void become_a_child(const fence *of)
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
    limit(RLIMIT_CPU, seconds_for(of->file));
    limit_memory(&of->room);
#if !defined(ONEFOLD_SANITIZED)
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
#endif
}

/* None of the caller's hooks is called in the child, and no thread is started. */
static void change_context(of_context *context, of_fence_room *room)
{
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = room;
    hooks.allocate = room_allocate;
    hooks.release = room_release;
    context->hooks = hooks;
    context->call = NULL;
    context->retell = NULL;
    context->threads = 1;
}

static void read_in_child(fence *of, onefold_status (*read)(of_file *file, void *user), void *user,
                          pid_t parent, int tell)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    become_a_child(of);
    of_context *context = of->file->context;
    change_context(context, &of->room);
    of_arena arena = of_arena_make(context);
    onefold_status status = read(of->file, user);
    report *said = of->report;
    if (status == ONEFOLD_OK) {
        long until = atomic_exchange(&context->allocations_until_failure, -1);
        status = of_fence_encode(of->file, &of->room, &arena, &said->at, &said->size);
        atomic_store(&context->allocations_until_failure, until);
    }
    of_error_save(&said->error, status);
    said->status = status;
    said->allocations_until_failure = atomic_load(&context->allocations_until_failure);
    said->peak = atomic_load(&context->peak);
    said->used = of->room.used;
    atomic_store(&said->done, 1);
    (void)!write(tell, "", 1);
    if (__gcov_dump)
        __gcov_dump();
    _exit(0);
}

/* ---- the parent ----------------------------------------------------------------------------- */

/* Waits for the child's end, for some milliseconds at most. */
static void look(fence *of, int milliseconds, int told)
{
    struct pollfd news = {.fd = told, .events = POLLIN};
    if (milliseconds)
        (void)poll(&news, 1, milliseconds);
    int how = 0;
    pid_t got = waitpid(of->child, &how, atomic_load(&of->report->done) ? 0 : WNOHANG);
    if (got == of->child || (got < 0 && errno == ECHILD)) {
        of->ended = 1;
        of->how = got == of->child ? how : -1;
    }
}

static void end_child(fence *of)
{
    kill(of->child, SIGKILL);
    while (waitpid(of->child, &of->how, 0) < 0 && errno == EINTR)
        ;
}

static onefold_status no_room(void)
{
    char limit[32];
    if (of_address_limit() == SIZE_MAX)
        return of_fail(ONEFOLD_NO_MEMORY, "the system has no memory for the process that reads it");
    return of_hint(of_fail(ONEFOLD_NO_MEMORY,
                           "the limit of address space (%s) leaves no room for the process that "
                           "reads it",
                           of_size_text(limit, of_address_limit())),
                   "raise the limit (ulimit -v)");
}

/* A failure of the other library under a limit that leaves it little is one of memory, as far as
 * anybody can tell: it says the same of a file that is damaged. */
static onefold_status by_limit(const fence *of, onefold_status status)
{
    enum { TIMES = 4 };
    size_t need = 2 * (size_t)BESIDE + TIMES * of->file->size;
    char limit[32], said[512];
    if (status != ONEFOLD_BAD_DATA || of_address_limit() == SIZE_MAX || of_address_left() > need)
        return status;
    snprintf(said, sizeof said, "%s", onefold_last_error());
    return of_hint(of_fail(ONEFOLD_NO_MEMORY, "%s, under a limit of address space (%s)", said,
                           of_size_text(limit, of_address_limit())),
                   "raise the limit (ulimit -v); a file that fails without one is damaged");
}

static onefold_status took_too_long(const fence *of)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "HDF5 was still reading it after %zu seconds",
                           seconds_for(of->file)),
                   "the file is damaged: copy or download it again");
}

static onefold_status await(fence *of, int told)
{
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    while (!of->ended) {
        look(of, 50, told);
        onefold_status status = of_context_check(of->file->context);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (status == ONEFOLD_OK &&
            (size_t)(now.tv_sec - began.tv_sec) > 10 * seconds_for(of->file))
            status = took_too_long(of); /* it waits for something that does not come */
        if (status != ONEFOLD_OK && !of->ended) {
            end_child(of);
            return status;
        }
    }
    return ONEFOLD_OK;
}

/* The child has not said anything. */
static onefold_status ended_early(const fence *of)
{
    int number = of->how >= 0 && WIFSIGNALED(of->how) ? WTERMSIG(of->how) : 0;
    if (number == SIGXCPU)
        return took_too_long(of);
    if (number == SIGKILL)
        return of_hint(of_fail(ONEFOLD_NO_MEMORY, "the process that read it was killed"),
                       "the system may have run out of memory");
    if (number)
        return of_damaged("HDF5 crashed while it read the file (%s), which is damaged",
                          strsignal(number));
    return of_fail(ONEFOLD_FAULT, "the process that read it ended without an answer");
}

static onefold_status take_over(fence *of)
{
    report said = *of->report;
    of_context *context = of->file->context;
    if (!said.done)
        return ended_early(of);
    if (atomic_load(&context->allocations_until_failure) >= 0)
        atomic_store(&context->allocations_until_failure, said.allocations_until_failure);
    size_t peak = atomic_load(&context->peak);
    while (said.peak > peak && !atomic_compare_exchange_weak(&context->peak, &peak, said.peak))
        ;
    if (said.status != ONEFOLD_OK) {
        said.error.status =
            said.status < 0 && said.status >= ONEFOLD_INTERRUPTED ? said.status : ONEFOLD_FAULT;
        said.error.message[sizeof said.error.message - 1] = '\0';
        said.error.hint[sizeof said.error.hint - 1] = '\0';
        return of_error_restore(&said.error);
    }
    if (said.used > of->room.size)
        return of_fail(ONEFOLD_FAULT, "the process that read it sent data that is not valid");
    of->room.used = said.used;
    return of_fence_decode(of->file, &of->room, said.at, said.size);
}

/* 0 where there can be no child. */
static int start_child(fence *of, onefold_status (*read)(of_file *file, void *user), void *user,
                       int news[2])
{
    pid_t parent = getpid();
    if (pipe2(news, O_CLOEXEC) != 0)
        return 0;
    of->child = fork();
    if (of->child == 0)
        read_in_child(of, read, user, parent, news[1]);
    close(news[1]);
    if (of->child < 0)
        close(news[0]);
    return of->child > 0;
}

onefold_status of_fence_read(of_file *file, onefold_status (*read)(of_file *file, void *user),
                             void *user)
{
    fence of = {.file = file};
    int news[2];
    if (file->context->unfenced || file->context->comm.size > 1)
        return read(file, user);
    if (!make_room(&of.room, file->context))
        return no_room();
    of.report = (report *)of.room.base;
    errno = 0;
    int started = start_child(&of, read, user, news), reason = errno;
    onefold_status status = ONEFOLD_OK;
    if (started) {
        status = await(&of, news[0]);
        close(news[0]);
        if (status == ONEFOLD_OK)
            status = take_over(&of);
        status = by_limit(&of, status);
    }
    munmap(of.room.base, of.room.size);
    if (!started && reason == ENOMEM)
        return no_room();
    return started ? status : read(file, user);
}
