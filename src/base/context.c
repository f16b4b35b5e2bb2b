/* SPDX-License-Identifier: Apache-2.0 */
/* Makes contexts, and calls their hooks. */
#include "base/context.h"

#include "base/blas_threads.h"
#include "base/device.h"
#include "base/memory.h"
#include "base/number.h"
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

static const double WAIT = 0.025;    /* seconds between two calls of the cancel hook */
static const double REPEAT = 0.1;    /* seconds after which progress is repeated */
static const double SHORTEST = 0.05; /* seconds between two reports that change `done` alone */

/* A function that the calling thread runs for a worker, which waits for it. */
typedef struct request {
    void (*run)(void *);
    void *argument;
    int done;
} request;

struct of_call_state {
    of_context *context;
    of_call_work work;
    void *arguments;
    atomic_int cancelled;
    pthread_mutex_t lock;     /* of all that follows */
    pthread_cond_t requested; /* for the calling thread: a request was made, or work is finished */
    pthread_cond_t served;    /* for the workers: a request is done */
    onefold_progress progress;
    char detail[256];
    double reported; /* when the progress hook was called last */
    int unreported;  /* progress has changed since */
    request *request;
    int finished;
    of_error error;
};

/* Whether this thread does the work of a call. */
static _Thread_local int inside;

/* ---- the working thread ------------------------------------------------------------------- */

static void call_cancel_hook(void *opaque)
{
    of_call_state *call = opaque;
    const onefold_hooks *hooks = &call->context->hooks;
    if (hooks->cancel && hooks->cancel(hooks->user))
        atomic_store(&call->cancelled, 1);
}

/* Has the calling thread run `run` with `argument`, and waits for it. */
static void run_on_caller(of_call_state *call, void (*run)(void *), void *argument)
{
    request own = {run, argument, 0};
    pthread_mutex_lock(&call->lock);
    while (call->request) /* another thread's */
        pthread_cond_wait(&call->served, &call->lock);
    call->request = &own;
    pthread_cond_signal(&call->requested);
    while (!own.done)
        pthread_cond_wait(&call->served, &call->lock);
    pthread_mutex_unlock(&call->lock);
}

static void call_progress_hook(void *opaque)
{
    of_call_state *call = opaque;
    const onefold_hooks *hooks = &call->context->hooks;
    pthread_mutex_lock(&call->lock); /* the work may report more meanwhile */
    if (hooks->progress)
        hooks->progress(hooks->user, &call->progress);
    call->reported = of_clock_seconds();
    call->unreported = 0;
    pthread_mutex_unlock(&call->lock);
}

/* of_context_progress inside a call. Waits for the hook where the report matters or is due. */
static void report_progress(of_call_state *call, const onefold_progress *progress)
{
    pthread_mutex_lock(&call->lock);
    int waits = progress->stage != call->progress.stage || progress->done == 0 ||
                (progress->total > 0 && progress->done >= progress->total) ||
                of_clock_seconds() - call->reported >= SHORTEST;
    call->progress = *progress;
    call->unreported = 1;
    if (progress->detail) {
        snprintf(call->detail, sizeof call->detail, "%s", progress->detail);
        call->progress.detail = call->detail;
    }
    pthread_mutex_unlock(&call->lock);
    if (waits)
        run_on_caller(call, call_progress_hook, call);
}

static void *run_work(void *opaque)
{
    of_call_state *call = opaque;
    inside = 1;
    onefold_status status = call->work(call->context, call->arguments);
    inside = 0;
    pthread_mutex_lock(&call->lock);
    of_error_save(&call->error, status);
    call->finished = 1;
    pthread_cond_signal(&call->requested);
    pthread_mutex_unlock(&call->lock);
    return NULL;
}

/* ---- the calling thread ------------------------------------------------------------------- */

static void wait_for_request(of_call_state *call)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(WAIT * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&call->requested, &call->lock, &until);
}

static void serve(of_call_state *call)
{
    pthread_mutex_lock(&call->lock);
    while (!call->finished) {
        request *one = call->request;
        int repeat = of_clock_seconds() - call->reported >= REPEAT;
        pthread_mutex_unlock(&call->lock);
        if (one)
            one->run(one->argument);
        else if (repeat)
            call_progress_hook(call);
        if (!atomic_load(&call->cancelled))
            call_cancel_hook(call);
        pthread_mutex_lock(&call->lock);
        if (one) {
            one->done = 1;
            call->request = NULL;
            pthread_cond_broadcast(&call->served);
        } else if (!call->finished && !call->request)
            wait_for_request(call);
    }
    pthread_mutex_unlock(&call->lock);
    if (call->unreported) /* the last report always reaches the hook */
        call_progress_hook(call);
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
    pthread_cond_init(&call->requested, &monotonic);
    pthread_cond_init(&call->served, NULL);
    pthread_condattr_destroy(&monotonic);
    call->progress.stage = stage;
    call->reported = of_clock_seconds() - SHORTEST; /* so the first report is waited for */
    context->call = call;
    call_cancel_hook(call); /* a request to stop counts even where the work is short */
    pthread_t thread;
    int started = of_thread_start(&thread, run_work, call) == 0;
    if (started) {
        serve(call);
        pthread_join(thread, NULL);
    }
    context->call = NULL;
    pthread_cond_destroy(&call->served);
    pthread_cond_destroy(&call->requested);
    pthread_mutex_destroy(&call->lock);
    return started ? of_error_restore(&call->error) : call->work(context, call->arguments);
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

double of_clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static of_context default_context;
static pthread_once_t default_once = PTHREAD_ONCE_INIT;

/* Cores that this process may use: a container or taskset may allow it fewer than there are. */
static int core_count(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return CPU_COUNT(&allowed);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

/* As many threads as cores; under a limit of address space, BLAS's buffers take at most half. */
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
    of_device_settle(); /* the process may end next */
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
        run_on_caller(context->call, call_cancel_hook, context->call);
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
        report_progress(context->call, &progress);
    else if (!of_team_for_another())
        context->hooks.progress(context->hooks.user, &progress);
}

typedef struct log_line {
    const onefold_hooks *hooks;
    char text[512];
} log_line;

static void call_log_hook(void *opaque)
{
    const log_line *line = opaque;
    line->hooks->log(line->hooks->user, line->text);
}

void of_context_log(of_context *context, const char *format, ...)
{
    if (!context->hooks.log)
        return;
    log_line line = {.hooks = &context->hooks};
    va_list arguments;
    va_start(arguments, format);
    if (of_number_print_list(line.text, sizeof line.text, format, arguments) < 0)
        line.text[0] = '\0';
    va_end(arguments);
    if (context->call)
        run_on_caller(context->call, call_log_hook, &line);
    else if (!of_team_for_another())
        call_log_hook(&line);
}
