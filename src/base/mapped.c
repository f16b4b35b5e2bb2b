/* SPDX-License-Identifier: Apache-2.0 */
/* The list of maps, which a program's signal handler walks. Entries are added and used again, but
 * never removed, and fields that change are atomic. */
#include "base/mapped.h"

#include "onefold.h"

#include <errno.h>
#include <pthread.h>
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
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static uintptr_t page;
static atomic_int allowed;

static place *find(const void *address)
{
    for (place *at = atomic_load(&places); at; at = at->next) {
        size_t size = atomic_load(&at->size);
        if (size && (uintptr_t)address - atomic_load(&at->start) < size)
            return at;
    }
    return NULL;
}

void onefold_map_files(int on)
{
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    atomic_store(&allowed, on != 0);
}

int of_mapped_allowed(void)
{
    return atomic_load(&allowed);
}

int onefold_mapped_fault(const void *address)
{
    int reason = errno;
    place *at = find(address);
    if (!at)
        return 0;
    uintptr_t from = (uintptr_t)address / page * page;
    size_t rest = atomic_load(&at->start) + atomic_load(&at->size) - from;
    int made = mmap((void *)from, rest, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                    0) != MAP_FAILED;
    if (made)
        atomic_store(&at->cut, 1);
    errno = reason;
    return made;
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
    if (at)
        atomic_store(&at->size, 0);
    pthread_mutex_unlock(&lock);
    munmap(map, size);
}

int of_mapped_holds(const void *address)
{
    return find(address) != NULL;
}

int of_mapped_differs(const struct stat *before, const struct stat *now)
{
    return now->st_size != before->st_size || now->st_mtim.tv_sec != before->st_mtim.tv_sec ||
           now->st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

/* Whether the file was written to. One that was renamed to the same path is another file. */
static int has_changed(const place *at)
{
    struct stat now;
    return stat(at->path, &now) == 0 && now.st_dev == at->file.st_dev &&
           now.st_ino == at->file.st_ino && of_mapped_differs(&at->file, &now);
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
