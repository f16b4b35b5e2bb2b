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

/* Stacks are a little apart from a power of two: else the ends of all of them would meet in the
 * same few lines of the CPU's caches. */
enum { STACK = (64 << 10) + 17 * 64, MOST_SHARED = 227 << 10, MOST_THREADS = 256 };

enum State : unsigned char { READY, AT_WARP_BARRIER, AT_BARRIER, DONE };
struct Thread {
    void *place[5]; /* where it goes on */
    int begun;
};
static std::vector<Thread> threads;
static State state[MOST_THREADS];
static std::vector<char> stacks;
static void *main_place[5];
static size_t now;
static const std::function<void()> *running;

/* The compiler's own jumps, as those of the C library look after signals and cleanups every time. A
 * function that can be jumped to must not jump itself, and nothing may be concluded from what it
 * does to registers. */
static __attribute__((noipa)) void jump(void **place)
{
    __builtin_longjmp(place, 1);
}

/* Back to resume, until that comes again. */
static __attribute__((noipa)) void leave(State as)
{
    state[now] = as;
    if (__builtin_setjmp(threads[now].place) == 0)
        jump(main_place);
    threadIdx = dim3((unsigned)now, 0, 0);
}

/* A thread goes from block to block and from launch to launch on the stack that it has. */
static void run_on()
{
    for (;;) {
        (*running)();
        leave(DONE);
    }
}

void of_emulate_barrier()
{
    leave(AT_BARRIER);
}

void of_emulate_warp_barrier()
{
    leave(AT_WARP_BARRIER);
}

static void begin(size_t t)
{
    ucontext_t start;
    threads[t].begun = 1;
    getcontext(&start);
    start.uc_stack.ss_sp = stacks.data() + t * STACK;
    start.uc_stack.ss_size = STACK;
    start.uc_link = NULL;
    makecontext(&start, run_on, 0);
    setcontext(&start);
}

/* Lets a thread run to its next barrier or its end. */
static __attribute__((noipa)) void resume(size_t t)
{
    now = t;
    threadIdx = dim3((unsigned)t, 0, 0);
    if (__builtin_setjmp(main_place) != 0)
        return;
    if (!threads[now].begun)
        begin(now);
    jump(threads[now].place);
}

/* How many of [first, end) are as told. */
static size_t number(size_t first, size_t end, State as)
{
    size_t found = 0;
    for (size_t t = first; t < end; t++)
        found += state[t] == as;
    return found;
}

/* Those of [first, end) that wait as told go on where all others of them do so or are done. */
static void open_barrier(size_t first, size_t end, State as)
{
    if (number(first, end, as) + number(first, end, DONE) == end - first)
        for (size_t t = first; t < end; t++)
            state[t] = state[t] == as ? READY : state[t];
}

static void run_block(size_t count)
{
    memset(state, READY, count * sizeof *state);
    for (int turn = 0; number(0, count, DONE) < count; turn++) {
        size_t ran = 0;
        for (size_t i = 0; i < count; i++) {
            size_t t = turn % 2 ? count - 1 - i : i;
            if (state[t] == READY) {
                resume(t);
                ran++;
            }
        }
        if (!ran)
            abort(); /* some wait for others that never come */
        open_barrier(0, count, AT_BARRIER);
        for (size_t warp = 0; warp < count; warp += 32)
            open_barrier(warp, warp + 32 < count ? warp + 32 : count, AT_WARP_BARRIER);
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
