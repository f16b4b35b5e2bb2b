/* SPDX-License-Identifier: Apache-2.0 */
/* Multiple kernel k-means, literally: I - HH' is formed. */
#include "oracle/mkkm.h"

#include "oracle/plain.h"
#include "oracle/plain_eigen.h"

#include <math.h>
#include <stdlib.h>

void oracle_mkkm_start(oracle_mkkm *o, size_t n, size_t p, size_t c, const double *const *K)
{
    *o = (oracle_mkkm){.n = n, .p = p, .c = c, .K = K};
    o->K_t = plain_new(n, n);
    o->H = plain_new(n, c);
    o->value = plain_new(c, 1);
    for (size_t i = 0; i < p; i++)
        o->t[i] = 1.0 / (double)p;
}

void oracle_mkkm_step(oracle_mkkm *o)
{
    size_t n = o->n;
    for (size_t e = 0; e < n * n; e++) {
        o->K_t[e] = 0;
        for (size_t i = 0; i < o->p; i++)
            o->K_t[e] += o->t[i] * o->t[i] * o->K[i][e];
    }
    plain_eigen_top(n, o->c, o->K_t, o->value, o->H);
    double *flipped = plain_flip(n, o->c, o->H), *rest = plain_times(n, o->c, n, o->H, flipped);
    for (size_t e = 0; e < n * n; e++)
        rest[e] = (e % (n + 1) == 0 ? 1 : 0) - rest[e];
    double sum = 0;
    for (size_t i = 0; i < o->p; i++) {
        double trace = 0;
        for (size_t j = 0; j < n; j++)
            trace += o->K[i][j + j * n];
        o->a[i] = fmax(plain_trace_of(n, n, o->K[i], rest), 1e-12 * trace);
        o->t[i] = trace > 0 ? 1 / o->a[i] : 0;
        sum += o->t[i];
    }
    o->J = 0;
    for (size_t i = 0; i < o->p; i++) {
        o->t[i] /= sum;
        o->J += o->t[i] * o->t[i] * o->a[i];
    }
    free(flipped);
    free(rest);
}

void oracle_mkkm_end(oracle_mkkm *o)
{
    free(o->K_t);
    free(o->H);
    free(o->value);
}
