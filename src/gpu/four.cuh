/* SPDX-License-Identifier: Apache-2.0 */
/* Four neighbouring numbers in one or two loads and stores: what keeps products from waiting for
 * shared memory. Addresses are multiples of 16 bytes. */
#ifndef OF_GPU_FOUR_CUH
#define OF_GPU_FOUR_CUH

#include "gpu/device.cuh"

template <typename T> struct Four {
    T v[4];
};
#ifdef ONEFOLD_EMULATE
template <typename T> __device__ inline Four<T> load_four(const T *from)
{
    if ((uintptr_t)from % 16)
        abort(); /* as a GPU would */
    Four<T> four = {{from[0], from[1], from[2], from[3]}};
    return four;
}
template <typename T> __device__ inline Four<T> stream_four(const T *from)
{
    return load_four(from);
}
template <typename T> __device__ inline void store_four(T *to, Four<T> four)
{
    if ((uintptr_t)to % 16)
        abort();
    for (int i = 0; i < 4; i++)
        to[i] = four.v[i];
}
#else
__device__ inline Four<float> load_four(const float *from)
{
    float4 f = *(const float4 *)from;
    return Four<float>{{f.x, f.y, f.z, f.w}};
}
/* Of the GPU's memory, what is read once: it leaves no trace in the cache. */
__device__ inline Four<float> stream_four(const float *from)
{
    float4 f = __ldcs((const float4 *)from);
    return Four<float>{{f.x, f.y, f.z, f.w}};
}
__device__ inline Four<double> load_four(const double *from)
{
    double2 a = *(const double2 *)from, b = *(const double2 *)(from + 2);
    return Four<double>{{a.x, a.y, b.x, b.y}};
}
__device__ inline void store_four(float *to, Four<float> f)
{
    *(float4 *)to = make_float4(f.v[0], f.v[1], f.v[2], f.v[3]);
}
__device__ inline void store_four(double *to, Four<double> f)
{
    *(double2 *)to = make_double2(f.v[0], f.v[1]);
    *(double2 *)(to + 2) = make_double2(f.v[2], f.v[3]);
}
#endif

#endif
