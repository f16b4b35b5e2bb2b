/* SPDX-License-Identifier: Apache-2.0 */
/* hold MEGABYTES SECONDS: another process that holds all of the GPU's memory but so much, for so
 * long; it says so once it does. */
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    size_t left = 0, all, leave = (size_t)atol(arguments[1]) << 20, step = (size_t)1 << 30;
    while (cudaMemGetInfo(&left, &all) == cudaSuccess && left > leave && step >= (1 << 20)) {
        void *held;
        if (cudaMalloc(&held, left - leave < step ? left - leave : step) != cudaSuccess)
            step /= 2;
    }
    printf("%zu MB of %zu are left\n", left >> 20, all >> 20);
    fflush(stdout);
    sleep((unsigned)atoi(arguments[2]));
    return 0;
}
