/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fusion multiple kernel k-means as it is written down, in plain loops and with every matrix whole:
 *
 *     min tr(K_g (I - HH')) + l1 sum_i a_i^2 tr(K_i (I - H_iH_i')) - l2 tr(H' sum_i b_i H_i W_i)
 *
 * The letters are those of the problem.
 */
#ifndef OF_TESTS_ORACLE_FMKKM_H
#define OF_TESTS_ORACLE_FMKKM_H

#include <stddef.h>

enum { ORACLE_FMKKM_VIEWS = 8 };

typedef struct oracle_fmkkm {
    size_t n, p, c;
    double l1, l2;
    const double *const *K;
    double *H, *H_i[ORACLE_FMKKM_VIEWS], *W[ORACLE_FMKKM_VIEWS];
    double g[ORACLE_FMKKM_VIEWS], a[ORACLE_FMKKM_VIEWS], b[ORACLE_FMKKM_VIEWS];
    size_t trials[ORACLE_FMKKM_VIEWS + 1]; /* of the last iteration: H, then each H_i */
    double part[3], J;
} oracle_fmkkm;

void oracle_fmkkm_start(oracle_fmkkm *o, size_t n, size_t p, size_t c, const double *const *K,
                        double l1, double l2);
void oracle_fmkkm_step(oracle_fmkkm *o);
void oracle_fmkkm_end(oracle_fmkkm *o);

#endif
