/* SPDX-License-Identifier: Apache-2.0 */
/* The list of maps, which a signal handler walks. Entries are added and used again, but never
 * removed, and fields that change are atomic. */
#include "base/mapped.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct place {
    struct place *next;
    atomic_uintptr_t start;
    atomic_size_t size; /* 0: this entry is free */
    atomic_int cut;     /* the file was cut short: zeros replace its end */
    struct stat file;   /* when it was mapped */
    char path[4096];
} place;

static _Atomic(place *) places;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list and what follows */
static size_t maps;
static uintptr_t page;

/* The handler before ours. One that was set over ours may call it in turn, also once ours is set
 * over it again: `first` is the one from before ours was ever set, and ends such a circle. */
static struct sigaction before, first;
static int covered; /* another handler was found over ours, and may call it */

static place *find(const void *address)
{
    for (place *at = atomic_load(&places); at; at = at->next) {
        size_t size = atomic_load(&at->size);
        if (size && (uintptr_t)address - atomic_load(&at->start) < size)
            return at;
    }
    return NULL;
}

/* The signals that threads pass on, by where they lie on a thread's stack, and how deep it was: a
 * signal that comes back lies there still, and deeper calls have it. A handler may never return.
 * Thread-local memory may be allocated by an access, which a handler must not do. */
enum { PASSING = 64 };
static struct {
    atomic_uintptr_t about, frame;
} passing[PASSING];

/* Calls the host's handler for a signal that is not ours. */
static void pass_on(int number, siginfo_t *about, void *state)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0), which = (uintptr_t)about;
    size_t slot = which / page % PASSING;
    int again =
        atomic_load(&passing[slot].about) == which && frame < atomic_load(&passing[slot].frame);
    const struct sigaction *next = again ? &first : &before;
    atomic_store(&passing[slot].about, which);
    atomic_store(&passing[slot].frame, frame);
    if (next->sa_flags & SA_SIGINFO)
        next->sa_sigaction(number, about, state);
    else if (next->sa_handler != SIG_DFL && next->sa_handler != SIG_IGN)
        next->sa_handler(number);
    else
        signal(number, SIG_DFL); /* the instruction then raises it again */
    atomic_store(&passing[slot].about, 0);
}

static void on_bus_error(int number, siginfo_t *about, void *state)
{
    int reason = errno;
    place *at = about->si_code > 0 ? find(about->si_addr) : NULL; /* above 0: from the system */
    uintptr_t from = (uintptr_t)about->si_addr / page * page;
    if (at) {
        size_t rest = atomic_load(&at->start) + atomic_load(&at->size) - from;
        if (mmap((void *)from, rest, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
            MAP_FAILED)
            at = NULL;
        else
            atomic_store(&at->cut, 1);
    }
    errno = reason;
    if (!at)
        pass_on(number, about, state);
}

static void set_handler(void)
{
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    ours.sa_sigaction = on_bus_error;
    sigemptyset(&ours.sa_mask);
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigaction(SIGBUS, &ours, &before);
    if (!covered)
        first = before;
}

static void restore_handler(void)
{
    struct sigaction now;
    if (sigaction(SIGBUS, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
        now.sa_sigaction == on_bus_error)
        sigaction(SIGBUS, &before, NULL);
    else
        covered = 1;
}

/* A free entry of the list; NULL where there is no memory for one. */
static place *free_place(void)
{
    place *at = atomic_load(&places);
    while (at && atomic_load(&at->size))
        at = at->next;
    if (at)
        return at;
    at = calloc(1, sizeof *at);
    if (at) {
        at->next = atomic_load(&places);
        atomic_store(&places, at);
    }
    return at;
}

int of_mapped_make(void **map, int descriptor, size_t size, const char *path)
{
    struct stat file;
    if (fstat(descriptor, &file) != 0)
        return errno;
    void *made = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (made == MAP_FAILED)
        return errno;
    pthread_mutex_lock(&lock);
    place *at = free_place();
    if (at) {
        at->file = file;
        snprintf(at->path, sizeof at->path, "%s", path);
        atomic_store(&at->cut, 0);
        atomic_store(&at->start, (uintptr_t)made);
        atomic_store(&at->size, size);
        if (maps++ == 0)
            set_handler();
    }
    pthread_mutex_unlock(&lock);
    if (!at) {
        munmap(made, size);
        return ENOMEM;
    }
    *map = made;
    return 0;
}

void of_mapped_end(void *map, size_t size)
{
    pthread_mutex_lock(&lock);
    place *at = find(map);
    if (at) {
        atomic_store(&at->size, 0);
        if (--maps == 0)
            restore_handler();
    }
    pthread_mutex_unlock(&lock);
    munmap(map, size);
}

int of_mapped_holds(const void *address)
{
    return find(address) != NULL;
}

/* Whether the file was written to. One that was renamed to the same path is another file. */
static int has_changed(const place *at)
{
    struct stat now;
    return stat(at->path, &now) == 0 && now.st_dev == at->file.st_dev &&
           now.st_ino == at->file.st_ino &&
           (now.st_size != at->file.st_size || now.st_mtim.tv_sec != at->file.st_mtim.tv_sec ||
            now.st_mtim.tv_nsec != at->file.st_mtim.tv_nsec);
}

onefold_status of_mapped_intact(const void *address, onefold_status status)
{
    place *at = address ? find(address) : NULL;
    if (!at || (!atomic_load(&at->cut) && !has_changed(at)))
        return status;
    return of_hint(
        of_fail(ONEFOLD_IO, "%s: the file was changed while it was being read", at->path),
        "wait until it is written to its end, or copy it first");
}
