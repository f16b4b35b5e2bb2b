/* SPDX-License-Identifier: Apache-2.0 */
/* The scale of samples that lack views. */
#include "method/missing_scale.h"

#include <math.h>

double of_present_view_scale(size_t present, size_t samples)
{
    return sqrt((double)present / (double)samples);
}

double of_present_sample_scale(const uint8_t *has, size_t views)
{
    size_t count = 0;
    for (size_t i = 0; i < views; i++)
        count += has[i] != 0;
    return sqrt((double)views / (double)count);
}

void of_present_scale_sample(size_t views, size_t dims, const double *view_scale,
                             const uint8_t *has, double *x)
{
    double scale = has ? of_present_sample_scale(has, views) : 1;
    for (size_t i = 0; i < views; i++) {
        double by = has && !has[i] ? 0 : (view_scale ? view_scale[i] : 1) * scale;
        for (size_t r = 0; r < dims && by != 1; r++)
            x[i * dims + r] = by == 0 ? 0 : by * x[i * dims + r];
    }
}
