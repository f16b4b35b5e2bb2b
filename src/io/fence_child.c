/* SPDX-License-Identifier: Apache-2.0 */
/* The process behind the fence: its limits, what it may ask of the kernel, its answer. */
#include "base/seccomp.h"
#include "io/fence.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BESIDE = 48 << 20 }; /* address space for the library itself, beside the variables */

static void limit(int resource, size_t most)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return;
    if (now.rlim_cur == RLIM_INFINITY || most < now.rlim_cur)
        now.rlim_cur = most;
    /* at the hard limit of time the kernel kills; before it, it says why */
    size_t last = (size_t)now.rlim_cur + (resource == RLIMIT_CPU);
    if (now.rlim_max == RLIM_INFINITY || last < now.rlim_max)
        now.rlim_max = last;
    (void)setrlimit(resource, &now);
}

/* The parent handles signals of the terminal, and ends this process. */
static void set_limits(const of_fence_request *asked)
{
    static const int parents[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
        signal(parents[i], SIG_IGN);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, asked->seconds);
    /* address space for all variables within the memory limit, and as much for the library */
    size_t used = of_address_used(),
           all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    if (used)
        limit(RLIMIT_AS, used + 2 * (asked->memory_limit ? asked->memory_limit : all) + BESIDE);
}

/* Coverage is written at the end, and sanitizers read files: they work without the filter. */
#if defined(ONEFOLD_SANITIZED) || defined(ONEFOLD_COUNTED)
enum { FILTERED = 0 };
#else
enum { FILTERED = 1 };
#endif

static void filter(int may_open)
{
    if (FILTERED)
        (void)of_seccomp_set(may_open); /* a kernel without it has the limits */
}

static void close_doors(void)
{
    filter(0);
}

/* A text of the options, or NULL. */
static onefold_status receive_text(of_parcel *parcel, of_arena *arena, size_t size,
                                   const char **text)
{
    char *made = NULL;
    if (size)
        OF_TRY(of_arena_allocate(arena, (void **)&made, 1, size, 1));
    OF_TRY(of_parcel_bytes(parcel, made, size));
    *text = made;
    return ONEFOLD_OK;
}

static onefold_status work(of_fence_reader reader)
{
    of_fence_request asked;
    of_fence_reply reply = {.count = 0};
    onefold_context *context;
    OF_TRY(onefold_context_create(&context, NULL));
    context->threads = 1;
    of_file file = {.context = context, .path = OF_FENCE_PATH, .arena = of_arena_make(context)};
    of_parcel parcel = {.descriptor = OF_FENCE_SOCKET, .sends = 0, .file = &file, .until = 1e300};
    OF_TRY(of_parcel_bytes(&parcel, &asked, sizeof asked));
    if (memcmp(asked.version, ONEFOLD_VERSION, sizeof ONEFOLD_VERSION) != 0 ||
        getppid() != asked.parent)
        return ONEFOLD_FAULT;
    OF_TRY(receive_text(&parcel, &file.arena, asked.truth, &file.options.truth));
    OF_TRY(receive_text(&parcel, &file.arena, asked.views, &file.options.views));
    set_limits(&asked);
    filter(1);
    file.size = asked.size;
    context->memory_limit = asked.memory_limit;
    atomic_store(&context->bytes, asked.held);
    atomic_store(&context->allocations_until_failure, asked.allocations_until_failure);
    of_error_save(&reply.error, reader(&file, asked.matlab, close_doors));
    reply.allocations_until_failure = atomic_load(&context->allocations_until_failure);
    atomic_store(&context->allocations_until_failure, -1);
    context->memory_limit = 0;
    reply.single_cell = file.single_cell;
    reply.count = file.count;
    parcel.sends = 1;
    parcel.arena = of_arena_make(context);
    OF_TRY(of_parcel_bytes(&parcel, &reply, sizeof reply));
    if (reply.error.status == ONEFOLD_OK)
        OF_TRY(of_parcel_variables(&parcel, file.count));
    of_arena_free(&parcel.arena);
    of_file_close(&file); /* crashes here if the reader overwrote memory */
    onefold_context_free(context);
    char whole = 1;
    return of_parcel_bytes(&parcel, &whole, sizeof whole);
}

/* Closes what the parent had open for its programs. */
static void close_others(void)
{
    enum { FIRST = OF_FENCE_FILE + 1 };
#ifdef SYS_close_range
    if (syscall(SYS_close_range, FIRST, ~0u, 0) == 0)
        return;
#endif
    for (int descriptor = FIRST; descriptor < (int)sysconf(_SC_OPEN_MAX); descriptor++)
        close(descriptor);
}

int of_fence_child(of_fence_reader reader)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_others();
    return work(reader) == ONEFOLD_OK ? 0 : 1;
}
