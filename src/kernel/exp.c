/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exp(x) = 2^k exp(r) with k the integer nearest to x / ln 2, |r| <= ln(2) / 2, and
 * exp(r) = 1 + r + r^2 p(r). p has degree 9 and is interpolated at the Chebyshev points, with an
 * error of 1.6e-17. ln 2 is split in two such that k times its upper part is exact. There is no
 * table and no branch, so the compiler vectorises the loop. In single precision p has degree 4,
 * with an error of a seventh of an ulp.
 */
#include "kernel/kernel.h"

#include "linalg/simd.h"

#include <stdint.h>
#include <string.h>

OF_SIMD void of_exp(size_t count, double *x)
{
    const double round = 0x1.8p52; /* adding it leaves the nearest integer in the lowest bits */
    for (size_t i = 0; i < count; i++) {
        double shifted = x[i] * 0x1.71547652b82fep+0 + round;
        double k = shifted - round;
        double upper = x[i] - k * 0x1.62e42fefa3800p-1, lower = k * 0x1.ef35793c76730p-45;
        double r = upper - lower, rest = (upper - r) - lower; /* rest: the rounding error of r */
        double p = 0x1.af389eea54156p-26;
        p = p * r + 0x1.28917c9f3a495p-22;
        p = p * r + 0x1.71de0db2eb873p-19;
        p = p * r + 0x1.a019b914881bap-16;
        p = p * r + 0x1.a01a01a7c2f2cp-13;
        p = p * r + 0x1.6c16c17889f3cp-10;
        p = p * r + 0x1.11111111109b5p-7;
        p = p * r + 0x1.5555555553d68p-5;
        p = p * r + 0x1.5555555555556p-3;
        p = p * r + 0x1.0000000000001p-1;
        double y = 1 + (r + (r * r * p + rest));
        uint64_t power, bits;
        memcpy(&power, &shifted, sizeof power);
        memcpy(&bits, &y, sizeof bits);
        bits += power << 52;
        memcpy(&y, &bits, sizeof y);
        x[i] = x[i] < -708 ? 0 : y;
    }
}

OF_SIMD void of_exp_single(size_t count, float *x)
{
    const float round = 0x1.8p23f;
    for (size_t i = 0; i < count; i++) {
        float shifted = x[i] * 0x1.715476p+0f + round;
        float k = shifted - round;
        float r = (x[i] - k * 0x1.62e400p-1f) - k * 0x1.7f7d1cp-20f;
        float p = 0x1.6d110ap-10f;
        p = p * r + 0x1.120b6ep-7f;
        p = p * r + 0x1.55551ap-5f;
        p = p * r + 0x1.5554dcp-3f;
        p = p * r + 0x1.000000p-1f;
        float y = 1 + (r + r * r * p);
        uint32_t power, bits;
        memcpy(&power, &shifted, sizeof power);
        memcpy(&bits, &y, sizeof bits);
        bits += power << 23;
        memcpy(&y, &bits, sizeof y);
        x[i] = x[i] < -87 ? 0 : y;
    }
}
