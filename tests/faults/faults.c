/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that is loaded before the C library (LD_PRELOAD) and has one call of the system fail:
 *
 *     ONEFOLD_FAULT=write:3:ENOSPC     the third write() fails with ENOSPC
 *     ONEFOLD_FAULT=read:1:short       the first read() gives a single byte
 *     ONEFOLD_FAULT=malloc:40:ENOMEM   the 40th allocation fails
 *     ONEFOLD_FAULT=rename:2:kill      the process is killed at the second rename()
 *     ONEFOLD_FAULT_COUNTS=FILE        how often each was called, written at the end
 *
 * Calls are counted from the command's first own call on (setlocale), not those of the loader. A
 * program can ask for failing calls itself, by onefold_faults_start and _stop, and for the stacks
 * from which they were made.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum call {
    OPEN,
    READ,
    WRITE,
    MMAP,
    PAGES, /* mmap of no file */
    FTRUNCATE,
    FSYNC,
    RENAME,
    FORK,
    FSTAT,
    PIPE,
    POLL,
    THREAD,
    MALLOC,
    CALLS
};
static const char *const names[CALLS] = {"open",      "read",  "write",  "mmap",  "pages",
                                         "ftruncate", "fsync", "rename", "fork",  "fstat",
                                         "pipe",      "poll",  "thread", "malloc"};
static atomic_long counts[CALLS];
static atomic_int armed;
static int chosen = -1, error_number, is_short, is_end;
static long chosen_place;
static int every;   /* all from that place on */
static int within;  /* the program itself asked for it */
static pid_t owner; /* a child of its own tells nothing */

static const struct {
    const char *name;
    int number;
} errors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EINTR", EINTR},
              {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}, {"EMFILE", EMFILE}};

__attribute__((constructor)) static void start(void)
{
    owner = getpid();
    const char *wish = getenv("ONEFOLD_FAULT");
    char call[16] = "", how[16] = "";
    if (!wish || sscanf(wish, "%15[^:]:%ld:%15s", call, &chosen_place, how) != 3)
        return;
    for (int i = 0; i < CALLS; i++)
        if (strcmp(call, names[i]) == 0)
            chosen = i;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (strcmp(how, errors[i].name) == 0)
            error_number = errors[i].number;
    is_short = strcmp(how, "short") == 0;
    is_end = strcmp(how, "kill") == 0;
}

/* ---- stacks --------------------------------------------------------------------------------- */

static uint64_t *stacks; /* where those of the calls are put, if they are asked for */
static long stack_room;

/* Whether code is of a library whose own failures are not ours: libhdf5, which is left in disorder
 * (and so tries a file in a child first). */
static int is_foreign(void *code)
{
    Dl_info about;
    return dladdr(code, &about) && about.dli_fname && strstr(about.dli_fname, "libhdf5");
}

/* A number for the stack of its caller's caller; 0: the call is not one to fail. */
static uint64_t stack_number(void)
{
    enum { OWN = 2, MOST = 96 };
    void *at[MOST];
    uint64_t number = 14695981039346656037u;
    int depth = backtrace(at, MOST);
    for (int i = OWN; i < depth; i++)
        number = (number ^ (uintptr_t)at[i]) * 1099511628211u;
    for (int i = OWN; i < depth && i < OWN + 3; i++)
        if (is_foreign(at[i]))
            return 0;
    return number;
}

uint64_t onefold_faults_stack(void);
uint64_t onefold_faults_stack(void)
{
    return stack_number();
}

/* 1: this one is to fail; errno is set. */
static int fails(enum call call)
{
    static _Thread_local int inside; /* who looks at stacks may take memory */
    if (!atomic_load(&armed) || inside)
        return 0;
    long place = atomic_fetch_add(&counts[call], 1) + 1;
    if ((int)call != chosen)
        return 0;
    if (stacks && place <= stack_room) {
        inside = 1;
        stacks[place - 1] = stack_number();
        inside = 0;
    }
    if (place != chosen_place && !(every && place > chosen_place))
        return 0;
    if (within && getpid() != owner) /* a child of the program's */
        return 0;
    if (call == MALLOC && getpid() == owner) {
        inside = 1;
        int foreign = stack_number() == 0;
        inside = 0;
        if (foreign) /* where the child of a moment ago had memory enough */
            return 0;
    }
    if (is_end)
        raise(SIGKILL);
    errno = error_number;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

char *setlocale(int category, const char *locale);
char *setlocale(int category, const char *locale)
{
    char *(*real)(int, const char *) = (char *(*)(int, const char *))dlsym(RTLD_NEXT, "setlocale");
    char *now = real(category, locale);
    atomic_store(&armed, 1);
    return now;
}

/* At the command's end, before anybody else's clean-up. */
__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("ONEFOLD_FAULT_COUNTS");
    atomic_store(&armed, 0);
    FILE *out = path && getpid() == owner ? fopen(path, "w") : NULL;
    for (int i = 0; out && i < CALLS; i++)
        fprintf(out, "%s %ld\n", names[i], atomic_load(&counts[i]));
    if (out)
        fclose(out);
}

/* Where the address space is limited the command ends without anybody's clean-up, and this is its
 * end. */
void _exit(int status)
{
    tell();
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}

static int open_real(const char *path, int flags, mode_t mode)
{
    return REAL(open)(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return fails(OPEN) ? -1 : open_real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return fails(OPEN) ? -1 : open_real(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return fails(OPEN) ? -1 : REAL(openat)(folder, path, flags, mode);
}

DIR *opendir(const char *path)
{
    return fails(OPEN) ? NULL : REAL(opendir)(path);
}

FILE *fopen(const char *path, const char *mode)
{
    return fails(OPEN) ? NULL : REAL(fopen)(path, mode);
}

ssize_t read(int descriptor, void *bytes, size_t size)
{
    int failing = fails(READ);
    if (failing && !is_short)
        return -1;
    return REAL(read)(descriptor, bytes, failing && size ? 1 : size);
}

ssize_t pread(int descriptor, void *bytes, size_t size, off_t at)
{
    int failing = fails(READ);
    if (failing && !is_short)
        return -1;
    return REAL(pread)(descriptor, bytes, failing && size ? 1 : size, at);
}

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    int failing = fails(WRITE);
    if (failing && !is_short)
        return -1;
    return REAL(write)(descriptor, bytes, failing && size ? 1 : size);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t at)
{
    int failing = fails(WRITE);
    if (failing && !is_short)
        return -1;
    return REAL(pwrite)(descriptor, bytes, failing && size ? 1 : size, at);
}

void *mmap(void *at, size_t size, int protection, int flags, int descriptor, off_t offset)
{
    if (fails(flags & MAP_ANONYMOUS ? PAGES : MMAP))
        return MAP_FAILED;
    return REAL(mmap)(at, size, protection, flags, descriptor, offset);
}

int ftruncate(int descriptor, off_t size)
{
    return fails(FTRUNCATE) ? -1 : REAL(ftruncate)(descriptor, size);
}

int fsync(int descriptor)
{
    return fails(FSYNC) ? -1 : REAL(fsync)(descriptor);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : REAL(rename)(from, to);
}

pid_t fork(void)
{
    return fails(FORK) ? -1 : REAL(fork)();
}

int fstat(int descriptor, struct stat *about)
{
    return fails(FSTAT) ? -1 : REAL(fstat)(descriptor, about);
}

int pipe2(int ends[2], int flags)
{
    return fails(PIPE) ? -1 : REAL(pipe2)(ends, flags);
}

int poll(struct pollfd *list, nfds_t count, int milliseconds)
{
    return fails(POLL) ? -1 : REAL(poll)(list, count, milliseconds);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                   void *argument)
{
    return fails(THREAD) ? EAGAIN : REAL(pthread_create)(thread, how, run, argument);
}

/* ---- memory ------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static atomic_long live; /* blocks that were not given back */

static void *count(void *memory)
{
    if (memory)
        atomic_fetch_add(&live, 1);
    return memory;
}

void *malloc(size_t size)
{
    return fails(MALLOC) ? NULL : count(__libc_malloc(size));
}

void *calloc(size_t number, size_t size)
{
    return fails(MALLOC) ? NULL : count(__libc_calloc(number, size));
}

void *realloc(void *memory, size_t size)
{
    if (fails(MALLOC))
        return NULL;
    return memory ? __libc_realloc(memory, size) : count(__libc_realloc(memory, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(MALLOC) ? NULL : count(__libc_memalign(alignment, size));
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *made = fails(MALLOC) ? NULL : count(__libc_memalign(alignment, size));
    if (!made)
        return ENOMEM;
    *memory = made;
    return 0;
}

void free(void *memory)
{
    if (memory)
        atomic_fetch_sub(&live, 1);
    __libc_free(memory);
}

/* From now on call number `place` of a kind, from 1, fails with `error`, or is cut to a byte where
 * that is 0, and where `on` all after it too; place 0 and not on: none. `list`: `room` numbers, of
 * the stacks of the calls; or NULL. */
void onefold_faults_start(const char *call, long place, int error, int on, uint64_t *list,
                          long room);
void onefold_faults_start(const char *call, long place, int error, int on, uint64_t *list,
                          long room)
{
    for (int i = 0; i < CALLS; i++) {
        atomic_store(&counts[i], 0);
        if (strcmp(call, names[i]) == 0)
            chosen = i;
    }
    owner = getpid();
    within = 1;
    chosen_place = place;
    error_number = error;
    is_short = !error;
    every = on;
    stacks = list;
    stack_room = room;
    atomic_store(&armed, 1);
}

/* How many of the kind there were; and how many blocks there are. */
long onefold_faults_stop(void);
long onefold_faults_stop(void)
{
    atomic_store(&armed, 0);
    stacks = NULL;
    every = 0;
    return chosen < 0 ? 0 : atomic_load(&counts[chosen]);
}

/* How many of any kind there were since the start. */
long onefold_faults_count(const char *call);
long onefold_faults_count(const char *call)
{
    for (int i = 0; i < CALLS; i++)
        if (strcmp(call, names[i]) == 0)
            return atomic_load(&counts[i]);
    return 0;
}

long onefold_faults_live(void);
long onefold_faults_live(void)
{
    return atomic_load(&live);
}
