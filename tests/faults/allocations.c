/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocations [most]: every public function that takes memory, with allocation 1, 2, 3 ... of the
 * whole process failing, that of LAPACKE, zlib and jansson included. Each time it ends with a
 * sentence and a status, or with its usual result where it can do without; no block is left behind.
 * It runs with libonefold_faults.so preloaded. `most`: only so many of each, evenly spread.
 */
#include "faults/allocations.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*start)(long place);
static long (*stop)(void), (*live)(void);
static long tried, refused, usual, bad;

static void problem(const char *name, long place, const char *what)
{
    bad++;
    printf("%s, allocation %ld: %s (%s)\n", name, place, what, onefold_last_error());
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

/* One run of a case; how many blocks it left is said apart. */
static onefold_status once(const allocation_case *of, long place, uint64_t *digest, long *calls,
                           long *kept)
{
    allocation_out out = {0};
    long before = live();
    *digest = 0;
    start(place);
    onefold_status status = of->run(&out, digest);
    *calls = stop();
    allocation_free(&out);
    *kept = live() - before;
    return status;
}

static void try_place(const allocation_case *of, long place, uint64_t right)
{
    uint64_t digest;
    long calls, kept, failed_before = bad;
    onefold_status status = once(of, place, &digest, &calls, &kept);
    tried++;
    if (status == ONEFOLD_OK && digest != right)
        problem(of->name, place, "another result");
    if (status != ONEFOLD_OK && status != ONEFOLD_NO_MEMORY)
        problem(of->name, place, onefold_status_name(status));
    if (status != ONEFOLD_OK && !*onefold_last_error())
        problem(of->name, place, "no sentence");
    if (kept > 0)
        problem(of->name, place, "memory is left behind");
    if (left_behind())
        problem(of->name, place, "a temporary file is left behind");
    if (bad == failed_before)
        *(status == ONEFOLD_OK ? &usual : &refused) += 1;
}

static void try_case(const allocation_case *of, long most)
{
    uint64_t right, digest;
    long calls, kept;
    for (int warm = 0; warm < 3; warm++) /* what libraries keep is there then */
        if (once(of, 0, &right, &calls, &kept) != ONEFOLD_OK) {
            problem(of->name, 0, "it fails by itself");
            return;
        }
    if (of->most && (!most || most > of->most))
        most = of->most;
    long step = most ? (calls + most - 1) / most : 1, first = bad, places = 0;
    for (long place = 1; place <= calls; place += step, places++)
        try_place(of, place, right);
    if (once(of, 0, &digest, &calls, &kept) != ONEFOLD_OK || digest != right || kept > 0)
        problem(of->name, 0, "it is not as before afterwards");
    printf("%-22s %6ld allocations, %6ld made to fail, %ld badly\n", of->name, calls, places,
           bad - first);
    fflush(stdout);
}

int main(int count, char **words)
{
    char folder[] = "/tmp/onefold-allocations-XXXXXX", remove[64];
    long most = count > 1 ? atol(words[1]) : 0;
    *(void **)&start = dlsym(RTLD_DEFAULT, "onefold_faults_start");
    *(void **)&stop = dlsym(RTLD_DEFAULT, "onefold_faults_stop");
    *(void **)&live = dlsym(RTLD_DEFAULT, "onefold_faults_live");
    if (!start || !stop || !live || !mkdtemp(folder) || chdir(folder) != 0)
        return 2;
    puts("every allocation fails once:"); /* what standard output keeps is there then */
    if (allocation_prepare() == ONEFOLD_OK)
        for (size_t i = 0; i < allocation_case_count; i++)
            if (count < 3 || strstr(allocation_cases[i].name, words[2]))
                try_case(&allocation_cases[i], most);
    allocation_done();
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(remove) != 0)
        return 2;
    printf("%ld allocations made to fail: %ld ended with a sentence, %ld with the usual result, "
           "%ld badly\n",
           tried, refused, usual, bad);
    return bad > 0 || refused < 50;
}
