/* SPDX-License-Identifier: Apache-2.0 */
/* Making contexts, and calling their hooks. */
#include "base/context.h"

#include "base/blas_threads.h"
#include "base/clock.h"
#include "base/device.h"
#include "base/memory.h"
#include "base/public_call.h"
#include "base/structs.h"
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A clock that never runs backwards. */

double of_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double of_clock_thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static of_context default_context;
static pthread_once_t default_once = PTHREAD_ONCE_INIT;

/* The cores that this process may use: a container or taskset may leave it fewer than there are. */
static int core_count(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return CPU_COUNT(&allowed);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

/* As many threads as there are cores; under a limit of address space no more than half of it has
 * buffers of BLAS for. */
static int thread_count(void)
{
    size_t room = of_address_limit() / 2 / OF_BLAS_BUFFER;
    int cores = core_count();
    return (size_t)cores <= room ? cores : room > 0 ? (int)room : 1;
}

static void context_start(of_context *context)
{
    memset(context, 0, sizeof *context);
    context->threads = thread_count();
    atomic_store(&context->allocations_until_failure, -1);
    atomic_store(&context->lapack_until_failure, -1);
}

static void default_start(void)
{
    context_start(&default_context);
}

of_context *of_context_or_default(of_context *context)
{
    if (context)
        return context;
    pthread_once(&default_once, default_start);
    return &default_context;
}

onefold_status onefold_context_create(onefold_context **context, const onefold_hooks *hooks)
{
    if (!context)
        return of_fail(ONEFOLD_USAGE, "onefold_context_create was given no place for the context");
    onefold_hooks all = ONEFOLD_HOOKS_INIT;
    OF_TRY(OF_STRUCT_READ(&all, hooks, onefold_hooks));
    if ((all.allocate == NULL) != (all.release == NULL))
        return of_fail(ONEFOLD_USAGE, "the hooks have one of allocate and release, not both");
    of_context *made = malloc(sizeof *made);
    if (!made)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for a context");
    context_start(made);
    made->hooks = all;
    *context = made;
    return ONEFOLD_OK;
}

void onefold_context_free(onefold_context *context)
{
    if (context && context->comm.leave)
        context->comm.leave(context->comm.user);
    if (context && context->run_files)
        context->run_files_end(context->run_files);
    if (context)
        of_device_leave(context);
    of_device_settle(); /* who frees a context may end the process next */
    free(context);
}

onefold_status onefold_context_set_threads(onefold_context *context, int threads)
{
    if (!context || threads < 0)
        return of_fail(ONEFOLD_USAGE, "%d is not a number of threads", threads);
    context->threads = threads ? threads : thread_count();
    return ONEFOLD_OK;
}

onefold_status onefold_context_set_memory_limit(onefold_context *context, size_t bytes)
{
    if (!context)
        return of_fail(ONEFOLD_USAGE, "the memory limit needs a context");
    context->memory_limit = bytes;
    return ONEFOLD_OK;
}

size_t of_context_chunk(const of_context *context, size_t usual)
{
    return context->chunk ? context->chunk : usual;
}

onefold_status of_context_check(of_context *context)
{
    if (context->call ? of_call_is_cancelled(context->call)
                      : context->hooks.cancel && !of_team_for_another() &&
                            context->hooks.cancel(context->hooks.user))
        return of_fail(ONEFOLD_INTERRUPTED, "interrupted");
    return ONEFOLD_OK;
}

onefold_status of_context_check_now(of_context *context)
{
    if (context->call)
        of_call_on_caller(context->call, of_call_ask, context->call);
    return of_context_check(context);
}

typedef struct callback {
    onefold_status (*run)(void *);
    void *argument;
    of_error error;
} callback;

static void run_callback(void *opaque)
{
    callback *task = opaque;
    of_error_save(&task->error, task->run(task->argument));
}

onefold_status of_context_callback(of_context *context, onefold_status (*run)(void *),
                                   void *argument)
{
    callback task = {run, argument, {ONEFOLD_OK, "", ""}};
    if (!context->call)
        return run(argument);
    of_call_on_caller(context->call, run_callback, &task);
    return task.error.status == ONEFOLD_OK ? ONEFOLD_OK : of_error_restore(&task.error);
}

void of_context_progress(of_context *context, const char *stage, double done, double total,
                         const char *detail)
{
    if (!context->hooks.progress)
        return;
    onefold_progress progress = {stage, done, total, detail};
    if (context->retell && !context->retell(context->retell_user, &progress))
        return;
    if (context->call)
        of_call_progress(context->call, &progress);
    else
        context->hooks.progress(context->hooks.user, &progress);
}

typedef struct log_line {
    const onefold_hooks *hooks;
    const char *line;
} log_line;

static void pass_line(void *opaque)
{
    const log_line *task = opaque;
    task->hooks->log(task->hooks->user, task->line);
}

void of_context_log(of_context *context, const char *format, ...)
{
    if (!context->hooks.log)
        return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(line, sizeof line, format, arguments) < 0)
        line[0] = '\0';
    va_end(arguments);
    log_line task = {&context->hooks, line};
    if (context->call)
        of_call_on_caller(context->call, pass_line, &task);
    else
        pass_line(&task);
}
