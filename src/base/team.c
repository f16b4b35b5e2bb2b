/* SPDX-License-Identifier: Apache-2.0 */
/* The thread team, and the cut of samples into tiles. */
#include "base/team.h"

#include "base/memory.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

int of_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    enum { STACK = 8 << 20 };
    static const int ours[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
    sigset_t blocked, before;
    pthread_attr_t attributes;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        sigdelset(&blocked, ours[i]);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int failed = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

/*
 * The pool: helper threads and a list of open jobs under one lock, shared by all calls of the
 * process. Helpers without a job sleep. No caller waits for a helper to join: it works on its job
 * by itself, and a helper that the system schedules late finds the work done. So on a busy machine
 * a team of two takes no longer than one thread; with a barrier it would.
 */

typedef struct job {
    void (*run)(void *argument, int number);
    void *argument;
    int places, joined; /* helpers wanted, and those that joined so far */
    int nested;         /* the caller is inside a piece of another job */
    atomic_int inside;  /* helpers at work */
    struct job *next;
} job;

/* The lock is held for tens of nanoseconds and contended; waking a sleeper takes a hundred times
 * that. So threads spin before they sleep. */
#define LOCK PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted, left;
    job *first;
    cpu_set_t cores; /* of threads that are started from now on; empty: those of their starter */
    int threads, sleeping;
    int places;         /* of open jobs that are not nested: the number of helpers to have */
    atomic_uint posts;  /* jobs posted so far: helpers watch it before they sleep */
    atomic_int waiting; /* callers that sleep until their helpers have left */
} pool = {.lock = LOCK, .posted = PTHREAD_COND_INITIALIZER, .left = PTHREAD_COND_INITIALIZER};

/* The child of fork() has none of the pool's threads. */
static void forget_threads(void)
{
    pool.lock = (pthread_mutex_t)LOCK;
    pthread_cond_init(&pool.posted, NULL);
    pthread_cond_init(&pool.left, NULL);
    pool.first = NULL;
    pool.threads = pool.sleeping = pool.places = 0;
    atomic_store(&pool.waiting, 0);
}

static pthread_once_t watched = PTHREAD_ONCE_INIT;

static void watch_for_fork(void)
{
    (void)pthread_atfork(NULL, NULL, forget_threads);
}

/* Threads spin this long before they sleep: a solver's next job is microseconds away, and waking
 * takes longer. The bound keeps the loss on a busy machine small. */
enum { SPINS = 4000 };

static void pause_shortly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The first job with a place left, other than `but`; only nested jobs if `nested`. */
static job *open_job(const job *but, int nested)
{
    for (job *one = pool.first; one; one = one->next)
        if (one != but && one->joined < one->places && one->nested >= nested)
            return one;
    return NULL;
}

/* The last helper that leaves a job wakes its caller. */
static void leave(job *one)
{
    if (atomic_fetch_sub(&one->inside, 1) != 1 || !atomic_load(&pool.waiting))
        return; /* the job may no longer exist from here on */
    pthread_mutex_lock(&pool.lock);
    pthread_cond_broadcast(&pool.left);
    pthread_mutex_unlock(&pool.lock);
}

/* Works on a job, then spins until another is posted. Takes the pool locked, leaves it unlocked. */
static void join(job *one, int nested)
{
    unsigned before = atomic_load(&pool.posts);
    int number = ++one->joined, more = open_job(one, nested) != NULL;
    atomic_fetch_add(&one->inside, 1);
    pthread_mutex_unlock(&pool.lock);
    one->run(one->argument, number);
    leave(one);
    for (int spin = 0; !more && spin < SPINS && atomic_load(&pool.posts) == before; spin++)
        pause_shortly();
}

static void *serve(void *none)
{
    (void)none;
    for (;;) {
        pthread_mutex_lock(&pool.lock);
        while (!open_job(NULL, 0)) {
            pool.sleeping++;
            pthread_cond_wait(&pool.posted, &pool.lock);
            pool.sleeping--;
        }
        join(open_job(NULL, 0), 0);
    }
    return NULL;
}

/* Starts threads up to `wanted`, or as many as the system allows. */
static void start_threads(int wanted)
{
    enum { MOST = 1024 };
    (void)pthread_once(&watched, watch_for_fork);
    while (pool.threads < wanted && pool.threads < MOST) {
        pthread_t thread;
        if (of_thread_start(&thread, serve, NULL) != 0)
            return;
        if (CPU_COUNT(&pool.cores))
            (void)pthread_setaffinity_np(thread, sizeof pool.cores, &pool.cores);
        pthread_detach(thread);
        pool.threads++;
    }
}

void of_team_cores(const cpu_set_t *cores)
{
    pthread_mutex_lock(&pool.lock);
    pool.cores = *cores;
    pthread_mutex_unlock(&pool.lock);
}

static void post(job *one)
{
    pthread_mutex_lock(&pool.lock);
    pool.places += one->nested ? 0 : one->places;
    start_threads(pool.places);
    one->next = pool.first;
    pool.first = one;
    atomic_fetch_add(&pool.posts, 1);
    int wake = one->places < pool.sleeping ? one->places : pool.sleeping;
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < wake; i++)
        pthread_cond_signal(&pool.posted);
    if (one->nested && atomic_load(&pool.waiting))
        pthread_cond_broadcast(&pool.left);
}

/* Closes a job, and waits until its helpers have left. Unless the job is nested, the caller works
 * on nested jobs meanwhile. */
static void withdraw(job *one)
{
    pthread_mutex_lock(&pool.lock);
    job **at = &pool.first;
    while (*at != one)
        at = &(*at)->next;
    *at = one->next;
    pool.places -= one->nested ? 0 : one->places;
    pthread_mutex_unlock(&pool.lock);
    for (int spin = 0; spin < SPINS && atomic_load(&one->inside); spin++)
        pause_shortly();
    if (!atomic_load(&one->inside))
        return;
    pthread_mutex_lock(&pool.lock);
    atomic_fetch_add(&pool.waiting, 1);
    while (atomic_load(&one->inside)) {
        job *other = one->nested ? NULL : open_job(NULL, 1);
        if (other) {
            join(other, 1);
            pthread_mutex_lock(&pool.lock);
        } else {
            pthread_cond_wait(&pool.left, &pool.lock);
        }
    }
    atomic_fetch_sub(&pool.waiting, 1);
    pthread_mutex_unlock(&pool.lock);
}

/* The piece that this thread works on. */
typedef struct place {
    int size;        /* threads that a call inside it may use; 0: this thread is inside no piece */
    int number;      /* of this thread among those of the call */
    int for_another; /* another thread made the call */
} place;
static _Thread_local place here;

size_t of_team_size(of_context *context)
{
    return (size_t)(here.size ? here.size : context->threads);
}

size_t of_team_worker(void)
{
    return (size_t)here.number;
}

void of_team_share(const of_context *context)
{
    if (!here.size)
        return;
    here.size = context->threads;
    pthread_mutex_lock(&pool.lock); /* nested jobs start no threads */
    start_threads(context->threads - 1);
    pthread_mutex_unlock(&pool.lock);
}

int of_team_inside(void)
{
    return here.size != 0;
}

int of_team_for_another(void)
{
    return here.for_another;
}

static void enter_piece(of_context *context, int number)
{
    atomic_fetch_add_explicit(&context->pieces, 1, memory_order_relaxed);
    here = (place){1, number, here.for_another || number != 0};
}

typedef struct team_run {
    of_context *context;
    size_t count;
    of_team_work work;
    void *task;
    atomic_size_t next;   /* the first piece that no thread has taken */
    atomic_size_t failed; /* the lowest piece that failed; those above it are skipped */
    pthread_mutex_t lock; /* of changes of `failed` and of `error` */
    of_error error;
} team_run;

/* Leaves a piece for the place before it, and records its error. */
static void end_piece(team_run *run, size_t index, place before, onefold_status status)
{
    here = before;
    if (status == ONEFOLD_OK)
        return;
    pthread_mutex_lock(&run->lock);
    if (index < atomic_load(&run->failed)) {
        of_error_save(&run->error, status);
        atomic_store(&run->failed, index);
    }
    pthread_mutex_unlock(&run->lock);
}

/* Enters the next piece that no thread has taken. Returns 0 where none is left. */
static int take_piece(team_run *run, int number, size_t *index)
{
    place before = here;
    *index = atomic_fetch_add(&run->next, 1);
    if (*index >= run->count || *index > atomic_load(&run->failed))
        return 0;
    enter_piece(run->context, number);
    onefold_status status = of_context_check(run->context);
    if (status != ONEFOLD_OK)
        end_piece(run, *index, before, status);
    return status == ONEFOLD_OK;
}

static void help(void *opaque, int number)
{
    team_run *run = opaque;
    place before = here;
    for (size_t i; take_piece(run, number, &i);)
        end_piece(run, i, before, run->work(run->task, i));
}

onefold_status of_team_run(of_context *context, size_t count, of_team_work work, void *task)
{
    OF_COUNTED(context);
    OF_TRY(of_context_check(context)); /* other threads may take all pieces */
    int threads = (int)of_size_least(of_team_size(context), count);
    team_run run = {.context = context,
                    .count = count,
                    .work = work,
                    .task = task,
                    .failed = count,
                    .lock = PTHREAD_MUTEX_INITIALIZER};
    job shared = {.run = help, .argument = &run, .places = threads - 1, .nested = here.size != 0};
    place before = here;
    if (threads > 1)
        post(&shared);
    for (size_t i; take_piece(&run, 0, &i);)
        end_piece(&run, i, before, work(task, i));
    if (threads > 1)
        withdraw(&shared);
    pthread_mutex_destroy(&run.lock);
    return of_error_restore(&run.error);
}

onefold_status of_team_turns(of_context *context, int beside, size_t count, of_team_work work,
                             void *task)
{
    for (size_t i = 0; i < count && !beside; i++)
        OF_TRY(work(task, i));
    if (!beside)
        return ONEFOLD_OK;
    enum { COUNTED = 16 };
    struct {
        size_t taken, left;
    } piece[COUNTED];
    size_t all = atomic_load(&context->bytes), peak = atomic_load(&context->peak),
           counted = of_size_least(count, COUNTED),
           at_once = of_size_least(of_team_size(context), count);
    for (size_t i = 0; i < counted; i++) {
        size_t held = atomic_load(&context->bytes), at = i;
        place before = here;
        atomic_store(&context->peak, held);
        enter_piece(context, 0);
        onefold_status status = work(task, i);
        here = before;
        OF_TRY(status);
        size_t taken = atomic_load(&context->peak) - held;
        for (; at > 0 && piece[at - 1].taken < taken; at--) /* sorted by falling `taken` */
            piece[at] = piece[at - 1];
        piece[at].taken = taken;
        piece[at].left = atomic_load(&context->bytes) - held;
    }
    for (size_t i = 0; i < at_once; i++)
        all += piece[i < counted ? i : 0].taken;
    for (size_t i = at_once; i < counted; i++)
        all += piece[i].left;
    atomic_store(&context->peak, all > peak ? all : peak);
    return ONEFOLD_OK;
}

/* ---- tiles ---------------------------------------------------------------------------------- */

of_tiles of_tiles_make(size_t samples, size_t rows, size_t bytes)
{
    enum { SHORTEST_GROUP = 1024, LONG_GROUP = 1 << 18, NARROWEST = 32, WIDEST = 2048 };
    size_t width = bytes / (sizeof(double) * (rows ? rows : 1)) / 16 * 16;
    if (width < NARROWEST)
        width = NARROWEST;
    if (width > WIDEST)
        width = WIDEST;
    size_t groups = OF_TEAM_GROUPS;
    while (groups < OF_MOST_GROUPS && samples / groups >= LONG_GROUP)
        groups *= 2;
    while (groups > 1 && samples / groups < SHORTEST_GROUP)
        groups /= 2;
    size_t longest = (samples + groups - 1) / groups;
    size_t per_group = (longest + width - 1) / width;
    size_t most = per_group ? (longest + per_group - 1) / per_group : 0;
    of_tiles tiles = {samples, groups, per_group, groups * per_group, (most + 7) / 8 * 8};
    return tiles;
}

size_t of_part_start(size_t whole, size_t parts, size_t i)
{
    return whole / parts * i + whole % parts * i / parts;
}

size_t of_tiles_first(const of_tiles *tiles, size_t index)
{
    if (index >= tiles->count)
        return tiles->samples;
    size_t group = index / tiles->tiles_per_group;
    size_t first = of_part_start(tiles->samples, tiles->groups, group);
    size_t end = of_part_start(tiles->samples, tiles->groups, group + 1);
    return first +
           of_part_start(end - first, tiles->tiles_per_group, index % tiles->tiles_per_group);
}

size_t of_tiles_length(const of_tiles *tiles, size_t index)
{
    return of_tiles_first(tiles, index + 1) - of_tiles_first(tiles, index);
}
