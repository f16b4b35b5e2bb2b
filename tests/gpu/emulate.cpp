/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a block on stacks of their own, and the memory of a card that is not there. */
#include "gpu/emulate.h"

#include <map>

thread_local dim3 threadIdx, blockIdx, blockDim, gridDim;
thread_local unsigned char *of_emulated_shared;

/* ---- threads -------------------------------------------------------------------------------- */

enum { STACK = 64 << 10, MOST_SHARED = 227 << 10, MOST_THREADS = 256 };

struct Thread {
    ucontext_t context;
    jmp_buf place;
    int begun, done;
    dim3 index;
};
static thread_local std::vector<Thread> threads;
static thread_local std::vector<char> stacks;
static thread_local jmp_buf main_place;
static thread_local size_t now;
static thread_local const std::function<void()> *running;

/* A thread goes from block to block and from launch to launch on the stack that it has. */
static void run_on()
{
    for (;;) {
        (*running)();
        threads[now].done = 1;
        if (_setjmp(threads[now].place) == 0)
            _longjmp(main_place, 1);
        threadIdx = threads[now].index;
    }
}

void of_emulate_barrier()
{
    if (_setjmp(threads[now].place) == 0)
        _longjmp(main_place, 1);
    threadIdx = threads[now].index;
}

/* Lets a thread run to its next barrier or its end. */
static void resume(size_t t)
{
    now = t;
    threadIdx = threads[t].index;
    if (_setjmp(main_place) != 0)
        return;
    if (threads[t].begun)
        _longjmp(threads[t].place, 1);
    threads[t].begun = 1;
    getcontext(&threads[t].context);
    threads[t].context.uc_stack.ss_sp = stacks.data() + t * STACK;
    threads[t].context.uc_stack.ss_size = STACK;
    threads[t].context.uc_link = NULL;
    makecontext(&threads[t].context, run_on, 0);
    setcontext(&threads[t].context);
}

static void run_block(size_t count)
{
    size_t left = count;
    for (size_t t = 0; t < count; t++) {
        threads[t].done = 0;
        threads[t].index = dim3((unsigned)t, 0, 0);
    }
    for (volatile int turn = 0; left; turn = turn + 1) {
        left = 0;
        for (size_t i = 0; i < count; i++) {
            size_t t = turn % 2 ? count - 1 - i : i;
            if (!threads[t].done)
                resume(t);
            left += !threads[t].done;
        }
    }
}

void of_emulate_launch(dim3 grid, dim3 block, size_t shared, const std::function<void()> &kernel)
{
    std::vector<unsigned char> memory(shared + 64, 0xff); /* NaN where it is read unwritten */
    if (threads.empty()) {
        threads.resize(MOST_THREADS);
        stacks.resize((size_t)MOST_THREADS * STACK);
    }
    if (block.x > MOST_THREADS || shared > MOST_SHARED)
        abort();
    gridDim = grid;
    blockDim = block;
    running = &kernel;
    of_emulated_shared = (unsigned char *)(((uintptr_t)memory.data() + 63) / 64 * 64);
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                blockIdx = dim3(x, y, z);
                run_block(block.x);
            }
}

/* ---- memory --------------------------------------------------------------------------------- */

static std::map<void *, size_t> blocks;
static size_t held;

static size_t capacity()
{
    const char *said = getenv("ONEFOLD_EMULATED");
    size_t megabytes = said ? strtoull(said, NULL, 10) : 0;
    return (megabytes ? megabytes : 8192) << 20;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    const char *said = getenv("ONEFOLD_EMULATED");
    *count = 1;
    return said && strcmp(said, "none") == 0  ? cudaErrorNoDevice
           : said && strcmp(said, "old") == 0 ? cudaErrorInsufficientDriver
                                              : cudaSuccess;
}

cudaError_t cudaMalloc(void **at, size_t bytes)
{
    *at = NULL;
    if (bytes > capacity() - held)
        return cudaErrorMemoryAllocation;
    *at = malloc(bytes ? bytes : 1);
    if (!*at)
        return cudaErrorMemoryAllocation;
    memset(*at, 0xff, bytes);
    blocks[*at] = bytes;
    held += bytes;
    return cudaSuccess;
}

cudaError_t cudaFree(void *at)
{
    if (!at)
        return cudaSuccess;
    held -= blocks.at(at);
    blocks.erase(at);
    free(at);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *all)
{
    *all = capacity();
    *left = capacity() - held;
    return cudaSuccess;
}

const char *cudaGetErrorString(cudaError_t error)
{
    return error == cudaErrorNoDevice             ? "no CUDA-capable device is detected"
           : error == cudaErrorInsufficientDriver ? "the driver is older than this build's CUDA"
                                                  : "an error of the card";
}
