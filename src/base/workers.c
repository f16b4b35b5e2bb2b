/* SPDX-License-Identifier: Apache-2.0 */
/* The threads: a list of open jobs under one lock, on which threads sleep that have none. */
#include "base/workers.h"

#include "base/thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

typedef struct job {
    of_workers_run run;
    void *argument;
    int places, joined; /* for others than the one who asks */
    atomic_int inside;
    struct job *next;
} job;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted, left;
    job *first;
    int threads, sleeping;
    int places;        /* of all open jobs */
    atomic_uint posts; /* how many jobs there have been: what a thread looks at before it sleeps */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .posted = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

/* In the child of fork() there is one thread, and none of the pool's. */
static void forget_threads(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.posted, NULL);
    pthread_cond_init(&pool.left, NULL);
    pool.first = NULL;
    pool.threads = pool.sleeping = pool.places = 0;
}

__attribute__((constructor)) static void watch_for_fork(void)
{
    (void)pthread_atfork(NULL, NULL, forget_threads);
}

/* A short look before sleeping: the next piece of a solver's work is microseconds away, and waking
 * takes longer than that. It is bounded, so that a busy machine loses little by it. */
enum { LOOKS = 2000 };

static void pause_shortly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static job *open_job(void)
{
    for (job *one = pool.first; one; one = one->next)
        if (one->joined < one->places)
            return one;
    return NULL;
}

/* With the lock held, as it is again afterwards. */
static void await_job(void)
{
    unsigned before = atomic_load(&pool.posts);
    pthread_mutex_unlock(&pool.lock);
    for (int look = 0; look < LOOKS && atomic_load(&pool.posts) == before; look++)
        pause_shortly();
    pthread_mutex_lock(&pool.lock);
    while (!open_job()) {
        pool.sleeping++;
        pthread_cond_wait(&pool.posted, &pool.lock);
        pool.sleeping--;
    }
}

static void *work(void *none)
{
    (void)none;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        job *one = open_job();
        if (!one) {
            await_job();
            continue;
        }
        int number = ++one->joined;
        atomic_fetch_add(&one->inside, 1);
        pthread_mutex_unlock(&pool.lock);
        one->run(one->argument, number);
        pthread_mutex_lock(&pool.lock);
        if (atomic_fetch_sub(&one->inside, 1) == 1)
            pthread_cond_broadcast(&pool.left);
    }
    return NULL;
}

/* As many threads as all open jobs have places for; fewer where the system gives no more. */
static void start_threads(void)
{
    enum { MOST = 1024 };
    while (pool.threads < pool.places && pool.threads < MOST) {
        pthread_t thread;
        if (of_thread_start(&thread, work, NULL) != 0)
            return;
        pthread_detach(thread);
        pool.threads++;
    }
}

static void post(job *one)
{
    pthread_mutex_lock(&pool.lock);
    pool.places += one->places;
    start_threads();
    one->next = pool.first;
    pool.first = one;
    atomic_fetch_add(&pool.posts, 1);
    for (int i = 0; i < one->places && i < pool.sleeping; i++)
        pthread_cond_signal(&pool.posted);
    pthread_mutex_unlock(&pool.lock);
}

static void withdraw(job *one)
{
    pthread_mutex_lock(&pool.lock);
    job **at = &pool.first;
    while (*at != one)
        at = &(*at)->next;
    *at = one->next;
    pool.places -= one->places;
    pthread_mutex_unlock(&pool.lock);
    for (int look = 0; look < LOOKS && atomic_load(&one->inside); look++)
        pause_shortly();
    pthread_mutex_lock(&pool.lock); /* also where none is inside: the last one may still hold it */
    while (atomic_load(&one->inside))
        pthread_cond_wait(&pool.left, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

void of_workers_share(int most, of_workers_run run, void *argument)
{
    job one = {.run = run, .argument = argument, .places = most - 1};
    if (most < 2) {
        run(argument, 0);
        return;
    }
    post(&one);
    run(argument, 0);
    withdraw(&one);
}
