/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion multiple kernel k-means, and the curvilinear steps that it takes. */
#ifndef OF_PEERS_FMKKM_H
#define OF_PEERS_FMKKM_H

#include "base/memory.h"

/*
 * One curvilinear step over matrices with orthonormal columns, to lessen
 *
 *     F(X) = -<X, A X> - <X, D>          (A symmetric)
 *
 * along X(t) = Q factor, with positive diagonal of R, of X - t G,  G = g - X g'X,  g = -2 A X - D.
 * A itself is not needed, only A X and A G: A X(t) = (A X - t A G) R^-1 serves every trial.
 */

/* G, from X, AX and D; all rows x columns and packed. */
onefold_status of_stiefel_direction(of_context *context, size_t rows, size_t columns,
                                    const double *x, const double *ax, const double *d,
                                    double *direction);

typedef struct of_stiefel_step {
    double length; /* t that was taken; 0: X was kept */
    size_t trials; /* lengths tried */
} of_stiefel_step;

/* Tries t = 5, 1, 0.2, ...: the first of 8 by which F falls by at least 1e-4 t ||G||^2, else the
 * 8th if F falls at all, else none. X is replaced by X(t), and `r` (columns x columns) is the R of
 * the step. */
onefold_status of_stiefel_search(of_context *context, size_t rows, size_t columns, double *x,
                                 const double *ax, const double *d, const double *direction,
                                 const double *a_direction, double *r, of_stiefel_step *step);

/* M X(t) = (M X - t M G) R^-1 for the step that was taken, in place of M X; any matrix M. */
void of_stiefel_follow(size_t rows, size_t columns, const of_stiefel_step *step, const double *r,
                       const double *m_direction, double *mx);

/*
 * Fusion multiple kernel k-means (Zhang et al. 2022) on kernel matrices that are given:
 *
 *     min tr(K_g (I - HH')) + l1 sum_i a_i^2 tr(K_i (I - H_iH_i')) - l2 tr(H' sum_i b_i H_i W_i)
 *     K_g = sum_i g_i^2 K_i;  H, H_i orthonormal columns; W_i orthogonal; a, g on the simplex;
 *     b >= 0, ||b|| = 1
 */

/* One view's part in a run. Matrices are column-major and packed. */
typedef struct of_fmkkm_view {
    const double *kernel;   /* samples x samples; the caller's */
    double b;               /* its third weight */
    double fit;             /* tr(H'H_iW_i) */
    double *own;            /* samples x clusters: H_i */
    double *turn;           /* clusters x clusters: W_i */
    double *product;        /* samples x clusters: K_i H */
    double *own_product;    /* samples x clusters: K_i H_i */
    double *moved;          /* samples x clusters: K_i times a direction */
    of_stiefel_step search; /* of the last H_i step */
} of_fmkkm_view;

typedef struct of_fmkkm {
    of_context *context;
    size_t samples, views, clusters;
    double l1, l2;
    of_fmkkm_view *view;
    double *trace;    /* views: tr(K_i); a view where it is 0 has no part in the run */
    double *g, *a;    /* views: weights */
    double *cost;     /* views: tr(K_i (I - HH')), held to 1e-12 of the trace */
    double *own_cost; /* views: tr(K_i (I - H_iH_i')), likewise */
    double *vector;   /* samples x clusters: H */
    of_stiefel_step search;
    double part[3];   /* the three terms, without l1, l2 and the last one's sign */
    double objective; /* part[0] + l1 part[1] - l2 part[2] */
    size_t iterations;
} of_fmkkm;

/* A run before its first iteration. Memory is from `arena`; the kernels must outlive it. */
onefold_status of_fmkkm_start(of_context *context, of_arena *arena, size_t samples, size_t views,
                              size_t clusters, const double *const *kernel, double l1, double l2,
                              of_fmkkm *run);

/* One iteration: W, H, H_i, weights, objective. */
onefold_status of_fmkkm_step(of_fmkkm *run);

#endif
