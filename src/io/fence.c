/* SPDX-License-Identifier: Apache-2.0 */
/* The process that reads a file for this one: its start, its answer, and what its end means. */
#include "io/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern const char of_fence_program[] __attribute__((visibility("hidden")));
extern const char of_fence_program_end[] __attribute__((visibility("hidden")));

/* The time limit for a file. A megabyte takes much less than two seconds. libhdf5 loops for ever in
 * some damaged files. */
static size_t seconds_for(const of_file *file)
{
    return 4 + 2 * (file->size >> 20);
}

static onefold_status took_too_long(const of_file *file)
{
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA, "HDF5 was still reading it after %zu seconds", seconds_for(file)),
        "the file is damaged: copy or download it again");
}

/* ---- start ---------------------------------------------------------------------------------- */

/* A descriptor above those that the process gets. */
static int raised(int descriptor)
{
    enum { ABOVE = 10 };
    if (descriptor < 0)
        return -1;
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, ABOVE), reason = errno;
    close(descriptor);
    errno = reason;
    return high;
}

/* The program, as a file in memory. */
static int open_program(const of_file *file)
{
    size_t size = (size_t)(of_fence_program_end - of_fence_program);
    if (file->context->fence_program)
        return open(file->context->fence_program, O_RDONLY | O_CLOEXEC);
#ifdef MFD_EXEC
    int program = memfd_create("onefold-reader", MFD_CLOEXEC | MFD_EXEC);
    if (program < 0 && errno == EINVAL) /* an older kernel */
        program = memfd_create("onefold-reader", MFD_CLOEXEC);
#else
    enum { EXECUTABLE = 0x10 }; /* MFD_EXEC of Linux 6.3 */
    int program = memfd_create("onefold-reader", MFD_CLOEXEC | EXECUTABLE);
    if (program < 0 && errno == EINVAL)
        program = memfd_create("onefold-reader", MFD_CLOEXEC);
#endif
    for (size_t done = 0; program >= 0 && done < size;) {
        ssize_t written = write(program, of_fence_program + done, size - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            close(program);
            return -1;
        }
        done += (size_t)written;
    }
    return program;
}

/* The process's environment: nothing of the host's but where libraries are. In particular no
 * HDF5_DRIVER, HDF5_VOL_CONNECTOR, HDF5_PLUGIN_PATH or LD_PRELOAD. */
static void fill_environment(char *libraries, size_t room, char *environment[8])
{
    static char locking[] = "HDF5_USE_FILE_LOCKING=BEST_EFFORT", one[] = "OPENBLAS_NUM_THREADS=1",
                sanitizer[] =
                    "ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0:abort_on_error=1";
    const char *path = getenv("LD_LIBRARY_PATH");
    size_t count = 0;
    environment[count++] = locking;
    environment[count++] = one;
    environment[count++] = sanitizer;
    if (path && (size_t)snprintf(libraries, room, "LD_LIBRARY_PATH=%s", path) < room)
        environment[count++] = libraries;
    environment[count] = NULL;
}

/* Starts the process by posix_spawn: no code of ours, and so no lock, is between the host and the
 * program. Returns 0 or an errno. */
static int spawn(pid_t *child, int program, int data, int socket)
{
    char path[64], libraries[8192], name[] = "onefold-reader", *words[] = {name, NULL},
                                    *environment[8];
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    snprintf(path, sizeof path, "/proc/self/fd/%d", program);
    fill_environment(libraries, sizeof libraries, environment);
    sigemptyset(&none);
    sigfillset(&all);
    int reason = posix_spawn_file_actions_init(&files);
    if (reason)
        return reason;
    reason = posix_spawnattr_init(&attributes);
    if (reason == 0) {
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        reason = posix_spawn_file_actions_adddup2(&files, socket, OF_FENCE_SOCKET);
        if (reason == 0)
            reason = posix_spawn_file_actions_adddup2(&files, data, OF_FENCE_FILE);
#if defined(ONEFOLD_SANITIZED)
        enum { LAST = STDOUT_FILENO }; /* a sanitizer's report is seen */
#else
        enum { LAST = STDERR_FILENO };
#endif
        for (int to = STDOUT_FILENO; reason == 0 && to <= LAST; to++)
            reason = posix_spawn_file_actions_addopen(&files, to, "/dev/null", O_WRONLY, 0);
        if (reason == 0)
            reason = posix_spawn(child, path, &files, &attributes, words, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return reason;
}

/* Starts the process with the file, and the other end of the socket. */
static onefold_status start(const of_file *file, pid_t *child, int *socket)
{
    int ends[2] = {-1, -1}, reason = 0;
    int data = raised(open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (data < 0)
        return of_fail(ONEFOLD_IO, "the file cannot be read (%s)", strerror(errno));
    int program = raised(open_program(file));
    if (program < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        reason = errno;
    if (reason == 0) {
        ends[1] = raised(ends[1]);
        reason = ends[1] < 0 ? errno : spawn(child, program, data, ends[1]);
    }
    close(data);
    if (program >= 0)
        close(program);
    if (ends[1] >= 0)
        close(ends[1]);
    *socket = ends[0];
    if (reason == 0)
        return ONEFOLD_OK;
    if (ends[0] >= 0)
        close(ends[0]);
    return of_hint(of_fail(reason == ENOMEM ? ONEFOLD_NO_MEMORY : ONEFOLD_IO,
                           "the process that reads such files cannot be started (%s)",
                           strerror(reason)),
                   reason == ENOMEM ? "end other programs, or raise the limit (ulimit -v)"
                                    : "it is started from memory (memfd_create), by /proc");
}

/* ---- the answer ----------------------------------------------------------------------------- */

static onefold_status send_request(const of_file *file, int matlab, int socket)
{
    const of_context *context = file->context;
    const onefold_read_options *options = &file->options;
    const char *texts[] = {options->truth, options->views};
    of_fence_request asked = {.version = ONEFOLD_VERSION, .parent = getpid(), .matlab = matlab};
    asked.size = file->size;
    asked.seconds = seconds_for(file);
    asked.memory_limit = context->memory_limit;
    asked.held = atomic_load(&context->bytes);
    asked.allocations_until_failure = atomic_load(&context->allocations_until_failure);
    asked.truth = options->truth ? strlen(options->truth) + 1 : 0;
    asked.views = options->views ? strlen(options->views) + 1 : 0;
    const size_t sizes[] = {asked.truth, asked.views};
    (void)send(socket, &asked, sizeof asked, MSG_NOSIGNAL); /* a failure shows in the answer */
    for (size_t i = 0; i < 2; i++)
        for (size_t done = 0; done < sizes[i];) {
            ssize_t sent = send(socket, texts[i] + done, sizes[i] - done, MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR)
                continue;
            if (sent <= 0)
                break;
            done += (size_t)sent;
        }
    return ONEFOLD_OK;
}

/* Receives all; *whole: the process said so to the end. */
static onefold_status receive(of_parcel *parcel, int *whole)
{
    of_file *file = parcel->file;
    of_fence_reply reply;
    char last = 0;
    *whole = 0;
    OF_TRY(of_parcel_bytes(parcel, &reply, sizeof reply));
    reply.error.message[sizeof reply.error.message - 1] = '\0';
    reply.error.hint[sizeof reply.error.hint - 1] = '\0';
    if (reply.error.status > ONEFOLD_OK || reply.error.status < ONEFOLD_INTERRUPTED)
        reply.error.status = ONEFOLD_FAULT;
    atomic_store(&file->context->allocations_until_failure, reply.allocations_until_failure);
    file->single_cell = reply.single_cell != 0;
    if (reply.error.status == ONEFOLD_OK)
        OF_TRY(of_parcel_variables(parcel, reply.count));
    onefold_status status = of_parcel_bytes(parcel, &last, sizeof last);
    *whole = status == ONEFOLD_OK && last == 1;
    OF_TRY(status);
    return of_error_restore(&reply.error);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* The library reports a lack of memory as a damaged file. Under a limit of address space that
 * leaves it little, the error becomes one of memory. */
static onefold_status by_limit(const of_file *file, onefold_status status)
{
    enum { TIMES = 4, BESIDE = 96 << 20 };
    size_t need = BESIDE + TIMES * file->size;
    char limit[32], sentence[512];
    if ((status != ONEFOLD_BAD_DATA && status != ONEFOLD_FAULT) || of_address_limit() == SIZE_MAX ||
        of_address_left() > need)
        return status;
    snprintf(sentence, sizeof sentence, "%s", onefold_last_error());
    return of_hint(of_fail(ONEFOLD_NO_MEMORY, "%s, under a limit of address space (%s)", sentence,
                           of_size_text(limit, of_address_limit())),
                   "raise the limit (ulimit -v); a file that fails without one is damaged");
}

/* The error for a process that ends without a result. `how` is waitpid's status; -1: the host
 * waited for it first. */
static onefold_status ended_early(const of_file *file, int how)
{
    enum { NOT_LOADED = 127 }; /* by the system's loader */
    int number = how >= 0 && WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    if (number == SIGXCPU)
        return took_too_long(file);
    if (number == SIGKILL)
        return of_hint(of_fail(ONEFOLD_NO_MEMORY, "the process that read it was killed"),
                       "the system may have run out of memory");
    if (number)
        return of_damaged("HDF5 crashed while it read the file (%s), which is damaged",
                          strsignal(number));
    if (how >= 0 && WIFEXITED(how) && WEXITSTATUS(how) == NOT_LOADED)
        return of_hint(of_fail(ONEFOLD_FAULT, "the process that reads such files did not start"),
                       "a library that it needs is missing: install libhdf5");
    return of_fail(ONEFOLD_FAULT, "the process that read it ended without a result");
}

onefold_status of_fence_read(of_file *file, int matlab)
{
    enum { TIMES = 10 };
    int whole = 0;
    of_parcel parcel = {.sends = 0, .file = file, .descriptor = -1, .how = -1};
    OF_TRY(start(file, &parcel.child, &parcel.descriptor));
    parcel.until = of_clock_seconds() + (double)(TIMES * seconds_for(file));
    parcel.arena = of_arena_make(file->context);
    onefold_status status = of_owner_make(&parcel.names, file->context);
    if (status == ONEFOLD_OK)
        status = send_request(file, matlab, parcel.descriptor);
    if (status == ONEFOLD_OK)
        status = receive(&parcel, &whole);
    int ended = status == ONEFOLD_FAULT && !whole; /* by itself: how, says the system */
    of_error error;
    of_error_save(&error, status);
    close(parcel.descriptor);
    if (!ended && parcel.child)
        kill(parcel.child, SIGKILL); /* it has nothing more to do */
    while (parcel.child && waitpid(parcel.child, &parcel.how, 0) < 0 && errno == EINTR)
        ;
    of_owner_release(parcel.names);
    of_arena_free(&parcel.arena);
    return by_limit(file, ended ? ended_early(file, parcel.how) : of_error_restore(&error));
}
