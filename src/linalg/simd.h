/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OF_SIMD before a function with a simple inner loop: it is compiled for wider vector units too,
 * and the machine's own is chosen when the program is loaded. As multiplications and additions are
 * never contracted (see CMakeLists.txt), each copy gives the same bits. Left out where the loader
 * cannot choose, under sanitizers, whose start-up does not stand it, and where branches are
 * counted.
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
