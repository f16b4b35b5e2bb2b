/* SPDX-License-Identifier: Apache-2.0 */
/* What machine this is, for figures of time that mean nothing without it. */
#include "report/bench.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void read_processor(char *text, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && !text[0] && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0)
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
    }
    if (file)
        fclose(file);
}

of_machine of_machine_here(void)
{
    of_machine machine = {.cores = 0};
    struct utsname names;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
         page = sysconf(_SC_PAGESIZE);
    if (uname(&names) == 0)
        snprintf(machine.system, sizeof machine.system, "%.48s %.64s %.32s", names.sysname,
                 names.release, names.machine);
    read_processor(machine.processor, sizeof machine.processor);
    machine.cores = cores > 0 ? (size_t)cores : 0;
    machine.memory_bytes = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 0;
    return machine;
}
