/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/literal_graph.h"

#include <math.h>
#include <stdlib.h>

void literal_ties(size_t samples, size_t columns, const double *x, size_t landmarks,
                  const double *at, size_t r, int empty, double *z)
{
    double *distance = malloc(landmarks * sizeof *distance);
    for (size_t j = 0; j < samples; j++) {
        double own = 0, far = 0, sum = 0, *row = z + j * landmarks;
        for (size_t i = 0; i < columns; i++)
            own += x[j * columns + i] * x[j * columns + i];
        for (size_t l = 0; l < landmarks; l++) {
            row[l] = distance[l] = 0;
            for (size_t i = 0; i < columns; i++) {
                double apart = x[j * columns + i] - at[l * columns + i];
                distance[l] += apart * apart;
            }
        }
        if (empty && own == 0)
            continue;
        for (size_t l = 0; l < landmarks; l++) { /* as many are nearer as come before it */
            size_t nearer = 0;
            for (size_t o = 0; o < landmarks; o++)
                nearer += distance[o] < distance[l] || (distance[o] == distance[l] && o < l);
            if (nearer < r)
                row[l] = 1;
            if (nearer == r - 1)
                far = distance[l];
        }
        for (size_t l = 0; l < landmarks; l++) {
            row[l] *= far > 0 ? exp(-2 * distance[l] / far) : 1;
            sum += row[l];
        }
        for (size_t l = 0; l < landmarks; l++)
            row[l] /= sum;
    }
    free(distance);
}

void literal_graph_kernel(size_t samples, size_t landmarks, const double *z, double *kernel)
{
    double *degree = calloc(landmarks, sizeof *degree), *has = calloc(samples, sizeof *has),
           known = 0;
    for (size_t j = 0; j < samples; j++) {
        for (size_t l = 0; l < landmarks; l++) {
            degree[l] += z[j * landmarks + l];
            has[j] = z[j * landmarks + l] > 0 ? 1 : has[j];
        }
        known += has[j];
    }
    for (size_t i = 0; i < samples; i++)
        for (size_t j = 0; j < samples; j++) {
            double sum = 0;
            for (size_t l = 0; l < landmarks; l++)
                if (degree[l] > 0)
                    sum += z[i * landmarks + l] * z[j * landmarks + l] / degree[l];
            kernel[i * samples + j] = sum - has[i] * has[j] / known;
        }
    free(degree);
    free(has);
}
