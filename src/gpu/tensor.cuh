/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of single precision by tensor cores, in compensated form: a number is split into the 11
 * leading bits of its mantissa and the 11 that follow, and of the four products of two numbers the
 * three largest are added up. What follows those 22 bits is cut off (2^-21 of a number at most), so
 * that a product is right to about 2^-20 at worst. All 32 threads of a warp call these functions
 * together. c (16 x 8) += a (16 x 8) b (8 x 8), of which thread 4 g + t has
 *
 *     a   (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)
 *     b   (t, g), (t + 4, g)
 *     c   (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1)
 *
 * Double precision has no need of parts: c (8 x 8) += a (8 x 4) b (4 x 8), of which thread 4 g + t
 * has a (g, t), b (t, g), c (g, 2 t) and c (g, 2 t + 1).
 */
#ifndef OF_GPU_TENSOR_CUH
#define OF_GPU_TENSOR_CUH

#include "gpu/device.cuh"

#include <cstring>

/* Four neighbouring numbers in one or two loads and stores: what keeps products from waiting for
 * shared memory. Addresses are multiples of 16 bytes. */
template <typename T> struct __align__(16) Four
{
    T v[4];
};
template <typename T> __device__ inline Four<T> load_four(const T *from)
{
    OF_ALIGNED(from);
    return *(const Four<T> *)from;
}
template <typename T> __device__ inline void store_four(T *to, Four<T> four)
{
    OF_ALIGNED(to);
    *(Four<T> *)to = four;
}

/* A left matrix that is split beforehand lies in the GPU's memory as 4 big parts for each
 * thread, then the small ones; a right one, in shared memory, as 2 big parts and 2 small ones. */
enum { LEFT = 256, RIGHT = 128 };
struct Left {
    uint32_t big[4], small[4];
};
struct Right {
    uint32_t big[2], small[2];
};

__host__ __device__ inline void split(float x, uint32_t *big, uint32_t *small)
{
    uint32_t bits;
    float head, rest;
    memcpy(&bits, &x, sizeof bits);
    *big = (bits + 0x1000u) & 0xffffe000u; /* rounded, half away from zero */
    memcpy(&head, big, sizeof head);
    rest = x - head;
    memcpy(small, &rest, sizeof rest); /* of which the leading bits are looked at */
}

__device__ inline Left split_left(float a, float b, float c, float d)
{
    Left left;
    split(a, &left.big[0], &left.small[0]);
    split(b, &left.big[1], &left.small[1]);
    split(c, &left.big[2], &left.small[2]);
    split(d, &left.big[3], &left.small[3]);
    return left;
}
__device__ inline Right split_right(float a, float b)
{
    Right right;
    split(a, &right.big[0], &right.small[0]);
    split(b, &right.big[1], &right.small[1]);
    return right;
}

#ifdef ONEFOLD_EMULATE
__device__ inline Left load_left(const uint32_t *from)
{
    Left left;
    memcpy(left.big, from, sizeof left.big);
    memcpy(left.small, from + LEFT / 2, sizeof left.small);
    return left;
}
__device__ inline Right load_right(const uint32_t *from)
{
    Right right;
    memcpy(&right, from, sizeof right);
    return right;
}
__device__ inline void multiply_split(const Left &a, const Right &b, float c[4])
{
    of_emulate_multiply(a.big, a.small, b.big, b.small, c);
}
__device__ inline void multiply_double(double a, double b, double c[2])
{
    of_emulate_multiply_double(a, b, c);
}
#else
__device__ inline Left load_left(const uint32_t *from)
{
    uint4 big = __ldg((const uint4 *)from), small = __ldg((const uint4 *)(from + LEFT / 2));
    return Left{{big.x, big.y, big.z, big.w}, {small.x, small.y, small.z, small.w}};
}
__device__ inline Right load_right(const uint32_t *from)
{
    uint4 both = *(const uint4 *)from;
    return Right{{both.x, both.y}, {both.z, both.w}};
}
__device__ inline void multiply_part(const uint32_t a[4], const uint32_t b[2], float c[4])
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ inline void multiply_split(const Left &a, const Right &b, float c[4])
{
    multiply_part(a.small, b.big, c);
    multiply_part(a.big, b.small, c);
    multiply_part(a.big, b.big, c);
}
__device__ inline void multiply_double(double a, double b, double c[2])
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(c[0]), "+d"(c[1])
        : "d"(a), "d"(b));
}
#endif

#endif
