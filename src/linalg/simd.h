/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OF_SIMD before a function with a simple inner loop compiles it for wider vector units too. The
 * loader chooses the copy for the machine. As multiplications and additions are never contracted
 * (see CMakeLists.txt), each copy gives the same bits. OF_SIMD is empty where the loader cannot
 * choose, under sanitizers, which crash on it at start, and where branches are counted.
 */
#ifndef OF_LINALG_SIMD_H
#define OF_LINALG_SIMD_H

#include <stdint.h>

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GLIBC__) && defined(__GNUC__) &&    \
    !defined(__clang__) && !defined(ONEFOLD_SANITIZED) && !defined(ONEFOLD_COUNTED)
#define OF_SIMD __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define OF_SIMD
#endif

#endif
