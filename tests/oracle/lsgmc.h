/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LSGMC as it is written down, in plain loops and with every matrix whole:
 *
 *     min sum_v ||E_v||_{2,1} + lambda ||C||_Sp^q   with X_v = X_v Z_v + E_v,  Z_v = L_v C R_v',
 *     L_v'L_v = R_v'R_v = I,  Z_v = J_v = J_v'
 *
 * by alternating directions with multipliers Q1, Q2, Q3. The letters are those of the problem.
 */
#ifndef OF_TESTS_ORACLE_LSGMC_H
#define OF_TESTS_ORACLE_LSGMC_H

#include <stddef.h>

enum { ORACLE_MOST_VIEWS = 8 };

typedef struct oracle_lsgmc {
    size_t n, views, d[ORACLE_MOST_VIEWS];
    double lambda, q, u;
    const double *X[ORACLE_MOST_VIEWS]; /* d x n, unit columns */
    double *E[ORACLE_MOST_VIEWS], *Z[ORACLE_MOST_VIEWS], *J[ORACLE_MOST_VIEWS],
        *L[ORACLE_MOST_VIEWS], *R[ORACLE_MOST_VIEWS], *Q1[ORACLE_MOST_VIEWS],
        *Q2[ORACLE_MOST_VIEWS], *Q3[ORACLE_MOST_VIEWS];
    double *C;
    /* of the last step */
    double u_used, objective, residual_x, residual_c, residual_sym, stop_value;
    double distance[ORACLE_MOST_VIEWS]; /* row-sum norms of Z_v - C */
    size_t rank, iteration;
} oracle_lsgmc;

void oracle_lsgmc_start(oracle_lsgmc *o, size_t n, size_t views, const size_t *d,
                        const double *const *X, double lambda, double q);
void oracle_lsgmc_step(oracle_lsgmc *o);
void oracle_lsgmc_end(oracle_lsgmc *o);

/* The maximiser of <Q, A> nearest the orthogonal Q (n x n), in place of it. */
void oracle_polar_nearest(size_t n, const double *A, double *Q);

/* Per column of S (n x n) the largest entries up to the one that reaches share times the column's
 * l1 norm; new memory. */
double *oracle_lsgmc_retain(size_t n, const double *S, double share);

/* (M M')^2 entrywise for M = unit rows of U S^1/2 of the retained matrix; new memory. */
double *oracle_lsgmc_affinity(size_t n, const double *retained);

#endif
