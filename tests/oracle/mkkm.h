/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Average and multiple kernel k-means as they are written down, in plain loops:
 *
 *     min over H, t   tr(K_t (I - HH')),  K_t = sum_i t_i^2 K_i,  H'H = I,  t >= 0, sum t = 1
 *
 * The letters are those of the problem.
 */
#ifndef OF_TESTS_ORACLE_MKKM_H
#define OF_TESTS_ORACLE_MKKM_H

#include <stddef.h>

enum { ORACLE_MKKM_VIEWS = 8 };

typedef struct oracle_mkkm {
    size_t n, p, c;
    const double *const *K;
    double t[ORACLE_MKKM_VIEWS], a[ORACLE_MKKM_VIEWS];
    double *K_t, *H, *value;
    double J;
} oracle_mkkm;

void oracle_mkkm_start(oracle_mkkm *o, size_t n, size_t p, size_t c, const double *const *K);
void oracle_mkkm_step(oracle_mkkm *o);
void oracle_mkkm_end(oracle_mkkm *o);

#endif
