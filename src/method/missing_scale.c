/* SPDX-License-Identifier: Apache-2.0 */
/* The scale of samples that lack views. */
#include "method/missing_scale.h"

#include <math.h>

double of_missing_scale_view(size_t present, size_t samples)
{
    return sqrt((double)present / (double)samples);
}

double of_missing_scale_sample(const uint8_t *has, size_t views)
{
    size_t count = 0;
    for (size_t i = 0; i < views; i++)
        count += has[i] != 0;
    return sqrt((double)views / (double)count);
}
