/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As much of CUDA as src/gpu uses, on the CPU, so that its kernels are tested where there is no
 * GPU: blocks run one after the other, and the threads of a block take turns, each on a stack of
 * its own, from one barrier (of the block, or of a warp) to the next. Order within a turn goes back
 * and forth, so that a kernel that lacks a barrier is likely to come to something else. Memory of
 * the "GPU" is the host's.
 */
#ifndef OF_TESTS_GPU_EMULATE_H
#define OF_TESTS_GPU_EMULATE_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <ucontext.h>
#include <vector>

#define __global__ static
#define __device__ static
#define __host__
#define __align__(n) alignas(n)
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};

struct alignas(8) float2 {
    float x, y;
};

extern dim3 threadIdx, blockIdx, blockDim, gridDim;
extern unsigned char *of_emulated_shared;
void of_emulate_barrier();
void of_emulate_warp_barrier();
void of_emulate_launch(dim3 grid, dim3 block, size_t shared, const std::function<void()> &kernel);

#define __syncthreads() of_emulate_barrier()
#define __syncwarp() of_emulate_warp_barrier()
#define __pipeline_memcpy_async(to, from, size)                                                    \
    (OF_ALIGNED(to), OF_ALIGNED(from), (void)memcpy(to, from, size))
#define __pipeline_commit() ((void)0)
#define __pipeline_wait_prior(n) ((void)0)
#define OF_SHARED(type, name) type *name = (type *)of_emulated_shared
#define OF_ALIGNED(at) ((uintptr_t)(at) % 16 ? abort() : (void)0) /* as a GPU would */
#define OF_LAUNCH(kernel, grid, block, bytes, stream, ...)                                         \
    of_emulate_launch(grid, block, bytes, [&] { kernel(__VA_ARGS__); })

template <typename T> T atomicAdd(T *at, T value)
{
    T before = *at;
    *at += value;
    return before;
}

/* What tensor cores do with a warp's parts of two matrices (src/gpu/tensor.cuh). */
void of_emulate_multiply(const uint32_t a_big[4], const uint32_t a_small[4],
                         const uint32_t b_big[2], const uint32_t b_small[2], float c[4]);
void of_emulate_multiply_double(double a, double b, double c[2]);

/* ---- the runtime ---------------------------------------------------------------------------- */

typedef enum cudaError_t {
    cudaSuccess,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInsufficientDriver = 35,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorNoDevice = 100,
    cudaErrorIllegalAddress = 700,
    cudaErrorUnknown = 999
} cudaError_t;
typedef int *cudaStream_t;
typedef int *cudaEvent_t;
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDefault };
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };
enum cudaDeviceAttr { cudaDevAttrMaxSharedMemoryPerBlockOptin };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };

/* ONEFOLD_EMULATED says what is wrong with the GPU: "none", "old", "busy" (another process has it
 * for itself), or the megabytes it has; ONEFOLD_EMULATED_GPUS, how many there are. */
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaMalloc(void **at, size_t bytes);
cudaError_t cudaFree(void *at);
cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
const char *cudaGetErrorString(cudaError_t error);

static inline cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}
/* With it every call of the table begins. Fails as of_emulate_fail has it. */
cudaError_t cudaSetDevice(int device);

/* For tests: call `after` of the table (1: the next) fails; `kind` 0: it and all that follow, as if
 * the GPU were lost, 1: only it, 2: only it, for want of memory. 0 calls: none fails. What it
 * returns is how many calls there have been since it was last called. */
extern "C" __attribute__((visibility("default"))) long of_emulate_fail(long after, int kind);
/* Bytes of the GPU that are held. */
extern "C" __attribute__((visibility("default"))) size_t of_emulate_held(void);
static inline cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
    size_t left;
    snprintf(properties->name, sizeof properties->name, "no GPU: the CPU in its place");
    return cudaMemGetInfo(&left, &properties->totalGlobalMem);
}
static inline cudaError_t cudaDriverGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int)
{
    *value = 227 << 10;
    return cudaSuccess;
}
static inline cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int)
{
    return cudaSuccess;
}
static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, int)
{
    *stream = NULL;
    return cudaSuccess;
}
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, int)
{
    *event = NULL;
    return cudaSuccess;
}
static inline cudaError_t cudaStreamDestroy(cudaStream_t)
{
    return cudaSuccess;
}
static inline cudaError_t cudaEventDestroy(cudaEvent_t)
{
    return cudaSuccess;
}
static inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t)
{
    return cudaSuccess;
}
static inline cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    return cudaSuccess;
}
static inline cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}
static inline cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}
static inline cudaError_t cudaMallocHost(void **at, size_t bytes)
{
    *at = malloc(bytes ? bytes : 1);
    return *at ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t cudaFreeHost(void *at)
{
    free(at);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind,
                                          cudaStream_t)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from,
                                            size_t from_pitch, size_t width, size_t height,
                                            cudaMemcpyKind, cudaStream_t)
{
    for (size_t i = 0; i < height; i++)
        memcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width);
    return cudaSuccess;
}
static inline cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t)
{
    memset(at, value, bytes);
    return cudaSuccess;
}

#endif
