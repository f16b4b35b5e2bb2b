/* SPDX-License-Identifier: Apache-2.0 */
/* What memory is free: the system's own figure, held to the limits of the control group and of the
 * process where there are some. */
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The first number of a file, or most where there is none ("max"). */
static size_t number_in(const char *path, size_t most)
{
    FILE *file = fopen(path, "r");
    unsigned long long number;
    if (!file)
        return most;
    int found = fscanf(file, "%llu", &number);
    fclose(file);
    return found == 1 && number < most ? (size_t)number : most;
}

/* The number after a word in a file of "word number" lines, 0 where there is none. */
static size_t number_after(const char *path, const char *word)
{
    FILE *file = fopen(path, "r");
    char line[128];
    unsigned long long number = 0;
    size_t length = strlen(word);
    while (file && !number && fgets(line, sizeof line, file))
        if (strncmp(line, word, length) == 0 && sscanf(line + length, " %llu", &number) != 1)
            number = 0;
    if (file)
        fclose(file);
    return (size_t)number;
}

/* MemAvailable of /proc/meminfo, or the free pages where there is none. */
static size_t system_free(void)
{
    size_t kilobytes = number_after("/proc/meminfo", "MemAvailable:");
    if (kilobytes)
        return kilobytes * 1024;
    long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX;
}

size_t of_address_limit(void)
{
    static const int limits[] = {RLIMIT_AS, RLIMIT_DATA};
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit now;
        if (getrlimit(limits[i], &now) == 0 && now.rlim_cur != RLIM_INFINITY &&
            now.rlim_cur < least)
            least = (size_t)now.rlim_cur;
    }
    return least;
}

size_t of_address_left(void)
{
    size_t limit = of_address_limit();
    long page = sysconf(_SC_PAGESIZE);
    if (limit == SIZE_MAX || page <= 0)
        return limit;
    size_t used = number_in("/proc/self/statm", SIZE_MAX / (size_t)page) * (size_t)page;
    return limit > used ? limit - used : 0;
}

size_t onefold_free_memory(void)
{
    static const struct {
        const char *limit, *used, *statistics, *cache; /* cache can be had back */
    } groups[] = {
        {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
         "inactive_file"},
        {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
         "/sys/fs/cgroup/memory/memory.usage_in_bytes", "/sys/fs/cgroup/memory/memory.stat",
         "total_inactive_file"},
    };
    size_t room = system_free(), left = of_address_left();
    room = left < room ? left : room;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        size_t limit = number_in(groups[i].limit, SIZE_MAX),
               used = number_in(groups[i].used, SIZE_MAX);
        if (limit == SIZE_MAX || used == SIZE_MAX)
            continue;
        size_t cache = number_after(groups[i].statistics, groups[i].cache);
        used -= cache < used ? cache : used;
        left = limit > used ? limit - used : 0;
        room = left < room ? left : room;
    }
    return room;
}
