/* SPDX-License-Identifier: Apache-2.0 */
/* Making contexts, and calling their hooks. */
#include "base/context.h"

#include "base/blas_threads.h"
#include "base/device.h"
#include "base/memory.h"
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- a call of the library, on a thread of its own ----------------------------------------- */

static const double WAIT = 0.025;    /* seconds between two questions whether to stop */
static const double REPEAT = 0.1;    /* between two words of progress */
static const double SHORTEST = 0.05; /* that the work waits for, where only `done` has changed */

/* What the calling thread is to do for another, which waits for it. */
typedef struct errand {
    void (*back)(void *);
    void *argument;
    int done;
} errand;

struct of_call_state {
    of_context *context;
    of_call_work work;
    void *arguments;
    atomic_int cancelled;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t news;  /* the calling thread: there is an errand, or it is over */
    pthread_cond_t heard; /* the others: one was run */
    onefold_progress progress;
    char detail[256];
    double shown; /* when progress was last passed on */
    int fresh;    /* something was said since */
    errand *errand;
    int finished;
    of_error error;
};

/* Whether this thread works for a call already. */
static _Thread_local int inside;

/* ---- the thread that works ---------------------------------------------------------------- */

static void call_ask(void *opaque)
{
    of_call_state *call = opaque;
    const onefold_hooks *hooks = &call->context->hooks;
    if (hooks->cancel && hooks->cancel(hooks->user))
        atomic_store(&call->cancelled, 1);
}

/* Has the calling thread run `back` with `argument`, and waits for it. */
static void run_on_caller(of_call_state *call, void (*back)(void *), void *argument)
{
    errand own = {back, argument, 0};
    pthread_mutex_lock(&call->lock);
    while (call->errand) /* another thread's */
        pthread_cond_wait(&call->heard, &call->lock);
    call->errand = &own;
    pthread_cond_signal(&call->news);
    while (!own.done)
        pthread_cond_wait(&call->heard, &call->lock);
    pthread_mutex_unlock(&call->lock);
}

/* On the calling thread, as all hooks. */
static void pass_progress(void *opaque)
{
    of_call_state *call = opaque;
    const onefold_hooks *hooks = &call->context->hooks;
    pthread_mutex_lock(&call->lock); /* the work may say more meanwhile */
    if (hooks->progress)
        hooks->progress(hooks->user, &call->progress);
    call->shown = of_clock_seconds();
    call->fresh = 0;
    pthread_mutex_unlock(&call->lock);
}

/* What of_context_progress does while `call` is at work. */
static void call_progress(of_call_state *call, const onefold_progress *progress)
{
    pthread_mutex_lock(&call->lock);
    int waits = progress->stage != call->progress.stage || progress->done == 0 ||
                (progress->total > 0 && progress->done >= progress->total) ||
                of_clock_seconds() - call->shown >= SHORTEST;
    call->progress = *progress;
    call->fresh = 1;
    if (progress->detail) {
        snprintf(call->detail, sizeof call->detail, "%s", progress->detail);
        call->progress.detail = call->detail;
    }
    pthread_mutex_unlock(&call->lock);
    if (waits)
        run_on_caller(call, pass_progress, call);
}

static void *work_apart(void *opaque)
{
    of_call_state *call = opaque;
    inside = 1;
    onefold_status status = call->work(call->context, call->arguments);
    inside = 0;
    pthread_mutex_lock(&call->lock);
    of_error_save(&call->error, status);
    call->finished = 1;
    pthread_cond_signal(&call->news);
    pthread_mutex_unlock(&call->lock);
    return NULL;
}

/* ---- the calling thread ------------------------------------------------------------------- */

static void wait_a_little(of_call_state *call)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(WAIT * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&call->news, &call->lock, &until);
}

static void serve(of_call_state *call)
{
    pthread_mutex_lock(&call->lock);
    while (!call->finished) {
        errand *one = call->errand;
        int repeat = of_clock_seconds() - call->shown >= REPEAT;
        pthread_mutex_unlock(&call->lock);
        if (one)
            one->back(one->argument);
        else if (repeat)
            pass_progress(call);
        if (!atomic_load(&call->cancelled))
            call_ask(call);
        pthread_mutex_lock(&call->lock);
        if (one) {
            one->done = 1;
            call->errand = NULL;
            pthread_cond_broadcast(&call->heard);
        } else if (!call->finished && !call->errand)
            wait_a_little(call);
    }
    pthread_mutex_unlock(&call->lock);
    if (call->fresh) /* nothing that is said last goes unheard */
        pass_progress(call);
}

static onefold_status run_call(of_call_state *call, const char *stage)
{
    of_context *context = call->context;
    const onefold_hooks *hooks = &context->hooks;
    int hooked = hooks->cancel || hooks->progress || hooks->log;
    if (!hooked || (context->comm.size > 1 && context->comm.one_thread))
        return call->work(context, call->arguments);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&call->lock, NULL);
    pthread_cond_init(&call->news, &monotonic);
    pthread_cond_init(&call->heard, NULL);
    pthread_condattr_destroy(&monotonic);
    call->progress.stage = stage;
    call->shown = of_clock_seconds() - SHORTEST; /* the first word is waited for */
    context->call = call;
    call_ask(call); /* who wants to stop before it began is heard however short it is */
    pthread_t thread;
    int apart = of_thread_start(&thread, work_apart, call) == 0;
    if (apart) {
        serve(call);
        pthread_join(thread, NULL);
    }
    context->call = NULL;
    pthread_cond_destroy(&call->heard);
    pthread_cond_destroy(&call->news);
    pthread_mutex_destroy(&call->lock);
    return apart ? of_error_restore(&call->error) : call->work(context, call->arguments);
}

onefold_status of_call(of_context *context, const char *stage, of_call_work work, void *arguments)
{
    if (inside || context->call || of_team_inside())
        return work(context, arguments);
    of_call_state call = {.context = context, .work = work, .arguments = arguments};
    of_blas_enter();
    onefold_status status = run_call(&call, stage);
    of_blas_leave();
    return status;
}

/* ---- contexts ------------------------------------------------------------------------------ */

/* A clock that never runs backwards. */

double of_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
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
        return of_fail(ONEFOLD_USAGE, "hooks need both allocate and release, or neither");
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
    const of_call_state *call = context->call;
    if (call ? atomic_load(&call->cancelled)
             : context->hooks.cancel && !of_team_for_another() &&
                   context->hooks.cancel(context->hooks.user))
        return of_fail(ONEFOLD_INTERRUPTED, "interrupted");
    return ONEFOLD_OK;
}

onefold_status of_context_check_now(of_context *context)
{
    if (context->call)
        run_on_caller(context->call, call_ask, context->call);
    return of_context_check(context);
}

void of_context_progress(of_context *context, const char *stage, double done, double total,
                         const char *detail)
{
    if (!context->hooks.progress)
        return;
    onefold_progress progress = {stage, done, total, detail};
    if (context->change_progress && !context->change_progress(context->progress_user, &progress))
        return;
    if (context->call)
        call_progress(context->call, &progress);
    else if (!of_team_for_another())
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
        run_on_caller(context->call, pass_line, &task);
    else if (!of_team_for_another())
        pass_line(&task);
}
