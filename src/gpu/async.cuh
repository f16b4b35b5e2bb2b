/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies into shared memory that go on while a thread works, and numbers from thread to thread of a
 * warp. Copies are waited for in groups: those up to a `commit_copies` are one, and
 * wait_for_copies<N> lets the N latest go on. What a thread has waited for the others of its warp
 * see after a barrier.
 */
#ifndef OF_GPU_ASYNC_CUH
#define OF_GPU_ASYNC_CUH

#include "gpu/four.cuh"

#ifdef ONEFOLD_EMULATE
__device__ inline void copy_four_async(float *to, const float *from)
{
    if ((uintptr_t)to % 16 || (uintptr_t)from % 16)
        abort();
    of_emulate_copy(to, from, 16);
}
__device__ inline void commit_copies()
{
    of_emulate_commit();
}
template <int N> __device__ inline void wait_for_copies()
{
    of_emulate_wait(N);
}
__device__ inline int of_lane(int value, int lane)
{
    return (int)of_emulate_lane((uint32_t)value, (unsigned)lane);
}
__device__ inline float of_lane(float value, int lane)
{
    return of_emulate_number(of_emulate_lane(of_emulate_bits(value), (unsigned)lane));
}
#else
__device__ inline void copy_four_async(float *to, const float *from)
{
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
        "l"(from)
        : "memory");
}
__device__ inline void commit_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N> __device__ inline void wait_for_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
template <typename T> __device__ inline T of_lane(T value, int lane)
{
    return __shfl_sync(0xffffffffu, value, lane);
}
#endif

/* The value of the thread whose number differs in `bit`. */
template <typename T> __device__ inline T shuffle(T value, int bit)
{
    return of_lane(value, (int)(threadIdx.x % 32) ^ bit);
}

#endif
