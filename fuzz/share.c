/* SPDX-License-Identifier: Apache-2.0 */
/* libFuzzer counts what is reached in bytes of this program. A child process that reads a file
 * (io/fence.c) would count in copies of its own: those bytes are put into memory that it shares
 * with its parent. */
#include "fuzz/fuzz.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the linker calls the ends of clang's section of counters; NULL in a build without them. */
extern char __start___sancov_cntrs[] __attribute__((weak, visibility("hidden")));
extern char __stop___sancov_cntrs[] __attribute__((weak, visibility("hidden")));

/* Whole pages only: the first and the last hold other things, which a child must have for itself.
 */
void fuzz_share_counters(void)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)__start___sancov_cntrs + page - 1) / page * page;
    uintptr_t end = (uintptr_t)__stop___sancov_cntrs / page * page;
    if (end <= start)
        return;
    size_t size = end - start;
    void *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fuzz_demand(copy != MAP_FAILED, "there is memory");
    memcpy(copy, (void *)start, size);
    fuzz_demand(mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start) ==
                    (void *)start,
                "counters can be shared");
}
