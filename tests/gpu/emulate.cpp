/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a block on stacks of their own, and the memory of a GPU that is not there. */
#include "gpu/emulate.h"

#include <chrono>
#include <map>
#include <thread>

/* Of whichever thread is inside the library: it lets in one at a time. */
dim3 threadIdx, blockIdx, blockDim, gridDim;
unsigned char *of_emulated_shared;

/* ---- threads -------------------------------------------------------------------------------- */

enum { STACK = 64 << 10, MOST_SHARED = 227 << 10, MOST_THREADS = 256 };

enum Waits { NOT, FOR_WARP, FOR_BLOCK };
struct Thread {
    ucontext_t context;
    jmp_buf place;
    int begun, done;
    Waits waits;
    dim3 index;
};
static std::vector<Thread> threads;
static std::vector<char> stacks;
static jmp_buf main_place;
static size_t now;
static const std::function<void()> *running;

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

static void wait(Waits waits)
{
    threads[now].waits = waits;
    if (_setjmp(threads[now].place) == 0)
        _longjmp(main_place, 1);
    threadIdx = threads[now].index;
}

void of_emulate_barrier()
{
    wait(FOR_BLOCK);
}

void of_emulate_warp_barrier()
{
    wait(FOR_WARP);
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

/* Those that wait go on where all others of their block, or of their warp, wait or are done. */
static void open_barriers(size_t count)
{
    size_t at_block = 0, left = 0;
    for (size_t t = 0; t < count; t++) {
        left += !threads[t].done;
        at_block += !threads[t].done && threads[t].waits == FOR_BLOCK;
    }
    for (size_t warp = 0; warp < count; warp += 32) {
        size_t end = warp + 32 < count ? warp + 32 : count, alive = 0, at_warp = 0;
        for (size_t t = warp; t < end; t++) {
            alive += !threads[t].done;
            at_warp += !threads[t].done && threads[t].waits == FOR_WARP;
        }
        for (size_t t = warp; t < end; t++)
            if ((at_block == left && threads[t].waits == FOR_BLOCK) ||
                (at_warp == alive && threads[t].waits == FOR_WARP))
                threads[t].waits = NOT;
    }
}

static void run_block(size_t count)
{
    size_t left = count;
    for (size_t t = 0; t < count; t++) {
        threads[t].done = 0;
        threads[t].waits = NOT;
        threads[t].index = dim3((unsigned)t, 0, 0);
    }
    for (volatile int turn = 0; left; turn = turn + 1) {
        size_t ran = 0;
        left = 0;
        for (size_t i = 0; i < count; i++) {
            size_t t = turn % 2 ? count - 1 - i : i;
            if (!threads[t].done && threads[t].waits == NOT) {
                resume(t);
                ran++;
            }
            left += !threads[t].done;
        }
        if (!ran)
            abort(); /* some wait for others that never come */
        open_barriers(count);
    }
}

/* ---- tensor cores --------------------------------------------------------------------------- */

/* a (16 x 8) and b (8 x 8) of a warp, big parts and small ones. */
struct Matrices {
    float a[2][16][8], b[2][8][8];
};
static Matrices matrices[MOST_THREADS / 32];

static float tensor_number(uint32_t bits)
{
    float x;
    bits &= 0xffffe000u; /* what follows is not looked at */
    memcpy(&x, &bits, sizeof x);
    return x;
}

void of_emulate_multiply(const uint32_t a_big[4], const uint32_t a_small[4],
                         const uint32_t b_big[2], const uint32_t b_small[2], float c[4])
{
    unsigned lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    Matrices *m = &matrices[threadIdx.x / 32];
    for (unsigned e = 0; e < 4; e++) {
        m->a[0][g + e % 2 * 8][t + e / 2 * 4] = tensor_number(a_big[e]);
        m->a[1][g + e % 2 * 8][t + e / 2 * 4] = tensor_number(a_small[e]);
    }
    for (unsigned e = 0; e < 2; e++) {
        m->b[0][t + 4 * e][g] = tensor_number(b_big[e]);
        m->b[1][t + 4 * e][g] = tensor_number(b_small[e]);
    }
    of_emulate_warp_barrier();
    for (unsigned e = 0; e < 4; e++) {
        unsigned row = g + e / 2 * 8, column = 2 * t + e % 2;
        double sum = 0;
        for (unsigned i = 0; i < 8; i++)
            sum += (double)m->a[1][row][i] * (double)m->b[0][i][column] +
                   (double)m->a[0][row][i] * (double)m->b[1][i][column] +
                   (double)m->a[0][row][i] * (double)m->b[0][i][column];
        c[e] = (float)((double)c[e] + sum);
    }
    of_emulate_warp_barrier();
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

void of_emulate_multiply_double(double a, double b, double c[2])
{
    static double left[MOST_THREADS / 32][8][4], right[MOST_THREADS / 32][4][8];
    unsigned warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    left[warp][g][t] = a;
    right[warp][t][g] = b;
    of_emulate_warp_barrier();
    for (unsigned e = 0; e < 2; e++)
        for (unsigned i = 0; i < 4; i++)
            c[e] = fma(left[warp][g][i], right[warp][i][2 * t + e], c[e]);
    of_emulate_warp_barrier();
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

static long calls, failing;
static int failure;

long of_emulate_fail(long after, int kind)
{
    long were = calls;
    calls = 0;
    failing = after;
    failure = kind;
    return were;
}

size_t of_emulate_held(void)
{
    return held;
}

cudaError_t cudaSetDevice(int device)
{
    const char *said = getenv("ONEFOLD_EMULATED");
    int count;
    if (said && strcmp(said, "slow") == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    calls++;
    if (said && strcmp(said, "busy") == 0)
        return cudaErrorDevicesUnavailable;
    if (failing && (failure == 0 ? calls >= failing : calls == failing))
        return failure == 2 ? cudaErrorMemoryAllocation : cudaErrorIllegalAddress;
    return cudaGetDeviceCount(&count) == cudaSuccess && device >= count ? cudaErrorNoDevice
                                                                        : cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    const char *said = getenv("ONEFOLD_EMULATED"), *gpus = getenv("ONEFOLD_EMULATED_GPUS");
    *count = gpus ? atoi(gpus) : 1;
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
    try {
        blocks[*at] = bytes;
    } catch (const std::bad_alloc &) {
        free(*at);
        *at = NULL;
        return cudaErrorMemoryAllocation;
    }
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
           : error == cudaErrorDevicesUnavailable
               ? "all CUDA-capable devices are busy or unavailable"
           : error == cudaErrorIllegalAddress ? "an illegal memory access was encountered"
                                              : "an error of the GPU";
}
