/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failures [HOW] [CASE] [KIND]: every public function that takes memory, reads or writes, with one
 * call failing: an allocation of the whole process, that of LAPACKE and zlib included; a
 * call of the system; one of LAPACK; or the cancel hook says stop. Each time it ends with a
 * sentence and the status of that failure, or with its usual result where it can do without; what
 * it was to fill is as it was, no block or file is left behind, and the next call has the usual
 * result. It runs with libonefold_faults.so preloaded.
 *
 * CASE is a part of names, or "=" and a whole one. HOW: "stacks" (or nothing): of the calls that
 * are made from the same stack, the first one of all cases; "all": every call; a number: of the
 * stacks so many for each case and kind, evenly spread.
 */
#include "faults/failures.h"

#include "base/context.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*start)(const char *call, long place, int error, int on, uint64_t *list, long room);
static long (*stop)(void), (*live)(void), (*count_of)(const char *call);
static uint64_t (*stack)(void);
static long tried, refused, usual, bad;

/* A kind of failure: which call, how, and what may come of it besides the usual result. */
typedef struct kind {
    const char *name, *call; /* call NULL: it is not of the system */
    int error;               /* 0: it does a byte of what it was asked for */
    onefold_status may[2];
    int other; /* another result may come of it: another way was taken, with other last digits */
} kind;
static const kind kinds[] = {
    {"allocation", "malloc", ENOMEM, {ONEFOLD_NO_MEMORY}, 0},
    {"cancel", NULL, 0, {ONEFOLD_INTERRUPTED}, 0},
    {"LAPACK", NULL, 0, {ONEFOLD_FAULT, ONEFOLD_BAD_DATA}, 1},
    {"open", "open", EMFILE, {ONEFOLD_IO}, 0},
    {"read", "read", EIO, {ONEFOLD_IO}, 0},
    {"short read", "read", 0, {ONEFOLD_OK}, 0},
    {"write", "write", ENOSPC, {ONEFOLD_IO}, 0},
    {"short write", "write", 0, {ONEFOLD_OK}, 0},
    {"mmap", "mmap", ENOMEM, {ONEFOLD_IO, ONEFOLD_NO_MEMORY}, 0},
    {"pages", "pages", ENOMEM, {ONEFOLD_IO, ONEFOLD_NO_MEMORY}, 0},
    {"ftruncate", "ftruncate", EIO, {ONEFOLD_IO}, 0},
    {"fsync", "fsync", EIO, {ONEFOLD_IO}, 0},
    {"rename", "rename", EIO, {ONEFOLD_IO}, 0},
    {"fstat", "fstat", EIO, {ONEFOLD_IO}, 0},
    {"pipe", "pipe", EMFILE, {ONEFOLD_IO}, 0},
    {"fork", "fork", EAGAIN, {ONEFOLD_IO}, 0},
    {"poll", "poll", EIO, {ONEFOLD_IO}, 0},
    {"thread", "thread", EAGAIN, {ONEFOLD_OK}, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- the cancel hook, and LAPACK ------------------------------------------------------------ */

static onefold_context *plain, *hooked;
static long asked, stop_at;
static uint64_t *ask_stacks;
enum { ROOM = 1 << 18 };

static int cancel(void *user)
{
    (void)user;
    asked++;
    if (ask_stacks && asked <= ROOM)
        ask_stacks[asked - 1] = stack();
    return stop_at && asked >= stop_at;
}

/* Starts a kind of failure at a place; 0: nowhere. With `list`, the stacks of all such calls go
 * there. Where the hook is to be asked by those who do the work no thread can be started. */
static void arm(const kind *k, long place, uint64_t *list)
{
    failure_context = k->may[0] == ONEFOLD_INTERRUPTED ? hooked : plain;
    asked = 0;
    if (k->call) {
        start(k->call, place, k->error, 0, list, ROOM);
        return;
    }
    stop_at = failure_context == hooked ? place : 0;
    ask_stacks = failure_context == hooked ? list : NULL;
    if (failure_context == hooked)
        start("thread", 0, EAGAIN, 1, NULL, 0);
    else
        atomic_store(&plain->lapack_until_failure, place ? place - 1 : 1000000);
}

/* How many such calls there were. */
static long disarm(const kind *k)
{
    long left = atomic_load(&plain->lapack_until_failure), calls = stop();
    atomic_store(&plain->lapack_until_failure, -1);
    stop_at = 0;
    ask_stacks = NULL;
    return k->call ? calls : failure_context == hooked ? asked : left < 0 ? 0 : 1000000 - left;
}

/* ---- a case -----------------------------------------------------------------------------------
 */

static void problem(const char *name, const kind *k, long place, const char *what)
{
    bad++;
    printf("%s, %s %ld: %s (%s)\n", name, k->name, place, what, onefold_last_error());
}

static int left_behind(void)
{
    int found = 0;
    DIR *list = opendir(".");
    for (struct dirent *entry; list && (entry = readdir(list));)
        found |= strncmp(entry->d_name, ".onefold-", 9) == 0;
    if (list)
        closedir(list);
    return found;
}

typedef struct ran {
    onefold_status status;
    uint64_t digest;
    long calls, kept; /* of the kind; blocks that are left */
    int touched;
} ran;

static ran once(const failure_case *c, const kind *k, long place, uint64_t *list)
{
    failure_out out = {0};
    ran r = {0};
    long before = live();
    arm(k, place, list);
    r.status = c->run(c, &out, &r.digest);
    r.calls = disarm(k);
    r.touched = out.touched;
    failure_free(&out);
    r.kept = live() - before;
    return r;
}

static int is_usual(const ran *r, uint64_t right)
{
    return r->status == ONEFOLD_OK && r->digest == right && r->kept <= 0;
}

static int may_be(const kind *k, onefold_status status)
{
    return status == ONEFOLD_OK || status == k->may[0] || (k->may[1] && status == k->may[1]);
}

static void try_place(const failure_case *c, const kind *k, long place, uint64_t right)
{
    long before = bad;
    ran r = once(c, k, place, NULL);
    if (r.kept > 0) /* the text of a first error stays; what is lost is lost again */
        r = once(c, k, place, NULL);
    tried++;
    if (r.status == ONEFOLD_OK && r.digest != right && !k->other)
        problem(c->name, k, place, "another result");
    if (!may_be(k, r.status))
        problem(c->name, k, place, onefold_name(ONEFOLD_NAMES_STATUS, r.status));
    if (r.status != ONEFOLD_OK && !*onefold_last_error())
        problem(c->name, k, place, "no sentence");
    if (r.touched)
        problem(c->name, k, place, "what it was to fill is changed");
    if (r.kept > 0)
        problem(c->name, k, place, "memory is left behind");
    if (left_behind())
        problem(c->name, k, place, "a temporary file is left behind");
    ran again = once(c, k, 0, NULL);
    if (again.kept > 0) /* what a library keeps may have come back */
        again = once(c, k, 0, NULL);
    if (!is_usual(&again, right))
        problem(c->name, k, place, "the next call is not as before");
    if (bad == before)
        *(r.status == ONEFOLD_OK ? &usual : &refused) += 1;
}

/* ---- which places -----------------------------------------------------------------------------
 */

/* Whether a stack is new among those of a kind; 0 is none. */
static int is_new(size_t which, uint64_t number)
{
    enum { SLOTS = 1 << 18 };
    static uint64_t seen[KINDS][SLOTS];
    uint64_t at = number * 0x9e3779b97f4a7c15u >> 46;
    for (size_t step = 0; step < SLOTS / 2 && number; step++, at++) {
        uint64_t *slot = &seen[which][at % SLOTS];
        if (*slot == number)
            return 0;
        if (!*slot) {
            *slot = number;
            return 1;
        }
    }
    return 0;
}

static uint64_t numbers[ROOM];
static long places[ROOM];

/* The places to try, of so many calls whose stacks are in `numbers`; how many they are. */
static long choose_places(const failure_case *c, size_t which, long calls, int all, long most)
{
    const kind *k = &kinds[which];
    long count = 0, taken = 0;
    int stacks = k->call || k->may[0] == ONEFOLD_INTERRUPTED;
    for (long place = 1; place <= calls && place <= ROOM; place++)
        if (!stacks ? all || place <= 40
            : all   ? numbers[place - 1] != 0
                    : is_new(which, numbers[place - 1]))
            places[count++] = place;
    if (c->most && (!most || most > c->most))
        most = c->most;
    long step = most && count > most ? (count + most - 1) / most : 1;
    for (long i = 0; i < count; i += step)
        places[taken++] = places[i];
    return taken;
}

static void try_case(const failure_case *c, size_t which, int all, long most)
{
    static const failure_case *before; /* whose calls of all kinds are known: */
    static long happen[KINDS];
    const kind *k = &kinds[which];
    ran r = {0};
    if (c == before && k->call && !happen[which])
        return;
    memset(numbers, 0, sizeof numbers);
    for (int warm = c == before && k->call ? 2 : 0; warm < 3; warm++) {
        r = once(c, k, 0, warm == 2 ? numbers : NULL); /* what libraries keep is there by then */
        if (r.status != ONEFOLD_OK) {
            problem(c->name, k, 0, "it fails by itself");
            return;
        }
    }
    for (size_t i = 0; i < KINDS && c != before && k->call; i++)
        happen[i] = kinds[i].call ? count_of(kinds[i].call) : 0;
    before = k->call ? c : before;
    long first = bad, count = choose_places(c, which, r.calls, all, most);
    for (long i = 0; i < count; i++)
        try_place(c, k, places[i], r.digest);
    if (count > 0)
        printf("%-22s %-11s %6ld calls, %5ld made to fail, %ld badly\n", c->name, k->name, r.calls,
               count, bad - first);
    fflush(stdout);
}

static int is_named(const char *name, const char *word)
{
    return !word || (*word == '=' ? strcmp(name, word + 1) == 0 : strstr(name, word) != NULL);
}

static void try_all(const failure_case *cases, size_t count, int all, long most, char **words)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < KINDS; k++)
            if (is_named(cases[i].name, words[0]) &&
                (!words[0] || !words[1] || strcmp(kinds[k].name, words[1]) == 0))
                try_case(&cases[i], k, all, most);
}

static onefold_status make_contexts(void)
{
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = cancel;
    TRY(onefold_context_create(&plain, NULL));
    TRY(onefold_context_create(&hooked, &hooks));
    TRY(onefold_context_set_threads(plain, 1));
    TRY(onefold_context_set_threads(hooked, 1));
    failure_context = plain;
    return ONEFOLD_OK;
}

int main(int count, char **words)
{
    char folder[] = "/tmp/onefold-failures-XXXXXX", remove[64];
    int all = count > 1 && strcmp(words[1], "all") == 0;
    long most = count > 1 ? atol(words[1]) : 0;
    *(void **)&start = dlsym(RTLD_DEFAULT, "onefold_faults_start");
    *(void **)&stop = dlsym(RTLD_DEFAULT, "onefold_faults_stop");
    *(void **)&live = dlsym(RTLD_DEFAULT, "onefold_faults_live");
    *(void **)&count_of = dlsym(RTLD_DEFAULT, "onefold_faults_count");
    *(void **)&stack = dlsym(RTLD_DEFAULT, "onefold_faults_stack");
    if (!start || !stop || !live || !count_of || !stack || !mkdtemp(folder) || chdir(folder) != 0)
        return 2;
    (void)stack();                  /* it loads what it needs */
    puts("every call fails once:"); /* what standard output keeps is there then */
    if (make_contexts() == ONEFOLD_OK &&
        failure_prepare(getenv("ONEFOLD_MAKE_HDF")) == ONEFOLD_OK) {
        char *none[2] = {NULL, NULL};
        try_all(failure_cases, failure_case_count, all, most, count > 2 ? words + 2 : none);
        try_all(failure_fits, failure_fit_count, all, most, count > 2 ? words + 2 : none);
    }
    failure_done();
    onefold_context_free(hooked);
    onefold_context_free(plain);
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(remove) != 0)
        return 2;
    printf("%ld calls made to fail: %ld ended with a sentence, %ld with the usual result, "
           "%ld badly\n",
           tried, refused, usual, bad);
    return bad > 0 || refused == 0;
}
