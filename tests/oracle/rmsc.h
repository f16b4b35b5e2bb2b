/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Robust multi-view spectral clustering as it is written down, in plain loops and with every matrix
 * whole and the right way round:
 *
 *     min ||P||_* + lambda sum_i ||E_i||_1   with T_i = P + E_i, P >= 0, P 1 = 1
 *
 * The letters are those of the problem.
 */
#ifndef OF_TESTS_ORACLE_RMSC_H
#define OF_TESTS_ORACLE_RMSC_H

#include <stddef.h>

enum { ORACLE_RMSC_VIEWS = 8 };

typedef struct oracle_rmsc {
    size_t n, V;
    double lambda, u, factor;
    const double *const *T;
    double *P, *Q, *Z, *E[ORACLE_RMSC_VIEWS], *Y[ORACLE_RMSC_VIEWS];
    double residual, error, nuclear_Q, gap; /* gap: largest |P - Q| */
    size_t rank;
} oracle_rmsc;

void oracle_rmsc_start(oracle_rmsc *o, size_t n, size_t V, const double *const *T, double lambda,
                       double u, double factor);
void oracle_rmsc_step(oracle_rmsc *o);
void oracle_rmsc_end(oracle_rmsc *o);

/* The stationary vector by following the walk until it no longer moves. */
void oracle_rmsc_stationary(size_t n, const double *P, double *pi);

/* (Pi^1/2 P Pi^-1/2 + Pi^-1/2 P'Pi^1/2) / 2, new memory. */
double *oracle_rmsc_laplacian(size_t n, const double *P, const double *pi);

#endif
