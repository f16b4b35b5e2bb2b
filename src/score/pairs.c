/* SPDX-License-Identifier: Apache-2.0 */
/* The adjusted Rand index is written with the four kinds of pairs, as it loses no digits so. */
#include "score/pairs.h"

double of_pairs(size_t count)
{
    return count % 2 ? (double)count * (double)(count / 2)
                     : (double)(count / 2) * ((double)count - 1);
}

double of_adjusted_rand(double both, double first, double second, double all)
{
    double only_first = first - both, only_second = second - both,
           neither = all - first - only_second;
    double agree = 2 * (both * neither - only_first * only_second),
           most = first * (only_first + neither) + second * (only_second + neither);
    return most > 0 ? agree / most : 1;
}
