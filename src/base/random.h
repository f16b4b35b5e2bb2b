/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers from a counter: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011). A stream is
 * keyed by (seed, purpose, index), never by shared state, so the order of work cannot change a
 * draw.
 */
#ifndef OF_BASE_RANDOM_H
#define OF_BASE_RANDOM_H

#include "base/private.h"

#include <stddef.h>
#include <stdint.h>

/* What a stream is for. Results depend on these values: add at the end, never renumber. 4 and 9 are
 * free. */
typedef enum of_purpose {
    OF_PURPOSE_TEST = 0,
    OF_PURPOSE_KMEANS = 1,
    OF_PURPOSE_PAPER_START = 2,
    OF_PURPOSE_EIGEN_START = 3,
    OF_PURPOSE_LANDMARKS = 5,
    OF_PURPOSE_SYNTH = 6,
    OF_PURPOSE_SUBSAMPLE = 7,
    OF_PURPOSE_FMR_START = 8,
    OF_PURPOSE_LAYOUT = 10,
    OF_PURPOSE_SHUFFLE = 11
} of_purpose;

typedef struct of_random {
    uint32_t key[2], counter[4], word[4];
    int left; /* words not yet handed out */
} of_random;

/* The stream of (seed, purpose, index). */
OF_PRIVATE of_random of_random_make(uint64_t seed, of_purpose purpose, uint64_t index);

uint32_t of_random_bits(of_random *random);             /* 32 random bits */
OF_PRIVATE double of_random_uniform(of_random *random); /* in [0, 1), 53 bits */
OF_PRIVATE double of_random_normal(of_random *random);  /* mean 0, variance 1 */
OF_PRIVATE size_t of_random_below(of_random *random,
                                  size_t bound); /* uniform in 0 .. bound-1; bound > 0 */

/* One block of the cipher, for tests against the published vectors. */
void of_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

#endif
