/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The projection is max(x - t, 0) for the one t that makes it sum to 1. Entries at or below a lower
 * bound of t are 0 in the answer, so t is found by dropping them until none is left to drop
 * (Michelot 1986): exact, in a few passes, without sorting.
 */
#include "linalg/simplex.h"

void of_simplex_project(size_t length, double *x)
{
    double top = x[0];
    for (size_t i = 1; i < length; i++)
        top = x[i] > top ? x[i] : top;
    /* Seen from the largest entry t lies in [-1, 0): no digits are lost however large x is. */
    double t = -1;
    for (size_t kept = length + 1;;) {
        double sum = 0;
        size_t count = 0;
        for (size_t i = 0; i < length; i++) {
            double below = x[i] - top;
            int above = below > t;
            sum += above ? below : 0;
            count += (size_t)above;
        }
        if (count >= kept)
            break;
        kept = count;
        t = (sum - 1) / (double)count;
    }
    for (size_t i = 0; i < length; i++) {
        double above = x[i] - top - t;
        x[i] = above > 0 ? above : 0;
    }
}
