/* SPDX-License-Identifier: Apache-2.0 */
/* What libFuzzer calls; CMake builds it once for each target, with FUZZ_TARGET its function. */
#include "fuzz/targets.h"

#include <sys/mman.h>

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    return FUZZ_TARGET(bytes, size);
}

extern char __start___sancov_cntrs[], __stop___sancov_cntrs[];

/* Readers of HDF5 work in a child process: the counters of what was reached become shared memory,
 * so that libFuzzer sees what the child has reached. Only pages that hold nothing else are shared.
 */
int LLVMFuzzerInitialize(int *count, char ***words)
{
    enum { PAGE = 4096 };
    (void)count;
    (void)words;
    char *first = (char *)(((uintptr_t)__start___sancov_cntrs + PAGE - 1) / PAGE * PAGE);
    char *last = (char *)((uintptr_t)__stop___sancov_cntrs / PAGE * PAGE);
    if (first < last)
        (void)mmap(first, (size_t)(last - first), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return 0;
}
