/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FMR as it is written down, in plain loops and with every matrix whole:
 *
 *     min -tr(K H'H)/(n-1)^2 + l1 ||Z||_* + l2 ||E||_{2,1}   with H = HZ + E
 *
 * by alternating directions with J = Z and multipliers Y1, Y2. The letters are those of the
 * problem. Z comes from the explicit inverse of H'H + I, so H must be kept of moderate size.
 */
#ifndef OF_TESTS_ORACLE_FMR_H
#define OF_TESTS_ORACLE_FMR_H

#include <stddef.h>

typedef struct oracle_fmr {
    size_t n, d;
    double l1, l2, eps, alpha, u, growth;
    size_t most_steps;
    double *K, *H, *Z, *J, *E, *Y1, *Y2;
    /* of the last iteration */
    size_t steps, rank;
    double f, hsic, nuclear_j, e_lengths, residual_h, residual_z;
    double u_used;
} oracle_fmr;

/* M: rows x n, the stacked unit-column features; H: d x n. Both are copied. */
void oracle_fmr_start(oracle_fmr *o, size_t rows, size_t n, const double *M, size_t d,
                      const double *H);
void oracle_fmr_step(oracle_fmr *o);
void oracle_fmr_end(oracle_fmr *o);

#endif
