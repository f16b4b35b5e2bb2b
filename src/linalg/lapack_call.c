/* SPDX-License-Identifier: Apache-2.0 */
/* Making calls of LAPACK: sizes are checked, long calls run apart. */
#include "base/memory.h"
#include "base/team.h"
#include "linalg/lapack.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef of_lapack_call call;
typedef of_operand operand;

/* Operations that take about a tenth of a second: what takes less is waited for. */
static const double LONG = 2e8;

/* ---- one call, here ------------------------------------------------------------------------- */

enum { NAN_GIVEN = -1 };

/* Room for a routine that says, when it is first called, how much it needs. LAPACKE would take it
 * itself, but prints a line where there is no memory. */

static void ask(of_lapack_room *room, lapack_int least)
{
    *room = (of_lapack_room){.numbers = -1, .wholes = -1, .least = least};
    room->number = &room->first_number;
    room->whole = &room->first_whole;
}

/* After a call: whether to call again, with the room that was asked for. At the end nothing is left
 * allocated. */
static int call_again(of_lapack_room *room, lapack_int *info)
{
    int asked = room->numbers < 0;
    if (!asked) {
        free(room->number);
        free(room->whole);
    }
    if (!asked || *info != 0)
        return 0;
    room->numbers = room->first_number > 1 ? (lapack_int)room->first_number : 1;
    room->wholes = room->first_whole > room->least ? room->first_whole : room->least;
    room->number = malloc((size_t)room->numbers * sizeof *room->number);
    room->whole = malloc(((size_t)room->wholes + 1) * sizeof *room->whole);
    if (room->number && room->whole)
        return 1;
    free(room->number);
    free(room->whole);
    *info = LAPACK_WORK_MEMORY_ERROR;
    return 0;
}

/* Whether operand i, or its lower triangle, has a NaN: some routines would not come back. */
static int is_nan(const call *c, int i, int lower)
{
    const double *x = c->x[i].at;
    for (size_t k = 0; k < c->x[i].columns; k++)
        for (size_t j = lower ? k : 0; j < c->x[i].rows; j++)
            if (isnan(x[k * c->x[i].ld + j]))
                return 1;
    return 0;
}

static lapack_int make_here(call *c)
{
    of_lapack_room room;
    lapack_int info;
    for (int i = 0; i < c->operands && !c->unchecked; i++)
        if (c->x[i].in && c->x[i].size == sizeof(double) && is_nan(c, i, i == 0 && c->lower))
            return NAN_GIVEN;
    if (!c->asks)
        return c->run(c, NULL);
    ask(&room, c->least * (lapack_int)c->x[1].rows);
    do
        info = c->run(c, &room);
    while (call_again(&room, &info));
    return info;
}

/* ---- calls that are left behind ------------------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows, and of `ended` */
static pthread_cond_t news;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static call *left_behind;
static atomic_int frozen;

static void start_news(void)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&news, &clock);
    pthread_condattr_destroy(&clock);
}

/* In the child of fork() nobody works on them any more. */
static void forget_calls(void)
{
    pthread_mutex_init(&lock, NULL);
    start_news();
    left_behind = NULL;
}

__attribute__((constructor)) static void watch_for_fork(void)
{
    (void)pthread_atfork(NULL, NULL, forget_calls);
}

static void freeze(int number)
{
    (void)number;
    atomic_fetch_add(&frozen, 1);
    for (;;)
        pause();
}

/* At the end of the process OpenBLAS takes its buffers away: whoever still computes for nobody is
 * stopped before. Their threads block every signal but those of faults, of which this is one. */
__attribute__((destructor)) static void stop_left_calls(void)
{
    struct sigaction stop = {.sa_handler = freeze};
    int asked = 0;
    pthread_mutex_lock(&lock);
    if (left_behind)
        sigaction(SIGSYS, &stop, NULL);
    for (call *c = left_behind; c; c = c->next)
        asked += pthread_kill(c->thread, SIGSYS) == 0;
    for (int wait = 0; wait < 1000 && atomic_load(&frozen) < asked; wait++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    pthread_mutex_unlock(&lock);
}

static void free_copies(call *c)
{
    for (int i = 0; i < c->operands; i++)
        free(c->x[i].at);
    free(c);
}

static void forget(call *c)
{
    call **at = &left_behind;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
}

static void *run_apart(void *opaque)
{
    call *c = opaque;
    c->info = make_here(c);
    pthread_mutex_lock(&lock);
    c->ended = 1;
    int left = c->left;
    if (left)
        forget(c);
    else
        pthread_cond_broadcast(&news);
    pthread_mutex_unlock(&lock);
    if (left)
        free_copies(c);
    return NULL;
}

/* ---- copies ------------------------------------------------------------------------------- */

static void copy_operand(const operand *from, operand *to)
{
    for (size_t j = 0; j < from->columns; j++)
        memcpy((char *)to->at + j * to->ld * to->size,
               (const char *)from->at + j * from->ld * from->size, from->rows * from->size);
}

/* NULL where there is no memory for it. */
static call *copy_call(const call *c)
{
    call *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *c;
    int failed = 0;
    for (int i = 0; i < c->operands; i++) {
        operand *to = &copy->x[i];
        to->ld = to->rows;
        to->at = calloc(to->rows * to->columns + 1, to->size);
        failed |= !to->at;
        if (to->at && to->in)
            copy_operand(&c->x[i], to);
    }
    if (!failed)
        return copy;
    free_copies(copy);
    return NULL;
}

static void await_news(void)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&news, &lock, &until);
}

/* Until it is done, or need not be: then the thread is left with its copies. */
static onefold_status await(of_context *context, call *apart)
{
    onefold_status status = ONEFOLD_OK;
    pthread_mutex_lock(&lock);
    while (!apart->ended && status == ONEFOLD_OK) {
        await_news();
        pthread_mutex_unlock(&lock);
        status = of_context_check(context);
        pthread_mutex_lock(&lock);
    }
    if (!apart->ended) {
        apart->left = 1;
        apart->next = left_behind;
        left_behind = apart;
    } else {
        status = ONEFOLD_OK;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

/* Where there is no thread or no memory for copies the call is made here, and *done stays 0. */
static onefold_status try_apart(of_context *context, call *c, int *done)
{
    call *apart = copy_call(c);
    *done = 0;
    if (!apart)
        return ONEFOLD_OK;
    pthread_once(&once, start_news);
    if (of_thread_start(&apart->thread, run_apart, apart) != 0) {
        free_copies(apart);
        return ONEFOLD_OK;
    }
    *done = 1;
    pthread_t thread = apart->thread;
    onefold_status status = await(context, apart);
    if (status != ONEFOLD_OK) {
        pthread_detach(thread);
        return status;
    }
    pthread_join(thread, NULL);
    c->info = apart->info;
    c->found = apart->found;
    for (int i = 0; i < c->operands; i++)
        if (c->x[i].out)
            copy_operand(&apart->x[i], &c->x[i]);
    free_copies(apart);
    return ONEFOLD_OK;
}

/* ---- checks ------------------------------------------------------------------------------- */

onefold_status of_lapack_counts(size_t side)
{
    if (side <= INT_MAX)
        return ONEFOLD_OK;
    return of_fail(ONEFOLD_UNSUPPORTED, "a matrix has a side of %zu, more than LAPACK can count",
                   side);
}

static onefold_status check_sizes(const call *c)
{
    for (int i = 0; i < c->operands; i++) {
        const operand *x = &c->x[i];
        size_t most = x->rows > x->columns ? x->rows : x->columns;
        most = x->ld > most ? x->ld : most;
        OF_TRY(of_lapack_counts(most));
    }
    if (c->work > INT_MAX)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "%s needs %.3g numbers of workspace for a %zu x %zu matrix, more "
                               "than LAPACK can count",
                               c->routine, c->work, c->x[0].rows, c->x[0].columns),
                       "use fewer samples, or `base` nystrom");
    return ONEFOLD_OK;
}

onefold_status of_lapack_understand(const call *c)
{
    size_t height = c->x[0].rows, width = c->x[0].columns;
    if (c->info == 0)
        return ONEFOLD_OK;
    if (c->info == LAPACK_WORK_MEMORY_ERROR || c->info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory to factorise %zu x %zu numbers",
                       height, width);
    return of_fail(ONEFOLD_FAULT, "%s could not factorise a %zu x %zu matrix (code %d)", c->routine,
                   height, width, (int)c->info);
}

static int is_made_to_fail(of_context *context, call *c)
{
    if (atomic_load(&context->lapack_until_failure) < 0 ||
        atomic_fetch_sub(&context->lapack_until_failure, 1) != 0)
        return 0;
    c->info = 1;
    return 1;
}

onefold_status of_lapack_make(of_context *context, call *c)
{
    of_context *of = of_context_or_default(context);
    int done = 0;
    OF_TRY(check_sizes(c));
    OF_COUNTED(of);
    if (is_made_to_fail(of, c))
        return ONEFOLD_OK;
    if (c->operations > (of->lapack_apart ? 0 : LONG) && (of->call || of->hooks.cancel)) {
        OF_TRY(of_context_check(of));
        OF_TRY(try_apart(of, c, &done));
    }
    if (!done)
        c->info = make_here(c);
    return ONEFOLD_OK;
}

onefold_status of_lapack_understood(of_context *context, call *c)
{
    OF_TRY(of_lapack_make(context, c));
    return of_lapack_understand(c);
}
