/* SPDX-License-Identifier: Apache-2.0 */
/* The child process: how it is started, what it may use up, and how its end is understood. */
#include "io/file.h"

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

/* ---- variables out of the room -------------------------------------------------------------- */

/* What the child says was read and checked there by this library's own code. The other library, in
 * a damaged file, may have written over it: so no pointer is followed out of the room. Only `what`
 * is no part of it: mostly a text of the program, which both have at the same address. */

static onefold_status nonsense(void)
{
    return of_fail(ONEFOLD_FAULT, "the process that read it sent data that is not valid");
}

/* Whether so many elements of `size` bytes each lie at an address of the room, as such do. */
static int holds(const of_fence_room *room, const void *at, size_t size, size_t count)
{
    uintptr_t place = (uintptr_t)at - (uintptr_t)room->base;
    return (!at && !count) || (place < room->used && place % (size < 8 ? size : 8) == 0 &&
                               count <= (room->used - place) / size);
}

/* Whether so many texts do, each with its end; or there is no list. */
static int holds_texts(const of_fence_room *room, const char *const *text, size_t count)
{
    if (!text)
        return 1;
    size_t good = 0;
    while (holds(room, text, sizeof *text, count) && good < count &&
           holds(room, text[good], 1, 1) &&
           memchr(text[good], '\0', room->used - (size_t)(text[good] - room->base)))
        good++;
    return good == count;
}

/* Whether the numbers do, whatever their order. */
static int holds_numbers(const of_fence_room *room, const of_variable *variable)
{
    const of_matrix *matrix = &variable->matrix;
    const of_sparse *sparse = &matrix->sparse;
    if ((unsigned)matrix->storage > OF_SPARSE || (unsigned)matrix->type >= OF_TYPE_COUNT)
        return 0;
    if (matrix->storage == OF_SPARSE) {
        size_t lines = matrix->by_column ? matrix->columns : matrix->rows, ends;
        return sparse->rows == lines &&
               sparse->columns == (matrix->by_column ? matrix->rows : matrix->columns) &&
               !__builtin_add_overflow(lines, 1, &ends) &&
               holds(room, sparse->start, sizeof *sparse->start, ends) &&
               holds(room, sparse->index, sizeof *sparse->index, of_sparse_entries(sparse)) &&
               holds(room, sparse->value, sizeof *sparse->value, of_sparse_entries(sparse));
    }
    size_t sides[3][2] = {{matrix->rows, matrix->row_step},
                          {matrix->columns, matrix->column_step},
                          {variable->pages, variable->page_step}},
           elements = 1, reach;
    for (int s = 0; s < 3; s++)
        if (__builtin_mul_overflow(sides[s][0] - 1, sides[s][1], &reach) ||
            __builtin_add_overflow(elements, reach, &elements))
            return 0;
    return holds(room, matrix->data, of_type_size(matrix->type), elements);
}

static int holds_variable(const of_fence_room *room, of_owner *store, of_variable *at)
{
    at->matrix.owner = store;
    if (!holds_texts(room, &at->name, 1) || !holds_texts(room, at->text, at->count) ||
        !holds_texts(room, at->matrix.row_names, at->matrix.rows) ||
        !holds_texts(room, at->matrix.column_names, at->matrix.columns))
        return 0;
    size_t good = 0;
    switch ((unsigned)at->kind) {
    case OF_VARIABLE_MATRIX:
        return holds_numbers(room, at);
    case OF_VARIABLE_TEXT:
        return at->text != NULL;
    case OF_VARIABLE_OTHER:
        return at->what != NULL;
    case OF_VARIABLE_CELL:
        while (holds(room, at->item, sizeof *at, at->count) && good < at->count &&
               holds_variable(room, store, &at->item[good]))
            good++;
        return good == at->count;
    default:
        return 0;
    }
}

onefold_status of_fence_take(of_file *file, const of_fence_room *room, of_owner *owner,
                             of_top *told, size_t count)
{
    for (size_t t = 0; t < count; t++) {
        of_top *top;
        OF_TRY(of_file_add(file, &top, ""));
        OF_TRY(of_owner_hold(top->store, owner));
        if (!holds(room, told, sizeof *told, t + 1) ||
            !holds_variable(room, top->store, &told[t].variable))
            return nonsense();
        top->variable = told[t].variable;
    }
    return ONEFOLD_OK;
}

extern void __gcov_dump(void) __attribute__((weak)); /* what a build for coverage has counted */

/* The first bytes of the room: what the child says at its end. */
typedef struct report {
    atomic_int done;
    of_error error;
    long allocations_until_failure;
    size_t peak, used, held;
    of_top *top; /* what it read */
    size_t count, left_over;
    int cells;
} report;

typedef struct fence {
    of_file *file;
    of_context *context;
    of_fence_room room;
    size_t held; /* bytes of it that are in use, on the context's account */
    report *report;
    pid_t child;
    int how; /* its end as waitpid has it; -1: somebody else has asked for it before */
} fence;

/* ---- shared memory -------------------------------------------------------------------------- */

enum { PAGES = 1 << 16 };   /* so many bytes are whole pages on any machine */
enum { BESIDE = 48 << 20 }; /* what the other library is left at least, beside the room */

/* Room for all that may be allowed, of which only what is touched takes memory. Where the address
 * space is limited it is a third of what is left: as much goes to what is copied out of it, and to
 * the other library. */
static int make_room(of_fence_room *room, const of_context *context)
{
    enum { USUAL = 64 << 20 };
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t most = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)1 << 32,
           left = of_address_left(), smallest = USUAL;
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
    enum { LARGE = 1 << 20 };
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

/* Its crash is nobody else's: no handler of the host runs in it, no core is left, nothing is
 * printed. A signal to all processes of a terminal is for the parent, which ends the child. Beside
 * what is mapped already, the other library may take as much again as the room has. */
static void become_a_child(const fence *of)
{
    size_t beside = of->room.size > BESIDE ? of->room.size : (size_t)BESIDE;
    char text[64] = "";
    unsigned long long pages = 0;
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
    int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (statm >= 0 && read(statm, text, sizeof text - 1) > 0 && sscanf(text, "%llu", &pages) == 1)
        limit(RLIMIT_AS, (size_t)pages * (size_t)sysconf(_SC_PAGESIZE) + beside);
    if (statm >= 0)
        close(statm);
#if !defined(ONEFOLD_SANITIZED)
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
#endif
}

static void read_in_child(fence *of, onefold_status (*read)(of_file *file, void *user), void *user,
                          pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    become_a_child(of);
    of_context *context = of->context;
    size_t before = atomic_load(&context->bytes);
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT; /* none of the caller's, and no thread is started */
    hooks.user = &of->room;
    hooks.allocate = room_allocate;
    hooks.release = room_release;
    context->hooks = hooks;
    context->call = NULL;
    context->retell = NULL;
    context->threads = 1;
    onefold_status status = read(of->file, user);
    report *said = of->report;
    said->allocations_until_failure = atomic_exchange(&context->allocations_until_failure, -1);
    of_error_save(&said->error, status);
    said->top = of->file->top;
    said->count = of->file->count;
    said->left_over = of->file->left_over;
    said->cells = of->file->cells;
    said->peak = atomic_load(&context->peak);
    size_t bytes = atomic_load(&context->bytes);
    said->held = bytes > before ? bytes - before : 0;
    said->used = of->room.used;
    atomic_store(&said->done, 1);
    if (__gcov_dump)
        __gcov_dump();
    _exit(0);
}

/* ---- the parent ----------------------------------------------------------------------------- */

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

/* Waits for the child's end. */
static onefold_status await(fence *of, int told)
{
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (;;) {
        struct pollfd news = {.fd = told, .events = POLLIN};
        (void)poll(&news, 1, 50);
        pid_t got = waitpid(of->child, &of->how, atomic_load(&of->report->done) ? 0 : WNOHANG);
        if (got < 0 && errno == ECHILD)
            of->how = -1;
        if (got == of->child || of->how < 0)
            return ONEFOLD_OK;
        onefold_status status = of_context_check(of->file->context);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (status == ONEFOLD_OK &&
            (size_t)(now.tv_sec - began.tv_sec) > 10 * seconds_for(of->file))
            status = took_too_long(of); /* it waits for something that does not come */
        if (status == ONEFOLD_OK)
            continue;
        kill(of->child, SIGKILL);
        while (waitpid(of->child, &of->how, 0) < 0 && errno == EINTR)
            ;
        return status;
    }
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
    return of_fail(ONEFOLD_FAULT, "the process that read it ended without a result");
}

/* The last variable that lies in the room is gone. */
static void end_room(void *what)
{
    fence *of = what;
    atomic_fetch_sub(&of->context->bytes, of->held);
    munmap(of->room.base, of->room.size);
}

/* What the child has read stays in the room, whose end that nothing lies in is given back. */
static onefold_status take_over(fence *of, of_owner *owner)
{
    report said = *of->report;
    of_context *context = of->context;
    if (!said.done)
        return ended_early(of);
    if (atomic_load(&context->allocations_until_failure) >= 0)
        atomic_store(&context->allocations_until_failure, said.allocations_until_failure);
    size_t peak = atomic_load(&context->peak);
    while (said.peak > peak && !atomic_compare_exchange_weak(&context->peak, &peak, said.peak))
        ;
    if (said.error.status != ONEFOLD_OK)
        return of_error_restore(&said.error);
    if (said.used > of->room.size || said.used < sizeof said || said.held > said.used)
        return nonsense();
    size_t kept = (said.used + PAGES - 1) / PAGES * PAGES;
    munmap(of->room.base + kept, of->room.size - kept);
    of->room.size = kept;
    of->room.used = said.used;
    of->held = said.held;
    atomic_fetch_add(&context->bytes, of->held);
    of->file->cells = said.cells != 0;
    of->file->left_over = said.left_over;
    OF_TRY(of_fence_take(of->file, &of->room, owner, said.top, said.count));
    return mprotect(of->room.base, kept, PROT_READ) == 0 ? ONEFOLD_OK : no_room();
}

onefold_status of_fence_read(of_file *file, onefold_status (*read)(of_file *file, void *user),
                             void *user)
{
    of_context *context = file->context;
    of_owner *owner;
    fence *of;
    int news[2];
    if (context->unfenced || context->comm.size > 1)
        return read(file, user);
    OF_TRY(of_owner_make(&owner, context));
    onefold_status status = OF_NEW_ZERO(&owner->arena, &of, 1, 1);
    if (status == ONEFOLD_OK && !make_room(&of->room, context))
        status = no_room();
    if (status != ONEFOLD_OK) {
        of_owner_release(owner);
        return status;
    }
    owner->end = end_room;
    owner->ended = of;
    of->file = file;
    of->context = context;
    of->report = (report *)of->room.base;
    errno = 0;
    pid_t parent = getpid();
    of->child = pipe2(news, O_CLOEXEC) == 0 ? fork() : -2;
    if (of->child == 0)
        read_in_child(of, read, user, parent); /* whose end closes the pipe */
    int started = of->child > 0, reason = errno;
    if (of->child > -2)
        close(news[1]);
    if (of->child == -1)
        close(news[0]);
    if (started) {
        status = await(of, news[0]);
        close(news[0]);
        if (status == ONEFOLD_OK)
            status = take_over(of, owner);
        status = by_limit(of, status);
    }
    of_owner_release(owner); /* the variables hold it */
    if (!started && reason == ENOMEM)
        return no_room();
    return started ? status : read(file, user);
}
