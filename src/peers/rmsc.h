/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Robust multi-view spectral clustering (Xia, Pan, Du, Yin 2014) on transition matrices T_i:
 *
 *     min ||P||_* + lambda sum_i ||E_i||_1   with T_i = P + E_i, P >= 0, P 1 = 1
 *
 * by alternating directions with Q = P. All matrices are held transposed, so that a row of P, which
 * is projected on the simplex, is contiguous: column j here is row j there.
 */
#ifndef OF_PEERS_RMSC_H
#define OF_PEERS_RMSC_H

#include "base/memory.h"

typedef struct of_rmsc_options {
    double lambda;
    double penalty, growth, most_penalty; /* u at first, what it is multiplied by, its limit */
} of_rmsc_options;

/* Where a run stands after an iteration. Matrices are samples x samples, packed. The E_i are not
 * kept: each is computed, used and summed up in one pass. */
typedef struct of_rmsc {
    size_t samples, views;
    of_rmsc_options options;
    double *const *transition; /* views: T_i'; the caller's */
    double **multiplier;       /* views: Y_i' */
    double *p, *q, *z;         /* P', Q', Z' */
    double *pull;              /* sum_i (T_i - E_i - Y_i/u)' for the next u; P + Z/u in between */
    double *column;            /* samples x 2: per row of P, partial figures */
    double penalty;            /* u of the next iteration */
    double residual;           /* largest row sum of |T_i - E_i - P| over the views */
    double error;              /* sum_i ||E_i||_1 */
    double nuclear;            /* ||Q||_* */
    size_t rank;               /* of Q */
    size_t iterations;
} of_rmsc;

/* A run before its first iteration: everything 0. Memory is from `arena`. */
onefold_status of_rmsc_start(of_context *context, of_arena *arena, size_t samples, size_t views,
                             double *const *transition, const of_rmsc_options *options,
                             of_rmsc *run);

/* One iteration: P, Q, E, multipliers, u. */
onefold_status of_rmsc_step(of_context *context, of_rmsc *run);

/* In place of a symmetric kernel K: (D^-1 K)', D the row sums, after the least entry is taken off K
 * where that is negative. A row that sums to 0 becomes 1/samples everywhere. */
onefold_status of_rmsc_transition(of_context *context, size_t samples, double *kernel);

/* The stationary vector of P (given as P', samples x samples, kept): P'pi = pi, sum 1, no entry
 * negative. Where there are several, the one that a walk from anywhere alike tends to. */
onefold_status of_rmsc_stationary(of_context *context, size_t samples, const double *p, double *pi);

/* L = (Pi^1/2 P Pi^-1/2 + its transpose) / 2, or, where some pi_i <= 1e-14 of the largest,
 * (Pi P + P'Pi) / 2. */
onefold_status of_rmsc_laplacian(of_context *context, size_t samples, const double *p,
                                 const double *pi, double *l);

/* The nearest point of the simplex to x (length > 0), in place. */
void of_simplex_project(size_t length, double *x);

#endif
