/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Average and multiple kernel k-means as they are written down, in plain loops:
 *
 *     min over H, t   tr(K_t (I - HH')),  K_t = sum_i t_i^2 K_i,  H'H = I,  t >= 0, sum t = 1
 *
 * The letters are those of the problem. Where the caller has a say, lower <= t <= upper besides.
 */
#ifndef OF_TESTS_ORACLE_MKKM_H
#define OF_TESTS_ORACLE_MKKM_H

#include <stddef.h>

enum { ORACLE_MKKM_VIEWS = 8 };

typedef struct oracle_mkkm {
    size_t n, p, c;
    const double *const *K;
    const double *lower, *upper; /* p each; NULL: none */
    double t[ORACLE_MKKM_VIEWS], a[ORACLE_MKKM_VIEWS];
    double *K_t, *H, *value;
    double J;
} oracle_mkkm;

/* The t within its bounds that minimises sum_i a_i t_i^2 with sum t = 1, a > 0: of all ways to put
 * each entry at a bound or between them, the best that can be. */
void oracle_mkkm_weigh(size_t p, const double *a, const double *lower, const double *upper,
                       double *t);

void oracle_mkkm_start(oracle_mkkm *o, size_t n, size_t p, size_t c, const double *const *K);
/* Bounds t from the start on. */
void oracle_mkkm_bound(oracle_mkkm *o, const double *lower, const double *upper);
void oracle_mkkm_step(oracle_mkkm *o);
void oracle_mkkm_end(oracle_mkkm *o);

#endif
