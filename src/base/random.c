/* SPDX-License-Identifier: Apache-2.0 */
/* Philox 4x32-10 streams, and the distributions drawn from them. */
#include "base/random.h"

#include <math.h>

void of_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c0, b = (uint64_t)0xCD9E8D57u * c2;
        uint32_t n0 = (uint32_t)(b >> 32) ^ c1 ^ k0, n2 = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)b;
        c3 = (uint32_t)a;
        c0 = n0;
        c2 = n2;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* The seed fills the key; purpose and index fill the upper counter words and leave the lowest for
 * the position in the stream: 2^34 words for each (purpose, index below 2^56). */
of_random of_random_make(uint64_t seed, of_purpose purpose, uint64_t index)
{
    of_random random = {
        .key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
        .counter = {0, (uint32_t)index, (uint32_t)(index >> 32) ^ ((uint32_t)purpose << 24),
                    0x4F464C44u},
        .left = 0,
    };
    return random;
}

uint32_t of_random_bits(of_random *random)
{
    if (random->left == 0) {
        of_philox(random->counter, random->key, random->word);
        random->counter[0]++;
        random->left = 4;
    }
    return random->word[4 - random->left--];
}

double of_random_uniform(of_random *random)
{
    uint64_t high = of_random_bits(random) >> 5, low = of_random_bits(random) >> 6;
    return (double)(high << 26 | low) * 0x1p-53;
}

/* Box and Muller. The second number of the pair is dropped, so calls share no state. */
double of_random_normal(of_random *random)
{
    double u = 1 - of_random_uniform(random), v = of_random_uniform(random);
    return sqrt(-2 * log(u)) * cos(6.283185307179586476925 * v);
}

/* Lemire's multiplication with rejection, on 64 bits. */
size_t of_random_below(of_random *random, size_t bound)
{
    uint64_t limit = -(uint64_t)bound % bound;
    for (;;) {
        uint64_t bits = (uint64_t)of_random_bits(random) << 32;
        bits |= of_random_bits(random);
        __uint128_t product = (__uint128_t)bits * bound;
        if ((uint64_t)product >= limit)
            return (size_t)(product >> 64);
    }
}
